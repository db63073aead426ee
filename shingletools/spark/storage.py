"""Files and folders in any file system of Spark's: results that are kept during the run, and the output."""

import re
import time
from collections.abc import Sequence
from contextlib import suppress

from py4j.protocol import Py4JError
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from shingletools.system import errors
from shingletools.system.errors import Failed

QUIET = 5  # tenths of a second without new files, after which cancelled tasks write no more
SHOWN_CAUSES = 10  # causes of a step that messages name, the commonest first
# Values of megabytes: Parquet must check its memory after each
LARGE_VALUES = {
    "parquet.block.size": str(32 << 20),
    **{f"parquet.{what}.size.row.check.{which}": "1" for what in ("block", "page") for which in ("min", "max")},
    "parquet.enable.dictionary": "false",
}


def literal(path: str) -> str:
    """Escapes a path, so that Spark does not read it as a pattern.

    >>> print(literal("o[1]"))
    o\\[1\\]
    """
    return re.sub(r"([][*?{}\\])", r"\\\1", path)


class Storage:
    """Creates, moves and deletes files and folders."""

    def __init__(self, spark: SparkSession) -> None:
        machine = spark._jvm
        assert machine is not None
        self.path = machine.org.apache.hadoop.fs.Path
        self.configuration = spark.sparkContext._jsc.hadoopConfiguration()

    def exists(self, name: str) -> bool:
        """Returns whether a file or folder exists."""
        path = self.path(name)
        return bool(path.getFileSystem(self.configuration).exists(path))

    def delete(self, name: str) -> None:
        """Deletes a file, or a folder and all that is in it, if it exists."""
        path = self.path(name)
        path.getFileSystem(self.configuration).delete(path, True)

    def rename(self, folder: str, out: str) -> None:
        """Gives a file or folder another name, in a folder that need not exist. Raises Failed."""
        path = self.path(out)
        system = path.getFileSystem(self.configuration)
        system.mkdirs(path.getParent())
        if not system.rename(self.path(folder), path):
            raise Failed(f"{errors.printable(out)}: cannot be written")

    def names(self, folder: str) -> list[str]:
        """Returns the names in a folder; none if it does not exist."""
        path = self.path(folder)
        if not self.exists(folder):
            return []
        return [file.getPath().getName() for file in path.getFileSystem(self.configuration).listStatus(path)]

    def gather(self, files: Sequence[str], out: str) -> None:
        """Moves files to a new folder and numbers them in this order; _SUCCESS comes last. Raises Failed."""
        target = self.path(out)
        system = target.getFileSystem(self.configuration)
        system.mkdirs(target)
        try:
            digits = max(5, len(str(len(files))))
            for number, file in enumerate(files):
                ending = file.rpartition("/")[2].partition(".")[2]
                self.rename(file, f"{out}/part-{number:0{digits}}.{ending}")
        except BaseException:
            self.delete(out)
            raise
        if not files:  # so that the shell finds one
            system.create(self.path(f"{out}/part-00000.txt")).close()
        system.create(self.path(f"{out}/_SUCCESS")).close()


class Checkpoint:
    """Keeps DataFrames that are used more than once in a folder for this run, which all machines must see.

    So nothing is lost with a machine, only columns that are used are read, and Spark need not plan earlier steps again.
    """

    def __init__(self, spark: SparkSession, folder: str) -> None:
        self.spark, self.folder, self.count = spark, folder, 0

    def path(self) -> str:
        """Returns a new path in the folder."""
        self.count += 1
        return f"{self.folder}/{self.count}"

    def __call__(self, frame: DataFrame) -> DataFrame:
        """Computes a DataFrame, and returns one that reads the result."""
        path = self.path()
        frame.write.options(**LARGE_VALUES).parquet(path, compression="lz4_raw")
        return self.spark.read.schema(frame.schema).parquet(literal(path))

    def __enter__(self) -> "Checkpoint":
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        with suppress(Py4JError):  # Spark may have ended
            storage, quiet = Storage(self.spark), 0
            storage.delete(self.folder)
            while kind is not None and quiet < QUIET:  # cancelled tasks may still be writing
                time.sleep(0.1)
                quiet = 0 if storage.exists(self.folder) else quiet + 1
                storage.delete(self.folder)


class WrittenLines:
    """Lines in a folder, by step and file split. All rows of a split must be in one task, in order."""

    def __init__(self, lines: DataFrame, folder: str, gzip: bool) -> None:
        """Writes lines, which are LINES; a bad one behind its cause and a tab."""
        self.spark, self.folder, self.storage = lines.sparkSession, folder, Storage(lines.sparkSession)
        whole = F.expr("substring(lines, 1, octet_length(lines) - 1)")  # without the last line feed
        bad = F.concat(F.col("cause").cast("binary"), F.lit(b"\t"), "lines")
        value = F.when(F.col("step") > 0, bad).otherwise(whole).cast("string").alias("value")
        rows = lines.select("step", "first", value)
        compression = "gzip" if gzip else "none"
        rows.write.partitionBy("step", "first").text(folder, compression=compression, lineSep="\n")

    def files(self, step: int) -> list[str]:
        """Returns the files of a step, in order."""
        folder = f"{self.folder}/step={step}"
        splits = sorted(self.storage.names(folder), key=lambda name: int(name.partition("=")[2]))
        return [
            f"{folder}/{split}/{name}" for split in splits for name in sorted(self.storage.names(f"{folder}/{split}"))
        ]

    def pattern(self, step: int) -> str | None:
        """Returns a pattern of the files of a step; None if it has none."""
        return literal(f"{self.folder}/step={step}") if self.storage.names(f"{self.folder}/step={step}") else None

    def count(self, step: int, end: int = 2**63 - 1) -> int:
        """Returns the number of lines of a step, in splits whose numbers are less than `end`."""
        return 0 if self.pattern(step) is None else self.lines(step).where(F.col("first") < end).count()

    def lines(self, step: int) -> DataFrame:
        """Returns the lines of a step that has some (value), and the numbers of their splits (first)."""
        return self.spark.read.text(self.pattern(step) or "", lineSep="\n")

    def move(self, step: int, out: str) -> None:
        """Moves the lines of a step to a new folder. Raises Failed."""
        self.storage.gather(self.files(step), out)

    def bad_steps(self) -> list[int]:
        """Returns the numbers of the steps that rejected lines."""
        found = (re.fullmatch(r"step=([1-9]\d*)", name) for name in self.storage.names(self.folder))
        return sorted(int(step[1]) for step in found if step)

    def causes(self, step: int) -> tuple[int, list[tuple[str, int]]]:
        """Returns how many lines a step rejected, and the commonest causes with their counts."""
        lines = self.lines(step)
        counts = lines.groupBy(F.substring_index("value", "\t", 1).alias("cause")).count()
        commonest = counts.orderBy(F.desc("count"), "cause").limit(SHOWN_CAUSES).collect()
        return lines.count(), [(row["cause"], row["count"]) for row in commonest]
