"""simjoin -j: what is read ahead, by other threads, is what would be read in its turn."""

import gzip
import random
from fractions import Fraction
from pathlib import Path

import pytest

from harness import collect, jsonl, run
from shingletools import kernel
from shingletools.commands.simjoin.comparable import Comparable
from shingletools.commands.simjoin.join_collector import JoinCollector
from shingletools.commands.simjoin.join_options import JoinOptions
from shingletools.commands.simjoin.spec import JoinSpec
from shingletools.kernel.line_columns import ReadColumns
from shingletools.record.collector import CollectorContext


def lines(rng: random.Random, base: list[list[int]], count: int) -> bytes:
    """Sketches near those of `base`; some lines are bad, odd or have an id that was used before."""
    made = []
    for number in range(count):
        row = list(rng.choice(base))
        row[rng.randrange(84)] = rng.getrandbits(32)
        sketch = " ".join(f"{component:08x}" for component in row)
        name = number if rng.random() < 0.98 else rng.randrange(count)
        line = jsonl({"id": name, "sketch": sketch, "via": "x"})
        if rng.random() < 0.01:
            line = rng.choice([b"bad\n", b'{"id":1}\n', line.replace(b'"id"', b'"i\\u0064"'), b"\n", line[:-9] + b"\n"])
        made.append(line)
    return b"".join(made)


def test_any_number_of_threads(tmp_path: Path) -> None:
    """Three spans of a file on each side."""
    rng = random.Random(3)
    base = [[rng.getrandbits(32) for _ in range(84)] for _ in range(20)]
    for name in ("new", "old"):
        (tmp_path / name).write_bytes(lines(rng, base, 3000))
    outcomes = []
    for jobs in ("1", "2", "5"):
        ran = run("simjoin -t 0.97 --against old --rejects bad --all-messages new -j", jobs, cwd=tmp_path)
        outcomes.append((ran.status, ran.out, ran.err, (tmp_path / "bad").read_bytes()))
    assert outcomes[0][0] == 1
    assert outcomes[0][1].count(b"\n") > 4000
    assert outcomes[0][2].count("was seen before") > 50
    assert outcomes[1:] == outcomes[:1] * 2


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_file_that_fails_does_so_after_what_was_before_it(jobs: str, tmp_path: Path) -> None:
    (tmp_path / "one").write_bytes(b"bad\n")
    (tmp_path / "two").write_bytes(gzip.compress(b"bad\n" * 9)[:20])
    ran = run("simjoin one two -j", jobs, cwd=tmp_path)
    assert (ran.status, ran.out) == (2, b"")
    assert ran.err.splitlines()[0] == "simjoin: one:1: not JSON (column 1)"
    assert ran.err.splitlines()[-1].startswith("simjoin: two: the gzip data")


def test_who_reads_ahead_sees_all_of_the_first_signature_or_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Looked at after each step in which the first one is accepted, as another thread may."""
    data = jsonl({"id": 2, "sketch": "00000009 00000001", "via": "x"})
    collector = JoinCollector(JoinSpec("id", JoinOptions(similarity=Fraction(1, 2))), CollectorContext(2))
    seen = []

    def read() -> ReadColumns | None:
        schema = collector.schema(0)
        return kernel.read_columns(data, 0, schema.fields) if schema.by_kernel else None

    def stepped(self: Comparable, name: str, value: object) -> None:
        vars(self)[name] = value
        seen.append(read())

    monkeypatch.setattr(Comparable, "__setattr__", stepped)
    collect(collector, jsonl({"id": 1, "sketch": "00000001 00000002", "via": "x"}))
    whole = read()
    assert whole is not None
    assert whole.columns[1].data == bytes.fromhex("0000000900000001")
    assert len(seen) >= 3
    assert all(each in (None, whole) for each in seen)
