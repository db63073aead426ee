"""What simgroup and dedup take of lines: names, by the kernel where a line is ordinary, else by the definition."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import Any, NamedTuple, cast

import numpy as np
import orjson

from shingletools import wire
from shingletools.dedup.members import take_members
from shingletools.dedup.spec import SHORTEST, DedupSpec
from shingletools.errors import Failed, Rejected
from shingletools.kernel import arrays as kernel
from shingletools.kernel.groups import DECIMALS, DocumentFields
from shingletools.kernel.types import Index
from shingletools.records import in_quotes, line_at, parse
from shingletools.simgroup.groups import take_pair
from shingletools.simgroup.spec import GroupSpec
from shingletools.spark.batches import Packed
from shingletools.spark.names import Named, Row, concatenated
from shingletools.stage import Stage

FAULT = -1  # the step of a line that no run goes on from


class NoMention(NamedTuple):
    """A line that has no names."""

    place: int  # which one, from 0
    cause: str
    line: bytes
    fails: bool = False  # not only this line, but the run

    def step(self, step: int) -> int:
        """The step by which it is known, of the one that reads it."""
        return FAULT if self.fails else step


class Mentions(NamedTuple):
    """The names that lines have, and the lines that are none."""

    named: Named
    figures: Index  # int64: of each document its rank, the least of which stays; of each group how many names it has
    bad: list[NoMention]  # if the last of them fails the run, nothing behind it was read

    def good(self, numbers: Index) -> Index:
        """Numbers of the lines that are some, of those of all lines."""
        return np.delete(numbers, [each.place for each in self.bad]) if self.bad else numbers


Taken = tuple[int, int, bytes, bytes, bytes]  # how many lines, where the next one begins, names, sizes, figures
Some = Callable[[bytes, int], Taken]


def mentions(lines: bytes, some: Some, one: Callable[[bytes], tuple[Sequence[Any], Sequence[int]]]) -> Mentions:
    """`some` takes ordinary lines from a place on; `one` the ids and figures of any line, or raises.

    That is Rejected, or Failed for a line that the run fails for.
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
                ids, numbers = one(line)
                texts = [orjson.dumps(name) for name in ids]
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
    """Pairs that are alike enough, two names each, without figures."""

    least: Fraction | None
    once: Sequence[str]

    def __call__(self, lines: bytes) -> Mentions:
        least = -1 if self.least is None else ceil(self.least * 10**DECIMALS)
        return mentions(lines, lambda lines, at: (*kernel.read_pairs(lines, at, least), b""), self.one)

    def one(self, line: bytes) -> tuple[Sequence[Any], Sequence[int]]:
        return take_pair(parse(line, self.once), self.least) or (), ()


@dataclass(frozen=True)
class Singles:
    """Documents, without figures."""

    id_field: str

    def __call__(self, lines: bytes) -> Mentions:
        return mentions(lines, documents(document_fields(self.id_field, None), 0), self.one)

    def one(self, line: bytes) -> tuple[Sequence[Any], Sequence[int]]:
        return [wire.take_id(parse(line, [self.id_field]), self.id_field)], ()


@dataclass(frozen=True)
class Ranked:
    """Documents with ranks, of which the least stays: the length of the text, where that counts, or 0."""

    spec: DedupSpec

    def __call__(self, lines: bytes) -> Mentions:
        fields = document_fields(self.spec.id_field, self.spec.measured, **marks_of(self.spec))
        return mentions(lines, documents(fields, self.sign), self.one)

    @property
    def sign(self) -> int:
        return 1 if self.spec.keep == SHORTEST else -1

    def one(self, line: bytes) -> tuple[Sequence[Any], Sequence[int]]:
        record = parse(line, self.spec.once(0))
        length = 0 if self.spec.measured is None else len(wire.take_string(record, self.spec.measured))
        return [wire.take_id(record, self.spec.id_field)], [self.sign * length]


def members(lines: bytes) -> Mentions:
    """Groups with the number of their members, some of which they may name more than once."""

    def some(lines: bytes, at: int) -> Taken:
        read = kernel.read_members(lines, at)
        return read.lines, read.end, read.ids, read.id_sizes, read.counts

    def one(line: bytes) -> tuple[Sequence[Any], Sequence[int]]:
        ids = take_members(wire.parse_json(line))
        return ids, [len(ids)]

    return mentions(lines, some, one)


def documents(fields: DocumentFields | None, sign: int) -> Some:
    """Takes those that the kernel reads, if it is told their fields, and with a sign the ranks of each."""

    def some(lines: bytes, at: int) -> Taken:
        if fields is None:
            return 0, at, b"", b"", b""
        read = kernel.read_documents(lines, at, fields)
        ranks = b""
        if sign:
            lengths = np.frombuffer(read.lengths, np.int64) if read.lengths else np.zeros(read.lines, np.int64)
            ranks = (sign * lengths).tobytes()
        return read.lines, read.end, read.ids, read.id_sizes, ranks

    return some


def document_fields(id_field: str, text: str | None, **more: Any) -> DocumentFields | None:
    """What the kernel must know of documents; None if it cannot read them, for a name has what JSON escapes."""
    names = [in_quotes(name) for name in (id_field, *([] if text is None else [text]))]
    if any(b"\\" in name for name in names):
        return None
    return DocumentFields(names[0], None if text is None else names[1], **more)


def marks_of(spec: DedupSpec) -> dict[str, bytes]:
    """The fields that it writes, for the kernel."""
    return dict(zip(("mark", "second"), (name.encode() for name in spec.marks), strict=False))


def bad_rows(found: Mentions, some: Packed, step: int) -> list[Row]:
    """Rows of BAD, of some lines."""
    return [
        {"number": int(some.numbers[each.place]), "step": each.step(step), "cause": each.cause, "line": each.line}
        for each in found.bad
    ]


def of_stage(stage: Stage) -> tuple[Callable[[bytes], Mentions], Callable[[bytes], Mentions]]:
    """What simgroup or dedup takes of the lines of its input, and of files beside it."""
    if isinstance(stage, GroupSpec):
        return PairNames(stage.least, stage.once(0)), Singles(stage.id_field)
    return Ranked(cast(DedupSpec, stage)), members
