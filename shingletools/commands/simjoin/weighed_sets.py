"""Tables of sets whose tokens have weights, joined exactly: an overlap is the total weight of the common tokens.

Sets are compared by the generalized Jaccard similarity, (sum of the lesser weights) / (sum of the greater ones), where
a token has the same weight in each set that has it, and 0 in others; likewise by Dice's and by containment. For cosine,
a weight is a component of a vector, so its square takes its place. All are whole numbers, so all bounds of plain sets
hold, with sums of these in place of sizes.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING

import numpy as np

from shingletools.commands.simjoin.join_options import COSINE, JoinOptions
from shingletools.commands.simjoin.measures import Measure
from shingletools.commands.simjoin.sets import SetTable, exactly
from shingletools.commands.simjoin.signature import Data
from shingletools.commands.simjoin.signatures import ShingleSets
from shingletools.commands.simjoin.table import Table
from shingletools.kernel import arrays as kernel
from shingletools.kernel.reference_arrays import counters_of
from shingletools.kernel.types import U32, U64, Index, Prefixes, TokenSets, TokenWeights
from shingletools.numbers.inverse_document_frequency import counted_square, counted_weight, square
from shingletools.numbers.ranges import stretches

if TYPE_CHECKING:
    from shingletools.reading.shingle_weights import Weights

BATCH_TOKENS = 1 << 20  # that are worked on together
Weighing = Callable[[U64], Index]  # returns the weights of tokens, from 0 to 2^32. Shape (tokens,) in and out


def weighed_by(table: "Weights", wanted: JoinOptions) -> Weighing:
    """Returns a function for the weights of tokens by a table."""
    if wanted.measure != COSINE:
        return table.look_up
    return table.of_lines(table.shingles, exactly(table.weights, partial(square, table.heaviest)), table.digits).look_up


def weighed_by_counts(counters: U32, documents: int, wanted: JoinOptions) -> Weighing:
    """Returns a function for the weights of tokens by the documents that are joined."""
    weight = counted_square if wanted.measure == COSINE else counted_weight
    return partial(counted, counters, documents, partial(weight, documents))


def counted(counters: U32, documents: int, weight: Callable[[int], int], tokens: U64) -> Index:
    """Returns the weights of tokens by their counters.

    A counter is shared by all tokens of one hash, and an upper bound of the number of documents that have a token.
    """
    return exactly(np.minimum(counters[counters_of(tokens)], documents).astype(np.int64), weight)


class WeighedTable(SetTable):
    """A SetTable with the weight of each token. Memory: that of SetTable, and 8 bytes for each token."""

    def __init__(self, tokens: U64, sizes: Index, measure: Measure, counters: U32, weighing: Weighing) -> None:
        super().__init__(tokens, sizes, measure, counters)
        self.weights = np.empty(len(tokens), np.int64)
        for start in range(0, len(tokens), BATCH_TOKENS):
            self.weights[start : start + BATCH_TOKENS] = weighing(tokens[start : start + BATCH_TOKENS])
        self.wholes = np.add.reduceat(self.weights, self.sets.starts)

    @cached_property
    def prefixes(self) -> Prefixes:
        """Returns the rarest tokens of each set, while the tokens from there on weigh enough for some partner."""
        least = exactly(self.wholes, self.measure.least)
        places, rests, counts = [np.empty(0, np.int64)], [np.empty(0, np.int64)], [np.empty(0, np.int64)]
        start = 0
        for part in stretches(self.sizes, BATCH_TOKENS):
            sizes = self.sizes[part]
            stop = start + int(sizes.sum())
            sets = TokenSets.of(self.sets.tokens[start:stop], sizes)
            place = start + kernel.rarest(sets, sizes, self.counters)
            row = np.repeat(np.arange(part.start, part.stop), sizes)
            before = np.cumsum(self.weights[place]) - self.weights[place]
            left = self.wholes[row] - before + np.repeat(before[sets.starts], sizes)
            some = left >= np.maximum(least[row], 1)
            places.append(place[some])
            rests.append(left[some])
            counts.append(np.bincount(row[some] - part.start, minlength=len(sizes)))
            start = stop
        return self.prefixes_at(*map(np.concatenate, (places, counts, rests)))

    @cached_property
    def parities(self) -> U64:
        return np.zeros((len(self), 2), np.uint64)  # a weight is no number of tokens

    def common(self, left: Index, right: Index, least: Index) -> Index:
        return kernel.common_weights(TokenWeights(self.sets, self.weights, self.wholes), left, right, least)


@dataclass(frozen=True)
class WeighedSets(ShingleSets):
    """Sets of weighted shingles as signatures. A size here is the total weight of the shingles, not bytes."""

    weighing: Weighing | None

    def components(self, size: int) -> int:
        return size

    def table(self, wanted: JoinOptions, data: Data, sizes: Index, counts: U32) -> Table:
        assert self.weighing is not None  # all documents were counted
        return WeighedTable(data.view(np.uint64), sizes // 8, self.measure(wanted), counts, self.weighing)
