"""Which side of a pair the other covers: a text is covered if it has nothing of its own beside the other.

A short text is covered only by one with the same words: there every word may tell, also one that the other adds, such
as Erratum, not or 2. A long one may have a few words of its own, such as a date or a counter, if they do not stand
together, do not come again, and if neither text has a number of its own where it is of middle length: 5 in place of -5
has nothing of its own, but is no copy.

Three answers, as in record linkage (Fellegi and Sunter 1969): copy, doubtful, different.
"""

from math import floor
from typing import NamedTuple

import numpy as np

from shingletools.commands.simcheck.spec import CoverRules
from shingletools.kernel.own_words import OwnWords
from shingletools.kernel.types import Index

COPY, DOUBTFUL, DIFFERENT = "copy", "doubtful", "different"
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


def verdicts(own: OwnWords, sizes: Index, rules: CoverRules) -> Index:
    """Returns the number of each pair's verdict. sizes: words of each text. Shapes: (pairs, 2), (pairs,)."""
    words = own["words"].astype(np.int64)
    several, which = np.unique(sizes.ravel(), return_inverse=True)
    most = np.array([floor(rules.share * size) for size in several.tolist()], np.int64)[which].reshape(sizes.shape)
    numbers = own["number"] > 0
    few = (own["run"] <= rules.longest) & (words <= most) & (own["repeated"] == 0)
    covered = np.where(
        sizes <= rules.short,
        words.sum(axis=1, keepdims=True) == 0,
        few & ~(numbers.any(axis=1, keepdims=True) & (sizes <= rules.numbers)),
    )
    unlike = (ALIKE * words > sizes).all(axis=1) | (numbers.all(axis=1) & (sizes.min(axis=1) <= rules.numbers))
    return np.select([covered.all(axis=1), *covered.T, unlike], range(DOUBT), DOUBT)
