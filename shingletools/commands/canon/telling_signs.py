"""Writes signs as words where they change what is meant, since all that is no letter or digit is dropped."""

import re
import unicodedata
from collections.abc import Iterator
from functools import cache

from shingletools.commands.canon.character_origins import Origin
from shingletools.system.lazy_imports import lazy
from shingletools.text.signs import ARROWS, CURRENCIES, MATHEMATICAL, MINUSES, PARTING, PICTURES

BEFORE_WORDS = tuple("([{\"'“‘«")
OPENING = re.escape("".join(BEFORE_WORDS))
POWERS = "⁰¹²³⁴-⁹⁻"
CASED = "mKMG"  # which begin units whose case may tell
FRACTIONS = "¼½¾⅐⅑⅒⅓⅔⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞↉"


def pattern_of(others: str, quotes: str, capitals: str) -> re.Pattern[str]:
    """Returns the pattern of what may be a telling sign. others, quotes: those besides ASCII's.

    It begins with all first characters, as re searches quickly for one of a class; then it looks back at it, at the
    commonest first. capitals: the class of what may follow a letter whose case tells, which re sees without a branch.
    """
    quotes = rf"['\"{quotes}]"
    # Of milli, not mega; of bits, not bytes. Without mA and mL, since many write mah and ml
    unit = r"(?:(?<=m[FHJNPVWΩ])|(?<=м[А-Я])|(?<=[KMG]b)(?!(?!ps\b)\w))(?<=[\d\s]..)"
    before_words = (
        r"(?<=\d.)(?=\d)",  # between digits
        rf"(?<=\.)(?:(?=\d)(?<![\w.)].)|(?=[^\W\d_])(?<![^\s{OPENING}].))",  # that begins a number or a name
        # Before a number that may be below zero, and is no year
        rf"(?<=\()(?<!\S.)(?=[{CURRENCIES}]?\d[\d.,]*%?\))(?!(?:1[5-9]|20)\d\d\))",
    )
    behind = (
        r"(?<=\d[-:/−\u2010-\u2013])(?=\d)",  # between digits
        rf"(?<=-)(?:(?=[\d.{CURRENCIES}])|(?<=[A-Z\d]-)(?![\w-])|(?<![^\s{OPENING}=]-)(?=[^\W\d])"
        r"|(?<=\s-)(?=\s+\d))",
        rf"(?<=\d{quotes})(?![^\W\d])",  # of minutes and inches
        r"(?<![:;=|].)(?<=[:;=])['’]?[-o^]?[][()/\\|](?![\w/])",  # of a face
        r"(?<=[-+*/%&|^!])=(?!=)|(?<!=.)(?<==)={0,2}(?![=>])|(?<=!)==|(?<=&)&|(?<=\|)\|",  # of code
        r"(?<=\*)\*(?=\s)|(?<=/)/(?=\s)|(?<=<)<(?=\s)|(?<=>)>(?=\s)|(?<![^\s([=,].)(?<=[!~^])(?=\w)",
        r"(?<=\s[&*^~])(?=\s)|(?<=[A-Z]\*)(?![\w*])",  # between words, and after a grade
        r"(?<=[*+/^])(?=\s?[-−\d(])|(?<=\+)(?<![^\d\s].)(?!\w)|(?<=[<>])=?",
        r"(?<=[^\W\d_][+*^&])(?=[^\W\d_])|(?<=\([-+])(?=\))",  # between letters, and in brackets
        rf"(?<=[@#])(?<![^\s{OPENING}].)(?=[^\W\d_])",  # before a name
        rf"(?<=[{POWERS}])[{POWERS}]*",
        rf"(?<![-*+/^!<>&|=~:;@#{POWERS}])(?<!{quotes})",  # all others
    )
    return re.compile(
        rf"(?:[-.*+/^!<>%$&|=~:;@#({CASED}{others}]|{quotes})(?:[{capitals}b]{unit}"
        rf"|(?<=[.,(])(?=[\w{CURRENCIES}])(?:{'|'.join(before_words)})|(?<![.,({CASED}м])(?:{'|'.join(behind)}))"
    )


OTHERS = f",‰†м{MATHEMATICAL}{ARROWS}{MINUSES}{CURRENCIES}{POWERS}{FRACTIONS}{PICTURES}"
SIGN = lazy(lambda: pattern_of(OTHERS, "’”°′″", "A-ZΩА-Я"))
ASCII_SIGN = lazy(lambda: pattern_of(",", "", "A-Z"))  # a class of few characters is searched twice as fast
SPELLINGS = dict.fromkeys(MINUSES, "−") | {"-": "−", "*": "×", "/": "÷", "<=": "≤", ">=": "≥", "!=": "≠"}
SPELLINGS |= {"'": "′", "’": "′", '"': "″", "”": "″"}
SEPARATORS = dict.fromkeys(f"{MINUSES}-", "-") | dict(zip(PARTING, PARTING, strict=True))
BEFORE_MINUS = "([{\"'“‘«=<>≤≥≠±~,;:*×÷^$£€¥|`"
GRADE = lazy(lambda: re.compile(r"(?<![\w*])(?:[A-Z]{1,3}|[A-Za-z]{1,4}\d\d?)\Z"))
OPENED = {"′": lazy(lambda: re.compile(r"(?<!\w)['‘‚’]\w")), "″": lazy(lambda: re.compile(r'(?<!\w)["“„”]\w'))}
WORDS = {".": " 0.", "&": " and "}
WORDS |= {each: f" {unicodedata.normalize('NFKC', each)} ".replace("\u2044", " u002f ") for each in FRACTIONS}
LONGEST_QUOTED = 200  # characters between quotes
BESIDE = 16  # characters beside a sign that are looked at
BLANKS = lazy(lambda: re.compile(r"\s{2,}|[^\S \n]"))  # all but one space or line feed
MARKUP = tuple("-*_|=~")  # also at the end of a line


def telling_signs(text: str) -> str:
    """Returns the text with its telling signs as words of their codes.

    These are a minus, %, currencies, < and > and the like between words or before numbers, what calculates with
    numbers, operators of code, powers of numbers, fractions, minutes and inches, what parts digits, mathematical signs,
    faces and pictures; what stands before a name, as in .NET and @name; a bracket before a number; and units whose case
    tells. A hyphen or the > before a quoted line is none. A number that begins with a point gets a 0 before it, and an
    & between words is the word and.

    >>> telling_signs("-5 °C, 10-20 m, p<.05, 10⁵ m², 3 * 4 👍").split()[:10]
    ['u2212', '5', '°C,', '10', 'u002d', '20', 'm,', 'p', 'u003c', '0.05,']
    >>> telling_signs("5 mW of .NET"), telling_signs("5 MW of NET")
    ('5  u006d u0057  of  u002e NET', '5 MW of NET')
    """
    parts, end = list[str](), 0
    for start, stop, words in edits(text):
        parts += text[end:start], words
        end = stop
    return "".join([*parts, text[end:]]) if parts else text


def traced(text: str) -> tuple[str, Origin]:
    """Does `telling_signs`, and returns the origin, too."""
    return telling_signs(text), Origin(len(text), ((start, end, len(words)) for start, end, words in edits(text)))


def edits(text: str) -> Iterator[tuple[int, int, str]]:
    """Yields the start and the end of each telling sign, and the words in its place."""
    for found in (ASCII_SIGN if text.isascii() else SIGN).finditer(text):
        start, end = found.span()
        given = found[0]
        sign = SPELLINGS.get(given, given)
        before, after = squeezed(text[max(start - BESIDE, 0) : start]), squeezed(text[end : end + BESIDE])
        if given in SEPARATORS and parts_digits(before, after):
            yield start, end, codes(SEPARATORS[given])
        elif given[0] in "⁻⁰¹²³⁴⁵⁶⁷⁸⁹":
            signs = " u005e " * before[-1:].isdecimal() + " u2212 " * (sign[0] == "⁻")
            if signs:
                yield start, end, signs + sign.removeprefix("⁻")
        elif sign in WORDS and not (sign == "." and after[:1].isalpha()):
            yield start, end, WORDS[sign]
        elif sign[0] in ":;=" and sign[-1] != "=":  # a face, whatever its nose
            yield start, end, codes(sign[0].replace("=", ":") + sign[-1])
        elif sign in OPENED:
            quoted = text[max(start - LONGEST_QUOTED, 0) : start].rpartition("\n")[2]
            if given == sign or not OPENED[sign].search(quoted):
                yield start, end, codes(sign)
        elif tells(given, sign, before, after):
            option = after[:1] if sign == "−" and after[:1].isupper() and not after[1:2].isalnum() else ""
            yield start, end, codes(sign + option)


def squeezed(text: str) -> str:
    """Returns the text with one space or line feed for each run of white space."""
    return text if BLANKS.search(text) is None else BLANKS.sub(lambda blanks: "\n" if "\n" in blanks[0] else " ", text)


@cache
def codes(signs: str) -> str:
    return " " + "".join(f"u{ord(sign):04x} " for sign in signs)


def parts_digits(before: str, after: str) -> bool:
    """Returns whether what stands between these is between digits, with or without a space on either side."""
    one, two = before.removesuffix(" "), after.removeprefix(" ")
    return one[-1:].isdecimal() and two[:1].isdecimal() and (one == before) == (two == after)


def tells(given: str, sign: str, before: str, after: str) -> bool:
    """Returns whether a sign changes what is meant. before, after: a few characters beside it, squeezed."""
    last, following = before[-2:].strip()[-1:], after.lstrip(" \n.-−$£€¥")[:1]
    calculates = (last.isdecimal() or last == ")") and (following.isdecimal() or following == "(")
    spaces = before[-1:].isspace(), after[:1].isspace()
    line = before.rpartition("\n")[2].strip() != ""
    within = line and not (given in MARKUP and after[:1] == "\n") and (following.isalnum() or following in BEFORE_WORDS)
    if sign == "−":
        number = following.isdecimal() and not after[:1].isspace()
        begins = not before or before[-1].isspace() or before[-1] in BEFORE_MINUS
        told = begins if number else not after[:1].isalnum() and GRADE.search(before) is not None
        told |= given == "−" or (all(spaces) and calculates)  # no hyphen
        told |= before[-1:].isdecimal() and after.lstrip(" ")[:1] in ("", "\n", ")")  # of accounts, and of years
        told |= line and before[-1:] in (" ", "=", *BEFORE_WORDS) and after[:1].isalpha()  # of an option or a value
    elif sign in "%‰":
        told = last.isdecimal() or (within and all(spaces))
    elif sign in "+×^÷":  # a slash is none in dates and fractions
        told = calculates and spaces[0] == spaces[1] and (sign != "÷" or spaces[0])
        told |= sign != "÷" and before[-1:].isalpha() and after[:1].isalnum()
        if sign == "+":  # between words, and behind a number, as in 18+ or HER2+
            told |= (all(spaces) or not before) and spaces[1]
            told |= before[-1:].isdecimal() and not after[:1].isalnum()
        elif sign != "÷":
            told |= (within and all(spaces)) or (sign == "^" and after[:1].isalnum() and not before[-1:].isalnum())
            told |= sign == "×" and GRADE.search(before) is not None
    elif sign in ("±", "°"):
        told = following.isdecimal() if sign == "±" else following not in tuple("CFK")
    elif sign in "<>":  # before a quoted line, and in an arrow, it is none
        tag = "<" in before.rpartition(">")[2] or ">" in after.partition("<")[0]
        told = before[-1:] not in ("-", "=", "<", ">") and (
            ((line or sign == "<") and all(spaces))
            or following.isdecimal()
            or (before[-1:].isalnum() and after[:1].isalnum() and not tag)
        )
    elif sign == "$":
        told = last.isdecimal() or after.lstrip(" .-−")[:1].isdecimal() or all(spaces)
    elif sign[0] in "=-+*/%&|^<>~" or sign in ARROWS:
        told = sign in ("&&", "||") or (sign == "~" and not spaces[1]) or (within and spaces[0] == spaces[1])
    else:
        told = not given[0].isalpha() or last.isdecimal()  # letters are those of units
    names = sign in "$%" and after[:1].isalpha() and (not before or spaces[0] or before[-1] in BEFORE_WORDS)
    return told or names or before[-1:] + after[:1] == "()"
