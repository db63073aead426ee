"""shingle: canonical words become fingerprints of their runs.

command               the options
fingerprints          fingerprints of runs
secret_keys           secrets
numpy_fingerprints    fingerprints of lines, and a sample of any
document_frequencies  document frequencies of shingles
string_counts         counts of strings, in memory or on disk
frequency_limits      limits of these counts
frequency_filter      shingles within the limits, by a table
two_pass_filter       files that are read twice: to count, then to filter
fingerprint_counts    counts of fingerprints, for these files
text_remarks          texts that cannot be compared well
"""
