"""Ids as the page shows them: bare, or as JSON if two would look the same."""

import re
from collections import Counter
from collections.abc import Sequence

import orjson

from shingletools.commands.simshow.documents import Name

Key = tuple[int, Name]  # a document: its side and its id; the side is 1 only for b with documents of its own

OTHERS = " (--against)"  # after ids of b if equal ids in a are of other documents

HIDDEN = re.compile(r"(?<=\s)\s|[^\S ]")


def names(keys: Sequence[Key]) -> list[str]:
    """Returns a distinct name for each document; none is blank.

    Ids are shown as JSON if they are spelled as others are, or have blanks that a browser would not show. Invisible
    characters stay: the page shows most of them by their numbers.

    >>> names([(0, 1), (0, "1"), (0, "x"), (1, "x"), (0, ""), (0, "y ")])
    ['1', '"1"', 'x', 'x (--against)', '""', '"y "']
    """
    alike = Counter(bare(key) for key in set(keys))
    return [bare(key) if is_plain(bare(key)) and alike[bare(key)] == 1 else as_json(key) for key in keys]


def bare(key: Key) -> str:
    side, name = key
    return f"{name}{OTHERS if side else ''}"


def as_json(key: Key) -> str:
    """Returns the id as JSON, which is longest; white space that a browser drops, or shows like a blank, is escaped."""
    side, name = key
    spelled = HIDDEN.sub(lambda match: f"\\u{ord(match[0]):04x}", orjson.dumps(name).decode())
    return f"{spelled}{OTHERS if side else ''}"


def is_plain(name: str) -> bool:
    """Returns whether a browser shows all of a name, and `as_json` cannot make it."""
    return name != "" and not name.startswith('"') and " ".join(name.split()) == name
