"""The pairs just above and just below the threshold, with the words that only one of the two has."""

from collections.abc import Iterator
from fractions import Fraction

import numpy as np
import orjson

from shingletools.commands.simtune.choice import Choice
from shingletools.commands.simtune.given_sample import GivenSample
from shingletools.commands.simtune.similarities import bins_of, meetings

SHOWN = 10  # pairs on either side
MOST_WORDS = 12  # of each text


def shown_pairs(given: GivenSample, choice: Choice) -> Iterator[dict[str, Fraction | int | str | None]]:
    """Yields the pairs of unequal texts that are nearest to the threshold, the most similar ones first."""
    sets, edges, form = choice.tried.sets, choice.tried.edges, choice.tried.form
    near = {"above": np.empty((0, 4)), "below": np.empty((0, 4))}  # distance, similarity, and the two documents
    meeting = meetings(sets, form.measure, given.others)
    for asking, found in meeting.blocks():
        one, two = sets.first[asking[found.row]], sets.first[meeting.met[found.column]]
        once = one < two
        if given.others is not None:  # of equally similar partners, the first
            order = np.lexsort((two, -found.similarity, one))
            once = np.zeros(len(one), np.bool_)
            once[order[np.diff(one[order], prepend=-1) > 0] if form.best else order] = True
        above = bins_of(found.similarity, edges) >= edges.index(choice.threshold)
        distance = np.abs(found.similarity - float(choice.threshold))
        columns = np.column_stack([distance, found.similarity, one, two])
        for side, held in near.items():
            rows = np.concatenate([held, columns[once & (above == (side == "above"))]])
            near[side] = rows[np.lexsort(rows.T[[3, 2, 0]])][:SHOWN]
    for side, rows in near.items():
        for _, similarity, *places in sorted(rows.tolist(), key=lambda row: (-row[1], *row[2:])):
            a, b = (given.documents[int(place)] for place in places)
            words = a.text.split(), b.text.split()
            yield {
                "scope": "pair",
                "side": side,
                "a": orjson.loads(a.id),
                "b": orjson.loads(b.id),
                "similarity": Fraction(similarity),
                "only_a": missing(*words),
                "only_b": missing(*reversed(words)),
            }


def missing(words: list[str], others: list[str]) -> str:
    """Returns the first words that others do not have.

    >>> missing("a b b c".split(), "c d".split())
    'a b b'
    """
    known = {*others}
    return " ".join([word for word in words if word not in known][:MOST_WORDS])
