"""Frames of records, and tables of keys, in an archive."""

import json
import random
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import cast
from unittest.mock import Mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from harness import jsonl, run, run_here
from shingletools.archive import key_lookup, record_frames
from shingletools.archive.record_frames import Frames, RecordForm, frame_of, frames_of, line_of
from shingletools.archive.segment import Segment
from shingletools.commands.simjoin.signatures import SIGNATURES as KINDS
from shingletools.commands.simjoin.signed_records import Needed, SignedRecords
from shingletools.kernel import NAME as KERNEL
from shingletools.kernel.ids import split_ids
from shingletools.record.record_batch import read_batch

LINES = [
    b'{"id":1,"sketch":"0000000a 0000000b"}',
    b' { "sketch" : "0000000a 0000000C", "x": [1, "\xc3\xa9 \\u00e9"], "id" : "a" }\r',
    b'{"id":"\\u0061b","sketch":"0000000a 0000000b","y":{"id":5}}',
    b'{"sketch":"","id":-5}',
    b'\xef\xbb\xbf{"id":7,"sketch":"0000000A 0000000b"}',
    b'{"id":"x","shingles":"0000000000000000","sketch":"ffffffff ffffffff"}',
    b'{"id":"y","sketch":"0000000\\u0061 0000000b"}',
]


def test_dump_gives_the_bytes_back(tmp_path: Path) -> None:
    content = b"".join(line + b"\n" for line in LINES)
    (tmp_path / "lines").write_bytes(content)
    for kernel in ("c", "numpy"):
        run("simindex", "add", kernel, "-m1", "lines", cwd=tmp_path, env={"SHINGLETOOLS_KERNEL": kernel}).good()
        assert run_here("simindex dump", kernel, cwd=tmp_path).good() == content
        run_here("simindex merge", kernel, cwd=tmp_path).good()
        ran = run_here("simindex add -v", kernel, "lines", cwd=tmp_path)
        assert (ran.status, ran.err.split(", ")[-2:]) == (0, ["0 added", f"{len(LINES)} there already\n"])
        assert run_here("simindex dump", kernel, cwd=tmp_path).good() == content
    assert [path.read_bytes() for path in sorted((tmp_path / "c").iterdir())] == [
        path.read_bytes() for path in sorted((tmp_path / "numpy").iterdir())
    ]


@given(st.lists(st.sampled_from(LINES), unique=True, max_size=7), st.lists(st.integers(0, 7), max_size=3))
@settings(max_examples=30)
def test_any_records_in_any_parts(
    tmp_path_factory: pytest.TempPathFactory, lines: list[bytes], cuts: list[int]
) -> None:
    folder = tmp_path_factory.mktemp("archive")
    edges = [0, *sorted(cuts), len(lines)]
    for start, stop in pairwise(edges):
        content = b"\n".join(lines[start:stop])
        run_here("simindex add A -m1", stdin=content, cwd=folder).good()
    run_here("simindex check A", cwd=folder).good()
    assert run_here("simindex dump A", cwd=folder).good() == b"".join(line + b"\n" for line in lines)


@given(st.sampled_from(["", " "]), st.text(max_size=5), st.binary(min_size=4, max_size=8), st.booleans(), st.booleans())
def test_a_frame_is_the_way_back(blank: str, name: str, data: bytes, turned: bool, capital: bool) -> None:
    data = data[: len(data) // 4 * 4]
    spelled = data.hex(" ", 4).upper() if capital else data.hex(" ", 4)
    members = [f'"id":{blank}{json.dumps(name)}', f'"sketch"{blank}:"{spelled}"']
    line = f'{{"z":"\\u0001",{",".join(members[::-1] if turned else members)}}}'.encode()
    text = json.dumps(name, ensure_ascii=False, separators=(",", ":")).encode()
    assert line_of(frame_of(line, RecordForm("id", "sketch", 8), text, data), text, data, 8) == line


made_lines = st.tuples(
    st.integers(0, 9) | st.sampled_from(["a", "\u00e9"]),
    st.binary(min_size=8, max_size=8),
    st.booleans(),
    st.sampled_from(["", " ", "\r"]),
    st.sampled_from(["", '"title":"1",', '"title":"2",', '"more":[{"sketch":"A"}],']),
)


@given(st.lists(made_lines, min_size=1, max_size=20), st.sampled_from(["id", "meta.id"]), st.booleans(), st.booleans())
def test_frames_of_many_lines(
    made: list[tuple[int | str, bytes, bool, str, str]], id_field: str, turned: bool, ended: bool
) -> None:
    """Those of lines that are read at once are those of each line by itself."""
    lines, names, payloads = [], [], []
    for name, data, capital, blank, rest in made:
        text = json.dumps(name, ensure_ascii=False)
        spelled = data.hex(" ", 4).upper() if capital else data.hex(" ", 4)
        of_id = f'"meta":{{"n":1,"id":{text}{blank}}}' if "." in id_field else f'"id":{blank}{text}'
        members = [of_id, rest + f'"sketch":"{spelled}"']
        lines.append(f"{blank}{{{','.join(members[::-1] if turned else members)}}}{blank}".encode())
        names.append(text.encode())
        payloads.append(data)
    content = b"\n".join(lines) + b"\n" * ended
    signature = next(each for each in KINDS if (each.field, each.digits) == ("sketch", 8))
    wanted = SignedRecords(Needed(id_field, ()), lambda _: None).schema_of("", signature, 8)
    batch = read_batch(content, 0, wanted)
    assert (batch.rows, np.frombuffer(batch.lasts, np.int64).min() >= 0) == (len(lines), True)
    spelling = RecordForm(id_field, "sketch", 8)
    expected = [frame_of(*each[:1], spelling, *each[1:]) for each in zip(lines, names, payloads, strict=True)]
    heap, sizes = frames_of(batch, spelling)
    assert list(split_ids(heap, sizes)) == expected
    record_frames = Frames()
    numbers = record_frames.numbers(heap, sizes)
    assert numbers.tolist() == [list(dict.fromkeys(expected)).index(each) for each in expected]


def test_a_table_is_searched_for_few_keys_and_read_for_many() -> None:
    """Both ways find all rows of a key: none, one, or more than a search reads together."""
    rng = random.Random(5)
    crowd = rng.randrange(2**64)
    keys = sorted(
        [crowd] * 2 * key_lookup.KEYS + [rng.randrange(2**64) for _ in range(9 * key_lookup.KEYS)] + [7, 7, 2**64 - 1]
    )
    table = np.array([*zip(keys, range(len(keys)), strict=True)], "<u8,<u4")
    read: list[int] = []

    def column(_: str, start: int, stop: int) -> NDArray[np.generic]:
        read.append(stop - start)
        return table[start:stop]

    segment = SimpleNamespace(rows=len(keys), length=lambda _: len(keys), column=column)
    found = key_lookup.SortedKeys(cast(Segment, segment), "band0")
    many = sorted({*rng.sample(keys, 40), crowd, 7, 2**64 - 1, *(rng.randrange(2**64) for _ in range(40))})
    for asked in (many, [crowd], [crowd + 1], *([key] for key in many[::8]), [7, 2**64 - 1]):
        read.clear()
        blocks = [*found.meetings(np.array(asked, np.uint64))]
        pairs = [pair for places, rows in blocks for pair in zip(places.tolist(), rows.tolist(), strict=True)]
        assert pairs == [
            (place, row) for place, key in enumerate(asked) for row in range(len(keys)) if keys[row] == key
        ]
        assert (sum(read) == len(keys)) == (asked == many)


def test_records_that_differ_in_other_fields_are_added_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only the first is cut by itself; what is added is no more than was there."""
    by_itself = Mock(side_effect=frame_of)
    monkeypatch.setattr(record_frames, "frame_of", by_itself)
    lines = jsonl(
        *({"id": each, "title": f"A title, {each // 2}", "sketch": f"{each:08x} 00000000"} for each in range(3000))
    )
    run_here("simindex add A", stdin=lines, cwd=tmp_path).good()
    assert by_itself.call_count == (1 if KERNEL == "c" else 3000)
    assert run_here("simindex dump A", cwd=tmp_path).good() == lines
    assert len(np.load(tmp_path / "A" / "000001.npz")["cuts"]) == 1501
    run_here("simindex drop A --ids -", stdin=jsonl(*({"id": each} for each in range(1, 3000, 2))), cwd=tmp_path).good()
    run_here("simindex add A", stdin=lines, cwd=tmp_path).good()
    run_here("simindex merge A", cwd=tmp_path).good()
    there = run_here("simindex dump A", cwd=tmp_path).good().splitlines(keepends=True)
    assert there == (lines.splitlines(keepends=True)[::2] + lines.splitlines(keepends=True)[1::2])
    run_here("simindex check A", cwd=tmp_path).good()
