"""Lines and payloads in C against their definitions, on random and on hostile input."""

import random
import re
import struct
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernel.texts import texts
from shingletools.kernel import _kernel, lines, payload_codec, payload_signatures
from shingletools.kernel.line_columns import Field, Kind


def read(payload: str, digits: int) -> bytes | None:
    """The bytes of a payload, as the kernel reads them from a line; None if it leaves the line to the definition."""
    size = digits // 2 * len(payload.split())
    fields = (Field(b"p", Kind.GROUPS, digits, size),)
    rows, *_, columns = _kernel.read_columns(b'{"p":"%b"}\n' % payload.encode(), 0, fields)
    return columns[0][0] if rows else None


words32 = st.integers(0, 2**32 - 1)
words64 = st.integers(0, 2**64 - 1)


@given(st.binary(max_size=30) | st.text("a\n\r\x85\u2028", max_size=12).map(str.encode))
def test_lines(data: bytes) -> None:
    assert lines.split_lines(data) == re.findall(b"[^\n]+|(?<=\n)(?=\n)|^(?=\n)", data)
    assert _kernel.count_lines(data) == lines.count_lines(data) == len(lines.split_lines(data))


@given(st.text('[]{},"\\1', max_size=25).map(str.encode), st.integers(0, 30), st.integers(0, 4))
def test_ends_of_elements(data: bytes, at: int, deepest: int) -> None:
    assert _kernel.element_end(data, at, deepest) == lines.element_end(data, at, deepest)


@given(
    st.lists(words64, min_size=1, max_size=100), st.lists(words32, min_size=1, max_size=70), st.sampled_from([8, 16])
)
def test_minima_and_simhash(shingles: list[int], functions: list[int], digits: int) -> None:
    payload = " ".join(f"{shingle:016x}"[:digits] for shingle in shingles)
    a = struct.pack(f"={len(functions)}I", *(word | 1 for word in functions))
    b = struct.pack(f"={len(functions)}I", *functions)
    for text in (payload, payload.upper()):
        assert _kernel.minima(text, a, b) == payload_signatures.minima(text, a, b)
        assert _kernel.simhash(text) == payload_signatures.simhash(text)


@pytest.mark.parametrize("digits", [8, 16])
@pytest.mark.parametrize("count", [1, 31, 32, 33, 63, 64, 65, 129])
def test_borders_of_blocks_and_batches(digits: int, count: int) -> None:
    rng = random.Random(count)
    words = [f"{rng.getrandbits(4 * digits):0{digits}x}" for _ in range(count)]
    payload = " ".join(words)
    for n in (1, 31, 32, 33, 64, 84, 200):
        a = struct.pack(f"={n}I", *(rng.getrandbits(32) | 1 for _ in range(n)))
        assert _kernel.minima(payload, a, a) == payload_signatures.minima(payload, a, a)
    assert _kernel.simhash(payload) == payload_signatures.simhash(payload)
    for place in range(len(payload)):
        changed = f"{payload[:place]}g{payload[place + 1 :]}"
        assert _kernel.minima(changed, b"0000", b"0000") is None
        assert _kernel.simhash(changed) is None
        assert read(changed, digits) is payload_codec.payload_to_bytes(changed, digits) is None


@given(st.text("0123456789abcdefABCDEF g/:@G`\t\x00\u0661", min_size=1, max_size=40) | texts)
def test_what_is_no_payload(text: str) -> None:
    if text:
        assert (_kernel.minima(text, b"0000", b"0000") is None) == (payload_signatures.take_shingles(text) is None)
        assert (_kernel.simhash(text) is None) == (payload_signatures.take_shingles(text) is None)


def test_every_byte_as_a_digit() -> None:
    for byte, place in product([*range(32, 127), 255], range(8)):
        for digits, good in ((2, "01 23 ab"), (4, "0123 abc"), (8, "0123abcd")):
            text = good[:place] + chr(byte) + good[place + 1 :]
            if chr(byte) not in '"\\':
                assert read(text, digits) == payload_codec.payload_to_bytes(text, digits), (byte, place)


@pytest.mark.parametrize("digits", [2, 4])
@pytest.mark.parametrize("count", [1, 2, 3, 4, 5, 127, 128, 129, 255, 256, 257, 600])
def test_narrow_groups_at_the_borders_of_blocks(digits: int, count: int) -> None:
    rng = random.Random(count)
    data = rng.randbytes(count * digits // 2)
    payload = " ".join(data.hex()[i : i + digits] for i in range(0, 2 * len(data), digits))
    assert read(payload, digits) == payload_codec.payload_to_bytes(payload, digits) == data
    for place in {0, 1, len(payload) // 2, len(payload) - 1, *rng.sample(range(len(payload)), 1)}:
        changed = f"{payload[:place]}g{payload[place + 1 :]}"
        assert read(changed, digits) is payload_codec.payload_to_bytes(changed, digits) is None


def finalized(x: int) -> int:
    """MurmurHash3's 32-bit finalizer, in Python's own integers."""
    for shift, factor in ((16, 0x85EBCA6B), (13, 0xC2B2AE35), (16, 1)):
        x = (x ^ x >> shift) * factor % 2**32
    return x


@given(st.lists(words64, min_size=1, max_size=40), st.lists(words32, min_size=1, max_size=70), st.sampled_from([8, 16]))
def test_lowest_bits_of_finalized_minima(shingles: list[int], functions: list[int], bits: int) -> None:
    payload = " ".join(f"{shingle:016x}" for shingle in shingles)
    a = struct.pack(f"={len(functions)}I", *(word | 1 for word in functions))
    b = struct.pack(f"={len(functions)}I", *functions)
    whole = payload_signatures.minima(payload, a, b) or ""
    expected = " ".join(f"{finalized(int(word, 16)):08x}"[-bits // 4 :] for word in whole.split())
    assert _kernel.minima(payload, a, b, bits) == payload_signatures.minima(payload, a, b, bits) == expected


@pytest.mark.parametrize("bits", [0, 1, 24, 64])
def test_no_other_bits(bits: int) -> None:
    with pytest.raises(ValueError, match="8, 16 or 32 bits"):
        _kernel.minima("0" * 16, b"0000", b"0000", bits)
