"""SimHash (Charikar 2002; Manku, Jain, Das Sarma 2007): similar texts get numbers that differ in few bits."""

from shingletools import kernel
from shingletools.errors import Rejected
from shingletools.kernel.lines import Link
from shingletools.sketch.minhash import NO_SHINGLES


def simhash(payload: str) -> str:
    """A payload of shingles to one group of 16 hex digits; an empty payload to an empty one.

    Bit i is set iff more shingles have bit i than have not; a shingle counts as often as it occurs. Shingles of 32 bits
    are spread over 64 before.

    >>> simhash("00000000000000ff 00000000000000f0 0f00000000000000")
    '00000000000000f0'
    """
    if not payload:
        return ""
    value = kernel.simhash(payload)
    if value is None:
        raise Rejected(NO_SHINGLES)
    return value


def link_simhash() -> Link:
    """What it is to the kernel, as stage.Filter has it: that of whatever process it is sent to."""
    return kernel.link_simhash()
