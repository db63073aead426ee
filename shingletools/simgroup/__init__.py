"""simgroup: pairs into groups."""
