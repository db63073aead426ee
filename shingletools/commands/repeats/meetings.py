"""What a text and the items of a reference have in common."""

from typing import NamedTuple

import numpy as np

from shingletools.commands.repeats.item_texts import Reference
from shingletools.commands.repeats.run_spans import words_in
from shingletools.kernel import arrays as kernel
from shingletools.kernel.types import Index
from shingletools.running.worded import Worded


class ItemMatch(NamedTuple):
    """Words that a text and an item have in common, no more on both sides."""

    item: int
    there: int  # the first word in the item
    here: int  # the first word in the text
    words: int


def meetings(reference: Reference, text: Worded) -> list[ItemMatch]:
    """All of k words or more, and short items whole.

    A document costs what it has in common with items: a passage that many items have counts for each.
    """
    found: list[ItemMatch] = []
    if not text.number:
        return found
    data = text.text.encode() + b"\n"
    places, words = reference.runs.met(data)
    early = reference.beginnings.met(data)[0] if reference.short else places[:0]
    if len(places) or len(early):
        blanks = np.flatnonzero(np.frombuffer(data, np.uint8) <= ord(" "))
        starts: Index = np.append(0, blanks[:-1] + 1)
        found += of_runs(reference, data, starts, places, words)
        for here in np.unique(np.searchsorted(starts, early)).tolist():
            for length in reference.lengths:
                if here + length <= len(starts):
                    some = data[starts[here] : blanks[here + length - 1]]
                    found += [ItemMatch(item, 0, here, length) for item in reference.short.get(some, ())]
    return found


def of_runs(reference: Reference, data: bytes, starts: Index, places: Index, words: Index) -> list[ItemMatch]:
    """Runs of k words that seem to be equal, as meetings: those side by side are one, if it is the words that are."""
    k = reference.k
    here = np.searchsorted(starts, places)
    for _ in range(2):
        items = reference.items_of(words)
        order = np.lexsort((here, items, words - here))
        here, words, items = here[order], words[order], items[order]
        heads = np.append(True, (np.diff(words - here) != 0) | (np.diff(here) != 1) | (np.diff(items) != 0))
        first = np.flatnonzero(heads[: len(here)])
        lengths = np.diff(np.append(first, len(here))) + k - 1
        there = reference.starts[words[first]]
        if (kernel.equal_words(data, starts[here[first]], reference.texts, there, lengths) == lengths).all():
            break
        # Fingerprints of different words are equal somewhere: only runs that are equal word by word stay
        most = np.full(len(here), k)
        same = kernel.equal_words(data, starts[here], reference.texts, reference.starts[words], most) == k
        here, words = here[same], words[same]
    columns = items[first], words[first] - reference.firsts[items[first]], here[first], lengths
    return [ItemMatch(*each) for each in zip(*map(Index.tolist, columns), strict=True)]


def by_item(found: list[ItemMatch]) -> dict[int, list[ItemMatch]]:
    """Meetings by their item, in the order of the reference."""
    items: dict[int, list[ItemMatch]] = {}
    for each in sorted(found):
        items.setdefault(each.item, []).append(each)
    return items


def words_found(of_item: list[ItemMatch]) -> int:
    """How many words of an item its meetings have."""
    return words_in((each.there, each.there + each.words) for each in of_item)
