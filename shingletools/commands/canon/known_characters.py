"""The characters that canonization knows: those of Unicode 14.0, the version of Python 3.11.

Unicode promises that the normalization and case folding of an assigned character never change. But a newer Python
knows characters that an older one does not. So that every Python gives the same bytes, a character newer than 14.0 is
neither folded nor dropped: it is a word of its own.
"""

from bisect import bisect_right
from functools import cache


@cache
def _bounds() -> list[int]:
    """Returns the begins and ends of ranges of unassigned code points, alternately, ascending."""
    import pkgutil  # imported late, since ASCII does not need it

    bounds = []
    data = pkgutil.get_data("shingletools.commands.canon", "unassigned.txt")  # the package may be in a zip file
    assert data is not None
    for line in data.decode("ascii").splitlines():
        if not line.startswith("#"):
            for stretch in line.split():
                first, _, last = stretch.partition("-")
                bounds += [int(first, 16), int(last or first, 16) + 1]
    return bounds


_known: set[str] = set()  # characters that were looked up and are in Unicode 14.0


def part_later(text: str) -> str:
    """Returns the text with spaces around each character newer than Unicode 14.0; the same object if there is none.

    >>> part_later("a\\U0001FADDb"), part_later("abc")
    ('a \\U0001fadd b', 'abc')
    """
    if _known.issuperset(text):
        return text
    unknown = set(text) - _known
    later = {character for character in unknown if is_later(character)}
    _known.update(unknown - later)
    return text.translate({ord(character): f" {character} " for character in later}) if later else text


def is_later(character: str) -> bool:
    """Returns whether a character is newer than Unicode 14.0: it is not assigned there, and no noncharacter.

    >>> is_later("\\U0001FADD"), is_later("\\U0001F9C0"), is_later("\\uffff")
    (True, False, False)
    """
    return not character.isascii() and bisect_right(_bounds(), ord(character)) % 2 == 1
