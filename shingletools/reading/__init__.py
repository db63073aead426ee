"""From files to lines. Imports the kernel, `system`, `cli` and `record`.

streams                whole lines of files, or their places in a file
encodings              text in other encodings than UTF-8
option_files           files that options name
compression_detection  whether a file is compressed; loads nothing else
compression_formats    the formats of compressed files, and how they are written
decompression          reads compressed files
shingle_tables         tables of document frequencies and of weights
shingle_weights        the weights of shingles by a table

`formats/` has the formats of documents other than JSON lines.
"""
