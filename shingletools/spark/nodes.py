"""simgroup on a cluster: names become nodes.

Each task numbers the names that it meets: the node of a mention is twice the number of the pair, plus 1 for its second
name. A name's node in a task is its first mention there. The least node of all tasks is the first mention of all.
"""

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from shingletools.commands.simgroup.id_readers import IdReader
from shingletools.kernel import arrays as kernel
from shingletools.kernel.types import Index
from shingletools.numbers.unionfind import UnionFind
from shingletools.spark.batches import Batches, packed
from shingletools.spark.exchange import runs
from shingletools.spark.mentions import bad_rows, mentions
from shingletools.spark.packed_names import BAD, HELD, NAMES, Named, Row, by_bucket, concatenated, numbers_of, rows_of

SINGLE = 1 << 62  # a bit of nodes that are in no pair; they come after all others
TAKEN = pa.schema([*NAMES, ("left", pa.binary()), ("right", pa.binary()), *BAD])
# The distinct names of buckets, by their nodes, ascending; and other nodes (again) of the same names (first)
MET = pa.schema([("unit", pa.int32()), *NAMES[1:], ("again", pa.binary()), ("first", pa.binary())])


class TaskPairs:
    """The names of pairs that a task meets, and the pairs as nodes."""

    def __init__(self) -> None:
        self.ids = kernel.new_ids()
        self.nodes = bytearray()  # the node of each name
        self.connected = UnionFind()

    def __len__(self) -> int:
        """Bytes that are held."""
        return len(self.ids.data) + len(self.nodes)

    def take(self, named: Named, numbers: Index, whole: bool) -> Row:
        """Takes pairs of names, with the numbers of the pairs. Gives them as nodes: all, or only those that connect."""
        name = numbers_of(self.ids.number(named.names, named.sizes))
        mention = np.repeat(2 * numbers, 2)
        mention[1::2] += 1
        known = len(self.nodes) // 8
        new = name >= known
        self.nodes += bytes(8 * (len(self.ids) - known))
        nodes = np.frombuffer(self.nodes, np.int64)
        nodes[name[new][::-1]] = mention[new][::-1]  # backwards: the first mention wins
        left, right = name[::2], name[1::2]
        if not whole:
            self.connected.grow(len(self.ids))
            news = self.connected.join(left, right)
            left, right = left[news], right[news]
        return {"left": nodes[left].tobytes(), "right": nodes[right].tobytes()}

    def names(self) -> Iterator[Row]:
        sizes = np.diff(numbers_of(bytes(self.ids.ends)), prepend=0)
        return by_bucket(Named(bytes(self.ids.data), sizes), numbers=numbers_of(bytes(self.nodes)))


def take_pairs(reader: IdReader, step: int, whole: bool, batches: Batches, held: int = HELD) -> Batches:
    """Lines to names and nodes. whole: whether to give all pairs, or only those that connect.

    Memory: `held` bytes of names, and 100 bytes for each.
    """
    pairs = TaskPairs()
    for some in packed(batches):
        found = mentions(some.lines, reader)
        # Pairs that are left out leave no gap in the nodes
        nodes = pairs.take(found.named, some.numbers[: len(found.named.sizes) // 2], whole)
        yield rows_of(TAKEN, [*bad_rows(found, some, step), nodes])
        if len(pairs) >= held:
            yield rows_of(TAKEN, list(pairs.names()))
            pairs = TaskPairs()
    yield rows_of(TAKEN, list(pairs.names()))


def take_singles(reader: IdReader, step: int, batches: Batches) -> Batches:
    """Lines to names, with nodes after those of all pairs. Memory: a row."""
    for some in packed(batches):
        found = mentions(some.lines, reader)
        names = by_bucket(found.named, numbers=2 * found.good(some.numbers) | SINGLE)
        yield rows_of(TAKEN, [*bad_rows(found, some, step), *names])


def meet_names(batches: Batches) -> Batches:
    """Names to distinct names. Memory: those of a unit, 50 bytes for each, and 16 for each task that has met it."""
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
