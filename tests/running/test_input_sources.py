"""Documents of all kinds in Python: lines, dicts, files, tables; values that JSON lacks."""

import json
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from decimal import Decimal
from pathlib import Path, PurePosixPath
from types import MappingProxyType
from typing import Any, cast
from uuid import UUID

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from harness import DOCS, jsonl, run_here
from running.results import RECORDS, TO_PAIRS, written
from shingletools import Failed, run, unique
from shingletools.kernel import _kernel, lines
from shingletools.kernel.lines import ColumnValues


def test_documents_of_all_kinds(pairs: bytes, tmp_path: Path) -> None:
    half = tmp_path / "-half"
    half.write_bytes(DOCS.read_bytes())
    documents: Any
    for documents in (
        RECORDS,
        iter(RECORDS),
        DOCS.read_bytes().splitlines(),
        DOCS.read_bytes(),
        str(DOCS),
        DOCS,
        [DOCS],
        [str(half)],
        tmp_path.glob("*"),
        (MappingProxyType(each) for each in RECORDS),
        run("canon", RECORDS),
        (RECORDS[:50] + [jsonl(each) for each in RECORDS[50:]]),
        [jsonl(*RECORDS)],
    ):
        assert written(TO_PAIRS, documents) == pairs
    with DOCS.open("rb") as file:
        assert written(TO_PAIRS, file) == pairs
    assert written(f"canon '{DOCS}' | shingle -k 10 | simjoin -t 0.5", None) == pairs
    assert list(run(TO_PAIRS, RECORDS)) == [json.loads(line) for line in pairs.splitlines()]
    assert list(run(TO_PAIRS, [])) == list(run(TO_PAIRS, b"")) == []


@pytest.mark.parametrize("jobs", [1, 2])
def test_documents_that_get_numbers(jobs: int) -> None:
    """Lines that are given are read in the format that --number makes of them, by filters and collectors."""
    texts: Any
    plain = [{"text": f"text {number}"} for number in range(3)]
    for texts in (plain, [jsonl(each) for each in plain], pa.Table.from_pylist(plain)):
        numbered = list(run("canon --number", texts, jobs=jobs))
        assert [(each["id"], each["text"]) for each in numbered] == [(n + 1, f"text {n}") for n in range(3)]
    made = run("canon --number | shingle -k 1 | simjoin -t 0.3", [{"text": "a b"}, {"id": 9, "text": "b a"}], jobs=jobs)
    assert list(made) == [{"a": 1, "b": 9, "similarity": 1.0}]
    bad = run("canon --number", [b'{"text":"a"}', b'{"text":1}', b'{"text":"b"}'], jobs=jobs)
    assert ([each["id"] for each in bad], [record.line for record in bad.rejected]) == ([1, 3], [2])


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_folder(jobs: int, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("One text.")
    for folder in (tmp_path, [str(tmp_path)]):
        (record,) = run("canon --recursive", folder, jobs=jobs)
        assert (record["id"], record["text"]) == (f"{tmp_path}/a.txt", "one text")
    with pytest.raises(Failed, match="--recursive reads files, not lines of another command"):
        list(run("canon --recursive", [{"id": 1, "text": ""}], jobs=jobs))


def test_values_that_json_lacks() -> None:
    odd: Any = {1: 2, "id": "b", "text": "B"}
    made = list(run("canon", [{"id": np.int64(7), "text": "A"}, odd]))
    assert [(each["id"], each["text"]) for each in made] == [(7, "a"), ("b", "b")]
    result = run("canon", [{"id": 1, "text": "\ud800"}, {"id": 9**30, "text": "a"}, {"id": 2, "text": "b"}])
    assert [each["id"] for each in result] == [2]
    assert [(str(each), each.line) for each in result.rejected] == [
        ("canon: -:1: not UTF-8 (byte 20)", 1),
        ('canon: -:2: field "id" is neither a string nor an integer of 64 bits', 2),
    ]
    wrong: Any
    for large in ({}, {"n": 1 << 70}):
        for number, made_of_it in (
            (float("nan"), None),
            ([float("-inf"), None], [None, None]),
            ({"x": np.float32("nan")}, {"x": None}),
            (np.array([1.0, np.inf]), [1.0, None]),
            (np.array([[1, 2], [3, 4]]).T, [[1, 3], [2, 4]]),
            (pd.NaT, None),
            (pd.NA, None),
            (pd.Timestamp("2020-01-02 03:04"), "2020-01-02T03:04:00"),
            (timedelta(1), "1 day, 0:00:00"),
            (PurePosixPath("a/b"), "a/b"),
            (Decimal("0.10"), "0.10"),
            (1j, "1j"),
            (MappingProxyType({"x": UUID(int=1)}), {"x": str(UUID(int=1))}),
        ):
            (record,) = run("canon", [{"id": 1, "text": "NaN null", "of": number, **large}])
            assert record == {"id": 1, "text": "nan null", "of": made_of_it, **large, "via": "canon/4"}
    nulls = {"id": 1, "text": "NaN null", "of": None, "at": np.array([1]), "on": datetime(2020, 1, 2)}
    assert list(run("canon", [nulls])) == [
        {"id": 1, "text": "nan null", "of": None, "at": [1], "on": "2020-01-02T00:00:00", "via": "canon/4"}
    ]
    for wrong in ({"id": 1, "text": {1}}, {"id": 1, "text": b"a"}, {"id": 1, "text": object()}, 7, [["id", 1]]):
        with pytest.raises(TypeError):
            list(run("canon", [{"id": 0, "text": ""}, wrong]))
    with pytest.raises(TypeError, match="documents are several"):
        list(run("canon", {"id": 0, "text": ""}))


def test_documents_that_fail_are_not_the_fault_of_a_step() -> None:
    def documents() -> Iterator[dict[str, Any]]:
        yield RECORDS[0]
        raise Failed("where they come from: closed")

    with pytest.raises(Failed, match=r"^where they come from: closed$"):
        list(run("canon | shingle", documents()))


class PathOfBytes:
    def __fspath__(self) -> bytes:
        return bytes(DOCS)


def test_names_of_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A path may be bytes, but bytes alone are lines; text is a name, even that of a file that looks like a line."""
    assert written(TO_PAIRS, cast(Any, PathOfBytes())) == written(TO_PAIRS, [cast(Any, PathOfBytes())])
    line = '{"id":1,"text":"A"}'
    for given in (line, [line], [" " + line + "\n"]):
        with pytest.raises(TypeError, match="a line of JSON is given as bytes, not as str, which names a file"):
            list(run("canon", given))
    monkeypatch.chdir(tmp_path)
    Path(line).write_text(line)
    assert [each["text"] for each in run("canon", line)] == ["a"]


TABLES: dict[str, Callable[[list[dict[str, Any]]], Any]] = {
    "pyarrow": pa.Table.from_pylist,
    "batches": lambda rows: pa.Table.from_pylist(rows).to_reader(max_chunksize=7),
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "duckdb": lambda rows: duckdb.from_arrow(pa.Table.from_pylist(rows)),
    "dictionaries": lambda rows: pa.table(
        {name: pa.array([row[name] for row in rows]).dictionary_encode() for name in rows[0]}
    ),
    "bytes": lambda rows: pa.table({name: [str(row[name]).encode() for row in rows] for name in ("id", "text")}),
}


@pytest.mark.parametrize("library", TABLES)
def test_arrow(library: str, pairs: bytes) -> None:
    assert written(TO_PAIRS, TABLES[library](RECORDS)) == pairs


@pytest.mark.parametrize("library", ["pyarrow", "pandas", "polars", "duckdb"])
def test_every_column_of_a_table_passes(library: str) -> None:
    rows: list[dict[str, Any]] = [
        {
            "n": number,
            "id": f'é "{number}"\\\n\x01\x7f',
            "text": f"A b\t{number}",
            "of": [1.5, 2.0],
            "tags": ["é", "b"],
            "true": bool(number),
            "some": None if number == 3 else "x",
            "count": None if number == 7 else number,
            "long": "x" * 100_000,
        }
        for number in range(9)
    ]
    expected = list(run("canon", rows))
    assert [each["id"] for each in expected] == [row["id"] for row in rows]
    assert list(run("canon", TABLES[library](rows))) == expected


@pytest.mark.parametrize("kind", [pl.Categorical, pl.Enum(["a b", "A B", "c"])])
def test_categories_of_polars(kind: Any) -> None:
    some = pl.Series("text", ["a b", "A B", "c", "a b"], dtype=kind)
    frame = pl.DataFrame([pl.Series("id", [1, 2, 3, 4]), some, some.alias("again"), pl.Series("no", some.shift(1))])
    frame = frame.with_columns(list=pl.concat_list("text"), inner=pl.struct("text"))
    expected = [{**row, "text": row["text"].lower(), "via": "canon/4"} for row in frame.to_dicts()]
    assert list(run("canon", frame)) == expected
    pairs = list(run("canon | shingle -k 2 | simjoin -t 0.5", frame))
    assert [(pair["a"], pair["b"]) for pair in pairs] == [(1, 2), (1, 4), (2, 4)]
    assert unique(frame, pairs).equals(frame[[0, 2]])


def test_columns_of_duckdb_that_json_has_no_values_for() -> None:
    """Lengths of time are written as ISO 8601 has them, times beyond 9999 as numpy writes them."""
    rows = duckdb.sql("""select 1 id, 'a' as "text", interval '14 months 3 days 1.5 seconds' span, 10::hugeint big,
        'infinity'::timestamp ever, map {1: [2]} mp, union_value(n := 5) un, [interval 1 day] ls""")
    assert list(run("canon", rows)) == [
        {
            "id": 1,
            "text": "a",
            "span": "P14M3DT1.5S",
            "big": 10,
            "ever": "294247-01-10T04:00:54.775807",
            "mp": {"1": [2]},
            "un": "5",
            "ls": ["P1D"],
            "via": "canon/4",
        }
    ]


@pytest.mark.parametrize("number", [2**63, 2**64 - 1, 2**64, 2**70, -(2**70), 1e300, -1e19, 0.1])
def test_numbers_stay_as_they_are(number: float) -> None:
    record = {"id": 1, "text": "a", "n": number, "within": [{"n": number}], "word": "é"}
    (made,) = run("canon", [record])
    assert made == {**record, "via": "canon/4"}
    assert type(made["n"]) is type(made["within"][0]["n"]) is type(number)


@pytest.mark.parametrize(("levels", "good"), [(200, True), (500, True), (900, True), (1023, True), (1024, False)])
def test_records_that_are_nested_deeply(levels: int, good: bool, tmp_path: Path) -> None:
    """All commands take 1024 levels, with the record itself, and say so of others; Python calls fewer in each other."""
    inside = "[" * levels + "7" + "]" * levels
    lines = [f'{{"id":1,"text":"a b","x":{inside}}}\n', '{"id":2,"text":"a b"}\n']
    for name, reads in (("docs.jsonl", ""), ("docs.json", "--array")):
        (tmp_path / name).write_text("".join(lines) if not reads else f"[{','.join(lines)}]")
        result = run(f"canon {reads} {tmp_path / name}")
        records = list(result)
        assert [record["id"] for record in records] == ([1, 2] if good else [2])
        assert [each.cause for each in result.rejected] == ([] if good else ["nested too deeply"])
        value = records[0]["x"] if good else [7]
        while isinstance(value, list):
            (value,) = value
        assert value == 7
        ran = run_here("shingletools", "unique", name, cwd=tmp_path)
        assert (ran.status, ran.out.count(b'"id"')) == (0 if good else 1, 1)
        assert "nested too deeply" in ran.err or good
    (record,) = run("canon", [b'{"id":1,"text":"a","n":%d,"x":%b}\n' % (1 << 70, b"[" * 1000 + b"]" * 1000)])
    assert (record["id"], type(record["n"])) == (1, float)
    document: dict[str, object] = {"id": 1, "text": "a b"}
    value = []
    for _ in range(levels):
        value = [value]
    result = run("canon", [document | {"x": value}, document])
    taken = len(list(result))
    assert taken == 2 or (levels > 900 and taken == 1)
    assert [each.cause for each in result.rejected] == ["nested too deeply"] * (2 - taken)


def test_columns_that_will_not_do() -> None:
    with pytest.raises(Failed) as raised:
        list(run("canon", pa.table({"text": ["a"]})))
    assert str(raised.value) == 'canon: documents: no column "id" among "text"; --id NAME says which is meant'
    result = run("canon", pa.table({"id": [1, 2, 3], "text": pa.array([b"a", b"\xff", None])}).slice(0, 2))
    assert [each["id"] for each in result] == [1]
    assert [each.cause for each in result.rejected] == ["not UTF-8 (byte 17)"]
    result = run("canon", pa.table({"id": [1, 2, 3], "text": pa.array([b"a", b"\xff", None])}))
    assert [each["id"] for each in result] == [1]
    assert [each.cause for each in result.rejected] == ["not UTF-8 (byte 17)", 'field "text" is not a string']
    with pytest.raises(Failed, match=r'^canon: documents: two columns "text"$'):
        list(run("canon", pa.Table.from_arrays([pa.array(["a"])] * 3, names=["id", "text", "text"])))
    assert written(TO_PAIRS, pa.table({"id": [], "text": []})) == b""


def test_only_columns_that_are_read_become_lines() -> None:
    table = pa.table({"id": [1, 2], "text": ["a b", "a b"], "odd": pa.array([1, 2], pa.duration("s"))})
    assert written("canon | shingle -k 1 | simjoin", table) == b'{"a":1,"b":2,"similarity":1.0}\n'


def test_values_of_several_types() -> None:
    """A column of pandas that Arrow does not hold becomes what dicts have, and its bad values are rejected."""
    rows = [
        {"id": 1, "text": "a b", "some": [2, {"y": None}]},
        {"id": "b", "text": "a b", "some": Decimal("0.1")},
        {"id": 3, "text": 4, "some": None},
        {"id": 2.5, "text": "a b", "some": "x"},
    ]
    frame = pd.DataFrame(rows)
    result = run("canon", frame)
    assert [each["some"] for each in result] == [[2, {"y": None}], "0.1"]
    assert [*map(str, result.rejected)] == [
        'canon: -:3: field "text" is not a string',
        'canon: -:4: field "id" is neither a string nor an integer of 64 bits',
    ]
    assert written(TO_PAIRS.replace("10", "1"), frame[:3]) == b'{"a":1,"b":"b","similarity":1.0}\n'
    assert unique(frame[:2]).equals(frame[:1])
    made = list(
        run("canon", frame[:2].assign(large=[1 << 70, None], sparse=pd.arrays.SparseArray([7, 0]), odd=[1j, 2]))
    )
    assert [(each["large"], each["sparse"], each["odd"]) for each in made] == [(1 << 70, 7, "1j"), (None, 0, "(2+0j)")]
    result = run("canon", pd.DataFrame({"id": [1, 2], "text": ["a", "b\ud800"]}, dtype=object))
    assert [each["id"] for each in result] == [1]
    assert result.messages[0].startswith("canon: -:2: not UTF-8 (byte 18)")


def values_of(head: bytes, values: list[bytes], text: bool) -> ColumnValues:
    starts = np.cumsum([0, *map(len, values)], dtype=np.int64)
    return ColumnValues(head, b"".join(values), starts.tobytes(), text)


def test_rows_as_lines() -> None:
    """The kernel and its definition against Python's own JSON."""
    texts = ["", *map(chr, range(128)), "é\U0001f600", 'a\\"b' * 9, "x" * 70]
    columns = (
        values_of(b'{"id":', [b"%d" % number for number in range(len(texts))], False),
        values_of(b',"text":', [text.encode() for text in texts], True),
    )
    made = lines.record_lines(columns, len(texts))
    assert [json.loads(line) for line in made.split(b"\n")[:-1]] == [{"id": n, "text": t} for n, t in enumerate(texts)]
    assert _kernel.record_lines(columns, len(texts)) == made
    wrong = ColumnValues(b"{", b"ab", np.array([0, 3]).tobytes(), False)
    for function in (lines.record_lines, _kernel.record_lines):
        for few, rows in ((columns, len(texts) + 1), ((wrong,), 1), ((wrong._replace(starts=wrong.starts[::-1]),), 1)):
            with pytest.raises(ValueError, match="no values of these rows"):
                function(few, rows)
