"""The names that simgroup takes from lines: by the kernel if a line is ordinary, else by the definition."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import NamedTuple

import numpy as np
import orjson

from shingletools.commands.simgroup.grouping import take_pair
from shingletools.kernel import arrays as kernel
from shingletools.kernel.groups import DECIMALS, DocumentFields
from shingletools.kernel.types import Index
from shingletools.record import wire
from shingletools.record.json_members import in_quotes, line_at, parse
from shingletools.spark.batches import Packed
from shingletools.spark.packed_names import Named, Row, concatenated
from shingletools.system.errors import Failed, Rejected

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


Taken = tuple[int, int, bytes, bytes]  # number of lines, start of the next one, names, sizes


def mentions(lines: bytes, some: Callable[[bytes, int], Taken], one: Callable[[bytes], Sequence[bytes]]) -> Mentions:
    """The names of lines. `some` takes ordinary lines from a place on, `one` takes any line.

    `one` raises Rejected for a bad line, and Failed for a line that fails the run.
    """
    names, sizes = [b""], [b""]
    bad: list[NoMention] = []
    at = place = 0
    while at < len(lines):
        taken, at, *more = some(lines, at)
        place += taken
        for column, data in zip((names, sizes), more, strict=True):
            column.append(data)
        if at < len(lines):
            line, at = line_at(lines, at)
            try:
                texts = one(line)
                names += texts
                sizes.append(np.array([*map(len, texts)], np.int64).tobytes())
            except Rejected as error:
                bad.append(NoMention(place, str(error), line))
            except Failed as error:
                bad.append(NoMention(place, str(error), line, fails=True))
                break
            place += 1
    return Mentions(Named(b"".join(names), concatenated(sizes)), bad)


@dataclass(frozen=True)
class PairNames:
    """Takes pairs that are similar enough: two names each."""

    least: Fraction | None
    once: Sequence[str]

    def __call__(self, lines: bytes) -> Mentions:
        least = -1 if self.least is None else ceil(self.least * 10**DECIMALS)
        return mentions(lines, lambda lines, at: kernel.read_pairs(lines, at, least), self.one)

    def one(self, line: bytes) -> Sequence[bytes]:
        return [orjson.dumps(name) for name in take_pair(parse(line, self.once), self.least) or ()]


@dataclass(frozen=True)
class Singles:
    """Takes documents."""

    id_field: str

    def __call__(self, lines: bytes) -> Mentions:
        return mentions(lines, self.some, self.one)

    def some(self, lines: bytes, at: int) -> Taken:
        name = in_quotes(self.id_field)
        if b"\\" in name:  # the kernel cannot read a name that JSON escapes
            return 0, at, b"", b""
        return kernel.read_documents(lines, at, DocumentFields(name))[:4]

    def one(self, line: bytes) -> Sequence[bytes]:
        return [orjson.dumps(wire.take_id(parse(line, [self.id_field]), self.id_field))]


def bad_rows(found: Mentions, some: Packed, step: int) -> list[Row]:
    """The bad lines as rows of BAD."""
    return [
        {"number": int(some.numbers[each.place]), "step": each.step(step), "cause": each.cause, "line": each.line}
        for each in found.bad
    ]
