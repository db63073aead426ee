"""sketch: shingles into a short signature."""
