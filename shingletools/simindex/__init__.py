"""simindex: an archive on disk, and what is done with it. Adding unless known is a join: so this room asks simjoin's.

command  options become what is wanted
spec     what is wanted: an action, and of which archive
adding   takes records, and adds them
repeats  which of them are there already, or bad
known    which of them are like a document of the archive
acting   list, check, merge, drop and dump
"""
