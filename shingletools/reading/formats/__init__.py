"""The formats of documents other than JSON lines. `framing` has the interface of a format.

format_options  the options, and which format they choose
linewise        each line a document, or a record
whole           each file a document
folders         each file in folders a document
separated       tables, as CSV and TSV
table_rows      the rows of a table
array           the elements of a JSON array
parquet         rows of Parquet
parquet_files   files of Parquet, opened and read
thrift          the structs in Parquet's metadata
arrow           columns of Arrow as values of JSON
arrow_lines     rows of Arrow as lines, for programs
warc            pages in WARC files
warc_records    the records of WARC files
http_pages      the HTML of responses of HTTP
numbered        records that have no id get a number
file_names      files whose names are in a file
kept_rows       tables and lines with fewer rows
kept_columns    Parquet with fewer rows
kept_ranges     WARC with fewer pages
kept_names      the names of files that are kept
"""
