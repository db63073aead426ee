"""Loops over arrays in C against their definitions, and against Python's own sets."""

from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from itertools import accumulate, chain, combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shingletools.commands.simjoin.measures import MEASURES, in_common
from shingletools.commands.simjoin.sets import least_common
from shingletools.kernel import _kernel, arrays, compiled_arrays, reference_arrays
from shingletools.kernel.overlap_bound import SUM, OverlapBound
from shingletools.kernel.types import ENTRY, BoundedSets, Postings, Prefixes, TokenSets

words64 = st.integers(0, 2**64 - 1)


keys64 = st.lists(words64 | st.integers(0, 2**64 - 1).map(lambda key: key >> 12 << 12), max_size=100)


@given(st.lists(keys64, max_size=4), st.integers(1, 40))
def test_marks(blocks: list[list[int]], pairs: int) -> None:
    """A key is marked if the keys so far have two at its place, whichever blocks they came in."""
    tables = np.zeros((2, 2 * pairs), np.uint64)
    before: list[int] = []
    counted = 0
    for block in blocks:
        keys = np.array(block + block[: len(block) // 3], np.uint64)
        more = compiled_arrays.mark(keys, tables[0])
        assert reference_arrays.mark(keys, tables[1]) == more
        counted += more
        before += keys.tolist()
        places = [(key >> 32) * 64 * pairs >> 32 for key in before]
        count = Counter(places)
        expected = [count[place] > 1 for place in places]
        assert sum(expected) == counted
        assert compiled_arrays.marked(np.array(before, np.uint64), tables[0]).tolist() == expected
        assert reference_arrays.marked(np.array(before, np.uint64), tables[1]).tolist() == expected
    assert np.array_equal(*tables)


@given(keys64)
def test_shared_keys(keys: list[int]) -> None:
    """All that stand twice."""
    flags = arrays.shared(np.array(keys + keys[: len(keys) // 3], np.uint64))
    assert flags[len(keys) :].all()
    assert flags[: len(keys) // 3].all()


def test_few_keys_seem_to_be_shared() -> None:
    keys = np.random.default_rng(5).integers(0, 2**64, 100_000, dtype=np.uint64)
    assert len(np.unique(keys)) == len(keys)
    assert 0 < np.count_nonzero(arrays.shared(keys)) < 15_000


def sets_of(several: list[set[int]]) -> TokenSets:
    tokens = [token for each in several for token in sorted(each)]
    return TokenSets.of(np.array(tokens, np.uint64), np.array([len(each) for each in several]))


tokens64 = st.integers(0, 30) | st.sampled_from([2**63, 2**64 - 1, 2**64 - 2])
token_sets = st.lists(st.sets(tokens64, min_size=1, max_size=25), min_size=1, max_size=8)


@given(token_sets, st.data())
def test_overlaps(several: list[set[int]], data: st.DataObject) -> None:
    sets = sets_of(several)
    index = st.lists(st.integers(0, len(several) - 1), min_size=5, max_size=5).map(np.array)
    left, right = data.draw(index), data.draw(index)
    least = data.draw(st.lists(st.integers(0, 26), min_size=5, max_size=5).map(np.array))
    expected = [
        common if (common := len(several[a] & several[b])) >= bound else 0
        for a, b, bound in zip(left.tolist(), right.tolist(), least.tolist(), strict=True)
    ]
    assert compiled_arrays.overlaps(sets, left, right, least).tolist() == expected
    assert reference_arrays.overlaps(sets, left, right, least).tolist() == expected


@given(token_sets, st.integers(1, 27), st.integers(0, 9), st.data())
def test_shared_counts(several: list[set[int]], least: int, after: int, data: st.DataObject) -> None:
    """Whatever the order of tokens in a set, and what they weigh: its last ones need not bring anyone together."""
    number = {token: place for place, token in enumerate(sorted(set().union(*several)))}
    ordered = [data.draw(st.permutations(sorted(number[token] for token in each))) for each in several]
    rows = [[row for row, each in enumerate(several) if token in each] for token in number]
    postings = Postings(
        *(
            np.array(values, np.int64)
            for values in (
                [each for one in ordered for each in one],
                [len(each) for each in several],
                [row for each in rows for row in each],
                [0, *accumulate(map(len, rows))],
            )
        )
    )
    weights = data.draw(st.none() | st.lists(st.integers(0, 2**52), min_size=len(number), max_size=len(number)))
    postings = postings._replace(weights=None if weights is None else np.array(weights, np.int64))
    worth = dict(zip(number, weights or [1] * len(number), strict=True))
    last = data.draw(st.integers(0, len(several)))
    asking = range(data.draw(st.integers(0, last)), last)
    met = 0
    pairs = []
    for one in asking:
        for other in range(max(one + 1, after), len(several)):
            met += bool(set(ordered[one][: max(len(ordered[one]) - least + 1, 0)]) & set(ordered[other]))
            if len(common := several[one] & several[other]) >= least:
                pairs.append((one, other, sum(worth[token] for token in common)))
    for function in (compiled_arrays.shared_counts, reference_arrays.shared_counts):
        found, *columns = function(postings, asking, after, least, 64)
        assert found == met
        assert sorted(zip(*(column.tolist() for column in columns), strict=True)) == pairs


def test_shared_counts_of_the_few_rows_that_were_met() -> None:
    """A token of many rows is looked up for these alone, whether tokens have weights or not."""
    numbers = [[0, 1] if row in (0, 30) else [1] for row in range(40)]
    sizes, rows = [len(each) for each in numbers], [0, 30, *range(40)]
    arrays = (np.array(values, np.int64) for values in ([*chain(*numbers)], sizes, rows, [0, 2, 42]))
    postings = Postings(*arrays)
    for weights, shared in ((None, 2), (np.array([5, 7]), 12)):
        for function in (compiled_arrays.shared_counts, reference_arrays.shared_counts):
            found, *columns = function(postings._replace(weights=weights), range(1), 0, 2, 64)
            assert (found, [column.tolist() for column in columns]) == (1, [[0], [30], [shared]])


@settings(max_examples=20)  # each counts into all counters, of which there are four million
@given(token_sets, st.data())
def test_the_rarest_tokens(several: list[set[int]], data: st.DataObject) -> None:
    """By their counters, which collide: some are set by hand, so that one sort by bytes is not enough."""
    sets = sets_of(several)
    wanted = np.array([data.draw(st.integers(0, len(each))) for each in several])
    both = np.zeros((2, 1 << reference_arrays.COUNTER_BITS), np.uint32)
    for function, counters in zip((compiled_arrays.count_tokens, reference_arrays.count_tokens), both, strict=True):
        function(sets.tokens, counters)
        for token, count in enumerate((2**32 - 1, 2**32 - 2, 70_000, 300, 0)):
            counters[reference_arrays.counters_of(np.array([token], np.uint64))] = count
        function(sets.tokens[:1], counters)
    assert np.array_equal(*both)
    rank = {
        token: (int(both[0][reference_arrays.counters_of(np.array([token], np.uint64))[0]]), token)
        for each in several
        for token in each
    }
    expected = [
        token
        for each, count in zip(several, wanted.tolist(), strict=True)
        for token in sorted(each, key=rank.__getitem__)[:count]
    ]
    assert sets.tokens[compiled_arrays.rarest(sets, wanted, both[0])].tolist() == expected
    assert sets.tokens[reference_arrays.rarest(sets, wanted, both[0])].tolist() == expected


def shares(one: list[int], two: list[int], place_one: int, place_two: int) -> bool:
    return {*one[: place_one + 1]} & {*two[: place_two + 1]} == {one[place_one]} == {two[place_two]}


@given(token_sets, st.sampled_from(["jaccard", "cosine", "overlap", "in common"]), st.integers(1, 20), st.data())
def test_candidates_by_bounds(several: list[set[int]], name: str, twentieths: int, data: st.DataObject) -> None:
    """Sets in one bucket, of a token at any place of each: which pairs remain, by the rules in whole numbers."""
    rank = data.draw(st.permutations(sorted(set().union(*several))))
    ordered = sorted((sorted(each, key=rank.index) for each in several), key=len)
    sets, sizes = sets_of([set(each) for each in ordered]), [*map(len, ordered)]
    places = [data.draw(st.integers(0, size - 1)) for size in sizes]
    counters = np.array([rank.index(token) for each in ordered for token in each], np.uint32)
    tokens = np.array([token for each in ordered for token in each], np.uint64)
    rest = np.concatenate([np.arange(size, 0, -1) for size in sizes])
    prefixes = Prefixes.of(tokens, counters, np.array(sizes), rest)
    share = Fraction(twentieths, 20)
    measure = in_common(twentieths) if name == "in common" else MEASURES[name](share)
    bits = reference_arrays.parities(sets)
    assert np.array_equal(compiled_arrays.parities(sets), bits)
    entries = np.empty(len(sizes), ENTRY)
    entries["size"], entries["bits"], entries["place"], entries["start"] = sizes, bits, places, prefixes.starts
    entries["rest"] = rest[prefixes.starts + places]
    starts = np.arange(1, len(sizes) + 1)
    counts = len(sizes) - starts
    expected = []
    for i, k in combinations(range(len(sizes)), 2):
        differing = sum(int(a ^ b).bit_count() for a, b in zip(bits[i].tolist(), bits[k].tolist(), strict=True))
        assert differing <= len({*ordered[i]} ^ {*ordered[k]})
        most = min(sizes[i] - places[i], sizes[k] - places[k], (sizes[i] + sizes[k] - differing) // 2)
        small, large = np.array([sizes[i]]), np.array([sizes[k]])
        if min(most, sizes[i]) >= least_common(measure, small, large)[0]:
            expected.append((i, k))
    first = [(i, k) for i, k in expected if shares(ordered[i], ordered[k], places[i], places[k])]
    for module in (compiled_arrays, reference_arrays):
        for known, pairs in ((prefixes, first), (None, expected)):
            if known is None:
                entries["start"] = -1
            found = module.bounded_candidates(BoundedSets(measure.bound, entries, entries, known), starts, counts)
            assert [*zip(*(each.tolist() for each in found), strict=True)] == pairs
        entries["start"] = prefixes.starts


def test_prefixes_are_compared_in_the_order_of_counters() -> None:
    """Not of tokens: here the token that both sets have first is the middle one by value."""
    tokens, counters = np.array([5, 1, 9, 5, 9], np.uint64), np.array([0, 1, 2, 0, 2], np.uint32)
    prefixes = Prefixes.of(tokens, counters, np.array([3, 2]), np.array([3, 2]))
    pairs = [(2, 1), (0, 0)]  # places of the same tokens in both sets
    for module in (compiled_arrays, reference_arrays):
        for places, expected in zip(pairs, (0, 1), strict=True):
            entries = np.zeros(2, ENTRY)
            entries["size"], entries["rest"], entries["start"], entries["place"] = 3, 2, prefixes.starts, places
            sets = BoundedSets(OverlapBound(SUM, 0.1), entries, entries, prefixes)
            assert len(module.bounded_candidates(sets, np.array([1, 2]), np.array([1, 0]))[0]) == expected


@given(token_sets)
def test_keys_of_sets(several: list[set[int]]) -> None:
    sets = sets_of(several)
    keys = compiled_arrays.set_keys(sets)
    assert np.array_equal(keys, reference_arrays.set_keys(sets))
    for one, first in zip(several, keys.tolist(), strict=True):
        # The finalizer leaves 0 as it is, so that this token alone adds nothing
        assert [first == key for key in keys.tolist()] == [one - {0} == other - {0} for other in several]


ROWS, KEYS = np.zeros((4, 3), np.uint32), np.zeros(4, np.uint64)
TOKENS, STARTS, SIZES = np.arange(6, dtype=np.uint64), np.array([0, 3]), np.array([3, 3])
INDEX, COUNTS, FAR = np.zeros(2, np.int64), np.zeros(2, np.int64), np.array([0, 4])
# Arguments that are right, and what makes them wrong in a place
AGREEMENTS = (
    (3, 4, 1, ROWS, INDEX, INDEX, np.array([0, 1]), np.array([1, 3]), COUNTS),
    [
        (0, 2**61),
        (0, 5),
        (0, 0),
        (0, -3),
        (1, 3),
        (2, -1),
        (3, ROWS[:1, :2].copy()),
        (4, FAR),
        (4, -FAR),
        (4, INDEX[:1]),
        (5, FAR),
        (6, np.array([0])),
        (6, np.array([-1, 0])),
        (6, np.array([2, 1])),
        (7, np.array([1, 4])),
        (8, COUNTS[:1]),
    ],
)
FIRST, LAST = np.array([0, 1]), np.array([1, 3])
BAND_KEYS = (
    (3, 4, ROWS, FIRST, LAST, np.array([1, 0, 1, 1], np.bool_), np.zeros((2, 3), np.uint64)),
    [
        (0, 4),
        (0, 2**61),
        (1, 8),
        (2, ROWS[:3]),
        (3, FIRST[:1]),
        (3, -FIRST),
        (4, LAST + 1),
        (4, FIRST[:1]),
        (4, -LAST),
        (3, FIRST + 3),
        (5, np.ones(3, np.bool_)),
        (5, np.ones(4, np.bool_)),
        (6, np.zeros(5, np.uint64)),
        (6, np.zeros(7, np.uint64)),
    ],
)
TABLE = np.zeros(6, np.uint64)
MARK = (KEYS, TABLE), [(1, TABLE[:3]), (1, TABLE[:0])]
MARKED = (KEYS, TABLE, np.zeros(4, np.bool_)), [(0, KEYS[:3]), *MARK[1], (2, np.zeros(5, np.bool_))]
NO_SETS = [(0, TOKENS[:5]), (1, -STARTS), (1, STARTS + 1), (2, -SIZES), (2, SIZES[:1]), (2, np.array([3, 2**62]))]
WEIGHTS = np.zeros(6, np.int64)
COMMON_WEIGHTS = (
    (TOKENS, WEIGHTS, STARTS, SIZES, SIZES, INDEX, INDEX, INDEX, COUNTS),
    [
        *[(place + (place > 0), wrong) for place, wrong in NO_SETS],
        (1, WEIGHTS[:5]),
        (4, SIZES[:1]),
        (5, FAR),
        (6, -FAR),
        (7, INDEX[:1]),
        (8, COUNTS[:1]),
    ],
)
PARITIES = (TOKENS, STARTS, SIZES, np.zeros((2, 2), np.uint64)), [*NO_SETS, (3, KEYS[:3])]
PREFIX_COUNTERS = np.arange(6, dtype=np.uint32)
IN_BUCKET = np.zeros(2, ENTRY)
WRONG_START, WRONG_PLACE, NO_PREFIX = IN_BUCKET.copy(), IN_BUCKET.copy(), IN_BUCKET.copy()
WRONG_START["start"][1], WRONG_PLACE["place"][1], NO_PREFIX["start"] = 6, -1, -1
CANDIDATES = (
    (0, 0.5, IN_BUCKET, IN_BUCKET, np.array([1, 2]), np.array([1, 0]), TOKENS, PREFIX_COUNTERS, COUNTS),
    [
        *[(place, wrong) for place in (2, 3) for wrong in (WRONG_START, WRONG_PLACE, NO_PREFIX)],
        (2, IN_BUCKET[:1]),
        (4, np.array([-1, 2])),
        (4, np.array([2, 2])),
        (5, np.array([2, 0])),
        (5, np.array([-1, 0])),
        (5, INDEX[:1]),
        (6, TOKENS[:0]),
        (7, PREFIX_COUNTERS[:5]),
        (8, COUNTS[:1]),
    ],
)
COUNTERS = np.zeros(1 << reference_arrays.COUNTER_BITS, np.uint32)
COUNT_TOKENS = (TOKENS, COUNTERS), [(1, COUNTERS[:-1])]
SET_KEYS = (TOKENS, STARTS, SIZES, KEYS[:2].copy()), [*NO_SETS, (3, KEYS[:1])]
WANTED = np.array([1, 1])
RAREST = (
    (TOKENS, STARTS, SIZES, WANTED, COUNTERS, COUNTS),
    [
        *NO_SETS,
        (3, np.array([4, 0])),
        (3, np.array([-1, 3])),
        (3, WANTED[:1]),
        (4, COUNTERS[:-1]),
        (5, COUNTS[:1]),
    ],
)

# Two rows: tokens 0, 1 and 2, and 1, 2 and 3; what it writes are 2 numbers and 3 for a pair
NUMBERS, POSTED, BOUNDS = np.array([0, 1, 2, 1, 2, 3]), np.array([0, 0, 1, 0, 1, 1]), np.array([0, 1, 3, 5, 6])
THREE, MET, WORTH = np.array([3, 3]), np.zeros(5, np.int64), np.array([7, 0, 1, 2])
SHARED_COUNTS = (
    (0, 2, 0, 2, NUMBERS, np.array([0, 3]), THREE, POSTED, BOUNDS, WORTH, MET),
    [
        (0, -1),
        (1, 3),
        (4, NUMBERS[:5]),
        (4, NUMBERS + 1),
        (4, -NUMBERS),
        (5, np.array([0, 4])),
        (5, np.array([-1, 3])),
        (6, THREE[:1]),
        (6, -THREE),
        (7, POSTED[:5]),
        (7, POSTED + 1),
        (8, BOUNDS[:3]),
        (8, -BOUNDS),
        (8, BOUNDS[::-1].copy()),
        (8, BOUNDS + 1),
        (9, WORTH[:3]),
        (10, MET[:4]),
        (10, MET[:1]),
    ],
)


@pytest.mark.parametrize(
    ("function", "case"),
    [
        (_kernel.shared_counts, SHARED_COUNTS),
        (_kernel.agreements, AGREEMENTS),
        (_kernel.band_keys, BAND_KEYS),
        (_kernel.bounded_candidates, CANDIDATES),
        (_kernel.parities, PARITIES),
        (_kernel.common_weights, COMMON_WEIGHTS),
        (_kernel.count_tokens, COUNT_TOKENS),
        (_kernel.set_keys, SET_KEYS),
        (_kernel.rarest, RAREST),
        (_kernel.mark, MARK),
        (_kernel.marked, MARKED),
    ],
)
def test_arrays_that_do_not_fit_are_refused(function: Callable[..., None], case: tuple[tuple[Any], Any]) -> None:
    good, wrong = case
    function(*good)
    for place, value in wrong:
        with pytest.raises(ValueError, match="wrong size"):
            function(*good[:place], value, *good[place + 1 :])
    with pytest.raises((TypeError, BufferError)):
        function(*good[:-1], bytes(16))  # not for writing
    with pytest.raises(TypeError):
        function(*good[:-1])
