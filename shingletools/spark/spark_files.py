"""Files and folders, wherever Spark has them."""

import re
import time
from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from typing import NamedTuple
from urllib.parse import unquote

from py4j.protocol import Py4JError
from pyspark.errors import AnalysisException
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from shingletools.spark import splits
from shingletools.spark.parquet_rows import as_json, fields_of, is_read
from shingletools.spark.pipeline import is_parquet
from shingletools.spark.tally import SplitStats
from shingletools.system import errors
from shingletools.system.errors import Failed

QUIET = 5  # tenths of a second without new files
PART = re.compile(r"part-(\d+)-")
SOURCE = ["part", "file", "block"]  # the --in, the file, and the place in the file where a task began to read
# Lines with their SOURCE, or a description of what a task is to read itself
READ = {"part": "int", "file": "string", "block": "bigint", "line": "binary", "splits": "string"}


class Read(NamedTuple):
    """Which columns of Parquet lines have."""

    texts: Collection[str]  # fields that commands read as text: bytes in them are text, since many programs write that
    some: bool = False  # whether only these fields can be the reason to reject a record
    only: bool = False  # whether lines have only these fields


class Source(NamedTuple):
    """What is read from a path: rows of READ, and their files."""

    rows: DataFrame
    opened: DataFrame
    local: bool = False  # whether tasks read the files themselves

    def files(self) -> list[str]:
        return list(self.opened.inputFiles())


def read(spark: SparkSession, path: str, part: int, how: Read, option: str = "--in") -> Source:
    """Reads a path: lines as they are, or rows as JSON. option: the one that named it. Raises Failed."""
    frame = opened(spark, path, option)
    nothing = F.lit(None)
    try:
        if is_parquet(path):
            line = line_of(frame, how)
        elif splits.local(spark, files := frame.inputFiles()):
            planned = splits.frame(spark, files, part)
            none = [nothing.cast(kind).alias(name) for name, kind in READ.items() if name != "splits"]
            return Source(planned.select(*none, "splits"), frame, local=True)
        else:
            line = F.col("value").cast("binary")  # leaves bytes that are not UTF-8 as they are
    except Failed as error:
        raise Failed(f"{option} {errors.printable(path)}: {error}") from None
    return Source(frame.select(*source(frame, part), line.alias("line"), nothing.cast("string").alias("splits")), frame)


def line_of(rows: DataFrame, how: Read) -> Column:
    fields = [each for each in fields_of(rows) if not how.only or is_read(each[0].name, how.texts)]
    return as_json(fields, how.texts, how.texts if how.some else None)


def opened(spark: SparkSession, path: str, option: str) -> DataFrame:
    """A DataFrame of lines (value), or of rows. Raises Failed."""
    if path.rstrip("/").rpartition("/")[2].startswith(("_", ".")) and path not in (".", ".."):
        raise Failed(f"{option} {errors.printable(path)}: Spark ignores names that begin with _ or .")
    reader = spark.read.options(recursiveFileLookup=True, ignoreCorruptFiles=False, ignoreMissingFiles=False)
    try:
        if is_parquet(path):
            return reader.parquet(path)
        return reader.text(path, lineSep="\n")  # by default, a carriage return would end a line, too
    except AnalysisException as error:
        raise Failed(f"{option} {errors.printable(path)}: {error.getMessage().splitlines()[0]}") from None


def source(frame: DataFrame, part: int) -> list[Column]:
    """The columns of SOURCE, for rows that are read."""
    about = frame.metadataColumn("_metadata")
    return [F.lit(part).alias("part"), about["file_path"].alias("file"), about["file_block_start"].alias("block")]


def write_lines(frame: DataFrame, path: str, gzip: bool) -> None:
    """Writes the column line, in the order of the rows; files are in the order of their names."""
    lines = frame.select(F.col("line").cast("string").alias("value"))
    lines.write.text(path, compression="gzip" if gzip else "none", lineSep="\n")


def write_runs(frame: DataFrame, folder: str, gzip: bool) -> None:
    """Writes the column value, in the order of the rows, to a file for each kind and run of a task.

    Spark is not asked for an order, for which it would sort. So it may write many files at once.
    """
    lines = frame.select("kind", "run", F.col("value").cast("string"))
    lines.write.partitionBy("kind", "run").text(folder, compression="gzip" if gzip else "none", lineSep="\n")


def literal(path: str) -> str:
    """A path escaped so that Spark does not read it as a pattern.

    >>> print(literal("o[1]"))
    o\\[1\\]
    """
    return re.sub(r"([][*?{}\\])", r"\\\1", path)


# Rows may have megabytes, so Parquet must check its memory after each row
LARGE_VALUES = {
    "parquet.block.size": str(32 << 20),
    **{f"parquet.{what}.size.row.check.{which}": "1" for what in ("block", "page") for which in ("min", "max")},
    "parquet.enable.dictionary": "false",
}


def write_large(frame: DataFrame, path: str) -> None:
    """Writes Parquet, for values of any size."""
    frame.write.options(**LARGE_VALUES).parquet(path, compression="lz4_raw")


class Files:
    """Files and folders wherever Spark has them."""

    def __init__(self, spark: SparkSession) -> None:
        machine = spark._jvm
        assert machine is not None
        self.path = machine.org.apache.hadoop.fs.Path
        self.configuration = spark.sparkContext._jsc.hadoopConfiguration()

    def exists(self, name: str) -> bool:
        path = self.path(name)
        return bool(path.getFileSystem(self.configuration).exists(path))

    def delete(self, name: str) -> None:
        path = self.path(name)
        path.getFileSystem(self.configuration).delete(path, True)

    def read(self, name: str) -> str:
        """The text of a small file; "" if it does not exist."""
        path = self.path(name)
        system = path.getFileSystem(self.configuration)
        if not system.exists(path):
            return ""
        stream = system.open(path)
        try:
            return bytes(stream.readAllBytes()).decode()
        finally:
            stream.close()

    def write(self, name: str, text: str) -> None:
        """Writes a small file, perhaps over another one."""
        path = self.path(name)
        stream = path.getFileSystem(self.configuration).create(path, True)
        try:
            stream.write(text.encode())
        finally:
            stream.close()

    def states(self, names: Iterable[str]) -> list[tuple[str, int, int]]:
        """The sizes and modification times of files, with their names as Spark has them."""
        states = []
        for name in sorted(names):
            path = self.path(unquote(name))
            state = path.getFileSystem(self.configuration).getFileStatus(path)
            states.append((name, int(state.getLen()), int(state.getModificationTime())))
        return states

    def move(self, folder: str, out: str) -> None:
        """Moves a folder to a new place; _SUCCESS is moved last."""
        source, target = self.path(folder), self.path(out)
        system = target.getFileSystem(self.configuration)
        if not system.rename(source, target):
            raise Failed(f"{errors.printable(out)}: cannot be written")
        system.create(self.path(f"{out}/_SUCCESS")).close()

    def names(self, folder: str) -> list[str]:
        """The names in a folder; none if it does not exist."""
        path = self.path(folder)
        if not self.exists(folder):
            return []
        return [each.getPath().getName() for each in path.getFileSystem(self.configuration).listStatus(path)]

    def gather(self, folder: str, stats: Sequence[SplitStats], out: str) -> None:
        """Moves the files that runs of tasks wrote to a new folder, in the order of the runs; _SUCCESS comes last."""
        target = self.path(out)
        system = target.getFileSystem(self.configuration)
        system.mkdirs(target)
        try:
            self._move(folder, stats, out)
        except BaseException:
            self.delete(out)
            raise
        system.create(self.path(f"{out}/_SUCCESS")).close()

    def _move(self, folder: str, stats: Sequence[SplitStats], out: str) -> None:
        system = self.path(out).getFileSystem(self.configuration)
        digits = max(5, len(str(len(stats))))
        for run in sorted({each.run for each in stats}):
            written = {int(found[1]): name for name in self.names(f"{folder}/run={run}") if (found := PART.match(name))}
            for number, each in enumerate(stats):
                if each.run == run:
                    name = written[each.task]
                    to = self.path(f"{out}/{PART.sub(f'part-{number:0{digits}d}-', name)}")
                    if not system.rename(self.path(f"{folder}/run={run}/{name}"), to):
                        raise Failed(f"{errors.printable(out)}: cannot be written")


class Kept:
    """DataFrames that are used more than once. They are computed once and written to a folder for this run.

    The folder is Parquet in a file system that all machines see. So nothing is lost with a machine, only columns that
    are used are read, and Spark need not plan the earlier steps again.
    """

    def __init__(self, spark: SparkSession, folder: str) -> None:
        self.spark = spark
        self.folder = folder
        self.count = 0

    def path(self) -> str:
        """A new path in the folder."""
        self.count += 1
        return f"{self.folder}/{self.count}"

    def __call__(self, frame: DataFrame) -> DataFrame:
        path = self.path()
        write_large(frame, path)
        return self.spark.read.schema(frame.schema).parquet(literal(path))

    def __enter__(self) -> "Kept":
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        with suppress(Py4JError):  # Spark may have ended
            files, quiet = Files(self.spark), 0
            files.delete(self.folder)
            while kind is not None and quiet < QUIET:  # cancelled tasks may still be writing
                time.sleep(0.1)
                quiet = 0 if files.exists(self.folder) else quiet + 1
                files.delete(self.folder)
