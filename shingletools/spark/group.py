"""simgroup on a cluster.

Each task numbers the names that it meets: a node is twice the number of a pair, and one more for the second of it. So
the first mention of a name in a task is a node, and the least node of all tasks is the first mention of all.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import NamedTuple

import numpy as np
import orjson
import pyarrow as pa
from pyspark.sql import Column, DataFrame, Observation
from pyspark.sql import functions as F

from shingletools import wire
from shingletools.errors import Failed, Rejected
from shingletools.kernel import arrays as kernel
from shingletools.kernel.groups import DECIMALS
from shingletools.kernel.ids import IdsAt
from shingletools.kernel.types import Index
from shingletools.records import line_at, parse
from shingletools.simgroup.groups import take_pair
from shingletools.simgroup.spec import GroupSpec
from shingletools.spark import graphs
from shingletools.spark.batches import Batches, Packed, batch_of, counted, packed, through, total
from shingletools.spark.files import Kept
from shingletools.spark.graphs import EDGE, Ranks, Unpack
from shingletools.spark.names import (
    BAD,
    HELD,
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
from shingletools.spark.parts import PARTS
from shingletools.unionfind import UnionFind

SINGLE = 1 << 62  # in nodes that no pair has, behind all others
PART = 1 << 25  # bytes of groups that are brought together, if their names are of one size; or one group
ROW = 1 << 22  # bytes of names in a row of groups
TAKEN = pa.schema([*NAMES, ("left", pa.binary()), ("right", pa.binary()), *BAD])
# The names of some buckets, each once, ascending by their nodes; and other nodes (again) of those (first)
MET = pa.schema([("unit", pa.int32()), *NAMES[1:], ("again", pa.binary()), ("first", pa.binary())])
SAID = "groups", "documents in them", "in the largest", "without a pair with their first"
# For each node of a unit the first of its group, or -1 if it has none; in a row without a unit what is said of them
ROOTS = pa.schema([("unit", pa.int32()), ("roots", pa.binary()), *((name, pa.int64()) for name in SAID)])
NODES = pa.schema([("unit", pa.int32()), ("node", pa.int64())])
PLACED = pa.schema([("part", pa.int64()), *NAMES[1:], ("roots", pa.binary())])
WRITTEN = pa.schema([*PARTS, *((name, pa.int64()) for name in SAID)])


class GroupLines(NamedTuple):
    """Groups as lines; and what is said of them."""

    lines: DataFrame  # PARTS
    rejects: Sequence[DataFrame]
    figures: Sequence[str]


class TaskPairs:
    """Names of pairs, and the pairs as nodes, as a task meets them."""

    def __init__(self) -> None:
        self.ids = kernel.new_ids()
        self.nodes = bytearray()  # of the first mention of each name
        self.connected = UnionFind()

    def __len__(self) -> int:
        """Bytes that are held."""
        return len(self.ids.data) + len(self.nodes)

    def take(self, named: Named, numbers: Index, whole: bool) -> Row:
        """Pairs of names with the numbers of the pairs; gives them as nodes, all or only those that connect."""
        name = numbers_of(self.ids.number(named.names, named.sizes))
        mention = np.repeat(2 * numbers, 2)
        mention[1::2] += 1
        known = len(self.nodes) // 8
        new = name >= known
        self.nodes += bytes(8 * (len(self.ids) - known))
        nodes = np.frombuffer(self.nodes, np.int64)
        nodes[name[new][::-1]] = mention[new][::-1]  # backwards, so that the first stays
        left, right = name[::2], name[1::2]
        if not whole:
            self.connected.grow(len(self.ids))
            news = self.connected.join(left, right)
            left, right = left[news], right[news]
        return {"left": nodes[left].tobytes(), "right": nodes[right].tobytes()}

    def names(self) -> Iterator[Row]:
        sizes = np.diff(numbers_of(bytes(self.ids.ends)), prepend=0)
        return by_bucket(Named(bytes(self.ids.data), sizes), numbers=numbers_of(bytes(self.nodes)))


@dataclass(frozen=True)
class TakePairs:
    """Lines to names and nodes. Memory: HELD bytes of names, and 100 bytes for each.

    A pair that fails the run is like a bad one, without a step.
    """

    least: Fraction | None
    once: Sequence[str]
    step: int
    whole: bool  # whether all pairs are wanted, or only those that connect

    def __call__(self, batches: Batches) -> Iterator[pa.RecordBatch]:
        pairs = TaskPairs()
        for some in packed(batches):
            named, bad = self.read(some)
            # Pairs that are left out make no gap in the nodes
            yield rows_of(TAKEN, [*bad, pairs.take(named, some.numbers[: len(named.sizes) // 2], self.whole)])
            if len(pairs) >= HELD:
                yield rows_of(TAKEN, list(pairs.names()))
                pairs = TaskPairs()
        yield rows_of(TAKEN, list(pairs.names()))

    def read(self, some: Packed) -> tuple[Named, list[Row]]:
        """The names of pairs that are alike enough, and the lines that are none."""
        least = -1 if self.least is None else ceil(self.least * 10**DECIMALS)
        names, sizes, bad = [b""], [b""], []
        at = place = 0
        while at < len(some.lines):
            read = kernel.read_pairs(some.lines, at, least)
            at, place = read.end, place + read.lines
            names.append(read.ids)
            sizes.append(read.id_sizes)
            if at < len(some.lines):
                line, at = line_at(some.lines, at)
                try:
                    pair = take_pair(parse(line, self.once), self.least)
                    two = [orjson.dumps(name) for name in pair or ()]
                    names += two
                    sizes.append(np.array([*map(len, two)], np.int64).tobytes())
                except (Rejected, Failed) as error:
                    step = self.step if isinstance(error, Rejected) else None
                    number = int(some.numbers[place])
                    bad.append({"number": number, "step": step, "cause": str(error), "line": line})
                place += 1
        return Named(b"".join(names), concatenated(sizes)), bad


@dataclass(frozen=True)
class TakeSingles:
    """Lines to names, with nodes behind those of all pairs. Memory: that of a row."""

    id_field: str
    step: int

    def __call__(self, batches: Batches) -> Iterator[pa.RecordBatch]:
        for some in packed(batches):
            found = read_documents(some, document_fields(self.id_field, None), self.name, self.step)
            names = by_bucket(found.named, numbers=2 * found.numbers | SINGLE)
            yield rows_of(TAKEN, [*found.bad, *names])

    def name(self, line: bytes) -> tuple[bytes, int]:
        return orjson.dumps(wire.take_id(parse(line, [self.id_field]), self.id_field)), 0


@dataclass(frozen=True)
class MeetNames:
    """Names to each once. Memory: the names of a unit, 50 bytes for each, and 16 for each task that has met it."""

    def __call__(self, batches: Batches) -> Iterator[pa.RecordBatch]:
        for unit, rows in runs(batches, "unit"):
            ids = kernel.new_ids()
            names, nodes = [], []
            for row in rows:
                names.append(ids.number(row["names"], row["sizes"]))
                nodes.append(row["numbers"])
            name, node = concatenated(names), concatenated(nodes)
            first = np.full(len(ids), np.iinfo(np.int64).max)
            np.minimum.at(first, name, node)
            order = np.argsort(first)
            named = Named(bytes(ids.data), np.diff(numbers_of(bytes(ids.ends)), prepend=0)).at(order)
            again = (node != first[name]) & (node < SINGLE)
            yield rows_of(MET, [{
                "unit": unit, "names": named.names, "sizes": named.sizes.tobytes(), "numbers": first[order].tobytes(),
                "again": node[again].tobytes(), "first": first[name[again]].tobytes(),
            }])  # fmt: skip


@dataclass(frozen=True)
class Connect:
    """All edges to the groups of all nodes, in one task, and what is said of them. Memory: 100 bytes an edge."""

    star: bool
    singles: bool  # whether nodes that are alone count

    def __call__(self, batches: Batches) -> Iterator[pa.RecordBatch]:
        units, parts = {}, {name: [b""] for name in ("left", "right", "again", "first")}
        for batch in batches:
            for row in batch.to_pylist():
                if row.get("numbers") is not None:
                    units[row["unit"]] = numbers_of(row["numbers"])
                for name, some in parts.items():
                    some.append(row.get(name) or b"")
        left, right, again, first = map(concatenated, parts.values())
        ranks = Ranks(np.append(left, right))
        of_name = np.arange(len(ranks))
        of_name[ranks.of(again)] = ranks.of(first)
        one, other = of_name[ranks.of(left)], of_name[ranks.of(right)]
        method = graphs.method_of(self.star)
        method.grow(len(ranks))
        method.join(one, other)
        roots = method.representatives()
        sizes = np.bincount(roots, minlength=len(roots))
        nearest = np.arange(len(ranks))
        np.minimum.at(nearest, one, other)
        np.minimum.at(nearest, other, one)
        large = sizes[sizes > 1]
        chained = np.count_nonzero(nearest > roots)
        figures = len(large), int(large.sum()), int(large.max(initial=0)), int(chained)
        found = ranks.known[roots]
        found[sizes[roots] == 1] = found[sizes[roots] == 1] | SINGLE if self.singles else -1
        rows: list[Row] = [dict(zip(SAID, figures, strict=True))]
        for unit, nodes in units.items():
            paired = int(np.searchsorted(nodes, SINGLE))
            rows.append({"unit": unit, "roots": found[ranks.of(nodes[:paired])].tobytes() + nodes[paired:].tobytes()})
        yield rows_of(ROOTS, rows)


@dataclass(frozen=True)
class Nodes:
    """Units to their nodes, a row each."""

    def __call__(self, batches: Batches) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for row in batch.to_pylist():
                nodes = numbers_of(row["numbers"])
                yield batch_of(NODES, [np.full(len(nodes), row["unit"], np.int32), nodes])


@dataclass(frozen=True)
class Roots:
    """Nodes with their roots, by unit and node, to the roots of each unit. Memory: those of a unit."""

    def __call__(self, batches: Batches) -> Iterator[pa.RecordBatch]:
        held: list[bytes] = []
        unit = None
        for batch in batches:
            units, roots = batch.column("unit").to_numpy(), batch.column("root").to_numpy()
            starts = np.append(0, np.flatnonzero(units[1:] != units[:-1]) + 1)[: len(units)]
            for start, some in zip(starts.tolist(), np.split(roots, starts[1:]), strict=False):
                if held and int(units[start]) != unit:
                    yield rows_of(ROOTS, [{"unit": unit, "roots": b"".join(held)}])
                    held = []
                unit = int(units[start])
                held.append(some.tobytes())
        if held:
            yield rows_of(ROOTS, [{"unit": unit, "roots": b"".join(held)}])


@dataclass(frozen=True)
class Place:
    """Names and roots of units to parts of the groups, which are in the order of their roots. Memory: a unit."""

    width: int  # of a part, in nodes

    def __call__(self, batches: Batches) -> Iterator[pa.RecordBatch]:
        for _, rows in runs(batches, "unit"):
            columns = {name: each for row in rows for name, each in row.items() if each is not None}
            roots, nodes = numbers_of(columns["roots"]), numbers_of(columns["numbers"])
            some = np.flatnonzero(roots >= 0)
            order = some[np.argsort(roots[some] // self.width, kind="stable")]
            parts, counts = np.unique(roots[order] // self.width, return_counts=True)
            named = Named(columns["names"], numbers_of(columns["sizes"])).at(order)
            placed = in_parts(named, counts, "part", numbers=nodes[order], roots=roots[order])
            yield rows_of(PLACED, [{**row, "part": int(parts[row["part"]])} for row in placed])


@dataclass(frozen=True)
class Write:
    """Members of the groups of a part to lines. Memory: that of a part, whose groups may have any number of members."""

    def __call__(self, batches: Batches) -> Iterator[pa.RecordBatch]:
        for part, rows in runs(batches, "part"):
            columns = list(zip(*((row["names"], row["sizes"], row["numbers"], row["roots"]) for row in rows),
                               strict=True))  # fmt: skip
            names = b"".join(columns[0])
            sizes, nodes, roots = map(concatenated, columns[1:])
            order = np.lexsort((nodes, roots))
            firsts = np.flatnonzero(np.append(True, np.diff(roots[order]) != 0))
            members = np.diff(firsts, append=len(order))
            ends = np.cumsum(sizes)
            before = np.append(0, np.cumsum(sizes[order]))
            group = 0
            while group < len(firsts):
                next_group = int(np.searchsorted(before[firsts], before[firsts[group]] + ROW, "right"))
                next_group = max(group + 1, next_group - 1) if next_group < len(firsts) else next_group
                start, end = int(firsts[group]), int(members[group:next_group].sum() + firsts[group])
                lines = kernel.group_lines(IdsAt(names, ends, order[start:end]), members[group:next_group])
                yield rows_of(PARTS, [{"part": part, "number": int(roots[order[start]]), "lines": lines}])
                group = next_group


@dataclass(frozen=True)
class GroupAtOnce:
    """Rows of TAKEN, with units in place of buckets, to groups, in one task.

    Memory: that of the names, and 100 bytes for each and for each edge.
    """

    connect: Connect
    place: Place

    def __call__(self, batches: Batches) -> Iterator[pa.RecordBatch]:
        given = list(batches)
        met = list(MeetNames()(batch.filter(batch.column("unit").is_valid()) for batch in given))
        edges = [batch.filter(batch.column("left").is_valid()) for batch in given]
        (roots,) = self.connect(iter([*edges, *met]))
        yield rows_of(WRITTEN, roots.slice(0, 1).to_pylist())
        for lines in Write()(self.place(iter([*met, roots.slice(1)]))):
            yield rows_of(WRITTEN, lines.to_pylist())


def grouped(  # noqa: PLR0913
    frame: DataFrame, others: Sequence[DataFrame], stage: GroupSpec, step: int, kept: Kept, *,
    where: Callable[[int], str], verbose: bool = False,
) -> GroupLines:  # fmt: skip
    """Groups of the pairs that `frame` has, and with `others` those of one document; all of PACKED.

    The numbers of the others are above those of the pairs; `where` says the file and line of one. Raises Failed.
    """
    frame = frame.sortWithinPartitions("number")  # TaskPairs takes the first mention that it meets for the least
    every = through(frame, TakePairs(stage.least, stage.once(0), step, verbose or stage.star), TAKEN)
    for other in others:
        every = every.unionAll(through(other, TakeSingles(stage.id_field, step), TAKEN))
    seen = Observation()
    taken = kept(every.observe(
        seen, *(total(name) for name in ("names", "sizes", "left")), F.count("step").alias("bad"),
        F.min(F.when(F.col("step").isNull() & F.col("cause").isNotNull(), F.col("number"))).alias("refused"),
    ))  # fmt: skip
    if (refused := seen.get["refused"]) is not None:
        first = taken.where((F.col("number") == refused) & F.col("step").isNull()).first()
        assert first is not None
        raise Failed(f"{where(refused)}: {first['cause']}")
    size, names, edges = (seen.get[name] or 0 for name in ("names", "sizes", "left"))
    width = max(1, PART // (2 * size // max(names // 8, 1) + 32))
    rejects = []
    if seen.get["bad"]:
        bad = taken.where("cause is not null")
        rejects.append(bad.select("number", "step", "cause", "line"))
    connect, units = Connect(stage.star, bool(stage.against)), units_of(size)
    if units == 1 and (edges + names) // 8 <= graphs.EDGES:
        unit = F.when(F.col("bucket") >= 0, 0).alias("unit")
        every = taken.select(unit, "names", "sizes", "numbers", "left", "right")
        told = Observation()
        lines = kept(through(every.coalesce(1), GroupAtOnce(connect, Place(width)), WRITTEN).observe(told, *maxima()))
        return GroupLines(lines.where("part is not null").select(*PARTS.names), rejects, said(told))
    again = Observation()
    met = kept(through(in_units(taken, units), MeetNames(), MET).observe(again, total("again")))
    nodes = (edges + (again.get["again"] or 0)) // 8
    figures: Sequence[str]
    if nodes <= graphs.EDGES:
        roots, figures = small(taken, met, connect, kept)
    else:
        roots, figures = large(taken, met, nodes, stage, kept, verbose)
    both = met.select("unit", "names", "sizes", "numbers", none("roots")).unionAll(
        roots.select("unit", none("names"), none("sizes"), none("numbers"), "roots")
    )
    placed = through(together(both, "unit"), Place(width), PLACED)
    return GroupLines(through(together(placed, "part"), Write(), PARTS), rejects, figures)


def none(column: str) -> Column:
    return F.lit(None).cast("binary").alias(column)


def maxima() -> list[Column]:
    return [F.max(f"`{name}`").alias(name) for name in SAID]


def said(told: Observation) -> list[str]:
    return [f"{told.get[name]} {name}" for name in SAID]


def small(taken: DataFrame, met: DataFrame, connect: Connect, kept: Kept) -> tuple[DataFrame, list[str]]:
    """Roots, where one task can find them all."""
    edges = taken.where("left is not null").select(
        F.lit(None).cast("int").alias("unit"), none("numbers"), "left", "right", none("again"), none("first")
    )
    every = edges.unionAll(met.select("unit", "numbers", none("left"), none("right"), "again", "first"))
    told = Observation()
    roots = kept(through(every.coalesce(1), connect, ROOTS).observe(told, *maxima()))
    return roots.where("unit is not null"), said(told)


def large(  # noqa: PLR0913, PLR0917
    taken: DataFrame, met: DataFrame, count: int, stage: GroupSpec, kept: Kept, verbose: bool
) -> tuple[DataFrame, list[str]]:
    """Roots, in rounds."""
    edges = through(taken.where("left is not null").select("left", "right"), Unpack("left", "right"), EDGE)
    again = through(met.select("again", "first"), Unpack("again", "first"), EDGE)
    if stage.star or verbose:
        edges = kept(renamed(edges, again))
        again = again.limit(0)
    found = graphs.stars(edges, count, kept) if stage.star else graphs.components(edges.unionAll(again), count, kept)
    found = kept(found)
    nodes = through(met.select("unit", "numbers"), Nodes(), NODES)
    rooted = nodes.join(found.withColumnRenamed("u", "node"), "node", "left").select(
        "unit", "node", F.coalesce("v", "node").alias("root")
    )
    figures = figures_of(edges, found) if verbose else []
    if stage.star:
        heads = found.select(F.col("v").alias("root"), F.lit(True).alias("whole")).distinct()
        alone = F.col("node").bitwiseOR(F.lit(SINGLE)) if stage.against else F.lit(-1).cast("long")
        lone = F.col("whole").isNull() & (F.col("node") < SINGLE)
        rooted = rooted.join(heads, "root", "left").withColumn("root", F.when(lone, alone).otherwise(F.col("root")))
    rooted = rooted.select("unit", "node", "root")
    return through(together(rooted, "unit", "node"), Roots(), ROOTS), figures


def renamed(edges: DataFrame, again: DataFrame) -> DataFrame:
    """Edges between the first nodes of names, each once, from the larger one to the lesser."""
    for end in ("u", "v"):
        names = again.select(F.col("u").alias(end), F.col("v").alias("first"))
        edges = edges.join(names, end, "left").withColumn(end, F.coalesce("first", end)).drop("first")
    return edges.select(F.greatest("u", "v").alias("u"), F.least("u", "v").alias("v")).distinct()


def figures_of(edges: DataFrame, roots: DataFrame) -> list[str]:
    """What simgroup says of its groups."""
    sizes = roots.groupBy("v").agg(F.count("u").alias("others"))
    found, others, most = counted(sizes, F.count("v"), F.sum("others"), F.max("others"))
    (beside_first,) = counted(edges.join(roots, ["u", "v"]), F.count("u"))
    figures = found, others + found, most + (most > 0), others - beside_first
    return [f"{count} {name}" for count, name in zip(figures, SAID, strict=True)]
