"""simgroup on Spark, in one task and in many: against the shell."""

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from harness import Ran, Record, jsonl, run
from shingletools.spark import graph, group
from spark.packing import rejects_of

Simspark = Callable[..., Ran]
IN_PARTS = ("--at-once", "0")


def random_pairs(rng: random.Random, documents: int, count: int) -> list[Record]:
    pairs = [(rng.randrange(documents), rng.randrange(documents)) for _ in range(count)]
    return [{"a": a, "b": f"{b}" if b % 3 else b, "similarity": rng.choice([0.5, 0.75, 1])} for a, b in pairs if a != b]


SHAPES = {
    "random": random_pairs(random.Random(1), 300, 250),
    "chain": [{"a": number, "b": number + 1, "similarity": 1} for number in range(8)],
}


@pytest.mark.parametrize(("shape", "star"), [("random", ""), ("random", " --star"), ("chain", "")])
def test_groups(shape: str, star: str, simspark: Simspark, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In rounds; of names that tasks give more than once; in lines of a few groups each."""
    monkeypatch.setattr(graph, "TASK_PAIRS", 50)
    monkeypatch.setattr(group, "TASK_EDGES", 50)
    (tmp_path / "pairs").write_bytes(jsonl(*SHAPES[shape]))
    (tmp_path / "one").write_bytes(jsonl(*({"id": number} for number in [*range(280, 320), 290])))
    (tmp_path / "two").write_bytes(jsonl({"id": "x"}, {"id": 7}))
    singles = "" if shape == "chain" else f" --singletons {tmp_path}/one --singletons {tmp_path}/two"
    command = f"simgroup -t 0.6{star}{singles}"
    ran = simspark(command, *IN_PARTS, "--in", tmp_path / "pairs")
    assert ran.good() == run(command, tmp_path / "pairs").good()


BAD_PAIRS = [
    b"{",
    b'{"a":1,"b":1,"similarity":1}',
    b'{"a":"\\u0061","b":"a","similarity":1}',
    b'{"a":1,"b":2}',
    b"",
    b"\xff",
    b'{"a":1,"b":2,"similarity":"1"}',
    b'{"a":1,"b":2.5,"similarity":1}',
    b'{"a":1,"a":1,"b":2,"similarity":1}',
    b'{"a":1,"similarity":1}',
]


@pytest.mark.parametrize("way", [(), IN_PARTS], ids=["at once", "in parts"])
def test_lines_out_of_the_ordinary(way: tuple[str, ...], simspark: Simspark, tmp_path: Path) -> None:
    """Bad ones are kept; and there are several ways to write a name."""
    rng = random.Random(2)
    spelled = ['"%c"', '"\\u00%02x"', "%d", " %d"]
    good = [
        f'{{"similarity" : 0.{rng.randrange(7, 10)}00, "a":{x % a},"b": {y % b}}}'.encode()
        for x in spelled
        for y in spelled
        for a, b in [rng.sample(range(97, 123), 2)]
    ]
    lines = [*good, *BAD_PAIRS]
    rng.shuffle(lines)
    (tmp_path / "pairs").write_bytes(b"".join(line + b"\n" for line in lines))
    (tmp_path / "docs").write_bytes(b'{"id":"\\u007a"}\n{"id":"a"\n{"id":"zz"}\n{"id":null}\n{"id":"z\\u007a"}\n')
    command = f"simgroup -t 0.75 --singletons {tmp_path}/docs"
    ran = simspark(command, *way, "--in", tmp_path / "pairs", "--rejects", tmp_path / "bad")
    there = run(command, tmp_path / "pairs")
    assert (ran.status, ran.out) == (there.status, there.out) == (1, there.out)
    bad = [line for _, line in rejects_of(tmp_path / "bad" / "1-simgroup")]
    assert sorted(bad) == sorted([*BAD_PAIRS, b'{"id":"a"', b'{"id":null}'])
