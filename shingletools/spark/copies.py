"""Pairs of originals become pairs of documents."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F


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
