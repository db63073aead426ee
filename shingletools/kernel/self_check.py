"""Compares each function of the C kernel with its definition, or with lines whose content is known, on random inputs.

A build runs this, and leaves out a kernel that differs (kernel_build.py). `shingletools --check` runs it, too.
Functions that ask something of the system have no definition: keep_memory, part_large_arrays, end_with_parent,
fail_at_exit.
"""

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import deepcopy
from functools import partial
from itertools import combinations
from types import ModuleType
from typing import Any

import numpy as np
from blake3 import blake3
from numpy.random import Generator

from shingletools.kernel import (
    _kernel,
    compiled_arrays,
    groups,
    ids,
    independent_set,
    lines,
    payload_codec,
    payload_signatures,
    reference_arrays,
    weighted_minhash_times,
)
from shingletools.kernel import winnowing as winnow
from shingletools.kernel.line_columns import Field, Kind
from shingletools.kernel.lines import FilterFields, Link, quoted
from shingletools.kernel.memo import compiled_words, reference_fingerprints, reference_words
from shingletools.kernel.overlap_bound import OverlapBound
from shingletools.kernel.types import ENTRY, BoundedSets, Postings, Prefixes, TokenSets, TokenWeights

Compared = tuple[str, object, object]  # a function's name, its result in C, and the right one

FIELDS = FilterFields(b"id", b"x", b"x", False, b"recipe")
FACTOR = 0x9E3779B97F4A7C15  # of slots: any odd number
HEAVIEST = 1 << 40


def compared(definition: ModuleType, name: str, *arguments: Any) -> Compared:
    """Returns the results of a function in C and of its definition, with the arguments as each leaves them."""
    one, other = deepcopy(arguments), deepcopy(arguments)
    return name, (getattr(compiled_arrays, name)(*one), one), (getattr(definition, name)(*other), other)


def int64(numbers: Iterable[int]) -> bytes:
    return np.array([*numbers], np.int64).tobytes()


def sizes_of(several: Iterable[bytes]) -> bytes:
    return int64(map(len, several))


# Rows, and sets of tokens


def rows(draw: Generator) -> Iterator[Compared]:
    for kind in ("u1", "u2", "u4", "u8"):
        for n in (1, 7, 8, 15, 16, 17, 63, 64, 65, 84, 128, 200):
            made = draw.integers(0, 4, (50, n)).astype(kind) * draw.integers(1, 60).astype(kind)  # many agree
            left, right = draw.integers(0, 50, (2, 100))
            for least in (0, 1, n // 4, n // 2, n, n + 1):
                yield compared(reference_arrays, "agreements", made, least, left, right[::-1])
            yield compared(reference_arrays, "agreements", made, 1, left, right, [(0, 1), (n // 2, n)])
            cut = [(0, n), (n // 3, n), (n // 5, n // 2), (n, n)]
            yield compared(reference_arrays, "band_keys", made, cut)
            yield compared(reference_arrays, "band_keys", made, cut, made[:, 0] % 3 > 0)
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
        made = TokenSets(tokens, np.array([*map(len, several)]))
        left, right, least = draw.integers(0, 20, (3, 100))
        yield compared(reference_arrays, "overlaps", made, left, right, least)
        yield compared(reference_arrays, "parities", made)
        yield from candidates(draw, made)
        weights = draw.integers(0, 100, 64)[np.concatenate(several)]
        weighed = TokenWeights(made, weights, np.add.reduceat(weights, made.starts))
        yield compared(reference_arrays, "common_weights", weighed, left, right, least * 50)
        yield compared(reference_arrays, "set_keys", made)
        yield from meetings(draw, made)
    counters = np.full(1 << reference_arrays.COUNTER_BITS, 2**32 - 20, np.uint32)
    yield compared(reference_arrays, "count_tokens", tokens, counters)
    compiled_arrays.count_tokens(tokens[::3], counters)
    yield compared(reference_arrays, "rarest", made, made.sizes // 2, counters)


def candidates(draw: Generator, made: TokenSets) -> Iterator[Compared]:
    order = np.argsort(made.sizes)
    counters = (made.tokens >> np.uint64(60)).astype(np.uint32)
    prefixes = Prefixes(made.tokens, counters, made.sizes, made.sizes)
    entries = np.zeros(len(order), ENTRY)
    entries["size"], entries["start"] = made.sizes[order], made.starts[order]
    entries["place"] = draw.integers(0, made.sizes[order])
    entries["rest"] = entries["size"] - entries["place"]
    entries["bits"] = draw.integers(0, 2**64, (len(order), 2), np.uint64) & np.uint64(0x0101)
    starts = np.arange(1, len(order) + 1)
    for kind, share in ((0, 0.3), (1, 0.4), (2, 0.2), (3, 2.5)):
        some = BoundedSets(OverlapBound(kind, share), entries, entries, prefixes)
        yield compared(reference_arrays, "bounded_candidates", some, starts, starts[::-1] - 1)
    places = entries["place"][np.argsort(order)]
    left, right = draw.integers(0, len(order), (2, 100))
    yield compared(reference_arrays, "first_shared", prefixes, left, right, (places[left], places[right]))


def meetings(draw: Generator, made: TokenSets) -> Iterator[Compared]:
    values, numbers = np.unique(made.tokens, return_inverse=True)
    of = np.repeat(np.arange(len(made.sizes)), made.sizes)[np.argsort(numbers, kind="stable")]
    bounds = np.append(0, np.cumsum(np.bincount(numbers)))
    for weights in (None, draw.integers(0, 9, len(values))):
        postings = Postings(numbers, made.sizes, of, bounds, weights)
        for least in (1, 2, 5):
            found = [
                module.shared_counts(postings, range(1, 15), 3, least, 500)
                for module in (compiled_arrays, reference_arrays)
            ]
            one, two = ((met, sorted(zip(*(each.tolist() for each in pairs), strict=True))) for met, *pairs in found)
            yield "shared_counts", one, two


# Lines through filters


def random_text(draw: Generator, size: int) -> str:
    return "".join(draw.choice([*'abZ09 \\"\n\t', "é", "ж", "\u2003", "中", "\U0001f44d", "long"], size))


def random_texts(draw: Generator) -> list[str]:
    return [random_text(draw, size) for size in (0, 1, 5, 40, 300) for _ in range(5)]


def lines_with(values: Iterable[str], after: bytes = b"") -> bytes:
    """Returns ordinary lines, each with a text or a payload."""
    each = ((number, quoted(value.encode()), after) for number, value in enumerate(values))
    return b"".join(b'{"id":%d,"x":%b,"y":[2.5]%b}\n' % one for one in each)


def linked(name: str, link: Link, given: Sequence[str], made: Iterable[str]) -> Compared:
    """Compares the lines that a link makes with lines that hold `made`."""
    data = lines_with(given)
    right = lines_with(made, b',"via":"recipe"'), len(given), len(data), None
    return name, _kernel.linked_lines((link,), FIELDS, data, 0), right


def half(token: str) -> str:
    """Returns a short value, a long one or none: a pure function of the token."""
    return token[::2] if len(token) % 3 else "" if len(token) % 2 else token * 20


def words(draw: Generator) -> Iterator[Compared]:
    texts = random_texts(draw)
    for function, wherever in ((half, None), (str.lower, lambda each: each.lower() if each.isalnum() else None)):
        one, two = compiled_words(function, wherever), reference_words(function)
        made = [*map(two.words, texts)]
        for _ in range(2):  # not known, then known
            yield "WordMemo.words", [*map(one.words, texts)], made
        yield linked("WordMemo.link", one.link(), texts, made)
    one, two = compiled_words(placed), reference_words(placed)
    made = [*map(two.placed, texts)]
    yield "WordMemo.placed", [*map(one.placed, texts)], made
    right = b""
    for number, (text, each) in enumerate(zip(texts, made, strict=True)):
        words, _, at = each.encode().partition(b"\n")
        members = number, quoted(words), quoted(text.encode()), at
        right += b'{"id":%d,"x":%b,"y":[2.5],"source":%b,"at":"%b","via":"recipe"}\n' % members
    data = lines_with(texts)
    found = _kernel.linked_lines((one.link_placed(),), FIELDS._replace(placed=True), data, 0)
    yield "WordMemo.link_placed", found, (right, len(texts), len(data), None)
    yield linked("link_function", _kernel.link_function(str.upper), texts, map(str.upper, texts))


def placed(token: str) -> str:
    return f"{half(token)}\n0-{len(token)}" if half(token) else "\n"


def fingerprints(draw: Generator) -> Iterator[Compared]:
    texts = [*random_texts(draw), *("x" * size for size in (63, 64, 65, 1023, 1024, 1025, 1500))]
    for base, key in ((FACTOR, b""), (0xD6E8FEB86659FD93, draw.bytes(48))):
        function = partial(word_fingerprint, key=key[:32])
        one, two = _kernel.FingerprintMemo(function, base, key), reference_fingerprints(function, base, key)
        for k in (1, 2, 9):
            for units in range(3):
                made = [two.rolling(text, k, units) for text in texts]
                yield "FingerprintMemo.rolling", [one.rolling(text, k, units) for text in texts], made
                yield from sampled(one, texts, made, (k, units, 3))


def word_fingerprint(word: str, key: bytes) -> bytes:
    return (blake3(word.encode(), key=key) if key else blake3(word.encode())).digest(8)


def sampled(
    memo: _kernel.FingerprintMemo, texts: Sequence[str], made: Sequence[str], how: tuple[int, int, int]
) -> Iterator[Compared]:
    """Compares links that keep 1 fingerprint in m, and of these the listed ones or the others. how: k, units and m."""
    groups = [payload.split() for payload in made]
    values = np.array([int(each, 16) for payload in groups for each in payload], np.uint64)
    kept = reference_arrays.fmix64(values) % np.uint64(how[2]) == 0
    chosen = {f"{each:016x}" for each in values[kept].tolist()}
    yield linked("FingerprintMemo.link", memo.link(*how, ()), texts, filtered(groups, chosen))
    slots = _kernel.list_fingerprints(values[::2].tobytes(), values[::3].tobytes(), FACTOR)
    listed = {f"{each:016x}" for each in np.setdiff1d(values[::2], values[::3]).tolist()}
    yield linked("list_fingerprints", memo.link(*how, (FACTOR, slots, True)), texts, filtered(groups, chosen & listed))
    memo.take_counts()
    left = filtered(groups, chosen - listed)
    yield linked("list_fingerprints", memo.link(*how, (FACTOR, slots, False)), texts, left)
    counts = memo.take_counts()
    if how[1] == 0:
        brief = sum(0 < len(text.split()) < how[0] for text in texts)
        yield "FingerprintMemo.take_counts", counts, (brief, sum(map(bool, made)) - sum(map(bool, left)))
    yield linked("FingerprintMemo.link_gathering", memo.link_gathering(*how, FACTOR), texts, [""] * len(texts))
    gathered = [each for payload in groups for each in dict.fromkeys(payload) if each in chosen]
    right = np.array([int(each, 16) for each in gathered], np.uint64).tobytes()
    yield "FingerprintMemo.take_gathered", memo.take_gathered(), right


def filtered(groups: Sequence[Sequence[str]], chosen: set[str]) -> list[str]:
    return [" ".join(filter(chosen.__contains__, payload)) for payload in groups]


# Signatures


def payloads_of(draw: Generator, digits: int) -> list[str]:
    """Returns payloads of several lengths, with repeated shingles."""
    every = [draw.bytes(digits // 2).hex() for _ in range(40)]
    return [" ".join(draw.choice(every, size)) for size in (1, 2, 15, 31, 32, 33, 64, 65, 129)]


def functions_of(draw: Generator, n: int) -> tuple[bytes, bytes]:
    a, b = draw.integers(0, 2**32, (2, n), np.uint32)
    return (a | np.uint32(1)).tobytes(), b.tobytes()


def signatures(draw: Generator) -> Iterator[Compared]:
    for digits in (2, 4, 8, 16):
        for payload in (*payloads_of(draw, digits), "0g" * (digits // 2), ""):
            right = payload_codec.payload_to_bytes(payload, digits)
            yield "payload_to_bytes", _kernel.payload_to_bytes(payload, digits), right
    for digits in (8, 16):
        payloads = payloads_of(draw, digits)
        simhashes = [payload_signatures.simhash(payload) or "" for payload in payloads]
        yield "simhash", [*map(_kernel.simhash, payloads)], simhashes
        yield linked("link_simhash", _kernel.link_simhash(), payloads, simhashes)
        for n in (1, 5, 31, 32, 33, 84):
            a, b = functions_of(draw, n)
            for bits in (8, 16, 32):
                made = [payload_signatures.minima(payload, a, b, bits) or "" for payload in payloads]
                yield "minima", [_kernel.minima(payload, a, b, bits) for payload in payloads], made
                link = _kernel.link_minima(a, b, 0, False, bits)
                yield linked("link_minima", link, payloads, made)
                yield signed(link, payloads, made, bits // 4)
        a, b = functions_of(draw, 6)
        made = [payload_signatures.minima(payload, a, b) or "" for payload in payloads]
        for pairs in (False, True):
            link = _kernel.link_minima(a, b, 2, pairs)
            yield linked("link_minima", link, payloads, [grouped(each, 8, pairs) for each in made])


def grouped(minima: str, size: int, pairs: bool) -> str:
    """Returns supershingles of `size` bytes of minima each, or megashingles."""
    data = bytes.fromhex(minima)
    made = [blake3(data[at : at + size]).digest(8) for at in range(0, len(data), size)]
    if pairs:
        made = [blake3(one + two).digest(8) for one, two in combinations(made, 2)]
    return payload_codec.bytes_to_payload(b"".join(made), 16)


def signed(link: Link, given: Sequence[str], made: Sequence[str], digits: int) -> Compared:
    """Compares signatures that a link makes instead of lines."""
    data, signatures = lines_with(given), [*map(bytes.fromhex, made)]
    found = _kernel.linked_lines((link,), FIELDS, data, 0, (digits, len(signatures[0])))
    names = [b"%d" % number for number in range(len(given))]
    columns = (b"".join(names), sizes_of(names), b""), (b"".join(signatures), sizes_of(signatures), b"")
    return "linked_lines", found, ((len(given), len(data), b"", b"", columns), len(given), len(data), None)


def weighted(draw: Generator) -> Iterator[Compared]:
    for kind in ((0, 4), (0, HEAVIEST), (1 << 16, 16 << 16)):
        shingles = draw.integers(0, 2**64, 60, np.uint64)
        weights = draw.integers(*kind, 40)
        slots = _kernel.weigh_fingerprints(shingles[:40].tobytes(), weights.tobytes(), FACTOR)
        weighed = FACTOR, slots, int(weights.max()), 16
        every = np.append(weights, np.full(20, weights.max()))
        chosen = [draw.integers(0, 60, size) for size in (1, 2, 15, 16, 17, 60, 100)]
        payloads = [" ".join(f"{each:016x}" for each in shingles[some].tolist()) for some in chosen]
        counted = [some[every[some] > 0] for some in chosen]
        sums = [reference_arrays.bit_sums(shingles[some], every[some]) > 0 for some in counted]
        made = [np.packbits(each).tobytes().hex()[: 16 * len(some)] for each, some in zip(sums, counted, strict=True)]
        yield linked("link_weighted_simhash", _kernel.link_weighted_simhash(weighed), payloads, made)
        for n in (1, 16, 33, 84):
            a, b = functions_of(draw, n)
            functions = np.frombuffer(a, np.uint32), np.frombuffer(b, np.uint32)
            first = [
                weighted_minhash_times.weighted_minhash(shingles[some], every[some].astype(np.float64), *functions)
                if len(some)
                else np.empty(0, np.uint32)
                for some in counted
            ]
            for bits in (8, 16, 32):
                link = _kernel.link_weighted_minima(a, b, 0, False, weighed, bits)
                made = [payload_signatures.minima_to_payload(each, bits) for each in first]
                yield linked("link_weighted_minima", link, payloads, made)
            made = [grouped(each, 4 * n, False) for each in made]
            yield linked("link_weighted_minima", _kernel.link_weighted_minima(a, b, n, False, weighed), payloads, made)


# Lines that are read and written in one call


def lines_in_bytes(draw: Generator) -> Iterator[Compared]:
    for size in range(40):
        data = bytes(draw.choice([10, 13, 65, 200], size).astype(np.uint8))
        yield "split_lines", _kernel.split_lines(data), lines.split_lines(data)
        yield "count_lines", _kernel.count_lines(data), lines.count_lines(data)
        for at, deepest in ((0, 1), (size // 2, 3)):
            data = bytes(draw.choice([*b'[]{},"\\1'], size).astype(np.uint8))
            yield "element_end", _kernel.element_end(data, at, deepest), lines.element_end(data, at, deepest)
    texts = [text.encode() for text in random_texts(draw)]
    starts = int64([0, *np.cumsum([*map(len, texts)]).tolist()])
    columns = tuple(
        lines.ColumnValues(head, b"".join(texts), starts, text) for head, text in ((b'{"a":', True), (b',"b":', False))
    )
    yield "record_lines", _kernel.record_lines(columns, len(texts)), lines.record_lines(columns, len(texts))


def random_ids(draw: Generator, count: int) -> list[bytes]:
    return [b"%d" % each if each % 2 else b'"%x"' % (each**5) for each in draw.integers(0, count, count).tolist()]


def numbered(draw: Generator) -> Iterator[Compared]:
    key = draw.bytes(16)
    one, two = _kernel.Ids(key), ids.Ids(key)
    for count in (1, 10, 100, 1500):
        for name in ("number", "find"):
            several = random_ids(draw, count)
            given = b"".join(several), sizes_of(several)
            yield f"Ids.{name}", getattr(one, name)(*given), getattr(two, name)(*given)
        yield "Ids.data", (len(one), bytes(one.data), bytes(one.ends)), (len(two), bytes(two.data), bytes(two.ends))
        hashes = np.frombuffer(one.hashes(*given), np.uint64).tolist()
        yield "Ids.hashes", [hashes.index(each) for each in hashes], [several.index(each) for each in several]
        numbers, others = draw.integers(0, len(two), (2, 50))
        at = ids.SelectedIds(bytes(two.data), bytes(two.ends), numbers)
        rests = [b'"similarity":1}\n', b'"distance":3}\n']
        yield compared(ids, "pair_lines", at, at._replace(numbers=others), rests, draw.integers(0, 2, 50))
        yield compared(groups, "group_lines", at, np.array([1, 2, 3, 4, 40]))
        parents = np.arange(len(two), dtype=np.int32)
        yield compared(groups, "connect", parents, numbers, others, np.zeros(50, np.uint8))


def read(draw: Generator) -> Iterator[Compared]:
    yield from tables(draw)
    for digits in (2, 4, 8, 16):
        for size in (5 * digits // 2, 0) if digits >= 8 else (5 * digits // 2,):
            yield columns_of_lines(draw, digits, size)


def columns_of_lines(draw: Generator, digits: int, size: int) -> Compared:
    """Compares the columns of lines that have a field of each kind. size: bytes of a payload, 0 for sets."""
    names, others = random_ids(draw, 60), [b'"o%d"' % number for number in range(60)]
    texts, millionths = [random_text(draw, length) for length in range(60)], draw.integers(0, 10**6, 60).tolist()
    payloads = [draw.bytes(5 * digits // 2) for _ in names]
    lists, flags = [names[:number] for number in range(60)], draw.integers(0, 2, 60).tolist()
    parts = [
        (
            b'{"id":',
            name,
            b',"o":',
            other,
            b',"p":',
            b'"%b"' % payload.hex(" ", digits // 2).encode(),
            b',"v":',
            b"%d" % millionth,
            b',"t":%b,"m":[ %b ]' % (quoted(text.encode()), b" , ".join(ids)),
            b',"s":0.%06d%b,"via":"r"' % (millionth, b',"f":true' if flag else b""),
            b"}\n",
        )
        for name, other, payload, millionth, text, ids, flag in zip(
            names, others, payloads, millionths, texts, lists, flags, strict=True
        )
    ]
    data = b"".join(map(b"".join, parts))
    ends = np.cumsum([[len(part) for part in line] for line in parts]).reshape(60, -1)
    starts, before = np.append(0, ends[:-1, -1]), ends - [[len(part) for part in line] for line in parts]
    both = [name for two in zip(names, others, strict=True) for name in two]
    read = payloads if size else [set_of(each, digits) for each in payloads]
    every = [name for ids in lists for name in ids]
    columns = (
        (b"".join(both), sizes_of(both), int64(before[:, [1, 3]].ravel().tolist())),
        (b"".join(read), sizes_of(read), int64(before[:, 5].tolist())),
        (int64(np.stack([before[:, 7], ends[:, 7]], axis=1).ravel().tolist()), b"", b""),
        (b"".join(line[7] for line in parts), sizes_of([line[7] for line in parts]), int64(before[:, 7].tolist())),
        (int64(map(len, texts)), b"", b""),
        (b"".join(every), sizes_of(every), int64(map(len, lists))),
        (int64(each * 10**6 for each in millionths), b"", b""),
        (np.array([float(f"0.{each:06d}") for each in millionths]).tobytes(), b"", b""),
        (bytes(flags), b"", b""),
    )
    fields = (
        Field(b"id", Kind.ID),
        Field(b"o", Kind.ID, shared=0, other=0),
        Field(b"p", Kind.GROUPS, digits, size),
        Field(b"v", Kind.SPAN),
        Field(b"v", Kind.LABEL),
        Field(b"t", Kind.LENGTH),
        Field(b"m", Kind.IDS),
        Field(b"s", Kind.UNITS, must=True),
        Field(b"s", Kind.DOUBLE),
        Field(b"f", Kind.FLAG),
        Field(b"via", Kind.EQUAL, text=b"r"),
        Field(b"x", Kind.NONE),
        Field(b"y", Kind.AT_MOST_ONCE),
    )
    right = 60, len(data), int64(starts.tolist()), int64((ends[:, -1] - 2).tolist()), columns
    return "read_columns", _kernel.read_columns(data, 0, fields), right


def tables(draw: Generator) -> Iterator[Compared]:
    values = draw.integers(0, 2**64, 60, np.uint64)
    counts = draw.integers(1, 50, 60)
    rows = [*zip(values.tolist(), counts.tolist(), strict=True)]
    data = b"".join(b'{"shingle":"%016x","df":%d}\n' % row for row in rows)
    between, above = values[(counts >= 10) & (counts <= 30)], values[counts > 30]
    right = 60, len(data), between.tobytes(), above.tobytes()
    yield "read_frequencies", _kernel.read_frequencies(data, 0, 16, 1, 50, 10, 30), right
    data = b"".join(b'{"shingle":"%016x","weight":%d.%d}\n' % (value, count, count) for value, count in rows)
    weights = int64(round(float(f"{count}.{count}") * 65536) for count in counts.tolist())
    yield "read_weights", _kernel.read_weights(data, 0, 16), (60, len(data), values.tobytes(), weights)


def set_of(data: bytes, digits: int) -> bytes:
    return np.unique(np.frombuffer(data, f">u{digits // 2}")).astype(np.uint64).tobytes()


# Independent sets, and passages


def independent_sets(draw: Generator) -> Iterator[Compared]:
    for count in (2, 12, 60):
        pairs = draw.integers(0, count, (100, 2))
        ends = pairs[pairs[:, 0] != pairs[:, 1]].astype(np.int32).ravel()
        before, last = np.empty(len(ends), np.int32), np.full(count, -1, np.int32)
        yield compared(independent_set, "list_ends", ends, before, last)
        independent_set.list_ends(ends, before, last)
        listed = independent_set.PairEnds(ends, before, last, draw.integers(1, 4, len(ends) // 2) / 4)
        none = np.full(count, -1, np.int32)
        yield compared(
            independent_set,
            "greedy_independent_set",
            draw.permutation(count),
            listed,
            independent_set.Partners(none, np.zeros(count)),
        )
        lesser, greater = np.sort(ends.reshape(-1, 2)).T.astype(np.uint64)
        yield compared(
            independent_set, "greedy_independent_set_of_pairs", np.unique(lesser << np.uint64(32) | greater), none
        )


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
                some = np.isin(keys, keys[:3])
                yield "winnow", compiled_arrays.winnow(texts, how, listed), (keys[some], places[some])


CHECKS: dict[str, Callable[[Generator], Iterator[Compared]]] = {
    "rows of signatures": rows,
    "sets": sets,
    "words": words,
    "fingerprints": fingerprints,
    "sketches and simhashes": signatures,
    "weighted sketches": weighted,
    "lines": lines_in_bytes,
    "ids, pairs and groups": numbered,
    "lines that are read": read,
    "removal": independent_sets,
    "passages": winnowing,
}


def equal(one: object, two: object) -> bool:
    if isinstance(one, tuple | list) and isinstance(two, tuple | list):
        return len(one) == len(two) and all(map(equal, one, two))
    return np.array_equal(one, two) if isinstance(one, np.ndarray) and isinstance(two, np.ndarray) else one == two


def differing(seed: int = 0) -> Iterator[tuple[str, int, list[str]]]:
    """Yields, for each group of functions, its name, how many results were compared, and which functions differ."""
    for name, check in CHECKS.items():
        compared, differ = 0, dict[str, None]()
        try:
            for function, found, right in check(np.random.default_rng(seed)):
                compared += 1
                if not equal(found, right):
                    differ[function] = None
        except Exception as error:
            differ[f"{type(error).__name__}: {error}"] = None
        yield name, compared, [*differ]


def main() -> int:
    """Prints the functions that differ. Returns 0 if there are none, else 2."""
    wrong = [function for _, _, differ in differing() for function in differ]
    print(", ".join(wrong))
    return 2 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
