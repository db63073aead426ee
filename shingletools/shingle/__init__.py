"""shingle: canonical words become fingerprints of their runs."""
