"""SimHash (Charikar 2002; Manku, Jain, Das Sarma 2007): similar texts get numbers that differ in few bits."""

from shingletools import kernel
from shingletools.commands.sketch.minhash import NO_SHINGLES
from shingletools.system.errors import Rejected


def simhash(payload: str) -> str:
    """Returns the simhash of a payload of shingles: 16 hex digits; empty for an empty payload.

    Bit i is set if more shingles have it than lack it. A shingle counts as often as it occurs. Shingles of 32 bits are
    first spread over 64. Raises Rejected if the payload has no groups of 8 or 16 hex digits.

    >>> simhash("00000000000000ff 00000000000000f0 0f00000000000000")
    '00000000000000f0'
    """
    if not payload:
        return ""
    value = kernel.simhash(payload)
    if value is None:
        raise Rejected(NO_SHINGLES)
    return value
