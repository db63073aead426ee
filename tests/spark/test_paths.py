"""Fields within objects: the shell's bytes, from lines and from Parquet, whose columns they are within."""

import json
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from harness import DOCS, Ran, jsonl, run

Simspark = Callable[..., Ran]
PATHS = "--id meta.id --text body.of.text"
DOCUMENTS = [json.loads(line) for line in DOCS.read_bytes().splitlines()]
DEEP = [
    {"meta": {"x": 1, "id": each["id"]}, "body": {"of": {"n": 1, "text": each["text"]}, "z": None}}
    for each in DOCUMENTS
]
BAD = [{"meta": {"x": 1}, "body": {"of": {"text": "a"}}}, {"meta": {"id": "n"}, "body": {"of": {"text": None}}}]


@pytest.mark.parametrize(
    "pipeline",
    [
        f"canon {PATHS} | shingle {PATHS} | sketch --id meta.id",
        f"parts {PATHS} --carry meta.x --by sentence | canon {PATHS}",
        f"canon {PATHS} | shingle {PATHS} | sketch --id meta.id | simjoin -t 0.8 --id meta.id | simgroup --id meta.id",
    ],
)
def test_lines(pipeline: str, simspark: Simspark, tmp_path: Path) -> None:
    (tmp_path / "docs").write_bytes(jsonl(*DEEP, {"meta.id": "m", "body.of.text": "A b c"}, *BAD, DEEP[7]))
    stdin = (tmp_path / "docs").read_bytes()
    status, said = 0, []
    for command in pipeline.split(" | "):
        ran = run(command, stdin=stdin)
        stdin, status = ran.out, max(status, ran.status)
        said += [line.partition(": ")[0] + ": " + line.split(": ", 2)[2] for line in ran.err.splitlines()]
    ran = simspark(pipeline, "--in", tmp_path / "docs")
    assert (ran.status, ran.out) == (status, stdin)
    assert sorted(line.partition(" (")[0] for line in ran.err.splitlines()) == sorted(
        {f"simspark: {each.partition('; ')[0]}" for each in said}
    )


def test_groups_and_documents(simspark: Simspark, tmp_path: Path) -> None:
    (tmp_path / "docs").write_bytes(jsonl(*DEEP))
    groups = jsonl(*({"members": [DOCUMENTS[n]["id"], DOCUMENTS[n + 50]["id"]]} for n in range(1, 40, 7)))
    (tmp_path / "groups").write_bytes(groups)
    command = f"dedup --keep longest {PATHS} --groups {tmp_path / 'groups'}"
    ran = simspark(command, "--in", tmp_path / "docs")
    assert (ran.status, ran.err, ran.out) == (0, "", run(command, tmp_path / "docs").good())


def test_structs(simspark: Simspark, tmp_path: Path) -> None:
    """Where the text is bytes, as many programs write it; in columns where the output is Parquet."""
    pipeline = f"canon {PATHS} | shingle {PATHS}"
    body = pa.struct([("of", pa.struct([("n", pa.int64()), ("text", pa.binary())])), ("z", pa.int64())])
    schema = pa.schema([("meta", pa.struct([("x", pa.int64()), ("id", pa.string())])), ("body", body)])
    rows = [row | {"body": {"of": {"n": 1, "text": row["body"]["of"]["text"].encode()}, "z": None}} for row in DEEP]
    pq.write_table(pa.Table.from_pylist(rows, schema), tmp_path / "docs.parquet")
    (tmp_path / "docs").write_bytes(jsonl(*DEEP))
    ran = simspark(pipeline, "--in", tmp_path / "docs.parquet")
    expected = simspark(pipeline, "--in", tmp_path / "docs", "--out", tmp_path / "lines")
    assert (ran.status, ran.err, expected.status) == (0, "", 0)
    lines = b"".join(path.read_bytes() for path in sorted((tmp_path / "lines").glob("part-*")))
    assert list(map(json.loads, ran.out.splitlines())) == list(map(json.loads, lines.splitlines()))
    assert lines.count(b"\n") > 100
    simspark(pipeline, "--in", tmp_path / "docs.parquet", "--out", tmp_path / "out.parquet")
    table = pq.read_table(tmp_path / "out.parquet")
    names = sorted(table.column_names)
    found = sorted(json.dumps({name: row[name] for name in names}, sort_keys=True) for row in table.to_pylist())
    assert found == sorted(
        json.dumps({name: record.get(name) for name in names}, sort_keys=True)
        for record in map(json.loads, lines.splitlines())
    )


def test_a_column_with_the_whole_name(simspark: Simspark, tmp_path: Path) -> None:
    """Comes first, and stays a column of its type."""
    table = pa.table({"meta.id": pa.array([1, 2], pa.int16()), "meta": [{"id": "x"}] * 2, "text": ["A", "B"]})
    pq.write_table(table, tmp_path / "docs.parquet")
    ran = simspark("canon --id meta.id", "--in", tmp_path / "docs.parquet", "--out", tmp_path / "out.parquet")
    assert (ran.status, ran.err) == (0, "")
    made = pq.read_table(tmp_path / "out.parquet")
    assert made.schema.field("meta.id").type == pa.int16()
    assert sorted(made.column("text").to_pylist()) == ["a", "b"]
