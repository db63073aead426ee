"""shingle: canonical words become fingerprints of their runs.

command       the options
fingerprints  fingerprints of runs
units         shingles of characters, lines and spots
keys          secrets
sampled       a sample of the fingerprints
frequencies   document frequencies of shingles
counts        counts of strings, in memory or on disk
bounds        limits of these counts
within        shingles within the limits, by a table
twice         files that are read twice: to count, then to filter
occurrences   counts of fingerprints, for these files
tallied       counts texts with few shingles
"""
