"""Signatures of payloads, in numpy: the definition."""

import numpy as np

from shingletools.kernel import reference_arrays
from shingletools.kernel.payload_codec import bytes_to_payload, payload_to_bytes
from shingletools.kernel.types import U32, U64

NARROW_DIGITS, WIDE_DIGITS = 8, 16  # digits of a fingerprint: 32 bits (a CRC) or 64


def digits_of(payload: str) -> int:
    """Returns how many hex digits the fingerprints of a payload have: 8 or 16."""
    return NARROW_DIGITS if payload[NARROW_DIGITS : NARROW_DIGITS + 1] in ("", " ") else WIDE_DIGITS


def take_shingles(payload: str) -> U64 | None:
    """Returns the fingerprints of a payload that is not empty, of 8 or 16 digits each; None if it has another form."""
    digits = digits_of(payload)
    data = payload_to_bytes(payload, digits)
    return None if data is None else np.frombuffer(data, f">u{digits // 2}").astype(np.uint64)


def roll(words: bytes, k: int, base: int, key: bytes = b"") -> str:
    """Returns the payload of rolling fingerprints, from fingerprints of words: 8 bytes each, little-endian."""
    shingles = reference_arrays.roll(np.frombuffer(words, "<u8"), k, base, key)
    return bytes_to_payload(shingles.astype(">u8").tobytes(), WIDE_DIGITS)


def minima(payload: str, a: bytes, b: bytes, bits: int = 32, /) -> str | None:
    """Returns the payload of the minima of a payload of shingles that is not empty; None if it has another form.

    a and b: n integers of 4 bytes, in native byte order. bits: as in `minima_to_payload`.
    """
    shingles = take_shingles(payload)
    if shingles is None:
        return None
    least = reference_arrays.minima(shingles, np.frombuffer(a, np.uint32), np.frombuffer(b, np.uint32))
    return minima_to_payload(least, bits)


def minima_to_payload(minima: U32, bits: int) -> str:
    """Returns minima as a payload: all 32 bits of each, or the 8 or 16 lowest bits of each after a finalizer.

    This is b-bit min-hash (Li and Koenig 2010). The finalizer is needed, because the lowest bits of a minimum a y + b
    depend on those of y only. Without it, two shingles that agree in them would do so for each of the functions, and
    whole sketches of few shingles would be equal by chance.
    """
    low = minima if bits == 4 * NARROW_DIGITS else reference_arrays.fmix32(minima)
    return bytes_to_payload(low.astype(f">u{bits // 8}").tobytes(), bits // 4)


def simhash(payload: str, /) -> str | None:
    """Returns the simhash of a payload that is not empty, as one digit group; None if the payload has another form.

    A bit is set if more than half of the shingles, with repeats, have it. Shingles of 32 bits are first spread over 64.
    """
    shingles = take_shingles(payload)
    if shingles is None:
        return None
    if digits_of(payload) == NARROW_DIGITS:
        shingles = reference_arrays.fmix64(shingles)
    return np.packbits(reference_arrays.bit_sums(shingles, np.ones(len(shingles), np.int64)) > 0).tobytes().hex()
