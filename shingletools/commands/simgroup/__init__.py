"""simgroup: pairs become groups.

command   the options
spec      what is wanted
grouping  the work
"""
