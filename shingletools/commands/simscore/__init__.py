"""simscore: pairs and groups compared with labels. What each file does, in the order of the work:

command          options become what is wanted
spec             what is wanted
score_collector  takes pairs and groups, documents, and labels: here all comes together
score_records    records of pairs, groups and documents
universe         the documents that there are
scoring          how far the two agree: of all pairs, by band of similarity, at each threshold
agreement        counts become ratios, exactly
score_tables     scores as records or as a table
"""
