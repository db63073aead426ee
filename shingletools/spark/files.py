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

from shingletools import errors
from shingletools.errors import Failed
from shingletools.spark import splits
from shingletools.spark.parquet import as_json, fields_of, is_read
from shingletools.spark.pipeline import is_parquet
from shingletools.spark.tally import Told

QUIET = 5  # tenths of a second in which nothing comes
PART = re.compile(r"part-(\d+)-")
SOURCE = ["part", "file", "block"]  # which --in, file, and where in the file a task began to read
# Lines with their SOURCE, or what a task is to read itself
READ = {"part": "int", "file": "string", "block": "bigint", "line": "binary", "splits": "string"}


class Read(NamedTuple):
    """What lines have of the columns of Parquet."""

    texts: Collection[str]  # fields that commands read: bytes in them are text, as which many programs write it
    some: bool = False  # whether only these fields can be the reason why a record is rejected
    only: bool = False  # and only these are there


class Source(NamedTuple):
    """What is read of a path: READ, and of which files."""

    rows: DataFrame
    opened: DataFrame

    def files(self) -> list[str]:
        return list(self.opened.inputFiles())


def read(spark: SparkSession, path: str, part: int, how: Read, option: str = "--in") -> Source:
    """Lines as they are, or rows as JSON; `option` named the path. Raises Failed."""
    frame = opened(spark, path, option)
    nothing = F.lit(None)
    try:
        if is_parquet(path):
            line = line_of(frame, how)
        elif splits.local(spark, files := frame.inputFiles()):
            planned = splits.frame(spark, files, part)
            none = [nothing.cast(kind).alias(name) for name, kind in READ.items() if name != "splits"]
            return Source(planned.select(*none, "splits"), frame)
        else:
            line = F.col("value").cast("binary")  # which leaves bytes that are no UTF-8 alone
    except Failed as error:
        raise Failed(f"{option} {errors.printable(path)}: {error}") from None
    return Source(frame.select(*source(frame, part), line.alias("line"), nothing.cast("string").alias("splits")), frame)


def line_of(rows: DataFrame, how: Read) -> Column:
    fields = [each for each in fields_of(rows) if not how.only or is_read(each[0].name, how.texts)]
    return as_json(fields, how.texts, how.texts if how.some else None)


def opened(spark: SparkSession, path: str, option: str) -> DataFrame:
    """Lines (value) or rows. Raises Failed."""
    if path.rstrip("/").rpartition("/")[2].startswith(("_", ".")) and path not in (".", ".."):
        raise Failed(f"{option} {errors.printable(path)}: Spark takes what begins with _ or . for hidden")
    reader = spark.read.options(recursiveFileLookup=True, ignoreCorruptFiles=False, ignoreMissingFiles=False)
    try:
        if is_parquet(path):
            return reader.parquet(path)
        return reader.text(path, lineSep="\n")  # without which a carriage return would end a line, too
    except AnalysisException as error:
        raise Failed(f"{option} {errors.printable(path)}: {error.getMessage().splitlines()[0]}") from None


def source(frame: DataFrame, part: int) -> list[Column]:
    """SOURCE of rows as they are read."""
    about = frame.metadataColumn("_metadata")
    return [F.lit(part).alias("part"), about["file_path"].alias("file"), about["file_block_start"].alias("block")]


def write_lines(frame: DataFrame, path: str, gzip: bool) -> None:
    """The column line, as it is, in the frame's order: parts in the order of their names."""
    lines = frame.select(F.col("line").cast("string").alias("value"))
    lines.write.text(path, compression="gzip" if gzip else "none", lineSep="\n")


def write_runs(frame: DataFrame, folder: str, gzip: bool) -> None:
    """The column value of each kind and run, in the order of the rows, to a file for each run of a task.

    No order is asked of Spark, which would sort: it may write as many files at once as there are.
    """
    lines = frame.select("kind", "run", F.col("value").cast("string"))
    lines.write.partitionBy("kind", "run").text(folder, compression="gzip" if gzip else "none", lineSep="\n")


def literal(path: str) -> str:
    """A path that is no pattern to those who read it.

    >>> print(literal("o[1]"))
    o\\[1\\]
    """
    return re.sub(r"([][*?{}\\])", r"\\\1", path)


# Rows may have megabytes: Parquet is to look at its memory after each of them
LARGE_VALUES = {
    "parquet.block.size": str(32 << 20),
    **{f"parquet.{what}.size.row.check.{which}": "1" for what in ("block", "page") for which in ("min", "max")},
    "parquet.enable.dictionary": "false",
}


def write_large(frame: DataFrame, path: str) -> None:
    """As Parquet, whatever the size of its values."""
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
        """A small file; nothing if it is not there."""
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
        """A small file, or another one in its place."""
        path = self.path(name)
        stream = path.getFileSystem(self.configuration).create(path, True)
        try:
            stream.write(text.encode())
        finally:
            stream.close()

    def states(self, names: Iterable[str]) -> list[tuple[str, int, int]]:
        """Files, which Spark names, with their sizes and when they were written."""
        states = []
        for name in sorted(names):
            path = self.path(unquote(name))
            state = path.getFileSystem(self.configuration).getFileStatus(path)
            states.append((name, int(state.getLen()), int(state.getModificationTime())))
        return states

    def move(self, folder: str, out: str) -> None:
        """A folder to where none is, which ends with _SUCCESS."""
        source, target = self.path(folder), self.path(out)
        system = target.getFileSystem(self.configuration)
        if not system.rename(source, target):
            raise Failed(f"{errors.printable(out)}: cannot be written")
        system.create(self.path(f"{out}/_SUCCESS")).close()

    def names(self, folder: str) -> list[str]:
        """What a folder has; nothing if it is not there."""
        path = self.path(folder)
        if not self.exists(folder):
            return []
        return [each.getPath().getName() for each in path.getFileSystem(self.configuration).listStatus(path)]

    def gather(self, folder: str, told: Sequence[Told], out: str) -> None:
        """Moves the files that runs of tasks wrote, in the order of these, to a new folder; it ends with _SUCCESS."""
        target = self.path(out)
        system = target.getFileSystem(self.configuration)
        system.mkdirs(target)
        try:
            self._move(folder, told, out)
        except BaseException:
            self.delete(out)
            raise
        system.create(self.path(f"{out}/_SUCCESS")).close()

    def _move(self, folder: str, told: Sequence[Told], out: str) -> None:
        system = self.path(out).getFileSystem(self.configuration)
        digits = max(5, len(str(len(told))))
        for run in sorted({each.run for each in told}):
            written = {int(found[1]): name for name in self.names(f"{folder}/run={run}") if (found := PART.match(name))}
            for number, each in enumerate(told):
                if each.run == run:
                    name = written[each.task]
                    to = self.path(f"{out}/{PART.sub(f'part-{number:0{digits}d}-', name)}")
                    if not system.rename(self.path(f"{folder}/run={run}/{name}"), to):
                        raise Failed(f"{errors.printable(out)}: cannot be written")


class Kept:
    """Frames that are used more than once: worked out once and written to a folder, which goes when the run is over.

    As Parquet in a file system that all machines see, so that nothing is done again when one of them is lost, and only
    the columns that are used are read. Nor does Spark have to plan what led there again.
    """

    def __init__(self, spark: SparkSession, folder: str) -> None:
        self.spark = spark
        self.folder = folder
        self.count = 0

    def path(self) -> str:
        """One that is new."""
        self.count += 1
        return f"{self.folder}/{self.count}"

    def __call__(self, frame: DataFrame) -> DataFrame:
        path = self.path()
        write_large(frame, path)
        return self.spark.read.schema(frame.schema).parquet(literal(path))

    def __enter__(self) -> "Kept":
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        with suppress(Py4JError):  # there is no Spark any more
            files, quiet = Files(self.spark), 0
            files.delete(self.folder)
            while kind is not None and quiet < QUIET:  # tasks that were cancelled may still be writing
                time.sleep(0.1)
                quiet = 0 if files.exists(self.folder) else quiet + 1
                files.delete(self.folder)
