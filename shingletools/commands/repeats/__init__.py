"""repeats: passages that occur earlier in a corpus, or in a reference.

command            the options
spec               the specifications: within a corpus, and against a reference
run_spans          runs of words in a text
earlier_runs       finds the runs that occur earlier, by winnowed fingerprints and by words
within_corpus      the collector within a corpus
reference_items    the items of a reference, in memory or in an archive
window_index       an index of the distinct runs of k words of some texts
short_items        items of fewer words
item_windows       which items have which windows, and where
item_matching      finds the items in documents
against_reference  the filter and the collector against a reference
run_marking        marks, cuts or drops documents
"""
