"""Plain files that every machine has at the same place: tasks read their lines themselves, and Java never sees them.

A task that gets lines from Spark pays for each of them four times: as Java's text, as a row, as a value of Arrow, and
when they are put together again.
"""

from collections.abc import Iterator, Sequence
from io import FileIO
from math import ceil
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

import orjson
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

MOST = 10_000  # files: a plan that goes to all tasks names them
OPENING = 4 << 20  # bytes that could be read while a file is opened, as Spark reckons
BLOCK = 2 << 20  # bytes that are read at once
MARK = b"\xef\xbb\xbf"


class Split(NamedTuple):
    """The lines of a file that begin in so many bytes from a place on."""

    part: int
    file: str  # as Spark names it
    block: int  # the place
    size: int


def local(spark: SparkSession, files: Sequence[str]) -> bool:
    """Whether these are files of the machine, not too many, and none is compressed, as Hadoop knows by their names."""
    if len(files) > MOST or not all(urlsplit(file).scheme == "file" for file in files):
        return False
    machine = spark._jvm
    assert machine is not None
    hadoop = machine.org.apache.hadoop
    codecs = hadoop.io.compress.CompressionCodecFactory(spark.sparkContext._jsc.hadoopConfiguration())
    endings = {path_of(file).suffix for file in files}
    return not any(codecs.getCodec(hadoop.fs.Path(f"/x{ending}")) is not None for ending in endings)


def path_of(file: str) -> Path:
    """
    >>> print(path_of("file:///tmp/a%20b"))
    /tmp/a b
    """
    return Path(unquote(urlsplit(file).path))


def tasks(files: Sequence[tuple[str, int]], part: int, most: int, cores: int) -> list[list[Split]]:
    """Splits of files of so many bytes, as Spark would plan them: what each task reads.

    >>> [[(split.block, split.size) for split in task] for task in tasks([("a", 9 << 20), ("b", 1)], 0, 128 << 20, 2)]
    [[(0, 8912897)], [(8912897, 524287), (0, 1)]]
    """
    total = sum(size + OPENING for _, size in files)
    size = max(1, min(most, max(OPENING, ceil(total / cores))))
    splits = [
        Split(part, file, start, min(size, length - start))
        for file, length in files for start in range(0, length, size)
    ]  # fmt: skip
    planned: list[list[Split]] = []
    room = 0
    for split in splits:
        if room < split.size:
            planned.append([])
            room = size
        planned[-1].append(split)
        room -= split.size + OPENING
    return planned


def frame(spark: SparkSession, files: Sequence[str], part: int) -> DataFrame:
    """What tasks read, in a column, as JSON; each partition has a row."""
    sized = [(file.replace(":///", ":/", 1), path_of(file).stat().st_size) for file in files]  # as with its metadata
    most = int(spark._jsparkSession.sessionState().conf().filesMaxPartitionBytes())
    cores = spark.sparkContext.defaultParallelism
    planned = [orjson.dumps([list(split) for split in task]).decode() for task in tasks(sized, part, most, cores)]
    every = F.from_json(F.lit(orjson.dumps(planned).decode()), "array<string>")
    rows = spark.range(0, len(planned), 1, max(1, len(planned)))
    return rows.select(F.element_at(every, F.col("id").cast("int") + 1).alias("splits"))


def splits_of(row: str) -> list[Split]:
    """What a row of such a frame says."""
    return [Split(*each) for each in orjson.loads(row)]


def lines_of(split: Split) -> Iterator[bytes]:
    """The lines of a split, each ended by a line feed, many at once; without a byte order mark."""
    end = split.block + split.size
    with path_of(split.file).open("rb", buffering=0) as file:
        if split.block:
            at, marked = behind_a_line(file, split.block - 1, end), False
        else:
            at = len(MARK) if (marked := file.read(len(MARK)) == MARK) else 0
        file.seek(at)
        rest = [b""] if marked and at >= end else []  # of a line that has begun
        while at < end and (data := file.read(min(BLOCK, end - at))):
            at += len(data)
            if cut := data.rfind(b"\n") + 1:
                yield b"".join([*rest, data[:cut]])
                rest = []
            if cut < len(data):
                rest.append(data[cut:])
        if rest:
            cut = 0
            while not cut and (data := file.read(BLOCK // 16)):
                cut = data.find(b"\n") + 1
                rest.append(data[:cut] if cut else data)
            yield b"".join(rest if cut else [*rest, b"\n"])


def behind_a_line(file: FileIO, at: int, end: int) -> int:
    """Where the first line begins that follows a line feed from a place on; `end` or more if it is not before that."""
    file.seek(at)
    while at < end and (data := file.read(min(BLOCK, end - at))):
        if cut := data.find(b"\n") + 1:
            return at + cut
        at += len(data)
    return end
