"""Filters one after the other, on the same lines: what they make of them, and which filter rejects a line."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import count
from typing import NamedTuple, TypeVar

from shingletools import kernel
from shingletools.kernel.line_columns import ColumnData, Kind
from shingletools.kernel.lines import Link
from shingletools.record.filter_line import Reject, fields_of, fields_signed, filter_lines
from shingletools.record.record_batch import RecordBatch, SignatureSchema
from shingletools.record.stage import Filter

MANY = 8  # ordinary lines in a row: what they spare is more than what it takes to stop at an odd one
LONGEST = 1 << 10  # lines that are taken for odd, before one is tried


class Rejection(NamedTuple):
    """A line that is left out."""

    place: int  # among the lines that the chain was given
    step: int  # of the filter that rejects it, from 1
    cause: str
    line: bytes  # as that filter got it, without its line feed


Made = TypeVar("Made", bytes, RecordBatch)
Ordinary = Callable[[bytes, int], tuple[Made, int, int]]  # of lines from a place on: their number, where they end
Worked = tuple[bytes, list[Rejection]]
Signed = tuple[list[bytes | RecordBatch], list[Rejection]]


class Chain:
    """Filters, each with the field of its ids; it is pickled for worker processes.

    Where the kernel knows filters that stand side by side, an ordinary line passes all of them at once.
    """

    def __init__(self, filters: Sequence[tuple[Filter, str]]) -> None:
        self.filters = tuple(filters)
        self.sections = tuple(sections_of(self.filters))
        # The first filter that makes several lines of one, if there is such, and what is left behind it
        cut = next((step for step, (stage, _) in enumerate(self.filters) if stage.lines is not None), None)
        self.cut = cut
        self.before = None if not cut else Chain(self.filters[:cut])
        self.behind = None if cut is None else Chain(self.filters[cut + 1 :])

    def __reduce__(self) -> "tuple[type[Chain], tuple[tuple[tuple[Filter, str], ...]]]":
        """Another process asks the kernel that it has."""
        return (Chain, (self.filters,))

    def work(self, lines: bytes) -> Worked:
        """The lines that the last filter makes, each ended by a line feed, and those that are left out, by place.

        Without filters the lines are what they were.
        """
        if self.cut is None or self.behind is None:
            return through(self.sections, lines)
        gone: list[Rejection] = []
        if self.before is not None and lines:
            lines, gone = self.before.work(lines)
        left = rest_of([each.place for each in gone])  # now: more go below
        stage, id_field = self.filters[self.cut]
        made, origins = [], []
        for place, (_, result) in zip(left, filter_lines(stage, id_field, lines), strict=False):
            if isinstance(result, Reject):
                gone.append(Rejection(place, self.cut + 1, *result))
            else:
                made.append(result)
                origins += [place] * result.count(b"\n")
        lines, more = self.behind.work(b"".join(made))
        gone += [each._replace(place=origins[each.place], step=each.step + self.cut + 1) for each in more]
        return lines, sorted(gone, key=lambda each: each.place)

    def signed(self, lines: bytes, wanted: SignatureSchema) -> Signed:
        """Makes batches of signatures in place of lines, where it can. Each filter must make a line of one."""
        assert self.cut is None
        lines, gone = through(self.sections[:-1], lines)
        made, more = self.sections[-1].signed(lines, wanted)
        return made, among_all(gone, more)


def rest_of(places: Iterable[int]) -> Iterator[int]:
    """All numbers from 0 but these, which ascend.

    >>> [number for number, _ in zip(rest_of([0, 2]), range(3))]
    [1, 3, 4]
    """
    number = 0
    for place in places:
        yield from range(number, place)
        number = place + 1
    yield from count(number)


def through(parts: Iterable["ChainStep | Section"], lines: bytes) -> Worked:
    rejections: list[Rejection] = []
    for part in parts:
        if lines:
            lines, more = part.work(lines)
            rejections = among_all(rejections, more)
    return lines, rejections


def among_all(gone: Sequence[Rejection], more: Sequence[Rejection]) -> list[Rejection]:
    """Lines that went before, and others with their places among those that were left; by place among all.

    >>> gone, more = ([Rejection(place, 1, "", b"") for place in places] for places in ([0, 2], [0, 1, 2]))
    >>> [each.place for each in among_all(gone, more)]
    [0, 1, 2, 3, 4]
    """
    if not (gone and more):
        return [*gone, *more]
    moved, before = [], 0
    for each in more:
        while before < len(gone) and gone[before].place <= each.place + before:
            before += 1
        moved.append(each._replace(place=each.place + before))
    return sorted([*gone, *moved])


class ChainStep(NamedTuple):
    """One filter."""

    number: int  # from 1
    stage: Filter
    id_field: str
    link: Link

    def work(self, lines: bytes) -> Worked:
        made, rejections, place = [], [], 0
        for number, result in filter_lines(self.stage, self.id_field, lines):
            if isinstance(result, Reject):
                rejections.append(Rejection(place, self.number, *result))
            else:
                made.append(result)
            place += number
        return b"".join(made), rejections


class Section:
    """One filter, or several that the kernel does at once, without a line between them.

    Of several it does lines that are ordinary for each of them. Other lines, and those that fail, go through the
    filters one by one. Where such lines are close together, those between them do, too: the stretch doubles until
    there are fewer.
    """

    def __init__(self, steps: Sequence[ChainStep]) -> None:
        self.steps = steps
        self.links = tuple(step.link for step in steps)
        # What the kernel must know; None if it cannot do them at once
        self.fields = fields_of([step.stage for step in steps], steps[0].id_field) if all(self.links) else None

    def work(self, lines: bytes) -> Worked:
        if len(self.steps) == 1:
            return self.steps[0].work(lines)
        made, rejections = self.all_of(lines, self.lines)
        return b"".join(made), rejections

    def lines(self, lines: bytes, at: int) -> tuple[bytes, int, int]:
        assert self.fields is not None
        return kernel.linked_lines(self.links, self.fields, lines, at)[:3]

    def signed(self, lines: bytes, wanted: SignatureSchema) -> Signed:
        """Makes batches of signatures in place of lines, where the kernel can."""
        fields = None if self.fields is None else fields_signed(self.fields, wanted)
        if fields is None:
            made, rejections = self.work(lines)
            return [made], rejections
        payload = next(field for field in wanted.fields if field.kind == Kind.GROUPS)

        def work(lines: bytes, at: int) -> tuple[RecordBatch, int, int]:
            read, bare = kernel.signed_lines(self.links, fields, payload.digits, payload.size, wanted.lines, lines, at)
            rows, end, starts, lasts, columns = read
            every = tuple(ColumnData(*each) for each in columns)
            return RecordBatch(bare, rows, len(bare), len(bare), starts, lasts, every), rows, end

        return self.all_of(lines, work)

    def all_of(self, lines: bytes, ordinary: Ordinary[Made]) -> tuple[list[Made | bytes], list[Rejection]]:
        """What the kernel makes of ordinary lines, and what comes of those between them."""
        every, rejections = list[Made | bytes](), list[Rejection]()
        place = at = 0
        stretch = 1
        while at < len(lines):
            made, number, at = ordinary(lines, at)
            if number:
                every.append(made)
            place += number
            stretch = max(1, stretch // 2) if number >= MANY else min(2 * stretch, LONGEST)
            if odd := lines[at : end_of_lines(lines, at, stretch)]:
                others, more = through(self.steps, odd)
                every.append(others)
                rejections += [each._replace(place=place + each.place) for each in more]
                place += kernel.count_lines(odd)
                at += len(odd)
        return every, rejections


def end_of_lines(lines: bytes, at: int, number: int) -> int:
    """Where so many lines from a place on end, or all.

    >>> [end_of_lines(b"a\\nb\\nc", 2, number) for number in range(4)]
    [2, 4, 5, 5]
    """
    for _ in range(number):
        at = lines.find(b"\n", at) + 1 or len(lines)
    return at


def sections_of(filters: Sequence[tuple[Filter, str]]) -> Iterator[Section]:
    """Yields all filters, as many together as the kernel can do at once."""
    run: list[ChainStep] = []
    for number, (stage, id_field) in enumerate(filters, 1):
        step = ChainStep(number, stage, id_field, stage.link())
        if run and not is_for(run[-1], step):
            yield from together(run)
            run = []
        run.append(step)
    yield from together(run)


def is_for(one: ChainStep, other: ChainStep) -> bool:
    """Returns whether only the second filter needs the first one's payload, and both have links in C."""
    return (
        bool(one.link and other.link)
        and not (one.stage.keep or other.stage.keep or one.stage.placed or other.stage.placed)
        and not other.stage.made_of
        and (one.stage.produces, one.id_field) == (other.stage.consumes, other.id_field)
    )


def together(run: Sequence[ChainStep]) -> Iterator[Section]:
    section = Section(run) if run else None
    if section is not None and (section.fields is not None or len(run) == 1):
        yield section
    else:
        yield from (Section([step]) for step in run)
