"""Formats: what a file of documents may be, beside JSON lines. `framing` says what a format is to the driver.

format_options  the options, and which format they choose
linewise        each line a document, or a record
whole           each file a document
folders         the files in folders, each a document
separated       rows of CSV and TSV
array           the elements of a JSON array
parquet         rows of Parquet
arrow           columns of Arrow, which Parquet is read as
warc            responses in WARC files
numbered        records that have no id get a number
file_names      files whose names are in a file
"""
