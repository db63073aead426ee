"""The type of canon's rules, and the short rules on numbers."""

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from shingletools.commands.canon.character_origins import Origin
from shingletools.commands.canon.folding import FRACTIONS
from shingletools.commands.canon.known_characters import is_later
from shingletools.system.lazy_imports import lazy, regex
from shingletools.text.unspaced_scripts import SPACELESS


class Rule(NamedTuple):
    """A step of canonization: its name, its value in a recipe, and its function of a string.

    A rule for texts returns any text, and, except those for HTML, also tells where it comes from. A rule for words
    returns a word, or "" to drop it.
    """

    name: str
    label: object  # a recipe's value: True for a rule without arguments
    function: Callable[[str], str]
    traced: Callable[[str], tuple[str, Origin]] | None = None  # of a rule for plain texts


class FirstChange:
    """The word as the first language changes it; else the word. It can be pickled if `make` can."""

    def __init__(self, make: Callable[[str], Callable[[str], str]], languages: Sequence[str]) -> None:
        """make: returns the function for a language. Raises what it does."""
        self.arguments = make, languages
        self.functions = [make(language) for language in languages]

    def __call__(self, word: str) -> str:
        return next((changed for function in self.functions if (changed := function(word)) != word), word)

    def __reduce__(self) -> tuple[object, ...]:
        return FirstChange, self.arguments


PARAGRAPH = "\u2029"  # stands in the text of HTML where a block begins or ends
NUMBER = lazy(lambda: regex.compile(r"\p{Nd}+(?:'\p{Nd}+)*"))
SIGN_CODE = re.compile(r"u[0-9a-f]{4,5}")
# What stands within a number: the classes MidNum, MidNumLet and Single_Quote by rules WB11 and WB12 of Unicode Standard
# Annex 29, and Arabic's decimal separator, which is a digit there; before three digits, spaces that end no line, which
# CLDR has for French and others. The pattern begins with all of them, as re searches quickly for a first character
SEPARATORS = (
    "',.;\u037e\u0589\u060c\u060d\u066b\u066c\u07f8\u2018\u2019\u2024\u2044\ufe50\ufe52\ufe54\uff07\uff0c\uff0e\uff1b"
)
SPACES = "\u00a0\u2009\u202f"
WITHIN = lazy(
    lambda: re.compile(
        rf"[{SEPARATORS}{SPACES}{FRACTIONS}]"
        rf"(?:(?=\d)(?<=\d[{SEPARATORS}])|(?=\d\d\d(?!\d))(?<=\d[{SPACES}])|(?<=([{FRACTIONS}])))"
    )
)
# Digits such as Thai's, of which each would be a word of its own
SINGLE_DIGIT = lazy(lambda: regex.compile(rf"[\p{{Nd}}&&{SPACELESS}]", regex.VERSION1))


def drop_number(word: str) -> str:
    """Returns the word, or "" if it is a number.

    >>> drop_number("2024"), drop_number("3d")
    ('', '3d')
    """
    return "" if NUMBER.fullmatch(word) and not is_later(word[0]) else word


def mask_number(word: str) -> str:
    """Returns the word with each number replaced by 0.

    >>> mask_number("1024x768"), mask_number("1'234'567")
    ('0x0', '0')
    """
    return word if is_later(word[0]) else NUMBER.sub("0", word)


def mask_beside_signs(word: str) -> str:
    """Does mask_number, but keeps the words of --symbols, such as u2212: 5 % is not 5 $."""
    return word if SIGN_CODE.fullmatch(word) else mask_number(word)


def whole_numbers(text: str) -> str:
    """Returns the text with each number in one piece, as mask_number needs it; it keeps its length.

    >>> whole_numbers("1,234,567.8 and 3½, ๑๒,๓๔๕")
    "1'234'567'8 and 30, 00'000"
    """
    if not text.isascii():
        text = SINGLE_DIGIT.sub(lambda match: match[0] if is_later(match[0]) else "0", text)
    return WITHIN.sub(lambda match: "0" if match[1] else "'", text)


def in_place(function: Callable[[str], str], text: str) -> tuple[str, Origin]:
    """Applies a function that replaces single characters, and returns the origin, too."""
    return function(text), Origin(len(text), ())
