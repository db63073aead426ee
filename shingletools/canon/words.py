"""What a word is, in folded text."""

import unicodedata
from typing import TYPE_CHECKING

from shingletools import deferred
from shingletools.deferred import later
from shingletools.scripts import ALONE, SPACELESS

if TYPE_CHECKING:
    import regex
else:
    regex = deferred.module("regex")

LETTER = rf"[[\p{{L}}\p{{N}}]--{SPACELESS}]"
RUN = rf"{LETTER}[{LETTER}\p{{M}}']*+"

# A word is one letter or digit of a spaceless script with its marks; or else a run of letters and digits with their
# marks, and with the apostrophes between them. Those that stand elsewhere go first: a pattern that repeats a group
# for each would hold a state for each, gigabytes for 10 MB of "a'a'a'".
OUTSIDE = later(lambda: regex.compile(rf"(?<![{LETTER}\p{{M}}])'|'(?!{LETTER})", regex.VERSION1))
WORD = later(lambda: regex.compile(rf"{ALONE}\p{{M}}*+|{RUN}", regex.VERSION1))
MARK = later(lambda: regex.compile(r"\p{M}"))
IS_ALONE = later(lambda: regex.compile(ALONE, regex.VERSION1))


def cut(folded: str) -> list[str]:
    """The words of folded text without white space.

    >>> cut("don't-'quote'中文")
    ["don't", 'quote', '中', '文']
    """
    if "'" in folded:
        folded = OUTSIDE.sub(" ", folded)
    return WORD.findall(folded)


class _Spacer(dict[int, str]):
    """For str.translate: a space before each character that is a word alone."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        value = self[code] = f" {character}" if IS_ALONE.match(character) else character
        return value


SPACER = _Spacer()

# These join what precedes, as marks do: Hangul's vowels and final consonants
JAMO = range(0x1160, 0x1200)


def joins(text: str) -> bool:
    """Whether a text may become one with what stands before it."""
    return bool(text) and (MARK.match(text) is not None or ord(text[0]) in JAMO)


def wherever(character: str, folded: str) -> str | None:
    """What words are made of a character in whatever company, as kernel.memo.Wherever has it.

    >>> wherever("É", "é"), wherever("中", "中"), wherever("(", "(")
    ('é', ' 中 ', ' ')
    """
    if character.isascii():  # of which a run may have no others, and so no use for patterns
        return folded if folded.isalnum() or folded == "'" else " "
    if joins(character) or joins(unicodedata.normalize("NFKD", folded)):
        return None
    if folded in ("", "'"):
        return folded
    words = cut(folded)
    if not words:
        return None if MARK.search(folded) else " "
    if words != [folded]:
        return None
    return f" {folded} " if IS_ALONE.match(folded) else folded
