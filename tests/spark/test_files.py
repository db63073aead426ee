"""What simspark reads and writes."""

import bz2
import gzip
import json
import lzma
from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from decimal import Decimal
from pathlib import Path

import orjson
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from harness import DOCS, Ran, jsonl, pipe, run
from shingletools.spark.storage import Storage
from shingletools.system.lazy_imports import zstd
from spark.packing import rejects_of

Simspark = Callable[..., Ran]
LINES = DOCS.read_bytes().splitlines(keepends=True)


def test_files_in_the_order_of_their_names(simspark: Simspark, tmp_path: Path) -> None:
    """However many tasks read them, and in whatever order: the largest is read first."""
    (tmp_path / "b.jsonl.gz").write_bytes(gzip.compress(b"".join(LINES[:20])))
    (tmp_path / "c.jsonl").write_bytes(b"".join(LINES[20:200]))
    (tmp_path / "d.jsonl.bz2").write_bytes(bz2.compress(b"".join(LINES[200:])))
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "part-1").write_bytes(jsonl({"id": "of a folder", "text": "a"}))
    ran = simspark("canon", "--in", tmp_path / "?.jsonl*", "--in", tmp_path / "a")
    expected = b"".join(LINES) + jsonl({"id": "of a folder", "text": "a"})
    assert ran.good() == pipe(expected, "canon")


def test_compression_that_java_does_not_know(simspark: Simspark, tmp_path: Path) -> None:
    """Python reads these files; and data that are compressed, but not by their name, fail the run."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.xz").write_bytes(lzma.compress(b"\xef\xbb\xbf" + b"".join(LINES[:9])))
    (tmp_path / "docs" / "b").write_bytes(b"".join(LINES[9:20]))
    (tmp_path / "docs" / "c.zst").write_bytes(zstd.compress(b"".join(LINES[20:40])[:-1]))
    assert simspark("canon", "--in", tmp_path / "docs").good() == pipe(b"".join(LINES[:40]), "canon")
    (tmp_path / "docs" / "d").write_bytes(gzip.compress(b"".join(LINES[:9])))
    ran = simspark("canon", "--in", tmp_path / "docs", "--out", tmp_path / "none")
    assert (ran.status, "gzip data" in ran.err) == (2, True)


def test_names_with_letters_that_spark_writes_otherwise(simspark: Simspark, tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    for number, name in enumerate(["x a", "x!", "xA", "x[", "x\u00e9"]):
        (tmp_path / "docs" / name).write_bytes(LINES[number])
    assert simspark("canon", "--in", tmp_path / "docs").good() == pipe(b"".join(LINES[:5]), "canon")


def test_many_small_files(simspark: Simspark, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Few larger ones come of them, in the same order."""
    monkeypatch.setattr("shingletools.spark.run.MOST_FILES", 9)
    (tmp_path / "docs").mkdir()
    for number in range(10):
        (tmp_path / "docs" / f"{number}").write_bytes(b"".join(LINES[30 * number : 30 * number + 30]))
    ran = simspark("canon", "--in", tmp_path / "docs")
    assert ran.good() == pipe(DOCS.read_bytes(), "canon")
    assert len(list((tmp_path / "out").glob("part-*"))) == 5


def test_parquet(simspark: Simspark, spark: SparkSession, tmp_path: Path) -> None:
    """By the way that is not the quick one here: code that Spark makes of what is asked."""
    before = str(spark.conf.get("spark.sql.codegen.factoryMode"))
    spark.conf.set("spark.sql.codegen.wholeStage", "true")
    spark.conf.set("spark.sql.codegen.factoryMode", "CODEGEN_ONLY")
    records = [{"id": number, "text": json.loads(line)["text"], "more": None} for number, line in enumerate(LINES)]
    pq.write_table(pa.Table.from_pylist(records), tmp_path / "docs.parquet", row_group_size=50)
    commands = "canon", "shingle -k 3", "sketch", "simjoin -t 0.5"
    try:
        ran = simspark(" | ".join(commands), "--in", tmp_path / "docs.parquet")
    finally:
        spark.conf.set("spark.sql.codegen.wholeStage", "false")
        spark.conf.set("spark.sql.codegen.factoryMode", before)
    assert ran.good() == pipe(jsonl(*records), *commands)


def test_parquet_is_written(simspark: Simspark, tmp_path: Path) -> None:
    out = tmp_path / "words.parquet"
    ran = simspark("canon", "-v", "--in", DOCS, "--out", out)
    assert (ran.status, ran.err[: ran.err.rindex(",")]) == (0, "simspark: 300 lines read, 0 rejected, 300 written")
    expected = [json.loads(line) for line in pipe(DOCS.read_bytes(), "canon").splitlines()]
    assert pq.read_table(out).sort_by("id").to_pylist() == sorted(expected, key=lambda record: str(record["id"]))


def test_bytes_in_parquet(simspark: Simspark, tmp_path: Path) -> None:
    """Text, as which many programs write it, where commands read it."""
    texts = ["Caf\u00e9", None, ""]
    columns = {
        "id": [0, 1, 2, 3],
        "text": [text and text.encode() for text in texts] + [b"caf\xe9"],
        "no": [b"\xff"] * 4,
    }
    ran = simspark("canon", "--rejects", tmp_path / "bad", table=pa.table(columns))
    records = [orjson.dumps({"id": number, "text": texts[number], "no": "/w=="}) for number in (0, 2)]
    expected = pipe(b"\n".join(records), "canon")
    assert (ran.status, ran.out) == (1, expected)
    (cause, kept), (other, _) = rejects_of(tmp_path / "bad" / "1-canon")
    assert (cause, other[:9]) == ('field "text" is not a string', "not UTF-8")
    assert json.loads(kept) == {"id": 1, "text": None, "no": "/w=="}


@pytest.mark.usefixtures("large_splits")
def test_a_large_line_is_rejected(simspark: Simspark, tmp_path: Path) -> None:
    line = jsonl({"id": 1, "more": "x" * 11_000_000})
    (tmp_path / "docs").write_bytes(line)
    ran = simspark("canon", "--in", tmp_path / "docs", "--rejects", tmp_path / "bad")
    assert (ran.status, ran.err.splitlines()[0]) == (2, 'simspark: canon: field "text" is missing')
    assert rejects_of(tmp_path / "bad" / "1-canon") == [('field "text" is missing', line[:-1])]


@pytest.mark.usefixtures("large_splits")
def test_a_large_string_in_parquet(simspark: Simspark, tmp_path: Path) -> None:
    record = {"id": 1, "more": "x" * 21_000_000, "text": "a"}
    (tmp_path / "docs").write_bytes(jsonl(record))
    assert simspark("canon", "--in", tmp_path / "docs", "--out", tmp_path / "o.parquet").status == 0
    assert pq.read_table(tmp_path / "o.parquet").to_pylist() == [record | {"via": "canon/4"}]


def test_strings_that_are_none(simspark: Simspark, tmp_path: Path) -> None:
    """However deep."""
    bad = pa.array([b"caf\xe9", b"caf"]).view(pa.string())
    lists = pa.ListArray.from_arrays(pa.array([0, 1, 2]), bad)
    structs = pa.StructArray.from_arrays([lists], ["a.b"])
    maps = pa.MapArray.from_arrays(pa.array([0, 1, 2]), pa.array(["x", "y"]), structs)
    for column in (bad, lists, structs, maps):
        path, out = tmp_path / f"{type(column).__name__}.parquet", tmp_path / type(column).__name__
        pq.write_table(pa.table({"id": [1, 2], "text": ["a", "a"], "more": column}), path)
        ran = simspark("canon", "--in", path, "--out", out)
        assert ran.status == 1
        assert ran.err.startswith("simspark: canon: not UTF-8")
        (part,) = out.glob("part-*")
        assert [json.loads(line)["id"] for line in part.read_bytes().splitlines()] == [2]


@pytest.mark.usefixtures("case_sensitive")
def test_columns_that_differ_in_case(simspark: Simspark, tmp_path: Path) -> None:
    (tmp_path / "groups").write_bytes(b"")
    table = pa.table({"id": [1], "text": ["a"], "Text": ["b"]})
    assert simspark(f"dedup --groups {tmp_path / 'groups'}", table=table, to="o.parquet").status == 0
    rows = [row for part in (tmp_path / "o.parquet").glob("part-*") for row in pq.read_table(part).to_pylist()]
    assert rows == [{"Text": "b", "id": 1, "text": "a"}]


def test_values_of_parquet(simspark: Simspark) -> None:
    moment = datetime(2026, 3, 4, 5, 6, 7, 123456)
    aware = moment.replace(tzinfo=timezone(timedelta(hours=2)))
    row = {"id": "x", "text": "a", "moment": moment, "aware": aware, "day": moment.date(), "no": float("nan")}
    assert json.loads(simspark("canon", table=pa.Table.from_pylist([row])).good()) == {
        "id": "x",
        "text": "a",
        "moment": "2026-03-04T05:06:07.123456",
        "aware": "2026-03-04T03:06:07.123456Z",
        "day": "2026-03-04",
        "no": "NaN",
        "via": "canon/4",
    }


TEXT = pa.string()


@pytest.mark.parametrize(
    ("pipeline", "columns"),
    [
        ("simjoin --against {0}", {"a": TEXT, "against": pa.bool_(), "b": TEXT, "similarity": pa.float64()}),
        ("simjoin | simgroup", {"group": TEXT, "members": pa.list_(TEXT), "size": pa.int64()}),
        ("dedup --id 'a`b' --groups {0} --removed {1}", {"a`b": TEXT}),
        ("canon | shingle", {"id": TEXT, "shingles": TEXT, "via": TEXT}),
    ],
)
def test_parquet_of_nothing(pipeline: str, columns: dict[str, pa.DataType], simspark: Simspark, tmp_path: Path) -> None:
    empty, out, removed = tmp_path / "empty", tmp_path / "no.parquet", tmp_path / "removed.parquet"
    empty.write_bytes(b"")
    assert simspark(pipeline.format(empty, removed), "--in", empty, "--out", out).status == 0
    for path in (out, removed) if "--removed" in pipeline else (out,):
        table = pq.read_table(path)
        assert (table.num_rows, [(each.name, str(each.type).replace("element", "item")) for each in table.schema]) == (
            0,
            [(name, str(kind)) for name, kind in columns.items()],
        )


def test_removed_as_parquet(simspark: Simspark, tmp_path: Path) -> None:
    groups, removed = tmp_path / "groups", tmp_path / "new" / "removed.parquet"
    ids = [json.loads(line)["id"] for line in LINES]
    groups.write_bytes(jsonl({"members": ids[:3]}))
    ran = simspark(f"dedup --groups {groups} --removed {removed}", "--in", DOCS, "--gzip")
    assert ran.status == 0
    assert sorted(pq.read_table(removed).column("id").to_pylist()) == sorted(ids[1:3])
    (part,) = removed.glob("part-*")
    assert pq.read_metadata(part).row_group(0).column(0).compression == "GZIP"


def test_rows_that_dedup_leaves_alone(simspark: Simspark, tmp_path: Path) -> None:
    """Keep their columns, with types that JSON does not have; of several inputs, with a bad row."""
    table = pa.table(
        {
            "id": pa.array([0, 1, 2, None, 4, 5], pa.int32()),
            "time": pa.array([datetime(9999, 12, 31, 5, 6, 7, number) for number in range(6)], pa.timestamp("us")),
            "zone": pa.array([datetime(1500, 1, 1, 5, 6, 7, number) for number in range(6)], pa.timestamp("us", "UTC")),
            "amount": pa.array([Decimal("1234567890123.45")] * 6, pa.decimal128(38, 9)),
            "keys": pa.array([[(b"\xff", number)] for number in range(6)], pa.map_(pa.binary(), pa.int16())),
        }
    )
    for number in range(2):
        pq.write_table(table.slice(3 * number, 3), tmp_path / f"{number}.parquet")
    (tmp_path / "pairs").write_bytes(jsonl({"a": 0, "b": 1}, {"a": 1, "b": 4}, {"a": 2, "b": 5}))
    out, gone = tmp_path / "out.parquet", tmp_path / "gone.parquet"
    command = f"dedup --pairs {tmp_path}/pairs --removed {gone}"
    inputs = "--in", tmp_path / "0.parquet", "--in", tmp_path / "1.parquet"
    assert simspark(command, *inputs, "--out", out).status == 1
    for path, rows in ((out, [0, 2, 4]), (gone, [1, 5])):
        assert pq.read_table(path).sort_by("id").cast(table.schema).equals(table.take(rows))
        assert [str(each.type) for each in pq.read_schema(next(path.glob("part-*")))] == [
            "int32",
            "timestamp[us]",
            "timestamp[us, tz=UTC]",
            "decimal128(38, 9)",
            "map<binary, int16 ('keys')>",
        ]


def test_what_parquet_cannot_hold(simspark: Simspark, tmp_path: Path) -> None:
    docs, groups = tmp_path / "docs", tmp_path / "groups"
    groups.write_bytes(b"")
    docs.write_bytes(b'{"id":1,"n":1}\n{"id":2,"n":0.5,\r"m":null}\n{"id":3,"n":null,"m":"\\r"}\n')
    assert simspark(f"dedup --groups {groups}", "--in", docs, "--out", tmp_path / "right.parquet").status == 0
    rows = sorted(pq.read_table(tmp_path / "right.parquet").to_pylist(), key=lambda row: row["id"])
    assert [(row["id"], row["n"], row["m"]) for row in rows] == [(1, 1, None), (2, 0.5, None), (3, None, "\r")]
    docs.write_bytes(b'{"id":9007199254740993,"_corrupt_record":1,"e":[]}\n{"id":2,"e":[{}, {"x":null}]}\n')
    assert simspark(f"dedup --groups {groups}", "--in", docs, "--out", tmp_path / "large.parquet").status == 0
    rows = sorted(pq.read_table(tmp_path / "large.parquet").to_pylist(), key=lambda row: row["id"])
    assert rows == [
        {"id": 2, "_corrupt_record": None, "e": [{"x": None}, {"x": None}]},
        {"id": 9007199254740993, "_corrupt_record": 1, "e": []},
    ]


def test_columns_are_of_one_type(simspark: Simspark, tmp_path: Path) -> None:
    """As Spark reads JSON: text, if types differ; no column, if all are {}."""
    one = {"id": 1, "deep": {"a.b": 1}, "empty": {}, "mixed": 1}
    (tmp_path / "docs").write_bytes(jsonl(one, {"id": 2, "deep": {"a.b": []}, "empty": None, "mixed": "a"}))
    (tmp_path / "groups").write_bytes(b"")
    out = tmp_path / "text.parquet"
    assert simspark(f"dedup --groups {tmp_path / 'groups'}", "--in", tmp_path / "docs", "--out", out).status == 0
    assert pq.read_table(out).sort_by("id").to_pylist() == [
        {"id": 1, "deep": {"a.b": "1"}, "mixed": "1"},
        {"id": 2, "deep": {"a.b": "[]"}, "mixed": "a"},
    ]


def test_an_output_that_looks_like_a_pattern(simspark: Simspark, tmp_path: Path) -> None:
    out = tmp_path / "o[1]{a}*"
    assert simspark("canon", "--in", DOCS, "--out", out).status == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == [out.name]
    assert b"".join(path.read_bytes() for path in sorted(out.iterdir()) if path.name.startswith("part-")) == pipe(
        DOCS.read_bytes(), "canon"
    )


def test_no_output_looks_complete_before_it_is(
    simspark: Simspark, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Wherever a run is killed: `_SUCCESS` comes behind all parts; and Parquet is complete before it has its name."""
    rename, complete = Storage.rename, []

    def watched(storage: Storage, folder: str, out: str) -> None:
        complete.append((tmp_path / "out" / "_SUCCESS").exists() or not Path(folder).exists())
        if out.endswith(".parquet"):
            complete[-1] |= not Path(folder, "_SUCCESS").exists() or Path(out).exists()
        rename(storage, folder, out)

    monkeypatch.setattr(Storage, "rename", watched)
    assert simspark("canon", "--in", DOCS).status == 0
    assert len(complete) > 1  # parts
    assert (tmp_path / "out" / "_SUCCESS").exists()
    (tmp_path / "out").rename(tmp_path / "words")
    assert simspark("shingle", "--in", tmp_path / "words", "--out", tmp_path / "o.parquet").status == 0
    assert not any(complete)
    assert (tmp_path / "o.parquet" / "_SUCCESS").exists()


def test_files_that_are_not_what_they_seem(simspark: Simspark, tmp_path: Path) -> None:
    inner = tmp_path / "a b%" / "inner"
    inner.mkdir(parents=True)
    (inner / "_hidden").write_bytes(DOCS.read_bytes())
    (inner / "docs").write_bytes(b"{\n")
    ran = simspark("canon", "--in", inner.parent)
    assert (ran.status, ran.err.splitlines()[0]) == (2, "simspark: canon: not JSON (column 2)")
    ran = simspark("canon", "--in", inner / "_hidden", "--out", tmp_path / "none")
    assert ran.status == 2
    assert ran.err.endswith("_hidden: Spark ignores names that begin with _ or .\n")
    (tmp_path / "c").mkdir()
    (tmp_path / "c" / "docs").write_bytes(DOCS.read_bytes())
    ran = simspark("canon", "-v", "--in", f"{tmp_path}/{{c,c/docs}}", "--out", tmp_path / "once")
    assert ran.err.startswith("simspark: 300 lines read, ")


def test_compressed_output_is_input_again(simspark: Simspark, tmp_path: Path) -> None:
    commands = ("canon", "shingle -k 3", "sketch", "simjoin -t 0.5")
    assert simspark(" | ".join(commands[:3]), "--in", DOCS, "--gzip").status == 0
    (tmp_path / "out").rename(tmp_path / "sketches")
    parts = sorted((tmp_path / "sketches").glob("part-*.gz"))
    cached = b"".join(gzip.decompress(path.read_bytes()) for path in parts)
    assert cached == pipe(DOCS.read_bytes(), *commands[:3])
    assert simspark(commands[3], "--in", tmp_path / "sketches").good() == pipe(DOCS.read_bytes(), *commands)


@pytest.mark.parametrize(
    ("pipeline", "data"),
    [("sketch", b""), ("simjoin | simgroup", b""), ("simjoin | simgroup", b'{"id":1,"sketch":""}\n')],
)
def test_nothing_comes_of_nothing(pipeline: str, data: bytes, simspark: Simspark, tmp_path: Path) -> None:
    (tmp_path / "docs").write_bytes(data)
    assert simspark(pipeline, "--in", tmp_path / "docs").good() == b""
    assert sorted(path.name for path in (tmp_path / "out").glob("[!.]*")) == ["_SUCCESS", "part-00000.txt"]


def test_sketches_that_cannot_be_compared(simspark: Simspark, tmp_path: Path) -> None:
    (tmp_path / "docs").write_bytes(
        jsonl(
            {"id": 1, "sketch": "0" * 8, "via": "x"}, {"id": 2, "sketch": "", "via": "x"}, {"id": 3, "sketch": "0" * 8}
        )
    )
    ran = simspark("simjoin", "--in", tmp_path / "docs")
    said = 'made by an unnamed recipe, but the records before by "x"; "via" is the field of recipes: rename yours'
    assert (ran.status, ran.err) == (2, f"simspark: simjoin: {said}\n")
    (tmp_path / "docs").write_bytes(jsonl({"id": 1, "sketch": "0" * 8}, {"id": 2, "sketch": "0" * 16}))
    ran = simspark("simjoin", "--in", tmp_path / "docs")
    assert ran.err.endswith(
        "simjoin: a sketch of 1 components of 16 hex digits, "
        "but the records before have a sketch of 1 components of 8 hex digits\n"
    )
    ran = simspark("simjoin -m 2", "--in", tmp_path / "docs")
    assert ran.status == 2


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["--in", "{0}/none"], "--in {0}/none: [PATH_NOT_FOUND]"),
        (["--in", "{0}/docs", "--out", "{0}"], "{0}: exists already"),
        (["--in", "{0}/docs", "--rejects", "{0}"], "{0}: exists already"),
        (["--in", "{0}/docs", "--rejects", "{0}/out/"], "{0}/out: exists already"),
        (["--in", "{0}/docs", "--rejects", "{0}/r.parquet"], "--rejects {0}/r.parquet: bad records are kept as they "),
    ],
)
def test_misuse(argv: list[str], message: str, simspark: Simspark, tmp_path: Path) -> None:
    (tmp_path / "docs").write_bytes(jsonl({"id": 1, "text": "a"}))
    ran = simspark("canon", *(word.format(tmp_path) for word in argv))
    assert ran.status == 2
    assert ran.err.startswith(f"simspark: {message.format(tmp_path)}")
    assert ran.err.count("\n") == 1


def test_usage() -> None:
    ran = run("simspark", "--in", "x", "canon")
    assert (ran.status, ran.err) == (2, "simspark: the following arguments are required: --out (see simspark --help)\n")
    assert run("simspark", "--help").good().startswith(b"usage: simspark [OPTIONS] --in PATH --out DIR PIPELINE\n")
    ran = run("simspark", "--in", "x", "--out", "y", "canon | nonsense")
    assert (ran.status, ran.err.count("\n")) == (2, 1)


def test_groups_that_are_none(simspark: Simspark, tmp_path: Path) -> None:
    (tmp_path / "groups").write_bytes(b'{"members":["a","b"]}\n{"members":["c","b"]}\n')
    ran = simspark(f"dedup --groups {tmp_path / 'groups'}", "--in", DOCS)
    assert (ran.status, ran.err) == (2, f'simspark: dedup: {tmp_path}/groups:2: id "b" is in two groups\n')


@pytest.mark.parametrize("command", ["dedup --groups", "simjoin --against", "simgroup --singletons"])
def test_what_is_missing_beside_the_input(command: str, simspark: Simspark, tmp_path: Path) -> None:
    ran = simspark(f"{command} {tmp_path}/none", "--in", DOCS)
    assert (ran.status, ran.out) == (2, b"")
    assert ran.err.startswith(f"simspark: {command.split()[1]} {tmp_path}/none: [PATH_NOT_FOUND]")


def test_ids_of_two_sides_are_kept_apart(simspark: Simspark, tmp_path: Path) -> None:
    records = [{"id": number, "sketch": f"{number // 2:08x}"} for number in range(6)]
    (tmp_path / "one").write_bytes(jsonl(*records, records[0]))
    command = f"simjoin --against {tmp_path / 'one'}"
    ran = simspark(command, "--in", tmp_path / "one")
    alone = run(*command.split(), tmp_path / "one")
    assert (ran.status, ran.out) == (alone.status, alone.out)
    assert ran.err == "simspark: simjoin: id 0 was seen before (2 records)\n"
