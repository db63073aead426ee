"""JSON that orjson refuses: its value if it is valid, or where it is wrong, found without orjson's messages.

orjson 3.13 says "failed to allocate memory" of some good lines, such as those that begin with { and blanks and hold
many values, and of some lines that end inside many brackets. Its columns are then not those of the fault, and all this
differs between its versions. Python's own parser recurses, to a depth that differs between versions of Python. So this
module has the grammar of RFC 8259 again, without recursion, in time proportional to the line. Values are those of
orjson; columns are those of orjson 3.13 where these are right.
"""

import json
import re
from collections.abc import Callable

from shingletools.system.errors import Rejected

TOO_DEEP = "nested too deeply"
MAX_DEPTH = 1024  # levels of arrays and objects that orjson reads, as its manual says
MAX_WRITTEN_DEPTH = 254  # levels that it writes
CLOSED_BY = {"[": "]", "{": "}"}
LITERALS = {"t": "true", "f": "false", "n": "null"}
BLANKS = re.compile(r"[ \t\n\r]*+")
NUMBER = re.compile(r"-?(0|[1-9][0-9]*+)(\.[0-9]++)?([eE][+-]?[0-9]++)?")
PLAIN = re.compile(r'[^"\\\x00-\x1f]*+')
UNICODE = re.compile(r"\\u[0-9a-fA-F]{4}")
SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
HIGH, LOW = re.compile(r"\\u[dD][89abAB]"), re.compile(r"\\u[dD][c-fC-F][0-9a-fA-F]{2}")  # halves of a surrogate pair
CUT = re.compile(r"\\u[0-9a-fA-F]{0,3}\Z")  # an escape that the line's end cuts off
CUT_LOW = re.compile(r"(\\(u([dD]([c-fC-F][0-9a-fA-F]?)?)?)?)?\Z")
INTEGERS = range(-(1 << 63), 1 << 64)  # all others are read as doubles


class JsonFault(Exception):
    """The first fault of a line that is not JSON, or that cannot be read."""

    def __init__(self, place: int, kind: str = "") -> None:
        super().__init__(f"not JSON ({kind}column {place + 1})")


class TooDeep(Exception):
    """The text has more levels of brackets than can be read."""


def read(text: str) -> object:
    """Returns the value of a JSON text. Raises Rejected, and MemoryError.

    The first fault in the line is reported. So brackets that are never closed are a fault at the line's end, and text
    that is nested too deeply is a fault where the 1025th bracket opens, whatever follows it.

    >>> read('{"id": 1, "x": [1, 2.0, -18446744073709551616], "id": "\\u00e9"}')
    {'id': 'é', 'x': [1, 2.0, -1.8446744073709552e+19]}
    >>> read('{"id": 1, "x": [1, 2}')
    Traceback (most recent call last):
    shingletools.system.errors.Rejected: not JSON (column 21)
    """
    try:
        return parsed(text)
    except JsonFault as fault:
        raise Rejected(str(fault)) from None
    except TooDeep:
        raise Rejected(TOO_DEEP) from None


def unwritable(record: object) -> str | None:
    """Returns why orjson refuses to write a value that JSON can hold; None if it should not refuse.

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
    return TOO_DEEP if levels > MAX_WRITTEN_DEPTH else None


def is_utf8(line: bytes) -> bool:
    """Returns whether a line is valid UTF-8."""
    try:
        line.decode()
    except UnicodeDecodeError:
        return False
    return True


def is_text(value: str) -> bool:
    """Returns whether UTF-8 can encode all characters, so none is a lone surrogate."""
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def parsed(text: str, value_of: Callable[[str], object] | None = None) -> object:
    """Returns the value of the text. Raises JsonFault or TooDeep unless the text is one JSON value.

    value_of: returns the value of a string, number or literal; by default that of orjson.
    """
    closer, inside = "", list[object]()  # of the innermost open bracket: what closes it, and its values; names, too
    around = []  # closer and values of each bracket around it
    place = skip_blanks(text, 0)
    while True:
        letter = text[place : place + 1]
        if letter in CLOSED_BY:
            around.append((closer, inside))
            if len(around) > MAX_DEPTH:
                raise TooDeep
            closer, inside = CLOSED_BY[letter], []
            place = skip_blanks(text, place + 1)
            if not text.startswith(closer, place):
                place = skip_name(text, place, inside) if letter == "{" else place
                continue
        else:
            end = scalar_end(text, place)
            inside.append((value_of or value_in)(text[place:end]))
            place = skip_blanks(text, end)
        while around and text.startswith(closer, place):
            value = inside if closer == "]" else dict(zip(inside[::2], inside[1::2], strict=True))
            closer, inside = around.pop()
            inside.append(value)
            place = skip_blanks(text, place + 1)
        if not around:
            break
        if not text.startswith(",", place):
            raise JsonFault(place)
        comma, place = place, skip_blanks(text, place + 1)
        if text.startswith(closer, place):
            raise JsonFault(comma)
        place = skip_name(text, place, inside) if closer == "}" else place
    if place < len(text):
        raise JsonFault(place)
    return inside[0]


def value_in(text: str) -> object:
    """Returns the value of a string, number or literal."""
    value = json.loads(text)
    return float(value) if type(value) is int and value not in INTEGERS else value


def skip_blanks(text: str, place: int) -> int:
    """Returns where the white space at this place ends."""
    found = BLANKS.match(text, place)
    assert found is not None
    return found.end()


def skip_name(text: str, place: int, inside: list[object]) -> int:
    """Appends the name of an object's member to `inside`, and returns where its value begins. Raises JsonFault."""
    if not text.startswith('"', place):
        raise JsonFault(place)
    end = string_end(text, place)
    inside.append(value_in(text[place:end]))
    place = skip_blanks(text, end)
    if not text.startswith(":", place):
        raise JsonFault(place)
    return skip_blanks(text, place + 1)


def scalar_end(text: str, place: int) -> int:
    """Returns where a string, number or literal ends. Raises JsonFault."""
    letter = text[place : place + 1]
    if letter == '"':
        return string_end(text, place)
    if letter in LITERALS:
        literal = LITERALS[letter]
        here = text[place : place + len(literal)]
        if here != literal:
            raise JsonFault(len(text) if literal.startswith(here) else place)
        return place + len(literal)
    return number_end(text, place)


def number_end(text: str, place: int) -> int:
    """Returns where a number ends. Raises JsonFault; a missing digit is a fault at its place."""
    found = NUMBER.match(text, place)
    if found is None:
        raise JsonFault(place + text.startswith("-", place))
    integer, fraction, exponent = found.groups()
    end = found.end()
    behind = text[end : end + 1]
    if not (fraction or exponent):
        if integer == "0" and "0" <= behind <= "9":
            raise JsonFault(end - 1)
        if behind == ".":
            raise JsonFault(end + 1)
    if behind in ("e", "E") and not exponent:
        raise JsonFault(end + 2 if text[end + 1 : end + 2] in ("+", "-") else end + 1)
    if abs(float(found.group())) == float("inf"):
        raise JsonFault(place, "number beyond a double, ")
    return end


def string_end(text: str, place: int) -> int:
    """Returns where a string ends. Raises JsonFault; a bad escape is a fault at its backslash."""
    place += 1
    while True:
        found = PLAIN.match(text, place)
        assert found is not None
        place = found.end()
        if text.startswith('"', place):
            return place + 1
        if not text.startswith("\\", place):
            raise JsonFault(place)  # a control character, or the end of the line
        place = escape_end(text, place)


def escape_end(text: str, place: int) -> int:
    """Returns where an escape ends, or a pair of escapes that is one character. Raises JsonFault."""
    letter = text[place + 1 : place + 2]
    if letter != "u":
        if letter and letter in '"\\/bfnrt':
            return place + 2
        raise JsonFault(place if letter else len(text))
    if not UNICODE.match(text, place):
        raise JsonFault(len(text) if CUT.match(text, place) else place)
    behind = place + 6
    if not SURROGATE.match(text, place):
        return behind
    high = HIGH.match(text, place)
    if high and LOW.match(text, behind):
        return behind + 6
    if CUT_LOW.match(text, behind):
        raise JsonFault(len(text))
    if high and text.startswith("\\u", behind) and not UNICODE.match(text, behind):
        raise JsonFault(place)
    raise JsonFault(place, "lone surrogate, ")
