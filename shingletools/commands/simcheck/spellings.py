"""Whether titles differ in spellings only. Of two records of a paper, places and identifiers agree, too."""

from collections.abc import Sequence
from itertools import pairwise

from rapidfuzz.distance import OSA

from shingletools.commands.simcheck.text_numbers import is_number
from shingletools.kernel.own_words import matched

SPELLED = 8  # words for each one that may be another spelling: in fewer words, another letter makes another name
LEAST_LETTERS = 5  # of a word that may have a typing error: in shorter ones another letter makes another word
LEAST_STEM = 4  # letters before the ending of a plural
ENDINGS = ("s", "es")


def are_spelled_alike(one: Sequence[str], other: Sequence[str]) -> bool:
    """Returns whether words are equal but for blanks between them, and another spelling of one word in SPELLED.

    >>> are_spelled_alike(["health", "care"], ["healthcare"]), are_spelled_alike(["house"], ["houses"])
    (True, False)
    """
    vocabulary = sorted({*one, *other})
    numbers = {word: at for at, word in enumerate(vocabulary)}
    left, right = ([numbers[word] for word in words] for words in (one, other))
    spelled = 0
    for (i, j), (i_end, j_end) in pairwise([(-1, -1), *matched(left, right, vocabulary), (len(one), len(other))]):
        gaps = one[i + 1 : i_end], other[j + 1 : j_end]
        if any(map(is_number, (*gaps[0], *gaps[1]))):
            return False
        if "".join(gaps[0]) == "".join(gaps[1]):
            continue
        if len(gaps[0]) != len(gaps[1]) or not all(map(are_spellings, *gaps)):
            return False
        spelled += len(gaps[0])
    return spelled * SPELLED <= min(len(one), len(other))


def are_spellings(one: str, other: str) -> bool:
    """Returns whether words without digits differ by one typing error, or by the ending of an English plural.

    A typing error is a letter too many, too few, or another one, or two that changed places (optimal string alignment).
    It is not in the first letter, where people rarely err, and where prefixes stand that tell: increase and decrease.

    >>> are_spellings("recieve", "receive"), are_spellings("cat", "cut"), are_spellings("male", "female")
    (True, False, False)
    >>> are_spellings("house", "houses"), are_spellings("new", "news"), are_spellings("hypertension", "hypotension")
    (True, False, False)
    """
    if one[0] != other[0]:
        return False
    short, long = sorted((one, other), key=len)
    if len(short) >= LEAST_STEM and long.removeprefix(short) in ENDINGS:
        return True
    return len(short) >= LEAST_LETTERS and OSA.distance(one, other) == 1
