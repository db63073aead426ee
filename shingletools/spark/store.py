"""Stages of a run: rows that are used more than once, and what was told as they were made.

They last as long as the run; with --keep they are found again by what they were made of, and how.
"""

import json
from collections.abc import Callable, Sequence
from hashlib import blake2b
from typing import NamedTuple

from pyspark.sql import DataFrame, SparkSession

from shingletools import errors
from shingletools.errors import Failed
from shingletools.spark.files import Files, Kept, literal, write_large
from shingletools.spark.tally import Tally, Told, merged

FORM = 1  # of what is kept; a stage of another one is not found


class KeptStage(NamedTuple):
    """Rows, and what the splits or parts told that they were made of, in order."""

    rows: DataFrame
    told: list[Told]


class Making(NamedTuple):
    """Rows that are still to be made, and who will tell of them; `told` is what is known of the splits before."""

    rows: DataFrame
    tallies: Sequence[Tally]
    told: Sequence[Told] = ()

    def all(self) -> list[Told]:
        """Once they are made."""
        fresh = [each for tally in self.tallies for each in tally.all()]
        return merged(self.told, fresh) if self.told else sorted(fresh, key=lambda each: each.key)


Recipe = Sequence[object]


class Stages:
    """The stages of one run."""

    def __init__(self, spark: SparkSession, kept: Kept, folder: str | None, say: Callable[[str], None]) -> None:
        """`say` is told which are there already in `folder`, if there is one."""
        self.spark = spark
        self.kept = kept
        self.folder = folder and folder.rstrip("/")
        self.files = Files(spark)
        self.say = say

    def find(self, what: str, recipe: Recipe) -> KeptStage | None:
        """The stage that was made so, if it was kept."""
        path = self._path(what, recipe)
        if self.folder is None or not self.files.exists(path):
            return None
        told = [Told.of(row["value"]) for row in self.spark.read.text(literal(f"{path}/told")).collect()]
        self.say(f"{what} were there")
        return KeptStage(self.spark.read.parquet(literal(f"{path}/rows")), sorted(told, key=lambda each: each.key))

    def make(self, what: str, recipe: Recipe, making: Making) -> KeptStage:
        """Makes a stage, and keeps it if that is wanted. Raises Failed."""
        if self.folder is None:
            return KeptStage(self.kept(making.rows), making.all())
        path = self._path(what, recipe)
        new = f"{self.kept.path()}"
        write_large(making.rows, f"{new}/rows")
        told = making.all()
        lines = self.spark.createDataFrame([(each.text(),) for each in told], "value string")
        lines.coalesce(1).write.text(f"{new}/told")
        if not self.files.rename(new, path):
            raise Failed(f"--keep {errors.printable(self.folder)}: cannot be written")
        return KeptStage(self.spark.read.schema(making.rows.schema).parquet(literal(f"{path}/rows")), told)

    def _path(self, what: str, recipe: Recipe) -> str:
        digest = blake2b(json.dumps([FORM, what, *recipe]).encode(), digest_size=16).hexdigest()
        return f"{self.folder}/{what}-{digest}"
