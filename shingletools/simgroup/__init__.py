"""simgroup: pairs become groups."""
