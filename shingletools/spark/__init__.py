"""simspark: the pipeline on Apache Spark. The files, in the order in which a document travels:

command        the options, and a run
pipeline       parses the pipeline, and refuses what Spark cannot do
session        a session of Spark, which ends with the run, however that ends
run            one run: what is read, kept and written
storage        files and folders: results that are kept during the run, the output, and bad lines
arrow_batches  DataFrames in batches of Arrow
lines          LINES: many lines in a row of Spark; what commands that take all lines read and give
read           every line gets a number, which orders it among all input
filters        lines through the shell's filters; or through its collectors, if they are few: then one task takes all
parquet        Parquet to Parquet: filters get the columns that they read; lines as columns
join           simjoin in many tasks: a document is an id and a signature
compare        documents that share a bucket, and the tasks that compare them
group          simgroup in many tasks: ids become numbers
dedup          dedup in many tasks
dedup_records  rows of documents, pairs, groups and archives, and keys by which documents are preferred
graph          numbers that edges connect, and which of them stay
"""
