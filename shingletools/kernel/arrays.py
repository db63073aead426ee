"""The hot loops over arrays, by the kernel that was chosen."""

from shingletools import kernel
from shingletools.kernel.reference import bit_sums, fmix64

if kernel.NAME == "c":
    from shingletools.kernel.compiled import agreements, overlaps, row_keys
else:
    from shingletools.kernel.reference import agreements, overlaps, row_keys

__all__ = ["agreements", "bit_sums", "fmix64", "overlaps", "row_keys"]
