"""Which of the documents that pairs connect stay, in rounds: greedy, in the order of preference.

A document decides when all its partners before it have decided (Blelloch, Fineman and Shun, SPAA 2012). A task gets the
pairs of consecutive documents, and follows chains among them as far as they go. So each round decides all documents of
the first task, and there are at most as many rounds as tasks, however long a chain is.
"""

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame, Observation
from pyspark.sql import functions as F

from shingletools.kernel import arrays as kernel
from shingletools.kernel.independent_set import PairEnds, Partners
from shingletools.kernel.types import Flags, Index
from shingletools.spark.arrow_batches import LONG, Batches, from_columns, through, union
from shingletools.spark.storage import Checkpoint

EDGES = 1 << 22  # pairs that one task takes, at about 150 bytes each
STATUS = pa.schema([("node", LONG), ("stays", pa.bool_())])


def thinned(edges: DataFrame, count: int, checkpoint: Checkpoint) -> tuple[DataFrame, int]:
    """For each node whether it stays, STATUS; and the number of rounds.

    edges: (u, v) with v before u in the order of preference, perhaps repeated; count: their number.
    """
    later = edges.select(F.col("u").alias("v"), F.lit(True).alias("later")).distinct()
    left = checkpoint(
        edges.join(later, "v", "left").select("u", "v", F.expr("CASE WHEN later IS NULL THEN true END stays"))
    )
    found = [left.where("stays").select(F.col("v").alias("node"), "stays").distinct()]
    rounds = 0
    while count:
        tasks = -(-count // EDGES)
        placed = left.repartitionByRange(tasks, "u") if tasks > 1 else left.coalesce(1)
        decided = checkpoint(through(placed, to_status, STATUS))
        found.append(decided)
        observed = Observation()
        open_ = left.join(decided.select(F.col("node").alias("u")), "u", "left_anti")
        open_ = open_.join(decided.select(F.col("node").alias("v"), F.col("stays").alias("now")), "v", "left")
        open_ = open_.select("u", "v", F.coalesce("stays", "now").alias("stays"))
        left = checkpoint(open_.observe(observed, F.count(F.lit(1)).alias("left")))
        count, rounds = observed.get["left"], rounds + 1
    return union(found), rounds


def to_status(batches: Batches) -> Batches:
    """Edges (u, v, whether v stays, null if that is open), all of each u, to STATUS of u that can be decided."""
    columns = [[np.empty(0, np.int64)] for _ in range(3)]
    for batch in batches:
        stays = batch.column("stays")
        columns[0].append(batch.column("u").to_numpy())
        columns[1].append(batch.column("v").to_numpy())
        columns[2].append(stays.cast(pa.int64()).fill_null(OPEN).to_numpy())
    node, stays = decided(*(np.concatenate(column) for column in columns))
    yield from_columns(STATUS, [node, stays])


OPEN = 2  # in place of whether a node stays


def decided(u: Index, v: Index, stays: Index) -> tuple[Index, Flags]:
    """The nodes u that can be decided, and whether each stays. stays: of v: 0, 1 or OPEN.

    A node surely stays if no node before it possibly stays, and possibly stays if no node before it surely stays. So
    each node is two, and each edge two between them, and the greedy choice among these tells what is sure.

    >>> u, v = np.array([7, 8, 9, 6]), np.array([5, 7, 8, 4])
    >>> [column.tolist() for column in decided(u, v, np.array([1, OPEN, OPEN, OPEN]))]
    [[7, 8, 9], [False, True, False]]
    """
    nodes, place = np.unique(np.append(u, v), return_inverse=True)
    one, other = place[: len(u)], place[len(u) :]
    mine = np.zeros(len(nodes), np.bool_)
    mine[one] = True
    known = np.full(len(nodes), OPEN)
    known[other] = stays
    surely, possibly = 2 * np.arange(len(nodes)), 2 * np.arange(len(nodes)) + 1
    ends = np.stack([surely[one], possibly[other], possibly[one], surely[other]], axis=1).astype(np.int32).ravel()
    before, last = np.empty_like(ends), np.full(2 * len(nodes), -1, np.int32)
    kernel.list_ends(ends, before, last)
    pairs = PairEnds(ends, before, last, np.zeros(len(ends) // 2))
    kept = Partners(np.full(2 * len(nodes), -1, np.int32), np.full(2 * len(nodes), -np.inf))
    wanted = np.repeat(mine, 2)
    wanted[surely] |= known == 1
    wanted[possibly] |= known > 0
    kernel.greedy_independent_set(np.flatnonzero(wanted), pairs, kept)
    sure, possible = (mine & (kept.partner[each] < 0) for each in (surely, possibly))
    found = np.flatnonzero(mine & (sure | ~possible))
    return nodes[found], sure[found]
