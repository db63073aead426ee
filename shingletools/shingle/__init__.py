"""shingle: canonical words into the fingerprints of their runs."""
