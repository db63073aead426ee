"""The C kernel against the numpy one, bit for bit, on random and on hostile input."""

import os
import random
import sys
from collections.abc import Callable
from functools import partial
from itertools import product
from typing import Any

import numpy as np
import pytest
from blake3 import blake3
from hypothesis import given
from hypothesis import strategies as st

from harness import DOCS, jsonl, run
from kernel.texts import texts
from shingletools import kernel
from shingletools.commands.canon.canonizer import Canonizer
from shingletools.commands.shingle.fingerprints import word_fingerprint
from shingletools.commands.shingle.secret_keys import PUBLIC
from shingletools.kernel import _kernel, reference_arrays
from shingletools.kernel.lines import FilterFields
from shingletools.kernel.memo import FingerprintMemo, WordMemo, compiled_words

How = tuple[Callable[[str], bytes], int, bytes]
PLAIN: How = (word_fingerprint, PUBLIC.base, b"")
SECRET = bytes(range(48))
KEYED: How = (partial(word_fingerprint, key=SECRET[:32]), 0xD6E8FEB86659FD93, SECRET)


def test_the_compiled_kernel_is_there() -> None:
    """Where there is a compiler, as here, an installation without it is a broken one."""
    assert (os.environ.get("SHINGLETOOLS_KERNEL") or "c") == kernel.NAME


@pytest.mark.parametrize("make", [compiled_words, WordMemo])
def test_a_lone_surrogate_is_no_text(make: Callable[..., WordMemo]) -> None:
    with pytest.raises(UnicodeEncodeError):
        make(str).words("a \ud800 b")


@pytest.mark.parametrize("make", [_kernel.FingerprintMemo, FingerprintMemo])
def test_nor_has_it_fingerprints(make: Callable[..., FingerprintMemo]) -> None:
    with pytest.raises(UnicodeEncodeError):
        make(*PLAIN).rolling("a \ud800 b", 1)


def half(chunk: str) -> str:
    """A pure function that gives short values, long ones and none."""
    return chunk[::2] if len(chunk) % 3 else "" if len(chunk) % 2 else chunk * 20


@given(st.lists(texts, max_size=5))
def test_words(several: list[str]) -> None:
    one, two = compiled_words(half), WordMemo(half)
    for text in [*several, *several]:  # not known, then known
        assert one.words(text) == two.words(text) == " ".join(filter(None, map(half, text.split())))


@given(st.lists(texts, max_size=5))
def test_canonical_words(several: list[str]) -> None:
    """One kernel asks for characters, and for chunks only where one of them depends on others."""
    of = Canonizer()
    one, two = compiled_words(of._token, of.wherever, True), WordMemo(of._token)
    for text in [*several, *several]:
        assert one.words(text) == two.words(text)


def test_every_character_in_company() -> None:
    """Of characters of the basic plane: whether each becomes one with what stands before it, as marks and jamo do.

    Of the large scripts, from Han to Hangul's syllables, every seventeenth.
    """
    of = Canonizer()
    one, two = compiled_words(of._token, of.wherever, True), WordMemo(of._token)
    for code in (*range(0x3400), *range(0x3400, 0xD7A4, 17), *range(0xD7A4, 0x10000)):
        if not 0xD800 <= code < 0xE000:
            text = " ".join(f"{before}{chr(code)}" for before in "a中가ᄒㅎ")
            assert one.words(text) == two.words(text), hex(code)


@given(st.text("aZ09'’_-é \n", max_size=30))
def test_canonical_words_of_ascii(text: str) -> None:
    of = Canonizer()
    assert compiled_words(of._token, of.wherever, True).words(text) == WordMemo(of._token).words(text)


PIECES = [
    "word",
    "WORDS12345",
    "Zz",
    " ",
    "  ",
    " a ",
    "\n",
    "\t",
    "e\u0301",
    "\U0001f600",
    "c++",
    "+",
    "'",
    "-",
    "\xe9",
    "中",
]


@given(st.lists(st.sampled_from(PIECES), max_size=40).map("".join))
def test_canonical_words_of_several_tokens(text: str) -> None:
    """Runs of ASCII that end anywhere in eight bytes, and characters that depend on their token behind them."""
    of = Canonizer()
    one = compiled_words(of._token, of.wherever, True)
    assert one.words(text) == WordMemo(of._token).words(text)


def test_a_zero_is_no_end() -> None:
    memo = _kernel.WordMemo(str, lambda _: "x")
    assert [memo.words(text) for text in ("é\0b", "éèb", "éb\0")] == ["xxb", "xxb", "xbx"]


def is_decoded(noise: bytes) -> bool:
    try:
        return bool(noise.decode())
    except UnicodeDecodeError:
        return False


def test_lines_are_utf_8_as_python_decodes_it() -> None:
    """Four bytes at the borders of all ranges, at the beginning of a line, and further on."""
    borders = bytes.fromhex("61 7f 80 8f 90 9f a0 bf c0 c1 c2 df e0 e1 ec ed ee ef f0 f1 f3 f4 f5 ff")
    links, fields = (_kernel.link_function(str),), FilterFields(b"id", b"x", b"x", False, b"")
    for number, noise in enumerate(map(bytes, product(borders, repeat=4))):
        line = b'{"%b%b":0,"id":1,"x":""}' % (number % 70 * b"a", noise)
        assert _kernel.linked_lines(links, fields, line, 0)[1] == is_decoded(noise), line


@given(st.lists(texts, max_size=5), st.integers(1, 12), st.sampled_from([PLAIN, KEYED]))
def test_fingerprints(several: list[str], k: int, how: How) -> None:
    one, two = _kernel.FingerprintMemo(*how), FingerprintMemo(*how)
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
            z = int(reference_arrays.siphash(np.array([z], np.uint64), SECRET[32:])[0])
        else:
            z = (z ^ z >> 32) * 0xD6E8FEB86659FD93 % 2**64
            z ^= z >> 32
        assert memo.rolling(f" {word}", 1) == memo.rolling(word, 9) == f"{z:016x}"


@pytest.mark.parametrize("make", [_kernel.FingerprintMemo, FingerprintMemo])
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
            for value_size in (0, 1, 5, *(size - key_size for size in (29, 30, 31, 59, 60, 61)), key_size, 70):
                key = letter * key_size
                table[key] = letter * max(value_size, 0)
                memo = _kernel.WordMemo(table.__getitem__)
                assert memo.words(f"{key} {key}").split() == 2 * [table[key]] * bool(table[key])


@pytest.mark.parametrize("size", [29, 30, 31, 32, 59, 60, 61, 62])
def test_a_line_s_end_is_its_own(size: int) -> None:
    """So many words that each line has neighbours, and is moved; keys and values together, or a key that is its value,
    have up to two bytes more than half a line, or a line, has room for."""
    table = {f"{number:0{size - size // 2}}": f"x{number:0{size // 2 - 1}}" for number in range(20_000)}
    table |= {word: word for word in (f"y{number:0{size - 1}}" for number in range(20_000))}
    memo = _kernel.WordMemo(table.__getitem__)
    for _ in range(2):
        assert memo.words(" ".join(table)).split() == list(table.values())


@pytest.mark.parametrize("broken", [lambda _: 1, lambda _: b"x", lambda _: "\ud800", lambda _: 1 / 0])
def test_a_function_that_fails(broken: Callable[[str], Any]) -> None:
    for memo in (_kernel.WordMemo(broken), _kernel.WordMemo(str, broken)):
        with pytest.raises((TypeError, ValueError, ZeroDivisionError)):
            memo.words("é b")
    with pytest.raises((TypeError, ValueError, ZeroDivisionError)):
        _kernel.FingerprintMemo(broken, 1, b"").rolling("a " + 2000 * "b", 2)


@pytest.mark.parametrize("count", [15, 16, 17, 31, 32, 33, 48])
def test_borders_of_what_is_fetched_together(count: int) -> None:
    text = " ".join(f"w{number}" for number in range(count))
    expected = FingerprintMemo(*PLAIN).rolling(text, 2)
    assert _kernel.FingerprintMemo(*PLAIN).rolling(text, 2) == expected
    assert _kernel.WordMemo(str.upper).words(text) == text.upper()


@pytest.mark.parametrize(
    ("function", "arguments", "error"),
    [
        (_kernel.minima, ("00000000", b"0000", b""), ValueError),
        (_kernel.minima, ("00000000", b"0", b"0"), ValueError),
        (_kernel.minima, (None, b"", b""), TypeError),
        (_kernel.simhash, (b"00000000",), TypeError),
        (_kernel.simhash, (), TypeError),
        (_kernel.count_lines, ("text",), TypeError),
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


def test_a_python_of_32_bits_is_refused() -> None:
    """Its numpy takes no int64 as an index."""
    start = "import sys; sys.maxsize = 2**31 - 1; from shingletools.running.launch import main; sys.exit(main('canon'))"
    ran = run(sys.executable, "-c", start)
    message = "canon: cannot start: ImportError('shingletools needs a Python of 64 bits')\n"
    assert (ran.status, ran.out, ran.err) == (2, b"", message)
