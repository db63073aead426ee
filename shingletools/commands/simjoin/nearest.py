"""Keeps the pairs with the most similar partners of each document."""

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from shingletools.commands.simjoin.factory import TableFactory
from shingletools.commands.simjoin.join_options import COSINE
from shingletools.commands.simjoin.limits import Limits
from shingletools.commands.simjoin.measures import ratio
from shingletools.commands.simjoin.pair_arrays import Pairs
from shingletools.commands.simjoin.sets import exactly
from shingletools.kernel.types import Index
from shingletools.numbers.sorter import Sorter
from shingletools.system.memory_limit import Memory

PARTNER_BITS = 32  # of a key, for the partner
WORD_BITS = 62  # bits of a ratio that are compared at once
MAX_FACTOR = 1 << 31  # products of numbers below this have no more than WORD_BITS bits
NO_PAIRS = Pairs(*(np.empty(0, np.int64) for _ in Pairs._fields))


def binary(part: Index, whole: Index) -> Sequence[Index]:
    """Returns fractions up to 1 as words of WORD_BITS bits after the point, the first word first: they sort alike.

    Shapes: (n,), (n,) in; (n,) out. 0 <= part <= whole < 2^62, whole > 0; if they are Python's integers, of any size.

    >>> [words.tolist() for words in binary(np.array([1, 2, 3]), np.array([3, 6, 3]))] == [[2**62 // 3] * 2 + [2**62]]
    True
    """
    most = int(whole.max(initial=1))
    words = []
    for _ in range(-(-2 * most.bit_length() // WORD_BITS)):  # in so many bits, different fractions differ
        word, left = np.zeros_like(part), WORD_BITS
        while left:
            step = min(left, WORD_BITS + 1 - most.bit_length()) if part.dtype == np.int64 else left
            word, part = (word << step) + (part << step) // whole, (part << step) % whole
            left -= step
        words.append(word.astype(np.int64))
    return words


class Nearest:
    """Chooses among partners. Memory: with a limit, that; else 100 bytes for each partner that a document may keep."""

    def __init__(
        self, factory: TableFactory, sizes: Callable[[Index], Index], memory: Memory | None, limits: Limits
    ) -> None:
        """Takes a function that returns the bytes of the signatures of rows; it is called only if they may differ."""
        self.wanted, self.signature, self.sizes = factory.wanted, factory.signatures[-1], sizes
        self.memory, self.limits = memory, limits

    def select(self, pairs: Iterator[Pairs], both: bool) -> Iterator[Pairs]:
        """Yields the pairs in which b is among the best partners of a, in order. pairs: sorted by a, with all of those.

        Of equally similar partners the first is the best. If `both`, a and b are of one side, and come in order.
        """
        partners = Sorter(self.memory, 4, self.limits, columns=2)
        held, most = NO_PAIRS, self.limits.candidates
        for block in pairs:
            held = Pairs(*(np.concatenate(columns) for columns in zip(held, block, strict=True)))
            if len(held.a) >= most:
                held = self.best(held)
                most = max(most, 2 * len(held.a))
                if self.memory is not None:
                    partners.add(held.a.astype(np.uint64), np.stack(held[1:], axis=1))
                    held, most = NO_PAIRS, self.limits.candidates
        partners.add(held.a.astype(np.uint64), np.stack(held[1:], axis=1))
        del held
        chosen = Sorter(self.memory, 4, self.limits)
        for keys, columns in partners.sorted():
            a, b, agreeing = self.best(Pairs(keys.astype(np.int64), *columns.T))
            if both:
                a, b = np.minimum(a, b), np.maximum(a, b)
            chosen.add((a << PARTNER_BITS | b).astype(np.uint64), agreeing)
        for keys, agreeing in chosen.distinct(self.limits.candidates):
            a, b = np.divmod(keys.astype(np.int64), 1 << PARTNER_BITS)
            yield Pairs(a, b, agreeing)

    def best(self, pairs: Pairs) -> Pairs:
        """Returns for each row a the pairs with its best rows b."""
        order = np.lexsort((pairs.b, *(-word for word in reversed(self.nearness(pairs))), pairs.a))
        a = pairs.a[order]
        rank = np.arange(len(a)) - np.searchsorted(a, a)
        return pairs.at(order[rank < (self.wanted.best or 0)])

    def nearness(self, pairs: Pairs) -> Sequence[Index]:
        """Returns numbers for pairs that compare as their exact similarities do; the greatest similarity is 0."""
        if self.signature.fixed(1):
            return [pairs.agreeing]
        a, b = (exactly(self.sizes(rows), self.signature.components) for rows in pairs[:2])
        common, small, large = pairs.agreeing, np.minimum(a, b), np.maximum(a, b)
        if self.wanted.measure == COSINE and large.max(initial=0) >= MAX_FACTOR:
            common, small, large = (column.astype(object) for column in (common, small, large))
        return binary(*ratio(self.wanted.measure, common, small, large))
