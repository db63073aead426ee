"""The documents that there are, by their numbers."""

import re
from array import array

import numpy as np
import orjson

from shingletools.kernel import arrays as kernel
from shingletools.kernel.types import Flags, Index
from shingletools.numbers.pair_relation import MOST_DOCUMENTS
from shingletools.record.wire import Name
from shingletools.system.errors import EnvironmentFailure

WHOLE = re.compile("-?[1-9][0-9]{0,17}|0")
OTHER_SIDE = b"+"  # before the id of a document of another side than the input's: no JSON begins so


class Universe:
    """Numbers ids, and notes of which documents it is known that they are there. Memory: some 100 bytes for each id."""

    def __init__(self) -> None:
        self.ids = kernel.new_ids()
        self.there = array("b")

    def number(self, ids: bytes, sizes: bytes | Index, others: Flags | None = None) -> Index:
        """The numbers of ids, JSON one after the other, by their sizes; `others` says which are of another side.

        Raises EnvironmentFailure.
        """
        if others is not None and others.any():
            counts = np.frombuffer(sizes, np.int64)
            starts = (np.cumsum(counts) - counts)[others]
            ids = np.insert(np.frombuffer(ids, np.uint8), starts, OTHER_SIDE[0]).tobytes()
            sizes = counts + others
        numbers = np.frombuffer(self.ids.number(ids, sizes), np.int64)
        if len(self.ids) > MOST_DOCUMENTS:
            raise EnvironmentFailure(f"more than {MOST_DOCUMENTS} documents")
        self.there.frombytes(bytes(len(self.ids) - len(self.there)))
        return numbers

    def knows(self, name: Name) -> bool:
        """Whether an id has a number."""
        written = orjson.dumps(name)
        return bool(np.frombuffer(self.ids.find(written, np.array([len(written)])), np.int64)[0] >= 0)

    def known_as(self, name: Name) -> Name:
        """An id of a table, where all are strings: as a number if only that has a number here."""
        if isinstance(name, str) and WHOLE.fullmatch(name) and not self.knows(name) and self.knows(int(name)):
            return int(name)
        return name

    def name(self, number: int) -> Name:
        """The id of a document."""
        start, end = np.append(0, np.frombuffer(self.ids.ends, np.int64))[[number, number + 1]].tolist()
        found: Name = orjson.loads(bytes(self.ids.data[start:end]).removeprefix(OTHER_SIDE))
        return found

    def note(self, numbers: Index) -> None:
        """These documents are there."""
        np.frombuffer(self.there, np.int8)[numbers] = 1

    def has(self, numbers: Index) -> Flags:
        """Which of these documents are there."""
        return np.frombuffer(self.there, np.bool_)[numbers]

    def every(self) -> Flags:
        """Of each document whether it is there. A copy."""
        return np.array(self.there, np.bool_)
