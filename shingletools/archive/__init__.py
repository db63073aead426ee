"""An archive on disk: documents, added, dropped and looked up by signatures or passages. From the bytes upwards:

archive_files      the names of its files and columns
checksummed_files  files with a checksum for each block, which is checked at each read
record_frames      records' lines without id and payload
manifest           the file that names the others; it is replaced in one step
segment            a file of documents, for reading
key_lookup         the rows of keys: by search, or in one pass
archive_reader     an archive for reading, in one of its states
damage_check       finds damaged files
archive_writer     an archive for writing, by one writer; segments as they are written
segment_builder    documents in memory, which become a segment
segment_merging    makes one segment of many
"""
