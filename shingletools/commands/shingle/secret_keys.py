"""Keys of fingerprints, derived from a secret; without it nobody can predict fingerprints."""

from typing import NamedTuple

from shingletools.system import errors
from shingletools.system.errors import Failed
from shingletools.system.lazy_imports import blake3

CONTEXT = "shingletools 2026-11-21 shingle --key-file"  # BLAKE3's key derivation needs one that is unique
MIN_SECRET_BYTES = 16  # bytes of a secret


class FingerprintKey(NamedTuple):
    """The key of fingerprints."""

    words: bytes  # 32 bytes, the key of BLAKE3; b"" for fingerprints that anyone can compute
    sums: bytes  # 16 bytes, the key of SipHash, which hides the rolling sums
    base: int  # of the rolling sum; odd, less than 2^64
    label: str = ""  # differs from key to key, but does not reveal the key


# 2^64 / golden ratio, the usual odd multiplier of multiplicative hashing
PUBLIC = FingerprintKey(b"", b"", 0x9E3779B97F4A7C15)


def derive_key(secret: bytes, recipe: str) -> FingerprintKey:
    """Returns the key that a secret has for a recipe, by BLAKE3's key derivation; its last 8 bytes are the label.

    Each recipe has its own key, so that fingerprints of one recipe reveal nothing about another. The base is 3 modulo
    8, unlike the public one: then the fewest runs collide for any key (Thue-Morse words).

    >>> derive_key(b"correct horse battery staple", "shingle k=10").label
    '54060c08a2528f9c'
    """
    data = blake3.blake3(recipe.encode() + b"\0" + secret, derive_key_context=CONTEXT).digest(64)
    base = int.from_bytes(data[48:56], "little") & ~7 | 3
    return FingerprintKey(data[:32], data[32:48], base, data[56:].hex())


def read_key(path: str, recipe: str) -> FingerprintKey:
    """Returns the key for a recipe by the secret in a file, which is all of its bytes. Raises Failed."""
    from shingletools.reading import option_files  # which a run without a key does not need

    secret = option_files.read_file("--key-file", path)
    if len(secret) < MIN_SECRET_BYTES:
        raise Failed(
            f"--key-file: {errors.printable(path)}: {len(secret)} bytes; a secret has at least {MIN_SECRET_BYTES}"
        )
    return derive_key(secret, recipe)
