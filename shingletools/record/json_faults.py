"""JSON that orjson refuses: its value if it is valid, or where it is wrong, as Python's own parser finds it.

orjson 3.13 says "failed to allocate memory" of some good lines, such as those that begin with { and blanks and hold
many values, and of some lines that end inside many brackets. Its columns are then not those of the fault, and all this
differs between its versions.
"""

import json
import math
from typing import NoReturn

from shingletools.system.errors import Rejected

TOO_DEEP = "nested too deeply"
MAX_DEPTH = 1024  # levels of arrays and objects that orjson reads, as its manual says
MAX_WRITTEN_DEPTH = 254  # levels that it writes
INTEGERS = range(-(1 << 63), 1 << 64)  # all others are read as doubles
MAX_DIGITS = 20  # of these, with the sign


def read(text: str) -> object:
    """Returns the value of a JSON text, as orjson has it. Raises Rejected, and MemoryError.

    >>> read('{"id": 1, "x": [1, 2.0, -18446744073709551616], "id": "\\u00e9"}')
    {'id': 'é', 'x': [1, 2.0, -1.8446744073709552e+19]}
    >>> read('{"id": 1, "x": [1, 2}')
    Traceback (most recent call last):
    shingletools.system.errors.Rejected: not JSON (column 21)
    """
    try:
        value: object = json.loads(text, parse_int=whole, parse_float=real, parse_constant=refused)
    except json.JSONDecodeError as error:
        raise Rejected(f"not JSON (column {error.pos + 1})") from None
    except RecursionError:  # where that is, differs between versions of Python
        raise Rejected(TOO_DEEP) from None
    every = json.loads(text, object_pairs_hook=lambda members: [part for member in members for part in member])
    if cause := fault_in(every, MAX_DEPTH):  # also in members that later ones of their name replace
        raise Rejected(cause if cause == TOO_DEEP else f"not JSON ({cause})")
    return value


def whole(digits: str) -> int | float:
    value = real(digits)
    return int(digits) if len(digits) <= MAX_DIGITS and int(digits) in INTEGERS else value


def real(digits: str) -> float:
    value = float(digits)
    if math.isinf(value):
        raise Rejected("not JSON (number beyond a double)")
    return value


def refused(name: str) -> NoReturn:
    raise Rejected(f"not JSON ({name}: write null)")


def unwritable(record: object) -> str | None:
    """Returns why orjson refuses to write a value that JSON can hold; None if it should not refuse.

    >>> unwritable({"id": ["a\\udc80"]})
    'lone surrogate'
    """
    return fault_in(record, MAX_WRITTEN_DEPTH)


def fault_in(record: object, most: int) -> str | None:
    """Returns "lone surrogate", TOO_DEEP for more than so many levels, or None."""
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
    return TOO_DEEP if levels > most else None


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
