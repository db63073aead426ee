"""What texts need. Imports what stands below `reading`, and that.

hyphenation  words that soft hyphens part at a line's end
scripts      scripts without spaces
sentences    where sentences end
wordlists    lists of stop words, some of which `stop/` has
"""
