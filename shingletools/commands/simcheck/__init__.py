"""simcheck: says of each pair what each side has of its own, and which side the other covers.

command             the options
spec                the specification
text_numbers        texts as the numbers of their words
verdicts            which side of a pair covers the other: copy, doubtful or different
spellings           whether titles differ in spellings only
citations           citations, and whether values of their fields are equal, alike or other
citation_verdicts   which side of a pair of citations the other covers
check_collector     the collector: takes pairs, then documents, and checks each pair
citation_collector  the same for citations, field by field
"""
