"""What is fuzzed: functions of any bytes, which must hold what the manual pages promise and raise nothing.

Each compares the kernels, or what goes in with what comes out; a difference is an AssertionError, as a crash is.
"""

import importlib
import struct
from collections.abc import Callable
from functools import cache, partial

import numpy as np

from shingletools import wire
from shingletools.canon.canonizer import Canonizer
from shingletools.driver import collect_chunk, filter_chunk
from shingletools.kernel import _kernel, codec, compiled, lines, reference, strings
from shingletools.kernel.memo import compiled_fingerprints, compiled_words, reference_fingerprints, reference_words
from shingletools.kernel.types import TokenSets
from shingletools.options import make_parser
from shingletools.shingle.fingerprints import word_fingerprint
from shingletools.shingle.keys import PUBLIC, derive_key
from shingletools.stage import Filter, Stage
from shingletools.streams import Chunk

CANON = Canonizer()
WORDS = compiled_words(CANON._token, CANON._wherever, True), reference_words(CANON._token)
KEY = derive_key(b"a secret that stands in the source", "shingle")
FINGERPRINTS = [
    (compiled_fingerprints(*each), reference_fingerprints(*each))
    for each in (
        (word_fingerprint, PUBLIC.base, b""),
        (partial(word_fingerprint, key=KEY.words), KEY.base, KEY.words + KEY.sums),
    )
]
FUNCTIONS = struct.pack("=84I", *range(1, 169, 2))


def text_of(data: bytes) -> str:
    return data.decode(errors="replace")


@cache
def command(line: str) -> tuple[str, list[str]]:
    name, *argv = line.split()
    return name, argv


def stage_of(line: str) -> Stage:
    """A command's stage, as the driver has it."""
    name, argv = command(line)
    module = importlib.import_module(f"shingletools.{name}.command")
    parser = make_parser(name, module.__doc__ or "", module.add_options)
    built: Stage = module.build(parser.parse(argv))
    return built


def words(data: bytes) -> None:
    """Canonical words: both kernels, and twice is once."""
    text = text_of(data)
    compiled_text, reference_text = (kernel.words(text) for kernel in WORDS)
    assert compiled_text == reference_text
    assert WORDS[0].words(compiled_text) == compiled_text


def rolling(data: bytes) -> None:
    """Fingerprints: both kernels, as many as promised."""
    text, k = text_of(data[1:]), 1 + (data[0] if data else 0)
    count = len(text.split())
    for kernels in FINGERPRINTS:
        one, two = (kernel.rolling(text, k) for kernel in kernels)
        assert one == two
        assert len(one.split()) == (max(1, count - k + 1) if count else 0)


def payload(data: bytes) -> None:
    """Payloads: both kernels read the same, and refuse the same."""
    text = text_of(data)
    for digits in (8, 16):
        read = _kernel.payload_to_bytes(text, digits)
        assert read == codec.payload_to_bytes(text, digits)
        if read is not None and text:
            assert codec.bytes_to_payload(read, digits) == text.lower()
    if text:
        assert _kernel.minima(text, FUNCTIONS, FUNCTIONS) == strings.minima(text, FUNCTIONS, FUNCTIONS)
        assert _kernel.simhash(text) == strings.simhash(text)


def arrays(data: bytes) -> None:
    """Rows and sets: both kernels."""
    width, least = (1 + data[0] % 90, data[1] % 91) if len(data) > 1 else (1, 0)
    for kind in ("u1", "u4", "u8"):
        size = width * np.dtype(kind).itemsize
        rows = np.frombuffer(data[: len(data) // size * size], kind).reshape(-1, width)
        if len(rows):
            left = np.arange(len(rows))
            right = left[::-1].copy()
            found = compiled.agreements(rows, least, left, right)
            assert np.array_equal(found, reference.agreements(rows, least, left, right))
            bands = [(0, width), (least % width, width)]
            assert np.array_equal(compiled.band_keys(rows, bands), reference.band_keys(rows, bands))
    groups = [sorted(set(group)) for group in data.split(b"\0") if group]
    if groups:
        tokens = np.array([token for group in groups for token in group], np.uint64)
        sets = TokenSets(tokens, np.array(list(map(len, groups))))
        left = np.arange(len(groups))
        right, bounds = left[::-1].copy(), np.full(len(groups), least % 9)
        found = compiled.overlaps(sets, left, right, bounds)
        common = [len({*groups[a]} & {*groups[b]}) for a, b in zip(left.tolist(), right.tolist(), strict=True)]
        assert found.tolist() == [each if each >= least % 9 else 0 for each in common]


def records(data: bytes) -> None:
    """Lines through the driver: each comes out as a record or as a reject, byte for byte, and none is lost."""
    documents = lines.split_lines(data)
    assert _kernel.split_lines(data) == documents
    assert _kernel.count_lines(data) == len(documents)
    for line in ("canon", "canon --html", "canon --lines", "shingle -k 2", "sketch -n 4", "sketch --simhash"):
        stage = filter_of(line)
        result = filter_chunk(stage, "id", False, Chunk("-", 1, 1, data))
        rejected = [(place, document) for _, place, _, document in result.rejects]
        assert result.records + len(rejected) == len(documents)
        assert all(place is not None and documents[place - 1] == document for place, document in rejected)
        written = lines.split_lines(result.written.output)
        assert len(written) == result.records
        for record in written:
            assert stage.produces in wire.parse_json(record)


@cache
def filter_of(line: str) -> Filter:
    stage = stage_of(line).record_by_record
    assert stage is not None
    return stage


def joins(data: bytes) -> None:
    """Lines to what takes all records: none is lost, and what it writes is JSON."""
    for line in ("simjoin -t 0.5", "simjoin --measure containment", "simgroup"):
        check_collector(stage_of(line), data)


def check_collector(stage: Stage, data: bytes) -> None:
    collector = stage.collector(1)
    result, failed = collect_chunk(collector, stage.once(0), False, 0, Chunk("-", 1, 1, data))
    seen = result.records + len(result.rejects)
    if failed is not None:
        assert seen < len(lines.split_lines(data))  # the record with which it failed comes after them
        return
    assert seen == len(lines.split_lines(data))
    for written in collector.finish():
        for record in lines.split_lines(written.output):
            wire.parse_json(record)


TARGETS: dict[str, Callable[[bytes], None]] = {
    target.__name__: target for target in (words, rolling, payload, arrays, records, joins)
}
