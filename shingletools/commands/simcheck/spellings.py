"""Whether two words are spellings of one word."""

from rapidfuzz.distance import OSA

LEAST_LETTERS = 5  # of a word that may have a typing error: in shorter ones another letter makes another word
LEAST_STEM = 4  # letters before the ending of a plural
ENDINGS = ("s", "es")


def is_number(word: str) -> bool:
    """Returns whether a word has a digit, of any script, so that it is never a spelling of another.

    >>> is_number("12a"), is_number("XII"), is_number("٣")
    (True, False, True)
    """
    return not word.isalpha() and any(map(str.isnumeric, word))


def are_spellings(one: str, other: str) -> bool:
    """Returns whether words without digits differ by one typing error, or by the ending of an English plural.

    A typing error is a letter too many, too few, or another one, or two that changed places (optimal string alignment).
    It is not in the first letter, where people rarely err, and where prefixes stand that tell: increase and decrease.

    >>> are_spellings("recieve", "receive"), are_spellings("cat", "cut"), are_spellings("male", "female")
    (True, False, False)
    >>> are_spellings("house", "houses"), are_spellings("new", "news"), are_spellings("hypertension", "hypotension")
    (True, False, False)
    """
    if one[0] != other[0] or is_number(one) or is_number(other):
        return False
    short, long = sorted((one, other), key=len)
    if len(short) >= LEAST_STEM and long.removeprefix(short) in ENDINGS:
        return True
    return len(short) >= LEAST_LETTERS and OSA.distance(short, long, score_cutoff=1) <= 1
