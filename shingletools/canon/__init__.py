"""canon: documents become canonical words."""
