"""Which side of a pair the other covers: a text is covered if it has nothing of its own beside the other.

In doubt, it is not. Each word may tell: another one, as in Part 2 or Dr Moller; one that only the other text has, as
Erratum or not; and where it stands. Of texts of 60 to 300 words that stand in another one, nearly all tell something by
what is missing, such as descriptions of a program and of its manual. Only around longer texts may be what pages have.

Three answers, as in record linkage (Fellegi and Sunter 1969): copy, doubtful, different.
"""

from typing import NamedTuple

import numpy as np

from shingletools.kernel.own_words import OwnWords
from shingletools.kernel.types import Flags, Index

ANSWERS = COPY, DOUBTFUL, DIFFERENT = "copy", "doubtful", "different"
SHORT = 60  # words of a text that is compared word by word; they need so little time
ARTICLES_TELL = 4  # words: in fewer, an article tells, too: The Who
QUOTED = 300  # words of a text that the other may have beside some of its own
BESIDE = 10  # words of it for each of these
NUMBERS_TELL = 100  # words: in a text of so many, each number
ALIKE = 4  # words of a text for each own one: if each side has more own ones, they are different


class Verdict(NamedTuple):
    """What follows from what each side has of its own."""

    covers: str  # the side that the other one covers: a, b, both or none
    answer: str


VERDICTS = (
    Verdict("both", COPY),
    Verdict("a", COPY),
    Verdict("b", COPY),
    Verdict("none", DIFFERENT),
    Verdict("none", DOUBTFUL),
)
UNLIKE, DOUBT = 3, 4  # the numbers of the last two


def stands_in(text: bytes, other: bytes, size: int, of_other: int) -> bool:
    """Returns whether a text is the other one, or a long one most of it. Texts are words between single blanks.

    >>> stands_in(b"a b", b"a b", 2, 2), stands_in(b"a b", b"a b c", 2, 3)
    (True, False)
    """
    if size <= QUOTED or (of_other - size) * BESIDE > size:
        return text == other
    return b" %b " % text in b" %b " % other


def verdicts(own: OwnWords, sizes: Index, quoted: Flags) -> Index:
    """Returns the number of each pair's verdict.

    sizes: words of each text; quoted: whether a long one stands in the other. Shapes: (pairs, 2), (pairs,).
    """
    words = own["words"].astype(np.int64)
    least = sizes.min(axis=1)
    same = (words.sum(axis=1) == 0) & ((least >= ARTICLES_TELL) | (sizes[:, 0] == sizes[:, 1]))
    covered = np.where((least <= SHORT)[:, None], same[:, None], quoted)
    unlike = (ALIKE * words > sizes).all(axis=1) | ((own["number"] > 0).all(axis=1) & (least <= NUMBERS_TELL))
    return np.select([covered.all(axis=1), *covered.T, unlike], range(DOUBT), DOUBT)
