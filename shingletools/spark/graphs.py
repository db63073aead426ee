"""Groups of nodes that edges connect, on a cluster: in one task if they fit, else in rounds."""

from collections.abc import Callable, Iterable, Iterator
from functools import partial

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame, Observation
from pyspark.sql import functions as F

from shingletools.commands.simgroup.grouping import Method, Stars
from shingletools.kernel import arrays as kernel
from shingletools.kernel.types import Index
from shingletools.numbers.unionfind import UnionFind
from shingletools.spark.batches import Batches, batch_of, through, union
from shingletools.spark.exchange import runs, together
from shingletools.spark.packed_names import BUCKETS, Row, concatenated, numbers_of, rows_of
from shingletools.spark.spark_files import Kept
from shingletools.system.waiting import gathered

EDGES = 1 << 24  # edges that one task can hold, at about 100 bytes each
EDGE = pa.schema([("u", pa.int64()), ("v", pa.int64())])  # an edge; or a node (u) and the first of its group (v)
AT_ONCE = 1 << 20  # edges that a task sorts into buckets together
LEAST_OF, EDGES_OF = range(2)
SENT = pa.schema([("bucket", pa.int32()), ("kind", pa.int32()), ("u", pa.binary()), ("v", pa.binary()),
                  ("changed", pa.int64())])  # fmt: skip
DENSE = 4  # places of an array for each number, at most


class Ranks:
    """Replaces numbers by their ranks among the distinct ones, from 0 on.

    >>> ranks = Ranks(np.array([70, 5, 70, 6]))
    >>> len(ranks), ranks.known.tolist(), ranks.of(np.array([5, 70])).tolist()
    (3, [5, 6, 70], [0, 2])
    """

    def __init__(self, numbers: Index) -> None:
        self.least = int(numbers.min()) if len(numbers) else 0
        span = int(numbers.max()) - self.least + 1 if len(numbers) else 0
        self.table: Index | None = None
        if span <= DENSE * len(numbers):
            there = np.zeros(span, np.bool_)
            there[numbers - self.least] = True
            self.known: Index = np.flatnonzero(there) + self.least
            self.table = np.cumsum(there) - 1
        else:
            self.known = np.unique(numbers)

    def __len__(self) -> int:
        return len(self.known)

    def of(self, numbers: Index) -> Index:
        if self.table is not None:
            return self.table[numbers - self.least]
        return np.searchsorted(self.known, numbers)


def method_of(star: bool) -> Method:
    return Stars() if star else UnionFind()


def connect_at_once(star: bool, batches: Batches) -> Batches:
    """All edges to all nodes but the first of each group, each with this first node. Memory: 100 bytes an edge."""
    edges = np.concatenate([np.empty((2, 0), np.int64), *map(columns_of, batches)], axis=1)
    u, v = edges
    ranks = Ranks(np.append(u, v))
    method = method_of(star)
    method.grow(len(ranks))
    method.join(ranks.of(u), ranks.of(v))
    first = method.representatives()
    others = np.flatnonzero(first != np.arange(len(first)))
    yield batch_of(EDGE, [ranks.known[others], ranks.known[first[others]]])


def columns_of(batch: pa.RecordBatch) -> Index:
    """The columns of a batch, shape (columns, rows)."""
    return np.stack([column.to_numpy() for column in batch.columns])


def at_once(edges: DataFrame, star: bool) -> DataFrame:
    return through(edges.select("u", "v").coalesce(1), partial(connect_at_once, star), EDGE)


def connected(edges: DataFrame, count: int, kept: Kept) -> DataFrame:
    """For each node (u) that is connected with a lesser one, the least (v) of all that it is connected with.

    count: an upper bound of the number of edges. It works in rounds of small stars and large stars (Kiveris et al.
    2014), until there are few edges or nothing changes.
    """
    if count <= EDGES:
        return at_once(edges, star=False)
    buckets = max(1, min(BUCKETS, count // AT_ONCE))
    packed = through(edges.select("u", "v"), partial(pack, buckets), SENT)
    while count > EDGES:
        observed = Observation()
        new = packed.withColumn("changed", F.lit(0).cast("long"))
        lesser = through(together(new, "bucket"), partial(star, small_star, to_larger, buckets), SENT)
        parents = through(together(lesser, "bucket"), partial(star, unchanged, to_lesser, buckets), SENT)
        linked = through(together(parents, "bucket", "kind"), partial(star, large_star, to_larger, buckets), SENT)
        stats = F.sum(F.octet_length("u")).alias("bytes"), F.sum("changed").alias("changed")
        packed = kept(linked.observe(observed, *stats))
        if not observed.get["changed"]:
            return through(packed.select("u", "v"), unpack, EDGE)
        count = observed.get["bytes"] // 8
    return at_once(through(packed.select("u", "v"), unpack, EDGE), star=False)


Links = Iterator[tuple[Index, Index]]
Edges = Iterator[tuple[Index, Index, int]]  # those that a bucket becomes, and how many of them are new
Work = Callable[[Iterator[Row]], Edges]
Sending = Callable[[Links, int], Iterator[Row]]


def to_larger(links: Links, buckets: int) -> Iterator[Row]:
    return sent(links, EDGES_OF, 0, buckets)


def sent(links: Links, kind: int, key: int, buckets: int) -> Iterator[Row]:
    """Rows that send edges to the buckets of their larger nodes (key 0) or lesser nodes (key 1)."""
    for held in gathered(links, lambda link: len(link[0]), AT_ONCE):
        yield from sorted_out(held, kind, key, buckets)


def sorted_out(held: list[tuple[Index, Index]], kind: int, key: int, buckets: int) -> Iterator[Row]:
    edges = np.concatenate(held, axis=1)
    places = (kernel.fmix64(edges[key].view(np.uint64)) >> np.uint64(56)).astype(np.int64) * buckets >> 8
    u, v = edges[:, np.argsort(places.astype(np.uint8), kind="stable")]
    counts = np.bincount(places)
    ends = np.cumsum(counts).tolist()
    for bucket in np.flatnonzero(counts).tolist():
        some = slice(ends[bucket] - int(counts[bucket]), ends[bucket])
        yield {"bucket": bucket, "kind": kind, "u": u[some].tobytes(), "v": v[some].tobytes()}


def edges_of(rows: Iterable[Row]) -> tuple[Index, Index]:
    """The distinct edges, by u and v."""
    columns = [(row["u"], row["v"]) for row in rows]
    u, v = (concatenated(column) for column in zip(*columns, strict=True))
    order = np.lexsort((v, u))
    u, v = u[order], v[order]
    new = np.append(True, (u[1:] != u[:-1]) | (v[1:] != v[:-1]))[: len(u)]
    return u[new], v[new]


def pack(buckets: int, batches: Batches) -> Batches:
    """Edges to the buckets of their larger nodes. Memory: AT_ONCE edges, and a batch."""
    pairs = map(columns_of, batches)
    links = ((np.maximum(one, other), np.minimum(one, other)) for one, other in pairs)
    for row in to_larger(links, buckets):
        yield rows_of(SENT, [row])


def unpack(batches: Batches) -> Batches:
    """Two columns of packed numbers to edges, one in a row."""
    for batch in batches:
        for one, other in zip(*(column.to_pylist() for column in batch.columns), strict=True):
            if one:
                yield batch_of(EDGE, [numbers_of(one), numbers_of(other)])


def star(work: Work, send: Sending, buckets: int, batches: Batches) -> Batches:
    """A step of a round, on buckets of edges. It adds the edges that it changes to the counts of earlier steps."""
    changed = 0

    def counting(rows: Iterator[Row]) -> Iterator[Row]:
        nonlocal changed
        for row in rows:
            changed += row["changed"] or 0
            if row["u"]:
                yield row

    def links() -> Links:
        nonlocal changed
        for _, rows in runs(batches, "bucket"):
            for u, v, count in work(counting(rows)):
                changed += count
                yield u, v

    for row in send(links(), buckets):
        yield rows_of(SENT, [row])
    yield rows_of(SENT, [{"bucket": 0, "kind": EDGES_OF, "u": b"", "v": b"", "changed": changed}])


def small_star(rows: Iterator[Row]) -> Edges:
    """Connects each node, and its lesser neighbours, with the least of these. Memory: 60 bytes an edge of a bucket."""
    if found := list(rows):
        u, v = edges_of(found)
        first = np.append(True, u[1:] != u[:-1])
        least = v[first][np.cumsum(first) - 1]
        yield u[first], v[first], 0
        yield v[~first], least[~first], int(np.count_nonzero(~first))


def unchanged(rows: Iterator[Row]) -> Edges:
    """Memory: 60 bytes an edge of a bucket."""
    if found := list(rows):
        yield *edges_of(found), 0


def to_lesser(links: Links, buckets: int) -> Iterator[Row]:
    """Sends edges to the buckets of their lesser nodes, after each node's least neighbour (LEAST_OF)."""
    least: list[Row] = []

    def passing() -> Links:
        for u, v in links:
            first = np.append(True, u[1:] != u[:-1])
            least.extend(sent(iter([(u[first], v[first])]), LEAST_OF, 0, buckets))
            yield u, v

    for row in sent(passing(), EDGES_OF, 1, buckets):
        yield from least
        least.clear()
        yield row
    yield from least


def large_star(rows: Iterator[Row]) -> Edges:
    """Connects larger neighbours of each node with its least one. Memory: 16 bytes a node of a bucket, and a row."""
    node = least = np.empty(0, np.int64)
    for row in rows:
        u, v = numbers_of(row["u"]), numbers_of(row["v"])
        if row["kind"] == LEAST_OF:
            node, least = (np.append(one, more) for one, more in ((node, u), (least, v)))
            continue
        if len(node):
            place = np.minimum(np.searchsorted(node, v), len(node) - 1)
            new = np.where(node[place] == v, least[place], v)
        else:
            new = v
        yield u, new, int(np.count_nonzero(new != v))


def stars(edges: DataFrame, count: int, kept: Kept) -> DataFrame:
    """For each node (u) that a representative takes, the first representative (v) that takes it.

    A node is a representative if none of its lesser neighbours is. count: an upper bound of the number of edges. It
    works in rounds, each one job, until there are few edges: nodes without undecided lesser neighbours become
    representatives, so their neighbours do not (Blelloch, Fineman and Shun 2012).
    """
    edges = edges.select(F.greatest("u", "v").alias("u"), F.least("u", "v").alias("v"))
    decided = []
    while count > EDGES:
        observed = Observation()
        stats = F.count_if("open").alias("open")
        round_ = kept(decide(edges).observe(observed, stats))
        edges, count = round_.where("open").select("u", "v"), observed.get["open"]
        decided.append(round_.where("not open").select("u", "v"))
    rest = at_once(edges, star=True)
    if not decided:
        return rest
    # Representatives that may take a node remain unless they are taken themselves
    every = kept(union([rest, *decided]))
    taken = every.select(F.col("u").alias("v")).distinct()
    return every.join(taken, "v", "left_anti").groupBy("u").agg(F.min("v").alias("v"))


def decide(edges: DataFrame) -> DataFrame:
    """Edges that are `open`, because neither node is decided, and edges by which a representative may take a node."""
    first = edges.join(edges.select(F.col("u").alias("v")).distinct(), "v", "left_anti")
    taken = first.select("u").distinct()
    upper = edges.join(taken.withColumn("taken", F.lit(True)), "u", "left")
    lower = taken.select(F.col("u").alias("v"), F.lit(True).alias("out"))
    left = upper.join(lower, "v", "left").where("out is null")
    return left.select("u", "v", F.col("taken").isNull().alias("open"))
