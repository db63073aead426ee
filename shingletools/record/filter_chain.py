"""Runs lines through several filters: the lines that the last one makes, and which filter rejects which line."""

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import count, groupby
from typing import NamedTuple

from shingletools import kernel
from shingletools.kernel.line_columns import ColumnData
from shingletools.kernel.lines import Link, RawColumns
from shingletools.record import wire
from shingletools.record.filter_line import fields_for_signatures, fields_of, filter_line
from shingletools.record.json_members import line_at
from shingletools.record.record_batch import RecordBatch, Signatures
from shingletools.record.stage import Filter
from shingletools.system.errors import Rejected

MIN_BATCH_LINES = 8  # ordinary lines in a row; for fewer, a batch costs more than lines


class Rejection(NamedTuple):
    """A rejected line."""

    place: int  # among the lines that the chain was given
    step: int  # of the filter that rejects it, from 1
    cause: str
    line: bytes  # the input of that filter, without its line feed


Made = list[bytes | RecordBatch]  # lines, each ended by a line feed, and signatures in place of lines
ChainOutput = tuple[Made, list[Rejection]]


class Chain:
    """Filters in their order, each with the field of its ids.

    Where the kernel can do adjacent filters, an ordinary line passes all of them at once. Worker processes get a chain
    by pickle.
    """

    def __init__(self, filters: Sequence[tuple[Filter, str]]) -> None:
        self.filters = tuple(filters)
        self.sections = sections_of(self.filters)
        # The number of the first filter that makes several lines of one; None without one
        self.cut = next((step for step, (stage, _) in enumerate(self.filters) if stage.lines is not None), None)

    def __reduce__(self) -> "tuple[type[Chain], tuple[tuple[tuple[Filter, str], ...]]]":
        """Pickles the filters only, so that another process asks its own kernel for links."""
        return (Chain, (self.filters,))

    def work(self, lines: bytes) -> tuple[bytes, list[Rejection]]:
        """Returns the lines that the last filter makes, and the rejected lines by their places.

        Each line is ended by a line feed. Without filters, the lines are returned as they are.
        """
        made, rejections = self.signed(lines, None)
        return lines_in(made), rejections

    def signed(self, lines: bytes, wanted: Signatures | None) -> ChainOutput:
        """Runs the filters on lines, and gives batches of signatures instead of lines where it can.

        wanted: the columns of signatures; None if only lines are wanted.
        """
        made, rejections = run_sections(self.sections, lines, wanted)
        each_kind = groupby(made, lambda some: isinstance(some, bytes))
        return [item for _, some in each_kind for item in merged_lines([*some])], rejections


def lines_in(made: Made) -> bytes:
    """Returns the lines among lines and batches, joined."""
    return b"".join(item for item in made if isinstance(item, bytes))


def merged_lines(some: Made) -> Made:
    """Returns lines joined into one item; batches are returned as they are."""
    return [lines_in(some)] if isinstance(some[0], bytes) else some


def numbers_without(places: Iterable[int]) -> Iterator[int]:
    """Yields all numbers from 0 on, except these ascending places.

    >>> [number for number, _ in zip(numbers_without([0, 2]), range(3))]
    [1, 3, 4]
    """
    number = 0
    for place in places:
        yield from range(number, place)
        number = place + 1
    yield from count(number)


def run_sections(sections: Sequence["Section"], lines: bytes, wanted: Signatures | None) -> ChainOutput:
    """Runs lines through several sections, one after the other.

    wanted: the columns of signatures that the last section gives instead of lines.
    """
    made: Made = [lines]
    rejections: list[Rejection] = []
    for number, section in enumerate(sections, 1):
        behind = sections[number:]
        made, later = section.work(lines_in(made), None if behind else wanted)
        rejections = merge_rejections(rejections, later)
        if behind and section.splits_lines:
            good = zip(numbers_without(rejection.place for rejection in rejections), made, strict=False)
            origins = [place for place, some in good if isinstance(some, bytes) for _ in range(some.count(b"\n"))]
            made, later = run_sections(behind, lines_in(made), wanted)
            rejections += [each._replace(place=origins[each.place]) for each in later]
            return made, sorted(rejections, key=lambda each: each.place)
    return made, rejections


def merge_rejections(earlier: Sequence[Rejection], later: Sequence[Rejection]) -> list[Rejection]:
    """Returns the rejections of all filters, by their places among all lines.

    earlier: with places among all lines. later: of a later filter, with places among the lines that were left.

    >>> gone, more = ([Rejection(place, 1, "", b"") for place in places] for places in ([0, 2], [0, 1, 2]))
    >>> [each.place for each in merge_rejections(gone, more)]
    [0, 1, 2, 3, 4]
    """
    if not (earlier and later):
        return [*earlier, *later]
    moved, before = [], 0
    for rejection in later:
        while before < len(earlier) and earlier[before].place <= rejection.place + before:
            before += 1
        moved.append(rejection._replace(place=rejection.place + before))
    return sorted([*earlier, *moved])


class ChainStep(NamedTuple):
    """A filter of a chain."""

    number: int  # from 1
    stage: Filter
    id_field: str
    link: Link  # a function in C or Python; empty if the kernel cannot call it
    without_c: bool  # whether it has no function in C


class Section:
    """A filter, or several filters that the kernel runs at once on each line.

    The kernel takes the lines that are ordinary to each of these filters. Other lines, and those that fail, go through
    the definition of one filter after the other.
    """

    def __init__(self, steps: Sequence[ChainStep]) -> None:
        self.steps = steps
        self.links = tuple(step.link for step in steps)
        self.splits_lines = steps[0].stage.lines is not None
        # None if the kernel cannot run these filters
        self.fields = fields_of([step.stage for step in steps], steps[0].id_field) if all(self.links) else None

    def work(self, lines: bytes, wanted: Signatures | None) -> ChainOutput:
        """Runs ordinary lines through the kernel, and the lines between them through the definitions, one by one."""
        signed = fields_for_signatures(self.fields, wanted) if self.fields and wanted else None
        made, rejections = Made(), list[Rejection]()
        place = at = 0
        many = True
        while at < len(lines):
            error = None
            if self.fields is not None:
                fields, form = signed if signed and many else (self.fields, None)
                some, number, at, error = kernel.linked_lines(self.links, fields, lines, at, form)
                made += [some if isinstance(some, bytes) else batch_of(some)] if number else []
                place += number
                many = number >= MIN_BATCH_LINES
            if at < len(lines):
                line, at = line_at(lines, at)
                result = self.filter_unusual_line(line, place, error)
                if isinstance(result, Rejection):
                    rejections.append(result)
                else:
                    made.append(result)
                place += 1
        return made, rejections

    def filter_unusual_line(self, line: bytes, place: int, error: Exception | None) -> bytes | Rejection:
        """Runs the definitions on a line that the kernel did not take, or with which it raised `error`."""
        for step in self.steps:
            try:
                if isinstance(error, Rejected) and len(self.steps) == 1:
                    raise error  # do not call the function again: it may have counted the line, or taken long
                make = step.stage.lines or partial(filter_line, step.stage)
                made = make(step.id_field, line)
            except Rejected as rejected:
                return Rejection(place, step.number, str(rejected), line)
            line = made.removesuffix(b"\n")
        return made


def batch_of(signed: RawColumns) -> RecordBatch:
    """Returns the batch of signatures that the kernel made; it has no lines."""
    return RecordBatch(b"", signed[0], 0, 0, columns=tuple(ColumnData(*column) for column in signed[-1]))


def sections_of(filters: Sequence[tuple[Filter, str]]) -> list[Section]:
    """Returns all filters in sections, each with as many filters as the kernel can run at once."""
    sections: list[Section] = []
    for number, (stage, id_field) in enumerate(filters, 1):
        link = stage.link()
        step = ChainStep(number, stage, id_field, link or link_of_function(stage), not link)
        before = sections[-1].steps if sections else ()
        joined = Section([*before, step]) if before and can_be_linked(before[-1], step) else None
        if joined is not None and joined.fields is not None:
            sections[-1] = joined
        else:
            sections.append(Section([step]))
    return sections


def link_of_function(stage: Filter) -> Link:
    """Returns the link of a filter that is done by a Python function alone."""
    if stage.placed or stage.lines is not None:
        return ()
    return kernel.link_function((lambda text: wire.json_of(stage.function(text))) if stage.listed else stage.function)


def can_be_linked(one: ChainStep, other: ChainStep) -> bool:
    """Returns whether only `other` reads what `one` makes, and both have links in C."""
    return (
        not (one.without_c or other.without_c)
        and not (one.stage.keep or other.stage.keep or one.stage.placed or other.stage.placed)
        and not other.stage.made_of
        and (one.stage.produces, one.id_field) == (other.stage.consumes, other.id_field)
    )
