"""From files to lines. Imports the kernel, `system`, `cli` and `record`.

streams        whole lines of files, or where they stand
option_files   files that options name
compressed     whether a file is compressed, which is all that most runs ask
compression    the formats of compressed files, and how they are written
decompression  what stands in a compressed file
tables         tables of document frequencies and of weights
weights        the weights of shingles by a table

`formats/` has what files of documents may be besides JSON lines.
"""
