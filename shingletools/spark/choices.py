"""dedup on a cluster: the names of documents and of groups' members meet, and what is decided goes back as numbers."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from shingletools.kernel import arrays as kernel
from shingletools.kernel.types import Index
from shingletools.spark.batches import Batches, Packed, packed
from shingletools.spark.decided import NO_GROUP, chosen, met, ranks_of
from shingletools.spark.exchange import runs
from shingletools.spark.mentions import Ranked, bad_rows, members
from shingletools.spark.names import (
    BAD,
    BUCKETS,
    NAMES,
    Named,
    Row,
    by_bucket,
    concatenated,
    in_parts,
    numbers_of,
    rows_of,
)

# Names of documents, with ranks, the least of which stays, or of members of a group, with their places in it, doubled,
# and odd if the group is too small to be looked at; blocks, which are rows of documents; bad lines
TAKEN = pa.schema([*NAMES, ("ranks", pa.binary()), ("block", pa.int64()), ("count", pa.int64()), ("bytes", pa.int64()),
                   ("group", pa.bool_()), *BAD])  # fmt: skip
# Documents in groups, with names, by their groups; and those whose id was seen before, without
MET = pa.schema([*NAMES, ("ranks", pa.binary()), ("groups", pa.binary()), ("again", pa.int64()),
                 ("twice", pa.int64()), ("place", pa.int64()), ("name", pa.binary())])  # fmt: skip
# Of a block numbers of documents: that go, with the names of those that stay; that are left out; of these, that were
# seen before
DECIDED = pa.schema([("block", pa.int64()), *NAMES[1:], ("out", pa.binary()), ("again", pa.binary())])


@dataclass(frozen=True)
class TakeDocuments:
    """Documents to names. Memory: that of a row."""

    ranked: Ranked
    step: int

    def __call__(self, batches: Batches) -> Iterator[pa.RecordBatch]:
        for number, some in rows_of_lines(batches):
            found = self.ranked(some.lines)
            block = {"block": number, "count": len(some.numbers), "bytes": len(some.lines)}
            names = by_bucket(found.named, numbers=found.good(some.numbers), ranks=found.figures)
            yield rows_of(TAKEN, [block, *bad_rows(found, some, self.step), *names])


@dataclass(frozen=True)
class TakeMembers:
    """Groups to the names of their members, with the number of the group. Memory: that of a row."""

    larger_than: int

    def __call__(self, batches: Batches) -> Iterator[pa.RecordBatch]:
        for some in packed(batches):
            found = members(some.lines)
            ids = numbers_of(kernel.new_ids().number(found.named.names, found.named.sizes.tobytes()))
            ranks = ranks_of(ids, found.figures, self.larger_than)
            rows = by_bucket(found.named, numbers=np.repeat(found.good(some.numbers), found.figures), ranks=ranks)
            bad = [{**row, "step": None, "line": None} for row in bad_rows(found, some, 0)]
            yield rows_of(TAKEN, [{**row, "group": True} for row in [*bad, *rows]])


@dataclass(frozen=True)
class MeetGroups:
    """Names to documents in groups. Memory: the names of a unit, and 100 bytes for each.

    In the column `twice` is the least number of a group that has a name that another has before it.
    """

    def __call__(self, batches: Batches) -> Iterator[pa.RecordBatch]:
        for _, some in runs(batches, "unit"):
            ids = kernel.new_ids()
            of_groups: list[list[bytes]] = [[], [], []]
            documents: list[list[bytes]] = [[], [], []]
            for row in some:
                columns = of_groups if row["group"] else documents
                columns[0].append(ids.number(row["names"], row["sizes"]))
                columns[1].append(row["numbers"])
                columns[2].append(row["ranks"])
            named = Named(bytes(ids.data), np.diff(numbers_of(bytes(ids.ends)), prepend=0))
            member, group, place = map(concatenated, of_groups)
            name, number, rank = map(concatenated, documents)
            found = met(len(ids), (member, group, place), (name, number))
            rows: list[Row] = []
            if len(first := found.twice):
                twice = {"twice": int(group[first][0]), "place": int(place[first][0])}
                rows.append({**twice, "name": named.at(member[first]).names})
            rows += [{"again": each} for each in number[found.again].tolist()]
            some_of = np.flatnonzero(~found.again & (found.group != NO_GROUP))
            names = named.at(name[some_of])
            rows += in_groups(names, found.group[some_of], numbers=number[some_of], ranks=rank[some_of])
            yield rows_of(MET, rows)


def in_groups(named: Named, group: Index, **numbers: Index) -> Iterator[Row]:
    """Rows of MET, of documents that are in groups, in buckets by these."""
    bucket = (kernel.fmix64(group.view(np.uint64)) >> np.uint64(56)).astype(np.int64)
    order = np.argsort(bucket, kind="stable")
    some = {name: each[order] for name, each in {**numbers, "groups": group}.items()}
    return in_parts(named.at(order), np.bincount(bucket, minlength=BUCKETS), "bucket", **some)


@dataclass(frozen=True)
class Choose:
    """Documents of groups to those that go, by blocks. Memory: documents of a unit, their names, 100 bytes for each."""

    blocks: bytes  # the first number of each
    every: bool  # or one of each group stays

    def __call__(self, batches: Batches) -> Iterator[pa.RecordBatch]:
        for _, rows in runs(batches, "unit"):
            columns = list(zip(*((row["names"], row["sizes"], row["numbers"], row["ranks"], row["groups"])
                                 for row in rows), strict=True))  # fmt: skip
            named = Named(b"".join(columns[0]), concatenated(columns[1]))
            number, rank, group = map(concatenated, columns[2:])
            goes, stays = chosen(number, rank, group, self.every)
            yield rows_of(DECIDED, list(decided(self.blocks, named.at(stays), number[goes])))


@dataclass(frozen=True)
class LeftOut:
    """Numbers of documents that are left out, and whether their ids were seen before, to blocks. Memory: a batch."""

    blocks: bytes

    def __call__(self, batches: Batches) -> Iterator[pa.RecordBatch]:
        starts = numbers_of(self.blocks)
        for batch in batches:
            numbers, again = batch.column("number").to_numpy(), batch.column("again").to_numpy(zero_copy_only=False)
            places = np.searchsorted(starts, numbers, "right") - 1
            yield rows_of(DECIDED, [
                {"block": int(starts[place]), "out": numbers[here].tobytes(), "again": numbers[here & again].tobytes()}
                for place in np.unique(places).tolist() for here in [places == place]
            ])  # fmt: skip


def decided(blocks: bytes, named: Named, numbers: Index) -> Iterator[Row]:
    """Rows of DECIDED, from numbers in their order and the names that stay."""
    starts = numbers_of(blocks)
    places = np.searchsorted(starts, numbers, "right") - 1
    there, counts = np.unique(places, return_counts=True)
    for row in in_parts(named, counts, "block", numbers=numbers):
        yield {**row, "block": int(starts[there[row["block"]]])}


@dataclass(frozen=True)
class Merge:
    """Rows of DECIDED to one for each block. Memory: that of a block."""

    def __call__(self, batches: Batches) -> Iterator[pa.RecordBatch]:
        for block, some in runs(batches, "block"):
            rows = list(some)
            named = Named(b"".join(row["names"] or b"" for row in rows),
                          concatenated([row["sizes"] or b"" for row in rows]))  # fmt: skip
            numbers = concatenated([row["numbers"] or b"" for row in rows])
            order = np.argsort(numbers)
            named = named.at(order)
            out, again = (np.sort(concatenated([row[name] or b"" for row in rows])) for name in ("out", "again"))
            columns = named.sizes, numbers[order], out, again
            sizes, goes, left, seen = (column.tobytes() for column in columns)
            yield rows_of(DECIDED, [{"block": block, "names": named.names, "sizes": sizes, "numbers": goes,
                                     "out": left, "again": seen}])  # fmt: skip


def rows_of_lines(batches: Batches) -> Iterator[tuple[int, Packed]]:
    """The number of each row, and its lines."""
    for batch in batches:
        yield from zip(batch.column("number").to_pylist(), packed(iter([batch])), strict=True)
