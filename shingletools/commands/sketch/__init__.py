"""sketch: shingles become a short signature.

command           the options
minhash           min-hashes, super- and megashingles
simhash           bits
weighted_simhash  bits of shingles with weights
word_signatures   signatures of words
"""
