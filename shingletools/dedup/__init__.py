"""dedup: documents and groups into one document of each group."""
