"""Pairs of originals become pairs of documents: in tasks that know all copies or, if there are many, by a join."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from shingletools.commands.simjoin.pair_arrays import Pairs
from shingletools.kernel.types import Index
from shingletools.numbers.ranges import spread, stretches
from shingletools.spark.batches import Batches, batch_of
from shingletools.spark.tasks import FOUND

AT_ONCE = 1 << 20  # pairs that are made together


class Copies(NamedTuple):
    """Copies, sorted by original and number, int64 of one length, with the components that each agrees in."""

    original: Index
    number: Index
    agreeing: Index

    def groups(self, documents: Index) -> tuple[Index, Index]:
        """The start and number of each document's copies. Shapes: (documents,) in and out."""
        start = np.searchsorted(self.original, documents)
        return start, np.searchsorted(self.original, documents, "right") - start

    def of_pairs(self, pairs: Pairs) -> Iterator[Pairs]:
        """Pairs of originals with those of their copies, in portions."""
        (a_start, a_count), (b_start, b_count) = self.groups(pairs.a), self.groups(pairs.b)
        counts = (a_count + 1) * (b_count + 1)
        for part in stretches(counts, AT_ONCE):
            number, pair = spread(np.zeros(part.stop - part.start, np.int64), counts[part])
            pair += part.start
            one = self.member(pairs.a[pair], a_start[pair], number // (b_count[pair] + 1))
            other = self.member(pairs.b[pair], b_start[pair], number % (b_count[pair] + 1))
            yield Pairs(np.minimum(one, other), np.maximum(one, other), pairs.agreeing[pair])

    def member(self, original: Index, start: Index, number: Index) -> Index:
        """The member with a number, of each group; number 0 is the original. Shapes: (members,) in and out."""
        place = np.minimum(start + number - 1, len(self.number) - 1)
        return np.where(number > 0, self.number[place], original)

    def among(self, places: Index) -> Iterator[Pairs]:
        """Pairs of the copies at these places with their originals and with earlier copies, in portions."""
        start = np.searchsorted(self.original, self.original[places])
        counts = places - start + 1
        for part in stretches(counts, AT_ONCE):
            number, copy = spread(np.zeros(part.stop - part.start, np.int64), counts[part])
            place = places[part][copy]
            other = self.member(self.original[place], start[part][copy], number)
            yield Pairs(other, self.number[place], self.agreeing[place])

    def number_of_pairs(self, a: Index, b: Index, cross: int | None) -> int:
        """How many pairs of documents these pairs of originals become."""
        (_, ours), (_, theirs) = self.groups(a), self.groups(b)
        here = 0
        if cross is None and len(self.original):
            _, sizes = np.unique(self.original, return_counts=True)
            here = int(np.sum(sizes * (sizes + 1) // 2))
        return int(np.sum((ours + 1) * (theirs + 1))) + here


@dataclass(frozen=True)
class Expanding:
    """Pairs of originals (FOUND) to pairs of documents."""

    copies: Copies

    def __call__(self, batches: Batches) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            pairs = Pairs(*(batch.column(name).to_numpy() for name in ("a", "b", "agreeing")))
            for some in self.copies.of_pairs(pairs):
                yield batch_of(FOUND, some)


@dataclass(frozen=True)
class Among:
    """Places (id) of copies to pairs within their groups (FOUND)."""

    copies: Copies

    def __call__(self, batches: Batches) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for some in self.copies.among(batch.column("id").to_numpy()):
                yield batch_of(FOUND, some)


def with_copies(compared: DataFrame, copies: DataFrame, forest: bool, cross: int | None) -> DataFrame:
    """Pairs of originals as pairs of documents, by a join. A forest gets one pair for each copy."""
    if forest:
        if cross is None:
            return compared.unionAll(
                copies.select(F.col("original").alias("a"), F.col("number").alias("b"), "agreeing")
            )
        sides = compared.unionAll(compared.select(F.col("b").alias("a"), F.col("a").alias("b"), "agreeing"))
        partner = sides.groupBy(F.col("a").alias("original")).agg(F.min(F.struct("b", "agreeing")).alias("partner"))
        beside = copies.drop("agreeing").join(partner, "original").select("number", "partner.*")
        return compared.unionAll(ordered(beside, "number", "b"))
    alike = copies.select("original", "number").unionAll(
        copies.select("original", F.col("original").alias("number")).distinct()
    )
    for side in ("a", "b"):
        members = alike.select(F.col("original").alias(side), F.col("number").alias("member"))
        joined = compared.join(members, side, "left")
        compared = joined.withColumn(side, F.coalesce("member", side)).drop("member")
    every = ordered(compared, "a", "b")
    if cross is None:
        one = copies.select("original", F.col("number").alias("b"), "agreeing")
        two = alike.select("original", F.col("number").alias("a"))
        every = every.unionAll(one.join(two, "original").where("a < b").select("a", "b", "agreeing"))
    return every


def ordered(compared: DataFrame, one: str, other: str) -> DataFrame:
    return compared.select(F.least(one, other).alias("a"), F.greatest(one, other).alias("b"), "agreeing")
