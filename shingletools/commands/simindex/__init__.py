"""simindex: the actions on an archive. Adding unless known is a join, so this room uses the room of simjoin.

command          the options
spec             the specification of an action on an archive
adding           adds records with signatures
adding_passages  adds documents whose passages are looked for
repeats          which records are in the archive already, edited, or bad
batch_spool      records that are put aside until all of a run have come
unless_known     which records are like a document of the archive
acting           list, check, merge, drop and dump
questions        an open archive that answers queries of a program
"""
