"""One run of a command. Imports all wings above, and no room: it loads a command by its name.

steps       a pipeline as a value: its commands, parsed
launch      what `bin/` calls
driver      one run, and how it ends: output, messages, exit status
checking    what is checked before input is read
filtering   the input through a filter
collecting  the input to a collector
outcomes    what became of a chunk and of all that was read
outputs     complete files out, and bad records
complaints  what is said of bad records: ten of each cause
progress    bars, of which each process of a pipeline has a line of the terminal
overview    the command `shingletools`, which lists the others and tells what is installed
places      what `canon --offsets` writes, for those who read it: places as arrays, and a canonizer that makes them
"""
