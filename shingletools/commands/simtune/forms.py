"""Forms of a join, each a way to make shingles and a measure of their similarity, as values and as options."""

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from shingletools.numbers.exact_ratios import as_option
from shingletools.running.recipes import WORDS_IN_COMMON

JACCARD, CONTAINMENT = "jaccard", "containment"  # measures
COSINE = "cosine"  # of shingles that weigh by how rare they are
USUAL_WORDS = 1  # in a shingle of what `unique` joins
USUAL_THRESHOLD = Fraction(WORDS_IN_COMMON[2])


class ShingleUnits(NamedTuple):
    """The units of shingles: k words, or k characters of the whole text or of each word."""

    k: int
    chars: bool = False
    of_words: bool = False  # characters of each word

    @property
    def options(self) -> str:
        """Returns the options of shingle.

        >>> ShingleUnits(5, chars=True).options, ShingleUnits(3, chars=True, of_words=True).options
        ('--chars -k 5', '--word-chars -k 3')
        """
        return f"{'--word-chars ' if self.of_words else '--chars ' if self.chars else ''}-k {self.k}"


class JoinForm(NamedTuple):
    """A way to make shingles, a measure, and which partners of a document make pairs with it."""

    units: ShingleUnits
    measure: str = JACCARD
    best: bool = False  # whether a document of the input makes a pair only with its best partner

    def join(self, threshold: Fraction | None) -> str:
        """Returns the options of simjoin; without a threshold, the others.

        >>> JoinForm(ShingleUnits(1), COSINE, best=True).join(Fraction(1, 2))
        '--weights counted --measure cosine -t 0.5 --best 1'
        """
        options = {
            "--weights counted": self.measure == COSINE,
            f"--measure {self.measure}": self.measure != JACCARD,
            f"-t {as_option(threshold or USUAL_THRESHOLD)}": threshold is not None,
            "--best 1": self.best,
        }
        return " ".join(option for option, given in options.items() if given)


WORD_CHARACTERS = ShingleUnits(3, chars=True, of_words=True)
FORMS = (
    JoinForm(ShingleUnits(1), COSINE),
    JoinForm(WORD_CHARACTERS, COSINE),
    JoinForm(ShingleUnits(5, chars=True)),
    JoinForm(ShingleUnits(USUAL_WORDS)),
)
# Without labels, each form more is one more that may take relatives for copies; and of short texts, containment has few
# values, between which chance is not seen
FORMS_BY_LABELS = (
    *(JoinForm(ShingleUnits(k)) for k in (2, 3, 5, 10)),
    *(JoinForm(ShingleUnits(k, chars=True)) for k in (3, 4)),
    *(JoinForm(units, CONTAINMENT) for units in (ShingleUnits(1), ShingleUnits(2), WORD_CHARACTERS)),
)


def forms(words: Sequence[int] | None, two_sided: bool, by_labels: bool = False) -> list[JoinForm]:
    """Returns the forms to try: runs of so many words, or all; at USUAL_THRESHOLD, the last one is what is usual.

    two_sided: documents of one table look for their best partner in the other. by_labels: labels can choose.
    """
    without_labels = FORMS if words is None else [JoinForm(ShingleUnits(k)) for k in words]
    more = FORMS_BY_LABELS if by_labels and words is None else ()
    *others, usual = (form._replace(best=two_sided) for form in without_labels)
    return [*others, *more, usual]
