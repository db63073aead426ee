"""What simspark reads and writes."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from harness import DOCS, Ran, jsonl, pipe, run
from shingletools.spark.lines import Places
from shingletools.wire import Failed

Simspark = Callable[..., Ran]
LINES = DOCS.read_bytes().splitlines(keepends=True)


def test_files_in_the_order_of_their_names(simspark: Simspark, tmp_path: Path) -> None:
    """However many tasks read them, and in whatever order: the largest is read first."""
    for name, part in (("b", LINES[:20]), ("c", LINES[20:200]), ("d", LINES[200:])):
        (tmp_path / f"{name}.jsonl.gz").write_bytes(gzip.compress(b"".join(part)))
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "part-1").write_bytes(jsonl({"id": "of a folder", "text": "a"}))
    ran = simspark("canon", "--in", tmp_path / "?.jsonl.gz", "--in", tmp_path / "a")
    expected = b"".join(LINES) + jsonl({"id": "of a folder", "text": "a"})
    assert ran.good() == pipe(expected, "canon")


def test_parquet(simspark: Simspark, tmp_path: Path) -> None:
    records = [{"id": number, "text": json.loads(line)["text"], "more": None} for number, line in enumerate(LINES)]
    pq.write_table(pa.Table.from_pylist(records), tmp_path / "docs.parquet", row_group_size=50)
    commands = "canon", "shingle -k 3", "sketch", "simjoin -t 0.5"
    ran = simspark(" | ".join(commands), "--in", tmp_path / "docs.parquet")
    assert ran.good() == pipe(jsonl(*records), *commands)


def test_parquet_is_written(simspark: Simspark, tmp_path: Path) -> None:
    out = tmp_path / "words.parquet"
    ran = simspark("canon", "-v", "--in", DOCS, "--out", out)
    assert (ran.status, ran.err[: ran.err.rindex(",")]) == (0, "simspark: 300 lines read, 0 rejected, 300 written")
    expected = [json.loads(line) for line in pipe(DOCS.read_bytes(), "canon").splitlines()]
    assert pq.read_table(out).sort_by("id").to_pylist() == sorted(expected, key=lambda record: str(record["id"]))


def test_bytes_in_parquet(simspark: Simspark, tmp_path: Path) -> None:
    """Text, as which many programs write it; and none."""
    texts = ["Caf\u00e9", None, ""]
    columns = {
        "id": [0, 1, 2, 3],
        "text": [text and text.encode() for text in texts] + [b"caf\xe9"],
        "no": [[b"a"]] * 4,
    }
    pq.write_table(pa.table(columns), tmp_path / "docs.parquet")
    ran = simspark("canon", "--in", tmp_path / "docs.parquet")
    expected = pipe(jsonl(*({"id": n, "text": texts[n], "no": ["YQ=="]} for n in (0, 2))), "canon")
    assert (ran.status, ran.out) == (1, expected)
    said = [line.split("docs.parquet:")[1] for line in ran.err.splitlines()]
    assert said == ['2: field "text" is not a string', "4: not UTF-8 (byte 39)"]


@pytest.mark.parametrize(
    ("pipeline", "columns"),
    [
        ("simjoin", ["a", "b", "similarity"]),
        ("simjoin | simgroup", ["group", "size", "members"]),
        ("dedup --id url --groups {0} --removed {1}", ["url"]),
    ],
)
def test_parquet_of_nothing(pipeline: str, columns: list[str], simspark: Simspark, tmp_path: Path) -> None:
    empty, removed = tmp_path / "empty", tmp_path / "removed.parquet"
    empty.write_bytes(b"")
    assert simspark(pipeline.format(empty, removed), "--in", empty, "--out", tmp_path / "no.parquet").status == 0
    for table in (tmp_path / "no.parquet", removed)[: 1 + removed.exists()]:
        assert (pq.read_table(table).column_names, pq.read_table(table).num_rows) == (columns, 0)


def test_removed_as_parquet(simspark: Simspark, tmp_path: Path) -> None:
    groups, removed = tmp_path / "groups", tmp_path / "removed.parquet"
    ids = [json.loads(line)["id"] for line in LINES]
    groups.write_bytes(jsonl({"members": ids[:3]}))
    ran = simspark(f"dedup --groups {groups} --removed {removed}", "--in", DOCS, "--gzip")
    assert ran.status == 0
    assert sorted(pq.read_table(removed).column("id").to_pylist()) == sorted(ids[1:3])
    (part,) = removed.glob("part-*")
    assert pq.read_metadata(part).row_group(0).column(0).compression == "GZIP"


def test_figures(simspark: Simspark, tmp_path: Path) -> None:
    """The shell's."""
    pairs, groups = tmp_path / "pairs", tmp_path / "groups"
    pairs.write_bytes(pipe(DOCS.read_bytes(), "canon", "shingle -k 3", "sketch", "simjoin -t 0.3"))
    groups.write_bytes(run("simgroup", pairs).good())
    for command, path in (("simgroup", pairs), (f"dedup --groups {groups}", DOCS)):
        here = simspark(command, "-v", "--in", path, "--out", tmp_path / command[:5]).err.split(", ")[2:-2]
        assert len(here) == (4 if command == "simgroup" else 2)
        assert f", {', '.join(here)}" in run(*command.split(), "-v", path).err


def test_what_parquet_cannot_hold(simspark: Simspark, tmp_path: Path) -> None:
    docs, groups = tmp_path / "docs", tmp_path / "groups"
    groups.write_bytes(b"")
    docs.write_bytes(b'{"id":1,"n":1}\n{"id":2,"n":0.5,\r"m":null}\n{"id":3,"n":null,"m":"\\r"}\n')
    assert simspark(f"dedup --groups {groups}", "--in", docs, "--out", tmp_path / "right.parquet").status == 0
    rows = sorted(pq.read_table(tmp_path / "right.parquet").to_pylist(), key=lambda row: row["id"])
    assert [(row["id"], row["n"], row["m"]) for row in rows] == [(1, 1, None), (2, 0.5, None), (3, None, "\r")]
    docs.write_bytes(b'{"id":1}\n{"id":"1"}\n')
    ran = simspark(f"dedup --groups {groups}", "--in", docs, "--out", tmp_path / "wrong.parquet")
    assert ran.status == 2
    assert ran.err == f'simspark: {tmp_path}/wrong.parquet: "id" is of several types, a column of one\n'


def test_files_that_are_not_what_they_seem(simspark: Simspark, tmp_path: Path) -> None:
    inner = tmp_path / "a b%" / "inner"
    inner.mkdir(parents=True)
    (inner / "_hidden").write_bytes(DOCS.read_bytes())
    (inner / "docs").write_bytes(b"{\n")
    ran = simspark("canon", "--in", inner.parent)
    assert (ran.status, ran.err) == (1, f"simspark: canon: file:{inner}/docs:1: not JSON (column 2)\n")
    ran = simspark("canon", "--in", inner / "_hidden", "--out", tmp_path / "none")
    assert ran.status == 2
    assert ran.err.endswith("_hidden: Spark takes what begins with _ or . for hidden\n")
    (tmp_path / "c").mkdir()
    (tmp_path / "c" / "docs").write_bytes(DOCS.read_bytes())
    ran = simspark("canon", "-v", "--in", f"{tmp_path}/{{c,c/docs}}", "--out", tmp_path / "once")
    assert ran.err.startswith("simspark: 300 lines read, ")


def test_lines_that_are_there_twice(spark: SparkSession) -> None:
    lines = spark.createDataFrame(2 * [(0, "file:/a%20b", 0, 0)], "part int, file string, block long, place long")
    with pytest.raises(Failed, match=r"^file:/a b: one --in names it twice$"):
        Places(lines)


def test_compressed_output_is_input_again(simspark: Simspark, tmp_path: Path) -> None:
    commands = ("canon", "shingle -k 3", "sketch", "simjoin -t 0.5")
    assert simspark(" | ".join(commands[:3]), "--in", DOCS, "--gzip").status == 0
    (tmp_path / "out").rename(tmp_path / "sketches")
    parts = sorted((tmp_path / "sketches").glob("part-*.gz"))
    cached = b"".join(gzip.decompress(path.read_bytes()) for path in parts)
    assert cached == pipe(DOCS.read_bytes(), *commands[:3])
    assert simspark(commands[3], "--in", tmp_path / "sketches").good() == pipe(DOCS.read_bytes(), *commands)


@pytest.mark.parametrize("data", [b"", b'{"id":1,"sketch":""}\n'])
@pytest.mark.parametrize("pipeline", ["simjoin", "simjoin | simgroup", "sketch"])
def test_nothing_comes_of_nothing(pipeline: str, data: bytes, simspark: Simspark, tmp_path: Path) -> None:
    (tmp_path / "docs").write_bytes(data if pipeline != "sketch" else b"")
    assert simspark(pipeline, "--in", tmp_path / "docs").good() == b""
    assert (tmp_path / "out" / "_SUCCESS").exists()


def test_sketches_that_cannot_be_compared(simspark: Simspark, tmp_path: Path) -> None:
    (tmp_path / "docs").write_bytes(
        jsonl(
            {"id": 1, "sketch": "0" * 8, "via": "x"}, {"id": 2, "sketch": "", "via": "x"}, {"id": 3, "sketch": "0" * 8}
        )
    )
    ran = simspark("simjoin", "--in", tmp_path / "docs")
    assert (ran.status, ran.err) == (
        2, f'simspark: simjoin: file:{tmp_path}/docs:3: made by an unnamed recipe, but the records before by "x"\n',
    )  # fmt: skip
    (tmp_path / "docs").write_bytes(jsonl({"id": 1, "sketch": "0" * 8}, {"id": 2, "sketch": "0" * 16}))
    ran = simspark("simjoin", "--in", tmp_path / "docs")
    assert ran.err.endswith("docs:2: a sketch of 1 words of 16 hex digits, after a sketch of 1 words of 8 hex digits\n")
    ran = simspark("simjoin -m 2", "--in", tmp_path / "docs")
    assert ran.status == 2


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["--in", "{0}/none"], "--in {0}/none: [PATH_NOT_FOUND]"),
        (["--in", "{0}/docs", "--out", "{0}"], "{0}: is there already"),
        (["--in", "{0}/docs", "--rejects", "{0}"], "{0}: is there already"),
        (["--in", "{0}/docs", "--rejects", "{0}/out/"], "{0}/out: is there already"),
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
    assert (ran.status, ran.err) == (2, f'simspark: dedup: file:{tmp_path}/groups:2: id "b" is in two groups\n')


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
    assert ran.err.count("id 0 was seen before") == alone.err.count("id 0 was seen before") == 2
