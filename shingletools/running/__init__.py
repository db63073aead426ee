"""Runs commands and pipelines. Imports all wings above, and no room: it loads a command by its name.

steps                 a command of a pipeline, parsed by its own parser
pipeline_parser       a pipeline as it is typed, parsed for a run in one process
input_sources         documents that a program passes to a pipeline: files, or records as lines
document_queue        documents that dedup is given, and which of them stay
result                the result of a run in a program: records, messages, figures
frames                data frames of other libraries: rows of them, and columns beside them
api                   the functions that programs call: pipelines as values
recipes               pipelines for common jobs; the one for texts of some length
short_commands        the commands `shingletools unique`, `compare` and `recipes`, which make pipelines
run_command           the command `shingletools run`
launch                the entry of the launchers in `bin/`
driver                runs a command line, and ends it: output, messages, exit status
pipeline_run          a run of steps, without a command line
stage_run             one step of a run: where its events go
preflight_checks      checks before input is read
pipeline              the loops: batches from a reader through filters, or to a collector
outcomes              the figures of all input, the exit status
outputs               output files, complete or absent, and files of bad records
reject_messages       messages about bad records: ten of each cause
progress_bars         a progress bar, which one process of a pipeline shows at a time
completion            what shells complete: options, their choices, and files
shingletools_command  the command `shingletools`, which lists the others, runs them, and shows what is installed
canon_function        canon --offsets as a function
"""
