"""sketch: shingles become a short signature.

command   the options
minhash   min-hashes, super- and megashingles
simhash   bits
weighted  both with weights
lexicon   signatures of words
"""
