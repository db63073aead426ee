"""dedup on a cluster: the names of documents and of groups' members meet, and what is decided goes back as numbers.

The lines stay where they are, unless the decisions are too many to go to all tasks.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
import orjson
import pyarrow as pa
from pyspark.sql import DataFrame, Observation
from pyspark.sql import functions as F

from shingletools import wire
from shingletools.dedup.marks import annotated, joined, mark
from shingletools.dedup.members import take_members
from shingletools.dedup.spec import NONE, SHORTEST, DedupSpec, in_two_groups
from shingletools.errors import Failed, Rejected, seen_before
from shingletools.kernel import arrays as kernel
from shingletools.kernel.types import Flags, Index
from shingletools.records import line_at, parse
from shingletools.spark.batches import Batches, Packed, packed, through, total
from shingletools.spark.files import Kept
from shingletools.spark.names import (
    BAD,
    BUCKETS,
    NAMES,
    Named,
    Row,
    by_bucket,
    concatenated,
    document_fields,
    in_parts,
    in_units,
    numbers_of,
    read_documents,
    rows_of,
    runs,
    together,
    units_of,
)

PART = 1 << 26  # bytes of documents that are brought together
FEW = 1 << 25  # bytes of decisions that every machine may have
NO_GROUP = np.iinfo(np.int64).max
# Names of documents, with ranks, the least of which stays, or of members of a group, with their places in it, doubled,
# and odd if the group is too small to be looked at; blocks, which are rows of documents; bad lines
TAKEN = pa.schema([*NAMES, ("ranks", pa.binary()), ("block", pa.int64()), ("count", pa.int64()), ("bytes", pa.int64()),
                   ("group", pa.bool_()), *BAD])  # fmt: skip
# Documents in groups, with names, by their groups; and those whose id was seen before, without
MET = pa.schema([*NAMES, ("ranks", pa.binary()), ("groups", pa.binary()), ("again", pa.int64()),
                 ("twice", pa.int64()), ("place", pa.int64()), ("name", pa.binary())])  # fmt: skip
# Of a block numbers of documents: that go, with the names of those that stay; that are left out; of these, that were
# seen before
DECIDED = pa.schema([("block", pa.int64()), *NAMES[1:], ("out", pa.binary()), ("again", pa.binary())])
LINES = pa.schema([("part", pa.int64()), ("number", pa.int64()), ("numbers", pa.binary()), ("lines", pa.binary())])


class Deduplicated(NamedTuple):
    """Documents that stay, and that go, as lines with their numbers; and what is said of them."""

    lines: DataFrame
    removed: DataFrame | None
    rejects: Sequence[DataFrame]
    figures: Sequence[str]


class Where(Protocol):
    def where(self, number: int, /) -> str:
        """The file and line of a number."""


@dataclass(frozen=True)
class TakeDocuments:
    """Documents to names. Memory: that of a row."""

    spec: DedupSpec
    step: int

    def __call__(self, batches: Batches) -> Iterator[pa.RecordBatch]:
        fields = document_fields(
            self.spec.id_field,
            self.spec.measured,
            **marks_of(self.spec),
        )
        for number, some in rows_of_lines(batches):
            found = read_documents(some, fields, self.name, self.step)
            ranks = found.lengths if self.spec.keep == SHORTEST else -found.lengths
            block = {"block": number, "count": len(some.numbers), "bytes": len(some.lines)}
            names = by_bucket(found.named, numbers=found.numbers, ranks=ranks)
            yield rows_of(TAKEN, [block, *found.bad, *names])

    def name(self, line: bytes) -> tuple[bytes, int]:
        record = parse(line, self.spec.once(0))
        length = 0 if self.spec.measured is None else len(wire.take_string(record, self.spec.measured))
        return orjson.dumps(wire.take_id(record, self.spec.id_field)), length


@dataclass(frozen=True)
class TakeMembers:
    """Groups to the names of their members, with twice the number of the group. Memory: that of a row."""

    larger_than: int

    def __call__(self, batches: Batches) -> Iterator[pa.RecordBatch]:
        for some in packed(batches):
            names, sizes, counts, bad = [b""], [b""], [b""], []
            at = place = 0
            while at < len(some.lines):
                read = kernel.read_members(some.lines, at)
                at, place = read.end, place + read.lines
                names.append(read.ids)
                sizes.append(read.id_sizes)
                counts.append(read.counts)
                if at < len(some.lines):
                    line, at = line_at(some.lines, at)
                    ids = []
                    try:
                        ids = [orjson.dumps(name) for name in take_members(wire.parse_json(line))]
                    except Rejected as error:
                        bad.append({"number": int(some.numbers[place]), "cause": str(error), "group": True})
                    names += ids
                    sizes.append(np.array([*map(len, ids)], np.int64).tobytes())
                    counts.append(np.array([len(ids)]).tobytes())
                    place += 1
            members, named = concatenated(counts), Named(b"".join(names), concatenated(sizes))
            places = np.arange(len(named.sizes)) - np.repeat(np.cumsum(members) - members, members)
            ranks = 2 * places + np.repeat(different(named, members) <= self.larger_than, members)
            rows = by_bucket(named, numbers=np.repeat(some.numbers, members), ranks=ranks)
            yield rows_of(TAKEN, [*bad, *({**row, "group": True} for row in rows)])


def different(named: Named, counts: Index) -> Index:
    """How many different names each group has, of so many."""
    ids = numbers_of(kernel.new_ids().number(named.names, named.sizes.tobytes()))
    groups = np.repeat(np.arange(len(counts)), counts)
    order = np.lexsort((ids, groups))
    ids, groups = ids[order], groups[order]
    new = np.ones(len(ids), np.bool_)
    new[1:] = (ids[1:] != ids[:-1]) | (groups[1:] != groups[:-1])
    found: Index = np.bincount(groups[new], minlength=len(counts))
    return found


@dataclass(frozen=True)
class MeetGroups:
    """Names to documents in groups. Memory: the names of a unit, and 100 bytes for each.

    In the column `twice` is the least number of a group that has a name that another has before it.
    """

    def __call__(self, batches: Batches) -> Iterator[pa.RecordBatch]:
        for _, some in runs(batches, "unit"):
            ids = kernel.new_ids()
            members: list[list[bytes]] = [[], [], []]
            documents: list[list[bytes]] = [[], [], []]
            for row in some:
                columns = members if row["group"] else documents
                columns[0].append(ids.number(row["names"], row["sizes"]))
                columns[1].append(row["numbers"])
                columns[2].append(row["ranks"])
            named = Named(bytes(ids.data), np.diff(numbers_of(bytes(ids.ends)), prepend=0))
            name, group, place = map(concatenated, members)
            group_of = np.full(len(ids), NO_GROUP)
            np.minimum.at(group_of, name, group)
            small = name[place % 2 == 1]
            rows: list[Row] = []
            wrong = np.flatnonzero(group != group_of[name])
            if len(wrong):
                first = wrong[np.lexsort((place[wrong], group[wrong]))[:1]]
                twice = {"twice": int(group[first][0]), "place": int(place[first][0])}
                rows.append({**twice, "name": named.at(name[first]).names})
            name, number, rank = map(concatenated, documents)
            first_of = np.full(len(ids), NO_GROUP)
            np.minimum.at(first_of, name, number)
            again = number != first_of[name]
            rows += [{"again": each} for each in number[again].tolist()]
            group_of[small] = NO_GROUP
            rows += in_groups(named, group_of, name[~again], number[~again], rank[~again])
            yield rows_of(MET, rows)


def in_groups(named: Named, group_of: Index, name: Index, number: Index, rank: Index) -> Iterator[Row]:
    """Rows of MET, of those of some documents that are in groups, in buckets by these."""
    member = np.flatnonzero(group_of[name] != NO_GROUP)
    group = group_of[name[member]]
    bucket = (kernel.fmix64(group.view(np.uint64)) >> np.uint64(56)).astype(np.int64)
    order = np.argsort(bucket, kind="stable")
    member = member[order]
    numbers = {"numbers": number[member], "ranks": rank[member], "groups": group[order]}
    return in_parts(named.at(name[member]), np.bincount(bucket, minlength=BUCKETS), "bucket", **numbers)


@dataclass(frozen=True)
class Choose:
    """Documents of groups to those that go, by blocks. Memory: documents of a unit, their names, 100 bytes for each."""

    blocks: bytes  # the first number of each
    every: bool  # or one of each group stays

    def __call__(self, batches: Batches) -> Iterator[pa.RecordBatch]:
        for _, rows in runs(batches, "unit"):
            columns = list(zip(*((row["names"], row["sizes"], row["numbers"], row["ranks"], row["groups"])
                                 for row in rows), strict=True))  # fmt: skip
            named = Named(b"".join(columns[0]), concatenated(columns[1]))
            number, rank, group = map(concatenated, columns[2:])
            order = np.lexsort((number, rank, group))
            firsts = np.append(True, np.diff(group[order]) != 0)
            best = order[np.flatnonzero(firsts)[np.cumsum(firsts) - 1]]
            goes, stays = (order, order) if self.every else (order[~firsts], best[~firsts])
            ascending = np.argsort(number[goes])
            goes, stays = goes[ascending], stays[ascending]
            yield rows_of(DECIDED, list(decided(self.blocks, named.at(stays), number[goes])))


@dataclass(frozen=True)
class LeftOut:
    """Numbers of documents that are left out, and whether their ids were seen before, to blocks. Memory: a batch."""

    blocks: bytes

    def __call__(self, batches: Batches) -> Iterator[pa.RecordBatch]:
        starts = numbers_of(self.blocks)
        for batch in batches:
            numbers, again = batch.column("number").to_numpy(), batch.column("again").to_numpy(zero_copy_only=False)
            places = np.searchsorted(starts, numbers, "right") - 1
            yield rows_of(DECIDED, [
                {"block": int(starts[place]), "out": numbers[here].tobytes(), "again": numbers[here & again].tobytes()}
                for place in np.unique(places).tolist() for here in [places == place]
            ])  # fmt: skip


def decided(blocks: bytes, named: Named, numbers: Index) -> Iterator[Row]:
    """Rows of DECIDED, from numbers in their order and the names that stay."""
    starts = numbers_of(blocks)
    places = np.searchsorted(starts, numbers, "right") - 1
    there, counts = np.unique(places, return_counts=True)
    for row in in_parts(named, counts, "block", numbers=numbers):
        yield {**row, "block": int(starts[there[row["block"]]])}


@dataclass(frozen=True)
class Merge:
    """Rows of DECIDED to one for each block. Memory: that of a block."""

    def __call__(self, batches: Batches) -> Iterator[pa.RecordBatch]:
        for block, some in runs(batches, "block"):
            rows = list(some)
            named = Named(b"".join(row["names"] or b"" for row in rows),
                          concatenated([row["sizes"] or b"" for row in rows]))  # fmt: skip
            numbers = concatenated([row["numbers"] or b"" for row in rows])
            order = np.argsort(numbers)
            named = named.at(order)
            out, again = (b"".join(row[name] or b"" for row in rows) for name in ("out", "again"))
            yield rows_of(DECIDED, [{"block": block, "names": named.names, "sizes": named.sizes.tobytes(),
                                     "numbers": numbers[order].tobytes(), "out": out, "again": again}])  # fmt: skip


class DecidedBlock(NamedTuple):
    """Some documents, and what was decided of them."""

    some: Packed
    goes: Index  # their numbers
    out: Index  # of those that are left out
    again: Index  # of those of them whose ids were seen before
    stay: Named  # the names of those that stay in place of those that go

    @classmethod
    def of(cls, batches: Batches) -> "Iterator[DecidedBlock]":
        for batch in batches:
            for place in range(len(batch)):
                row = batch.slice(place, 1)
                (some,) = packed(iter([row]))
                names, *columns = (
                    row.column(name)[0].as_py() or b"" for name in ("names", "sizes", "goes", "out", "again")
                )
                sizes, goes, out, again = map(numbers_of, columns)
                yield cls(some, goes, out, again, Named(names, sizes))


def marks_of(spec: DedupSpec) -> dict[str, bytes]:
    """The fields that it writes, for the kernel."""
    return dict(zip(("mark", "second"), (name.encode() for name in spec.marks), strict=False))


def rows_of_lines(batches: Batches) -> Iterator[tuple[int, Packed]]:
    """The number of each row, and its lines."""
    for batch in batches:
        yield from zip(batch.column("number").to_pylist(), packed(iter([batch])), strict=True)


def only(some: Packed, wanted: Flags) -> Packed:
    """Some of the lines."""
    if wanted.all():
        return some
    ends = np.flatnonzero(np.frombuffer(some.lines, np.uint8) == ord("\n")) + 1
    edges = np.flatnonzero(np.diff(wanted.astype(np.int8), prepend=0, append=0))
    bounds = np.append(0, ends)[edges].tolist()
    view = memoryview(some.lines)
    lines = b"".join(view[start:end] for start, end in zip(bounds[::2], bounds[1::2], strict=True))
    return Packed(some.numbers[wanted], lines)


@dataclass(frozen=True)
class Cut:
    """Blocks to the documents that stay in the output, or that go; with `annotate`, all of them. Memory: a block."""

    starts: bytes  # the first number of each part
    gone: bool
    spec: DedupSpec

    def __call__(self, batches: Batches) -> Iterator[pa.RecordBatch]:
        starts = numbers_of(self.starts)
        for block in DecidedBlock.of(batches):
            numbers = block.some.numbers
            if not len(numbers):
                continue
            if self.gone:
                wanted = np.isin(numbers, block.goes)
            else:
                wanted = ~np.isin(numbers, block.out)
                if not self.spec.annotate:
                    wanted &= ~np.isin(numbers, block.goes)
            some = only(block.some, wanted)
            if not len(some.numbers):
                continue
            lines = b"".join(self.marked(some, block)) if self.spec.annotate else some.lines
            part = int(np.searchsorted(starts, numbers[0], "right")) - 1
            yield rows_of(LINES, [{"part": part, "number": int(some.numbers[0]), "numbers": some.numbers.tobytes(),
                                   "lines": lines}])  # fmt: skip

    def marked(self, some: Packed, block: DecidedBlock) -> Iterator[bytes | memoryview]:
        """Documents, those that go with the name of the one that stays."""
        fields = document_fields(self.spec.id_field, None, **marks_of(self.spec), marked=False)
        ends = np.append(0, np.cumsum(block.stay.sizes)).tolist()
        view = memoryview(some.lines)
        places = np.searchsorted(block.goes, some.numbers)
        goes = np.isin(some.numbers, block.goes)
        at = place = 0
        while at < len(some.lines):
            if fields is not None:
                read = kernel.read_documents(some.lines, at, fields)
                lasts = numbers_of(read.lasts)
                for line in np.flatnonzero(goes[place : place + read.lines]).tolist():
                    yield view[at : int(lasts[line])]
                    at = int(lasts[line])
                    kept = int(places[place + line])
                    yield joined(mark(block.stay.names[ends[kept] : ends[kept + 1]], self.spec.keep))
                yield view[at : read.end]
                at, place = read.end, place + read.lines
            if at < len(some.lines):
                document, at = line_at(some.lines, at)
                kept = int(places[place])
                says = mark(block.stay.names[ends[kept] : ends[kept + 1]], self.spec.keep) if goes[place] else None
                yield annotated(document, says)
                yield b"\n"
                place += 1


@dataclass(frozen=True)
class Again:
    """Blocks, of which documents with ids that were seen before are left out, to these. Memory: a block."""

    spec: DedupSpec
    step: int

    def __call__(self, batches: Batches) -> Iterator[pa.RecordBatch]:
        for block in DecidedBlock.of(batches):
            found = only(block.some, np.isin(block.some.numbers, block.again))
            rows = []
            for number, line in zip(found.numbers.tolist(), found.lines.split(b"\n")[:-1], strict=True):
                cause = seen_before(wire.take_id(wire.parse_json(line), self.spec.id_field))
                rows.append({"number": number, "step": self.step, "cause": cause, "line": line})
            yield rows_of(pa.schema(BAD), rows)


def deduplicated(  # noqa: PLR0913, PLR0917
    frame: DataFrame, others: Sequence[DataFrame], stage: DedupSpec, step: int, kept: Kept, numbers: Where
) -> Deduplicated:  # fmt: skip
    """Documents of `frame`, by the groups of `others`; all of PACKED. `frame` is worked out more than once.

    Raises Failed for what is no group, or in two.
    """
    every = through(frame, TakeDocuments(stage, step), TAKEN)
    for other in others:
        every = every.unionAll(through(other, TakeMembers(stage.larger_than), TAKEN))
    seen = Observation()
    taken = kept(every.observe(
        seen, total("names"), F.count("step").alias("bad"), F.sum("count").alias("documents"),
        F.min(F.when(F.col("group"), F.col("number"))).alias("wrong"),
    ))  # fmt: skip
    blocks, parts = divided(taken)
    units = units_of(seen.get["names"] or 0)
    told = Observation()
    met = kept(through(in_units(taken, units, "ranks", "group"), MeetGroups(), MET).observe(
        told, F.min("twice").alias("twice"), F.count("again").alias("again"), total("names")
    ))  # fmt: skip
    check(taken, met, seen.get["wrong"], told.get["twice"], numbers)
    left_out = (
        taken.where("step is not null")
        .select("number", F.lit(False).alias("again"))
        .unionAll(met.where("again is not null").select("again", F.lit(True)))
    )
    units = units_of(told.get["names"] or 0)
    goes = through(in_units(met, units, "ranks", "groups"), Choose(blocks.tobytes(), stage.keep == NONE), DECIDED)
    out = through(left_out, LeftOut(blocks.tobytes()), DECIDED)
    said = Observation()
    decisions = kept(through(together(goes.unionAll(out), "block", alone=units == 1), Merge(), DECIDED).observe(
        said, *(total(name) for name in DECIDED.names[1:])
    ))  # fmt: skip
    sizes = {name: said.get[name] or 0 for name in DECIDED.names[1:]}
    few = decisions if sum(sizes.values()) > FEW else F.broadcast(decisions)
    together_with = frame.join(few.withColumnsRenamed({"block": "number", "numbers": "goes"}), "number", "left")

    def cut(gone: bool) -> DataFrame:
        return through(together_with, Cut(parts.tobytes(), gone, stage), LINES)

    rejects = []
    if seen.get["bad"]:
        rejects.append(taken.where("step is not null").select("number", "step", "cause", "line"))
    if told.get["again"]:
        rejects.append(through(together_with.where("again <> X''"), Again(stage, step), pa.schema(BAD)))
    go = sizes["numbers"] // 8
    stay = (seen.get["documents"] or 0) - seen.get["bad"] - told.get["again"] - go
    figures = stage.figures(stay, go, 0)
    return Deduplicated(cut(False), None if stage.removed is None else cut(True), rejects, figures)


def divided(taken: DataFrame) -> tuple[Index, Index]:
    """The numbers of blocks, and of the first block of each part."""
    rows = taken.where("block is not null").select("block", "bytes").orderBy("block").collect()
    blocks, sizes = (np.array([row[name] for row in rows], np.int64) for name in ("block", "bytes"))
    parts = (np.cumsum(sizes) - sizes) // PART
    return blocks, blocks[np.unique(parts, return_index=True)[1]]


def check(taken: DataFrame, met: DataFrame, wrong: int | None, twice: int | None, numbers: Where) -> None:
    """Raises Failed for the first line that is no group, or names a document that is in a group before."""
    if wrong is not None and (twice is None or wrong < twice):
        first = taken.where((F.col("number") == wrong) & F.col("group")).first()
        assert first is not None
        raise Failed(f"{numbers.where(wrong)}: {first['cause']}")
    if twice is not None:
        first = met.where(F.col("twice") == twice).orderBy("place").first()
        assert first is not None
        raise Failed(f"{numbers.where(twice)}: {in_two_groups(orjson.loads(bytes(first['name'])))}")
