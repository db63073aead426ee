"""A secret that makes fingerprints unpredictable for those who do not have it."""

from typing import TYPE_CHECKING, NamedTuple

from shingletools import deferred, errors, wire
from shingletools.errors import Failed

if TYPE_CHECKING:
    import blake3
else:
    blake3 = deferred.module("blake3")

CONTEXT = "shingletools 2026-11-21 shingle --key-file"  # BLAKE3's key derivation wants one that nobody else has
LEAST = 16  # bytes of a file that may hold a secret


class Key(NamedTuple):
    """What fingerprints depend on."""

    words: bytes  # 32 bytes: the key of BLAKE3; none, and anyone can compute the fingerprints
    sums: bytes  # 16 bytes: the key of SipHash, which hides the rolling sums
    base: int  # of the rolling sum; odd, less than 2^64
    label: str = ""  # tells keys apart, and does not tell the key


PUBLIC = Key(b"", b"", 0x9E3779B97F4A7C15)  # 2^64 / golden ratio, the usual odd multiplier of multiplicative hashing


def derive_key(secret: bytes, recipe: str) -> Key:
    """The key that a secret stands for in a recipe, by BLAKE3's key derivation; its last 8 bytes name the key.

    Each recipe has a key of its own, since what fingerprints of one give away must not help against another. The base
    is 3 modulo 8, as the public one is not: so fewest runs collide whatever the key (Thue-Morse words).

    >>> derive_key(b"correct horse battery staple", "shingle k=10").label
    '54060c08a2528f9c'
    """
    data = blake3.blake3(recipe.encode() + b"\0" + secret, derive_key_context=CONTEXT).digest(64)
    base = int.from_bytes(data[48:56], "little") & ~7 | 3
    return Key(data[:32], data[32:48], base, data[56:].hex())


def read_key(path: str, recipe: str) -> Key:
    """The key in a file, for a recipe: all of the file's bytes are the secret. Raises Failed."""
    secret = wire.read_file("--key-file", path)
    if len(secret) < LEAST:
        raise Failed(f"--key-file: {errors.printable(path)}: {len(secret)} bytes, too few to be a secret ({LEAST})")
    return derive_key(secret, recipe)
