"""Work on a graph of documents in one task if it fits, else in rounds: what is connected, and which documents stay.

Of documents that pairs connect, those stay that `decide_by_cover` says. A document decides when those for which it may
go have decided (Blelloch, Fineman and Shun, SPAA 2012). A task gets the pairs of consecutive documents, and follows
chains among them. So if either may go of each pair, each round decides all documents of the first task, and there are
at most as many rounds as tasks. Pairs of which one may go can make more rounds, and a circle of them one for itself.
"""

from functools import partial

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame, Observation
from pyspark.sql import functions as F

from shingletools.kernel import arrays as kernel
from shingletools.kernel.independent_set import FIRST_MAY, OPEN, STAYS, PairEnds
from shingletools.kernel.types import Flags, Index
from shingletools.numbers.union_find import UnionFind
from shingletools.spark.arrow_batches import Batches, from_columns, through, union
from shingletools.spark.storage import Checkpoint

EDGE = pa.schema([("u", "int64"), ("v", "int64")])


def with_nodes(pairs: DataFrame, nodes: DataFrame) -> DataFrame:
    """Returns pairs of names (a, b) with their nodes (u, v); not those of which a name has no node."""
    for name, end in (("a", "u"), ("b", "v")):
        pairs = pairs.join(nodes.select(F.col("name").alias(name), F.col("node").alias(end)), name)
    return pairs


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


TASK_PAIRS = 1 << 22  # pairs that one task takes, at about 150 bytes each
STATUS = pa.schema([("node", "int64"), ("stays", pa.bool_())])


def thinned(edges: DataFrame, count: int, checkpoint: Checkpoint) -> tuple[DataFrame, int]:
    """Decides which nodes stay, as `decide_by_cover` does. Returns STATUS, a row for each node, and the rounds.

    edges: pairs (u, v) of nodes of which u may go for v, perhaps repeated. count: their number. Lesser nodes are
    preferred: if a round decides nothing, the least open one stays.
    """
    later = edges.select(F.col("u").alias("v"), F.lit(True).alias("later")).distinct()
    # A node without a partner before it stays
    stays = F.when(F.col("later").isNull(), True).alias("stays")
    left = checkpoint(edges.join(later, "v", "left").select("u", "v", stays))
    found = [left.where("stays").select(F.col("v").alias("node"), "stays").distinct()]
    rounds, stuck = 0, False
    while count:
        tasks = -(-count // TASK_PAIRS)
        placed = left.repartitionByRange(tasks, "u") if tasks > 1 else left.coalesce(1)
        decided = through(placed, partial(to_status, alone=tasks == 1), STATUS)
        status = checkpoint(left.agg(F.min("u").alias("node"), F.lit(True).alias("stays")) if stuck else decided)
        found.append(status)
        observed = Observation()
        still_open = left.join(status.select(F.col("node").alias("u")), "u", "left_anti")
        still_open = still_open.join(status.select(F.col("node").alias("v"), F.col("stays").alias("now")), "v", "left")
        still_open = still_open.select("u", "v", F.coalesce("stays", "now").alias("stays"))
        left = checkpoint(still_open.observe(observed, F.count(F.lit(1)).alias("left")))
        stuck, count, rounds = observed.get["left"] == count, observed.get["left"], rounds + 1
    return union(found), rounds


def to_status(batches: Batches, alone: bool) -> Batches:
    """Takes edges (u, v, whether v stays, null if that is open), all of each u, to STATUS of each u that it decides.

    alone: whether these are all edges.
    """
    columns = [[np.empty(0, np.int64)] for _ in range(3)]
    for batch in batches:
        columns[0].append(batch.column("u").to_numpy())
        columns[1].append(batch.column("v").to_numpy())
        columns[2].append(batch.column("stays").cast(pa.int64()).fill_null(OPEN).to_numpy())
    node, stays = decide(*(np.concatenate(column) for column in columns), alone=alone)
    yield from_columns(STATUS, node=node, stays=stays)


def decide(u: Index, v: Index, stays: Index, *, alone: bool) -> tuple[Index, Flags]:
    """Returns the nodes u that can be decided, and whether each stays.

    u, v: edges, shape (edges,); stays: whether each v stays: GONE, STAYS or OPEN. alone: whether these are all edges,
    so that circles are decided, too.

    >>> u, v = np.array([7, 8, 9, 6]), np.array([5, 7, 8, 4])
    >>> [column.tolist() for column in decide(u, v, np.array([1, OPEN, OPEN, OPEN]), alone=False)]
    [[7, 8, 9], [False, True, False]]
    """
    nodes, place = np.unique(np.append(u, v), return_inverse=True)
    goes, covers = place[: len(u)], place[len(u) :]
    ends = np.stack([goes, covers], axis=1).astype(np.int32).ravel()
    before, last = np.empty_like(ends), np.full(len(nodes), -1, np.int32)
    kernel.list_ends(ends, before, last)
    state = np.full(len(nodes), OPEN, np.uint8)
    state[covers] = stays
    pairs = PairEnds(ends, before, last, np.zeros(len(u)), np.full(len(u), FIRST_MAY, np.uint8))
    undecided = np.unique(goes)
    kernel.decide_by_cover(undecided if alone else undecided[:0], pairs, state)
    found = undecided[state[undecided] != OPEN]
    return nodes[found], state[found] == STAYS
