"""parts on a cluster: the shell's bytes, though a line becomes several."""

import bz2
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from harness import DOCS, Ran, jsonl, pipe, run
from shingletools.spark.pipeline import parse
from shingletools.spark.run import set_to
from shingletools.system.errors import Failed
from spark.packing import parts_of, rejects_of

Simspark = Callable[..., Ran]
TO_SKETCHES = ("canon", "shingle -k 3", "sketch -n 20")


@pytest.mark.parametrize(
    "commands",
    [
        ["canon --sentences", "parts --by line", "shingle -k 2"],
        ["parts", "parts --by 3-words", "canon"],
        ["parts --by line", *TO_SKETCHES, "simjoin -t 0.5", "simgroup"],
    ],
    ids=" | ".join,
)
def test_documents(commands: list[str], simspark: Simspark, tmp_path: Path) -> None:
    """Of two inputs, in several splits each; the shell reads them as one."""
    lines = DOCS.read_bytes().splitlines(keepends=True)
    (tmp_path / "one").write_bytes(b"".join(lines[:200]))
    (tmp_path / "two").write_bytes(b"".join(lines[200:]))
    ran = simspark(" | ".join(commands), "--in", tmp_path / "one", "--in", tmp_path / "two")
    assert ran.good() == pipe(DOCS.read_bytes(), *commands)


def test_groups_of_parts_remove_parts(simspark: Simspark, tmp_path: Path) -> None:
    parts = pipe(DOCS.read_bytes(), "parts --by line")
    (tmp_path / "groups").write_bytes(pipe(parts, *TO_SKETCHES, "simjoin", "simgroup"))
    command = f"dedup --groups {tmp_path / 'groups'} --keep none"
    ran = simspark(f"parts --by line | {command}", "--in", DOCS)
    assert ran.good() == pipe(parts, command)


def test_bad_records(simspark: Simspark, tmp_path: Path) -> None:
    records = [{"id": number, "text": "a b\n\nzz\n\nzz"} for number in range(300)]
    lines = jsonl(*records).splitlines(keepends=True)
    lines[7] = b"{\n"
    lines[200] = jsonl({"id": 200, "via": 1, "text": ""})
    (tmp_path / "docs").write_bytes(b"".join(lines))
    ran = simspark("canon | parts", "--in", tmp_path / "docs", "--rejects", tmp_path / "bad", "-v")
    *_, figures = ran.err.splitlines()
    causes = [cause for cause, _ in rejects_of(tmp_path / "bad" / "1-canon")]
    assert causes == ["not JSON (column 2)", 'field "via" is not a string']
    assert "300 lines read, 2 rejected" in figures
    assert ran.status == 1


def test_a_stage_behind_parts_rejects_some(simspark: Simspark, tmp_path: Path) -> None:
    """Each part that it rejects counts by itself."""
    good = "0123456789abcdef"
    documents = jsonl(*({"id": number, "shingles": f"{good}\n\nzz\n\n{good}\n\nzz"} for number in range(3)))
    (tmp_path / "docs").write_bytes(documents)
    ran = simspark("parts --text shingles | sketch -n 4", "--in", tmp_path / "docs")
    shell = run("sketch -n 4", stdin=pipe(documents, "parts --text shingles"))
    assert (ran.status, ran.out) == (shell.status, shell.out) == (1, shell.out)
    assert ran.err.endswith("(6 records)\n")


def test_repeated_ids_behind_parts(simspark: Simspark, tmp_path: Path) -> None:
    """An integer and a string give their parts one name: the shell rejects the second ones, too."""
    documents = jsonl({"id": 1, "text": "a\n\nb"}, {"id": "1", "text": "c\n\nd\n\ne"}, {"id": 2, "text": "a\n\nc"})
    (tmp_path / "docs").write_bytes(documents)
    ran = simspark(
        "parts | canon | shingle -k 1 | sketch | simjoin", "--in", tmp_path / "docs", "--rejects", tmp_path / "bad"
    )
    parts = pipe(documents, "parts", "canon", "shingle -k 1", "sketch")
    expected = run("simjoin", "--rejects", tmp_path / "rejects", stdin=parts)
    assert (ran.status, ran.out) == (expected.status, expected.out) == (1, expected.out)
    bad = b"".join(line + b"\n" for _, line in rejects_of(tmp_path / "bad" / "5-simjoin"))
    assert bad == (tmp_path / "rejects").read_bytes()
    assert ran.err.count('id \\"1#') == 2 or ran.err.count('id "1#') == 2


def test_parquet(simspark: Simspark, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    session = request.getfixturevalue("spark")
    rows = [{"id": number, "n": 1.5, "text": f"a{number}\n\nb"} for number in range(5)]
    session.createDataFrame(rows).write.parquet(f"{tmp_path}/docs.parquet")
    out = f"{tmp_path}/parts.parquet"
    assert simspark("parts --carry n", "--in", f"{tmp_path}/docs.parquet", "--out", out).status == 0
    found = session.read.parquet(out).collect()
    assert sorted((row["of"], row["part"], row["n"], row["text"]) for row in found) == sorted(
        (row["id"], number, 1.5, text) for row in rows for number, text in enumerate(str(row["text"]).split("\n\n"), 1)
    )


def test_many_parts_of_few_bytes(simspark: Simspark, spark: SparkSession, tmp_path: Path) -> None:
    """A split of a compressed file has more parts than bytes, so they are not numbered by its place."""
    records = [{"id": number, "text": "\n\n".join(f"a b {place}" for place in range(60))} for number in range(6)]
    commands = "parts", "shingle -k 2", "simjoin -t 1", "simgroup"
    pq.write_table(pa.Table.from_pylist(records), tmp_path / "docs.parquet", row_group_size=2, compression="zstd")
    (tmp_path / "docs.bz2").write_bytes(bz2.compress(jsonl(*records)))
    with set_to(spark, {"spark.sql.files.maxPartitionBytes": "4000", "spark.sql.files.openCostInBytes": "1"}):
        ran = simspark(" | ".join(commands), "--in", tmp_path / "docs.parquet")
    assert ran.good() == pipe(jsonl(*records), *commands)
    again = simspark(" | ".join(commands), "--at-once", "0", "--in", tmp_path / "docs.bz2", "--out", tmp_path / "again")
    assert (again.status, parts_of(tmp_path / "again")) == (0, ran.out)


def test_together_is_refused() -> None:
    with pytest.raises(Failed, match="parts: this form of its output is made in one process; run it in the shell"):
        parse("parts --together")
