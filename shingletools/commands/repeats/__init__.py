"""repeats: passages that stood before in a corpus, or that stand in a reference.

command            the options
spec               what is wanted: within a corpus, and against a reference
run_spans          runs of words in a text
earlier            finds all that stood before, by winnowed fingerprints and by words
first_copies       keeps texts on disk, and tells where a first copy stands
within_corpus      the collector within a corpus
items              the items of a reference, in memory or in an archive
windows            the distinct runs of k words of some texts, and where other texts have them
short_items        items of fewer words
item_windows       which items have which windows, and where
matching           what a document has of the items
item_records       what was found of each item
against_reference  the filter and the collector against a reference
marking            what becomes of a document: marks, cuts, or another file
cuts               takes runs out of a text
"""
