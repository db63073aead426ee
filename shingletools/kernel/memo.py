"""Bounded memos of pure functions of short strings, and texts that are worked on word by word through them."""

import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import Protocol, TypeVar

from shingletools.kernel.lines import Link, unlinked

Value = TypeVar("Value", bound=str | bytes)

# What the function for tokens makes of a character, in whatever token it stands: letters or digits, a word of its own
# between two spaces, an apostrophe, which counts between letters, a space, or nothing at all; None if it depends
Wherever = Callable[[str], str | None]

ENTRIES = 1 << 16  # distinct keys held, at worst 45 MB with their values
LONGEST = 32  # characters in a key; longer ones are rarely seen twice, and could fill the memory
SPACE = re.compile(r"\s")  # as str.split has it
TOKEN = re.compile(r"\S+")
SEGMENT = 1 << 18  # characters
NUMBER = re.compile("[0-9]+")
KEY, WORD_KEY = 48, 32  # bytes: all of it, and the part for words


class Known(dict[str, Value]):
    """known[key] is function(key), computed again only after it was forgotten.

    When full, it forgets everything: a plain look-up then costs nothing but the look-up, and a stream of words that
    never return costs one computation each, as it would without a memo.

    >>> known = Known(str.upper)
    >>> known["word"], len(known)
    ('WORD', 1)
    """

    def __init__(self, function: Callable[[str], Value]) -> None:
        super().__init__()
        self.function = function

    def __missing__(self, key: str) -> Value:
        value = self.function(key)
        if len(key) <= LONGEST and len(value) <= 2 * LONGEST:
            if len(self) >= ENTRIES:
                self.clear()
            self[key] = value
        return value

    def __reduce__(self) -> "tuple[type[Known[Value]], tuple[Callable[[str], Value]]]":
        """A worker process starts with an empty memo."""
        return (Known, (self.function,))


class WordMemo(Protocol):
    """A memo of a pure function of what stands between white space in a text."""

    def words(self, text: str, /) -> str:
        """What the function makes of each, joined by single spaces; nothing where that is empty.

        Raises UnicodeEncodeError for lone surrogates.
        """

    def placed(self, text: str, /) -> str:
        """The words, and behind a line feed their places in the text: FROM-TO in code points, half open.

        The function gives likewise the words of what it is asked for, and behind a line feed their places in that.
        """

    def link(self) -> Link:
        """What `words` does, for the payloads of lines, if it is in C."""

    def link_placed(self) -> Link:
        """What `placed` does, likewise; see stage.Filter."""


class FingerprintMemo(Protocol):
    """A memo of words' fingerprints: 8 bytes, little-endian.

    Made with a key or none: 32 bytes for the BLAKE3 of words, 16 for the SipHash of their runs.
    """

    def rolling(self, text: str, k: int, /) -> str:
        """The payload of the rolling fingerprints of runs of k words, all if there are fewer.

        Raises UnicodeEncodeError for lone surrogates.
        """

    def link(self, k: int, m: int, /) -> Link:
        """The same for the payloads of lines, of the fingerprints one in m, if it is in C."""


def moved(places: str, by: int) -> str:
    """Places in a part of a text as places in all of it.

    >>> moved("0-3 4-7", 10)
    '10-13 14-17'
    """
    return NUMBER.sub(lambda number: str(int(number[0]) + by), places) if by else places


def segments(text: str) -> Iterator[str]:
    """A long text in parts, each cut at white space, since a list of all its words may take 20 times its memory."""
    start = 0
    while len(text) - start > SEGMENT and (space := SPACE.search(text, start + SEGMENT)):
        yield text[start : space.start()]
        start = space.end()
    yield text[start:]


class _WordMemo:
    """The definition of WordMemo."""

    def __init__(self, function: Callable[[str], str]) -> None:
        self.known = Known(function)
        self.link = self.link_placed = unlinked

    def words(self, text: str, /) -> str:
        text.encode()  # what is no text is none for either kernel
        return " ".join(filter(None, (self._words(part) for part in segments(text))))

    def _words(self, text: str) -> str:
        return " ".join(filter(None, map(self.known.__getitem__, text.split())))

    def placed(self, text: str, /) -> str:
        text.encode()  # as above
        words, places = [], []
        for token in TOKEN.finditer(text):
            found, _, at = self.known[token[0]].partition("\n")
            if found:
                words.append(found)
                places.append(moved(at, token.start()))
        return f"{' '.join(words)}\n{' '.join(places)}"


class _FingerprintMemo:
    """The definition of FingerprintMemo."""

    def __init__(self, function: Callable[[str], bytes], base: int, key: bytes) -> None:
        from shingletools.kernel.strings import roll  # numpy, which canon does not need

        if len(key) not in (0, KEY):
            raise ValueError(f"a key has {KEY} bytes, or none")
        self.known = Known(function)
        self.link = unlinked
        self.roll = partial(roll, base=base, key=key[WORD_KEY:])

    def rolling(self, text: str, k: int, /) -> str:
        return self.roll(b"".join(map(self.known.__getitem__, text.split())), k)


def reference_words(
    function: Callable[[str], str], _wherever: Wherever | None = None, _alone: bool = False, /
) -> WordMemo:
    return _WordMemo(function)


def reference_fingerprints(function: Callable[[str], bytes], base: int, key: bytes, /) -> FingerprintMemo:
    return _FingerprintMemo(function, base, key)


def compiled_words(
    function: Callable[[str], str], wherever: Wherever | None = None, alone: bool = False, /
) -> WordMemo:
    """A memo in C.

    With `wherever`, the function is asked only for what has characters of which that gives None, though it is about
    words even where `placed` is asked. With `alone`,
    ideographs and kana letters are asked for one by one: their words do not depend on what precedes. What the compiled
    memo has no place for, or has forgotten, is asked of one in Python.
    """
    from shingletools.kernel import _kernel  # which is not there without a C compiler

    return _kernel.WordMemo(Known(function).__getitem__, wherever, alone)


def compiled_fingerprints(function: Callable[[str], bytes], base: int, key: bytes, /) -> FingerprintMemo:
    """A memo in C, which is told how to hash long words only: it knows BLAKE3."""
    from shingletools.kernel import _kernel  # as above

    return _kernel.FingerprintMemo(function, base, key)
