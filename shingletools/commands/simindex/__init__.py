"""simindex: the actions on an archive. Adding unless known is a join, so this room uses the room of simjoin.

command          the options
spec             the specification of an action on an archive
adding_records   adds records with signatures
adding_passages  adds documents whose passages are looked for
known_ids        which records are in the archive already, edited, or bad
unless_known     which records are like a document of the archive
archive_actions  list, check, merge, drop and dump
archive_queries  an open archive that answers queries of a program
"""
