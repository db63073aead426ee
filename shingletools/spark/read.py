"""Reads files and folders as rows, in the order of paths, then of files' names, then of lines."""

from collections import Counter
from collections.abc import Collection, Iterator
from urllib.parse import unquote

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.errors import AnalysisException
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from shingletools.reading.compression_detection import HEAD_BYTES, plain, recognised
from shingletools.reading.formats.arrow_lines import Fields, line_columns, lines_of
from shingletools.spark.arrow_batches import Batches, runs, union
from shingletools.spark.lines import NumberedLines
from shingletools.spark.pipeline import is_parquet
from shingletools.spark.storage import literal
from shingletools.system import errors
from shingletools.system.errors import Failed
from shingletools.system.interruptible_reads import whole_lines

PLACE_BITS = 40  # of a line's number: its place in its file; the bits above count files
SPLIT_BY_JAVA = ".bz2"
UNKNOWN_TO_JAVA = (".zst", ".xz")  # suffixes of compressed files that not every Hadoop reads
BOM = b"\xef\xbb\xbf"
FILE = "a compressed file"  # in messages


class LineReader:
    """Reads paths. Each line gets a number: that of its file, and a place in it that grows with the lines.

    The place is where the file split begins, in bytes, plus the number of lines before it in that split, which are not
    more than its bytes, unless these are compressed. So no task needs to know what others have read.
    """

    def __init__(self, spark: SparkSession) -> None:
        self.spark, self.files = spark, 0
        self.overlap = False  # whether the numbers of two splits may overlap, since a compressed file has several
        self.reader = spark.read.options(recursiveFileLookup=True, ignoreCorruptFiles=False, ignoreMissingFiles=False)

    def read(self, option: str, path: str) -> DataFrame:
        """Returns the rows of the path that an option names. Raises Failed.

        They have `first`, the number of the first line of their file split, and a line as `value`, or a compressed file
        as `content`; or of Parquet `first`, `number` and `row`.
        """
        where = f"{option} {errors.printable(path)}"
        if path.rstrip("/").rpartition("/")[2].startswith(("_", ".")) and path not in (".", ".."):
            raise Failed(f"{where}: Spark ignores names that begin with _ or .")
        try:
            # By default, a carriage return would end a line, too
            frame = self.reader.parquet(path) if is_parquet(path) else self.reader.text(path, lineSep="\n")
        except AnalysisException as error:
            raise Failed(f"{where}: {error.getMessage().splitlines()[0]}") from None
        names = sorted(frame.inputFiles(), key=unquote)
        starts = pa.array([(self.files + file) << PLACE_BITS for file in range(len(names))], pa.int64())
        files = pa.table({"file": pa.array(names, pa.string()), "start": starts})
        self.files += len(names)
        self.overlap |= any(name.endswith(SPLIT_BY_JAVA) for name in names)
        if is_parquet(path):
            index = frame.metadataColumn("_metadata")["row_index"].alias("row_index")
            return numbered(frame, files, F.struct("*").alias("row"), index)
        value, nothing = F.col("value").cast("binary").alias("value"), F.lit(None).cast("binary")
        packed = [literal(unquote(name)) for name in names if name.endswith(UNKNOWN_TO_JAVA)]
        if not packed:
            return numbered(frame, files, value, nothing.alias("content"))
        others = [literal(unquote(name)) for name in names if not name.endswith(UNKNOWN_TO_JAVA)]
        contents = self.spark.read.format("binaryFile").load(packed)
        frames = [numbered(contents, files, nothing.alias("value"), F.col("content"))]
        if others:
            text = self.reader.text(others, lineSep="\n")
            frames.append(numbered(text, files, value, nothing.alias("content")))
        return union(frames)


def numbered(frame: DataFrame, files: pa.Table, *columns: Column) -> DataFrame:
    """Returns columns of a frame that is read, and the numbers of each row and its split. files: `file` and `start`."""
    metadata = frame.metadataColumn("_metadata")
    found = frame.select(metadata["file_path"].alias("file"), metadata["file_block_start"].alias("block"), *columns)
    as_in_metadata = pc.replace_substring(files["file"], ":///", ":/", max_replacements=1)
    starts = frame.sparkSession.createDataFrame(files.set_column(0, "file", as_in_metadata))
    places = {"first": F.col("start") + F.col("block")}
    if "row_index" in found.columns:
        places["number"] = F.col("start") + F.col("row_index")
    found = found.join(F.broadcast(starts), "file", "left").withColumns(places)
    return found.drop("file", "start", "block", "row_index")


def numbered_batches(texts: Collection[str], whole: bool, batches: Batches) -> Iterator[NumberedLines]:
    """Yields the rows of a LineReader as lines. Raises Failed.

    texts: the fields of Parquet in which bytes are text. whole: whether lines have all fields, not only these.
    """
    count: Counter[int] = Counter()  # of the lines of a split so far

    def placed(first: int, lines: bytes) -> NumberedLines:
        start = first + count[first]
        count[first] += lines.count(b"\n")
        return NumberedLines(first, np.arange(start, first + count[first]), lines)

    for batch in batches:
        for rows in of_one_split(batch):
            first = rows.column("first")[0].as_py()
            if "row" in rows.schema.names:
                yield from parquet_lines(first, rows, Fields((), [*texts], None if whole else texts))
            elif rows.column("content")[0].is_valid:
                for content in rows.column("content"):
                    for lines in whole_lines(plain(iter([content.as_py()]), FILE), FILE, device=False):
                        ended = lines if lines.endswith(b"\n") else lines + b"\n"
                        yield placed(first, ended if count[first] else ended.removeprefix(BOM))
            else:
                lines = joined(rows.column("value"))
                if not first % (1 << PLACE_BITS) and not count[first] and (codec := recognised(lines[:HEAD_BYTES])):
                    raise Failed(
                        f"{codec.name} data in a file whose name does not say so, and so Spark did not decompress it"
                    )
                yield placed(first, lines)


def of_one_split(batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
    """Yields the parts of a batch that are of one split. Raises Failed."""
    if batch.column("first").null_count:
        raise Failed("a file that was not there when the run began")
    return runs(batch, "first")


def joined(lines: pa.Array) -> bytes:
    """Returns lines, each ended by a line feed.

    >>> joined(pa.array([b"one", b"", b"two"]))
    b'one\\n\\ntwo\\n'
    """
    together = pa.ListArray.from_arrays(pa.array([0, len(lines)], pa.int32()), lines)
    return bytes(pc.binary_join(together, pa.scalar(b"\n", lines.type))[0].as_py()) + b"\n"


def parquet_lines(first: int, rows: pa.RecordBatch, fields: Fields) -> Iterator[NumberedLines]:
    """Yields rows of Parquet as lines, as canon --parquet reads them."""
    record = pa.RecordBatch.from_struct_array(rows.column("row"))
    columns = line_columns(record.schema, fields, "--in")
    numbers = rows.column("number").to_numpy()
    for lines in lines_of([*columns.values()], record.select([*columns])):
        count = lines.count(b"\n")
        yield NumberedLines(first, numbers[:count], lines)
        numbers = numbers[count:]
