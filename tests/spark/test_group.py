"""simgroup on a cluster, in one task and in rounds: against the shell, and groups by brute force."""

import random
from functools import partial
from pathlib import Path

import pytest
from pyspark.sql import functions as F

from harness import Record, jsonl, run
from shingletools.commands.simgroup.id_readers import PairIds
from shingletools.commands.simgroup.spec import GroupSpec
from shingletools.spark import graphs, group, nodes, packed_names, roots
from shingletools.spark.batches import through
from shingletools.spark.packed_names import StepInput
from shingletools.spark.parts import StepOutput
from shingletools.spark.pipeline import build
from shingletools.spark.spark_files import Kept
from spark.packing import framed, packed_rows, told, unpacked


def on_spark(kept: Kept, command: str, pairs: bytes, *others: bytes, gap: int = 1) -> StepOutput:
    frames = framed(kept.spark, gap, pairs, *others)
    stage = build(command).stage
    assert isinstance(stage, GroupSpec)
    return group.grouped(StepInput(frames[0], frames[1:], 1, kept, str), stage, verbose=True)


def in_shell(folder: Path, command: str, pairs: bytes, *others: bytes) -> tuple[bytes, list[str], list[str]]:
    """The groups, what -v says of them, and what is rejected."""
    paths = [folder / f"docs{number}" for number in range(len(others))]
    for path, data in zip(paths, others, strict=True):
        path.write_bytes(data)
    words = [word for path in paths for word in ("--singletons", path)]
    ran = run(f"{command} -v", *words, stdin=pairs)
    *bad, said = ran.err.splitlines()
    causes = [line.split(": ", 2)[2].partition("; iconv ")[0] for line in bad]  # without a hint
    return ran.out, said.split(", ")[-4:], causes


WAYS = {"edges at once": (1 << 24, 1 << 24), "in units": (1 << 24, 1000), "in rounds": (16, 1 << 24)}


def take(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Edges in one task, and names in one or several; or edges in rounds."""
    edges, unit = WAYS[way]
    monkeypatch.setattr(graphs, "EDGES", edges)
    monkeypatch.setattr(packed_names, "UNIT", unit)
    monkeypatch.setattr(group, "PART", 1 << 10)
    monkeypatch.setattr(roots, "ROW", 100)


def random_pairs(rng: random.Random, documents: int, count: int) -> list[Record]:
    pairs = [(rng.randrange(documents), rng.randrange(documents)) for _ in range(count)]
    return [{"a": a, "b": f"{b}" if b % 3 else b, "similarity": rng.choice([0.5, 0.75, 1])} for a, b in pairs if a != b]


SHAPES = {
    "random": random_pairs(random.Random(1), 300, 250),
    "chain": [{"a": number, "b": number + 1, "similarity": 1} for number in range(30)],
    "stars": [{"a": f"{number % 5}", "b": number, "similarity": 1} for number in range(60)],
    "none": [],
}


CASES = [
    *(("random", way, " --star") for way in WAYS),
    ("random", "in units", ""),
    ("chain", "in rounds", ""),
    ("stars", "in units", " --star"),
    ("none", "edges at once", " --star"),
    ("none", "in units", ""),
]


@pytest.mark.parametrize("case", CASES, ids=" ".join)
def test_groups(case: tuple[str, str, str], kept: Kept, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shape, way, star = case
    take(way, monkeypatch)
    pairs = jsonl(*SHAPES[shape])
    others = [jsonl(*({"id": number} for number in [*range(280, 320), 290])), jsonl({"id": "x"}, {"id": 7})]
    if shape == "chain":
        others = []
    command = f"simgroup -t 0.6{star}"
    written, figures, _ = in_shell(tmp_path, command, pairs, *others)
    options = "".join(f" --singletons {number}" for number in range(len(others)))
    found = on_spark(kept, command + options, pairs, *others, gap=1 + len(shape) % 2)
    assert (unpacked(found.lines), list(found.figures)) == (written, figures)
    assert not found.rejects


BAD_PAIRS = [
    b"{", b'{"a":1,"b":1,"similarity":1}', b'{"a":"\\u0061","b":"a","similarity":1}', b'{"a":1,"b":2}', b"", b"\xff",
    b'{"a":1,"b":2,"similarity":"1"}', b'{"a":1,"b":2.5,"similarity":1}', b'{"a":1,"a":1,"b":2,"similarity":1}',
    b'{"a":1,"similarity":1}',
]  # fmt: skip


@pytest.mark.parametrize("command", ["simgroup", "simgroup --star"])
def test_rows_that_a_task_reads_in_no_order(command: str, kept: Kept, tmp_path: Path) -> None:
    """The first mention of a name is the first of all, not the first that is met."""
    rng = random.Random(5)
    pairs = b"".join(
        b'{"a":%d,"b":"%d","similarity":0.9}\n' % (rng.randrange(40), rng.randrange(40)) for _ in range(60)
    )
    written, _, _ = in_shell(tmp_path, command, pairs)
    stage = build(command).stage
    assert isinstance(stage, GroupSpec)
    backwards = packed_rows(kept.spark, pairs, rows=20).coalesce(1).sortWithinPartitions(F.desc("number"))
    assert unpacked(group.grouped(StepInput(backwards, [], 1, kept, str), stage).lines) == written


def test_lines_out_of_the_ordinary(kept: Kept, tmp_path: Path) -> None:
    """Bad ones are told with the numbers of their lines; and there are several ways to write a name."""
    rng = random.Random(2)
    spelled = ['"%c"', '"\\u00%02x"', "%d", " %d"]
    good = [f'{{"similarity" : 0.{rng.randrange(7, 10)}00, "a":{x % a},"b": {y % b}}}'.encode()
            for x in spelled for y in spelled for a, b in [rng.sample(range(97, 123), 2)]]  # fmt: skip
    lines = [*good, *BAD_PAIRS]
    rng.shuffle(lines)
    pairs = b"".join(line + b"\n" for line in lines)
    documents = b'{"id":"\\u007a"}\n{"id":"a"\n{"id":"zz"}\n{"id":null}\n{"id":"z\\u007a"}\n'
    written, figures, bad = in_shell(tmp_path, "simgroup -t 0.75", pairs, documents)
    stage = build("simgroup -t 0.75 --singletons x").stage
    assert isinstance(stage, GroupSpec)
    frames = [packed_rows(kept.spark, data, 1000 * number) for number, data in enumerate((pairs, documents))]
    found = group.grouped(StepInput(frames[0], frames[1:], 4, kept, str), stage, verbose=True)
    assert (unpacked(found.lines), list(found.figures)) == (written, figures)
    here = [cause for number, _, cause, _ in told(found.rejects) if number is not None]
    assert here == bad
    rejects = told(found.rejects)
    assert {step for _, step, *_ in rejects} == {4}
    assert all(number is None or (lines[number] if number < 1000 else documents.split(b"\n")[number - 1000]) == line
               for number, *_, line in rejects)  # fmt: skip
    assert sorted(line for *_, line in rejects) == sorted([*BAD_PAIRS, b'{"id":"a"', b'{"id":null}'])


@pytest.mark.parametrize("command", ["simgroup", "simgroup --star"])
def test_a_task_that_holds_few_names(command: str, kept: Kept) -> None:
    """Which sends the same name on more than once."""
    pairs = jsonl(*SHAPES["random"])
    stage = build(command).stage
    assert isinstance(stage, GroupSpec)
    take = partial(nodes.take_pairs, PairIds(None, ("a", "b")), 1, stage.star, held=1)
    taken = kept(through(packed_rows(kept.spark, pairs).coalesce(1), take, nodes.TAKEN))
    sent = [row["sizes"] for row in taken.where("sizes is not null").collect()]
    assert sum(map(len, sent)) > 8 * len({name for pair in SHAPES["random"] for name in (pair["a"], pair["b"])})
    found = group.groups_of(taken, stage, StepInput(taken, [], 1, kept, str))
    assert unpacked(found.lines) == run(command, stdin=pairs).good()


def test_stars_by_brute_force(kept: Kept, monkeypatch: pytest.MonkeyPatch) -> None:
    """One document after the other; some rounds, and the rest in one task."""
    monkeypatch.setattr(graphs, "EDGES", 60)
    rng = random.Random(3)
    edges = sorted({tuple(sorted(rng.sample(range(10**10, 10**10 + 90), 2))) for _ in range(150)})
    taken: dict[int, int] = {}
    for node in sorted({node for edge in edges for node in edge}):
        if node not in taken:
            for one, other in edges:
                if one == node and other not in taken:
                    taken[other] = node
    rng.shuffle(edges)
    frame = kept.spark.createDataFrame(edges, "u long, v long")
    found = graphs.stars(frame, len(edges), kept).collect()
    assert {row["u"]: row["v"] for row in found} == taken
    assert len(found) == len(taken)


@pytest.mark.parametrize("limit", [20, 0])
def test_what_is_connected_by_brute_force(limit: int, kept: Kept, monkeypatch: pytest.MonkeyPatch) -> None:
    """In rounds until little is left, or nothing changes."""
    monkeypatch.setattr(graphs, "EDGES", limit)
    rng = random.Random(4)
    edges = [rng.sample(range(10**10, 10**10 + 60), 2) for _ in range(40)]
    least = {node: node for edge in edges for node in edge}
    for _ in least:
        for one, other in edges:
            least[one] = least[other] = min(least[one], least[other])
    frame = kept.spark.createDataFrame(edges, "u long, v long")
    found = graphs.connected(frame, len(edges), kept).collect()
    assert sorted((row["u"], row["v"]) for row in found) == sorted(each for each in least.items() if each[0] != each[1])
