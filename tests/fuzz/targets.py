"""What is fuzzed: functions of any bytes, which must hold what the manual pages promise, and raise nothing.

A difference between the kernel and its definition is an AssertionError, as a crash is.
"""

import re
import struct
from collections.abc import Callable
from functools import partial
from zlib import crc32

import numpy as np
import orjson

from agreement import CHAINS, WAYS, chain_of, check_chain, check_collector, check_lines, filter_of
from harness import filtered
from shingletools.commands.canon.canonizer import Canonizer
from shingletools.commands.shingle.fingerprints import word_fingerprint
from shingletools.commands.shingle.secret_keys import PUBLIC, derive_key
from shingletools.kernel import _kernel, compiled_arrays, payload_codec, payload_signatures, reference_arrays
from shingletools.kernel.lines import count_lines, split_lines
from shingletools.kernel.memo import FingerprintMemo, WordMemo, compiled_words
from shingletools.kernel.types import TokenSets
from shingletools.record import json_faults, wire
from shingletools.record.filter_chain import Chain
from shingletools.system.errors import Rejected

CANON = Canonizer()
WORDS = compiled_words(CANON._token, CANON.wherever, True), WordMemo(CANON._token)
KEY = derive_key(b"a secret that stands in the source", "shingle")
FINGERPRINTS = [
    (_kernel.FingerprintMemo(*each), FingerprintMemo(*each))
    for each in (
        (word_fingerprint, PUBLIC.base, b""),
        (partial(word_fingerprint, key=KEY.words), KEY.base, KEY.words + KEY.sums),
    )
]
FUNCTIONS = struct.pack("=84I", *range(1, 169, 2))


def text_of(data: bytes) -> str:
    return data.decode(errors="replace")


def words(data: bytes) -> None:
    """Canonical words: both kernels, and twice is once."""
    text = text_of(data)
    compiled_text, reference_text = (kernel.words(text) for kernel in WORDS)
    assert compiled_text == reference_text
    assert WORDS[0].words(compiled_text) == compiled_text


def rolling(data: bytes) -> None:
    """Fingerprints: both kernels, as many as promised."""
    text, k = text_of(data[1:]), 1 + (data[0] if data else 0)
    words = text.split()
    counts = [len(words)], [len(" ".join(words))], [len(word) + 2 for word in words]  # of units: see memo.py
    for kernels in FINGERPRINTS:
        for units, several in enumerate(counts):
            one, two = (kernel.rolling(text, k, units) for kernel in kernels)
            assert one == two
            assert len(one.split()) == sum(max(1, count - k + 1) for count in several if count)


def payload(data: bytes) -> None:
    """Payloads: what is read can be written again, and both kernels make the same of it."""
    text = text_of(data)
    for digits in (2, 4, 8, 16):
        read = payload_codec.payload_to_bytes(text, digits)
        if read is not None and text:
            assert payload_codec.bytes_to_payload(read, digits) == text.lower()
    if text:
        for bits in (8, 16, 32):
            assert _kernel.minima(text, FUNCTIONS, FUNCTIONS, bits) == payload_signatures.minima(
                text, FUNCTIONS, FUNCTIONS, bits
            )
        assert _kernel.simhash(text) == payload_signatures.simhash(text)


def arrays(data: bytes) -> None:
    """Rows and sets: both kernels."""
    width, least = (1 + data[0] % 90, data[1] % 91) if len(data) > 1 else (1, 0)
    for kind in ("u1", "u4", "u8"):
        size = width * np.dtype(kind).itemsize
        rows = np.frombuffer(data[: len(data) // size * size], kind).reshape(-1, width)
        if len(rows):
            left = np.arange(len(rows))
            right = left[::-1].copy()
            bands = [(0, rows.shape[1] // 3)]
            in_c, defined = (
                each.agreements(rows, least, left, right, bands) for each in (compiled_arrays, reference_arrays)
            )
            assert (in_c[0].tolist(), in_c[1]) == (defined[0].tolist(), defined[1])
            bands = [(0, width), (least % width, width)]
            assert np.array_equal(compiled_arrays.band_keys(rows, bands), reference_arrays.band_keys(rows, bands))
    groups = [sorted(set(group)) for group in data.split(b"\0") if group]
    if groups:
        tokens = np.array([token for group in groups for token in group], np.uint64)
        sets = TokenSets.of(tokens, np.array(list(map(len, groups))))
        left = np.arange(len(groups))
        right, bounds = left[::-1].copy(), np.full(len(groups), least % 9)
        found = compiled_arrays.overlaps(sets, left, right, bounds)
        common = [len({*groups[a]} & {*groups[b]}) for a, b in zip(left.tolist(), right.tolist(), strict=True)]
        assert found.tolist() == [each if each >= least % 9 else 0 for each in common]


def records(data: bytes) -> None:
    """Lines through the driver: each comes out as a record or as a reject, byte for byte, and none is lost."""
    documents = split_lines(data)
    assert _kernel.count_lines(data) == count_lines(data) == len(documents)
    for line in ("canon", "canon --html", "canon --lines", "shingle -k 2", "sketch -n 4", "sketch --simhash"):
        stage = filter_of(line)
        made, rejected = filtered(Chain([(stage, "id")]), data)
        assert all(documents[place] == document for place, _, _, document in rejected)
        written = split_lines(made)
        assert len(written) + len(rejected) == len(documents)
        for record in written:
            assert stage.produces in wire.parse_json(record)


def lines(data: bytes) -> None:
    """Lines in one of the ways, which hangs on the data: all of them take twenty times as long."""
    check_lines(data, [WAYS[crc32(data) % len(WAYS)]])


def chains(data: bytes) -> None:
    """Lines through one of the chains, which hangs on the data."""
    check_chain(chain_of(CHAINS[crc32(data) % len(CHAINS)]), data)


def joins(data: bytes) -> None:
    """Lines to what takes all records: none is lost, and what it writes is JSON."""
    for line in ("simjoin -t 0.5", "simjoin --measure containment", "simgroup", "simscore --truth x --by 0.1"):
        check_collector(line, [[data]])


DEEP = re.compile(rb"(?:[\[{][^\[\]{}]*){300}")  # Python's own parser recurses, to a depth that hangs on what calls it
IN_FRONT = b" " * (1 << 14)  # blanks in front of a line: orjson has memory for as many values


def parts_of(value: object) -> list[str]:
    """What a value is made of, in order and with types."""
    found: list[str] = []
    waiting = [value]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict | list):
            found.append(f"{type(value)} of {list(value) if isinstance(value, dict) else len(value)}")
            waiting += value.values() if isinstance(value, dict) else value
        else:
            found.append(repr(value))
    return found


def reading(read: Callable[[bytes], object], line: bytes) -> list[str] | str:
    """What it reads, or why it is no good."""
    try:
        return parts_of(read(line))
    except (Rejected, orjson.JSONDecodeError) as error:
        return str(error)


def readers(data: bytes) -> None:
    """Lines as orjson reads them, as what is asked where orjson refuses, whatever its message, and as both together."""
    for line in split_lines(data):
        known = reading(orjson.loads, line.removeprefix(wire.BOM))
        if isinstance(known, str):  # perhaps for lack of memory
            known = reading(orjson.loads, IN_FRONT + line.removeprefix(wire.BOM))
        asked = reading(lambda line: json_faults.read(wire.decode(line).removeprefix("\ufeff")), line)
        assert asked == known or (isinstance(asked, str) and (isinstance(known, str) or DEEP.search(line)))
        record = not isinstance(known, str) and known[0].startswith(str(dict))
        read = reading(wire.parse_json, line)
        assert read == known if record else isinstance(read, str)


TARGETS: dict[str, Callable[[bytes], None]] = {
    target.__name__: target for target in (words, rolling, payload, arrays, records, lines, chains, joins, readers)
}
