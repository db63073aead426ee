"""simgroup on a cluster, for more pairs than one task can hold."""

from functools import partial
from typing import NamedTuple

from pyspark.sql import Column, DataFrame, Observation
from pyspark.sql import functions as F

from shingletools.commands.simgroup.id_readers import DocumentIds, PairIds
from shingletools.commands.simgroup.spec import GroupSpec
from shingletools.spark import graphs
from shingletools.spark.batches import counted, through, total, union
from shingletools.spark.exchange import together
from shingletools.spark.graphs import EDGE, unpack
from shingletools.spark.mentions import FAULT
from shingletools.spark.nodes import MET, SINGLE, TAKEN, meet_names, take_pairs, take_singles
from shingletools.spark.packed_names import StepInput, in_units, units_of
from shingletools.spark.parts import PARTS, StepOutput
from shingletools.spark.roots import (
    GROUP_FIGURES,
    NODES,
    PART,
    PLACED,
    ROOTS,
    to_nodes,
    to_placed,
    to_roots,
    write_groups,
)
from shingletools.spark.spark_files import Kept
from shingletools.system.errors import Failed


def grouped(given: StepInput, stage: GroupSpec, verbose: bool = False) -> StepOutput:
    """Groups of pairs; also groups of one, if files of documents are given.

    The numbers of the documents are above those of the pairs. verbose: computes all figures of -v. Raises Failed for a
    pair of two sides.
    """
    # TaskPairs takes the first mention that it meets as the least
    frame = given.frame.sortWithinPartitions("number")
    pairs = PairIds(stage.least, stage.once(0))
    singles = partial(take_singles, DocumentIds(stage.id_field), given.step)
    every = [through(frame, partial(take_pairs, pairs, given.step, verbose or stage.star), TAKEN)]
    every += [through(other, singles, TAKEN) for other in given.others]
    return groups_of(union(every), stage, given, verbose)


def groups_of(every: DataFrame, stage: GroupSpec, given: StepInput, verbose: bool = False) -> StepOutput:
    """Groups of TAKEN. With --star or all figures, it uses all pairs, not only those that connect. Raises Failed."""
    kept, fails, seen = given.kept, F.col("step") == FAULT, Observation()
    taken = kept(every.observe(
        seen, *(total(name) for name in ("names", "sizes", "left")), F.count("cause").alias("bad"),
        F.min(F.when(fails, F.col("number"))).alias("fault"),
    ))  # fmt: skip
    if (fault := seen.get["fault"]) is not None:
        first = taken.where(fails & (F.col("number") == fault)).first()
        assert first is not None
        raise Failed(f"{given.where(fault)}: {first['cause']}")
    size, names, edges = (seen.get[name] or 0 for name in ("names", "sizes", "left"))
    width = max(1, PART // (2 * size // max(names // 8, 1) + 32))
    rejects = []
    if seen.get["bad"]:
        bad = taken.where("cause is not null")
        rejects.append(bad.select("number", "step", "cause", "line"))
    again = Observation()
    met = kept(through(in_units(taken, units_of(size)), meet_names, MET).observe(again, total("again")))
    roots, figures = NodeEdges(taken, met, stage, kept).roots((edges + (again.get["again"] or 0)) // 8, verbose)
    both = met.select("unit", "names", "sizes", "numbers", none("roots")).unionAll(
        roots.select("unit", none("names"), none("sizes"), none("numbers"), "roots")
    )
    placed = through(together(both, "unit"), partial(to_placed, width), PLACED)
    return StepOutput(through(together(placed, "part"), write_groups, PARTS), figures, rejects)


def none(column: str) -> Column:
    return F.lit(None).cast("binary").alias(column)


class NodeEdges(NamedTuple):
    """Nodes, and the edges that connect them."""

    taken: DataFrame
    met: DataFrame
    stage: GroupSpec
    kept: Kept

    def roots(self, count: int, verbose: bool) -> tuple[DataFrame, list[str]]:
        """The roots, found in one task or in rounds."""
        pairs = self.taken.where("left is not null").select("left", "right")
        edges, again = (through(each, unpack, EDGE) for each in (pairs, self.met.select("again", "first")))
        if self.stage.star or verbose:
            edges = self.kept(renamed(edges, again))
            again = again.limit(0)
        found = (
            graphs.stars(edges, count, self.kept)
            if self.stage.star
            else graphs.connected(edges.unionAll(again), count, self.kept)
        )
        found = self.kept(found)
        nodes = through(self.met.select("unit", "numbers"), to_nodes, NODES)
        rooted = nodes.join(found.withColumnRenamed("u", "node"), "node", "left").select(
            "unit", "node", F.coalesce("v", "node").alias("root")
        )
        figures = figures_of(edges, found) if verbose else []
        if self.stage.star:
            heads = found.select(F.col("v").alias("root"), F.lit(True).alias("whole")).distinct()
            alone = F.col("node").bitwiseOR(F.lit(SINGLE)) if self.stage.against else F.lit(-1).cast("long")
            lone = F.col("whole").isNull() & (F.col("node") < SINGLE)
            rooted = rooted.join(heads, "root", "left").withColumn("root", F.when(lone, alone).otherwise(F.col("root")))
        rooted = rooted.select("unit", "node", "root")
        return through(together(rooted, "unit", "node"), to_roots, ROOTS), figures


def renamed(edges: DataFrame, again: DataFrame) -> DataFrame:
    """The distinct edges between first nodes of names, from the larger to the lesser."""
    for end in ("u", "v"):
        names = again.select(F.col("u").alias(end), F.col("v").alias("first"))
        edges = edges.join(names, end, "left").withColumn(end, F.coalesce("first", end)).drop("first")
    return edges.select(F.greatest("u", "v").alias("u"), F.least("u", "v").alias("v")).distinct()


def figures_of(edges: DataFrame, roots: DataFrame) -> list[str]:
    """The figures of simgroup -v."""
    sizes = roots.groupBy("v").agg(F.count("u").alias("others"))
    found, others, most = counted(sizes, F.count("v"), F.sum("others"), F.max("others"))
    (beside_first,) = counted(edges.join(roots, ["u", "v"]), F.count("u"))
    figures = found, others + found, most + (most > 0), others - beside_first
    return [f"{count} {name}" for count, name in zip(figures, GROUP_FIGURES, strict=True)]
