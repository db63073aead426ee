"""simscore: scores pairs and groups by labels. What each file does, in the order of the work:

command              the options
spec                 the specification
score_collector      takes pairs and groups, documents, and labels: uses all the others
score_records        records of pairs, groups and documents
numbered_documents   the documents of the run, numbered
scoring              scores all pairs, each band of similarity, and each threshold
score_tables         scores as records or as a table
label_merging        compares the labels of two people
"""
