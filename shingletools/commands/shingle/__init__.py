"""shingle: canonical words become fingerprints of their runs.

command       the options
fingerprints  fingerprints of runs
units         shingles of characters, lines and spots
keys          secrets
sampled       fewer shingles
frequencies   in how many documents each shingle is
counts        counts of all shingles, in memory or on disk
bounds        limits of these counts
within        shingles within the limits, by a table
twice         files that are read twice: to count, then to filter
occurrences   fingerprints of such files
tallied       texts that have few shingles left
"""
