"""The connected components of a graph, in one task if its edges fit, else in rounds."""

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from shingletools.numbers.union_find import UnionFind
from shingletools.spark.arrow_batches import LONG, Batches, from_columns, through
from shingletools.spark.storage import Checkpoint

EDGE = pa.schema([("u", LONG), ("v", LONG)])


def connected(edges: DataFrame, checkpoint: Checkpoint, most: int) -> DataFrame:
    """Returns each node (u) that is connected with a lesser one, and the least of its component (v).

    edges: u and v, in any order, perhaps repeated; kept. most: edges that one task may hold. More are made fewer in
    rounds of large stars and small stars (Kiveris et al. 2014), which end when nothing changes.
    """
    edges = edges.where("u <> v")
    while edges.count() > most:
        edges = checkpoint(small_star(large_star(edges)))
        if are_stars(edges):
            return edges
    return through(edges.select("u", "v").coalesce(1), connect, EDGE)


def are_stars(edges: DataFrame) -> bool:
    """Returns whether each node has at most one edge to a lesser node, and that one has none."""
    roots = edges.select(F.col("v").alias("u"))
    several = edges.groupBy("u").count().where("count > 1")
    return several.isEmpty() and edges.join(roots, "u", "left_semi").isEmpty()


def large_star(edges: DataFrame) -> DataFrame:
    """Connects the greater neighbours of each node with its least neighbour, or itself."""
    both = edges.select("u", "v").unionAll(edges.select(F.col("v").alias("u"), F.col("u").alias("v")))
    least = both.groupBy("u").agg(F.min("v").alias("least")).select("u", F.least("u", "least").alias("least"))
    greater = both.where("v > u").join(least, "u")
    return greater.select(F.col("v").alias("u"), F.col("least").alias("v")).distinct()


def small_star(edges: DataFrame) -> DataFrame:
    """Connects the lesser neighbours of each node, and itself, with the least of these."""
    down = edges.select(F.greatest("u", "v").alias("u"), F.least("u", "v").alias("v"))
    least = down.groupBy("u").agg(F.min("v").alias("least"))
    others = down.join(least, "u").where("v > least").select(F.col("v").alias("u"), F.col("least").alias("v"))
    return others.unionAll(least.select("u", F.col("least").alias("v"))).distinct()


def connect(batches: Batches) -> Batches:
    """Takes all edges to EDGE, with union and find. Memory: 100 bytes an edge."""
    columns = [np.stack([column.to_numpy() for column in batch.columns]) for batch in batches]
    edges = np.concatenate([np.empty((2, 0), np.int64), *columns], axis=1)
    nodes, place = np.unique(edges, return_inverse=True)
    graph = UnionFind(len(nodes))
    graph.join(*place.reshape(2, -1))
    least = graph.representatives()
    others = np.flatnonzero(least != np.arange(len(nodes)))
    yield from_columns(EDGE, u=nodes[others], v=nodes[least[others]])
