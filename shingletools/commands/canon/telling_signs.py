"""Writes signs as words where they change what is meant, since all that is no letter or digit is dropped."""

import re
from collections.abc import Iterator

from shingletools.commands.canon.character_origins import Origin
from shingletools.system.lazy_imports import lazy

CURRENCIES = "$¢£¥฿\u20a0-\u20cf"
POWERS = "⁰¹²³⁴-⁹⁻"
MINUSES = "−\u2010\u2011\u2013\ufe63\uff0d"  # besides the hyphen of ASCII
OTHERS = "↑↓↗↘▲▼△▽✓✔✗✘☐☑☒★☆♀♂♯♭√¬∈∉"
EMOJI = "☹☺\U0001f1e6-\U0001f1ff\U0001f300-\U0001f3fa\U0001f400-\U0001faff"  # without skin tones


def pattern_of(others: str) -> re.Pattern[str]:
    """Returns the pattern of what may be a telling sign. others: those besides ASCII's.

    It begins with all of them, as re searches quickly for a first character. A hyphen is a sign only before a number,
    or after capitals and digits; a point only if it begins a number.
    """
    return re.compile(
        rf"[-.*+/^!<>%${others}]"
        rf"(?:(?<=-)(?:(?=[\d.{CURRENCIES}])|(?<=[A-Z\d]-)(?![\w-]))|(?<=\.)(?=\d)(?<![\w.)]\.)"
        rf"|(?<=[*+/^])(?=\s?[-−\d(])|(?<=[\d\s]\+)(?!\w)|(?<=!)=|(?<=[<>])=?"
        rf"|(?<=[{POWERS}])[{POWERS}]*|(?<![-.*+/^!<>{POWERS}]))"
    )


SIGN = lazy(lambda: pattern_of(f"‰×÷±≤≥≠{MINUSES}{CURRENCIES}{POWERS}{OTHERS}{EMOJI}"))
ASCII_SIGN = lazy(lambda: pattern_of(""))  # a class of few characters is searched twice as fast
SPELLINGS = dict.fromkeys(MINUSES, "−") | {"-": "−", "*": "×", "/": "÷", "<=": "≤", ">=": "≥", "!=": "≠"}
BEFORE_MINUS = "([{\"'“‘«=<>≤≥≠±~,;:*×÷^$£€¥"
GRADE = lazy(lambda: re.compile(r"(?<!\w)(?:[A-Z]{1,3}|[A-Za-z]{1,4}\d\d?)\Z"))


def telling_signs(text: str) -> str:
    """Returns the text with its telling signs as words of their codes.

    These are a minus, %, currencies, < and > and the like between words or before numbers, what calculates with
    numbers, powers of numbers, and emoji. A hyphen, a slash in a date or the > before a quoted line is none. A number
    that begins with a point gets a 0 before it.

    >>> telling_signs("-5 °C, 10-20 m, p<.05, 10⁵ m², 3 * 4 👍").split()[:10]
    ['u2212', '5', '°C,', '10-20', 'm,', 'p', 'u003c', '0.05,', '10', 'u005e']
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
        sign = SPELLINGS.get(found[0], found[0])
        before, after = text[max(start - 7, 0) : start], text[end : end + 2]
        if found[0][0] in "⁻⁰¹²³⁴⁵⁶⁷⁸⁹":
            signs = " u005e " * before[-1:].isdecimal() + " u2212 " * (sign[0] == "⁻")
            if signs:
                yield start, end, signs + sign.removeprefix("⁻")
        elif sign == ".":
            yield start, end, " 0."
        elif tells(sign, before, after):
            yield start, end, f" u{ord(sign[0]):04x} "


def tells(sign: str, before: str, after: str) -> bool:
    """Returns whether a sign changes what is meant. before, after: a few characters beside it."""
    last, following = before[-2:].strip()[-1:], after.lstrip(" .-−$£€¥")[:1]
    calculates = (last.isdecimal() or last == ")") and (following.isdecimal() or following == "(")
    spaces = before[-1:].isspace(), after[:1].isspace()
    if sign == "−":
        number = following.isdecimal() and not after[:1].isspace()
        begins = not before or before[-1].isspace() or before[-1] in BEFORE_MINUS
        told = begins if number else not after[:1].isalnum() and GRADE.search(before) is not None
    elif sign in "%‰":
        told = last.isdecimal()
    elif sign in "+×^÷":  # a slash is none in dates and fractions
        told = calculates and spaces[0] == spaces[1] and (sign != "÷" or spaces[0])
        if sign == "+":  # between words, and behind a number, as in 18+ or HER2+
            told |= all(spaces) or (before[-1:].isdecimal() and not after[:1].isalnum())
    elif sign == "±":
        told = following.isdecimal()
    elif sign in "<>":  # before a quoted line, and in an arrow, it is none
        within = before.rpartition("\n")[2].strip() != ""
        told = before[-1:] not in ("-", "=", "<", ">") and (
            (within and all(spaces)) or (following.isdecimal() and (within or not spaces[1]))
        )
    elif sign == "$":
        told = last.isdecimal() or following.isdecimal() or all(spaces)
    else:
        told = True
    return told
