"""Files that tasks read themselves."""

import bz2
import gzip
import lzma
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness import DOCS, pipe
from shingletools.spark import splits
from shingletools.spark.splits import MARK, Split, lines_of, tasks
from spark.packing import parts_of

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from spark.conftest import Simspark

BYTES = st.lists(st.sampled_from([b"a", b"bc", b"\n", b"\r", b"\xef", MARK]), max_size=30).map(b"".join)


def lines(data: bytes) -> list[bytes]:
    """As the shell reads them."""
    behind = data.removeprefix(MARK)
    if not behind:
        return [b"\n"] if data else []
    return [line + b"\n" for line in behind.removesuffix(b"\n").split(b"\n")]


@given(data=BYTES, size=st.integers(4, 20), block=st.sampled_from([16, 33, 1 << 21]))
@settings(max_examples=300)
def test_each_line_is_in_the_split_where_it_begins(
    data: bytes, size: int, block: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.getbasetemp() / "a b%"
    path.write_bytes(data)
    begins, at = [], len(data) - len(data.removeprefix(MARK))
    for line in lines(data):
        begins.append(at)
        at += len(line)
    begins[:1] = [0] if begins else []  # behind a mark, too
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(splits, "BLOCK", block)
        for start in range(0, len(data), size):
            found = b"".join(lines_of(Split(0, path.as_uri(), start, min(size, len(data) - start))))
            expected = [line for line, at in zip(lines(data), begins, strict=True) if start <= at < start + size]
            assert found == b"".join(expected)


@given(st.lists(st.integers(0, 300), max_size=20), st.integers(1, 100), st.integers(1, 9))
def test_tasks_have_all_of_the_files(sizes: list[int], most: int, cores: int) -> None:
    planned = tasks([(f"{number}", size) for number, size in enumerate(sizes)], 3, most, cores)
    every = [split for task in planned for split in task]
    covered = [(int(split.file), byte) for split in every for byte in range(split.block, split.block + split.size)]
    assert covered == [(number, byte) for number, size in enumerate(sizes) for byte in range(size)]
    assert all(0 < sum(split.size for split in task) <= most for task in planned)


def test_who_reads_a_file(spark: "SparkSession") -> None:
    """What is not here, in very many files, or in a format that only Hadoop knows, Spark does."""
    for files, here in [
        (["file:///a/b", "file:///a.b/c.jsonl"], True), (["file:///a", "file:///b.lz4"], False),
        (["file:///b.bz2", "file:///b.gz"], True), (["file:///b.zst"], True), (["hdfs://host/b"], False), ([], True),
        (["file:///a"] * splits.MOST, True), (["file:///a"] * (splits.MOST + 1), False),
    ]:  # fmt: skip
        assert splits.local(spark, files) == here


def test_names_that_a_url_would_cut(simspark: "Simspark", tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a?b#c;d%20e").write_bytes(DOCS.read_bytes() + b"{\n")
    ran = simspark("canon", "--in", tmp_path / "docs")
    assert (ran.status, ran.out) == (1, pipe(DOCS.read_bytes(), "canon"))
    assert ran.err.endswith("a?b#c;d%20e:301: not JSON (column 2)\n")


def test_files_that_spark_reads(simspark: "Simspark", tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As it does where they are not on this machine."""
    monkeypatch.setattr(splits, "local", lambda *_: False)
    lines = DOCS.read_bytes().splitlines(keepends=True)
    lines[7:7] = [b"{\n", b"\xff\r\n", b"\n"]
    (tmp_path / "docs").write_bytes(MARK + b"".join(lines))
    ran = simspark("canon | shingle", "--in", tmp_path / "docs", "--rejects", tmp_path / "bad")
    assert (ran.status, ran.out) == (1, pipe(DOCS.read_bytes(), "canon", "shingle"))
    assert ran.err.splitlines()[0] == f"simspark: canon: file:{tmp_path}/docs:8: not JSON (column 2)"
    kept = parts_of(tmp_path / "bad" / "1-canon")
    assert kept == b"{\n\xff\r\n\n"


@pytest.mark.parametrize("data", [b"", MARK, MARK + b"a", b"a\n", b"\n\nb", MARK + b"a\n" + MARK + b"b"])
@pytest.mark.parametrize("make", [bz2.compress, gzip.compress, lzma.compress, zstd.compress])
def test_the_lines_of_a_compressed_file(make: Callable[[bytes], bytes], data: bytes, tmp_path: Path) -> None:
    path = tmp_path / "a b%"
    path.write_bytes(make(data))
    assert b"".join(lines_of(Split(0, path.as_uri(), 0, path.stat().st_size))) == b"".join(lines(data))


def test_files_that_are_not_cut() -> None:
    planned = tasks([("a", 9), ("b", 25), ("c", 11)], 0, 10, 1, {"b"})
    assert [[split[1:] for split in task] for task in planned] == [
        [("a", 0, 9)], [("b", 0, 25)], [("c", 0, 10)], [("c", 10, 1)]
    ]  # fmt: skip


def test_compressed_files_whatever_their_names(simspark: "Simspark", tmp_path: Path) -> None:
    """As the shell reads them; also larger ones than a split, and in several members."""
    parts = [b"".join(DOCS.read_bytes().splitlines(keepends=True)[start : start + 60]) for start in range(0, 300, 60)]
    (tmp_path / "docs").mkdir()
    for name, content in [
        ("1.gz", parts[0]), ("2.gz", gzip.compress(parts[1][:99]) + gzip.compress(parts[1][99:])),
        ("3", zstd.compress(parts[2])), ("4.bz2", lzma.compress(parts[3])), ("5.xz", bz2.compress(parts[4] + b"{\n")),
    ]:  # fmt: skip
        (tmp_path / "docs" / name).write_bytes(content)
    ran = simspark("canon", "--in", tmp_path / "docs")
    assert (ran.status, ran.out) == (1, pipe(DOCS.read_bytes(), "canon"))
    assert ran.err.endswith("5.xz:61: not JSON (column 2)\n")


def test_a_compressed_file_that_ends_too_early(simspark: "Simspark", tmp_path: Path) -> None:
    (tmp_path / "docs.gz").write_bytes(gzip.compress(DOCS.read_bytes())[:-100])
    ran = simspark("canon", "--in", tmp_path / "docs.gz")
    assert (ran.status, ran.err) == (2, f"simspark: Spark: {tmp_path}/docs.gz: the gzip data end too early\n")


def test_a_compressed_file_that_spark_takes_for_a_plain_one(
    simspark: "Simspark", tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where it reads it itself, it goes by the name; of names it knows, the data must be what they say."""
    monkeypatch.setattr(splits, "local", lambda *_: False)
    (tmp_path / "docs.jsonl").write_bytes(gzip.compress(DOCS.read_bytes()))
    ran = simspark("canon", "--in", tmp_path / "docs.jsonl")
    why = "gzip data, which Spark did not decompress, for it goes by the file's name"
    assert (ran.status, ran.err) == (2, f"simspark: Spark: file:{tmp_path}/docs.jsonl: {why}\n")
    (tmp_path / "docs.gz").write_bytes(DOCS.read_bytes())
    ran = simspark("canon", "--in", tmp_path / "docs.gz", "--out", tmp_path / "other")
    assert ran.status == 2
    assert ran.err.startswith("simspark: Spark: ")
    assert "not a gzip file" in ran.err
