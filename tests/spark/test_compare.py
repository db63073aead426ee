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
from shingletools.spark.compare import BLOCKS, RESTS, SHARE, TASKS, WHOLE, keys_of, table_of, to_pairs

WORDS = 12
WANTED = JoinOptions(similarity=Fraction(2, 3))
LEAST = 8
FACTORY = TableFactory(MINHASHES, WANTED)
Pair = tuple[int, int]


def sketches(rng: np.random.Generator, rows: int, families: int, changed: int) -> Rows:
    """Some families of sketches, each of one with so many components changed."""
    heads = rng.integers(0, 2**32, (families, WORDS), dtype=np.uint32)
    table = heads[rng.integers(0, families, rows)]
    for row in table:
        row[rng.permutation(WORDS)[:changed]] = rng.integers(0, 2**32, changed, dtype=np.uint32)
    return table


def alike(rows: Rows, cross: int | None) -> set[Pair]:
    return {
        (a, b)
        for a in range(len(rows))
        for b in range(a + 1, len(rows))
        if (rows[a] == rows[b]).sum() >= LEAST and (cross is None or a < cross <= b)
    }


def payloads(rows: Rows | Sequence[U64]) -> list[bytes]:
    return [row.tobytes() for row in rows]


Task = tuple[int, int, int, int, int]


def batches(rng: random.Random, tasks: Sequence[Task], rows: Rows | Sequence[U64]) -> Iterator[pa.RecordBatch]:
    """Tasks, as the columns of TASKS, in shares with their documents, in any order, cut anywhere."""
    words = payloads(rows)
    lines: list[dict[str, object]] = [
        {
            "share": key % 3 if one == WHOLE else key,
            "key": key,
            "number": number,
            "mine": mine,
            "one": one,
            "other": other,
        }
        for key, number, mine, one, other in tasks
    ]
    documents = {(line["share"], line["one"], line["other"], line["number"]) for line in lines}
    lines += [
        {"share": share, "one": one, "other": other, "number": n, "payload": words[int(str(n))], "second": b""}
        for share, one, other, n in documents
    ]
    rng.shuffle(lines)
    lines.sort(key=lambda line: str([line[name] for name in SHARE]))
    schema = pa.schema([("share", pa.int64()), *TASKS, ("payload", pa.binary()), ("second", pa.binary())])
    while lines:
        some, lines = lines[: (cut := rng.choice([1, 3, 50, 1000]))], lines[cut:]
        yield pa.RecordBatch.from_pylist(some, schema)


def every_bucket(table: Table, blocks: int) -> list[Task]:
    """The tasks of all buckets, whole or cut into so many blocks."""
    entries = [
        (key, number, (not asking) * RESTS * BLOCKS)
        for keys, numbers, asks in keys_of(table)
        for key, number, asking in zip(keys.tolist(), numbers.tolist(), asks.tolist(), strict=True)
    ]
    if blocks == 1:
        return [(key, number, kind, WHOLE, WHOLE) for key, number, kind in entries]
    return [
        (key, number, mine, min(mine, against), max(mine, against))
        for key, number, kind in entries
        for mine in [number % blocks + kind]
        for against in [*range(blocks), *(block + RESTS * BLOCKS for block in range(blocks))]
        if not kind or against < BLOCKS
    ]


@pytest.mark.parametrize("blocks", [1, 3])
@pytest.mark.parametrize("cross", [None, 35])
@pytest.mark.parametrize("seed", range(2))
def test_every_pair_comes(seed: int, cross: int | None, blocks: int) -> None:
    rows = sketches(np.random.default_rng(seed), 70, 35 if seed else 5, 3)
    if seed:
        rows[:, :4] = 7  # a bucket of all, few of which are a pair, and these in most of what it is cut into
    tasks = every_bucket(table_of(FACTORY, [pa.array(payloads(rows), pa.binary())]), blocks)
    limits = replace(DEFAULT, large=40) if seed else DEFAULT  # buckets of ten rows or so are cut again
    made = to_pairs(FACTORY, cross, batches(random.Random(seed), tasks, rows), limits)
    found = [tuple(row.values()) for batch in made for row in batch.to_pylist()]
    assert sorted({*found}) == sorted((a, b, int((rows[a] == rows[b]).sum())) for a, b in alike(rows, cross))


@pytest.mark.parametrize("blocks", [1, 3])
@pytest.mark.parametrize("cross", [None, 35])
@pytest.mark.parametrize("t", ["1/3", "1"])
def test_sets_within_larger_ones(t: str, cross: int | None, blocks: int) -> None:
    """Brute force says which pairs there are."""
    rng = random.Random(5)
    sets = [{int(rng.paretovariate(0.4)) % 300 for _ in range(rng.choice([1, 4, 40, 200]))} for _ in range(70)]
    threshold = Fraction(t)
    wanted = {
        (a, b): len(sets[a] & sets[b])
        for a, b in combinations(range(70), 2)
        if len(sets[a] & sets[b]) >= threshold * min(len(sets[a]), len(sets[b]))
        and sets[a] & sets[b]
        and (cross is None or a < cross <= b)
    }
    tokens = [np.array(sorted(each), np.uint64) for each in sets]
    every = np.concatenate(tokens).view(np.uint8)
    factory = TableFactory(LONG_SHINGLES, JoinOptions(similarity=threshold, measure="containment"))
    factory.count([[every]])
    tasks = every_bucket(table_of(factory, [pa.array(payloads(tokens), pa.binary())]), blocks)
    made = to_pairs(factory, cross, batches(random.Random(1), [*tasks], tokens))
    assert sorted({tuple(row.values()) for batch in made for row in batch.to_pylist()}) == sorted(
        (a, b, common) for (a, b), common in wanted.items()
    )
