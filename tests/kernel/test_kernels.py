"""The C kernel against the numpy one, bit for bit, on random and on hostile input."""

import os
import random
import re
import struct
from collections.abc import Callable
from functools import partial
from itertools import accumulate
from typing import Any

import numpy as np
import pytest
from blake3 import blake3
from hypothesis import given
from hypothesis import strategies as st

from harness import DOCS, jsonl, run
from shingletools import kernel
from shingletools.canon.canonizer import Canonizer
from shingletools.kernel import _kernel, codec, compiled, lines, reference, strings
from shingletools.kernel.memo import FingerprintMemo, WordMemo, compiled_words, reference_fingerprints, reference_words
from shingletools.kernel.types import Postings, Rows, TokenSets
from shingletools.shingle.fingerprints import word_fingerprint
from shingletools.shingle.keys import PUBLIC

# All white space of str.split, characters beside it, scripts with and without spaces, and bytes that end strings in C
SPACES = "".join(chr(code) for code in range(0x3001) if chr(code).isspace())
MIXED = (
    SPACES
    + "ㅎㅏㄳㆍﾡￂ㉮㉾노학"
    + "aBÉßжЯ'’中文がガｶﾞ゙ー龥鿿㐀한\u0301\ufe0f\u200b\x00\x1b\x85\u1680\u180e\u2007\u2060\u30fb\U0001f44d\U00020000"
)
texts = st.text(st.sampled_from(MIXED) | st.characters(exclude_categories=["Cs"]), max_size=60)
words32 = st.integers(0, 2**32 - 1)
words64 = st.integers(0, 2**64 - 1)
How = tuple[Callable[[str], bytes], int, bytes]
PLAIN: How = (word_fingerprint, PUBLIC.base, b"")
SECRET = bytes(range(48))
KEYED: How = (partial(word_fingerprint, key=SECRET[:32]), 0xD6E8FEB86659FD93, SECRET)


def test_the_compiled_kernel_is_there() -> None:
    """Where there is a compiler, as here, an installation without it is a broken one."""
    assert (os.environ.get("SHINGLETOOLS_KERNEL") or "c") == kernel.NAME


@pytest.mark.parametrize("make", [compiled_words, reference_words])
def test_a_lone_surrogate_is_no_text(make: Callable[..., WordMemo]) -> None:
    with pytest.raises(UnicodeEncodeError):
        make(str).words("a \ud800 b")


@pytest.mark.parametrize("make", [_kernel.FingerprintMemo, reference_fingerprints])
def test_nor_has_it_fingerprints(make: Callable[..., FingerprintMemo]) -> None:
    with pytest.raises(UnicodeEncodeError):
        make(*PLAIN).rolling("a \ud800 b", 1)


def half(chunk: str) -> str:
    """A pure function that gives short values, long ones and none."""
    return chunk[::2] if len(chunk) % 3 else "" if len(chunk) % 2 else chunk * 20


@given(st.lists(texts, max_size=5))
def test_words(several: list[str]) -> None:
    one, two = compiled_words(half), reference_words(half)
    for text in [*several, *several]:  # not known, then known
        assert one.words(text) == two.words(text) == " ".join(filter(None, map(half, text.split())))


@given(st.lists(texts, max_size=5))
def test_canonical_words(several: list[str]) -> None:
    """One kernel asks for characters, and for chunks only where one of them depends on others."""
    of = Canonizer()
    one, two = compiled_words(of._token, of.wherever, True), reference_words(of._token)
    for text in [*several, *several]:
        assert one.words(text) == two.words(text)


def test_every_character_in_company() -> None:
    """Of each character of the basic plane: whether it becomes one with what stands before it, as marks and jamo do."""
    of = Canonizer()
    one, two = compiled_words(of._token, of.wherever, True), reference_words(of._token)
    for code in range(0x10000):
        if not 0xD800 <= code < 0xE000:
            text = " ".join(f"{before}{chr(code)}" for before in "a中가ᄒㅎ")
            assert one.words(text) == two.words(text), hex(code)


@given(st.text("aZ09'’_-é \n", max_size=30))
def test_canonical_words_of_ascii(text: str) -> None:
    of = Canonizer()
    assert compiled_words(of._token, of.wherever, True).words(text) == reference_words(of._token).words(text)


def test_a_zero_is_no_end() -> None:
    memo = _kernel.WordMemo(str, lambda _: "x")
    assert [memo.words(text) for text in ("a\0b", "abc", "ab\0")] == ["xxx", "xxx", "xxx"]


@given(st.lists(texts, max_size=5), st.integers(1, 12), st.sampled_from([PLAIN, KEYED]))
def test_fingerprints(several: list[str], k: int, how: How) -> None:
    one, two = _kernel.FingerprintMemo(*how), reference_fingerprints(*how)
    for text in [*several, *several]:
        assert one.rolling(text, k) == two.rolling(text, k)


@pytest.mark.parametrize("how", [PLAIN, KEYED])
def test_fingerprints_of_words_of_all_sizes(how: How) -> None:
    """Of one block of BLAKE3, of several, and of more than the C kernel hashes itself: as the official library does.

    Random ones: no two blocks of a word are alike.
    """
    rng = random.Random(1)
    codes = [rng.randrange(rng.choice([0x80, 0x800, 0xD800])) for _ in range(3000)]
    noise = "".join(character for character in map(chr, codes) if not character.isspace()).encode()
    memo = _kernel.FingerprintMemo(*how)
    for size in range(1, 3001):
        start = rng.randrange(len(noise) - size)
        word = noise[start : start + size].decode(errors="ignore")
        word += "x" * (size - len(word.encode()))  # for a character that was cut
        hashed = blake3(word.encode(), key=SECRET[:32]) if how == KEYED else blake3(word.encode())
        z = int.from_bytes(hashed.digest(8), "little")
        if how == KEYED:
            z = int(reference.siphash(np.array([z], np.uint64), SECRET[32:])[0])
        else:
            z = (z ^ z >> 32) * 0xD6E8FEB86659FD93 % 2**64
            z ^= z >> 32
        assert memo.rolling(f" {word}", 1) == memo.rolling(word, 9) == f"{z:016x}"


@pytest.mark.parametrize("make", [_kernel.FingerprintMemo, reference_fingerprints])
@pytest.mark.parametrize("size", [1, 16, 32, 49])
def test_keys_have_one_size(make: Callable[..., FingerprintMemo], size: int) -> None:
    with pytest.raises(ValueError, match=r"^a key has 48 bytes, or none$"):
        make(word_fingerprint, 1, bytes(size))


def test_a_flood_of_words_costs_a_call_each_and_changes_nothing() -> None:
    calls = 0

    def function(chunk: str) -> str:
        nonlocal calls
        calls += 1
        return chunk.upper()

    memo = _kernel.WordMemo(function)
    flood = " ".join(f"w{number:x}" for number in range(900_000))
    assert memo.words(flood) == flood.upper()
    assert calls == 900_000
    assert memo.words("often " * 1000) == "OFTEN " * 999 + "OFTEN"
    assert calls == 900_001
    assert memo.words(flood) == flood.upper()


def test_sizes_around_those_of_a_line() -> None:
    """Keys of 1 to 70 characters with values of 0 to 70, in one byte a character and in two."""
    table: dict[str, str] = {}
    for letter in "xж":
        for key_size in range(1, 71):
            for value_size in (0, 1, 5, 57 - key_size, 58 - key_size, 59 - key_size, key_size, 70):
                key = letter * key_size
                table[key] = letter * max(value_size, 0)
                memo = _kernel.WordMemo(table.__getitem__)
                assert memo.words(f"{key} {key}").split() == 2 * [table[key]] * bool(table[key])


@pytest.mark.parametrize("broken", [lambda _: 1, lambda _: b"x", lambda _: "\ud800", lambda _: 1 / 0])
def test_a_function_that_fails(broken: Callable[[str], Any]) -> None:
    for memo in (_kernel.WordMemo(broken), _kernel.WordMemo(str, broken)):
        with pytest.raises((TypeError, ValueError, ZeroDivisionError)):
            memo.words("a b")
    with pytest.raises((TypeError, ValueError, ZeroDivisionError)):
        _kernel.FingerprintMemo(broken, 1, b"").rolling("a " + 2000 * "b", 2)


@given(st.binary(max_size=30) | st.text("a\n\r\x85\u2028", max_size=12).map(str.encode))
def test_lines(data: bytes) -> None:
    assert _kernel.split_lines(data) == lines.split_lines(data) == re.findall(b"[^\n]+|(?<=\n)(?=\n)|^(?=\n)", data)
    assert _kernel.count_lines(data) == lines.count_lines(data) == len(lines.split_lines(data))


@given(
    st.lists(words64, min_size=1, max_size=100), st.lists(words32, min_size=1, max_size=70), st.sampled_from([8, 16])
)
def test_minima_and_simhash(shingles: list[int], functions: list[int], digits: int) -> None:
    payload = " ".join(f"{shingle:016x}"[:digits] for shingle in shingles)
    a = struct.pack(f"={len(functions)}I", *(word | 1 for word in functions))
    b = struct.pack(f"={len(functions)}I", *functions)
    for text in (payload, payload.upper()):
        assert _kernel.minima(text, a, b) == strings.minima(text, a, b)
        assert _kernel.simhash(text) == strings.simhash(text)
        assert _kernel.payload_to_bytes(text, digits) == codec.payload_to_bytes(text, digits)


@pytest.mark.parametrize("digits", [8, 16])
@pytest.mark.parametrize("count", [1, 31, 32, 33, 63, 64, 65, 129])
def test_borders_of_blocks_and_batches(digits: int, count: int) -> None:
    rng = random.Random(count)
    words = [f"{rng.getrandbits(4 * digits):0{digits}x}" for _ in range(count)]
    payload = " ".join(words)
    for n in (1, 31, 32, 33, 64, 84, 200):
        a = struct.pack(f"={n}I", *(rng.getrandbits(32) | 1 for _ in range(n)))
        assert _kernel.minima(payload, a, a) == strings.minima(payload, a, a)
    assert _kernel.simhash(payload) == strings.simhash(payload)
    for place in range(len(payload)):
        changed = f"{payload[:place]}g{payload[place + 1 :]}"
        assert _kernel.minima(changed, b"0000", b"0000") is None
        assert _kernel.simhash(changed) is None
        assert _kernel.payload_to_bytes(changed, digits) is None


@pytest.mark.parametrize("count", [15, 16, 17, 31, 32, 33, 48])
def test_borders_of_what_is_fetched_together(count: int) -> None:
    text = " ".join(f"w{number}" for number in range(count))
    expected = reference_fingerprints(*PLAIN).rolling(text, 2)
    assert _kernel.FingerprintMemo(*PLAIN).rolling(text, 2) == expected
    assert _kernel.WordMemo(str.upper).words(text) == text.upper()


@given(st.text("0123456789abcdefABCDEF g/:@G`\t\x00\u0661", max_size=40) | texts, st.sampled_from([8, 16, 24]))
def test_what_is_no_payload(text: str, digits: int) -> None:
    assert _kernel.payload_to_bytes(text, digits) == codec.payload_to_bytes(text, digits)
    if text:
        assert (_kernel.minima(text, b"0000", b"0000") is None) == (strings.take_shingles(text) is None)
        assert (_kernel.simhash(text) is None) == (strings.take_shingles(text) is None)


@pytest.mark.parametrize("byte", range(256))
def test_every_byte_as_a_digit(byte: int) -> None:
    character = bytes([byte]).decode("latin-1")
    for place in range(8):
        text = "0123abcd"[:place] + character + "0123abcd"[place + 1 :]
        assert _kernel.payload_to_bytes(text, 8) == codec.payload_to_bytes(text, 8)


def random_rows(rng: np.random.Generator, documents: int, n: int, kind: str) -> Rows:
    rows: Rows = (rng.integers(0, 4, (documents, n)) * rng.integers(1, 60)).astype(kind)
    return rows


@pytest.mark.parametrize("kind", ["u1", "u4", "u8"])
@pytest.mark.parametrize("n", [1, 7, 8, 15, 16, 17, 63, 64, 65, 84, 200])
def test_rows(kind: str, n: int) -> None:
    rng = np.random.default_rng(n)
    rows = random_rows(rng, 50, n, kind)
    left, right = rng.integers(0, 50, (2, 300))
    for least in (0, 1, n // 2, n - 1, n, n + 1):
        expected = reference.agreements(rows, least, left, right)
        assert np.array_equal(compiled.agreements(rows, least, left, right), expected)
        assert np.array_equal(compiled.agreements(rows, least, left[::2], right[::-2][:150]),
                              reference.agreements(rows, least, left[::2], right[::-2][:150]))  # fmt: skip
    for first in range(0, n, 5):
        for last in {first, first + 1, n}:
            bands = [(first, last), (0, n), (last, last)]
            assert np.array_equal(compiled.band_keys(rows, bands), reference.band_keys(rows, bands))


@given(st.lists(words64 | st.integers(0, 2**64 - 1).map(lambda key: key >> 12 << 12), max_size=200))
def test_shared_keys(keys: list[int]) -> None:
    """All that stand twice, and of others no more than have company by accident."""
    several = np.array(keys + keys[: len(keys) // 3], np.uint64)
    flags = compiled.shared(several)
    assert np.array_equal(flags, reference.shared(several))
    assert all(
        flag for key, flag in zip(several.tolist(), flags.tolist(), strict=True) if several.tolist().count(key) > 1
    )


def test_few_keys_seem_to_be_shared() -> None:
    keys = np.random.default_rng(5).integers(0, 2**64, 100_000, dtype=np.uint64)
    assert len(np.unique(keys)) == len(keys)
    assert 0 < np.count_nonzero(compiled.shared(keys)) < 15_000


def sets_of(several: list[set[int]]) -> TokenSets:
    tokens = [token for each in several for token in sorted(each)]
    return TokenSets(np.array(tokens, np.uint64), np.array([len(each) for each in several]))


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
    assert compiled.overlaps(sets, left, right, least).tolist() == expected
    assert reference.overlaps(sets, left, right, least).tolist() == expected


@given(token_sets, st.integers(1, 27), st.integers(0, 9), st.data())
def test_shared_counts(several: list[set[int]], least: int, after: int, data: st.DataObject) -> None:
    """Whatever the order of tokens in a set: its last ones need not bring anyone together."""
    number = {token: place for place, token in enumerate(sorted(set().union(*several)))}
    ordered = [data.draw(st.permutations(sorted(number[token] for token in each))) for each in several]
    rows = [[row for row, each in enumerate(several) if token in each] for token in number]
    postings = Postings(*(np.array(values, np.int64) for values in (
        [each for one in ordered for each in one], [len(each) for each in several],
        [row for each in rows for row in each], [0, *accumulate(map(len, rows))],
    )))  # fmt: skip
    last = data.draw(st.integers(0, len(several)))
    asking = range(data.draw(st.integers(0, last)), last)
    met = 0
    pairs = []
    for one in asking:
        for other in range(max(one + 1, after), len(several)):
            met += bool(set(ordered[one][: max(len(ordered[one]) - least + 1, 0)]) & set(ordered[other]))
            if (expected := len(several[one] & several[other])) >= least:
                pairs.append((one, other, expected))
    for function in (compiled.shared_counts, reference.shared_counts):
        found, *columns = function(postings, asking, after, least, 64)
        assert found == met
        assert sorted(zip(*(column.tolist() for column in columns), strict=True)) == pairs


@given(token_sets, st.data())
def test_the_rarest_tokens(several: list[set[int]], data: st.DataObject) -> None:
    """By their counters, which collide: some are set by hand, so that one sort by bytes is not enough."""
    sets = sets_of(several)
    wanted = np.array([data.draw(st.integers(0, len(each))) for each in several])
    both = np.zeros((2, 1 << reference.COUNTERS), np.uint32)
    for function, counters in zip((compiled.count_tokens, reference.count_tokens), both, strict=True):
        function(sets.tokens, counters)
        for token, count in enumerate((2**32 - 1, 2**32 - 2, 70_000, 300, 0)):
            counters[reference.counters_of(np.array([token], np.uint64))] = count
        function(sets.tokens[:1], counters)
    assert np.array_equal(*both)
    rank = {token: (int(both[0][reference.counters_of(np.array([token], np.uint64))[0]]), token)
            for each in several for token in each}  # fmt: skip
    expected = [token for each, count in zip(several, wanted.tolist(), strict=True)
                for token in sorted(each, key=rank.__getitem__)[:count]]  # fmt: skip
    assert sets.tokens[compiled.rarest(sets, wanted, both[0])].tolist() == expected
    assert sets.tokens[reference.rarest(sets, wanted, both[0])].tolist() == expected


@given(token_sets)
def test_keys_of_sets(several: list[set[int]]) -> None:
    sets = sets_of(several)
    keys = compiled.set_keys(sets)
    assert np.array_equal(keys, reference.set_keys(sets))
    for one, first in zip(several, keys.tolist(), strict=True):
        # The finalizer leaves 0 as it is, so that this token alone adds nothing
        assert [first == key for key in keys.tolist()] == [one - {0} == other - {0} for other in several]


ROWS, KEYS = np.zeros((4, 3), np.uint32), np.zeros(4, np.uint64)
TOKENS, STARTS, SIZES = np.arange(6, dtype=np.uint64), np.array([0, 3]), np.array([3, 3])
INDEX, COUNTS, FAR = np.zeros(2, np.int64), np.zeros(2, np.int64), np.array([0, 4])
# Arguments that are right, and what makes them wrong in a place
AGREEMENTS = (3, 4, 1, ROWS, INDEX, INDEX, COUNTS), [
    (0, 2**61),
    (0, 5), (0, 0), (0, -3), (1, 2), (2, -1), (3, ROWS[:1, :2].copy()), (4, FAR), (4, -FAR), (4, INDEX[:1]), (5, FAR),
    (6, COUNTS[:1]),
]  # fmt: skip
FIRST, LAST = np.array([0, 1]), np.array([1, 3])
BAND_KEYS = (3, 4, ROWS, FIRST, LAST, np.zeros((2, 4), np.uint64)), [
    (0, 4), (0, 2**61), (1, 8), (2, ROWS[:3]), (3, FIRST[:1]), (3, -FIRST), (4, LAST + 1), (4, FIRST[:1]), (4, -LAST),
    (3, FIRST + 3), (5, np.zeros(7, np.uint64)), (5, np.zeros(9, np.uint64)),
]  # fmt: skip
SHARED = (KEYS, np.zeros(4, np.bool_)), [(0, KEYS[:3]), (1, np.zeros(5, np.bool_))]
NO_SETS = [(0, TOKENS[:5]), (1, -STARTS), (1, STARTS + 1), (2, -SIZES), (2, SIZES[:1]), (2, np.array([3, 2**62]))]
OVERLAPS = (TOKENS, STARTS, SIZES, INDEX, INDEX, INDEX, COUNTS), [
    *NO_SETS, (3, FAR), (4, -FAR), (5, INDEX[:1]), (6, COUNTS[:1]),
]  # fmt: skip
COUNTERS = np.zeros(1 << reference.COUNTERS, np.uint32)
COUNT_TOKENS = (TOKENS, COUNTERS), [(1, COUNTERS[:-1])]
SET_KEYS = (TOKENS, STARTS, SIZES, KEYS[:2].copy()), [*NO_SETS, (3, KEYS[:1])]
WANTED = np.array([1, 1])
RAREST = (TOKENS, STARTS, SIZES, WANTED, COUNTERS, COUNTS), [
    *NO_SETS, (3, np.array([4, 0])), (3, np.array([-1, 3])), (3, WANTED[:1]), (4, COUNTERS[:-1]), (5, COUNTS[:1]),
]  # fmt: skip

# Two rows: tokens 0, 1 and 2, and 1, 2 and 3; what it writes are 2 numbers and 3 for a pair
NUMBERS, POSTED, BOUNDS = np.array([0, 1, 2, 1, 2, 3]), np.array([0, 0, 1, 0, 1, 1]), np.array([0, 1, 3, 5, 6])
THREE, MET = np.array([3, 3]), np.zeros(5, np.int64)
SHARED_COUNTS = (0, 2, 0, 2, NUMBERS, np.array([0, 3]), THREE, POSTED, BOUNDS, MET), [
    (0, -1), (1, 3), (4, NUMBERS[:5]), (4, NUMBERS + 1), (4, -NUMBERS), (5, np.array([0, 4])), (5, np.array([-1, 3])),
    (6, THREE[:1]), (6, -THREE), (7, POSTED[:5]), (7, POSTED + 1), (8, BOUNDS[:3]),
    (8, -BOUNDS), (8, BOUNDS[::-1].copy()), (8, BOUNDS + 1), (9, MET[:4]), (9, MET[:1]),
]  # fmt: skip


@pytest.mark.parametrize(
    ("function", "case"),
    [
        (_kernel.shared_counts, SHARED_COUNTS),
        (_kernel.agreements, AGREEMENTS),
        (_kernel.band_keys, BAND_KEYS),
        (_kernel.overlaps, OVERLAPS),
        (_kernel.count_tokens, COUNT_TOKENS),
        (_kernel.set_keys, SET_KEYS),
        (_kernel.rarest, RAREST),
        (_kernel.shared, SHARED),
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


@pytest.mark.parametrize(
    ("function", "arguments", "error"),
    [
        (_kernel.minima, ("00000000", b"0000", b""), ValueError),
        (_kernel.minima, ("00000000", b"0", b"0"), ValueError),
        (_kernel.minima, (None, b"", b""), TypeError),
        (_kernel.payload_to_bytes, ("0000", 4), ValueError),
        (_kernel.payload_to_bytes, ("", 0), ValueError),
        (_kernel.payload_to_bytes, (b"00000000", 8), TypeError),
        (_kernel.simhash, (b"00000000",), TypeError),
        (_kernel.simhash, (), TypeError),
        (_kernel.count_lines, ("text",), TypeError),
        (_kernel.split_lines, (bytearray(b"x"),), TypeError),
        (_kernel.WordMemo, (), TypeError),
        (_kernel.WordMemo(str).words, (b"a",), TypeError),
        (_kernel.WordMemo(str).words, ("\ud800",), UnicodeEncodeError),
        (_kernel.FingerprintMemo(*PLAIN).rolling, ("a", 0), ValueError),
        (_kernel.FingerprintMemo(*PLAIN).rolling, (b"a", 1), TypeError),
        (_kernel.FingerprintMemo, (word_fingerprint, 1, b"31 bytes are no key for BLAKE3 "), ValueError),
    ],
)
def test_wrong_arguments(function: Callable[..., Any], arguments: tuple[Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        function(*arguments)


@pytest.mark.slow
@pytest.mark.parametrize(
    "pipeline",
    [
        "canon | shingle -k 10 | sketch -n 84 | simjoin -t 0.8",
        "canon --stop en --stem en,ru --sentences | shingle --longest 2",
        "canon --html | shingle -k 3 --chars --mod 2",
        "canon | shingle -k 3 | sketch --keep | simjoin --verify -t 0.5",
        "canon | shingle -k 3 | simjoin -t 0.5 --measure cosine -S 1M",
        "canon | shingle -k 3 | sketch --simhash | simjoin -d 6 --forest",
        "canon | shingle -k 3 | sketch --super 14 | simjoin -m 1",
    ],
)
def test_pipelines_give_the_same_bytes_with_either_kernel(pipeline: str) -> None:
    outputs = []
    for name in ("c", "numpy"):
        data = DOCS.read_bytes()
        for command in pipeline.split(" | "):
            data = run(command, stdin=data, env={"SHINGLETOOLS_KERNEL": name}).good()
        outputs.append(data)
    assert outputs[0] == outputs[1] != b""


def test_choosing() -> None:
    for name in ("c", "numpy"):
        version = run("canon", "--version", env={"SHINGLETOOLS_KERNEL": name}).good().decode()
        assert f", kernel {name}, " in version
    ran = run("canon", stdin=jsonl({"id": 1, "text": "a"}), env={"SHINGLETOOLS_KERNEL": "fast\x1b"})
    message = 'canon: SHINGLETOOLS_KERNEL is neither c nor numpy: "fast\\u001b"\n'
    assert (ran.status, ran.out, ran.err) == (2, b"", message)
