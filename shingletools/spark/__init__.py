"""simspark: the pipeline on Apache Spark. What each file does, in the order of the work:

command           the options, and a run
pipeline          what Spark can do of a pipeline
session           a session of Spark, which ends with the run, however that ends
jobs              runs a pipeline: divides its steps into jobs; it uses all the others
run               the common part of all jobs: what is read, counted and written
joining           the jobs of simjoin where many tasks join
collected         the jobs of commands that take all lines: in one task, or in many
spark_files       files and folders, wherever Spark has them
splits            plain files on this machine, whose lines tasks read themselves
parquet_rows      rows of Parquet as records, and records as rows
columns           filters from Parquet to Parquet, without lines of whole records
batches           work on DataFrames in batches of Arrow; packed lines, many in a row
tally             figures that tasks tell the driver besides their rows
filtered_lines    lines through filters; numbers of lines over all input; rejected lines
parts             the parts of the output
kept_stages       stages that are used more than once, or kept for other runs
number_sets       a set of documents, a bit for each
exchange          rows by key, and arrays, sent between tasks
signed            simjoin: the signatures of records, and whether all can be compared
heads             repeated ids, and copies
signed_documents  documents of signed, each in a row
meeting           which documents share a bucket
bucket_blocks     buckets as tasks
tasks             the comparisons of a task
archives          archives of --against: their states, and their rows as those of signed
copies            pairs of originals as pairs of documents
join_in_parts     one run of simjoin in many tasks: the steps above in their order
said              pairs as lines
packed_names      simgroup: ids in buckets, where equal ones meet
mentions          the names in lines
room              how much memory one task may take, and how much a collector needs
one_task          all lines to the shell's own collector, in one task, if they fit
graphs            what edges connect, in one task or in rounds
nodes             simgroup in many tasks: names become nodes
roots             nodes become groups, and groups lines
group             one run of simgroup
removal_rows      dedup in many tasks: what it takes from lines
ordered_keys      values that decide which document is preferred
thinned           which documents of pairs stay, in rounds
cut_documents     documents whose fate is known become lines
dedup             one run of dedup in many tasks
"""
