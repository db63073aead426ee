"""An archive on disk: records with signatures, which are added, dropped, and looked up. From the bytes upwards:

names     the names of its files
blocks    files whose blocks have sums, by which they are checked whenever they are read
frames    a record's line without its id and its payload
manifest  which files are the archive; it is replaced in one step
segment   what a file of documents holds, and where
lookup    entries of a key and a row, in the order of keys: by search, or by going through all
opened    the archive as a reader has it: one state of it
writing   the archive as its only writer has it; segments as they are written
batch     documents that are held in memory until they become a segment
merging   one segment made of many
"""
