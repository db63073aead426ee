"""Cuts folded text into words."""

import unicodedata

from shingletools.commands.canon.folding import JOINER
from shingletools.system.lazy_imports import lazy, regex
from shingletools.text.unspaced_scripts import ALONE, SPACELESS

LETTER = rf"[[\p{{L}}\p{{N}}]--{SPACELESS}]"
SIGNS = "+#"
NEXT_TO_LETTERS = {"'", *SIGNS}  # parts of words if a letter is next to them
RUN = rf"{LETTER}[{LETTER}\p{{M}}']*+(?:(?<=\p{{L}}\p{{M}}*)[{SIGNS}]++(?!{LETTER}))?"

# A word is one letter or digit of a spaceless script with its marks, or a run of other letters and digits with their
# marks, the apostrophes between them, and the signs after it, as in C++ and C#. Apostrophes elsewhere are removed
# first: a pattern that repeats a group for each apostrophe would hold a state for each, gigabytes for 10 MB of "a'a'a'"
OUTSIDE = lazy(lambda: regex.compile(rf"(?<![{LETTER}\p{{M}}])'|'(?!{LETTER})", regex.VERSION1))
WORD = lazy(lambda: regex.compile(rf"{ALONE}\p{{M}}*+|{RUN}", regex.VERSION1))
MARK = lazy(lambda: regex.compile(r"\p{M}"))
IS_ALONE = lazy(lambda: regex.compile(ALONE, regex.VERSION1))


def cut(folded: str) -> list[str]:
    """Returns the words of folded text without white space.

    >>> cut("don't-'quote'中文c++")
    ["don't", 'quote', '中', '文', 'c++']
    """
    if "'" in folded:
        folded = OUTSIDE.sub(" ", folded)
    return WORD.findall(folded)


def symbols(folded: str) -> list[str]:
    """Returns folded text without white space as one word, if it has no other words.

    >>> symbols("|:---|"), symbols("a|b")
    (['|:---|'], [])
    """
    return [] if cut(folded) else folded.split()  # an acute accent alone folds to a space with a mark


class _Spacer(dict[int, str]):
    """A table for str.translate that puts a space before each character that is a word of its own."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        value = self[code] = f" {character}" if IS_ALONE.match(character) else character
        return value


SPACER = _Spacer()

# Hangul's vowels and final consonants combine with the character before them, as marks do
JAMO = range(0x1160, 0x1200)


def joins(text: str) -> bool:
    """Returns whether a text may combine with the character before it."""
    return bool(text) and (MARK.match(text) is not None or ord(text[0]) in JAMO)


def wherever(character: str, folded: str) -> str | None:
    """Returns the words that a character becomes in any context; see kernel.memo.Wherever.

    >>> wherever("É", "é"), wherever("中", "中"), wherever("(", "("), wherever("＋", "+")
    ('é', ' 中 ', ' ', '+')
    """
    if character.isascii():  # so that ASCII text compiles no patterns
        return folded if folded.isalnum() or folded in NEXT_TO_LETTERS else " "
    if character == JOINER or joins(character) or joins(unicodedata.normalize("NFKD", folded)):
        return None
    if not folded or folded in NEXT_TO_LETTERS:
        return folded
    words = cut(folded)
    if not words:
        return None if MARK.search(folded) else " "
    if words != [folded]:
        return None
    return f" {folded} " if IS_ALONE.match(folded) else folded
