"""The characters that canonization is defined on: those of Unicode 14.0, the version of Python 3.11.

Unicode promises that the normalization and the case folding of an assigned character never change, but a character
that one Python knows is a blank to the one before. So that every Python gives the same bytes, a character that came
after 14.0 is neither folded nor dropped: it is a word alone.
"""

from bisect import bisect_right
from functools import cache


@cache
def _bounds() -> list[int]:
    """Where stretches of unassigned code points begin and end, in turn, ascending."""
    import pkgutil  # which ASCII does not need

    bounds = []
    data = pkgutil.get_data("shingletools.canon", "unassigned.txt")  # which may be in an archive
    assert data is not None
    for line in data.decode("ascii").splitlines():
        if not line.startswith("#"):
            for stretch in line.split():
                first, _, last = stretch.partition("-")
                bounds += [int(first, 16), int(last or first, 16) + 1]
    return bounds


_known: set[str] = set()  # characters looked up before, at most all of Unicode 14.0


def part_later(text: str) -> str:
    """The text with spaces around each character later than Unicode 14.0; the very same text if there is none.

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
    """Whether Unicode 14.0 has no such character, nor promises that there never will be one.

    >>> is_later("\\U0001FADD"), is_later("\\U0001F9C0"), is_later("\\uffff")
    (True, False, False)
    """
    return not character.isascii() and bisect_right(_bounds(), ord(character)) % 2 == 1
