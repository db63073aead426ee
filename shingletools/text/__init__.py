"""Units of texts: words, sentences, lists of stop words. Imports `reading` and the wings above it in the map.

hyphenation       words that soft hyphens divide at the end of a line
unspaced_scripts  scripts without spaces
sentences         where sentences end
signs             signs that may change what a text means
wordlists         lists of stop words; `stop/` has three
"""
