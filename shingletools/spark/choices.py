"""dedup on a cluster: names of documents and of members of groups meet; decisions go back as numbers."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from shingletools.commands.dedup.values import form_of, value_of
from shingletools.kernel import arrays as kernel
from shingletools.kernel.ids import split
from shingletools.kernel.types import Index
from shingletools.spark.batches import Batches, Packed, packed
from shingletools.spark.best_known import BestPairs
from shingletools.spark.decided import NO_GROUP, met, ranks_of
from shingletools.spark.exchange import runs
from shingletools.spark.mentions import Ranked, bad_rows, members
from shingletools.spark.named_beside import SimilarPairs
from shingletools.spark.packed_names import (
    BAD,
    BUCKETS,
    NAMES,
    Named,
    Row,
    by_bucket,
    by_turns,
    concatenated,
    in_parts,
    numbers_of,
    placed,
    rows_of,
)
from shingletools.spark.settled import DECIDED, decided

VALUES = [("values", pa.binary()), ("values_sizes", pa.binary())]  # that decide, or names of an archive's documents
# Names of documents, with ranks, the least of which stays; or of members of a group, with twice their place in it, plus
# 1 if the group is too small to be thinned; blocks, which are rows of documents; bad lines
TAKEN = pa.schema([*NAMES, ("ranks", pa.binary()), ("block", pa.int64()), ("count", pa.int64()), ("bytes", pa.int64()),
                   ("group", pa.bool_()), ("known", pa.bool_()), *VALUES, *BAD])  # fmt: skip
# Documents in groups, with names, by group; documents whose id was used before, without names; decisions on documents
# that an archive has, and their number; the least and the greatest form of values that decide
MET = pa.schema([*NAMES, ("ranks", pa.binary()), ("groups", pa.binary()), *VALUES, ("before", pa.int64()),
                 ("twice", pa.int64()), ("place", pa.int64()), ("name", pa.binary()), ("known", pa.int64()),
                 ("least", pa.string()), ("most", pa.string()),
                 *(field for field in DECIDED if field.name not in {"names", "sizes", "numbers"})])  # fmt: skip


@dataclass(frozen=True)
class TakeDocuments:
    """Documents to names. Memory: a row."""

    ranked: Ranked
    step: int

    def __call__(self, batches: Batches) -> Iterator[pa.RecordBatch]:
        for number, some in rows_of_lines(batches):
            found = self.ranked(some.lines)
            block = {"block": number, "count": len(some.numbers), "bytes": len(some.lines)}
            named, more = found.named, {}
            if self.ranked.spec.valued is not None:
                named, more["values"] = by_turns(named)
            names = by_bucket(named, numbers=found.good(some.numbers), ranks=found.figures, **more)
            yield rows_of(TAKEN, [block, *bad_rows(found, some, self.step), *names])


@dataclass(frozen=True)
class TakeMembers:
    """Groups to the names of their members, with the number of the group. Memory: a row."""

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
class TakeKnown:
    """Pairs to names of documents, with names of an archive's documents and similarities. Memory: a row."""

    def __call__(self, batches: Batches) -> Iterator[pa.RecordBatch]:
        take = SimilarPairs(archived=True)
        for some in packed(batches):
            found = take(some.lines)
            named, others = by_turns(found.named)
            rows = by_bucket(named, numbers=found.good(some.numbers), ranks=found.figures, values=others)
            bad = [{**row, "step": None, "line": None, "group": True} for row in bad_rows(found, some, 0)]
            yield rows_of(TAKEN, [*bad, *({**row, "known": True} for row in rows)])


@dataclass(frozen=True)
class MeetGroups:
    """Names to documents in groups. Memory: the names of a unit, and 100 bytes for each.

    The column `twice` has the least number of a group that has a name which an earlier group has.
    """

    blocks: bytes  # the first number of each block
    as_form: str  # what values are, if a user says so

    def __call__(self, batches: Batches) -> Iterator[pa.RecordBatch]:
        for _, some in runs(batches, "unit"):
            ids = kernel.new_ids()
            of_groups, documents, of_archive = (columns_for(5) for _ in range(3))
            for row in some:
                columns = of_groups if row["group"] else of_archive if row["known"] else documents
                columns[0].append(ids.number(row["names"], row["sizes"]))
                for column, of_row in zip(columns[1:], ("numbers", "ranks", "values", "values_sizes"), strict=True):
                    column.append(row[of_row] or b"")
            named = Named(bytes(ids.data), np.diff(numbers_of(bytes(ids.ends)), prepend=0))
            member, group, place = map(concatenated, of_groups[:3])
            name, number, rank = map(concatenated, documents[:3])
            archived, line, bits = map(concatenated, of_archive[:3])
            others = Named(b"".join(of_archive[3]), concatenated(of_archive[4]))
            known = BestPairs.of(archived, line, bits.view(np.float64), others)
            found = met(len(ids), (member, group, place), (name, number))
            rows: list[Row] = []
            if len(first := found.twice):
                twice = {"twice": int(group[first][0]), "place": int(place[first][0])}
                rows.append({**twice, "name": named.at(member[first]).names})
            rows += [{"before": each} for each in number[found.again].tolist()]
            goes = np.flatnonzero(~found.again & known.has(name))
            goes = goes[np.argsort(number[goes])]
            says = decided(self.blocks, numbers=number[goes], **known.says(name[goes]))
            rows += [{**row, "known": len(row["numbers"]) // 8} for row in says]
            some_of = np.flatnonzero(~found.again & (found.group != NO_GROUP) & ~known.has(name))
            more = placed(some_of, {"numbers": number, "ranks": rank})
            if any(documents[4]):
                more["values"] = Named(b"".join(documents[3]), concatenated(documents[4])).at(some_of)
                values = [value_of(text) for text in split(*more["values"])]
                forms = {form_of(value, self.as_form) for value in values if value is not None}
                rows.append({"least": min(forms, default=None), "most": max(forms, default=None)})
            rows += in_groups(named.at(name[some_of]), found.group[some_of], **more)
            yield rows_of(MET, rows)


def columns_for(count: int) -> list[list[bytes]]:
    return [[] for _ in range(count)]


def in_groups(named: Named, group: Index, **more: Index | Named) -> Iterator[Row]:
    """Rows of MET: documents in groups, in buckets by group."""
    bucket = (kernel.fmix64(group.view(np.uint64)) >> np.uint64(56)).astype(np.int64)
    order = np.argsort(bucket, kind="stable")
    some = placed(order, {**more, "groups": group})
    return in_parts(named.at(order), np.bincount(bucket, minlength=BUCKETS), "bucket", **some)


def rows_of_lines(batches: Batches) -> Iterator[tuple[int, Packed]]:
    """The number and the lines of each row."""
    for batch in batches:
        yield from zip(batch.column("number").to_pylist(), packed(iter([batch])), strict=True)
