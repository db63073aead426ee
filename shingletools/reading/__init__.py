"""From files to lines. Imports the kernel, `system`, `cli` and `record`.

streams        whole lines of files, or their places in a file
option_files   files that options name
compressed     whether a file is compressed: most runs need no more
compression    the formats of compressed files, and how they are written
decompression  reads compressed files
tables         tables of document frequencies and of weights
weights        the weights of shingles by a table

`formats/` has what files of documents may be besides JSON lines.
"""
