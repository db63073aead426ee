"""Pairs, as dedup is given them: which documents an archive has, and how similar those of a group are."""

from abc import abstractmethod
from array import array

import numpy as np
import orjson

from shingletools import wire
from shingletools.dedup.beside import Beside, Wrong
from shingletools.errors import Failed, Rejected
from shingletools.kernel import arrays as kernel
from shingletools.kernel.groups import DECIMALS
from shingletools.kernel.ids import Ids
from shingletools.kernel.types import F64, Flags, Index
from shingletools.wire import AGAINST, TWO_SIDES, Record

UNSAID = -np.inf  # the similarity of a pair that says none; less than any other


class Similarities(Beside):
    """Records {"a", "b", "similarity"}, of which the last may be missing.

    A similarity is a double, which is what JSON numbers of up to 15 digits keep: they compare as they are written.
    """

    once = "a", "b", "similarity", AGAINST

    def take_lines(self, lines: bytes, at: int, /) -> tuple[int, int]:
        read = kernel.read_similarities(lines, at)
        if read.lines:
            units = np.frombuffer(read.similarities, np.int64)
            against = np.frombuffer(read.against, np.bool_)
            self.add((read.ids, read.id_sizes), (read.others, read.other_sizes), doubles_of(units), against)
        return read.lines, read.end

    def take(self, record: Record, /) -> None:
        a, b = (orjson.dumps(wire.take_id(record, name)) for name in ("a", "b"))
        similarity = record.get("similarity", UNSAID)
        if type(similarity) not in (int, float):
            raise Rejected('field "similarity" is not a number')
        against = np.array([self.take_side(record)])
        one, two = ((each, np.array([len(each)]).tobytes()) for each in (a, b))
        self.add(one, two, np.array([float(similarity)]), against)

    def take_side(self, record: Record) -> bool:
        """Whether a pair is said to be of two sides; raises Rejected or Failed."""
        return wire.take_against(record)

    @abstractmethod
    def add(self, a: tuple[bytes, bytes], b: tuple[bytes, bytes], similarity: F64, against: Flags, /) -> None:
        """Pairs: the ids of each side and the bytes of each id; how similar they are. Raises Wrong."""


def doubles_of(units: Index) -> F64:
    """What is said in units of 10^-DECIMALS, as the doubles that JSON would be read as; UNSAID if below 0.

    Both numbers are doubles without loss, so that the quotient is the one nearest to what is written.

    >>> doubles_of(np.array([300000000000, -1])).tolist()
    [0.3, -inf]
    """
    return np.where(units < 0, UNSAID, units / 10**DECIMALS)


class Archived(Similarities):
    """Of each a, a document of the input, the best of all b, those of an archive: the most similar, of these the first.

    The ids of the two sides are numbered apart. Memory: some 100 bytes for each id.
    """

    def __init__(self, ids: Ids) -> None:
        self.ids = ids
        self.archive = kernel.new_ids()
        self.best = array("q")  # of each number the one of the archive; -1 for none
        self.similarity = array("d")

    def take_side(self, record: Record) -> bool:
        """A pair that does not say of how many sides it is may come from any program."""
        if wire.take_against(record) < (AGAINST in record):
            raise Failed("a pair of one side: --known takes those of the input with an archive")
        return True

    def add(self, a: tuple[bytes, bytes], b: tuple[bytes, bytes], similarity: F64, _against: Flags, /) -> None:
        numbers = np.frombuffer(self.ids.number(*a), np.int64)
        others = np.frombuffer(self.archive.number(*b), np.int64)
        new = len(self.ids) - len(self.best)
        self.best.frombytes(np.full(new, -1).tobytes())
        self.similarity.frombytes(np.full(new, UNSAID).tobytes())
        best, best_similarity = np.frombuffer(self.best, np.int64), np.frombuffer(self.similarity)
        order = np.lexsort((-similarity, numbers))  # stable: of equals the first
        each, first = np.unique(numbers[order], return_index=True)
        place = order[first]
        better = (similarity[place] > best_similarity[each]) | (best[each] < 0)
        best[each[better]] = others[place[better]]
        best_similarity[each[better]] = similarity[place[better]]


class Alike(Similarities):
    """How similar members of one group are, where they make a pair; of several, the highest similarity.

    Memory: 16 bytes for each pair of members of one group.
    """

    def __init__(self, ids: Ids, group: Index) -> None:
        self.ids = ids
        self.group = group
        self.keys: list[Index] = []
        self.values: list[F64] = []

    def add(self, a: tuple[bytes, bytes], b: tuple[bytes, bytes], similarity: F64, against: Flags, /) -> None:
        if against.any():
            raise Wrong(TWO_SIDES, int(np.argmax(against)))
        one, two = (np.frombuffer(self.ids.find(*each), np.int64) for each in (a, b))
        members = len(self.group)
        member = (one >= 0) & (one < members) & (two >= 0) & (two < members) & (similarity > UNSAID)
        one, two, similarity = one[member], two[member], similarity[member]
        same = self.group[one] == self.group[two]
        self.keys.append(self.key(one[same], two[same]))
        self.values.append(similarity[same])

    def key(self, one: Index, two: Index) -> Index:
        return np.minimum(one, two) * len(self.group) + np.maximum(one, two)

    def settle(self) -> None:
        """All pairs are there."""
        keys, values = np.concatenate([*self.keys, np.empty(0, np.int64)]), np.concatenate([*self.values, np.empty(0)])
        order = np.lexsort((-values, keys))
        found, first = np.unique(keys[order], return_index=True)
        self.keys, self.values = [found], [values[order][first]]

    def of(self, one: Index, two: Index) -> F64:
        """Of members of the same groups; UNSAID where they make no pair."""
        (keys,), (values,) = self.keys, self.values
        wanted = self.key(one, two)
        place = np.searchsorted(keys, wanted)
        found = np.append(keys, -1)[place] == wanted
        return np.where(found, np.append(values, UNSAID)[place], UNSAID)
