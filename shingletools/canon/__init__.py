"""canon: a document into its canonical words."""
