"""The runs that repeats must find, by brute force and by a suffix array. Documents are lists of words."""

from collections.abc import Iterator, Sequence
from itertools import groupby

Texts = Sequence[Sequence[str]]
Spans = list[tuple[int, int]]


def windows(texts: Texts, k: int) -> Iterator[tuple[int, int]]:
    for document, words in enumerate(texts):
        for first in range(len(words) - k + 1):
            yield document, first


def runs_of(firsts: Sequence[int], k: int) -> Spans:
    """Runs of which every k words begin at one of these."""
    found = []
    for _, some in groupby(enumerate(firsts), lambda each: each[1] - each[0]):
        run = [first for _, first in some]
        found.append((run[0], run[-1] + k))
    return found


def stood_before(texts: Texts, k: int, every: bool = False) -> list[Spans]:
    """Every place is compared with every place before it, or with all others."""
    places = list(windows(texts, k))
    found: list[list[int]] = [[] for _ in texts]
    for here in places:
        for there in places if every else places[: places.index(here)]:
            words = [texts[document][first : first + k] for document, first in (here, there)]
            if here != there and words[0] == words[1]:
                found[here[0]].append(here[1])
                break
    return [runs_of(firsts, k) for firsts in found]


def by_suffixes(texts: Texts, k: int) -> list[Spans]:
    """The same by a suffix array: of neighbours in it that have k words in common, the first one is none."""
    suffixes = sorted(
        (list(words[first:]), document, first) for document, words in enumerate(texts) for first in range(len(words))
    )
    found: list[list[int]] = [[] for _ in texts]
    for at, (suffix, document, first) in enumerate(suffixes):
        if len(suffix) < k:
            continue
        others = []
        for step in (-1, 1):
            other = at + step
            while 0 <= other < len(suffixes) and suffixes[other][0][:k] == suffix[:k]:
                others.append(suffixes[other][1:])
                other += step
        if any(other < (document, first) for other in others):
            found[document].append(first)
    return [runs_of(sorted(firsts), k) for firsts in found]


def in_reference(text: Sequence[str], items: Texts, k: int, least: int) -> list[tuple[tuple[int, int], list[int]]]:
    """The runs of a text, each with its items: those that have k words of it, or short ones that are whole in it."""
    least = min(least, k)
    spans: dict[tuple[int, int], list[int]] = {}
    for number, item in enumerate(items):
        size = min(k, len(item))
        if size >= least:
            for first in range(len(text) - size + 1):
                if any(text[first : first + size] == item[at : at + size] for at in range(len(item) - size + 1)):
                    spans.setdefault((first, first + size), []).append(number)
    long = runs_of(sorted(first for first, last in spans if last - first == k), k)
    short = {span for span in spans if span[1] - span[0] < k}
    inside = {span for span in short for one, two in [*long, *short - {span}] if one <= span[0] and span[1] <= two}
    found = []
    for first, last in sorted([*long, *(short - inside)]):
        mine = {item for span, some in spans.items() if first <= span[0] and span[1] <= last for item in some}
        found.append(((first, last), sorted(mine)))
    return found
