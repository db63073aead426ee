"""The payload that sketches are made of."""

import numpy as np

from shingletools.kernel import U64
from shingletools.wire import Rejected, words_to_bytes

DIGITS = (8, 16)  # of a fingerprint: 32 bits (a CRC) or 64


def take_shingles(payload: str) -> U64:
    """The fingerprints of a payload that is not empty; raises Rejected if they are none.

    >>> take_shingles("00000001 000000ff").tolist()
    [1, 255]
    """
    digits = DIGITS[1] if payload[DIGITS[0] : DIGITS[0] + 1] not in ("", " ") else DIGITS[0]
    data = words_to_bytes(payload, digits)
    if data is None:
        raise Rejected('field "shingles" is not words of 8 or 16 hex digits')
    return np.frombuffer(data, f">u{digits // 2}").astype(np.uint64)
