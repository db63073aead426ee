"""Stages of a run: rows that are used more than once, with the statistics of the tasks that made them.

They last as long as the run. With --keep, later runs find them by their recipes and input.
"""

import json
from collections.abc import Callable, Sequence
from hashlib import blake2b
from typing import NamedTuple
from uuid import uuid4

from pyspark.sql import DataFrame, SparkSession

from shingletools import __version__
from shingletools.spark.spark_files import Files, Kept, literal, write_large
from shingletools.spark.tally import SplitStats, in_order

FORM = 1  # the version of stages; stages of another version are not found
COMPLETE = "complete"


class KeptStage(NamedTuple):
    """Rows, and the statistics of their splits or parts, in order."""

    rows: DataFrame
    stats: list[SplitStats]


Recipe = Sequence[object]


class Stages:
    """The stages of one run."""

    def __init__(self, spark: SparkSession, kept: Kept, folder: str | None, say: Callable[[str], None]) -> None:
        """say: called for each stage that is found in `folder`, if there is one."""
        self.spark = spark
        self.kept = kept
        self.folder = folder and folder.rstrip("/")
        self.files = Files(spark)
        self.say = say

    def find(self, what: str, recipe: Recipe) -> KeptStage | None:
        """The stage with this recipe, if it was kept; else None."""
        if self.folder is None:
            return None
        path = self._path(what, recipe)
        attempt = self.files.read(f"{path}/{COMPLETE}")
        if not attempt:
            return None
        stats = [SplitStats.of(line) for line in self.files.read(f"{path}/{attempt}/told").splitlines()]
        self.say(f"{what} of an earlier run are used")
        rows = self.spark.read.parquet(literal(f"{path}/{attempt}/rows"))
        return KeptStage(rows, in_order(stats))

    def make(self, what: str, recipe: Recipe, made: DataFrame, all_stats: Callable[[], list[SplitStats]]) -> KeptStage:
        """Makes a stage, and keeps it with --keep. all_stats: gives its statistics once it is made. Raises Failed."""
        if self.folder is None:
            return KeptStage(self.kept(made), all_stats())
        path, attempt = self._path(what, recipe), uuid4().hex
        rows = f"{path}/{attempt}/rows"
        try:
            write_large(made, rows)
        except BaseException:
            self.files.delete(f"{path}/{attempt}")
            raise
        stats = all_stats()
        self.files.write(f"{path}/{attempt}/told", "".join(f"{each.text()}\n" for each in stats))
        self.files.write(f"{path}/{COMPLETE}", attempt)  # if two runs made the same stage, the last one wins
        return KeptStage(self.spark.read.schema(made.schema).parquet(literal(rows)), stats)

    def _path(self, what: str, recipe: Recipe) -> str:
        """The folder of the attempts at a stage; a file in it names the complete one."""
        digest = blake2b(json.dumps([FORM, __version__, what, *recipe]).encode(), digest_size=16).hexdigest()
        return f"{self.folder}/{what}-{digest}"
