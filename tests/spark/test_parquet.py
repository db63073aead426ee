"""Parquet in and out: what filters make of it, and what they leave alone."""

import json
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from harness import DOCS, Ran, jsonl, pipe, run
from spark.packing import rejects_of

Simspark = Callable[..., Ran]
RECORDS = [json.loads(line) for line in DOCS.read_bytes().splitlines()]
NUMBERED = [{"id": number, "text": record["text"]} for number, record in enumerate(RECORDS)]
BAD = pa.array([b"caf\xe9", b"caf"]).view(pa.string())


def written(path: Path) -> pa.Table:
    """Its rows, by their ids; Spark writes times of nanoseconds without a zone."""
    return pq.read_table(path).sort_by("id")


def kept(folder: Path) -> Mapping[str, list[tuple[str, bytes]]]:
    return {each.name: rejects_of(each) for each in sorted(folder.iterdir())}


def test_other_columns_are_carried_along(simspark: Simspark, tmp_path: Path) -> None:
    """Those that JSON cannot hold, too; from several files, row groups and batches."""
    count = len(NUMBERED)
    moment = datetime(2026, 3, 4, 5, 6, 7, 123456, UTC)
    nested = pa.struct([("a.b", pa.list_(pa.float32())), ("c", pa.map_(pa.int32(), pa.binary()))])
    others = {
        "zone": pa.array(
            [moment + timedelta(microseconds=number) for number in range(count)], pa.timestamp("us", "UTC")
        ),
        "none": pa.array([moment.replace(tzinfo=None)] * count, pa.timestamp("us")),
        "day": pa.array([moment.date()] * count),
        "amount": pa.array([Decimal("12345678901234567890.123456789")] * count, pa.decimal128(38, 9)),
        "bytes": pa.array([b"\xff\x00"] * count, pa.binary()),
        "no text": pa.array(["", "x"] * (count // 2)),
        "nested": pa.array([{"a.b": [0.1, None, float("nan")], "c": [(1, b"\xff")]}, None] * (count // 2), nested),
        "keys": pa.array([[(b"\xff", number)] for number in range(count)], pa.map_(pa.binary(), pa.int64())),
        "large": pa.array([2**63 - number for number in range(count)], pa.uint64()),
        "ratio": pa.array([float("nan"), float("inf"), -0.0] * (count // 3)),
        "yes": pa.array([True, None, False] * (count // 3)),
        "small": pa.array([-1] * count, pa.int8()),
    }
    names = list(others)
    table = pa.table(
        {
            **{name: others[name] for name in names[:5]},
            "text": [each["text"] for each in NUMBERED],
            **{name: others[name] for name in names[5:]},
            "id": range(count),
        }
    )
    folder, out = tmp_path / "docs.parquet", tmp_path / "out.parquet"
    folder.mkdir()
    for number, start in enumerate((0, 10, 110)):
        stop = (10, 110, count)[number]
        pq.write_table(table.slice(start, stop - start), folder / f"{number}.parquet", row_group_size=40)
    ran = simspark("canon | shingle -k 3", "-v", "--in", folder, "--out", out)
    assert (ran.status, ran.err[: ran.err.rindex(",")]) == (0, "simspark: 300 lines read, 0 rejected, 300 written")
    found = written(out)
    assert found.column_names == [*names[:5], "shingles", *names[5:], "id", "via"]
    for name, values in others.items():
        kind = {"zone": values.type, "large": values.type}.get(name)  # as which Spark has others
        column = found.column(name).combine_chunks()
        assert repr((column.cast(kind) if kind else column).to_pylist()) == repr(values.to_pylist()), name
    expected = [json.loads(line) for line in pipe(jsonl(*NUMBERED), "canon", "shingle -k 3").splitlines()]
    assert found.select(["id", "shingles", "via"]).to_pylist() == [
        {name: record[name] for name in ("id", "shingles", "via")} for record in expected
    ]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["docs.parquet", "out.parquet"]
    assert (out / "_SUCCESS").exists()


BEFORE = (), ("shingles", "text", "via"), ("via", "text", "sketch", "shingles", "at")


@pytest.mark.parametrize(
    ("commands", "before"),
    [
        (("canon --text more", "shingle --text more -k 2"), BEFORE[1]),
        (("canon --offsets --text more", "shingle --text more -k 2", "sketch -n 2"), BEFORE[2]),
        (("shingle --readable -k 2",), BEFORE[1]),
        (("shingle -k 2", "sketch -n 4 --keep", "sketch --simhash"), BEFORE[2]),
    ],
)
def test_columns_are_the_members_of_lines(
    commands: tuple[str, ...], before: tuple[str, ...], simspark: Simspark, tmp_path: Path
) -> None:
    """Also where the payload's new name is there already."""
    stale = {"shingles": "0" * 16, "sketch": "stale", "via": "of old", "at": "there"}
    texts = ["One two, three", 'a "quoted"\n\t\\ \u00e9\u2028\x00 100%', "", "one"]
    records = [
        {**{name: stale.get(name) for name in before}, "more": text, "id": f"%d{number}", "text": text}
        for number, text in enumerate(texts)
    ]
    table = pa.Table.from_pylist(records)
    assert simspark(" | ".join(commands), table=table, to="o.parquet").status == 0
    expected = [json.loads(line) for line in pipe(jsonl(*records), *commands).splitlines()]
    found = written(tmp_path / "o.parquet").to_pylist()
    assert [list(each.items()) for each in found] == [list(each.items()) for each in expected]


IDS: list[Any] = [
    pa.array([1, None, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]),
    pa.array([1.5] * 12),
    pa.array([Decimal(1)] * 12, pa.decimal128(20, 0)),
    pa.array([Decimal("1.5")] * 12, pa.decimal128(20, 1)),
    pa.array([datetime(2026, 1, 1, tzinfo=UTC)] * 12, pa.timestamp("us", "UTC")),
    pa.array([b"a", None, b"\xff"] * 4, pa.binary()),
    pa.array([True] * 12),
    pa.array([["a"]] * 12),
    None,
]


@pytest.mark.parametrize(("ids", "pipeline"), [*((ids, "canon") for ids in IDS[5::3]), (IDS[0], "sketch -n 1 | canon")])
def test_rejects_are_those_of_lines(ids: Any, pipeline: str, simspark: Simspark, tmp_path: Path) -> None:
    """The same records, in the same words but for places, whatever filter it is that rejects them."""
    texts = [b"a b", None, b"caf\xe9", b"", b"c d"] + [b"\xff"] * 3 + [b"a"] * 4
    columns = {
        "text": pa.array(texts, pa.binary()),
        "more": pa.array(range(12)),
        "shingles": pa.array(["0" * 16, "no", None] * 4),
    } | ({"id": ids} if ids is not None else {})
    (tmp_path / "docs.parquet").mkdir()
    for number, start in enumerate((0, 5)):
        some = pa.table(columns).slice(start, 5 + 2 * number)
        pq.write_table(some, tmp_path / "docs.parquet" / f"{number}.parquet", row_group_size=2)
    read = "--in", tmp_path / "docs.parquet", "--allow-rejects", "12"  # or a run without a good row would fail
    as_lines = simspark(pipeline, *read, "--rejects", tmp_path / "lines")
    ran = simspark(pipeline, *read, "--rejects", tmp_path / "rows", "--out", tmp_path / "o.parquet")
    assert as_lines.status == 0
    assert ran.status == 0
    rows, lines = (
        {name: [(cause.partition(" (")[0], line) for cause, line in some] for name, some in kept(folder).items()}
        for folder in (tmp_path / "rows", tmp_path / "lines")
    )
    assert rows == lines != {}
    expected = [json.loads(line) for line in as_lines.out.splitlines()]
    found = pq.read_table(tmp_path / "o.parquet")
    assert found.column_names == [
        "text",
        "more",
        "sketch" if "sketch" in pipeline else "shingles",
        *(["id"] if ids is not None else []),
        "via",
    ]
    assert found.drop_columns("id" if ids is not None else []).sort_by("more").to_pylist() == [
        {name: value for name, value in each.items() if name != "id"} for each in expected
    ]


def test_rejects_are_counted(simspark: Simspark, tmp_path: Path) -> None:
    texts = [record["text"] if number % 3 else None for number, record in enumerate(RECORDS)]
    pq.write_table(pa.table({"id": range(300), "text": texts}), tmp_path / "docs.parquet", row_group_size=30)
    ran = simspark("canon", "-v", "--in", tmp_path / "docs.parquet", "--out", tmp_path / "o.parquet")
    assert ran.status == 1
    *said, figures = ran.err.splitlines()
    assert said == ['simspark: canon: field "text" is not a string (100 records)']
    assert figures.startswith("simspark: 300 lines read, 100 rejected, 200 written, ")
    assert written(tmp_path / "o.parquet").num_rows == 200


@pytest.mark.usefixtures("large_splits")
def test_a_large_row_is_rejected(simspark: Simspark, tmp_path: Path) -> None:
    table = pa.table({"id": [1], "text": pa.array([None], pa.string()), "more": ["x" * 11_000_000]})
    ran = simspark("canon", "--allow-rejects", "1", "--rejects", tmp_path / "r", table=table, to="o.parquet")
    assert (ran.status, ran.err) == (0, 'simspark: canon: field "text" is not a string\n')
    ((_, line),) = kept(tmp_path / "r")["1-canon"]
    assert json.loads(line) == table.to_pylist()[0]


@pytest.mark.usefixtures("case_sensitive")
def test_columns_that_differ_in_case(simspark: Simspark, tmp_path: Path) -> None:
    table = pa.table({"ID": [0, 1], "id": [1, 2], "text": ["A", None], "Text": ["b", "c"]})
    assert simspark("canon", "--rejects", tmp_path / "r", table=table, to="o.parquet").status == 1
    (part,) = (tmp_path / "o.parquet").glob("part-*")
    assert pq.read_table(part).to_pylist() == [{"ID": 0, "id": 1, "text": "a", "Text": "b", "via": "canon/4"}]
    assert [line for _, line in kept(tmp_path / "r")["1-canon"]] == [b'{"ID":1,"id":2,"text":null,"Text":"c"}']


@pytest.mark.parametrize("texts", [[], [None, None]])
def test_no_row_is_left(texts: list[None], simspark: Simspark, tmp_path: Path) -> None:
    day = pa.array([None] * len(texts), pa.date32())
    columns = {"text": pa.array(texts, pa.string()), "day": day, "id": pa.array(range(len(texts)), pa.int32())}
    options = ["--allow-rejects", "2"]  # or the run would fail, since no row is good
    assert simspark("shingle --readable", *options, table=pa.table(columns), to="o.parquet").status == 0
    found = pq.read_table(tmp_path / "o.parquet")
    assert found.num_rows == 0
    assert [(field.name, str(field.type)) for field in found.schema] == [
        ("shingles", "list<element: string>"),
        ("day", "date32[day]"),
        ("id", "int32"),
        ("via", "string"),
    ]
    assert (tmp_path / "o.parquet" / "_SUCCESS").exists()


def test_several_fields(simspark: Simspark, tmp_path: Path) -> None:
    """From Parquet to JSON lines and to Parquet, as in the shell."""
    rows: list[dict[str, Any]] = [
        {"id": 1, "title": "The Cat", "by": None, "meta": {"body": "sat"}, "n": 1.5},
        {"id": 2, "title": None, "by": "É", "meta": None, "n": None},
        {"id": 3, "title": None, "by": None, "meta": {"body": None}, "n": 2.5},
    ]
    table = pa.Table.from_pylist(rows)
    (tmp_path / "docs").write_bytes(jsonl(*rows))
    command = "canon --text by,title,meta.body,none"
    shell = run(command, tmp_path / "docs")
    assert [json.loads(line)["text"] for line in shell.out.splitlines()] == ["the cat sat", "é"]
    ran = simspark(command, table=table, to="lines")
    assert (ran.status, 'fields "by", "title", "meta.body", "none" are missing' in ran.err) == (1, True)
    assert [*map(json.loads, ran.out.splitlines())] == [*map(json.loads, shell.out.splitlines())]
    command, shingle = "canon --text by,title,none", "shingle --spots ru -k 2"
    ran = simspark(f"{command} | {shingle}", table=table, to="o.parquet")
    made = run(shingle, stdin=run(command, tmp_path / "docs").out)
    assert (ran.status, pq.read_table(tmp_path / "o.parquet").to_pylist()) == (
        1,
        [*map(json.loads, made.out.splitlines())],
    )


def test_odd_names(simspark: Simspark, tmp_path: Path) -> None:
    """Those that the work has names for, too."""
    names = [
        "`a.b`",
        "a.b",
        "A b",
        "%s",
        "0",
        "1",
        "part",
        "file",
        "block",
        "kind0",
        "KIND1",
        "about",
        "made0",
        "rest",
        "_metadata",
        "\u00e9\"'",
    ]
    table = pa.table({"id`.%s": [1.5, 2, 3], **{name: [name, None, name] for name in names}, "te.xt": ["A", "B", None]})
    table, named = table.set_column(0, "id`.%s", pa.array([1, 2, 3])), "--id 'id`.%s' --text te.xt"
    ran = simspark(f"canon {named}", "--rejects", tmp_path / "bad", table=table, to="o.parquet")
    assert (ran.status, ran.err.count("\n")) == (1, 1)
    assert pq.read_table(tmp_path / "o.parquet").to_pylist() == [
        {"id`.%s": 1, **{name: name for name in names}, "te.xt": "a", "named": named, "via": "canon/4"},
        {"id`.%s": 2, **dict.fromkeys(names), "te.xt": "b", "named": named, "via": "canon/4"},
    ]
    ((_, line),) = kept(tmp_path / "bad")["1-canon"]
    assert json.loads(line) == {"id`.%s": 3, **{name: name for name in names}, "te.xt": None}


def test_several_inputs_of_different_columns(simspark: Simspark, tmp_path: Path) -> None:
    """Null where there is no such column; it counts as missing, not as null, to the filters."""
    struct = pa.struct([("x", pa.int64())])
    one = pa.table({"id": pa.array([1], pa.int32()), "text": ["a"], "old": pa.array([{"x": 1}], struct)})
    two = pa.table({"via": ["of old"], "text": [b"B"], "id": [2**40], "new": [True], "old": pa.array([None], struct)})
    three = pa.table({"id": [3]})
    for name, table in (("1", one), ("2", two), ("3", three)):
        pq.write_table(table, tmp_path / f"{name}.parquet")
    words = [word for name in "123" for word in ("--in", tmp_path / f"{name}.parquet")]
    ran = simspark("canon", *words, to="o.parquet")
    assert (ran.status, ran.err) == (1, 'simspark: canon: field "text" is missing\n')
    assert written(tmp_path / "o.parquet").to_pylist() == [
        {"id": 1, "text": "a", "old": {"x": 1}, "via": "canon/4", "new": None},
        {"id": 2**40, "text": "b", "old": None, "via": "of old | canon/4", "new": True},
    ]


@pytest.mark.parametrize("pipeline", ["canon", "dedup --pairs {}"])
def test_one_input_twice(pipeline: str, simspark: Simspark, tmp_path: Path) -> None:
    """Filters take it twice, and so does dedup, but for documents that go."""
    pq.write_table(pa.Table.from_pylist(NUMBERED[:9]), tmp_path / "docs.parquet")
    (tmp_path / "pairs").write_bytes(jsonl({"a": 1, "b": 2}))
    twice = ("--in", tmp_path / "docs.parquet") * 2
    ran = simspark(pipeline.format(tmp_path / "pairs"), *twice, to="o.parquet")
    ids = sorted([*range(9), *range(9)] if pipeline == "canon" else [0, 1, *range(3, 9), *range(9)])
    assert (ran.status, written(tmp_path / "o.parquet").column("id").to_pylist()) == (0, ids)


def test_inputs_that_no_column_holds(simspark: Simspark, tmp_path: Path) -> None:
    pq.write_table(pa.table({"id": [1], "text": ["a"], "n": [1]}), tmp_path / "1.parquet")
    pq.write_table(pa.table({"id": [1], "text": ["a"], "n": [0.5]}), tmp_path / "2.parquet")
    ran = simspark("canon", "--in", tmp_path / "1.parquet", "--in", tmp_path / "2.parquet", to="o.parquet")
    said = f'--in {tmp_path}/2.parquet: column "n": double, but --in {tmp_path}/1.parquet has bigint'
    assert (ran.status, ran.err) == (2, f"simspark: {said}\n")
    assert not (tmp_path / "o.parquet").exists()


def test_what_arrow_cannot_hold(simspark: Simspark, spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "docs.parquet"
    spark.sql("select 1 id, 'a' text, make_ym_interval(1, 2) age").write.parquet(str(path))
    ran = simspark("canon", "--in", path, to="o.parquet")
    assert (ran.status, "YearMonthInterval" in ran.err) == (2, True), ran.err


def test_compressed_rows(simspark: Simspark, tmp_path: Path) -> None:
    assert simspark("canon", "--gzip", table=pa.table({"id": [1], "text": ["a"]}), to="o.parquet").status == 0
    (part,) = (tmp_path / "o.parquet").glob("part-*")
    assert pq.read_metadata(part).row_group(0).column(0).compression == "GZIP"


@pytest.mark.parametrize("rejects", [False, True])
def test_a_join_reads_the_columns_of_its_commands(rejects: bool, simspark: Simspark, tmp_path: Path) -> None:
    """Another one makes no record bad; if bad ones are to be kept, they have all columns."""
    records = [*NUMBERED, {"id": 300, "text": None}]
    columns = {name: [record[name] for record in records] for name in ("id", "text")}
    other = pa.array([b"caf\xe9"] * len(records), pa.binary())
    table = pa.table(columns | {"other": other if rejects else other.view(pa.string())})
    commands = "canon", "shingle -k 3", "sketch", "simjoin -t 0.5"
    words = ["--rejects", tmp_path / "bad"] if rejects else []
    ran = simspark(" | ".join(commands), *words, table=table)
    assert (ran.status, ran.out) == (1, pipe(jsonl(*NUMBERED), *commands))
    assert ran.err == 'simspark: canon: field "text" is not a string\n'
    if rejects:
        assert [line for _, line in kept(tmp_path / "bad")["1-canon"]] == [b'{"id":300,"text":null,"other":"Y2Fm6Q=="}']
