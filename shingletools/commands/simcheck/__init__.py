"""simcheck: says of each pair what each side has of its own, and which side the other covers.

command            the options
spec               the specification
own_words          the words that only one of two texts has
spellings          whether two words are spellings of one
verdicts           which side of a pair covers the other: copy, doubtful or different
citations          citations, and whether values of their fields are equal, alike or other
citation_verdicts  which side of a pair of citations the other covers
check_collector    the collector: takes pairs, then documents, and checks each pair
"""
