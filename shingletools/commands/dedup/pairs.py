"""Reads pairs: which documents an archive has, and how similar the documents of a group are."""

from abc import abstractmethod
from array import array

import numpy as np
import orjson

from shingletools.commands.dedup.beside import Beside, Wrong
from shingletools.kernel import arrays as kernel
from shingletools.kernel.groups import DECIMALS
from shingletools.kernel.ids import Ids
from shingletools.kernel.types import F64, Flags, Index
from shingletools.record import wire
from shingletools.record.wire import AGAINST, TWO_SIDES, Record
from shingletools.system.errors import Failed, Rejected

UNSAID = -np.inf  # the similarity of a pair that has none; less than any other


class Similarities(Beside):
    """Takes pairs, {"a", "b", "similarity"}; the similarity may be missing.

    A similarity is a double, which keeps the order of JSON numbers of up to 15 digits.
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
        a, b, similarity = take_similar(record)
        against = np.array([self.take_side(record)])
        one, two = ((each, np.array([len(each)]).tobytes()) for each in (a, b))
        self.add(one, two, np.array([similarity]), against)

    def take_side(self, record: Record) -> bool:
        """Whether a pair is of two sides. Raises Rejected or Failed."""
        return wire.take_against(record)

    @abstractmethod
    def add(self, a: tuple[bytes, bytes], b: tuple[bytes, bytes], similarity: F64, against: Flags, /) -> None:
        """Adds pairs: the ids of each side with the bytes of each id; their similarities. Raises Wrong."""


def take_similar(record: Record) -> tuple[bytes, bytes, float]:
    """The ids of a pair, as JSON, and its similarity. Raises Rejected."""
    a, b = (orjson.dumps(wire.take_id(record, name)) for name in ("a", "b"))
    similarity = record.get("similarity", UNSAID)
    if type(similarity) not in (int, float):
        raise Rejected('field "similarity" is not a number')
    return a, b, float(similarity)


def check_two_sides(record: Record) -> None:
    """Raises Failed for a pair that is said to be of one side, and Rejected.

    A pair without this field passes, since other programs do not write it; but see Archived.
    """
    if wire.take_against(record) < (AGAINST in record):
        raise Failed("a pair of the input with itself: --known takes pairs of the input with an archive")


def doubles_of(units: Index) -> F64:
    """Similarities in units of 10^-DECIMALS as the doubles that a JSON reader would give; UNSAID if below 0.

    Numerator and denominator are exact doubles, so the quotient is the double nearest to the written number.

    >>> doubles_of(np.array([300000000000, -1])).tolist()
    [0.3, -inf]
    """
    return np.where(units < 0, UNSAID, units / 10**DECIMALS)


class Archived(Similarities):
    """For each a, a document of the input, the best b of an archive: the most similar one; of equals the first.

    The ids of the two sides are numbered separately. If pairs do not say that they are of two sides, those of their b
    that a document of the input may turn out to be are numbered with the input's, too. A pair of one id has two sides.
    Memory: about 100 bytes for each id.
    """

    def __init__(self, ids: Ids) -> None:
        self.ids = ids
        self.archive = kernel.new_ids()
        self.best = array("q")  # for each number, the best number in the archive; -1 for none
        self.similarity = array("d")
        self.doubtful: list[Index] = []  # numbers of ids that are b in pairs which do not say their sides

    def take_side(self, record: Record) -> bool:
        check_two_sides(record)
        return AGAINST in record

    def add(self, a: tuple[bytes, bytes], b: tuple[bytes, bytes], similarity: F64, against: Flags, /) -> None:
        numbers = np.frombuffer(self.ids.number(*a), np.int64)
        others = np.frombuffer(self.archive.number(*b), np.int64)
        if not against.all():
            same = np.frombuffer(self.ids.number(*b), np.int64)
            self.doubtful.append(np.unique(same[~against & (same != numbers)]))
        new = len(self.ids) - len(self.best)
        self.best.frombytes(np.full(new, -1).tobytes())
        self.similarity.frombytes(np.full(new, UNSAID).tobytes())
        best, best_similarity = np.frombuffer(self.best, np.int64), np.frombuffer(self.similarity)
        order = np.lexsort((-similarity, numbers))  # stable: of equals, the first wins
        each, first = np.unique(numbers[order], return_index=True)
        place = order[first]
        better = (similarity[place] > best_similarity[each]) | (best[each] < 0)
        best[each[better]] = others[place[better]]
        best_similarity[each[better]] = similarity[place[better]]


class Alike(Similarities):
    """The similarities of pairs within groups; if a pair comes several times, the highest.

    Memory: 16 bytes for each pair within a group, and 32 more while they are sorted.
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
        """Sorts the pairs, after all have come."""
        keys = np.concatenate([*self.keys, np.empty(0, np.int64)])
        self.keys = []
        values = np.concatenate([*self.values, np.empty(0)])
        self.values = []
        order = np.lexsort((-values, keys))
        keys = keys[order]
        first = np.flatnonzero(np.append(True, keys[1:] != keys[:-1])[: len(keys)])
        self.keys, self.values = [keys[first]], [values[order[first]]]

    def of(self, one: Index, two: Index) -> F64:
        """The similarities of pairs of members of one group each; UNSAID for those that are no pair."""
        (keys,), (values,) = self.keys, self.values
        wanted = self.key(one, two)
        place = np.searchsorted(keys, wanted)
        found = np.append(keys, -1)[place] == wanted
        return np.where(found, np.append(values, UNSAID)[place], UNSAID)
