"""A suite of Unix filters that find near-duplicate texts; see shingletools(7)."""

__version__ = "0.1.0"
