"""JSON that orjson refuses: its value if it is valid, or where it is wrong, as Python's own parser finds it."""

import json
import math
import re
from itertools import accumulate, chain
from typing import NoReturn

from shingletools.system.errors import Rejected

# Whether a line is good must not depend on orjson's version, and its messages differ between versions: 3.13 says
# "failed to allocate memory" of some good lines, such as those that begin with { and blanks and hold many values, and
# of some that end inside many brackets. So what it refuses is read again, and judged by the rest of this module.
SURROGATE, TOO_DEEP = "lone surrogate", "nested too deeply"
MAX_DEPTH = 1024  # levels of arrays and objects that orjson reads, as its manual says
INTEGERS = range(-(1 << 63), 1 << 64)  # all others are read as doubles
MAX_DIGITS = 20  # of these, with the sign
NO_BRACKETS = re.compile(r'"(?:[^"\\]++|\\.)*+"|[^\[\]{}"]++')


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
        # Members that later ones of their name replace must be good, too
        if has_surrogate(json.loads(text, object_pairs_hook=lambda members: [*chain(*members)])):
            raise Rejected(f"not JSON ({SURROGATE})")
    except json.JSONDecodeError as error:
        raise Rejected(f"not JSON (column {error.pos + 1})") from None
    except RecursionError:  # where that is, differs between versions of Python
        raise Rejected(TOO_DEEP) from None
    if max(accumulate(1 if bracket in "[{" else -1 for bracket in NO_BRACKETS.sub("", text)), default=0) > MAX_DEPTH:
        raise Rejected(TOO_DEEP)
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


def unwritable(value: object) -> str:
    """Returns why orjson refuses to write a value. Raises TypeError if JSON cannot hold it, which is a bug of ours.

    >>> unwritable({"id": ["a\\udc80"]})
    'lone surrogate'
    """
    try:
        return SURROGATE if has_surrogate(value) else TOO_DEEP  # orjson writes 254 levels
    except RecursionError:
        return TOO_DEEP


def has_surrogate(value: object) -> bool:
    """Returns whether a string in a value is not UTF-8. Raises TypeError if JSON cannot hold it, and RecursionError."""
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return True
    return False
