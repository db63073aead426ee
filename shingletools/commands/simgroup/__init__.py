"""simgroup: makes groups of pairs.

command          the options
spec             the specification
id_readers       the ids in pairs, and in documents
group_collector  the collector: makes groups of pairs
"""
