"""dedup: documents and groups become one document of each group.

command        the options
spec           what is wanted
beside         reads files of records that decide
group_members  reads groups
pairs          reads pairs with an archive, or within groups
given          all that was read
choice         the common part of all ways to choose
blocks         documents of several lines, as arrays
first          keeps the first document of a group
best           chooses where all documents have to be there: by length, or by value
values         values of a field
marks          what is said of documents that are removed
"""
