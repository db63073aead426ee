"""A secret that makes fingerprints unpredictable for those who do not have it."""

from typing import NamedTuple

from blake3 import blake3

from shingletools import wire
from shingletools.wire import Failed

CONTEXT = "shingletools 2026-11-21 shingle --key-file"  # BLAKE3's key derivation wants one that nobody else has
LEAST = 16  # bytes of a file that may hold a secret


class Key(NamedTuple):
    """What fingerprints depend on."""

    words: bytes  # 32 bytes: the key of BLAKE3; none, and anyone can compute the fingerprints
    base: int  # of the rolling sum; odd, less than 2^64
    label: str = ""  # tells keys apart, and does not tell the key


PUBLIC = Key(b"", 0x9E3779B97F4A7C15)  # 2^64 / golden ratio, the usual odd multiplier of multiplicative hashing


def derive_key(secret: bytes) -> Key:
    """The key that a secret stands for, by BLAKE3's key derivation: 32 bytes, the base, 8 bytes that name the key.

    >>> derive_key(b"correct horse battery staple").label
    'e642f9fbfe16e219'
    """
    data = blake3(secret, derive_key_context=CONTEXT).digest(48)
    return Key(data[:32], int.from_bytes(data[32:40], "little") | 1, data[40:].hex())


def read_key(path: str) -> Key:
    """The key in a file: all of its bytes are the secret. Raises Failed."""
    secret = wire.read_file("--key-file", path)
    if len(secret) < LEAST:
        raise Failed(f"--key-file: {wire.printable(path)}: {len(secret)} bytes, too few to be a secret ({LEAST})")
    return derive_key(secret)
