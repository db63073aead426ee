"""shingle: canonical words become fingerprints of their runs.

command               the options
fingerprints          fingerprints of runs
line_fingerprints     shingles of characters, lines and spots
secret_keys           secrets
fingerprint_sample    a sample of the fingerprints
document_frequencies  document frequencies of shingles
string_counts         counts of strings, in memory or on disk
frequency_limits      limits of these counts
frequency_filter      shingles within the limits, by a table
two_pass_filter       files that are read twice: to count, then to filter
fingerprint_counts    counts of fingerprints, for these files
short_text_counts     counts texts with few shingles
uncanonized_texts     texts that canon did not make
"""
