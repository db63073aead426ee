"""How many bad records are all right: the status, and whether anything is written."""

from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark import Accumulator

from harness import Ran, Record, jsonl, run, shell
from shingletools.spark.filters import Counts

GOOD = jsonl(*({"id": number, "text": "a word or two"} for number in range(7)))
BAD = b'{"id":9}\nbad\n'
PAIRS = GOOD + BAD + b'{"id":0,"text":"again"}\n'  # of which simjoin rejects one more
CASES = [
    ("canon", GOOD + BAD, 2),
    ("canon | shingle | sketch | simjoin | simgroup", PAIRS, 3),
]


@pytest.mark.parametrize(("pipeline", "lines", "bad"), CASES, ids=[pipeline for pipeline, *_ in CASES])
def test_at_most_so_many(pipeline: str, lines: bytes, bad: int, simspark: Callable[..., Ran], tmp_path: Path) -> None:
    (tmp_path / "docs").write_bytes(lines)
    read = lines.count(b"\n")
    share = bad / read * 100
    counts, shares = [(f"{bad}", 0), (f"{bad - 1}", 1)], [(f"{share + 1e-6:.9f}%", 0), (f"{share - 1e-6:.9f}%", 1)]
    for allowed, status in counts if pipeline == "canon" else shares:
        out = tmp_path / f"out{allowed}"
        ran = simspark(pipeline, "--in", tmp_path / "docs", "--out", out, "--allow-rejects", allowed, "-v")
        *said, figures = ran.err.splitlines()
        assert (ran.status, out.exists()) == (status, status == 0), allowed
        assert figures.startswith(f"simspark: {read} lines read, {bad} rejected")
        assert (f"simspark: {out} is not written: too many bad records" in said) == bool(status)
    assert sorted(path.name for path in tmp_path.iterdir() if not path.name.startswith("out")) == ["docs"]


def test_groups_are_not_read_as_documents(simspark: Callable[..., Ran], tmp_path: Path) -> None:
    """And nothing is written, no removed document either, where one is too many."""
    (tmp_path / "docs").write_bytes(GOOD + b'{"id":null,"text":"again"}\n')
    (tmp_path / "groups").write_bytes(jsonl(*({"members": [number]} for number in range(7))))
    pipeline = f"dedup --groups {tmp_path / 'groups'} --removed {tmp_path / 'gone'}"
    for allowed, status in [("12.4%", 1), ("12.5%", 0)]:
        ran = simspark(pipeline, "--at-once", "0", "--in", tmp_path / "docs", "--allow-rejects", allowed)
        shell = run(f"dedup --groups {tmp_path / 'groups'} --allow-rejects {allowed}", tmp_path / "docs")
        assert (ran.status, (tmp_path / "gone").exists(), ran.out) == (status, not status, b"" if status else GOOD)
        assert shell.status == status


def test_rows_of_parquet(simspark: Callable[..., Ran], tmp_path: Path) -> None:
    (tmp_path / "docs").write_bytes(GOOD)
    assert simspark("canon", "--in", tmp_path / "docs", "--out", tmp_path / "docs.parquet").status == 0
    for allowed, status in [("6", 2), ("7", 0)]:  # not one is good
        out = tmp_path / f"{allowed}.parquet"
        ran = simspark(
            "canon --text nothing", "--in", tmp_path / "docs.parquet", "--out", out, "--allow-rejects", allowed
        )
        assert (ran.status, out.exists()) == (status, status == 0)


# A pipeline and how many lines it reads, of which one is bad; canon reads Parquet
READ_ONCE = [("canon", 9), ("parts", 9), ("sketch -n 1 | simjoin --against side", 11)]


@pytest.mark.parametrize(("pipeline", "read"), READ_ONCE, ids=[pipeline for pipeline, _ in READ_ONCE])
def test_a_share_is_of_lines_that_are_read_once(
    pipeline: str, read: int, simspark: Callable[..., Ran], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Even if tasks that were done twice have counted a thousand more."""
    rows: list[Record] = [{"id": number, "text": "a\n\nb", "shingles": ""} for number in range(8)]
    given, suffix = ("docs.parquet", ".parquet") if pipeline == "canon" else ("docs", "")
    if suffix:
        pq.write_table(pa.Table.from_pylist([*rows, {"id": 8, "text": None, "shingles": ""}]), tmp_path / given)
    else:
        (tmp_path / given).write_bytes(jsonl(*rows) + b'{"id":\xff\xe2\n')
    (tmp_path / "side").write_bytes(
        jsonl({"id": 1, "sketch": "", "via": "sketch n=1"}, {"id": 2, "sketch": "", "via": "sketch n=1"})
    )

    def counted_twice(read: Accumulator[int], good: Accumulator[int]) -> Counts:
        read.add(1000)
        return Counts(read, good)

    monkeypatch.setattr("shingletools.spark.run.Counts", counted_twice)
    pipeline = pipeline.replace(" side", f" {tmp_path / 'side'}")
    for excess, status in [(1e-6, 0), (-1e-6, 1)]:
        out = tmp_path / f"out{status}{suffix}"
        allowed = f"{100 / read + excess:.9f}%"
        ran = simspark(pipeline, "--in", tmp_path / given, "--out", out, "--allow-rejects", allowed, "-v")
        assert (ran.status, out.exists()) == (status, not status), ran
        assert "simspark: 1009 lines read, 1 rejected" in ran.err


# Lines of which not one is a record to a command, and a pipeline that has the command; one more that is good
NOTHING_GOOD = [
    ("canon", b"bad\n{}\n", {"id": 1, "text": "a"}),
    ("simgroup", b'bad\n{"a":1,"b":1}\n', {"a": 1, "b": 2}),
    ("sketch | simjoin", b'bad\n{"id":1,"shingles":"x"}\n', {"id": 1, "shingles": ""}),
]


@pytest.mark.parametrize(("pipeline", "bad", "good"), NOTHING_GOOD, ids=[pipeline for pipeline, *_ in NOTHING_GOOD])
def test_an_input_without_a_good_record(
    pipeline: str, bad: bytes, good: Record, simspark: Callable[..., Ran], tmp_path: Path
) -> None:
    """The status is that of the shell, and nothing is written; one good record is enough."""
    for name, lines, status in [("bad", bad, 2), ("mixed", bad + jsonl(good), 1)]:
        (tmp_path / name).write_bytes(lines)
        out = tmp_path / f"{name}.out"
        ran = simspark(pipeline, "--in", tmp_path / name, "--out", out)
        assert (ran.status, out.exists()) == (status, status == 1), ran
        assert (f"simspark: {out} is not written: not one good record" in ran.err) == (status == 2)
        assert shell(f"{pipeline} < {name}", tmp_path).status == status
    if pipeline == "canon":
        assert simspark(pipeline, "--in", tmp_path / "bad", "--out", tmp_path / "out", "--allow-rejects=2").status == 0


def test_strict(simspark: Callable[..., Ran], tmp_path: Path) -> None:
    """One bad record is too many."""
    (tmp_path / "docs").write_bytes(GOOD + b"bad\n")
    ran = simspark("canon", "--strict", "--in", tmp_path / "docs")
    assert (ran.status, (tmp_path / "out").exists()) == (1, False)
    (tmp_path / "docs").write_bytes(GOOD)
    assert simspark("canon", "--strict", "--in", tmp_path / "docs").good().count(b"\n") == 7
    ran = simspark("canon", "--strict", "--allow-rejects", "1", "--in", tmp_path / "docs")
    assert (ran.status, "--strict" in ran.err) == (2, True)


def test_usage(simspark: Callable[..., Ran], tmp_path: Path) -> None:
    ran = simspark("canon --allow-rejects 1", "--in", tmp_path / "docs")
    assert (ran.status, ran.err) == (2, "simspark: canon: --allow-rejects: simspark has one for all commands\n")
