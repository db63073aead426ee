"""sketch: shingles become a short signature."""
