"""What is done where the documents are, without Spark: against brute force, however the tasks come."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations

import numpy as np
import pyarrow as pa
import pytest

from shingletools.commands.simjoin.factory import TableFactory
from shingletools.commands.simjoin.join_options import JoinOptions
from shingletools.commands.simjoin.limits import DEFAULT
from shingletools.commands.simjoin.signatures import LONG_SHINGLES, MINHASHES
from shingletools.commands.simjoin.table import Table
from shingletools.kernel.types import U64, Rows
from shingletools.spark.tasks import BLOCKS, CONNECTED, FEW, RESTS, buckets, table_of, to_found, to_near, to_pairs

WORDS = 12
WANTED = JoinOptions(similarity=Fraction(2, 3))
LEAST = 8
FACTORY = TableFactory(MINHASHES, WANTED)
DONE = CONNECTED * BLOCKS
Pair = tuple[int, int]


def sketches(rng: np.random.Generator, rows: int, families: int, changed: int) -> Rows:
    """Some families of sketches, each of one with so many components changed."""
    heads = rng.integers(0, 2**32, (families, WORDS), dtype=np.uint32)
    table = heads[rng.integers(0, families, rows)]
    for row in table:
        row[rng.permutation(WORDS)[:changed]] = rng.integers(0, 2**32, changed, dtype=np.uint32)
    return table


def alike(rows: Rows, cross: int | None) -> set[Pair]:
    return {(a, b) for a in range(len(rows)) for b in range(a + 1, len(rows)) if (rows[a] == rows[b]).sum() >= LEAST
            and (cross is None or a < cross <= b)}  # fmt: skip


def payloads(rows: Rows | Sequence[U64]) -> list[bytes]:
    return [row.tobytes() for row in rows]


def batches(
    rng: random.Random, tasks: list[tuple[int, int, int, int, int]], rows: Rows | Sequence[U64]
) -> Iterator[pa.RecordBatch]:
    """Tasks (key, one, other, number, mine), in order, cut anywhere."""
    tasks.sort()
    words = payloads(rows)
    while tasks:
        some, tasks = tasks[: (cut := rng.choice([1, 3, 50, 1000]))], tasks[cut:]
        key, one, other, number, mine = zip(*some, strict=True)
        yield pa.RecordBatch.from_arrays(
            [pa.array(column, pa.int64()) for column in (key, one, other, number, mine)]
            + [pa.array([words[each] for each in number], pa.binary()), pa.array([b""] * len(some), pa.binary())],
            ["key", "one", "other", "number", "mine", "payload", "second"],
        )


def every_bucket(table: Table, blocks: int) -> list[tuple[int, int, int, int, int]]:
    """The tasks of all buckets, cut into so many blocks."""
    return [
        (key, min(mine, against), max(mine, against), number, mine)
        for keys, numbers, asks in buckets(table)
        for key, number, asking in zip(keys.tolist(), numbers.tolist(), asks.tolist(), strict=True)
        for mine in [number % blocks + (not asking) * RESTS * BLOCKS]
        for against in [*range(blocks), *(block + RESTS * BLOCKS for block in range(blocks))]
        if asking or against < BLOCKS
    ]


@pytest.mark.parametrize("blocks", [1, 3])
@pytest.mark.parametrize("cross", [None, 60])
@pytest.mark.parametrize("seed", range(4))
def test_every_pair_comes_once(seed: int, cross: int | None, blocks: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shingletools.spark.tasks.ENTRIES", 100)
    monkeypatch.setattr("shingletools.spark.tasks.BUNDLE_ROWS", [1, 100, 10**6, 1][seed])
    rows = sketches(np.random.default_rng(seed), 120, 60 if seed else 5, 3)
    if seed:
        rows[:, :4] = 7  # a bucket of all, few of which are a pair, and these in most of what it is cut into
    tasks = every_bucket(table_of(FACTORY, [pa.array(payloads(rows), pa.binary())]), blocks)
    limits = replace(DEFAULT, large=40) if seed else DEFAULT  # buckets of ten rows or so are cut again
    told = to_pairs(FACTORY, cross, batches(random.Random(seed), tasks, rows), limits)
    found = [tuple(row.values()) for batch in told for row in batch.to_pylist()]
    assert sorted(found) == sorted((a, b, int((rows[a] == rows[b]).sum())) for a, b in alike(rows, cross))


@pytest.mark.parametrize("blocks", [1, 3])
@pytest.mark.parametrize("cross", [None, 60])
@pytest.mark.parametrize("t", ["1/3", "0.8", "1"])
def test_sets_within_larger_ones(t: str, cross: int | None, blocks: int) -> None:
    """Each pair is told once, and what connects them connects as all do; brute force says which they are."""
    rng = random.Random(5)
    sets = [{int(rng.paretovariate(0.4)) % 300 for _ in range(rng.choice([1, 4, 40, 200]))} for _ in range(120)]
    threshold = Fraction(t)
    wanted = {
        (a, b): len(sets[a] & sets[b])
        for a, b in combinations(range(120), 2)
        if len(sets[a] & sets[b]) >= threshold * min(len(sets[a]), len(sets[b])) and sets[a] & sets[b]
        and (cross is None or a < cross <= b)
    }  # fmt: skip
    tokens = [np.array(sorted(each), np.uint64) for each in sets]
    every = np.concatenate(tokens).view(np.uint8)
    factory = TableFactory(LONG_SHINGLES, JoinOptions(similarity=threshold, measure="containment"))
    factory.count([[every]])
    tasks = every_bucket(table_of(factory, [pa.array(payloads(tokens), pa.binary())]), blocks)
    told = to_pairs(factory, cross, batches(random.Random(1), [*tasks], tokens))
    assert sorted(tuple(row.values()) for batch in told for row in batch.to_pylist()) == sorted(
        (a, b, common) for (a, b), common in wanted.items()
    )
    found = to_found(factory, cross, batches(random.Random(1), tasks, tokens))
    pairs = {(row["a"], row["b"]) for batch in found for row in batch.to_pylist()}
    assert pairs <= wanted.keys()
    assert components(pairs, 120) == components(set(wanted), 120)


def components(pairs: set[Pair], rows: int) -> list[int]:
    """The least row that each is connected with."""
    least = list(range(rows))
    for _ in range(rows):
        for a, b in pairs:
            least[a] = least[b] = min(least[a], least[b])
    return least


@pytest.mark.parametrize("cross", [None, 90])
@pytest.mark.parametrize("rows", [FEW, 3 * FEW])
def test_what_connects_does_not_depend_on_what_else_there_is(rows: int, cross: int | None) -> None:
    """One bucket of unlike families, whose first half is connected already: by itself, or after others."""
    words = sketches(np.random.default_rng(1), rows, 4, 2)
    words[: rows // 2] = words[0]
    task = [(7, 0, DONE, number, DONE if number < rows // 2 else 0) for number in range(rows)]
    alone, among = (
        {pair for batch in to_found(FACTORY, cross, batches(random.Random(1), [*task, *more], words))
         for pair in zip(batch.column("a").to_pylist(), batch.column("b").to_pylist(), strict=True)}
        for more in ([], [(1, 0, 0, number, 0) for number in (5, rows - 1)])
    )  # fmt: skip
    wanted = alike(words, cross)
    assert alone <= among <= wanted
    assert len(among - alone) <= 1
    done = {(0, number) for number in range(rows // 2)}
    assert components(alone | done, rows) == components(wanted | done, rows)
    assert len(alone) < rows
    if rows > FEW:
        assert not alone & {(a, b) for a in range(rows // 2) for b in range(rows // 2)}


@pytest.mark.parametrize("cross", [None, 40])
def test_near_the_first(cross: int | None) -> None:
    rows = sketches(np.random.default_rng(2), 100, 3, 2)
    other = cross or 0
    tasks = [(3, mine, mine, number, mine) for mine in range(2) for number in range(100)
             if number in (0, other) or number % 2 == mine]  # fmt: skip
    wanted = alike(rows, cross)
    found = set()
    for batch in to_near(FACTORY, cross, batches(random.Random(2), tasks, rows)):
        for row in batch.to_pylist():
            assert (row["a"], row["b"]) in wanted
            assert row["number"] in (row["a"], row["b"])
            assert row["connected"] == (cross is None or row["number"] >= cross or (0, other) in wanted)
            found.add((row["a"], row["b"]))
    assert found == {(a, b) for a, b in wanted if a == 0 or (cross is not None and b == other)}
