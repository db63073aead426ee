"""Canonical words: the word pattern, stop words, the memo."""

import re
from collections.abc import Iterator
from collections.abc import Set as AbstractSet

import regex

from shingletools.canon.folding import fold
from shingletools.canon.repertoire import is_later, part_later
from shingletools.memo import LONGEST, Memo

# Scripts written without spaces. Script extensions, so that the sign that lengthens a kana vowel counts as kana.
SPACELESS = r"[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]"
ALONE = rf"[[\p{{L}}\p{{N}}]&&{SPACELESS}]"
LETTER = rf"[[\p{{L}}\p{{N}}]--{SPACELESS}]"
RUN = rf"{LETTER}[{LETTER}\p{{M}}']*+"

# A word is one letter or digit of a spaceless script with its marks; or else a run of letters and digits with their
# marks, and with the apostrophes between them. Those that stand elsewhere go first: a pattern that repeats a group
# for each would hold a state for each, gigabytes for 10 MB of "a'a'a'".
OUTSIDE = regex.compile(rf"(?<![{LETTER}\p{{M}}])'|'(?!{LETTER})", regex.VERSION1)
WORD = regex.compile(rf"{ALONE}\p{{M}}*+|{RUN}", regex.VERSION1)
IS_ALONE = regex.compile(ALONE, regex.VERSION1)


SPACE = re.compile(r"\s")  # as str.split has it
SEGMENT = 1 << 18  # characters


class _Spacer(dict[int, str]):
    """For str.translate: a space before each character that is a word alone."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        value = self[code] = f" {character}" if IS_ALONE.match(character) else character
        return value


SPACER = _Spacer()


def segments(text: str) -> Iterator[str]:
    """A long text in parts, each cut at white space, since a list of all its words may take 20 times its memory."""
    start = 0
    while space := SPACE.search(text, start + SEGMENT):
        yield text[start : space.start()]
        start = space.end()
    yield text[start:]


class Canonizer:
    """Text to canonical words, single spaces between; a word's form depends on that word alone.

    What stands between white space goes through a memo, so rules cost nothing for what was seen before. Canonizing
    twice changes nothing.

    >>> Canonizer(stop={"the"})("The cat’s  “whiskers” — and THE dog...")
    "cat's whiskers and dog"
    """

    def __init__(self, stop: AbstractSet[str] = frozenset()) -> None:
        self.stop = stop
        self.memo = Memo(self._canonize)

    def __call__(self, text: str) -> str:
        if len(text) > SEGMENT:
            return " ".join(filter(None, map(self._words, segments(text))))
        return self._words(text)

    def _words(self, text: str) -> str:
        return " ".join(filter(None, map(self.memo.__getitem__, text.split())))

    def _canonize(self, chunk: str) -> str:
        if not chunk.isascii():
            if len(chunk) == 1 and is_later(chunk):
                return "" if chunk in self.stop else chunk
            parted = part_later(chunk)
            if parted is not chunk:
                return self(parted)
        folded = fold(chunk)
        if len(folded) > LONGEST:
            # Whole sentences of a spaceless script: cut before each character, the pieces are short and come again
            parted = folded.translate(SPACER)
            if " " in parted.strip():
                return self(parted)
        if "'" in folded:
            folded = OUTSIDE.sub(" ", folded)
        return " ".join(word for word in WORD.findall(folded) if word not in self.stop)
