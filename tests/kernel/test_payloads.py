"""Lines and payloads in C against their definitions, on random and on hostile input."""

import random
import re
import struct
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernel.texts import texts
from shingletools.kernel import _kernel, codec, lines, strings

words32 = st.integers(0, 2**32 - 1)
words64 = st.integers(0, 2**64 - 1)


@given(st.binary(max_size=30) | st.text("a\n\r\x85\u2028", max_size=12).map(str.encode))
def test_lines(data: bytes) -> None:
    assert _kernel.split_lines(data) == lines.split_lines(data) == re.findall(b"[^\n]+|(?<=\n)(?=\n)|^(?=\n)", data)
    assert _kernel.count_lines(data) == lines.count_lines(data) == len(lines.split_lines(data))


@given(
    st.lists(words64, min_size=1, max_size=100), st.lists(words32, min_size=1, max_size=70), st.sampled_from([8, 16])
)
def test_minima_and_simhash(shingles: list[int], functions: list[int], digits: int) -> None:
    payload = " ".join(f"{shingle:016x}"[:digits] for shingle in shingles)
    a = struct.pack(f"={len(functions)}I", *(word | 1 for word in functions))
    b = struct.pack(f"={len(functions)}I", *functions)
    for text in (payload, payload.upper()):
        assert _kernel.minima(text, a, b) == strings.minima(text, a, b)
        assert _kernel.simhash(text) == strings.simhash(text)
        assert _kernel.payload_to_bytes(text, digits) == codec.payload_to_bytes(text, digits)


@pytest.mark.parametrize("digits", [8, 16])
@pytest.mark.parametrize("count", [1, 31, 32, 33, 63, 64, 65, 129])
def test_borders_of_blocks_and_batches(digits: int, count: int) -> None:
    rng = random.Random(count)
    words = [f"{rng.getrandbits(4 * digits):0{digits}x}" for _ in range(count)]
    payload = " ".join(words)
    for n in (1, 31, 32, 33, 64, 84, 200):
        a = struct.pack(f"={n}I", *(rng.getrandbits(32) | 1 for _ in range(n)))
        assert _kernel.minima(payload, a, a) == strings.minima(payload, a, a)
    assert _kernel.simhash(payload) == strings.simhash(payload)
    for place in range(len(payload)):
        changed = f"{payload[:place]}g{payload[place + 1 :]}"
        assert _kernel.minima(changed, b"0000", b"0000") is None
        assert _kernel.simhash(changed) is None
        assert _kernel.payload_to_bytes(changed, digits) is None


@given(st.text("0123456789abcdefABCDEF g/:@G`\t\x00\u0661", max_size=40) | texts, st.sampled_from([8, 16, 24]))
def test_what_is_no_payload(text: str, digits: int) -> None:
    assert _kernel.payload_to_bytes(text, digits) == codec.payload_to_bytes(text, digits)
    if text:
        assert (_kernel.minima(text, b"0000", b"0000") is None) == (strings.take_shingles(text) is None)
        assert (_kernel.simhash(text) is None) == (strings.take_shingles(text) is None)


def test_every_byte_as_a_digit() -> None:
    for byte, place in product(range(256), range(8)):
        text = "0123abcd"[:place] + chr(byte) + "0123abcd"[place + 1 :]
        assert _kernel.payload_to_bytes(text, 8) == codec.payload_to_bytes(text, 8), (byte, place)
