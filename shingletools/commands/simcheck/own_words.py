"""The words that only one of two texts has.

If one of the texts is short, they are aligned word by word, and order counts: A beats B is not B beats A. Of long texts
a word is shared if it stands in a run of RUN words that the other text has anywhere, so that blocks may move.
"""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from functools import cached_property
from itertools import compress, starmap
from typing import NamedTuple

from rapidfuzz.distance import Indel

from shingletools.commands.simcheck.spellings import are_spellings, is_number

RUN = 3  # words in a row that are shared, not there by chance
GAP = 8  # shared words in a row, fewer of which do not divide own ones: chance shares that many
SPELLED = 8  # words for each one that may be another spelling: in fewer words, another letter makes another name


class Words:
    """A text's words, and its runs of RUN words."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.words = text.split()

    def __len__(self) -> int:
        return len(self.words)

    def runs_of(self, size: int) -> list[tuple[str, ...]]:
        return list(zip(*(self.words[place:] for place in range(size)), strict=False))

    @cached_property
    def runs(self) -> list[tuple[str, ...]]:
        return self.runs_of(RUN)

    @cached_property
    def run_set(self) -> AbstractSet[tuple[str, ...]]:
        return frozenset(self.runs)


class OwnWords(NamedTuple):
    """The places of words that only one text has, ascending, and these words."""

    places: Sequence[int]
    words: Sequence[str]

    @property
    def longest(self) -> int:
        """Returns the most own words between which fewer than GAP shared ones stand.

        >>> OwnWords([3, 4, 9, 30], "abcd").longest
        3
        """
        longest = count = 0
        last = -GAP
        for place in self.places:
            count = count + 1 if place - last <= GAP else 1
            last, longest = place, max(longest, count)
        return longest

    @property
    def most_repeated(self) -> int:
        """Returns how often the most frequent of the words is there."""
        return max(map(self.words.count, set(self.words)), default=0)

    @property
    def has_number(self) -> bool:
        return any(map(is_number, self.words))


def own_of(words: Sequence[str], places: Sequence[int]) -> OwnWords:
    return OwnWords(places, [words[place] for place in places])


NOTHING = OwnWords((), ())


def aligned(
    a: Words, b: Words, never: AbstractSet[str] = frozenset(), spellings: bool = True
) -> tuple[OwnWords, OwnWords]:
    """Returns the own words of each of two texts: those that a longest common subsequence leaves out.

    Words in `never` do not count. With `spellings`, one word in SPELLED may be another spelling, and words may be
    written together.

    >>> [own.words for own in aligned(Words("12 main street"), Words("13 main street"))]
    [['12'], ['13']]
    >>> [own.words for own in aligned(Words("the health care act"), Words("healthcare act"), frozenset(["the"]))]
    [[], []]
    """
    in_a, in_b = ([place for place, word in enumerate(text.words) if word not in never] for text in (a, b))
    one, other = ([text.words[place] for place in places] for text, places in ((a, in_a), (b, in_b)))
    places_a, places_b = list[int](), list[int]()
    spelled = list[tuple[int, int]]()
    i_end = j_end = 0  # of the last equal words
    for i, j, equal in Indel.editops(one, other).as_matching_blocks():  # the last one is empty, at both ends
        left, right = in_a[i_end:i], in_b[j_end:j]
        between = one[i_end:i], other[j_end:j]
        i_end, j_end = i + equal, j + equal
        if spellings and written_together(*between):
            continue
        if spellings and len(left) == len(right):
            alike = list(starmap(are_spellings, zip(*between, strict=True)))
            spelled += compress(zip(left, right, strict=True), alike)
            left, right = ([at for at, same in zip(side, alike, strict=True) if not same] for side in (left, right))
        places_a += left
        places_b += right
    if len(spelled) * SPELLED > min(len(one), len(other)):
        places_a = sorted([*places_a, *(left for left, _ in spelled)])
        places_b = sorted([*places_b, *(right for _, right in spelled)])
    return own_of(a.words, places_a), own_of(b.words, places_b)


def written_together(one: Sequence[str], other: Sequence[str]) -> bool:
    """Returns whether words differ only in the spaces between them; numbers may not."""
    together = "".join(one)
    return together == "".join(other) and not is_number(together)


def unshared(a: Words, b: Words) -> OwnWords:
    """Returns the words of a that are in no run of RUN words that b has, too; in shorter texts, of all words of one.

    >>> unshared(Words("x a b c d"), Words("a b c q b c d")).words
    ['x']
    """
    size = min(RUN, len(a), len(b))
    runs, others = (a.runs, b.run_set) if size == RUN else (a.runs_of(size), frozenset(b.runs_of(size)))
    if a.text == b.text or not size:
        return NOTHING if size else own_of(a.words, range(len(a)))
    places: list[int] = []
    shared_until = 0  # the end of the last shared run
    for start, run in enumerate(runs):
        if run in others:
            places += range(shared_until, start)
            shared_until = start + size
    places += range(shared_until, len(a))
    return own_of(a.words, places)
