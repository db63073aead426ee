"""Runs of words in a text: from and to, in words, half open."""

from collections.abc import Iterable, Iterator
from itertools import pairwise

Span = tuple[int, int]


def joined(spans: Iterable[Span], k: int) -> list[Span]:
    """Joins spans to runs of which any k consecutive words are in one of the spans. Spans may be shorter.

    >>> joined([(0, 4), (2, 6), (5, 9)], 3), joined([(0, 4), (4, 8)], 1), joined([(0, 2), (0, 9), (3, 4)], 5)
    ([(0, 6), (5, 9)], [(0, 8)], [(0, 9)])
    """
    runs: list[Span] = []
    for first, last in sorted(spans, key=lambda span: (span[0], -span[1])):
        if runs and (last <= runs[-1][1] or (first <= runs[-1][1] - k + 1 and last - first >= k)):
            runs[-1] = runs[-1][0], max(runs[-1][1], last)
        else:
            runs.append((first, last))
    return runs


def covered(spans: Iterable[Span]) -> list[Span]:
    """Joins spans that overlap or touch.

    >>> covered([(0, 4), (2, 6), (6, 7), (9, 10)])
    [(0, 7), (9, 10)]
    """
    return joined(spans, 1)


def words_in(spans: Iterable[Span]) -> int:
    """Returns the number of words in the spans."""
    return sum(last - first for first, last in covered(spans))


def gaps(spans: Iterable[Span], length: int) -> Iterator[Span]:
    """Yields the gaps between spans, up to `length`.

    >>> list(gaps([(0, 2), (5, 7)], 9))
    [(2, 5), (7, 9)]
    """
    for (_, before), (after, _) in pairwise([(0, 0), *covered(spans), (length, length)]):
        if before < after:
            yield before, after
