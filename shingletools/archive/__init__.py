"""An archive on disk: documents, added, dropped and looked up by signatures or passages. From the bytes upwards:

archive_files  the names of its files and columns
checksummed    files with a checksum for each block, which is checked at each read
frames         records' lines without id and payload
manifest       the file that names the others; it is replaced in one step
segment        a file of documents, for reading
lookup         the rows of keys: by search, or in one pass
opened         an archive for reading, in one of its states
damage         finds damaged files
writing        an archive for writing, by one writer; segments as they are written
batch          documents in memory, which become a segment
merging        makes one segment of many
"""
