"""The formats of documents other than JSON lines. `record/document_format.py` has the interface of a format.

format_options      the options, and which format they choose
encoded_files       files of text in another encoding than UTF-8
line_documents      each line a document, or a record
whole_files         each file a document
suffixes            the formats of files by their suffixes
folders             each file in folders a document
separated_values    tables, as CSV and TSV
table_rows          the rows of a table
truth_tables        tables of labels
json_array          the elements of a JSON array
citations           citations of RIS, NBIB, EndNote, Web of Science and BibTeX
tagged_references   records of RIS, NBIB, EndNote, Web of Science: where they end, and their values
citation_items      citations of CSL-JSON, and of PubMed's and EndNote's XML
bibtex              entries of BibTeX: where they end, and their values
citation_fields     the fields of a citation
parquet             rows of Parquet
arrow_files         rows of Arrow's files and streams, and of Feather
workbooks           rows of a sheet of XLSX
parquet_batches     batches of rows of a file of Parquet
thrift              the structs in Parquet's metadata
arrow_values        columns of Arrow as values of JSON
arrow_lines         rows of Arrow as lines, for programs
warc                pages in WARC files
warc_records        the records of WARC files
http_pages          the HTML of responses of HTTP
page_charsets       the character sets of pages
numbered_records    records that have no id get a number
table_rewriter      tables and lines with fewer rows
parquet_rewriter    Parquet with fewer rows
warc_rewriter       WARC with fewer pages
file_list_rewriter  the names of files that are kept
"""
