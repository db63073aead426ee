"""What is wrong with what orjson refuses to read or to write, found without its messages.

They say "failed to allocate memory" of some lines that end inside many brackets, and its columns are then not
those of the fault; both differ between its versions. Python's own parser recurses, and how deep it may differs between
the versions of Python. So here is the grammar of RFC 8259 once more, without recursion, in time
proportional to the line; it makes nothing of what it reads. Columns are those of orjson 3.13 where it tells the truth.
"""

import re

TOO_DEEP = "nested too deeply"
DEEPEST = 1024  # levels of arrays and objects that orjson reads, as its manual says
DEEPEST_WRITTEN = 254  # and that it writes
CLOSED_BY = {"[": "]", "{": "}"}
LITERALS = {"t": "true", "f": "false", "n": "null"}
BLANKS = re.compile(r"[ \t\n\r]*+")
NUMBER = re.compile(r"-?(0|[1-9][0-9]*+)(\.[0-9]++)?+([eE][+-]?[0-9]++)?+")
PLAIN = re.compile(r'[^"\\\x00-\x1f]*+')
UNICODE = re.compile(r"\\u[0-9a-fA-F]{4}")
SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
HIGH, LOW = re.compile(r"\\u[dD][89abAB]"), re.compile(r"\\u[dD][c-fC-F][0-9a-fA-F]{2}")  # which make a pair
CUT = re.compile(r"\\u[0-9a-fA-F]{0,3}\Z")  # by the line's end, where it might have gone on
CUT_LOW = re.compile(r"(\\(u([dD]([c-fC-F][0-9a-fA-F]?)?)?)?)?\Z")


class Fault(Exception):
    """The first thing for which a line is no JSON that can be read."""

    def __init__(self, place: int, kind: str = "") -> None:
        super().__init__(f"not JSON ({kind}column {place + 1})")


class TooDeep(Exception):
    """More levels than can be read."""


def unreadable(text: str) -> str | None:
    """Why a line is rejected, or None if it is JSON: then whoever refused it lacked memory.

    What comes first in the line is told. So brackets that are never closed are a fault at the line's end, and nested
    too deeply where the 1025th opens, whatever follows it.

    >>> unreadable('{"id": 1, "x": [1, 2}')
    'not JSON (column 21)'
    >>> unreadable("[" * 1024), unreadable("[" * 1025)
    ('not JSON (column 1025)', 'nested too deeply')
    """
    try:
        check(text)
    except Fault as fault:
        return str(fault)
    except TooDeep:
        return TOO_DEEP
    return None


def unwritable(record: object) -> str | None:
    """Why orjson refuses to write what JSON can hold, or None if it should not.

    >>> unwritable({"id": ["a\\udc80"]})
    'lone surrogate'
    """
    levels, level = 0, [record]
    while level:
        inside: list[object] = []
        for value in level:
            if isinstance(value, str) and not is_text(value):
                return "lone surrogate"
            if isinstance(value, dict):
                inside += value.keys()
                inside += value.values()
            elif isinstance(value, list):
                inside += value
        levels += any(isinstance(value, dict | list) for value in level)
        level = inside
    return TOO_DEEP if levels > DEEPEST_WRITTEN else None


def is_text(value: str) -> bool:
    """Whether UTF-8 has all its characters."""
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def check(text: str) -> None:
    """Raises Fault or TooDeep unless the text is one JSON value."""
    around: list[str] = []  # what will close what is open
    place = blanks(text, 0)
    while True:
        letter = text[place : place + 1]
        if letter in CLOSED_BY:
            around.append(CLOSED_BY[letter])
            if len(around) > DEEPEST:
                raise TooDeep
            place = blanks(text, place + 1)
            if not text.startswith(around[-1], place):
                place = name(text, place) if letter == "{" else place
                continue
        else:
            place = blanks(text, scalar(text, place))
        while around and text.startswith(around[-1], place):
            around.pop()
            place = blanks(text, place + 1)
        if not around:
            break
        if not text.startswith(",", place):
            raise Fault(place)
        comma, place = place, blanks(text, place + 1)
        if text.startswith(around[-1], place):
            raise Fault(comma)
        place = name(text, place) if around[-1] == "}" else place
    if place < len(text):
        raise Fault(place)


def blanks(text: str, place: int) -> int:
    """Where they end."""
    found = BLANKS.match(text, place)
    assert found is not None
    return found.end()


def name(text: str, place: int) -> int:
    """Where the value of a name begins."""
    if not text.startswith('"', place):
        raise Fault(place)
    place = blanks(text, string(text, place))
    if not text.startswith(":", place):
        raise Fault(place)
    return blanks(text, place + 1)


def scalar(text: str, place: int) -> int:
    """Where a string, number or literal ends."""
    letter = text[place : place + 1]
    if letter == '"':
        return string(text, place)
    if letter in LITERALS:
        literal = LITERALS[letter]
        here = text[place : place + len(literal)]
        if here != literal:
            raise Fault(len(text) if literal.startswith(here) else place)
        return place + len(literal)
    return number(text, place)


def number(text: str, place: int) -> int:
    """Where it ends; the fault of one that lacks a digit is where that should be."""
    found = NUMBER.match(text, place)
    if found is None:
        raise Fault(place + text.startswith("-", place))
    integer, fraction, exponent = found.groups()
    end = found.end()
    behind = text[end : end + 1]
    if not (fraction or exponent):
        if integer == "0" and "0" <= behind <= "9":
            raise Fault(end - 1)
        if behind == ".":
            raise Fault(end + 1)
    if behind in ("e", "E") and not exponent:
        raise Fault(end + 2 if text[end + 1 : end + 2] in ("+", "-") else end + 1)
    if abs(float(found.group())) == float("inf"):
        raise Fault(place, "number beyond a double, ")
    return end


def string(text: str, place: int) -> int:
    """Where it ends; the fault of an escape is at its backslash."""
    place += 1
    while True:
        found = PLAIN.match(text, place)
        assert found is not None
        place = found.end()
        if text.startswith('"', place):
            return place + 1
        if not text.startswith("\\", place):
            raise Fault(place)  # a control character, or the end of the line
        place = escape(text, place)


def escape(text: str, place: int) -> int:
    """Where an escape ends, or a pair of them that is one character."""
    letter = text[place + 1 : place + 2]
    if letter != "u":
        if letter and letter in '"\\/bfnrt':
            return place + 2
        raise Fault(place if letter else len(text))
    if not UNICODE.match(text, place):
        raise Fault(len(text) if CUT.match(text, place) else place)
    behind = place + 6
    if not SURROGATE.match(text, place):
        return behind
    high = HIGH.match(text, place)
    if high and LOW.match(text, behind):
        return behind + 6
    if CUT_LOW.match(text, behind):
        raise Fault(len(text))
    if high and text.startswith("\\u", behind) and not UNICODE.match(text, behind):
        raise Fault(place)
    raise Fault(place, "lone surrogate, ")
