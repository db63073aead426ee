"""The names that simgroup and dedup take from lines: by the kernel if a line is ordinary, else by the definition."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import Any, NamedTuple

import numpy as np
import orjson

from shingletools.commands.dedup.group_members import Members, take_members
from shingletools.commands.dedup.spec import SHORTEST, DedupSpec
from shingletools.commands.dedup.values import text_in
from shingletools.commands.simgroup.grouping import take_pair
from shingletools.kernel import arrays as kernel
from shingletools.kernel.groups import DECIMALS, DocumentFields
from shingletools.kernel.types import Index
from shingletools.numbers.ranges import spread
from shingletools.record import wire
from shingletools.record.json_members import in_quotes, line_at, parse
from shingletools.spark.batches import Packed
from shingletools.spark.packed_names import Named, Row, concatenated, interleaved
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
    figures: Index  # int64: the rank of each document, the least of which stays; or the number of names of each group
    bad: list[NoMention]  # if the last one fails the run, nothing after it was read

    def good(self, numbers: Index) -> Index:
        """Those of the numbers of all lines that belong to good lines."""
        return np.delete(numbers, [each.place for each in self.bad]) if self.bad else numbers


Taken = tuple[int, int, bytes, bytes, bytes]  # number of lines, start of the next one, names, sizes, figures
Some = Callable[[bytes, int], Taken]


One = tuple[Sequence[bytes], Sequence[int]]  # names, as JSON, and figures


def mentions(lines: bytes, some: Some, one: Callable[[bytes], One]) -> Mentions:
    """The names of lines. `some` takes ordinary lines from a place on, `one` takes any line.

    `one` raises Rejected for a bad line, and Failed for a line that fails the run.
    """
    names, sizes, figures = [b""], [b""], [b""]
    bad: list[NoMention] = []
    at = place = 0
    while at < len(lines):
        taken, at, *more = some(lines, at)
        place += taken
        for column, data in zip((names, sizes, figures), more, strict=True):
            column.append(data)
        if at < len(lines):
            line, at = line_at(lines, at)
            try:
                texts, numbers = one(line)
                names += texts
                sizes.append(np.array([*map(len, texts)], np.int64).tobytes())
                figures.append(np.array(numbers, np.int64).tobytes())
            except Rejected as error:
                bad.append(NoMention(place, str(error), line))
            except Failed as error:
                bad.append(NoMention(place, str(error), line, fails=True))
                break
            place += 1
    return Mentions(Named(b"".join(names), concatenated(sizes)), concatenated(figures), bad)


@dataclass(frozen=True)
class PairNames:
    """Takes pairs that are similar enough: two names each, without figures."""

    least: Fraction | None
    once: Sequence[str]

    def __call__(self, lines: bytes) -> Mentions:
        least = -1 if self.least is None else ceil(self.least * 10**DECIMALS)
        return mentions(lines, lambda lines, at: (*kernel.read_pairs(lines, at, least), b""), self.one)

    def one(self, line: bytes) -> One:
        return [orjson.dumps(name) for name in take_pair(parse(line, self.once), self.least) or ()], ()


@dataclass(frozen=True)
class Singles:
    """Takes documents, without figures."""

    id_field: str

    def __call__(self, lines: bytes) -> Mentions:
        return mentions(lines, documents(document_fields(self.id_field), 0), self.one)

    def one(self, line: bytes) -> One:
        return [orjson.dumps(wire.take_id(parse(line, [self.id_field]), self.id_field))], ()


@dataclass(frozen=True)
class Ranked:
    """Takes documents with ranks: the length of the text, if that counts, else 0. The least rank stays.

    If a value counts, it comes after each name as it is spelled in the line, or as b"" if there is none.
    """

    spec: DedupSpec

    def __call__(self, lines: bytes) -> Mentions:
        fields = document_fields(self.spec.id_field, self.spec.measured, self.spec.valued, **marks_of(self.spec))
        return mentions(lines, documents(fields, self.sign), self.one)

    @property
    def sign(self) -> int:
        return 1 if self.spec.keep == SHORTEST else -1

    def one(self, line: bytes) -> One:
        record = parse(line, self.spec.once(0))
        length = 0 if self.spec.measured is None else len(wire.take_string(record, self.spec.measured))
        named = orjson.dumps(wire.take_id(record, self.spec.id_field))
        texts = [named] if self.spec.valued is None else [named, text_in(line, self.spec.valued)]
        return texts, [self.sign * length]


def members(lines: bytes) -> Mentions:
    """Takes groups, with the number of their members; a group may name a member more than once."""

    def some(lines: bytes, at: int) -> Taken:
        read = kernel.read_members(lines, at)
        return read.lines, read.end, read.ids, read.id_sizes, read.counts

    def one(line: bytes) -> One:
        ids = take_members(parse(line, Members.once))
        return [orjson.dumps(name) for name in ids], [len(ids)]

    return mentions(lines, some, one)


def documents(fields: DocumentFields | None, sign: int) -> Some:
    """A function that takes documents by the kernel, if fields are given; with a sign, it makes ranks of lengths."""

    def some(lines: bytes, at: int) -> Taken:
        if fields is None:
            return 0, at, b"", b"", b""
        read = kernel.read_documents(lines, at, fields)
        ranks = b""
        if sign:
            lengths = np.frombuffer(read.lengths, np.int64) if read.lengths else np.zeros(read.lines, np.int64)
            ranks = (sign * lengths).tobytes()
        if fields.value is None:
            return read.lines, read.end, read.ids, read.id_sizes, ranks
        start, end = np.frombuffer(read.values, np.int64).reshape(-1, 2).T
        places = spread(start, end - start)[0]
        values = Named(np.frombuffer(lines, np.uint8)[places].tobytes(), end - start)
        both = interleaved(Named(read.ids, np.frombuffer(read.id_sizes, np.int64)), values)
        return read.lines, read.end, both.names, both.sizes.tobytes(), ranks

    return some


def document_fields(
    id_field: str, text: str | None = None, value: str | None = None, **more: Any
) -> DocumentFields | None:
    """The fields that the kernel reads; None if it cannot, because JSON escapes one of their names."""
    names = [None if name is None else in_quotes(name) for name in (id_field, text, value)]
    if any(b"\\" in (name or b"") for name in names):
        return None
    return DocumentFields(names[0] or b"", names[1], value=names[2], **more)


def marks_of(spec: DedupSpec) -> dict[str, Any]:
    """The fields of marks, for the kernel."""
    return dict(zip(("mark", "second"), (name.encode() for name in spec.marks), strict=False))


def bad_rows(found: Mentions, some: Packed, step: int) -> list[Row]:
    """The bad lines as rows of BAD."""
    return [
        {"number": int(some.numbers[each.place]), "step": each.step(step), "cause": each.cause, "line": each.line}
        for each in found.bad
    ]
