"""Runs the lines of batches through adjacent filters."""

import sys
from bisect import bisect_right
from collections.abc import Collection, Iterator, Sequence
from functools import cached_property, partial
from typing import NamedTuple, Protocol

from shingletools import kernel
from shingletools.kernel.line_columns import ColumnData
from shingletools.kernel.lines import FilterFields, Link, RawColumns
from shingletools.record import wire
from shingletools.record.filter_line import fields_for_signatures, fields_of, filter_line
from shingletools.record.json_members import line_at
from shingletools.record.record_batch import RecordBatch, Rejection, Signatures, SourceRecords, StepCounts
from shingletools.record.stage import Filter
from shingletools.system.errors import Rejected

MIN_BATCH_LINES = 8  # ordinary lines in a row; for fewer, a batch costs more than lines

NamedFilter = tuple[Filter, str]  # with the field of ids
BadRow = tuple[int, int, str]  # a row, the number of the filter that rejects it, and the cause


class InputPiece(Protocol):
    """A piece of the input."""

    def batch(self, strict: bool = False, /) -> RecordBatch:
        """Reads it. strict: whether a bad document ends it. Raises Failed."""


class Chain:
    """Adjacent filters. Worker processes get a chain by pickle."""

    def __init__(self, filters: Sequence[NamedFilter], strict: Collection[int] = ()) -> None:
        """strict: the numbers, from 1, of filters whose first bad record ends a batch."""
        self.filters, self.strict = tuple(filters), strict

    def __reduce__(self) -> "tuple[type[Chain], tuple[tuple[NamedFilter, ...], Collection[int]]]":
        """Pickles the filters only, so that another process asks its own kernel for links."""
        return Chain, (self.filters, self.strict)

    @cached_property
    def sections(self) -> "list[Section]":
        """Returns the filters in sections, each with as many as the kernel can run at once."""
        sections: list[Section] = []
        for number, (stage, id_field) in enumerate(self.filters, 1):
            link = stage.link()
            if link and sections and (both := sections[-1].joined(stage, id_field, link)):
                sections[-1] = both
                continue
            links = (link or link_of_function(stage),)
            fields = fields_of([stage], id_field) if links[0] else None
            sections.append(Section(number, ((stage, id_field),), links, fields, bool(link), stage.lines is not None))
        return sections

    @cached_property
    def of_plain(self) -> "Chain":
        """Returns the chain for plain text, in formats that have plain text among HTML."""
        (stage, id_field), *others = self.filters
        return Chain([(stage.plain or stage, id_field), *others], self.strict)

    def work(self, task: tuple[InputPiece, Signatures | None]) -> list[RecordBatch]:
        """Reads a piece of the input, and returns what the filters make of it, as `__call__` does. Raises Failed."""
        batch = task[0].batch(1 in self.strict)
        return (self.of_plain if batch.plain else self)(batch, task[1])

    def __call__(self, batch: RecordBatch, wanted: Signatures | None = None) -> list[RecordBatch]:
        """Returns the batch that the filters make, with what they reject and count.

        wanted: the columns of signatures, which the last filter then gives in place of lines where it can. Then there
        may be several batches; the first one has what is rejected and counted.
        """
        pieces = [batch]
        places: Sequence[int] = range(kernel.count_lines(batch.lines)) if batch.places is None else batch.places
        rejected, stop, given = [*batch.rejected], sys.maxsize, list[Sequence[int]]()
        for section in self.sections:
            given.append(places)
            lines = b"".join([piece.lines for piece in pieces])
            pieces, bad = section.work(lines, wanted if section is self.sections[-1] else None, self.strict)
            rejected += [Rejection(places[row], step, cause, b"", None) for row, step, cause in bad]
            if bad and bad[-1][1] in self.strict:
                stop, places = rejected[-1].place, places[: bad[-1][0]]
            if bad:
                gone = {row for row, _, _ in bad}
                places = [place for row, place in enumerate(places) if row not in gone]
            if section.splits_lines:
                numbers = [piece.lines.count(b"\n") for piece in pieces]
                places = [place for place, number in zip(places, numbers, strict=True) for _ in range(number)]
        if rejected:
            records, documents = SourceRecords(lambda: batch).records, batch.documents
            rejected = sorted(
                each._replace(record=records[each.place], line=documents[each.place].line if documents else each.place)
                for each in rejected
                if each.place <= stop
            )
        batches = [*batches_of(pieces)] if wanted else [RecordBatch(b"".join([piece.lines for piece in pieces]))]
        origin = SourceRecords(lambda: batch) if self.filters else batch.origin
        kept = None if isinstance(places, range) else places
        batches = [
            each._replace(file=batch.file, first=batch.first, alone=batch.alone, places=kept, origin=origin)
            for each in batches
        ]
        counts = self.counts(batch, [*given, places], rejected, stop)
        batches[0] = batches[0]._replace(size=batch.size, messages=batch.messages, rejected=rejected, counts=counts)
        return batches

    def counts(
        self, batch: RecordBatch, places: Sequence[Sequence[int]], rejected: Sequence[Rejection], stop: int
    ) -> list[StepCounts]:
        """Returns what each filter was given, and what it has counted.

        places: of the rows of each section, and of the output. stop: the place at which a strict filter ended the run.
        """
        counts = list[StepCounts]()
        bad = [each for each in batch.rejected if each.place <= stop]
        for section, given, left in zip(self.sections, places, places[1:], strict=False):
            number = bisect_right(given, stop) + (0 if counts else len(bad))
            for step, (stage, _) in enumerate(section.filters, section.first):
                counted = {} if stage.tally is None else stage.tally()
                before = {} if counts or not batch.counts else batch.counts[0].counted
                counts.append(StepCounts(number, len(left) if section.splits_lines else 0, {**counted, **before}))
                number -= sum(each.step == step for each in rejected)
        return counts


def batches_of(pieces: Sequence[RecordBatch]) -> Iterator[RecordBatch]:
    """Yields batches of signatures, and all lines between two of them as one batch, with the rows before each."""
    before, waiting = 0, list[bytes]()
    for piece in (*pieces, None):
        if piece is not None and not piece.rows:
            waiting.append(piece.lines)
            continue
        lines, waiting = b"".join(waiting), []
        if lines or (piece is None and not before):
            yield RecordBatch(lines, before=before)
        before += kernel.count_lines(lines)
        if piece is not None:
            yield piece._replace(before=before)
            before += piece.rows


class Section(NamedTuple):
    """A filter, or several filters that the kernel runs at once on each line.

    The kernel takes the lines that are ordinary to each of these filters. Other lines, and those that fail, go through
    the definition of one filter after the other.
    """

    first: int  # the number of the first filter
    filters: tuple[NamedFilter, ...]
    links: tuple[Link, ...]  # functions in C or Python; empty ones if the kernel can call none
    fields: FilterFields | None  # None if the kernel cannot run these filters
    in_c: bool  # whether the links are in C
    splits_lines: bool

    def joined(self, stage: Filter, id_field: str, link: Link) -> "Section | None":
        """Returns the section with another filter; None if the kernel cannot do it with these.

        Only this filter may read what the last one makes, and both must have links in C.
        """
        last, its_id = self.filters[-1]
        if not self.in_c or last.keep or stage.keep or last.placed or stage.placed or stage.made_of:
            return None
        if (last.produces, its_id) != (stage.consumes, id_field):
            return None
        filters = (*self.filters, (stage, id_field))
        fields = fields_of([each for each, _ in filters], id_field)
        return None if fields is None else self._replace(filters=filters, links=(*self.links, link), fields=fields)

    def work(
        self, lines: bytes, wanted: Signatures | None, strict: Collection[int]
    ) -> tuple[list[RecordBatch], list[BadRow]]:
        """Runs ordinary lines through the kernel, and the lines between them through the definitions, one by one.

        Returns batches of whole lines, or of signatures in place of lines, and the bad rows. It ends at the first line
        that one of the strict filters rejects.
        """
        signed = fields_for_signatures(self.fields, wanted) if self.fields and wanted else None
        pieces, bad = list[RecordBatch](), list[BadRow]()
        row = at = 0
        many = True
        while at < len(lines):
            error = None
            if self.fields is not None:
                fields, layout = signed if signed and many else (self.fields, None)
                data, number, at, error = kernel.linked_lines(self.links, fields, lines, at, layout)
                if number:
                    pieces.append(RecordBatch(data) if isinstance(data, bytes) else batch_of(data))
                row += number
                many = number >= MIN_BATCH_LINES
            if at < len(lines):
                line, at = line_at(lines, at)
                result = self.filter_unusual_line(line, error)
                if isinstance(result, bytes):
                    pieces.append(RecordBatch(result))
                else:
                    bad.append((row, *result))
                    if result[0] in strict:
                        break
                row += 1
        return pieces, bad

    def filter_unusual_line(self, line: bytes, error: Exception | None) -> bytes | tuple[int, str]:
        """Runs the definitions on a line that the kernel did not take, or with which it raised `error`.

        Returns the line that they make; if one rejects it, the number of that filter, and the cause.
        """
        for step, (stage, id_field) in enumerate(self.filters, self.first):
            try:
                if isinstance(error, Rejected) and len(self.filters) == 1:
                    raise error  # do not call the function again: it may have counted the line, or taken long
                make = stage.lines or partial(filter_line, stage)
                filtered = make(id_field, line)
            except Rejected as rejected:
                return step, str(rejected)
            line = filtered.removesuffix(b"\n")
        return filtered


def batch_of(signed: RawColumns) -> RecordBatch:
    """Returns the batch of signatures that the kernel made; it has no lines."""
    return RecordBatch(rows=signed[0], columns=tuple(ColumnData(*column) for column in signed[-1]))


def link_of_function(stage: Filter) -> Link:
    """Returns the link of a filter that is done by a Python function alone."""
    if stage.placed or stage.lines is not None:
        return ()
    return kernel.link_function((lambda text: wire.json_of(stage.function(text))) if stage.listed else stage.function)
