"""Files and folders, wherever Spark has them: lines as they are, Parquet as JSON."""

from contextlib import suppress

import pyarrow as pa
from py4j.protocol import Py4JError
from pyspark.errors import AnalysisException
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import BinaryType, StringType

from shingletools import wire
from shingletools.spark.batches import Batches, of_rows, through
from shingletools.spark.pipeline import is_parquet
from shingletools.wire import Failed

# What Parquet has where commands wrote nothing: columns that they always give; other commands give documents
EMPTY = {
    "simjoin": "a string, b string, similarity double",
    "simgroup": "group string, size long, members array<string>",
}
SOURCE = ["part", "file", "block"]  # which --in, file, and where in the file a task began to read
KINDS = pa.schema([("field", pa.string()), ("kind", pa.string())])


def read(spark: SparkSession, path: str, part: int, option: str = "--in") -> DataFrame:
    """Lines as they are, or rows as JSON, with SOURCE; `option` named the path. Raises Failed."""
    if path.rstrip("/").rpartition("/")[2].startswith(("_", ".")):
        raise Failed(f"{option} {wire.printable(path)}: Spark takes what begins with _ or . for hidden")
    reader = spark.read.options(recursiveFileLookup=True, ignoreCorruptFiles=False, ignoreMissingFiles=False)
    try:
        # Without lineSep a carriage return would end a line, too; the cast leaves bytes that are no UTF-8 alone
        frame = reader.parquet(path) if is_parquet(path) else reader.text(path, lineSep="\n")
    except AnalysisException as error:
        raise Failed(f"{option} {wire.printable(path)}: {error.getMessage().splitlines()[0]}") from None
    line = as_json(frame) if is_parquet(path) else F.col("value").cast("binary")
    about = frame.metadataColumn("_metadata")
    source = [F.lit(part).alias("part"), about["file_path"].alias("file"), about["file_block_start"].alias("block")]
    return frame.select(*source, line.alias("line"))


def as_json(rows: DataFrame) -> Column:
    """Records, with a byte that is no UTF-8 behind those with text that is none, so that they are rejected."""
    columns, is_text = [], F.lit(True)
    for field in rows.schema:
        column = F.col("`" + field.name.replace("`", "``") + "`")
        if isinstance(field.dataType, StringType | BinaryType):  # many programs write text without saying that it is
            column = column.cast("string").alias(field.name)
            is_text &= F.coalesce(F.is_valid_utf8(column), F.lit(True))
        columns.append(column)
    record = F.to_json(F.struct(*columns), {"ignoreNullFields": "false", "timeZone": "UTC"}).cast("binary")
    return F.when(is_text, record).otherwise(F.concat(record, F.unhex(F.lit("FF"))))


def write_lines(frame: DataFrame, path: str, gzip: bool) -> None:
    """The column line, as it is, in the frame's order: parts in the order of their names."""
    lines = frame.select(F.col("line").cast("string").alias("value"))
    lines.write.text(path, compression="gzip" if gzip else "none", lineSep="\n")


def write_parquet(spark: SparkSession, lines: str, path: str, gzip: bool, empty: str) -> None:
    """The records in the folder `lines`; if they have no fields, the columns `empty`. Raises Failed."""
    mixed = mixed_field(spark.read.text(lines, lineSep="\n"))
    if mixed is not None:
        raise Failed(f"{wire.printable(path)}: {wire.shown(mixed)} is of several types, a column of one")
    found = spark.read.json(lines, lineSep="\n", mode="FAILFAST")
    if not found.columns:
        found = spark.createDataFrame([], empty)
    found.write.parquet(path, compression="gzip" if gzip else None)


def mixed_field(values: DataFrame) -> str | None:
    """A field of records (value) that has values of several types, beside null."""
    found = through(values, kinds, KINDS).groupBy("field").agg(F.count_distinct("kind").alias("kinds"))
    first = found.where("kinds > 1").orderBy("field").first()
    return None if first is None else str(first["field"])


def kinds(batches: Batches) -> Batches:
    found = {
        (field, "number" if type(value) in (int, float) else type(value).__name__)
        for batch in batches
        for line in batch.column("value").to_pylist()
        for field, value in wire.parse_json(line.encode(), 1, "").items()
        if value is not None
    }
    yield of_rows(KINDS, found)


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
        frame.write.parquet(path)
        return self.spark.read.schema(frame.schema).parquet(path)

    def __enter__(self) -> "Kept":
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(Py4JError):  # there is no Spark any more
            Files(self.spark).delete(self.folder)
