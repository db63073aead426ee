"""Bounded memos of pure functions of short strings; texts are processed through them, token by token."""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache, partial
from typing import TypeVar

from shingletools.kernel.lines import FingerprintFilter, Link

Value = TypeVar("Value", bound=str | bytes)

# Returns what the function for tokens makes of a character in any token; None if that depends on the token. This is
# letters or digits; a word of its own between two spaces; an apostrophe, which counts only between letters; + or #,
# which count only after a letter; a space; or nothing
Wherever = Callable[[str], str | None]

MAX_ENTRIES = 1 << 16  # distinct keys: at worst 45 MB with their values
MAX_KEY_CHARS = 32  # characters of a key; longer ones rarely come twice, and could fill the memory
SPACE = re.compile(r"\s")  # as in str.split
TOKEN = re.compile(r"\S+")
CUT_CHARS = 1 << 18
NUMBER = re.compile("[0-9]+")
KEY_BYTES, WORD_KEY_BYTES = 48, 32  # of a key, and of its part for words
WORDS, CHARACTERS, WORD_CHARACTERS = range(3)  # units of shingles; see fingerprints.c


class Memo(dict[str, Value]):
    """A memo: memo[key] is function(key), which is computed again only if it was forgotten.

    When it is full, it forgets everything. So a look-up needs no bookkeeping, and keys that never come again cost one
    computation each, as without a memo.

    >>> memo = Memo(str.upper)
    >>> memo["word"], len(memo)
    ('WORD', 1)
    """

    def __init__(self, function: Callable[[str], Value]) -> None:
        super().__init__()
        self.function = function

    def __missing__(self, key: str) -> Value:
        value = self.function(key)
        if len(key) <= MAX_KEY_CHARS and len(value) <= 2 * MAX_KEY_CHARS:
            if len(self) >= MAX_ENTRIES:
                self.clear()
            self[key] = value
        return value

    def __reduce__(self) -> "tuple[type[Memo[Value]], tuple[Callable[[str], Value]]]":
        """Pickles the function only, so that another process starts with an empty memo."""
        return (Memo, (self.function,))


def shifted_places(places: str, by: int) -> str:
    """Returns places in a part of a text as places in the whole text.

    >>> shifted_places("0-3 4-7", 10)
    '10-13 14-17'
    """
    return NUMBER.sub(lambda number: str(int(number[0]) + by), places) if by else places


def cut_at_blanks(text: str) -> Iterator[str]:
    """Yields parts of a long text, cut at white space, since a list of all its words may take 20 times its memory."""
    start = 0
    while len(text) - start > CUT_CHARS and (space := SPACE.search(text, start + CUT_CHARS)):
        yield text[start : space.start()]
        start = space.end()
    yield text[start:]


class WordMemo:
    """A memo of a pure function of tokens: the definition. A token is text between white space."""

    def __init__(
        self, function: Callable[[str], str], _wherever: Wherever | None = None, _alone: bool = False, /
    ) -> None:
        self.memo = Memo(function)

    def words(self, text: str, /) -> str:
        """Returns the values of a text's tokens, without empty ones, joined by single spaces.

        Raises UnicodeEncodeError for lone surrogates.
        """
        text.encode()  # raises for lone surrogates, as the compiled memo does
        return " ".join(filter(None, (self._words(part) for part in cut_at_blanks(text))))

    def _words(self, text: str) -> str:
        return " ".join(filter(None, map(self.memo.__getitem__, text.split())))

    def placed(self, text: str, /) -> str:
        """Returns the words, a line feed, and the places of the words in the text: FROM-TO in code points, half open.

        For this, the function must return the words of a token, a line feed, and their places in the token.
        """
        text.encode()  # as above
        words, places = [], []
        for token in TOKEN.finditer(text):
            canonical, _, at = self.memo[token[0]].partition("\n")
            if canonical:
                words.append(canonical)
                places.append(shifted_places(at, token.start()))
        return f"{' '.join(words)}\n{' '.join(places)}"

    def link(self) -> Link:
        """Returns the link that runs `words` in C; empty if there is none."""
        return ()

    def link_placed(self) -> Link:
        """Returns the link that runs `placed` in C; empty if there is none. See stage.Filter."""
        return ()


class FingerprintMemo:
    """A memo of the fingerprints of words or characters: 8 bytes each, little-endian. This is the definition.

    It may have a key: 32 bytes for the BLAKE3 of words, and 16 for the SipHash of runs of words.
    """

    def __init__(self, function: Callable[[str], bytes], base: int, key: bytes, /) -> None:
        from shingletools.kernel.payload_signatures import roll  # late: it loads numpy, which canon does not need

        if len(key) not in (0, KEY_BYTES):
            raise ValueError(f"a key has {KEY_BYTES} bytes, or none")
        self.memo = Memo(function)
        self.roll = partial(roll, base=base, key=key[WORD_KEY_BYTES:])
        self.of_word = lru_cache(MAX_ENTRIES)(self._rolled)  # of its characters

    def rolling(self, text: str, k: int, units: int = WORDS, /) -> str:
        """Returns the payload of the rolling fingerprints of runs of k units; one run if there are fewer units.

        Units are words; or characters of the words and of the spaces between them; or characters of each word alone
        with a space at both ends. Raises UnicodeEncodeError for lone surrogates.
        """
        words = text.split()
        if units == WORD_CHARACTERS:
            each = ((self.of_word if len(word) <= MAX_KEY_CHARS else self._rolled)(f" {word} ", k) for word in words)
            return " ".join(each)
        return self._rolled(words if units == WORDS else " ".join(words), k)

    def _rolled(self, units: Sequence[str], k: int) -> str:
        return self.roll(b"".join(map(self.memo.__getitem__, units)), k)

    def link(self, _k: int, _units: int, _m: int, _listed: FingerprintFilter, /) -> Link:
        """Returns the link that runs `rolling` in C; empty if there is none.

        It keeps 1 in m fingerprints, and of these the ones that `listed` lets pass.
        """
        return ()

    def link_gathering(self, _k: int, _units: int, _m: int, _factor: int, /) -> Link:
        """Returns a link that makes empty payloads, and gathers 1 in m fingerprints, once for each text.

        Without C it is empty. factor: odd and random.
        """
        return ()

    def take_gathered(self) -> bytes:
        """Returns the fingerprints gathered by such links since the last call, as uint64 in native byte order."""
        return b""

    def take_counts(self) -> tuple[int, int]:
        """Returns two counts of texts since the last call: with fewer than k units, and left without fingerprints.

        Only links count, and not texts without words.
        """
        return 0, 0


def compiled_words(
    function: Callable[[str], str], wherever: Wherever | None = None, alone: bool = False, /
) -> WordMemo:
    """Returns a memo in C.

    wherever: returns what a character becomes in any token, or None if that depends on the token. It is not asked for
    letters and digits of ASCII, which become small. The function is called only for tokens with a character that
    depends on them, and must return words, even for `placed`. alone: the function is called for ideographs and kana
    letters one by one, since their words do not depend on the text before. Tokens for which the compiled memo has no
    room go through a memo in Python.
    """
    from shingletools.kernel import _kernel  # it exists only with a C compiler

    return _kernel.WordMemo(Memo(function).__getitem__, wherever, alone)
