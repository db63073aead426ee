"""The hot loops over arrays in numpy: the definition. A faster kernel must return the same bits.

All integer arithmetic is unsigned and wraps, as in numpy's arrays of uint32 and uint64.
"""

from collections.abc import Sequence

import numpy as np

from shingletools.kernel.overlap_bound import PRODUCT, SMALLER, SUM
from shingletools.kernel.types import (
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

ROLL_FACTOR = np.uint64(0x9E3779B97F4A7C15)  # 2^64 / golden ratio, the usual odd multiplier of multiplicative hashing
SIPHASH_STATE = np.frombuffer(b"somepseudorandomlygeneratedbytes", ">u8").astype(np.uint64)  # SipHash's initial state
COUNTER_BITS = 22  # binary logarithm of the number of counters
BLOCK_NUMBERS = 1 << 18  # numbers in a block, whose intermediate results stay in the cache


def roll(words: U64, k: int, base: int, key: bytes = b"") -> U64:
    """Returns the fingerprints of the n - k + 1 runs of k words, from those of n words; of one run if 0 < n < k.

    z_i = sum over j < k of w_(i+j) * base^(k-1-j) mod 2^64 (Karp and Rabin 1987), then the finalizer z ^= z >> 32; z *=
    0xD6E8FEB86659FD93; z ^= z >> 32, or, with a key of 16 bytes, SipHash. Shape (n,) in, (n - k + 1,) out.

    The base is odd, so it has an inverse. Each sum is a difference of two prefix sums of w_t * base^-t, times
    base^(i+k-1), so the cost does not depend on k.
    """
    n = len(words)
    k = min(k, n)
    if not k:
        return words.astype(np.uint64)
    sums = np.zeros(n + 1, np.uint64)
    np.cumsum(words * powers_of(pow(base, -1, 2**64), n), out=sums[1:])
    z: U64 = (sums[k:] - sums[:-k]) * powers_of(base, n)[k - 1 :]
    if key:
        return siphash(z, key)
    z ^= z >> np.uint64(32)
    z *= np.uint64(0xD6E8FEB86659FD93)
    z ^= z >> np.uint64(32)
    return z


def powers_of(base: int, n: int) -> U64:
    """Returns base^0 to base^(n-1) mod 2^64."""
    powers = np.full(n, base, np.uint64)
    powers[:1] = 1
    return np.cumprod(powers)


def siphash(numbers: U64, key: bytes) -> U64:
    """Returns SipHash-2-4 (Aumasson and Bernstein 2012) of each number as 8 bytes, little-endian.

    The key has 16 bytes. Shape (n,) in, (n,) out.
    """
    start = np.tile(np.frombuffer(key, "<u8"), 2)[:, None] ^ SIPHASH_STATE[:, None]
    length = np.uint64(8 << 56)
    v0, v1, v2, v3 = np.broadcast_to(start, (4, len(numbers)))
    v0, v1, v2, v3 = _sip_round(*_sip_round(v0, v1, v2, v3 ^ numbers))
    v0, v1, v2, v3 = _sip_round(*_sip_round(v0 ^ numbers, v1, v2, v3 ^ length))
    state = v0 ^ length, v1, v2 ^ np.uint64(0xFF), v3
    for _ in range(4):
        state = _sip_round(*state)
    v0, v1, v2, v3 = state
    return v0 ^ v1 ^ v2 ^ v3


def _sip_round(v0: U64, v1: U64, v2: U64, v3: U64) -> tuple[U64, U64, U64, U64]:
    v0 = v0 + v1
    v2 = v2 + v3
    v1 = _rotate_left(v1, 13) ^ v0
    v3 = _rotate_left(v3, 16) ^ v2
    v2 = v2 + v1
    v0 = _rotate_left(v0, 32) + v3
    return v0, _rotate_left(v1, 17) ^ v2, _rotate_left(v2, 32), _rotate_left(v3, 21) ^ v0


def _rotate_left(numbers: U64, bits: int) -> U64:
    return numbers << np.uint64(bits) | numbers >> np.uint64(64 - bits)


def fmix64(x: U64) -> U64:
    """Returns MurmurHash3's 64-bit finalizer (Appleby) of each number."""
    x = x ^ (x >> np.uint64(33))
    x *= np.uint64(0xFF51AFD7ED558CCD)
    x ^= x >> np.uint64(33)
    x *= np.uint64(0xC4CEB9FE1A85EC53)
    x ^= x >> np.uint64(33)
    return x


def fmix32(x: U32) -> U32:
    """Returns MurmurHash3's 32-bit finalizer of each number."""
    x = x ^ (x >> np.uint32(16))
    x *= np.uint32(0x85EBCA6B)
    x ^= x >> np.uint32(13)
    x *= np.uint32(0xC2B2AE35)
    x ^= x >> np.uint32(16)
    return x


def minima(shingles: U64, a: U32, b: U32) -> U32:
    """Returns, for each i, the least a_i * y + b_i mod 2^32 over all shingles x; y is the high half of fmix64(x).

    Shapes: (shingles,), at least one; (n,), (n,) in; (n,) out.
    """
    y = (fmix64(shingles) >> np.uint64(32)).astype(np.uint32)
    least = np.full(len(a), 0xFFFFFFFF, np.uint32)
    block = max(1, BLOCK_NUMBERS // len(a))
    for start in range(0, len(y), block):
        values = a[:, None] * y[None, start : start + block]
        values += b[:, None]
        np.minimum(least, values.min(axis=1), out=least)
    return least


def bit_sums(fingerprints: U64, weights: Index) -> Index:
    """Returns, for each of 64 bits, the weights of fingerprints that have it minus the weights of the others.

    The most significant bit comes first. Shapes: (fingerprints,), (fingerprints,) in; (64,) out. Exact as long as the
    weights add up to less than 2^63.
    """
    sums = np.zeros(64, np.int64)
    for start in range(0, len(fingerprints), BLOCK_NUMBERS >> 6):
        part = slice(start, start + (BLOCK_NUMBERS >> 6))
        bits = np.unpackbits(fingerprints[part].astype(">u8").view(np.uint8)).reshape(-1, 64)
        sums += 2 * (weights[part] @ bits.astype(np.int64)) - weights[part].sum()
    return sums


def row_keys(rows: Rows, first: int, last: int) -> U64:
    """Returns a 64-bit key of components `first` to `last` - 1 of each row. Equal components have equal keys.

    Shapes: (rows, n) in, (rows,) out.
    """
    keys = np.zeros(len(rows), np.uint64)
    for component in range(first, last):
        keys *= ROLL_FACTOR
        keys += rows[:, component]
    return fmix64(keys)


def band_keys(rows: Rows, bands: Sequence[tuple[int, int]], some: Flags | None = None) -> U64:
    """Returns the `row_keys` of several bands, each as (first, last), of all rows or those whose flag is set.

    Shapes: (rows, n), (rows,) in; (bands, rows or those with flags) out.
    """
    chosen = rows if some is None else rows[some]
    keys = [row_keys(chosen, first, last) for first, last in bands]
    return np.array(keys, np.uint64).reshape(len(bands), len(chosen))


def mark(keys: U64, table: U64) -> int:
    """Marks the place of each key as seen, or as seen again; keys with the same highest bits share a place.

    Returns how many more keys are now at places that were seen again, including keys of earlier calls.

    table: zeros at first, shape (2 * words,): for each 64 places one word for places seen, and one for places seen
    again.
    """
    place, count = np.unique(_places(keys, table), return_counts=True)
    bit = np.uint64(1) << (place & np.uint64(63))
    word = (place >> np.uint64(6)).astype(np.int64) * 2
    seen, before = table[word] & bit > 0, table[word + 1] & bit > 0
    again = seen | (count > 1)
    np.bitwise_or.at(table, word, bit)
    np.bitwise_or.at(table, word[again] + 1, bit[again])
    return int((count + (seen & ~before))[again].sum())


def marked(keys: U64, table: U64) -> Flags:
    """Returns whether each key's place was seen again. Shape (keys,)."""
    place = _places(keys, table)
    word = (place >> np.uint64(6)).astype(np.int64) * 2
    flags: Flags = table[word + 1] >> (place & np.uint64(63)) & np.uint64(1) > 0
    return flags


def _places(keys: U64, table: U64) -> U64:
    """Returns the place of each key in the table."""
    places: U64 = (keys >> np.uint64(32)) * np.uint64(32 * len(table)) >> np.uint64(32)
    return places


def agreements(
    rows: Rows, least: int, left: Index, right: Index, unshared: Sequence[tuple[int, int]] = ()
) -> tuple[Index, int]:
    """Returns, for each pair, in how many components its two rows agree; 0 if in fewer than `least`.

    Also 0 if they agree in all components of one of the bands `unshared`, each as (first, last). Returns how many pairs
    agree in none of these, too.
    Pair i is of rows left[i] and right[i]. Shapes: (rows, n), (pairs,), (pairs,) in; (pairs,) out.
    """
    counts, elsewhere = np.empty(len(left), np.int64), 0
    block = max(1, BLOCK_NUMBERS // rows.shape[1])
    for start in range(0, len(left), block):
        part = slice(start, start + block)
        same = rows[left[part]] == rows[right[part]]
        several = np.count_nonzero(same, axis=1)
        shared = np.zeros(len(same), np.bool_)
        for first, last in unshared:
            shared |= same[:, first:last].all(axis=1)
        counts[part] = np.where(shared | (several < least), 0, several)
        elsewhere += int(np.count_nonzero(shared))
    return counts, len(left) - elsewhere


def bounded_candidates(sets: BoundedSets, starts: Index, counts: Index) -> tuple[Index, Index]:
    """Returns pairs (i, k) of sets in a bucket whose overlap may reach a bound: entries[i] and one of its targets.

    An entry has counts[i] targets, from targets[starts[i]] on, by size, each at least as large as the entry. What the
    two have in common is not before the bucket's token, and they differ by at least as many tokens as `bits` do (Xiao
    et al. 2008; Sandes, Teodoro and Melo 2020). With prefixes, they also share no token before (`is_first_shared`).
    Shapes: (entries,), (entries,) in; (candidates,), (candidates,) out, by i, then k.
    """
    bound, entries, targets, prefixes = sets
    owner = np.repeat(np.arange(len(counts)), counts)
    place = np.arange(len(owner)) + (starts - np.cumsum(counts) + counts)[owner]
    one, two = entries[owner], targets[place]
    differing = np.unpackbits((one["bits"] ^ two["bits"]).view(np.uint8), axis=-1).sum(axis=-1)
    a, b = one["size"].astype(np.float64), two["size"].astype(np.float64)
    most = np.minimum(np.minimum(one["rest"], two["rest"]), (one["size"] + two["size"] - differing) / 2)
    total = {SUM: a + b, SMALLER: a, PRODUCT: a * b}.get(bound.kind, np.ones(len(a)))
    power = 1 + (bound.kind == PRODUCT)
    possible = (a**power >= bound.share * total) & (most**power >= bound.share * total)
    if prefixes is not None:
        ends = zip(*(each[name][possible].tolist() for each in (one, two) for name in ("start", "place")), strict=True)
        possible[possible] = [is_first_shared(prefixes.tokens, *each) for each in ends]
    return owner[possible], place[possible]


def is_first_shared(tokens: U64, one: int, place_one: int, two: int, place_two: int) -> bool:
    """Returns whether two ranges of distinct tokens, from `one` and `two` to their places, share the last ones only."""
    first, second = tokens[one : one + place_one + 1], tokens[two : two + place_two + 1]
    return bool(first[-1] == second[-1]) and len(np.intersect1d(first, second)) == 1


def parities(sets: TokenSets) -> U64:
    """Returns 128 bits for each set, one a hash: whether an odd number of its tokens have it. Shape (sets, 2)."""
    which = fmix64(sets.tokens)
    bits = np.uint64(1) << (which & np.uint64(63))
    halves = [np.where(which >> np.uint64(6) & np.uint64(1) == half, bits, np.uint64(0)) for half in range(2)]
    return np.stack([np.bitwise_xor.reduceat(half, sets.starts) for half in halves], axis=1)


def overlaps(sets: TokenSets, left: Index, right: Index, least: Index) -> Index:
    """Returns, for each pair of sets, how many tokens they have in common; 0 if fewer than least[i].

    Pair i is of sets left[i] and right[i]. Shapes: (pairs,), (pairs,), (pairs,) in; (pairs,) out.
    """
    return common_weights(TokenWeights(sets, np.ones(len(sets.tokens), np.int64), sets.sizes), left, right, least)


def common_weights(weighed: TokenWeights, left: Index, right: Index, least: Index) -> Index:
    """Returns, for each pair of sets, the weight of the tokens that they have in common; 0 if less than least[i].

    Shapes as in `overlaps`.
    """
    sets, weights, _ = weighed
    counts = np.zeros(len(left), np.int64)
    starts, sizes = sets.starts, sets.sizes
    ends = np.cumsum(sizes[left] + sizes[right])
    first = done = 0
    while first < len(left):  # joins the tokens of both sets of a pair: common ones come twice
        last = max(first + 1, int(np.searchsorted(ends, done + BLOCK_NUMBERS, "right")))
        several = np.concatenate([left[first:last], right[first:last]])
        pair = np.repeat(np.tile(np.arange(last - first), 2), sizes[several])
        place = np.arange(len(pair)) + np.repeat(
            starts[several] - np.cumsum(sizes[several]) + sizes[several], sizes[several]
        )
        token = sets.tokens[place]
        order = np.lexsort((token, pair))
        token, pair, weight = token[order], pair[order], weights[place[order]]
        twice = (token[1:] == token[:-1]) & (pair[1:] == pair[:-1])
        np.add.at(counts[first:last], pair[1:][twice], weight[1:][twice])
        first, done = last, int(ends[last - 1])
    counts[counts < least] = 0
    return counts


def counters_of(tokens: U64) -> Index:
    """Returns the counter of each token, below 2^22. Shapes: (tokens,) in, (tokens,) out."""
    return (fmix64(tokens) >> np.uint64(64 - COUNTER_BITS)).astype(np.int64)


def count_tokens(tokens: U64, counters: U32) -> None:
    """Adds 1 to the counter of each token, up to 2^32 - 1. Shapes: (tokens,), (2^22,)."""
    added = np.bincount(counters_of(tokens), minlength=1 << COUNTER_BITS)
    counters[:] = np.minimum(counters + added, 0xFFFFFFFF)


def set_keys(sets: TokenSets) -> U64:
    """Returns a 64-bit key of each set, none of which is empty. Equal sets have equal keys. Shape (sets,)."""
    sums: U64 = np.add.reduceat(fmix64(sets.tokens), sets.starts) if len(sets.sizes) else np.empty(0, np.uint64)
    return fmix64(sums)


def rarest(sets: TokenSets, wanted: Index, counters: U32) -> Index:
    """Returns the places of the wanted[i] tokens of each set i with the least counters, in that order; ties by token.

    Shapes: (sets,), (2^22,) in; (sum of wanted,) out: places in sets.tokens, set by set.
    """
    owner = np.repeat(np.arange(len(sets.sizes)), sets.sizes)
    order = np.lexsort((sets.tokens, counters[counters_of(sets.tokens)], owner))
    number = np.arange(len(owner)) - np.repeat(sets.starts, sets.sizes)
    return order[number < np.repeat(wanted, sets.sizes)]


def shared_counts(
    postings: Postings, asking: range, after: int, least: int, _room: int, /
) -> tuple[int, Index, Index, Index]:
    """Returns the pairs of rows with at least `least` tokens in common, and how many candidates there were.

    One row of a pair is in `asking`; the other comes after it and is not less than `after`. A candidate is a pair that
    shares one of the asking row's numbers other than its last least - 1: without these a pair cannot have enough.
    Returns the number of candidates and, in any order, the two rows of each pair and their number of common tokens, or
    the sum of the weights of these, (pairs,) each. _room: an upper bound of the number of pairs.
    """
    met = 0
    found = [np.empty((0, 3), np.int64)]
    for row, end in zip(asking, np.cumsum(postings.sizes)[asking.start : asking.stop].tolist(), strict=True):
        of_row = postings.numbers[end - int(postings.sizes[row]) : end].tolist()
        parts = [postings.rows[postings.bounds[number] : postings.bounds[number + 1]] for number in of_row]
        parts = [part[np.searchsorted(part, max(row + 1, after)) :] for part in parts]
        nothing = np.empty(0, np.int64)
        candidates = np.unique(np.concatenate([nothing, *parts[: max(len(parts) - least + 1, 0)]]))
        other, count = np.unique(np.concatenate([nothing, *parts]), return_counts=True)
        wanted = (count >= least) & np.isin(other, candidates)
        met += len(candidates)
        if postings.weights is not None:
            lengths = [len(part) for part in parts]
            weights = np.repeat(postings.weights[of_row], lengths) if lengths else nothing
            count = np.zeros(len(count), np.int64)
            np.add.at(count, np.searchsorted(other, np.concatenate([nothing, *parts])), weights)
        found.append(np.column_stack([np.full(np.count_nonzero(wanted), row), other[wanted], count[wanted]]))
    left, right, counts = np.concatenate(found).T
    return met, left, right, counts
