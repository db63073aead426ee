"""The documents of a run, numbered."""

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


class NumberedDocuments:
    """Numbers ids, and notes which documents are part of the run. Memory: some 100 bytes for each id."""

    def __init__(self) -> None:
        self.ids = kernel.new_ids()
        self.there = array("b")

    def number(self, ids: bytes, sizes: bytes | Index, others: Flags | None = None) -> Index:
        """Returns the numbers of ids, JSON one after the other, by their sizes. others: which are on another side.

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
        """Returns whether an id has a number."""
        written = orjson.dumps(name)
        return bool(np.frombuffer(self.ids.find(written, np.array([len(written)])), np.int64)[0] >= 0)

    def known_as(self, name: Name) -> Name:
        """Returns an id of a table, where all ids are strings: as an integer if only the integer is known here."""
        if isinstance(name, str) and WHOLE.fullmatch(name) and not self.knows(name) and self.knows(int(name)):
            return int(name)
        return name

    def name(self, number: int) -> Name:
        """Returns the id of a document."""
        start, end = np.append(0, np.frombuffer(self.ids.ends, np.int64))[[number, number + 1]].tolist()
        name: Name = orjson.loads(bytes(self.ids.data[start:end]).removeprefix(OTHER_SIDE))
        return name

    def note(self, numbers: Index) -> None:
        """Notes that these documents are part of the run."""
        np.frombuffer(self.there, np.int8)[numbers] = 1

    def has(self, numbers: Index) -> Flags:
        """Returns which of these documents are part of the run."""
        return np.frombuffer(self.there, np.bool_)[numbers]

    def every(self) -> Flags:
        """Returns a copy of the flags of all documents: whether each is part of the run."""
        return np.array(self.there, np.bool_)
