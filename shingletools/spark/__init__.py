"""simspark: the pipeline on Apache Spark. What each file does, in the order of the work:

command        options become a run
pipeline       the argument: commands, each parsed by its own parser
session        a session of Spark, which ends with the run, whatever ends that
jobs           what a pipeline is here: which steps in which jobs; here all comes together
run            what these jobs have in common: what is read, counted and written
collected      those that end with simgroup or dedup
files          files and folders, wherever Spark has them
splits         plain files here, whose lines tasks read themselves
parquet        rows of Parquet as records, and records as rows
columns        filters from Parquet to Parquet, without lines of whole records
batches        work on the rows of a frame, in batches of Arrow; lines that are packed, many in a row
tally          what tasks tell the driver beside what they make
lines          lines through filters, and their numbers over all input; what the steps reject
parts          what is written at the end
store          stages that are used more than once, or kept for other runs
chosen         some of all documents, a bit for each
exchange       what tasks send each other: rows by a key, and arrays
signed         simjoin: what is taken of records, and whether all can be compared
heads          ids that were seen before, and copies
documents      what is wanted of documents, each in a row
meeting        which documents share a bucket
blocks         buckets as tasks
tasks          what is compared in a task
join_at_once   all of it in one task, if that is not much, and perhaps groups of what it finds
copies         pairs of originals as pairs of documents
join           one run of simjoin: at once, or the steps above in their order
said           pairs as lines
names          ids as 64-bit numbers: simgroup and dedup
mentions       which names lines have
gathered       these in one task, if that is not much
group_at_once  simgroup there, as the shell does it
dedup_at_once  dedup there: what is decided goes back to all tasks
graphs         what is connected with what, in tasks or rounds
nodes          simgroup in many tasks: names as nodes
roots          nodes as groups, and these as lines
group          one run of it
decided        which documents stay, and lines without the others
choices        dedup in many tasks: names of documents and of groups meet
dedup          one run of it
"""
