"""parts: documents become their parts, and parts become documents."""
