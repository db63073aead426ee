"""Places of passages as a browser counts them: in units of UTF-16; a character beyond U+FFFF has two."""

import re
from bisect import bisect_left

from shingletools.commands.simshow.passages import Passage

TWO = re.compile("[\U00010000-\U0010ffff]")
KINDS = {"equal": 0, "a": 1, "b": 2}

Numbers = list[object]


class Units:
    """Places in a text: code points in, units of UTF-16 out.

    >>> [Units("a🙂b")(place) for place in range(4)]
    [0, 1, 3, 4]
    """

    def __init__(self, text: str) -> None:
        self.wide = [] if text.isascii() else [match.start() for match in TWO.finditer(text)]

    def __call__(self, place: int) -> int:
        return place + bisect_left(self.wide, place)


def packed(passages: tuple[Passage, ...], a: Units, b: Units) -> list[Numbers]:
    """Returns passages as the page reads them: lists of numbers, shape (passages, 6).

    Each is [start in a, end, start in b, end, equal words, pieces], a piece [kind, start in a, end, start in b, end,
    words, 1 if it is template].
    """
    return [
        [
            *(a(passage.a[0]), a(passage.a[1]), b(passage.b[0]), b(passage.b[1]), passage.words),
            [
                [KINDS[piece.kind], *map(a, piece.a), *map(b, piece.b), piece.words, int(piece.template)]
                for piece in passage.pieces
            ],
        ]
        for passage in passages
    ]
