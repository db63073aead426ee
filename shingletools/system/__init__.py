"""What a process needs of the system. Imports the kernel only.

errors         what goes wrong with a record or a run, and how messages show names
signals        what is done before a signal ends the process
deferred       modules and patterns that are loaded and made when they are first used: a small run must start soon
files          files and descriptors: which of them are one, and whether one has changed
messages       lines on standard error
scratch        a limit of memory, and where the scratch files for the rest are
disk_array     arrays on disk, and what can go wrong with them
waiting_lines  documents that wait in a scratch file until all have come
waiting        reading from a descriptor as data come: signals can interrupt it; whole lines, or enough, of the data
workers        processes and threads that work ahead
forked         a worker that begins as a copy of the process
serving        what a process that serves workers does
"""
