"""dedup: documents and groups become one document of each group."""
