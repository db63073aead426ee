"""simgroup on Spark, for more ids than one task can hold.

A document is a node: the number of the first pair that names it, twice, plus 1 if it is the second there. So a group is
named by its least node, and its members are in the order of their nodes, as in the shell.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from shingletools.commands.simgroup.id_readers import DocumentIds, IdReader, PairIds
from shingletools.commands.simgroup.spec import GroupSpec
from shingletools.kernel import arrays as kernel
from shingletools.kernel.ids import SelectedIds
from shingletools.kernel.types import Index
from shingletools.numbers.union_find import UnionFind
from shingletools.record.record_batch import read_batch
from shingletools.spark.arrow_batches import (
    BYTES,
    GOOD,
    LINES,
    LONG,
    Batches,
    NumberedLines,
    bad_row,
    binary_array,
    bytes_of,
    from_columns,
    from_rows,
    ids_array,
    numbered_lines,
    through,
    union,
)
from shingletools.spark.components import connected
from shingletools.spark.independent_set import thinned
from shingletools.spark.step_input import StepInput, StepOutput
from shingletools.spark.tally import Tally
from shingletools.system.errors import Failed

# Names as JSON with their nodes; or an edge between nodes; or the columns of a bad line
GRAPH = pa.schema([*LINES, *pa.schema({"name": BYTES, "node": LONG, "u": LONG, "v": LONG})])
NAME_BYTES = 1 << 26  # of names that a task holds before it gives them, and edges between them
EDGES_IN_TASK = 1 << 24  # at about 100 bytes each
SPLIT_BITS = 25  # of a node: groups whose first nodes differ in other bits are in different files
LINE_BYTES = 1 << 22  # of names in a row of groups
ALONE = 1 << 62  # added to the first of a document's group that is alone: these come last


def grouped(given: StepInput) -> StepOutput:
    """Returns the groups that pairs make, those of single documents, and bad records. Raises Failed."""
    stage, checkpoint, tally = given.step.stage, given.checkpoint, Tally(given.lines.sparkSession.sparkContext)
    assert isinstance(stage, GroupSpec)
    pairs = Mentions(PairIds(stage.least, stage.once(0)), given.number, tally, whole=stage.star)
    singles = Mentions(DocumentIds(stage.id_field), given.number, tally, pairs=False)
    # The first mention that a task meets must be the least
    lines = given.lines.sortWithinPartitions("number")
    every = [through(lines, pairs, GRAPH), *(through(each, singles, GRAPH) for each in given.others)]
    graph = checkpoint(union(every))
    first = F.min("node").over(Window.partitionBy("name"))
    named = checkpoint(graph.where("name IS NOT NULL").select("name", "node", first.alias("first")))
    again = named.where((F.col("node") != F.col("first")) & (F.col("node") < 2 * given.boundary))
    again = again.select(F.col("node").alias("u"), F.col("first").alias("v"))
    edges = graph.where("u IS NOT NULL").select("u", "v")
    if stage.star:
        edges = checkpoint(renamed(edges, again))
        found = stars(edges, *thinned(edges, edges.count(), checkpoint)[:1])
    else:
        found = connected(checkpoint(edges.unionAll(again)), checkpoint, EDGES_IN_TASK)
    found = checkpoint(found.withColumnsRenamed({"u": "node", "v": "root"}))
    members = named.where("node = first").select("name", "node").join(found, "node", "left")
    roots = found.select(F.col("root").alias("node"), F.lit(True).alias("is_root")).distinct()
    members = members.join(roots, "node", "left")
    alone = F.col("root").isNull() & F.col("is_root").isNull()
    members = members.select("name", "node", F.coalesce("root", "node").alias("root"), alone.alias("alone"))
    members = members if stage.against else members.where("NOT alone")
    split = F.shiftright("root", SPLIT_BITS) + F.when(F.col("alone"), F.lit(ALONE)).otherwise(F.lit(0))
    ordered = members.select(split.alias("first"), "root", "node", "name")
    ordered = ordered.repartition("first").sortWithinPartitions("first", "root", "node")
    bad = graph.where(F.col("step") > 0).select(*LINES.names)
    return StepOutput(through(ordered, write_groups, LINES).unionAll(bad), [], [], sum(tally.value))


@dataclass(frozen=True)
class Mentions:
    """Takes lines to GRAPH: their names, and edges between the two of a pair. Tells the number of good lines."""

    reader: IdReader
    step: int
    tally: Tally
    pairs: bool = True  # else documents
    whole: bool = False  # whether to give all edges, not only those that connect
    held: int = NAME_BYTES

    def __call__(self, batches: Batches) -> Batches:
        task, good = TaskGraph(self.whole), 0
        for some in numbered_lines(batches):
            at = row = 0
            while at < len(some.lines):
                batch = read_batch(some.lines, at, self.reader.schema)
                ids, sizes = self.reader.ids(batch)
                numbers = some.numbers[row : row + batch.rows]
                if self.pairs:
                    # A pair that is not similar enough leaves no name, so what is left may be fewer
                    numbers = numbers[: len(sizes) // 2]
                    nodes = (2 * np.repeat(numbers, 2)) + np.tile([0, 1], len(numbers))
                    yield columns(task.take(ids, sizes, nodes))
                else:
                    yield columns({"name": binary_array(ids, sizes), "node": 2 * numbers})
                at, row, good = batch.next, row + batch.rows, good + batch.rows * self.pairs
                if batch.bad is not None:
                    if isinstance(batch.bad.error, Failed):
                        raise batch.bad.error
                    yield bad(some, row, self.step, str(batch.bad.error), batch.bad.line)
                    row += 1
            if len(task.ids.data) > self.held:
                yield columns(task.names())
                task = TaskGraph(self.whole)
        yield columns(task.names())
        self.tally.add(good)


class TaskGraph:
    """The names that a task has met, each with the least node of it so far."""

    def __init__(self, whole: bool) -> None:
        self.ids, self.whole, self.connected = kernel.new_ids(), whole, UnionFind()
        self.nodes: Index = np.empty(0, np.int64)

    def take(self, names: bytes, sizes: Index, nodes: Index) -> dict[str, Index | pa.Array]:
        """Takes pairs of names; returns edges between nodes of them: all, or those that connect."""
        name = np.frombuffer(self.ids.number(names, sizes), np.int64)
        new = len(self.ids) - len(self.nodes)
        self.nodes = np.append(self.nodes, np.full(new, np.iinfo(np.int64).max))
        np.minimum.at(self.nodes, name, nodes)
        left, right = name[::2], name[1::2]
        if not self.whole:
            self.connected.grow(len(self.ids))
            some = self.connected.join(left, right)
            left, right = left[some], right[some]
        return {"u": self.nodes[left], "v": self.nodes[right]}

    def names(self) -> dict[str, Index | pa.Array]:
        return {"name": ids_array(self.ids), "node": self.nodes}


def columns(given: dict[str, Index | pa.Array]) -> pa.RecordBatch:
    """Returns rows of GRAPH that have only these columns."""
    rows = max(map(len, given.values()))
    every = {"step": pa.repeat(pa.scalar(GOOD, pa.int32()), rows), **given}
    return from_columns(GRAPH, [every.get(field.name, pa.nulls(rows, field.type)) for field in GRAPH])


def bad(some: NumberedLines, row: int, step: int, cause: str, line: bytes) -> pa.RecordBatch:
    nothing = [None] * (len(GRAPH) - len(LINES))
    return from_rows(GRAPH, [(*bad_row(some.first, int(some.numbers[row]), step, cause, line), *nothing)])


def renamed(edges: DataFrame, again: DataFrame) -> DataFrame:
    """Returns the distinct edges between first nodes of names, from the greater to the lesser."""
    for end in ("u", "v"):
        names = again.select(F.col("u").alias(end), F.col("v").alias("first"))
        edges = edges.join(names, end, "left").withColumn(end, F.coalesce("first", end)).drop("first")
    return edges.select(F.greatest("u", "v").alias("u"), F.least("u", "v").alias("v")).distinct()


def stars(edges: DataFrame, status: DataFrame) -> DataFrame:
    """Returns each node that another has taken (u), and that one (v): the least of its neighbours that stay."""
    stay = status.where("stays").select(F.col("node").alias("v"))
    goes = status.where("NOT stays").select(F.col("node").alias("u"))
    return edges.join(stay, "v").join(goes, "u").groupBy("u").agg(F.min("v").alias("v"))


def write_groups(batches: Batches) -> Batches:
    """Takes members, group by group, to LINES. Memory: a group, or LINE_BYTES."""
    held: list[pa.RecordBatch] = []
    for some in filter(len, batches):
        root = some.column("root").to_numpy()
        last = held[-1].column("root")[-1].as_py() if held else root[0]
        if sum(each.nbytes for each in held) >= LINE_BYTES and root[-1] != last:
            end = int(np.argmax(root != last))  # of the group that the rows before are of
            yield from lines_of(pa.Table.from_batches([*held, some.slice(0, end)]).combine_chunks())
            held = [some.slice(end)]
        else:
            held.append(some)
    if held:
        yield from lines_of(pa.Table.from_batches(held).combine_chunks())


def lines_of(members: pa.Table) -> Iterator[pa.RecordBatch]:
    """Yields the lines of whole groups, a row of LINES for each split."""
    first, root = (members.column(name).to_numpy() for name in ("first", "root"))
    if members.column("name").num_chunks > 1:
        raise Failed("a group whose ids take more than 2 GB")
    data, sizes = bytes_of(members.column("name").chunk(0))
    ends, starts = np.cumsum(sizes), np.flatnonzero(np.append(True, (np.diff(root) != 0) | (np.diff(first) != 0)))
    counts = np.diff(np.append(starts, len(root)))
    for split in np.unique(first[starts]).tolist():
        some = np.flatnonzero(first[starts] == split)
        rows = np.flatnonzero(first == split)
        lines = kernel.group_lines(SelectedIds(data.tobytes(), ends, rows), counts[some])
        yield from_rows(LINES, [(GOOD, split, int(root[rows[0]]), b"", None, lines)])
