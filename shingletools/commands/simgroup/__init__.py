"""simgroup: pairs become groups.

command     the options
spec        what is wanted
id_readers  the ids in pairs, and in documents
grouping    the work
"""
