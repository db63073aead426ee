"""The hot loops. `reference` defines them, in numpy; whatever serves in its place must give the same bits."""

from shingletools.kernel.reference import U32, U64, Index, Rows, agreements, bit_sums, fmix64, minima, roll, row_keys

NAME = "numpy"

__all__ = ["NAME", "U32", "U64", "Index", "Rows", "agreements", "bit_sums", "fmix64", "minima", "roll", "row_keys"]
