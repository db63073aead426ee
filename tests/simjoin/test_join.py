"""The join against brute force over all pairs, and its bounds."""

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shingletools.commands.simjoin.buckets import Portion
from shingletools.commands.simjoin.candidates import BucketCandidates, weigh
from shingletools.commands.simjoin.forest import Forest
from shingletools.commands.simjoin.join import Join
from shingletools.commands.simjoin.join_options import JoinOptions
from shingletools.commands.simjoin.limits import DEFAULT, Limits
from shingletools.commands.simjoin.split_buckets import balanced, bits, split_portion
from shingletools.commands.simjoin.table import ComponentTable, cut, fewest, recall
from shingletools.kernel import arrays as kernel
from shingletools.kernel.types import U32, U64, Flags, Index, Rows
from simjoin import all_pairs
from simjoin.all_pairs import found_by

Triple = tuple[int, int, int]


def brute_force(rows: U32, least: int, cross: int | None = None) -> list[Triple]:
    table: list[list[int]] = rows.tolist()
    pairs = all_pairs.ends(all_pairs.brute_force(table, JoinOptions(agreeing=least), cross))
    return [(a, b, all_pairs.agreeing(table[a], table[b])) for a, b in pairs]


def joined(rows: U32, least: int, cross: int | None = None, jobs: int = 1, limits: Limits = DEFAULT) -> list[Triple]:
    pairs: list[Triple] = []
    for block in found_by(Join(ComponentTable(rows.copy(), least), cross, limits=limits), jobs):
        pairs += zip(*(part.tolist() for part in block), strict=True)
    return pairs


def planted(rng: np.random.Generator, documents: int, n: int) -> U32:
    """Random sketches, some of which are others with a few components changed, or none."""
    alphabet = int(rng.choice([2, 5, 1000, 2**32]))
    rows = rng.integers(0, alphabet, (documents, n), dtype=np.uint32)
    for _ in range(int(rng.integers(0, 2 * documents))):
        source, target = rng.integers(0, documents, 2)
        rows[target] = rows[source]
        changed = rng.permutation(n)[: rng.integers(0, n + 1)]
        rows[target, changed] = rng.integers(0, alphabet, len(changed))
    return rows


@pytest.mark.parametrize("n", [1, 2, 3, 7, 16, 84])
@pytest.mark.parametrize("threshold", ["0.05", "0.3", "0.5", "0.8", "0.95", "1"])
def test_equals_brute_force(n: int, threshold: str) -> None:
    rng = np.random.default_rng([n, int(100 * float(threshold))])
    least = math.ceil(Fraction(threshold) * n)
    for documents in (1, 2, 10, 40):
        rows = planted(rng, documents, n)
        assert joined(rows, least) == brute_force(rows, least)
        for cross in (0, documents // 3, documents):
            assert joined(rows, least, cross) == brute_force(rows, least, cross)


@settings(max_examples=80)
@given(st.data())
def test_equals_brute_force_however_it_is_cut_into_blocks(data: st.DataObject) -> None:
    n = data.draw(st.integers(1, 12))
    least = data.draw(st.integers(1, n))
    words = st.lists(st.integers(0, 3), min_size=n, max_size=n)
    rows = np.array(data.draw(st.lists(words, min_size=1, max_size=20)), np.uint32)
    cross = data.draw(st.none() | st.integers(0, len(rows)))
    limits = Limits(
        documents=data.draw(st.integers(1, 9)),
        candidates=data.draw(st.integers(1, 30)),
    )
    assert joined(rows, least, cross, data.draw(st.integers(1, 2)), limits) == brute_force(rows, least, cross)


@pytest.mark.parametrize(
    ("n", "t"), [(5, "0.6"), (10, "0.7"), (84, "68/84"), (84, "17/21"), (25, "0.28"), (100, "0.29")]
)
def test_exact_ties_are_in(n: int, t: str) -> None:
    """A floating ceil(t * n) would ask for one word more at some of these."""
    least = math.ceil(Fraction(t) * n)
    assert Fraction(least, n) == Fraction(t)
    rows = np.zeros((2, n), np.uint32)
    rows[1, least:] = 1
    assert joined(rows, least) == [(0, 1, least)]
    rows[1, least - 1] = 1
    assert joined(rows, least) == []


def test_bands_part_all_columns() -> None:
    for n in range(1, 101):
        for least in range(1, n + 1):
            parts = cut(n, n - least + 1)
            assert len(parts) == n - least + 1
            assert [column for first, last in parts for column in range(first, last)] == list(range(n))
            widths = {last - first for first, last in parts}
            assert max(widths) - min(widths) <= 1
            assert min(widths) >= 1


def test_recall_is_the_share_of_all_ways_to_agree() -> None:
    for n in range(1, 11):
        for least in range(1, n + 1):
            for number in range(1, n + 1):
                parts = [set(range(first, last)) for first, last in cut(n, number)]
                ways = list(combinations(range(n), least))
                met = sum(any(part <= set(way) for part in parts) for way in ways)
                assert recall(n, least, number) == Fraction(met, len(ways)), (n, least, number)


def test_no_more_bands_than_a_recall_needs() -> None:
    for n, least in ((84, 42), (84, 68), (64, 58), (15, 1), (1, 1), (500, 200)):
        for wanted in map(Fraction, ("0.01", "0.5", "0.9", "0.999", "1")):
            number = fewest(n, least, wanted)
            assert recall(n, least, number) >= wanted
            assert number == 1 or recall(n, least, number - 1) < wanted


@pytest.mark.parametrize("wanted", ["0.3", "0.9"])
def test_recall_of_pairs_that_just_agree(wanted: str) -> None:
    """2,000 pairs that agree in 42 components of 84: as many are found as is said, within four standard deviations."""
    rng = np.random.default_rng(7)
    rows = rng.integers(0, 2**32, (4000, 84), dtype=np.uint32)
    for pair in range(2000):
        same = rng.permutation(84)[:42]
        rows[2000 + pair, same] = rows[pair, same]
    table = ComponentTable(rows, 42, Fraction(wanted))
    expected = table.recall
    found = sum(len(block.a) for block in found_by(Join(table)))
    assert float(wanted) <= expected < 0.96
    assert abs(found - 2000 * expected) < 4 * math.sqrt(2000 * expected * (1 - expected))


@pytest.mark.parametrize("copies", [2, 300])
def test_identical_sketches(copies: int) -> None:
    rows = np.tile(np.arange(84, dtype=np.uint32), (copies, 1))
    assert joined(rows, 84) == [(a, b, 84) for a in range(copies) for b in range(a + 1, copies)]


def test_copies_among_near_duplicates() -> None:
    """Groups of copies that interleave, each like the next: every copy must find every partner behind it."""
    rng = np.random.default_rng(5)
    families = rng.integers(0, 2**32, (5, 20), dtype=np.uint32)
    families[1] = families[0]
    families[1, 0] += 1
    families[2] = families[1]
    families[2, 1] += 1
    rows = families[rng.integers(0, 5, 150)]
    for cross in (None, 40):
        assert joined(rows, 18, cross) == brute_force(rows, 18, cross)


def test_a_big_bucket_is_compared_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """2,000 sketches share a whole band and nothing else: two million candidates, of which no block holds many."""
    rng = np.random.default_rng(1)
    rows = rng.integers(0, 2**32, (2000, 84), dtype=np.uint32)
    rows[:, :4] = 7
    blocks: list[int] = []
    agreements = kernel.agreements

    def watched(
        rows: U32, least: int, left: Index, right: Index, unshared: Sequence[tuple[int, int]] = ()
    ) -> tuple[Index, int]:
        blocks.append(len(left))
        return agreements(rows, least, left, right, unshared)

    monkeypatch.setattr(kernel, "agreements", watched)
    join = Join(ComponentTable(rows.copy(), 68), limits=Limits(candidates=5000, large=2000**2))
    assert [pairs for pairs in found_by(join) if len(pairs.a)] == []
    assert sum(blocks) == 2000 * 1999 // 2
    assert max(blocks) <= 5000
    assert join.candidates == sum(blocks)


def crowd(rng: np.random.Generator, documents: int, common: list[int]) -> U32:
    """Strangers that have these columns in common, the first and the last some more: in all they are a pair."""
    rows = rng.integers(0, 2**32, (documents, 84), dtype=np.uint32)
    rows[:, common] = 7
    rows[-1, :68] = rows[0, :68]
    return rows


@pytest.mark.parametrize("common", [[0, 1, 2, 3], [*range(40)], [*range(66)]])
@pytest.mark.parametrize("cross", [None, 1000])
def test_a_crowd_in_one_bucket_is_cut_again(common: list[int], cross: int | None) -> None:
    """However many strangers agree in whole bands, what they do not have in common parts them."""
    rows = crowd(np.random.default_rng(3), 2500, common)
    assert joined(rows, 68, cross) == [(0, 2499, 68)]
    join, forest = Join(ComponentTable(rows, 68), cross), Forest(ComponentTable(rows, 68), cross)
    assert sum(len(pairs.a) for pairs in found_by(join)) == 1
    assert join.candidates < 2500
    assert [(pairs.a.tolist(), pairs.b.tolist()) for pairs in found_by(forest)] == [([0], [2499])]
    assert forest.candidates < 2500 * 17


def test_a_crowd_whose_every_twentieth_is_another() -> None:
    """Most rows agree in two bands, one of them such that a sample of every twentieth row would not show it."""
    rng = np.random.default_rng(6)
    rows = rng.integers(0, 2**32, (4000, 84), dtype=np.uint32)
    rows[:, :4] = 7
    for column in (4, 21, 38, 55, 72):
        rows[np.arange(4000) % 20 > 0, column] = 7
    join = Join(ComponentTable(rows, 68))
    assert sum(len(pairs.a) for pairs in found_by(join)) == 0
    assert join.candidates < 4000


def test_texts_that_are_half_boilerplate() -> None:
    """Each minimum is the common half's in some share of the texts, which differs between columns."""
    rng = np.random.default_rng(4)
    rows = rng.integers(0, 2**32, (3000, 84), dtype=np.uint32)
    common, own = rng.exponential(1, (1, 84)), rng.exponential(1, (3000, 84))
    rows[common < own] = 7
    compared, found = [], []
    for large in (1000, 3000**2):
        join = Join(ComponentTable(rows, 68), limits=Limits(large=large))
        found.append([part.tolist() for pairs in found_by(join) for part in pairs])
        compared.append(join.candidates)
    assert found[0] == found[1]
    assert 20 * compared[0] < compared[1]


@pytest.mark.parametrize("least", [3, 4, 5])
def test_each_band_of_a_bucket_that_is_cut_again_counts(least: int) -> None:
    """For each way to differ in as many of six components as a pair may, a pair: some agree in one band only."""
    rng = np.random.default_rng(8)
    ways = [np.array(way) for way in combinations(range(6), 6 - least)]
    one = rng.integers(0, 2**32, (len(ways), 6), dtype=np.uint32)
    other = one.copy()
    for row, way in zip(other, ways, strict=True):
        row[way] += 1
    table = ComponentTable(np.concatenate([one, other]), least)
    bucket = Portion(np.zeros(len(table), np.int64), np.arange(len(table)))
    met = [
        (a, b)
        for portion, before in split_portion(table, bucket, partial(weigh, cross=None), Limits(large=2))
        for candidates in [BucketCandidates(portion, None)]
        for each in map(candidates.within, candidates.parts(1000))
        for a, b, *shared in zip(
            each.left.tolist(),
            each.right.tolist(),
            *(bands.share(each.left, each.right).tolist() for bands in before),
            strict=True,
        )
        if not any(shared)
    ]
    assert len(met) == len(set(met))  # none is compared twice
    assert {(pair, pair + len(ways)) for pair in range(len(ways))} <= set(met)
    assert 2 * len(met) < len(table) * (len(table) - 1) // 2  # it was cut


def test_bands_say_equally_much() -> None:
    rng = np.random.default_rng(5)
    rows = np.where(rng.random((1000, 84)) < rng.random(84), 7, rng.integers(0, 2**32, (1000, 84))).astype(np.uint32)
    bands = balanced([bits(column) for column in rows.T.astype(np.uint64)], 17)
    assert sorted(column for band in bands for column in band.tolist()) == list(range(84))
    one, two = (rows[half] for half in rng.integers(0, 1000, (2, 20000)))
    different = (one != two).any(axis=1)
    agreeing = [np.mean((one[:, band] == two[:, band]).all(axis=1)[different]) for band in bands]
    assert (
        max(agreeing)
        < 0.05
        < max(np.mean((rows[:500, first:last] == rows[500:, first:last]).all(axis=1)) for first, last in cut(84, 17))
    )


def test_copies_are_compared_once() -> None:
    """200 sketches share a band, each has 20 copies, and there are many portions: one comparison a pair of sketches."""
    rng = np.random.default_rng(2)
    distinct = rng.integers(0, 2**32, (200, 84), dtype=np.uint32)
    distinct[:, :4] = 7
    rows = np.tile(distinct, (20, 1))
    limits = Limits(documents=100)
    join = Join(ComponentTable(rows.copy(), 68), limits=limits)
    assert sum(len(block.a) for block in found_by(join)) == 200 * 20 * 19 // 2
    assert join.candidates == 200 * 199 // 2
    assert joined(rows, 68, limits=limits) == brute_force_of_copies(200, 20)


def brute_force_of_copies(distinct: int, copies: int) -> list[Triple]:
    last = distinct * copies
    return [(a, b, 84) for a in range(last) for b in range(a + distinct, last, distinct)]


def test_a_pair_met_in_all_bands_is_compared_once() -> None:
    rows = np.zeros((2, 84), np.uint32)
    rows[1, 0] = 1
    join = Join(ComponentTable(rows, 68))
    assert sum(len(block.a) for block in found_by(join)) == 1
    assert join.candidates == 1


def test_rows_with_one_key_are_still_distinct(monkeypatch: pytest.MonkeyPatch) -> None:
    """Were all hash keys equal, the join would be slow, never wrong."""

    def zeros(rows: Rows, bands: Sequence[tuple[int, int]], some: Flags | None = None) -> U64:
        return np.zeros((len(bands), len(rows if some is None else rows[some])), np.uint64)

    monkeypatch.setattr(kernel, "band_keys", zeros)
    rows = planted(np.random.default_rng(9), 40, 12)
    rows[:20] = rows[20:]
    assert joined(rows, 9) == brute_force(rows, 9)
