"""Work on a graph of documents in one task if it fits, else in rounds: what is connected, and which documents stay.

Of documents that pairs connect, the greedy choice in the order of preference stays. A document decides when all its
partners before it have decided (Blelloch, Fineman and Shun, SPAA 2012). A task gets the pairs of consecutive documents,
and follows chains among them. So each round decides all documents of the first task, and there are at most as many
rounds as tasks.
"""

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame, Observation
from pyspark.sql import functions as F

from shingletools.kernel import arrays as kernel
from shingletools.kernel.independent_set import PairEnds, Partners
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
OPEN = 2  # in place of whether a node stays: that is not decided yet
STATUS = pa.schema([("node", "int64"), ("stays", pa.bool_())])


def thinned(edges: DataFrame, count: int, checkpoint: Checkpoint) -> tuple[DataFrame, int]:
    """Decides which nodes stay. Returns STATUS, a row for each node, and the number of rounds.

    edges: pairs (u, v) of nodes with v before u in the order of preference, perhaps repeated. count: their number.
    """
    later = edges.select(F.col("u").alias("v"), F.lit(True).alias("later")).distinct()
    # A node without a partner before it stays
    stays = F.when(F.col("later").isNull(), True).alias("stays")
    left = checkpoint(edges.join(later, "v", "left").select("u", "v", stays))
    found = [left.where("stays").select(F.col("v").alias("node"), "stays").distinct()]
    rounds = 0
    while count:
        tasks = -(-count // TASK_PAIRS)
        placed = left.repartitionByRange(tasks, "u") if tasks > 1 else left.coalesce(1)
        status = checkpoint(through(placed, to_status, STATUS))
        found.append(status)
        observed = Observation()
        still_open = left.join(status.select(F.col("node").alias("u")), "u", "left_anti")
        still_open = still_open.join(status.select(F.col("node").alias("v"), F.col("stays").alias("now")), "v", "left")
        still_open = still_open.select("u", "v", F.coalesce("stays", "now").alias("stays"))
        left = checkpoint(still_open.observe(observed, F.count(F.lit(1)).alias("left")))
        count, rounds = observed.get["left"], rounds + 1
    return union(found), rounds


def to_status(batches: Batches) -> Batches:
    """Takes edges (u, v, whether v stays, null if that is open), all of each u, to STATUS of each u that it decides."""
    columns = [[np.empty(0, np.int64)] for _ in range(3)]
    for batch in batches:
        columns[0].append(batch.column("u").to_numpy())
        columns[1].append(batch.column("v").to_numpy())
        columns[2].append(batch.column("stays").cast(pa.int64()).fill_null(OPEN).to_numpy())
    node, stays = decide(*(np.concatenate(column) for column in columns))
    yield from_columns(STATUS, node=node, stays=stays)


def decide(u: Index, v: Index, stays: Index) -> tuple[Index, Flags]:
    """Returns the nodes u that can be decided, and whether each stays.

    u, v: edges, shape (edges,); stays: whether each v stays: 0, 1 or OPEN. A node surely stays if no node before it
    possibly stays, and possibly stays if no node before it surely stays. So each node counts as two, and each edge as
    two between them, and the greedy choice among these tells what is sure.

    >>> u, v = np.array([7, 8, 9, 6]), np.array([5, 7, 8, 4])
    >>> [column.tolist() for column in decide(u, v, np.array([1, OPEN, OPEN, OPEN]))]
    [[7, 8, 9], [False, True, False]]
    """
    nodes, place = np.unique(np.append(u, v), return_inverse=True)
    one, other = place[: len(u)], place[len(u) :]
    undecided = np.zeros(len(nodes), np.bool_)
    undecided[one] = True
    known = np.full(len(nodes), OPEN)
    known[other] = stays
    surely, possibly = 2 * np.arange(len(nodes)), 2 * np.arange(len(nodes)) + 1
    ends = np.stack([surely[one], possibly[other], possibly[one], surely[other]], axis=1).astype(np.int32).ravel()
    before, last = np.empty_like(ends), np.full(2 * len(nodes), -1, np.int32)
    kernel.list_ends(ends, before, last)
    pairs = PairEnds(ends, before, last, np.zeros(len(ends) // 2))
    kept = Partners(np.full(2 * len(nodes), -1, np.int32), np.full(2 * len(nodes), -np.inf))
    wanted = np.repeat(undecided, 2)
    wanted[surely] |= known == 1
    wanted[possibly] |= known > 0
    kernel.greedy_independent_set(np.flatnonzero(wanted), pairs, kept)
    sure, possible = (undecided & (kept.partner[each] < 0) for each in (surely, possibly))
    found = np.flatnonzero(undecided & (sure | ~possible))
    return nodes[found], sure[found]
