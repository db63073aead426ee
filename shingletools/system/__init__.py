"""The interface to the system: files, processes, signals. Imports the kernel only.

errors               exceptions, and how messages show names
signals              removes files before a signal ends the process; delays Ctrl-C in a program
lazy_imports         loads modules and compiles patterns when they are first used, so that small runs start fast
files                files and descriptors: whether two are the same, and whether one has changed
messages             lines on standard error
memory_limit         the limit on the memory of some work, and the folder of scratch files
disk_array           arrays on disk
growing_bytes        bytes in memory that grow at their end, in large pages
line_spool           documents in a scratch file until all have come
spilling_list        objects in memory up to a limit, the others in a scratch file
interruptible_reads  reads from a descriptor as data come, and splits them into whole lines
workers              processes and threads that work ahead
forked_worker        a worker that begins as a copy of the process
worker_loop          the loop of a worker, and its messages
"""
