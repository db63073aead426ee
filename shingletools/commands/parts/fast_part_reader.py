"""Reads parts as `parts` writes them, without an object for each. part_joining.py has the definition."""

import re
from typing import NamedTuple

# Strings that orjson would write the same way, since they are copied. The caller checks that they are UTF-8
TEXT = rb'(?:[^"\\\x00-\x1f]++|\\["\\bfnrt]|\\u000[0-7bef]|\\u001[0-9a-f])*+'
PLAIN = rb'"[^"\\\x00-\x1f]*+"'
NUMBER = rb"(?:0|[1-9][0-9]{0,17})"


class OrdinaryPart(NamedTuple):
    """A part; its texts are JSON without the quotes."""

    of: bytes  # as JSON
    number: int
    before: bytes
    text: bytes
    behind: bytes | None
    rest: bytes  # of the line, from where carried fields may begin; it is not checked


class OrdinaryParts:
    """Reads parts. The names of their id and text are given as JSON without the quotes, and have no backslashes."""

    def __init__(self, id_name: bytes, text_name: bytes) -> None:
        self.pattern = re.compile(
            rb'\{"%b":(?:"%b"|-?%b),"of":(%b|0|-?[1-9][0-9]{0,17}),"part":([1-9][0-9]{0,17}),"place":\[%b,%b\],'
            rb'"before":"(%b)","%b":"(%b)"(?:,"behind":"(%b)"|(?!,"behind":"))([,}].*)'
            % (re.escape(id_name), TEXT, NUMBER, PLAIN, NUMBER, NUMBER, TEXT, re.escape(text_name), TEXT, TEXT),
            re.DOTALL,
        )

    def __call__(self, line: bytes) -> OrdinaryPart | None:
        """Returns the part on a line; None for a line that looks different."""
        found = self.pattern.fullmatch(line)
        if found is None or not (line.isascii() or is_utf8(line)):
            return None
        of, number, before, text, behind, rest = found.groups()
        return OrdinaryPart(of, int(number), before, text, behind, rest)


def is_utf8(line: bytes) -> bool:
    try:
        line.decode()
    except UnicodeDecodeError:
        return False
    return True
