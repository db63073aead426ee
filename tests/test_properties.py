"""Laws that hold for any input."""

import json
import os
import unicodedata
from collections.abc import Callable
from functools import cache
from pathlib import Path

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness import DOCS, Record, filtered, pipe, run_here, stopping
from shingletools import kernel
from shingletools.commands.canon.canonizer import Canonizer
from shingletools.commands.canon.word_splitting import WORD
from shingletools.commands.shingle.command import hashing_of
from shingletools.commands.shingle.fingerprints import Hashed, Rolling, Runs
from shingletools.commands.shingle.secret_keys import PUBLIC
from shingletools.commands.sketch.minhash import MinHash
from shingletools.kernel import payload_codec
from shingletools.reading import streams
from shingletools.reading.streams import read_spans
from shingletools.record import wire
from shingletools.record.events import Reject
from shingletools.record.filter_chain import Chain
from shingletools.record.record_batch import RecordBatch
from shingletools.record.stage import Filter
from shingletools.running.step_events import events_of
from shingletools.system import interruptible_reads
from shingletools.system.errors import Failed, Rejected
from suite import FILTERS, inputs

plain = Canonizer()
scripts = st.sampled_from(
    "aZßΣπЖйʼ'’- \n\u00ad\u0301\u0308ﬁ½中ガｶﾞーไทยຂໍ້ខ្មែရြ한글हिन्दी\u0627\u064b\U0001f44d\ufe0f\u2028\ua7cb"
)
texts = st.text(scripts | st.characters(exclude_categories=["Cs"]), max_size=80)
words = st.lists(st.text("abcdé中", min_size=1, max_size=3), max_size=30).map(" ".join)
fingerprints = st.lists(st.integers(0, 2**64 - 1), min_size=1, max_size=40)


def payload(shingles: list[int]) -> str:
    return " ".join(f"{shingle:016x}" for shingle in shingles)


@given(texts, st.sets(st.sampled_from(["a", "中", "й", "ss"])))
def test_canon_is_idempotent_and_gives_words(text: str, stop: set[str]) -> None:
    canonize = stopping(*stop)
    canonical = canonize(text)
    assert canonize(canonical) == canonical
    assert canonical == " ".join(canonical.split(" ")).strip()
    assert not stop & set(canonical.split())


@given(texts)
def test_canon_ignores_normal_form_and_white_space(text: str) -> None:
    canonical = plain(text)
    assert plain(unicodedata.normalize("NFD", text)) == canonical
    assert plain(unicodedata.normalize("NFC", text)) == canonical
    assert plain(f"\u3000{text}\n\n") == canonical
    assert plain(text.replace(" ", " \t\u2003")) == canonical


@given(texts, texts)
def test_canon_of_a_text_is_that_of_its_parts(one: str, two: str) -> None:
    assert plain(f"{one} {two}") == f"{plain(one)} {plain(two)}".strip()


@given(texts)
def test_canon_does_not_depend_on_its_memo(text: str) -> None:
    assert Canonizer()(text) == plain(text)
    assert all(WORD.fullmatch(word) or len(word) == 1 for word in plain(text).split())


@given(words, st.integers(1, 12), st.booleans())
def test_shingles_overlap_and_there_are_as_many_as_promised(text: str, k: int, chars: bool) -> None:
    units = len(text) if chars else len(text.split())
    expected = max(1, units - k + 1) if units else 0
    assert len(Runs(k, chars)(text)) == expected
    assert len(hashing_of(Runs(k, chars), "rolling", PUBLIC)(text).split()) == expected
    assert len(Hashed(Runs(k, chars), "md5")(text).split()) == expected
    same = dict(zip(Runs(k, chars)(text), hashing_of(Runs(k, chars), "rolling", PUBLIC)(text).split(), strict=True))
    assert len(set(same.values())) == len(same)
    assert [same[run] for run in Runs(k, chars)(text)] == hashing_of(Runs(k, chars), "rolling", PUBLIC)(text).split()


@given(fingerprints, st.data())
def test_sketch_ignores_order_and_repeats(shingles: list[int], data: st.DataObject) -> None:
    again = data.draw(st.permutations(shingles + shingles[: len(shingles) // 2]))
    assert MinHash(16, "0")(payload(again)) == MinHash(16, "0")(payload(shingles))


@given(fingerprints, fingerprints)
def test_sketch_of_a_union_is_the_minimum_of_the_sketches(one: list[int], two: list[int]) -> None:
    sketch = MinHash(16, "x")
    least = map(min, sketch(payload(one)).split(), sketch(payload(two)).split())
    assert sketch(payload(one + two)).split() == list(least)


@given(fingerprints, st.integers(1, 40), st.integers(1, 40))
def test_a_longer_sketch_extends_a_shorter_one(shingles: list[int], n: int, more: int) -> None:
    assert MinHash(n + more, "0")(payload(shingles)).startswith(MinHash(n, "0")(payload(shingles)) + " ")


@given(st.binary(max_size=40), st.sampled_from([2, 4, 8, 16]))
def test_payloads_read_back(data: bytes, digits: int) -> None:
    data = data[: len(data) // (digits // 2) * (digits // 2)]
    text = payload_codec.bytes_to_payload(data, digits)
    assert text == " ".join(data.hex()[i : i + digits] for i in range(0, 2 * len(data), digits))
    if data:
        assert kernel.payload_to_bytes(text, digits) == payload_codec.payload_to_bytes(text, digits) == data


@given(st.text("0123456789abcdefABCDEF \t\n\u3000g", max_size=30), st.sampled_from([2, 4, 8, 16]))
def test_what_is_no_payload_is_reported(text: str, digits: int) -> None:
    wellformed = all(len(word) == digits and set(word) <= set("0123456789abcdefABCDEF") for word in text.split(" "))
    assert (kernel.payload_to_bytes(text, digits) is not None) == wellformed
    assert (payload_codec.payload_to_bytes(text, digits) is not None) == wellformed


strings = st.text(st.characters(exclude_categories=["Cs"]))
integers = st.integers(-(2**63), 2**64 - 1)
json_values = st.recursive(
    st.none() | st.booleans() | integers | st.floats(allow_nan=False, allow_infinity=False) | strings,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(strings, inner, max_size=3),
    max_leaves=8,
)
ids = integers | strings


def test_what_is_json_is_read_whatever_orjson_says_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(line: bytes) -> object:
        raise orjson.JSONDecodeError("whatever it says", line.decode(), 0)

    monkeypatch.setattr("shingletools.record.wire.orjson.loads", refuse)
    assert wire.parse_json(b'\xef\xbb\xbf{"id":1}\n') == {"id": 1}
    with pytest.raises(Rejected, match=r"^not JSON \(column 8\)$"):
        wire.parse_json(b'{"id":1')
    monkeypatch.setattr("shingletools.record.json_faults.has_surrogate", exhausted)
    with pytest.raises(MemoryError):
        wire.parse_json(b'{"id":1}')


def exhausted(_value: object) -> object:
    raise MemoryError


@pytest.mark.parametrize("opener", ["[", '{"a":', '[{"a":'])
def test_the_deepest_that_is_read(opener: str) -> None:
    closer = opener.replace("{", "}").replace("[", "]").replace('"a":', "")[::-1]
    for levels, cause in ((1024, None), (1026, "nested too deeply")):
        count = levels // len(closer)
        line = b'{"a":%b}' % (opener * (count - 1) + "0" + closer * (count - 1)).encode()
        if cause is None:
            assert wire.parse_json(line)
        else:
            with pytest.raises(Rejected, match=f"^{cause}$"):
                wire.parse_json(line)


def nested(levels: int, opener: Callable[[object], object]) -> Record:
    value: object = 0
    for _ in range(levels - 1):
        value = opener(value)
    return {"x": value}


@pytest.mark.parametrize("opener", [lambda value: [value], lambda value: {"x": value}], ids=["arrays", "objects"])
def test_the_deepest_that_is_written(opener: Callable[[object], object]) -> None:
    assert wire.format_json(nested(254, opener)).count(b"x")
    for levels in (256, 300, 100_000):
        with pytest.raises(Rejected, match=r"^nested too deeply$"):
            wire.format_json(nested(levels, opener))


@pytest.mark.parametrize("record", [{"x": "a\ud800"}, {"\udc80": 1}, {"x": [{"y": ["\ud83d"]}]}])
def test_lone_surrogates_are_not_written(record: Record) -> None:
    with pytest.raises(Rejected, match=r"^lone surrogate$"):
        wire.format_json(record)


def test_what_is_no_json_at_all_is_a_fault_of_ours() -> None:
    with pytest.raises(TypeError):
        wire.format_json({"x": object()})


@given(st.dictionaries(strings, json_values, max_size=4), ids, words)
def test_every_other_field_passes_through(fields: dict[str, object], identity: str | int, text: str) -> None:
    record = {**fields, "id": identity, "text": text, "via": "mine"}
    stage = Filter(consumes="text", produces="shingles", recipe="shingle k=2", function=Rolling(2))
    line = json.dumps(record).encode()
    made, rejects = filtered(Chain([(stage, "id")]), line)
    assert rejects == []
    expected = {key: value for key, value in record.items() if key != "text"}
    expected |= {"shingles": Rolling(2)(text), "via": "mine | shingle k=2"}
    assert json.loads(made) == expected


lines = st.lists(
    st.builds(lambda i, t: json.dumps({"id": i, "text": t}).encode(), ids, words)
    | st.sampled_from([b"", b"bad", b"[]"]),
    max_size=8,
)


@given(lines, st.integers(1, 50), st.booleans())
def test_any_chunking_gives_the_same_bytes(documents: list[bytes], block: int, newline: bool) -> None:
    """However the reads fall, and with or without the last newline."""
    data = b"\n".join(documents) + (b"\n" if newline and documents else b"")
    stage = Filter(consumes="text", produces="text", recipe="canon", function=plain)
    chain = Chain([(stage, "id")])
    (whole,) = chain(RecordBatch(data))
    with pytest.MonkeyPatch.context() as patch:
        blocks = [data[i : i + block] for i in range(0, len(data), block)]
        patch.setattr(streams, "read_raw", lambda _name: (each for each in blocks))
        results = [made for batch in streams.read_batches(["-"]) for made in chain(batch)]
    assert b"".join(result.lines for result in results) == whole.lines
    rejects = [each for result in results for _, each in events_of(result) if isinstance(each, Reject)]
    assert rejects == [each for _, each in events_of(whole) if isinstance(each, Reject)]
    assert sum(result.size for result in results) == len(data)


@given(st.lists(st.binary(max_size=9), max_size=9), st.integers(1, 20), st.integers(1, 5), st.integers(1, 9))
def test_spans_are_whole_lines(tmp_path: Path, documents: list[bytes], span: int, window: int, first: int) -> None:
    """Wherever they are cut: together they are the file, and each but the last ends where a line does."""
    data = b"\n".join(documents)
    file = tmp_path / "file"
    file.write_bytes(data)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(streams, "SPAN_BYTES", span)
        patch.setattr(streams, "MAX_SPAN_BYTES", 30)
        patch.setattr(streams, "SPANS", 4)
        patch.setattr(streams, "READ_BYTES", first)
        patch.setattr(streams, "TAIL_BYTES", window)
        pieces = [piece.batch() for piece in read_spans([str(file)])]
    assert b"".join(piece.lines for piece in pieces) == data
    assert all(piece.lines.endswith(b"\n") for piece in pieces[:-1])
    sizes, size = [len(piece.lines) for piece in pieces[:-1]], max(span, min(len(data) // 4, 30))
    assert all(each >= size for each in sizes[1:])
    assert not sizes or min(first, size) <= sizes[0]


def replace(file: Path) -> None:
    file.with_name("other").write_bytes(b"six\nten\n")
    file.with_name("other").rename(file)


def rewrite(file: Path) -> None:
    with file.open("r+b") as same:
        same.write(b"six\nten\n")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (replace, "replaced"),
        (rewrite, "changed"),
        (lambda file: file.write_bytes(b"one\n"), "cut short"),
        (lambda file: file.write_bytes(b"one\ntwo\nsix\n"), "grew"),
    ],
    ids=["replaced", "rewritten", "cut", "appended"],
)
def test_spans_of_a_file_that_changes(tmp_path: Path, change: Callable[[Path], object], said: str) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"one\ntwo\n")
    os.utime(file, (0, 0))
    (span,) = read_spans([str(file)])
    assert isinstance(span, streams.Span)
    assert span.batch().lines == b"one\ntwo\n"
    change(file)
    with pytest.raises(Failed) as error:
        span.batch()
    assert str(error.value) == f"{file}: {said} while it was read (with -j a file must not change until the end)"


@pytest.mark.parametrize(
    ("change", "gives"),
    [
        (replace, b"one\ntwo\n"),
        (rewrite, "changed"),
        (lambda file: file.write_bytes(b"one\ntwo"), "cut short"),
        (lambda file: file.write_bytes(b""), "cut short"),
        (lambda file: file.write_bytes(b"one\ntwo\nsix\n"), b"one\ntwo\nsix\n"),
        (Path.unlink, b"one\ntwo\n"),
    ],
    ids=["replaced", "rewritten", "cut", "emptied", "appended", "removed"],
)
def test_a_file_that_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: Callable[[Path], object], gives: bytes | str
) -> None:
    """Without workers: what was open stays open, what grows is read on, and what else happens fails the run."""
    monkeypatch.setattr(interruptible_reads, "READ_BYTES", 5)
    file = tmp_path / "file"
    file.write_bytes(b"one\ntwo\n")
    os.utime(file, (0, 0))
    batches = streams.read_batches([str(file)])
    first = next(batches)
    assert first.lines == b"one\n"
    change(file)
    if isinstance(gives, bytes):
        assert first.lines + b"".join(batch.lines for batch in batches) == gives
        return
    with pytest.raises(Failed) as error:
        list(batches)
    assert str(error.value) == f"{file}: {gives} while it was read"


@cache
def inputs_of_parts() -> list[dict[str, bytes]]:
    """Each command's input, from some of the documents, from one, and from others."""
    records = DOCS.read_bytes().splitlines(keepends=True)
    return [inputs(b"".join(part)) for part in (records[:60], records[60:61], records[61:100])]


@pytest.mark.slow
@pytest.mark.parametrize("command", FILTERS)
def test_concatenated_inputs_give_concatenated_outputs(command: str, tmp_path: Path) -> None:
    parts = [each[command] for each in inputs_of_parts()]
    for name, part in zip("abc", parts, strict=True):
        (tmp_path / name).write_bytes(part)
    together = run_here(command, "a", "b", "c", cwd=tmp_path).good()
    assert together == b"".join(run_here(command, name, cwd=tmp_path).good() for name in "abc")
    assert together == run_here(command, stdin=b"".join(parts), cwd=tmp_path).good()


@pytest.mark.slow
def test_stages_that_are_run_one_by_one_give_what_the_pipeline_gives() -> None:
    records = DOCS.read_bytes().splitlines(keepends=True)[:8]
    stages = ("canon --stop en", "shingle -k 3", "sketch -n 20")
    assert b"".join(pipe(record, *stages) for record in records) == pipe(b"".join(records), *stages)
