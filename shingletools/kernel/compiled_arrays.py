"""The loops over numpy arrays in C: they prepare the arrays and call `_kernel`."""

from collections.abc import Sequence

import numpy as np

from shingletools.kernel import _kernel
from shingletools.kernel.ids import SelectedIds
from shingletools.kernel.independent_set import PairEnds, Partners
from shingletools.kernel.lines import FingerprintFilter
from shingletools.kernel.own_words import OWN, Comparing, LineHeads, NumberedTexts, OwnWords
from shingletools.kernel.types import (
    I32,
    U8,
    U32,
    U64,
    BoundedSets,
    Flags,
    Index,
    Postings,
    Rows,
    TokenSets,
    TokenWeights,
)
from shingletools.kernel.winnowing import Winnowing


def band_keys(rows: Rows, bands: Sequence[tuple[int, int]], some: Flags | None = None) -> U64:
    some = np.ones(len(rows), np.bool_) if some is None else some
    keys = np.empty((len(bands), np.count_nonzero(some)), np.uint64)
    firsts, lasts = np.array(bands, np.int64).reshape(-1, 2).T.copy()
    _kernel.band_keys(rows.shape[1], rows.itemsize, np.ascontiguousarray(rows), firsts, lasts, some, keys)
    return keys


def mark(keys: U64, table: U64) -> int:
    return _kernel.mark(np.ascontiguousarray(keys), table)


def marked(keys: U64, table: U64) -> Flags:
    flags = np.empty(len(keys), np.bool_)
    _kernel.marked(np.ascontiguousarray(keys), table, flags)
    return flags


def agreements(
    rows: Rows, least: int, left: Index, right: Index, unshared: Sequence[tuple[int, int]] = ()
) -> tuple[Index, int]:
    counts = np.empty(len(left), np.int64)
    firsts, lasts = np.array(unshared, np.int64).reshape(-1, 2).T.copy()
    whole, one, two = map(np.ascontiguousarray, (rows, left, right))
    return counts, _kernel.agreements(rows.shape[1], rows.itemsize, least, whole, one, two, firsts, lasts, counts)


def bounded_candidates(sets: BoundedSets, starts: Index, counts: Index) -> tuple[Index, Index]:
    room = np.empty((int(counts.sum()), 2), np.int64)
    bound, entries, targets, prefixes = sets
    tokens, counters = (b"", b"") if prefixes is None else prefixes[:2]
    found = _kernel.bounded_candidates(*bound, entries, targets, starts, counts, tokens, counters, room)
    return room[:found, 0].copy(), room[:found, 1].copy()


def parities(sets: TokenSets) -> U64:
    bits = np.empty((len(sets.sizes), 2), np.uint64)
    _kernel.parities(sets.tokens, sets.starts, sets.sizes, bits)
    return bits


def overlaps(sets: TokenSets, left: Index, right: Index, least: Index) -> Index:
    return common_weights(TokenWeights(sets, np.empty(0, np.int64), sets.sizes), left, right, least)


def common_weights(weighed: TokenWeights, left: Index, right: Index, least: Index) -> Index:
    (sets, weights, totals), common = weighed, np.empty(len(left), np.int64)
    one, two, bound = map(np.ascontiguousarray, (left, right, least))
    _kernel.common_weights(sets.tokens, weights, sets.starts, sets.sizes, totals, one, two, bound, common)
    return common


def count_tokens(tokens: U64, counters: U32) -> None:
    _kernel.count_tokens(np.ascontiguousarray(tokens), counters)


def set_keys(sets: TokenSets) -> U64:
    keys = np.empty(len(sets.sizes), np.uint64)
    _kernel.set_keys(sets.tokens, sets.starts, sets.sizes, keys)
    return keys


def rarest(sets: TokenSets, wanted: Index, counters: U32) -> Index:
    places = np.empty(int(wanted.sum()), np.int64)
    _kernel.rarest(sets.tokens, sets.starts, sets.sizes, np.ascontiguousarray(wanted), counters, places)
    return places


def shared_counts(
    postings: Postings, asking: range, after: int, least: int, room: int, /
) -> tuple[int, Index, Index, Index]:
    out = np.empty(2 + 3 * room, np.int64)
    weights = np.empty(0, np.int64) if postings.weights is None else postings.weights
    arrays = postings.numbers, postings.starts, postings.sizes, postings.rows, postings.bounds, weights
    _kernel.shared_counts(asking.start, asking.stop, after, least, *arrays, out)
    met, pairs = out[:2].tolist()
    left, right, counts = out[2 : 2 + 3 * pairs].reshape(-1, 3).T.copy()
    return met, left, right, counts


def pair_lines(a: SelectedIds, b: SelectedIds, rests: Sequence[bytes], which: Index, /) -> bytes:
    one, two = (ids._replace(numbers=np.ascontiguousarray(ids.numbers)) for ids in (a, b))
    return _kernel.pair_lines(one, two, list(rests), np.ascontiguousarray(which))


def group_lines(members: SelectedIds, sizes: Index, /) -> bytes:
    ordered = members._replace(numbers=np.ascontiguousarray(members.numbers))
    return _kernel.group_lines(ordered, np.ascontiguousarray(sizes))


def connect(parent: I32, left: Index, right: Index, news: U8, /) -> None:
    _kernel.connect_pairs(np.ascontiguousarray(left), np.ascontiguousarray(right), parent, news)


def list_ends(ends: I32, before: I32, last: I32, /) -> None:
    _kernel.list_ends(ends, before, last)


def greedy_independent_set(documents: Index, pairs: PairEnds, kept: Partners, /) -> None:
    _kernel.greedy_independent_set(np.ascontiguousarray(documents), *pairs, *kept)


def decide_by_cover(documents: Index, pairs: PairEnds, state: U8, /) -> None:
    _kernel.decide_by_cover(np.ascontiguousarray(documents), *pairs, state)


def greedy_independent_set_of_pairs(pairs: U64, partner: I32, /) -> None:
    _kernel.greedy_independent_set_of_pairs(np.ascontiguousarray(pairs), partner)


def winnow(texts: bytes, how: Winnowing, listed: FingerprintFilter = (), /) -> tuple[U64, Index]:
    keys, places = _kernel.winnow(texts, how.seed, how.mask, how.gram, how.run, listed)
    return np.frombuffer(keys, np.uint64), np.frombuffer(places, np.int64)


def winnowed_runs(texts: bytes, places: Index, how: Winnowing, /) -> tuple[Index, U64, Index]:
    found = _kernel.winnowed_runs(texts, np.ascontiguousarray(places), how.seed, how.mask, how.gram, how.run)
    counts, keys, starts = found
    return np.frombuffer(counts, np.int64), np.frombuffer(keys, np.uint64), np.frombuffer(starts, np.int64)


def equal_words(texts: bytes, left: Index, others: bytes, right: Index, words: Index, /) -> Index:
    counts = np.empty(len(left), np.int64)
    _kernel.equal_words(texts, others, *map(np.ascontiguousarray, (left, right, words)), counts)
    return counts


def own_words(texts: NumberedTexts, left: Index, right: Index, how: Comparing, /) -> OwnWords:
    own = np.zeros((len(left), 2), OWN)
    _kernel.own_words(*how, *texts, np.ascontiguousarray(left), np.ascontiguousarray(right), own)
    return own


def own_lines(heads: LineHeads, own: OwnWords, texts: NumberedTexts, rests: Sequence[bytes], which: Index, /) -> bytes:
    places, found, numbers = map(np.ascontiguousarray, (heads.places, own, which))
    return _kernel.own_lines(heads.data, places, found, texts.data, texts.ends, list(rests), numbers)
