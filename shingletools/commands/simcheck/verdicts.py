"""Which side of a pair the other covers: a text is covered if it has nothing of its own beside the other.

A short text is covered only by one with the same words: there every word may tell, also one that the other adds, such
as Erratum, not or 2. A long one may have a few words of its own, such as a date or a counter, if they do not stand
together, do not come again, and are no numbers in a text of middle length.

Three answers, as in record linkage (Fellegi and Sunter 1969): copy, doubtful, different.
"""

from fractions import Fraction
from typing import NamedTuple

from shingletools.commands.simcheck.own_words import NOTHING, OwnWords, Words, aligned, own_of, unshared
from shingletools.commands.simcheck.spec import CoverRules
from shingletools.commands.simcheck.spellings import is_number

A, B, BOTH, NONE = "a", "b", "both", "none"
COPY, DOUBTFUL, DIFFERENT = "copy", "doubtful", "different"
MOST_REPEATED = 1  # places of one own word: a text that names it again is about it
ALIKE = Fraction(1, 4)  # of a text: if each side has more than that of its own, they are different


class Verdict(NamedTuple):
    """What each side has of its own, and what follows."""

    a: OwnWords
    b: OwnWords
    covers: str  # the side that the other one covers: A, B, BOTH or NONE
    answer: str  # COPY, DOUBTFUL or DIFFERENT


SAME = Verdict(NOTHING, NOTHING, BOTH, COPY)


def verdict(a: Words, b: Words, rules: CoverRules) -> Verdict:
    """Compares two texts that have words.

    >>> verdict(Words("the same text"), Words("same text"), CoverRules(never=frozenset(["the"]))).covers
    'both'
    >>> verdict(Words("flat 12"), Words("flat 13"), CoverRules())[2:]
    ('none', 'different')
    """
    if a.text == b.text:
        return SAME
    if min(len(a), len(b)) <= rules.short:
        own_a, own_b = aligned(a, b, rules.never, rules.spellings)
        if not rules.numbers:
            own_a, own_b = without_numbers(own_a, a), without_numbers(own_b, b)
    else:
        own_a, own_b = unshared(a, b), unshared(b, a)
    of_a, of_b = is_covered(a, own_a, own_b, rules), is_covered(b, own_b, own_a, rules)
    if of_a or of_b:
        return Verdict(own_a, own_b, BOTH if of_a and of_b else A if of_a else B, COPY)
    numbers = min(len(a), len(b)) <= rules.numbers and own_a.has_number and own_b.has_number
    unlike = min(Fraction(len(own_a.words), len(a)), Fraction(len(own_b.words), len(b))) > ALIKE
    return Verdict(own_a, own_b, NONE, DIFFERENT if numbers or unlike else DOUBTFUL)


def is_covered(text: Words, own: OwnWords, others: OwnWords, rules: CoverRules) -> bool:
    """Returns whether a text has nothing of its own. others: what the other text has."""
    if len(text) <= rules.short:
        return not own.words and not others.words
    return (
        own.longest <= rules.longest
        and len(own.words) <= rules.share * len(text)
        and own.most_repeated <= MOST_REPEATED
        and not (len(text) <= rules.numbers and own.has_number)
    )


def without_numbers(own: OwnWords, text: Words) -> OwnWords:
    return own_of(text.words, [place for place in own.places if not is_number(text.words[place])])
