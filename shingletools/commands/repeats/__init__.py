"""repeats: passages that stood before in a corpus, or that stand in a reference.

command           the options
spec              what is wanted: within a corpus, and against a reference
run_spans         runs of words in a text
earlier           finds all that stood before, by winnowed fingerprints and by words
first_copies      keeps texts on disk, and tells where a first copy stands
within_corpus     the collector within a corpus
item_texts        the items of a reference, in memory
meetings          what a text and the items have in common
against_items     the filter and the collector against a reference
windows           all runs of k words of some texts, and which of them others have
against_archive   the collector against an archive of passages
item_records      what was found of each item
marking           what becomes of a document: marks, cuts, or another file
cuts              takes runs out of a text
"""
