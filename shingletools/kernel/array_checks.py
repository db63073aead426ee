"""Compares the functions of compiled_arrays.py with their definitions, on random arrays. self_check.py runs this."""

from collections.abc import Iterator
from copy import deepcopy
from types import ModuleType
from typing import Any

import numpy as np
from numpy.random import Generator

from shingletools.kernel import _kernel, compiled_arrays, independent_set, own_words, reference_arrays
from shingletools.kernel import winnowing as winnow
from shingletools.kernel.overlap_bound import OverlapBound
from shingletools.kernel.types import ENTRY, BoundedSets, Postings, Prefixes, TokenSets, TokenWeights

Compared = tuple[str, object, object]  # a function's name, its result in C, and the right one

FACTOR = 0x9E3779B97F4A7C15  # of slots: any odd number


def compared(definition: ModuleType, name: str, *arguments: Any) -> Compared:
    """Returns the results of a function in C and of its definition, with the arguments as each leaves them."""
    one, other = deepcopy(arguments), deepcopy(arguments)
    return name, (getattr(compiled_arrays, name)(*one), one), (getattr(definition, name)(*other), other)


def rows(draw: Generator) -> Iterator[Compared]:
    for kind in ("u1", "u2", "u4", "u8"):
        for n in (1, 7, 8, 15, 16, 17, 63, 64, 65, 84, 128, 200):
            signatures = draw.integers(0, 4, (50, n)).astype(kind) * draw.integers(1, 60).astype(kind)  # many agree
            left, right = draw.integers(0, 50, (2, 100))
            for least in (0, 1, n // 4, n // 2, n, n + 1):
                yield compared(reference_arrays, "agreements", signatures, least, left, right[::-1])
            yield compared(reference_arrays, "agreements", signatures, 1, left, right, [(0, 1), (n // 2, n)])
            cut = [(0, n), (n // 3, n), (n // 5, n // 2), (n, n)]
            yield compared(reference_arrays, "band_keys", signatures, cut)
            yield compared(reference_arrays, "band_keys", signatures, cut, signatures[:, 0] % 3 > 0)
    for pairs in (1, 3, 40):
        table = np.zeros(2 * pairs, np.uint64)
        for _ in range(3):
            keys = draw.integers(0, 2**64, 30, np.uint64)
            keys = np.append(keys, keys[:10])
            yield compared(reference_arrays, "mark", keys, table)
            reference_arrays.mark(keys, table)
            yield compared(reference_arrays, "marked", keys, table)


def sets(draw: Generator) -> Iterator[Compared]:
    for high in (4, 30, 60):
        several = [np.unique(draw.integers(0, high, draw.integers(1, 25))) for _ in range(20)]
        tokens = np.concatenate(several).astype(np.uint64) << np.uint64(58)
        token_sets = TokenSets.of(tokens, np.array([*map(len, several)]))
        left, right, least = draw.integers(0, 20, (3, 100))
        yield compared(reference_arrays, "overlaps", token_sets, left, right, least)
        yield compared(reference_arrays, "parities", token_sets)
        yield from candidates(draw, token_sets)
        weights = draw.integers(0, 100, 64)[np.concatenate(several)]
        weighed = TokenWeights(token_sets, weights, np.add.reduceat(weights, token_sets.starts))
        yield compared(reference_arrays, "common_weights", weighed, left, right, least * 50)
        yield compared(reference_arrays, "set_keys", token_sets)
        yield from meetings(draw, token_sets)
    counters = np.full(1 << reference_arrays.COUNTER_BITS, 2**32 - 20, np.uint32)
    yield compared(reference_arrays, "count_tokens", tokens, counters)
    compiled_arrays.count_tokens(tokens[::3], counters)
    yield compared(reference_arrays, "rarest", token_sets, token_sets.sizes // 2, counters)


def candidates(draw: Generator, token_sets: TokenSets) -> Iterator[Compared]:
    order = np.argsort(token_sets.sizes)
    counters = (token_sets.tokens >> np.uint64(60)).astype(np.uint32)
    prefixes = Prefixes.of(token_sets.tokens, counters, token_sets.sizes, token_sets.sizes)
    entries = np.zeros(len(order), ENTRY)
    entries["size"], entries["start"] = token_sets.sizes[order], token_sets.starts[order]
    entries["place"] = draw.integers(0, token_sets.sizes[order])
    entries["rest"] = entries["size"] - entries["place"]
    entries["bits"] = draw.integers(0, 2**64, (len(order), 2), np.uint64) & np.uint64(0x0101)
    starts = np.arange(1, len(order) + 1)
    for kind, share in ((0, 0.3), (1, 0.4), (2, 0.2), (3, 2.5)):
        bounded = BoundedSets(OverlapBound(kind, share), entries, entries, prefixes)
        yield compared(reference_arrays, "bounded_candidates", bounded, starts, starts[::-1] - 1)


def meetings(draw: Generator, token_sets: TokenSets) -> Iterator[Compared]:
    values, numbers = np.unique(token_sets.tokens, return_inverse=True)
    of = np.repeat(np.arange(len(token_sets.sizes)), token_sets.sizes)[np.argsort(numbers, kind="stable")]
    bounds = np.append(0, np.cumsum(np.bincount(numbers)))
    for weights in (None, draw.integers(0, 9, len(values))):
        postings = Postings(numbers, token_sets.sizes, of, bounds, weights)
        for least in (1, 2, 5):
            modules = compiled_arrays, reference_arrays
            results = [module.shared_counts(postings, range(1, 15), 3, least, 500) for module in modules]
            one, two = (
                (met, sorted(zip(*(column.tolist() for column in pairs), strict=True))) for met, *pairs in results
            )
            yield "shared_counts", one, two


def independent_sets(draw: Generator) -> Iterator[Compared]:
    for count in (2, 12, 60):
        pairs = draw.integers(0, count, (100, 2))
        ends = pairs[pairs[:, 0] != pairs[:, 1]].astype(np.int32).ravel()
        before, last = np.empty(len(ends), np.int32), np.full(count, -1, np.int32)
        yield compared(independent_set, "list_ends", ends, before, last)
        independent_set.list_ends(ends, before, last)
        similarity, may_go = draw.integers(1, 4, len(ends) // 2) / 4, draw.integers(0, 4, len(ends) // 2, np.uint8)
        listed = independent_set.PairEnds(ends, before, last, similarity, may_go)
        none = np.full(count, -1, np.int32)
        partners = independent_set.Partners(none, np.zeros(count))
        yield compared(independent_set, "greedy_independent_set", draw.permutation(count), listed, partners)
        chosen, state = draw.permutation(count)[: count // 2], draw.choice(np.array([0, 1, 2, 2], np.uint8), count)
        yield compared(independent_set, "decide_by_cover", chosen, listed, state)
        lesser, greater = np.sort(ends.reshape(-1, 2)).T.astype(np.uint64)
        keys = np.unique(lesser << np.uint64(32) | greater)
        yield compared(independent_set, "greedy_independent_set_of_pairs", keys, none)


def lined_texts(draw: Generator, alphabet: int) -> bytes:
    """Returns six texts of at most 39 words."""
    many = [*(f"{letter}{number}" for number in range(alphabet) for letter in ["", "é", "日本"][: alphabet % 3 or 1])]
    return "".join(" ".join(draw.choice(many, draw.integers(0, 40))) + "\n" for _ in range(6)).encode()


def winnowing(draw: Generator) -> Iterator[Compared]:
    for alphabet in (1, 2, 3, 50):
        for mask in (winnow.ALL_BITS, 3):
            for gram, run in ((1, 1), (1, 4), (2, 3), (3, 3), (4, 9)):
                how = winnow.Winnowing(int(draw.integers(0, 2**63)), gram, run, mask)
                texts = lined_texts(draw, alphabet)
                yield compared(winnow, "winnow", texts, how)
                keys, places = winnow.winnow(texts, how)
                yield compared(winnow, "winnowed_runs", texts, places, how)
                left, right, most = draw.integers(0, len(texts), (3, 30))
                yield compared(winnow, "equal_words", texts, left, texts, right, most)
                listed = FACTOR, _kernel.list_fingerprints(keys[:3].tobytes(), b"", FACTOR), True
                kept = np.isin(keys, keys[:3])
                yield "winnow", compiled_arrays.winnow(texts, how, listed), (keys[kept], places[kept])


WORDS = 'house houses health care Äpfel Äpfels Ärger 日本語 日本 "q" \0'.split(" ")  # some are beginnings of others
FLAGGED = (("3", own_words.NUMBER), ("3d", own_words.NUMBER), ("the", own_words.NEVER), ("1st", 3))


def own(draw: Generator) -> Iterator[Compared]:
    words = [*((word, 0) for word in WORDS), *FLAGGED]
    spelled = [word.encode() for word, _ in words]
    flags = np.array([flag for _, flag in words], np.uint8)
    for most in (1, 3, 12, len(words)):  # words that are different
        texts = [draw.integers(0, most, draw.integers(0, 50)).astype(np.int32) for _ in range(15)]
        for text in texts[:15]:  # with a block that moved
            place, end = sorted(draw.integers(0, len(text) + 1, 2).tolist())
            texts.append(
                np.concatenate([text[place:end], text[:place], draw.integers(0, most, 1, np.int32), text[end:]])
            )
        sizes = np.array([*map(len, texts)], np.int64)
        ends = np.cumsum([*map(len, spelled)])
        numbered = own_words.NumberedTexts(
            np.concatenate(texts), np.cumsum(sizes) - sizes, sizes, b"".join(spelled), ends.tobytes(), flags
        )
        left, right = np.append(draw.integers(0, 30, (2, 40)), [np.arange(15), np.arange(15, 30)], axis=1)
        for short in (0, 20, 60):
            comparing = own_words.Comparing(short, int(draw.integers(0, 2**63)))
            yield compared(own_words, "own_words", numbered, left, right, comparing)
            differences = own_words.own_words(numbered, left, right, comparing)
            starts, which = draw.integers(0, 20, len(left)), draw.integers(0, 2, len(left))
            heads = own_words.LineHeads(bytes(range(40)), np.stack([starts, starts + 9], axis=1))
            yield compared(own_words, "own_lines", heads, differences, numbered, [b"}\n", b',"covers":"a"}\n'], which)
