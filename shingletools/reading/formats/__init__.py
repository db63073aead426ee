"""The formats of documents other than JSON lines. `record/document_format.py` has the interface of a format.

format_options      the options, and which format they choose
wrapped_format      a format in another encoding than UTF-8, or that numbers records
line_documents      each line a document, or a record
whole_files         each file a document
suffixes            the formats of files by their suffixes
folders             each file in folders a document
separated_values    tables, as CSV and TSV
kept_lines          lines of documents that are kept or removed
table_rows          the rows of a table
truth_tables        tables of labels
json_array          the elements of a JSON array
citations           citations of RIS, NBIB, EndNote, Web of Science and BibTeX
tagged_references   records of RIS, NBIB, EndNote, Web of Science: where they end, and their values
citation_items      citations of CSL-JSON, and of PubMed's and EndNote's XML
bibtex              entries of BibTeX: where they end, and their values
citation_fields     the fields of a citation
column_files        rows of files of columns, and such files with fewer rows
parquet             Parquet
arrow_files         Arrow's files and streams, and Feather
workbooks           rows of a sheet of XLSX
thrift              the structs in Parquet's metadata
arrow_values        columns of Arrow as values of JSON
arrow_lines         rows of Arrow as lines, for programs
warc                pages in WARC files
warc_records        the records of WARC files
http_pages          the HTML of responses of HTTP
page_charsets       the character sets of pages
"""
