"""Runs commands and pipelines. Imports all wings above, and no room: it loads a command by its name.

steps                 a pipeline as it is typed, and its steps, each a command that its own parser has read
input_sources         documents that a program passes to a pipeline: files, or records as lines
document_queue        documents that dedup is given, and which of them stay
result                the result of a run in a program: records, messages, figures
data_frames           data frames of other libraries: rows of them, and columns beside them
api                   the functions that programs call: pipelines as values
recipes               pipelines for common jobs, and the command that prints them; the join of `unique`
short_run             what the commands `unique` and `compare` share, which make pipelines and run them
unique_command        the command `shingletools unique`
compare_command       the command `shingletools compare`
line_places           the places in the input of lines in a scratch file
run_command           the command `shingletools run`
launch                the entry of the launchers in `bin/`
driver                runs a command line, and ends it: output, messages, exit status
pipeline              a run of steps, without a command line: the loop from the input to the output
stage_run             one step of a run: its figures, messages, bad records, and exit status
preflight_checks      checks before input is read
step_events           what filters or a collector make of batches: batches and events
outputs               output files, complete or absent, and files of bad records
reject_messages       messages about bad records: ten of each cause
progress_bars         a progress bar, which one process of a pipeline shows at a time
completion            what shells complete: options, their choices, and files
shingletools_command  the command `shingletools`, which lists the others, runs them, and shows what is installed
canon_function        canon --offsets as a function
"""
