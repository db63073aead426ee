"""The pairs just above and just below the threshold, with the words that only one of the two has."""

from collections.abc import Iterator
from fractions import Fraction

import numpy as np
import orjson

from shingletools.commands.simtune.choice import Choice
from shingletools.commands.simtune.sample import Sample
from shingletools.commands.simtune.similarities import bins_of, compare_sets

PAIRS_SHOWN = 10  # on either side
WORDS_SHOWN = 12  # of each text


def example_pairs(sample: Sample, choice: Choice) -> Iterator[dict[str, Fraction | int | str | None]]:
    """Yields the pairs of unequal texts that are nearest to the threshold, the most similar ones first."""
    sets, edges, form = choice.result.sets, choice.result.edges, choice.result.form
    near = {"above": np.empty((0, 4)), "below": np.empty((0, 4))}  # distance, similarity, and the two documents
    comparison = compare_sets(sets, form.measure, sample.against)
    for queries, found in comparison.blocks():
        one, two = sets.first[queries[found.row]], sets.first[comparison.targets[found.column]]
        wanted = one < two  # of one table, each pair is there twice
        if sample.against is not None:  # of equally similar partners, the first
            order = np.lexsort((two, -found.similarity, one))
            wanted = np.zeros(len(one), np.bool_)
            wanted[order[np.diff(one[order], prepend=-1) > 0] if form.best else order] = True
        above = bins_of(found.similarity, edges) >= edges.index(choice.threshold)
        distance = np.abs(found.similarity - float(choice.threshold))
        columns = np.column_stack([distance, found.similarity, one, two])
        for side, nearest in near.items():
            rows = np.concatenate([nearest, columns[wanted & (above == (side == "above"))]])
            near[side] = rows[np.lexsort(rows.T[[3, 2, 0]])][:PAIRS_SHOWN]
    for side, rows in near.items():
        for _, similarity, *places in sorted(rows.tolist(), key=lambda row: (-row[1], *row[2:])):
            a, b = (sample.documents[int(place)] for place in places)
            words = a.text.split(), b.text.split()
            yield {
                "scope": "pair",
                "side": side,
                "a": orjson.loads(a.id),
                "b": orjson.loads(b.id),
                "similarity": Fraction(similarity),
                "only_a": words_of_first(*words),
                "only_b": words_of_first(*reversed(words)),
            }


def words_of_first(words: list[str], others: list[str]) -> str:
    """Returns the first words that others do not have.

    >>> words_of_first("a b b c".split(), "c d".split())
    'a b b'
    """
    without = {*others}
    return " ".join([word for word in words if word not in without][:WORDS_SHOWN])
