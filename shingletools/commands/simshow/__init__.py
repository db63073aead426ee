"""simshow: what pairs share, and the runs that repeats marked. What each file does, in the order of the work:

command            the options
spec               the specification: which pairs are shown, and how
show_collector     takes pairs, then documents, and compares the pairs: it uses all the others
selected_pairs     reads pairs and groups, and chooses the pairs that are shown
documents          originals, words, and the place of each word
prepared_text      a text's words, and the fingerprints of runs of them
equal_runs         runs of equal words, longest first
passage_chaining   runs that make a passage
passages           runs that make a passage, and the differences within it
frequent_shingles  shingles that are in many documents, which are template
pair_writers       the writers of compared pairs, one for each layout
text_output        writes text for people
terminal_text      safe lines for a terminal
marked_runs        documents with the runs that repeats marked
run_collector      shows them as they come
"""
