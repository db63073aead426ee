"""A suite of Unix filters that find near-duplicate texts; see shingletools(7)."""

__version__ = "0.1.0"
UNICODE = "14.0"  # the version that canon is defined on; see canon/repertoire.py
