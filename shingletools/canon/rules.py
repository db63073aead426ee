"""What a rule of canon is, and the small ones: accents, numbers."""

import unicodedata
from collections.abc import Callable
from types import ModuleType
from typing import TYPE_CHECKING, NamedTuple

from shingletools import deferred, signals
from shingletools.canon.origins import Origin
from shingletools.canon.repertoire import is_later
from shingletools.deferred import later
from shingletools.errors import Failed

if TYPE_CHECKING:
    import regex
else:
    regex = deferred.module("regex")


class Rule(NamedTuple):
    """A step of canonization: what it is called, how a recipe says it, what it makes of a string.

    A rule for texts may give anything, and also tells where it has it from; a rule for words gives a word, or nothing
    for a word to be dropped.
    """

    name: str
    label: object  # a recipe's value: True for a rule without arguments
    function: Callable[[str], str]
    traced: Callable[[str], tuple[str, Origin]] | None = None  # of a rule for texts


def needs(option: str, module: str) -> ModuleType:
    """A package of the extra [lang]; raises Failed, with the command that installs it, where it is missing."""
    try:
        return signals.load(module)
    except ImportError:
        package = module.partition(".")[0]
        every = "pip install '.[lang]' in a clone of the source"
        raise Failed(f"{option} needs {package}: pip install {package} (or, for all such, {every})") from None


def version(package: str) -> str:
    from importlib import metadata  # 49 modules, for recipes that name a version

    return metadata.version(package)


def made_with(value: str, *packages: str) -> str:
    """A recipe's value with the versions of the packages whose data decide the output.

    >>> made_with("fr", "regex").startswith("fr@regex-")
    True
    """
    return f"{value}@{','.join(f'{package}-{version(package)}' for package in packages)}"


# Letters with a stroke through them, and the i without its dot, do not decompose as other accented letters do.
STROKES = str.maketrans("ƀȼđɇǥħɨɉłƚøɍŧʉɏƶı", "bcdeghijllortuyzi")
# Of the Cyrillic letters with a mark those that are letters with an accent; the others, such as й and ї, are letters of
# their own.
CYRILLIC = str.maketrans("ёѐѝ", "ееи")
LATIN = later(lambda: regex.compile(r"[\p{Latin}\p{Greek}]\p{Mn}+"))
POINTED = later(lambda: regex.compile(r"(?<=[\p{Cyrillic}\p{Hebrew}\p{Arabic}])\p{Mn}+"))


def fold_accents(text: str) -> str:
    """Folded text without the accents, diaereses, strokes and vowel points that people leave out when typing.

    Marks that make other letters stay: those of Cyrillic й, of Hangul, and in the scripts of India and South-East Asia.

    >>> fold_accents("crème brûlée, øl, ёлка й, tiếng việt, ά, שָׁלוֹם, हिन्दी")
    'creme brulee, ol, елка й, tieng viet, α, שלום, हिन्दी'
    """
    if text.isascii():
        return text
    parted = unicodedata.normalize("NFD", text)
    bare = unicodedata.normalize("NFC", LATIN.sub(lambda run: run[0][0], parted)).translate(CYRILLIC)
    return POINTED.sub("", bare).translate(STROKES)


DIGITS = later(lambda: regex.compile(r"\p{Nd}+"))


def drop_number(word: str) -> str:
    """Nothing for a word of digits alone.

    >>> drop_number("2024"), drop_number("3d")
    ('', '3d')
    """
    return "" if DIGITS.fullmatch(word) and not is_later(word[0]) else word


def mask_number(word: str) -> str:
    """The word with 0 for each run of digits.

    >>> mask_number("1024x768")
    '0x0'
    """
    return word if is_later(word[0]) else DIGITS.sub("0", word)
