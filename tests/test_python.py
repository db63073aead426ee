"""Pipelines in Python: the shell's bytes, documents of all kinds, bad records, threads, early ends, memory."""

import json
import os
import pickle
import resource
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path, PurePosixPath
from types import MappingProxyType
from typing import Any, cast
from uuid import UUID

import duckdb
import numpy as np
import orjson
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from harness import DOCS, jsonl, run_here
from shingletools import Archive, Failed, Pipeline, groups, run, unique
from shingletools.kernel import _kernel, lines
from shingletools.kernel.lines import ColumnValues
from suite import SEQUENCES

TO_PAIRS = "canon | shingle -k 10 | simjoin -t 0.5"
RECORDS = [json.loads(line) for line in DOCS.read_bytes().splitlines()]


@pytest.fixture(scope="module")
def pairs() -> bytes:
    return run_here("shingletools", "run", TO_PAIRS, DOCS, cwd=DOCS.parent).good()


def written(pipeline: str, documents: Any, **options: Any) -> bytes:
    return b"".join(run(pipeline, documents, **options).lines())


def compact(record: dict[str, Any]) -> bytes:
    return json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode()


def test_what_the_shell_gives(tmp_path: Path) -> None:
    """Every way of every command, with bad records at some of them."""
    bad = [b"bad", b'{"id":"x","text":"a b","shingles":1,"shingles":2}', b"", b'{"id":"y"}']
    documents = [*DOCS.read_bytes().splitlines()[:40], *bad, RECORDS[40], *RECORDS[41:60], RECORDS[0]]
    stdin = b"".join((each if isinstance(each, bytes) else compact(each)) + b"\n" for each in documents)
    for text in SEQUENCES:
        shell = run_here("shingletools", "run", text, stdin=stdin, cwd=tmp_path)
        result = run(text, documents)
        if shell.status == 2:  # the same message, and none of the rest
            with pytest.raises(Failed) as raised:
                list(result)
            assert str(raised.value) in shell.err
            continue
        assert (b"".join(result.lines()), shell.status) == (shell.out, 1), text
        assert sorted(result.messages) == sorted(shell.err.splitlines())
        assert [each.command for each in result.figures] == [each.split()[0] for each in text.split(" | ")]
        assert len(result.rejected) == sum(each.rejected for each in result.figures)
        assert all(each.record == b"" or each.record in stdin or b"via" in each.record for each in result.rejected)
    with pytest.raises(Failed) as raised:
        list(run("canon | shingle --text nothing | sketch", documents))
    assert str(raised.value) == "shingle: -: not one good record"


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
    document: dict[str, object] = {"id": 1, "text": "a b"}
    value = []
    for _ in range(levels):
        value = [value]
    result = run("canon", [document | {"x": value}, document])
    taken = len(list(result))
    assert taken == 2 or (levels > 900 and taken == 1)
    assert [each.cause for each in result.rejected] == ["nested too deeply"] * (2 - taken)


def test_what_is_no_record_comes_as_lines(tmp_path: Path) -> None:
    """Tables, arrays and Parquet, byte for byte; asking for their records is an error."""
    rows = [{"id": number, "text": f"a b {number}"} for number in range(50)]
    (tmp_path / "a.csv").write_text("id,text\n" + "\n".join(f"{row['id']},{row['text']}" for row in rows))
    (tmp_path / "a.json").write_text(json.dumps(rows))
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "a.parquet")
    (tmp_path / "pairs").write_bytes(jsonl({"a": 1, "b": 2, "similarity": 1.0}))
    for option, name in (("--csv", "a.csv"), ("--array", "a.json"), ("--parquet", "a.parquet"), ("--whole", "a.csv")):
        pipeline = f"dedup --pairs {tmp_path / 'pairs'} {option} {tmp_path / name}"
        shell = run_here(*pipeline.split(), cwd=tmp_path).out
        lines = list(run(pipeline).lines())
        assert b"".join(lines) == shell
        assert all(line.endswith(b"\n") for line in lines[:-1])
        assert b"\n" not in lines
        for ask in (next, list, lambda result: result.to_arrow()):
            with pytest.raises(Failed, match=r"the pipeline writes no records: lines\(\) gives what it writes"):
                ask(run(pipeline))


def test_columns_that_will_not_do() -> None:
    with pytest.raises(Failed) as raised:
        list(run("canon", pa.table({"text": ["a"]})))
    assert str(raised.value) == 'canon: documents: no column "id" among "text"; --id NAME says which is meant'
    result = run("canon", pa.table({"id": [1, 2, 3], "text": pa.array([b"a", b"\xff", None])}).slice(0, 2))
    assert [each["id"] for each in result] == [1]
    assert [each.cause for each in result.rejected] == ["not UTF-8 (byte 17)"]
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


def test_a_result_as_arrow(pairs: bytes) -> None:
    table = run(TO_PAIRS, RECORDS).to_arrow()
    assert table.to_pylist() == [json.loads(line) for line in pairs.splitlines()]
    assert run("canon", [{"id": 1, "text": "a"}, {"id": 2, "text": "b", "x": 1}]).to_arrow()["x"].to_pylist() == [
        None,
        1,
    ]
    with pytest.raises(Failed, match="field 'id'"):
        run("canon", [{"id": 1, "text": "a"}, {"id": "b", "text": "b"}]).to_arrow()
    with pytest.raises(Failed, match="field 'id'"):
        run("canon", [{"id": 2**63, "text": "a"}, {"id": -1, "text": "b"}]).to_arrow()


def test_strict_ends_at_the_first_bad_record() -> None:
    made: list[Any] = []
    result = run("canon | shingle", [*RECORDS[:3], {"id": 7}, *RECORDS[3:]], strict=True)
    with pytest.raises(Failed) as raised:
        made.extend(result)
    assert (str(raised.value), len(made)) == ('canon: -:4: field "text" is missing', 3)
    assert [str(each) for each in result.rejected] == [str(raised.value)]
    assert list(result) == []


def test_too_many_bad_records() -> None:
    result = run("canon --allow-rejects 1", [*RECORDS[:3], {"id": 7}, {"id": 8}])
    with pytest.raises(Failed, match="too many bad records"):
        list(result)
    assert list(run("canon --allow-rejects 2", [{"id": 7}, {"id": 8}])) == []
    with pytest.raises(Failed, match="not one good record") as raised:
        list(run("canon", [{"id": 7}]))
    assert raised.value.__notes__ == ['canon: -:1: field "text" is missing']


@pytest.mark.parametrize(
    ("pipeline", "documents", "message"),
    [
        ("nothing", [], 'the pipeline: "nothing" is none of parts, canon, '),
        ("canon --nonsense", [], "canon: unrecognized arguments: --nonsense"),
        ("canon --help", [], "--help and --version cannot be given here"),
        ("canon | shingle -o x", [], "shingle: -o: the records are returned, not written"),
        ("canon", None, "canon: no documents are given"),
        ("canon", "nowhere.jsonl", "canon: nowhere.jsonl: No such file or directory"),
        (f"canon '{DOCS}'", [], "canon: takes no documents, because it names its own"),
        (f"canon '{DOCS}'", [DOCS], f"canon: {DOCS}: name files in the pipeline or after it, not both"),
    ],
)
def test_what_makes_no_sense_is_refused(pipeline: str, documents: Any, message: str) -> None:
    with pytest.raises(Failed) as raised:
        list(run(pipeline, documents))
    assert str(raised.value).startswith(message)


def test_a_pipeline_is_a_value() -> None:
    one, other = Pipeline("canon"), Pipeline("canon")
    assert (one == other, hash(one) == hash(other), one == Pipeline("canon --stop en"), one.text) == (
        True,
        True,
        False,
        "canon",
    )
    assert pickle.loads(pickle.dumps(one)) == one
    assert [list(pipeline(RECORDS)) for pipeline in (one, one, other)] == [list(run(one, RECORDS))] * 3
    with pytest.raises(AttributeError):
        one.text = "shingle"  # type: ignore[misc]


def test_workers_and_memory(pairs: bytes) -> None:
    assert written(TO_PAIRS, RECORDS * 1, jobs=2) == pairs
    assert written(TO_PAIRS, RECORDS, memory=1 << 20) == written(TO_PAIRS, RECORDS, memory="1M") == pairs
    jobs: Any
    for jobs in (0, -1, "2", 1.5, None):
        with pytest.raises(Failed, match="jobs: not a whole number from 1 on"):
            run(TO_PAIRS, RECORDS, jobs=jobs)
    memory: Any
    for memory in (-1, 1e6, "-1M"):
        with pytest.raises(Failed, match="not a size such as 500M"):
            list(run(TO_PAIRS, RECORDS, memory=memory))
    with pytest.raises(Failed, match="-S: none of these commands takes it here"):
        list(run("canon", RECORDS, memory="1M"))


def test_unique(pairs: bytes, tmp_path: Path) -> None:
    (tmp_path / "pairs").write_bytes(pairs)
    expected = run_here("dedup", "--pairs", "pairs", DOCS, cwd=tmp_path).good()
    found = [json.loads(line) for line in pairs.splitlines()]
    for given in (run(TO_PAIRS, RECORDS), found, tmp_path / "pairs", run(TO_PAIRS, RECORDS).to_arrow(), iter(found)):
        assert b"".join(unique(DOCS, given).lines()) == expected
    assert unique(pa.Table.from_pylist(RECORDS), found).to_pylist() == list(unique(iter(RECORDS), found))
    longest = run_here("dedup", "--pairs", "pairs", "--keep", "longest", DOCS, cwd=tmp_path).good()
    assert b"".join(unique(DOCS, found, options="--keep longest").lines()) == longest
    groups = list(run("simgroup", found))
    (tmp_path / "groups").write_bytes(jsonl(*groups))
    by_groups = run_here("dedup", "--groups", "groups", DOCS, cwd=tmp_path).good()
    assert b"".join(unique(DOCS, groups=groups).lines()) == by_groups
    with pytest.raises(TypeError, match="make a list of them"):
        unique(iter(RECORDS), run(TO_PAIRS, RECORDS))


ROWS = [{"id": id_, "text": f"{number}", "n": number} for number, id_ in enumerate([3, 1, 1, None, 2, 5])]
FRAMES: dict[str, Callable[[list[dict[str, Any]]], Any]] = {
    "pandas": lambda rows: pd.DataFrame(rows, index=[f"row {row['n']}" for row in rows]).astype({"id": "Int64"}),
    "polars": pl.DataFrame,
    "pyarrow": pa.Table.from_pylist,
    "duckdb": lambda rows: duckdb.from_arrow(pa.Table.from_pylist(rows)),
}


@pytest.mark.parametrize("library", FRAMES)
def test_frames_give_frames(library: str) -> None:
    """With the rows that dicts give, as they were, and a warning for bad ones; and columns of groups."""
    frame, pairs = FRAMES[library](ROWS), [{"a": 1, "b": 3}, {"a": 2, "b": 9}, {"a": 3, "b": 2}]
    expected = [record["n"] for record in unique(ROWS, pairs)]
    with pytest.warns(UserWarning) as warned:
        left = unique(frame, pairs)
    assert [str(each.message) for each in warned] == [
        'dedup: -:4: field "id" is neither a string nor an integer of 64 bits',
        "dedup: -:3: id 1 was seen before, so the document stays",
    ]
    same = FRAMES[library](ROWS)
    if library == "pandas":
        assert left.equals(same.iloc[expected])
    elif library == "polars":
        assert left.equals(same[expected])
    else:
        assert left.equals(pa.Table.from_pylist(ROWS).take(expected))
    column = groups(FRAMES[library](ROWS), pairs)
    values = column.to_list() if library in ("pandas", "polars") else column.to_pylist()
    assert [None if value is pd.NA else value for value in values] == [1, 1, 1, None, 1, 5]
    if library in ("pandas", "polars"):
        assert column.name == "group"
        assert library == "polars" or column.index.equals(same.index)


@pytest.mark.parametrize("library", ["", *FRAMES])
def test_unique_tells_what_could_not_be_compared(library: str) -> None:
    """Once, though documents are read twice; a document without a text stays, one without an id does not."""
    rows: list[dict[str, Any]] = [
        {"id": 1, "text": "abc"},
        {"id": 2, "text": None},
        {"id": 3, "text": "abc"},
        {"id": None, "text": "bcd"},
    ]
    said = [
        'canon: -:2: field "text" is not a string',
        'canon: -:4: field "id" is neither a string nor an integer of 64 bits',
        'dedup: -:4: field "id" is neither a string nor an integer of 64 bits',
    ]
    if not library:
        result = unique(rows)
        assert list(result) == rows[:2]
        assert [*map(str, result.rejected)] == result.messages == said
        repeated = unique([rows[0], rows[0], rows[2]])
        assert list(repeated) == [rows[0], rows[0]]
        said = [f"{command}: -:2: id 1 was seen before" for command in ("simjoin", "simcheck")]
        assert repeated.messages == [*said, "dedup: -:2: id 1 was seen before, so the document stays"]
        assert [each.command for each in result.figures] == ["canon", "shingle", "simjoin", "simcheck", "dedup"]
        return
    frame = FRAMES[library]([row | {"n": number} for number, row in enumerate(rows)])
    with pytest.warns(UserWarning) as warned:
        left = unique(frame)
    assert [str(each.message) for each in warned] == said
    column = left["n"]
    assert (column.to_list() if library in ("pandas", "polars") else column.to_pylist()) == [0, 1]


TIMES = pd.to_datetime([1, 2, 1 << 60, 3])  # of which only nanoseconds distinguish some
IDS: dict[str, Callable[[], Any]] = {  # columns of four different ids
    "timestamps": lambda: pd.Series(TIMES),
    "with a zone": lambda: pd.Series(TIMES.tz_localize("Asia/Tokyo")),
    "categories": lambda: pd.Series(TIMES).astype("category"),
    "durations": lambda: pd.Series(TIMES - TIMES[0]),
    "periods": lambda: pd.Series(pd.period_range("2020", periods=4, freq="M")),
    "dates": lambda: [date(2020, 1, day) for day in (1, 2, 3, 4)],
    "times": lambda: [time(1, second=second) for second in range(4)],
    "UUIDs": lambda: [UUID(int=number) for number in range(4)],
    "paths": lambda: [PurePosixPath(name) for name in "abcd"],
    "bytes": lambda: [name.encode() for name in "abcé"],
    "decimals": lambda: [Decimal(number) for number in (1, 2, 3, 1 << 62)],
    "complex": lambda: np.array([1j, 2j, 3j, 4j]),
    "sparse": lambda: pd.arrays.SparseArray([0, 1, 0, 3]) + 1000 * np.arange(4),
    "unsigned": lambda: np.array([0, 1, 1 << 63, (1 << 64) - 1], np.uint64),
    "of several types": lambda: ["a", 1, date(2020, 1, 1), UUID(int=1)],
}
TEXTS = ["the cats", "some dogs", "The cats!", "no bird"]


def texts_of(table: Any) -> list[str]:
    if isinstance(table, pa.Table):
        return cast(list[str], table["text"].to_pylist())
    return [row["text"] for row in table] if isinstance(table, list) else cast(list[str], table["text"].to_list())


@pytest.mark.parametrize("kind", IDS)
def test_ids_that_json_lacks(kind: str) -> None:
    """Rows are known by their place: whatever ids are, unique and groups find those of the pairs."""
    frame = pd.DataFrame({"id": IDS[kind](), "text": TEXTS, "unused": [{1}, 1j, object(), None]})
    tables: list[Any] = [frame, frame.to_dict("records")] if kind != "bytes" else [frame]
    if kind in ("dates", "times", "UUIDs", "paths", "bytes", "decimals"):
        tables.append(pl.DataFrame({"id": pl.Series(IDS[kind]()), "text": TEXTS}))
    elif kind not in ("periods", "complex", "sparse", "of several types"):
        tables.append(pl.from_pandas(frame[["id", "text"]]))
        tables.append(pa.Table.from_pandas(frame[["id", "text"]]))
    for table in tables:
        pairs = list(run("canon | shingle -k 1 | simjoin -t 1", table))
        for left in (unique(table, pairs), unique(table)):
            rows = list(left) if isinstance(table, list) else left
            assert texts_of(rows) == [TEXTS[place] for place in (0, 1, 3)]
            assert table is not frame or frame.drop(2).equals(rows)
        found = groups(table, pairs)
        names = found.to_pylist() if isinstance(table, pa.Table) else list(found)
        assert (names[0] == names[2], len({*names})) == (True, 3)


def test_columns_named_by_integers() -> None:
    frame = pd.DataFrame({0: [7, 8, 9], 1: ["cats", "cats", "dogs"], 2: [{1}, 1j, object()]})
    named = "--id 0 --text 1"
    for table in (frame, frame.to_dict("records")):
        pairs = list(run(f"canon {named} | shingle -k 1 | simjoin -t 1", table))
        assert [(pair["a"], pair["b"]) for pair in pairs] == [(7, 8)]
        assert list(groups(table, pairs, options="--id 0")) == [7, 7, 9]
        for left in (unique(table, pairs, options=named), unique(table, options=named)):
            assert [*left[0]] == [7, 9] if isinstance(left, pd.DataFrame) else [row[0] for row in left] == [7, 9]


def test_dicts_stay_the_same_objects(tmp_path: Path) -> None:
    """With NaN and what else JSON lacks, where it is not read; and with the marks of --annotate."""
    nan = float("nan")
    rows: list[Any] = [
        {"id": 1, "text": "The cats", "n": nan, "of": {1}},
        {"id": 2, "text": "the cats", "n": 1, "duplicate_of": 5},
        {"id": 2, "text": "the cats", "n": 1},
        {"id": 3, "text": nan, "n": b"a", "duplicate_of": 5},
        {"id": nan, "text": "birds", "n": nan},
        {"id": 4, "text": "birds", "n": nan, "of": object()},
    ]
    pairs = [{"a": 1, "b": 2, "similarity": 1.0}]
    for result in (unique(rows), unique(iter(rows), pairs), unique(rows, pairs, options="--keep min:id")):
        kept = list(result)
        assert [each["id"] for each in kept] == [1, 2, 3, 4]
        assert all(any(each is row for row in rows) for each in kept)
    lines = list(unique([rows[1], rows[4], *rows[1:3]], pairs).lines())
    assert [*map(json.loads, lines)] == [rows[1], *rows[1:3]]
    by_length = unique(rows, pairs, options="--keep longest")
    assert [each["id"] for each in by_length] == [1, 2, 4]
    assert 'dedup: -:4: field "text" is not a string' in by_length.messages
    marked = list(unique(rows, pairs, options="--annotate"))
    mark = {"duplicate_of": 1, "duplicate_by": {"rule": "first", "similarity": 1.0}}
    same = {name: value for name, value in rows[3].items() if name != "duplicate_of"}
    assert marked == [rows[0], {**rows[1], **mark}, rows[2], same, rows[5]]
    (marks,) = unique(rows, pairs, options="--annotate --marks")
    assert marks == {"id": 2, **mark}
    removed = tmp_path / "removed"
    assert (
        list(unique(rows[1:3], groups=[{"members": [2, 3]}], options=f"--keep none --removed {removed}")) == rows[2:3]
    )
    assert json.loads(removed.read_text()) == rows[1]
    mixed = unique([rows[0], b'{"id":2,"text":"b","x":1.0}', b'{"id":1,"text":""}'], pairs)
    assert list(mixed) == [rows[0], {"id": 1, "text": ""}]
    assert list(unique([b'{"id":1,"x":1.0}', rows[0]], pairs).lines()) == [b'{"id":1,"x":1.0}\n', b'{"id":1}\n']


def test_columns_of_arrow_that_cannot_be_taken() -> None:
    text = pa.array(["a", "a", "b", "a"])
    columns = {
        "id": pa.array(["a", "b", "c", "d"], pa.string_view()),
        "text": text.cast(pa.string_view()),
        "bytes": text.cast(pa.binary_view()),
        "runs": pa.RunEndEncodedArray.from_arrays([2, 3, 4], ["x", "y", "x"]),
        "odd": pa.array([{"x": [each]} for each in text.to_pylist()], pa.struct({"x": pa.list_(pa.string_view())})),
    }
    rows = pa.table(columns)
    left = unique(rows)
    assert left.schema == rows.schema
    assert left.to_pylist() == [rows.to_pylist()[0], rows.to_pylist()[2]]
    all_of_them = [{"members": ["a", "b", "c", "d"]}]
    for table in (rows, rows.select(["id", "text"]), pa.table({"id": [*"abcd"], "text": text})):
        none = unique(table, groups=all_of_them, options="--keep none")
        assert (none.schema, len(none)) == (table.schema, 0)


@pytest.mark.parametrize("library", ["pandas", "polars", "dicts"])
def test_pairs_that_come_back_from_a_frame(library: str) -> None:
    """Copies are marked in some pairs only, so the others have a missing value."""
    rows = [{"id": number, "text": text} for number, text in enumerate(["a b c", "a b c", "a b c d", "x"])]
    join = "canon | shingle -k 1 | simjoin -t 0.5 --copies once"
    table: Any = run(join, rows).to_polars() if library == "polars" else run(join, rows).to_pandas()
    pairs = table.to_dict("records") if library == "dicts" else table
    assert [record["id"] for record in unique(rows, pairs)] == [0, 3]
    assert unique(pd.DataFrame(rows), pairs)["id"].to_list() == [0, 3]
    assert groups(rows, pairs) == [0, 0, 0, 3]
    assert list(run("simgroup", pairs)) == list(run("simgroup", run(join, rows)))


def test_integers_stay_exact_in_frames() -> None:
    large = 9007199254740993
    rows: list[Any] = [{"id": large, "text": "a"}, {"id": 2, "text": "a"}, {"id": 3, "text": "b"}]
    result = unique(rows, [{"a": large, "b": 2}], options="--annotate").to_pandas()
    assert result["duplicate_of"].dropna().to_list() == [large]
    unsigned = [{"id": 1 << 63, "text": "a"}, {"id": (1 << 64) - 1, "text": "b"}]
    assert run("canon", unsigned).to_arrow()["id"].to_pylist() == [1 << 63, (1 << 64) - 1]
    assert run("canon", unsigned).to_polars()["id"].to_list() == [1 << 63, (1 << 64) - 1]
    with pytest.raises(Failed, match=r"to_arrow\(\): field 'n': integers that 64 bits do not hold"):
        run("canon", [{"id": 1, "text": "a", "n": 1 << 64}]).to_arrow()


def test_unique_names_the_first_bad_record_if_none_is_good() -> None:
    with pytest.raises(Failed, match="canon: -: not one good record") as failed:
        unique(pd.DataFrame({"id": [True, False], "text": ["a", "b"]}))
    assert failed.value.__notes__ == ['canon: -:1: field "id" is neither a string nor an integer of 64 bits']


def test_columns_that_cannot_be_documents_are_named() -> None:
    floats = pd.DataFrame({"id": [1, None], "text": ["a", "b"]})
    made = 'pandas makes them of integers beside missing ones, unless their type is "Int64"'
    message = f'the column "id" has floats, which cannot be ids; {made}'
    for call, said in (
        (lambda: list(run("canon", floats)), f"canon: documents: {message}"),
        (lambda: unique(pl.from_pandas(floats), [{"a": 1, "b": 2}]), f"dedup: documents: {message}"),
        (lambda: groups(floats, [{"a": 1, "b": 2}]), f"documents: {message}"),
    ):
        with pytest.raises(Failed) as failed:
            call()
        assert str(failed.value) == said
    assert [each["id"] for each in run("canon", floats.convert_dtypes())] == [1]
    texts = pd.DataFrame({"id": pd.Series(["a", np.nan, "c"], dtype=object), "text": ["a", "b", "a"]})
    assert groups(texts, [{"a": "a", "b": "c"}]).dropna().to_list() == ["a", "a"]
    with pytest.warns(UserWarning, match='dedup: -:2: field "id" is neither a string nor an integer of 64 bits'):
        assert unique(texts, [{"a": "a", "b": "c", "similarity": 1}])["id"].to_list() == ["a"]
    bad: list[Any] = [1.5, True, [1], 1 << 64]
    for each in bad:
        with pytest.raises(Failed, match='document 2: field "id" is neither a string nor an integer of 64 bits'):
            groups(pd.DataFrame({"id": pd.Series(["a", each], dtype=object)}), [])
        with pytest.raises(Failed, match='document 2: field "id" is neither a string nor an integer of 64 bits'):
            groups([{"id": 1}, {"id": each}], [])
    assert next(run("simgroup", pd.DataFrame({"a": [1], "b": [2], "id": [0.5]})))["members"] == [1, 2]
    for column in (floats["text"], pl.Series(["a"])):
        with pytest.raises(TypeError, match=r"documents are one column: to_frame\(\) makes a table of it"):
            list(run("canon", column))
    with pytest.raises(Failed, match=r"not a table of Arrow: .* non-struct"):
        list(run("canon", pa.chunked_array([["a"]])))


def test_what_frames_cannot_have() -> None:
    frame = pd.DataFrame(ROWS[:2])
    with pytest.raises(Failed, match="--number: rows of a data frame need a column of ids"):
        unique(frame, options="--number --keep longest")
    with pytest.raises(Failed, match=r"^the pipeline: no closing quotation$"):
        unique(frame, options="--keep 'longest")
    with pytest.raises(Failed, match="--annotate: rows of a data frame get no marks"):
        unique(frame, [{"a": 1, "b": 3}], options="--annotate")
    with pytest.raises(Failed, match='documents: no column "Nr" among "id", "text", "n"'):
        groups(frame, [{"a": 1, "b": 3}], options="--id Nr")
    with pytest.raises(Failed, match='no field "Nr"; options="--id NAME" says which is meant'):
        groups(ROWS, [], options="--id Nr")
    with pytest.raises(TypeError, match="a document is a dict or a line of JSON in bytes, not int"):
        groups(cast(Any, [1]), [])
    assert groups([b'{"id":1}', {"id": 2}], [{"a": 2, "b": 1}]) == [2, 2]
    assert groups([{"Nr": 1}, {"Nr": "b"}], [{"a": 1, "b": "b"}], options="--id Nr") == [1, 1]


def test_a_full_disk_fails_where_pairs_wait() -> None:
    """Wherever it becomes full, also between two lines, after which the rest would be a file without faults."""
    pairs = [{"a": n, "b": n + 1, "similarity": 1.0} for n in range(0, 200, 2)]
    ends = np.cumsum([len(orjson.dumps(pair)) + 1 for pair in pairs]).tolist()
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    for limit in (ends[50], ends[50] + 1, ends[-1] - 1):
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, before[1]))
        try:
            with pytest.raises(Failed, match="File too large"):
                list(unique(RECORDS, pairs))
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_archive(tmp_path: Path) -> None:
    to_sketches = "canon | shingle -k 10 | sketch"
    folder = str(tmp_path / "an archive")
    list(run(f"{to_sketches} | simindex add '{folder}'", RECORDS[:20]))
    expected = written(f"{to_sketches} | simjoin --against '{folder}'", RECORDS[20:])
    assert expected
    with Archive(folder, to_sketches) as archive, ThreadPoolExecutor(4) as pool:
        assert len(archive) == 20
        for answer in pool.map(lambda part: b"".join(archive.query(part).lines()), [RECORDS[20:]] * 8):
            assert answer == expected
        each = [archive.query([record]) for record in RECORDS[20:]]
        assert b"".join(line for result in each for line in result.lines()) == expected
        with pytest.raises(Failed, match='by "canon/4 stop=en'):
            list(Archive(folder, "canon --stop en | shingle | sketch").query(RECORDS))
    with Archive(Path(folder), options="-t 0.99") as strictly:
        assert {each["similarity"] for each in strictly.query(run(to_sketches, RECORDS[20:]))} <= {1.0}
    with pytest.raises(Failed, match="nowhere"):
        Archive("nowhere")
    for options, message in (
        ("-t 0.5", "made for -t 0.8 .68 of 84 components., not for -t 0.5 .42."),
        ("-d 3", "-d counts the bits"),
        (f"--against '{folder}'", "only one archive"),
    ):
        with pytest.raises(Failed, match=message):
            Archive(folder, options=options)
    closed = Archive(os.fsencode(folder), to_sketches)
    begun = closed.query(RECORDS[20:])
    closed.close()
    for result in (begun, closed.query(RECORDS[20:]), closed.query([])):
        with pytest.raises(Failed, match="an archive: the archive is closed"):
            list(result)


def test_threads(pairs: bytes) -> None:
    """Several at a time, of one pipeline and of others; and with output files."""
    pipeline = Pipeline(TO_PAIRS)
    with ThreadPoolExecutor(8) as pool:
        runs = [pool.submit(written, each, RECORDS) for each in [TO_PAIRS] * 8]
        runs += [pool.submit(lambda: b"".join(pipeline(RECORDS).lines())) for _ in range(16)]
        assert {each.result() for each in runs} == {pairs}


def test_files_that_options_name_from_threads(tmp_path: Path) -> None:
    documents = [*RECORDS[:20], {"id": 1}]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda n: list(run(f"canon --rejects '{tmp_path}/{n}'", documents)), range(40)))
        list(
            pool.map(
                lambda n: list(
                    unique(
                        RECORDS, [{"a": "abinit-data", "b": "abinit-doc"}], options=f"--removed '{tmp_path}/removed{n}'"
                    )
                ),
                range(40),
            )
        )
    sizes = {path.name: path.stat().st_size for path in tmp_path.iterdir()}
    assert len(sizes) == 80
    assert len({size for name, size in sizes.items() if name.startswith("removed")}) == 1
