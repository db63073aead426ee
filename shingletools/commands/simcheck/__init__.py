"""simcheck: says of each pair what each side has of its own, and which side the other covers.

command          the options
spec             the specification
text_numbers     texts as the numbers of their words
verdicts         which side of a pair covers the other: copy, doubtful or different
check_collector  the collector: takes pairs, then documents, and checks each pair
"""
