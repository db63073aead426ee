"""Rows of Arrow's files and streams, and of Feather: read, and written with fewer rows."""

import gzip
import io
import json
from pathlib import Path

import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest

from harness import run, shell

TEXTS = ["One two three", "one TWO three!", "Four", "four", "five"]
TABLE = pa.table(
    {
        "text": pa.array(TEXTS),
        "of": pa.array([[1], None, [2, 3], [], [4]], pa.list_(pa.int64())),
        "kind": pa.array(["a", "b", "a", "b", None]).dictionary_encode(),
        "at": pa.array([0, 1, None, 3, 4], pa.timestamp("us", "UTC")),
        "raw": pa.array([b"\xff", b"", None, b"a", b"b"]),
    }
).replace_schema_metadata({"made": "here"})
KEPT = [0, 2, 4]


def written(path: Path, kind: str, table: pa.Table = TABLE) -> None:
    if kind == "feather":
        pyarrow.feather.write_feather(table, path, compression="lz4", chunksize=2)
        return
    new = pa.ipc.new_file if kind == "file" else pa.ipc.new_stream
    with new(path, table.schema) as writer:
        for batch in table.to_batches(max_chunksize=2):
            writer.write_batch(batch)


def read(path: Path, kind: str) -> pa.Table:
    """By another way of pyarrow's than the package's."""
    if kind == "stream":
        return pa.ipc.open_stream(path.read_bytes()).read_all()
    return pyarrow.feather.read_table(path, memory_map=False)


@pytest.mark.parametrize("kind", ["file", "stream", "feather"])
def test_rows_come_back(kind: str, tmp_path: Path) -> None:
    name = "a.feather" if kind == "feather" else "a.arrow"
    written(tmp_path / name, kind)
    lines = run("canon --arrow", name, cwd=tmp_path).records()
    pyarrow.parquet.write_table(TABLE, tmp_path / "a.parquet")
    assert lines == run("canon --parquet a.parquet", cwd=tmp_path).records()
    ran = run("shingletools unique", name, "-o", f"kept {name}", "--removed", "gone", cwd=tmp_path)
    assert (ran.status, ran.err.splitlines()[-1]) == (0, "shingletools unique: 3 kept, 2 removed, 0 left out")
    for path, rows in (("gone", [1, 3]), (f"kept {name}", KEPT)):
        found = read(tmp_path / path, kind)
        assert found.equals(TABLE.take(rows))
        assert found.schema.equals(TABLE.schema, check_metadata=True)
    two = run("shingletools unique", name, name, cwd=tmp_path)
    assert two.err.splitlines()[-1].endswith("3 kept, 7 removed, 0 left out")


def test_null_texts_and_missing_columns(tmp_path: Path) -> None:
    written(tmp_path / "a.arrow", "file", pa.table({"id": [1, 2], "text": ["a", None]}))
    ran = run("canon --arrow a.arrow", cwd=tmp_path)
    assert (ran.status, ran.out.count(b"\n")) == (1, 1)
    assert ran.err == 'canon: a.arrow:2: field "text" is not a string\n'
    ran = run("canon --arrow --text body a.arrow", cwd=tmp_path)
    assert ran.err == 'canon: a.arrow: no column "body" among "id", "text"\n'
    written(tmp_path / "b.arrow", "file", pa.table({"id": [1], "text": ["a"], "x": [1]}))
    (tmp_path / "none").write_text('{"a":7,"b":8}\n')
    ran = run("dedup --arrow --pairs none a.arrow b.arrow -o c", cwd=tmp_path)
    assert ran.err.splitlines()[-1] == "dedup: b.arrow: its schema is not that of a.arrow"


def test_files_that_are_no_arrow(tmp_path: Path) -> None:
    """Cut short at any place, other bytes, values outside of their buffers, and more rows than a file can have."""
    written(tmp_path / "whole", "file")
    whole = (tmp_path / "whole").read_bytes()
    for cut in {*range(0, len(whole), 97), len(whole) - 1}:
        (tmp_path / "a").write_bytes(whole[:cut])
        ran = run("canon --arrow a", cwd=tmp_path)
        assert (ran.status, ran.out) == (2, b"")
        assert ran.err.startswith("canon: a: not Arrow, or damaged: ")
    for place in range(0, len(whole), 13):
        (tmp_path / "a").write_bytes(whole[:place] + bytes([whole[place] ^ 0x55]) + whole[place + 1 :])
        assert run("canon --arrow a", cwd=tmp_path).status in (0, 1, 2)
    (tmp_path / "a").write_text('{"id":1,"text":"a"}\n')
    ran = run("canon --arrow a", cwd=tmp_path)
    assert ran.err.endswith("; this looks like JSON lines: leave out --arrow\n")
    bad, nothing = pa.record_batch({"text": ["ab"]}), pa.record_batch([pa.nulls(1 << 30)], ["text"])
    for batch, cause in [(bad, "not Arrow, or damaged: "), (nothing, "more than 1000 rows for each of its ")]:
        sink = io.BytesIO()
        with pa.ipc.new_stream(sink, batch.schema) as writer:
            writer.write_batch(batch)
        ends = b"\0\0\0\0\2\0\0\0"  # of the texts
        assert (ends in sink.getvalue()) == (batch is bad)
        (tmp_path / "a").write_bytes(sink.getvalue().replace(ends, ends[:4] + b"\xff\xff\xff\x7f"))
        assert f"canon: a: {cause}" in run("canon --arrow a", cwd=tmp_path).err
    assert run("canon --arrow none", cwd=tmp_path).err == "canon: none: No such file or directory\n"
    (tmp_path / "a").write_bytes(gzip.compress(whole))
    assert run("canon --arrow a", cwd=tmp_path).err == "canon: a: gzip data, not Arrow: decompress it first\n"
    assert shell("canon --arrow < whole", tmp_path).good() == run("canon --arrow whole", cwd=tmp_path).good()
    ran = shell("cat whole | canon --arrow", tmp_path)
    assert (ran.status, ran.err) == (2, "canon: -: Arrow is read from its end, which a pipe does not allow\n")
    assert json.loads(run("canon --arrow whole", cwd=tmp_path).out.splitlines()[0])["text"] == "one two three"
