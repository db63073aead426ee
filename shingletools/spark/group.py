"""simgroup on Spark, for more ids than one task can hold.

A document is a node: twice the number of the first pair that names it, plus 1 if it is the second there. So a group is
named by its least node, and its members are in the order of their nodes, as in the shell.
"""

from functools import partial

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import from_arrow_schema

from shingletools.commands.simgroup.id_readers import DocumentIds, PairIds
from shingletools.commands.simgroup.spec import GroupSpec
from shingletools.kernel import arrays as kernel
from shingletools.spark.arrow_batches import Batches, binary_array, from_columns, selected_ids, through, union
from shingletools.spark.graph import EDGE, connect, connected, thinned, with_nodes
from shingletools.spark.lines import COPIES_IN_TASKS, GOOD, LINES, StepInput, numbered_records
from shingletools.system.errors import Failed, JudgedDifferent

# The columns of LINES, of a bad line; or the number of a pair, and its two ids as JSON, or of a document, and its id
MENTIONS = pa.schema([*LINES, *pa.schema({"a": "binary", "b": "binary"})])
TASK_EDGES = 1 << 24  # edges that one task holds, at about 100 bytes each
SPLIT_BITS = 20  # low bits of a node: groups whose first nodes differ in other bits are in different files
SINGLES = 1 << 62  # added to the number of a file that holds documents without a group, so that it comes last


def grouped(given: StepInput) -> DataFrame:
    """Returns the groups that pairs make, those of single documents, and bad records. Raises Failed."""
    stage, checkpoint = given.step.stage, given.checkpoint
    assert isinstance(stage, GroupSpec)
    readers: list[PairIds | DocumentIds] = [PairIds(stage.least, stage.once(0))]
    readers += [DocumentIds(stage.id_field) for _ in given.others]
    works = [partial(to_mentions, reader, given.number) for reader in readers]
    every = zip((given.lines, *given.others), works, strict=True)
    mentions = checkpoint(union([through(lines, work, MENTIONS) for lines, work in every]))
    first, second = (F.col(name).isNotNull() for name in ("a", "b"))
    nodes = mentions.where(first).select(F.col("a").alias("name"), F.expr("2 * number").alias("node"))
    nodes = nodes.unionAll(mentions.where(second).select("b", F.expr("2 * number + 1")))
    nodes = checkpoint(nodes.groupBy("name").agg(F.min("node").alias("node")))
    ends = with_nodes(mentions.where(second), nodes)
    edges = ends.select(F.greatest("u", "v").alias("u"), F.least("u", "v").alias("v"))
    if stage.star:
        edges = checkpoint(edges.distinct())
        found = checkpoint(stars(edges, thinned(edges, edges.count(), checkpoint)[0]))
    else:
        # In each task, no more edges are left than connect its nodes
        found = checkpoint(connected(checkpoint(through(edges, connect, EDGE)), checkpoint, TASK_EDGES))
    # The least node of a group is in it, too
    found = found.unionAll(found.select(F.col("v").alias("u"), "v").distinct())
    members = nodes.join(found, F.col("node") == F.col("u"), "left" if stage.against else "inner")
    root = F.coalesce("v", "node").alias("root")
    file = F.shiftright(root, SPLIT_BITS) + F.when(F.col("v").isNull(), SINGLES).otherwise(0)
    named = members.select(file.alias("first"), root, "node", "name")
    lines = named.groupBy("first").applyInArrow(write_groups, from_arrow_schema(LINES))
    bad = mentions.where(F.col("step") > 0).select(*LINES.names)
    return lines.unionAll(bad)


def to_mentions(reader: PairIds | DocumentIds, step: int, batches: Batches) -> Batches:
    """Takes lines to MENTIONS."""
    for some in numbered_records(batches, reader):
        names = binary_array(*reader.ids(some.batch))
        mentions = {"a": names}
        if isinstance(reader, PairIds):
            if reader.copied(some.batch).any():
                raise Failed(COPIES_IN_TASKS)
            mentions = {"a": names[::2], "b": names[1::2]}
        # A pair that is not similar enough has no ids here; the numbers of the others need only be in order
        yield from_columns(MENTIONS, step=GOOD, number=some.numbers[: len(mentions["a"])], **mentions)
        if some.batch.bad is not None and not isinstance(some.batch.bad.error, JudgedDifferent):
            if isinstance(some.batch.bad.error, Failed):
                raise some.batch.bad.error
            yield some.bad(MENTIONS, step)


def stars(edges: DataFrame, status: DataFrame) -> DataFrame:
    """Returns each node that goes (u) with the least of its neighbours that stay (v). status: STATUS."""
    stay = status.where("stays").select(F.col("node").alias("v"))
    go = status.where("NOT stays").select(F.col("node").alias("u"))
    return edges.join(stay, "v").join(go, "u").groupBy("u").agg(F.min("v").alias("v"))


def write_groups(members: pa.Table) -> pa.Table:
    """Takes the members of a file's groups to LINES: one row. Raises Failed."""
    members = members.sort_by([("root", "ascending"), ("node", "ascending")])
    names = members.select(["name"]).combine_chunks().column(0)
    if names.num_chunks > 1:
        raise Failed("groups whose ids take more than 2 GB")
    root = members.column("root").to_numpy()
    counts = np.diff(np.append(np.flatnonzero(np.append(True, np.diff(root) != 0)), len(root)))
    lines = kernel.group_lines(selected_ids(names.chunk(0)), counts)
    first = members.column("first")[0].as_py()
    return pa.Table.from_batches(
        [from_columns(LINES, step=GOOD, first=first, number=int(root[0]), offsets=b"", lines=lines)]
    )
