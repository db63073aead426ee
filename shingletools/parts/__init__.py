"""parts: documents into their parts, and back."""
