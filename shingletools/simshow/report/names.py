"""Ids as the page shows them: bare, or as JSON where another would look the same."""

import re
from collections import Counter
from collections.abc import Sequence

import orjson

from shingletools.simshow.documents import Name

Key = tuple[int, Name]  # a document: its side, 1 only of b where ids of b are others, and its id

OTHERS = " (--against)"  # behind ids of b, where those may be ids of others in a

HIDDEN = re.compile(r"(?<=\s)\s|[^\S ]")


def names(keys: Sequence[Key]) -> list[str]:
    """What to show for each: no two different ones look alike, and none is blank.

    As JSON stand those that are spelled as others are, and those of which a browser would not show every blank.

    >>> names([(0, 1), (0, "1"), (0, "x"), (1, "x"), (0, ""), (0, "y ")])
    ['1', '"1"', 'x', 'x (--against)', '""', '"y "']
    """
    alike = Counter(bare(key) for key in set(keys))
    return [bare(key) if is_plain(bare(key)) and alike[bare(key)] == 1 else as_json(key) for key in keys]


def bare(key: Key) -> str:
    side, name = key
    return f"{name}{OTHERS if side else ''}"


def as_json(key: Key) -> str:
    """What takes most room, too; white space that a browser drops, or shows like a blank, is escaped."""
    side, name = key
    spelled = HIDDEN.sub(lambda found: f"\\u{ord(found[0]):04x}", orjson.dumps(name).decode())
    return f"{spelled}{OTHERS if side else ''}"


def is_plain(name: str) -> bool:
    """Whether it shows all that it is, and is nothing that `as_json` makes."""
    return name != "" and not name.startswith('"') and " ".join(name.split()) == name
