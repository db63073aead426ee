"""One run of a command. Imports all wings above, and no room: it loads a command by its name.

steps                 a command of a pipeline, parsed by its own parser
pipeline_parser       a pipeline as it is typed, parsed for a run in one process
input_sources         documents that a program gives: their files, or their lines
result                what a program gets of a run
api                   what programs call: pipelines as values
run_command           the command line around that, `shingletools run`
launch                what `bin/` calls
driver                a command line's run, and how it ends: output, messages, exit status
pipeline_run          a run of steps, as a library has it
stage_run             one step of a run
preflight_checks      what is checked before input is read
filtering             the input through filters
collecting            the input to a collector
outcomes              what became of a chunk and of all that was read
outputs               complete files out, and bad records
reject_messages       what is said of bad records: ten of each cause
progress_bars         bars, of which each process of a pipeline has a line of the terminal
shingletools_command  the command `shingletools`, which lists the others, runs them, and tells what is installed
checkpointing         what passes between commands is kept, and the same command goes on from it
checkpoint_folder     the folder in which it is kept
canon_function        canon --offsets as a function
"""
