"""The names that simgroup takes from lines."""

from typing import NamedTuple

import numpy as np

from shingletools.commands.simgroup.id_readers import IdReader
from shingletools.kernel.types import Index
from shingletools.record.record_batch import read_batch
from shingletools.spark.batches import Packed
from shingletools.spark.packed_names import Named, Row
from shingletools.system.errors import Failed

FAULT = -1  # in place of a step: the line fails the run


class NoMention(NamedTuple):
    """A bad line, which has no names."""

    place: int  # the number of the line, from 0
    cause: str
    line: bytes
    fails: bool = False  # whether it fails the run

    def step(self, step: int) -> int:
        """The step to write for it: the one that reads it, or FAULT."""
        return FAULT if self.fails else step


class Mentions(NamedTuple):
    """The names in lines, and the bad lines."""

    named: Named
    bad: list[NoMention]  # if the last one fails the run, nothing after it was read

    def good(self, numbers: Index) -> Index:
        """Those of the numbers of all lines that belong to good lines."""
        return np.delete(numbers, [each.place for each in self.bad]) if self.bad else numbers


def mentions(lines: bytes, reader: IdReader) -> Mentions:
    """The names of lines, up to one that fails the run."""
    names, sizes = [b""], [np.empty(0, np.int64)]
    bad: list[NoMention] = []
    at = place = 0
    while at < len(lines) and not (bad and bad[-1].fails):
        batch = read_batch(lines, at, reader.schema)
        some, their_sizes = reader.ids(batch)
        names.append(some)
        sizes.append(their_sizes)
        at, place = batch.next, place + batch.rows
        if batch.bad is not None:
            error, line = batch.bad
            bad.append(NoMention(place, str(error), line, isinstance(error, Failed)))
            place += 1
    return Mentions(Named(b"".join(names), np.concatenate(sizes)), bad)


def bad_rows(found: Mentions, some: Packed, step: int) -> list[Row]:
    """The bad lines as rows of BAD."""
    return [
        {"number": int(some.numbers[each.place]), "step": each.step(step), "cause": each.cause, "line": each.line}
        for each in found.bad
    ]
