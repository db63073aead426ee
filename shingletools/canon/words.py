"""Canonical words: the word pattern, stop words, the memo."""

from collections.abc import Set as AbstractSet

import regex

from shingletools.canon.folding import fold
from shingletools.canon.repertoire import is_later, part_later
from shingletools.memo import LONGEST, Memo

# Scripts written without spaces. Script extensions, so that the sign that lengthens a kana vowel counts as kana.
SPACELESS = r"[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]"
ALONE = rf"[[\p{{L}}\p{{N}}]&&{SPACELESS}]"
LETTER = rf"[[\p{{L}}\p{{N}}]--{SPACELESS}]"
RUN = rf"{LETTER}[{LETTER}\p{{M}}]*+"

# A word is one letter or digit of a spaceless script with its marks; or else a run of letters and digits with their
# marks, in which an apostrophe between two of them stays.
WORD = regex.compile(rf"{ALONE}\p{{M}}*+|{RUN}(?:'{RUN})*+", regex.VERSION1)
IS_ALONE = regex.compile(ALONE, regex.VERSION1)


class _Spacer(dict[int, str]):
    """For str.translate: a space before each character that is a word alone."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        value = self[code] = f" {character}" if IS_ALONE.match(character) else character
        return value


SPACER = _Spacer()


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
        return " ".join(word for word in WORD.findall(folded) if word not in self.stop)
