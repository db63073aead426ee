"""simshow: what pairs share. What each file does, in the order of the work:

command     options become what is wanted
spec        what is wanted
collector   takes pairs, then documents, and lets the pairs be compared: here all comes together
chosen      records of pairs and groups, and which of the pairs are shown
documents   originals, words, and where each word stands
holding     what waits: in memory or on disk
prepared    a text's words, and the fingerprints of runs of them
runs        runs of equal words, longest first
passages    runs that make one passage, and the differences within it
template    words that stand in many documents
writers     comparisons as records; which form is which writer
people      comparisons as text
terminal    lines of a terminal: nothing in them is obeyed
"""
