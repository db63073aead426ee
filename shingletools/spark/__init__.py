"""simspark: the pipeline on Apache Spark. The files, in the order in which a document travels:

command               the options, and a run
pipeline              parses the pipeline, and refuses what Spark cannot do
session               a session of Spark, which ends with the run, however that ends
run                   one run: what is read, kept and written
storage               files and folders, and results that are kept during the run
arrow_batches         DataFrames in batches of Arrow
line_rows             LINES: many lines in a row of Spark
read                  every line gets a number, which orders it among all input
filters               lines through the shell's filters
parquet               Parquet to Parquet: filters get the columns that they read; lines as columns
step_input            input and output of a command that takes all lines
collect_in_task       if the lines are few: one task gives them to the shell's own command
join                  if they are many: simjoin in many tasks
join_records          a document is an id and a signature
buckets               documents that share a bucket, and the tasks that compare them
compare_in_task       the comparisons of a task
group                 simgroup in many tasks: ids become numbers
components            numbers that edges connect
dedup                 dedup in many tasks
dedup_records         rows of documents, pairs, groups and archives
preference_keys       values that decide which document is preferred
independent_set       which documents of pairs stay
lines_with_decisions  decisions about single lines go back to rows of many
write                 lines as files in their order, and bad lines with their causes
"""
