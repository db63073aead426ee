"""Files that every machine has at the same place: tasks read their lines, without Java.

A line that Spark reads is copied four times: into Java's text, into a row, into a value of Arrow, and into packed
lines. Compressed files are recognised by their first bytes, as in the shell; each is one split.
"""

from collections.abc import Collection, Iterator, Sequence
from functools import partial
from io import FileIO
from math import ceil
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

import orjson
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from shingletools.reading.compressed import HEAD_BYTES, plain, recognised, suffixed
from shingletools.system.errors import printable
from shingletools.system.waiting import whole_lines

MOST = 10_000  # files; the plan, which is sent to all tasks, names them
OPENING = 4 << 20  # bytes: opening a file takes as long as reading these, by Spark's estimate
BLOCK = 2 << 20  # bytes that are read at once
MARK = b"\xef\xbb\xbf"


class Split(NamedTuple):
    """The lines of a file that begin in `size` bytes from a place on."""

    part: int
    file: str  # as Spark names it
    block: int  # the place
    size: int


def local(spark: SparkSession, files: Sequence[str]) -> bool:
    """Whether these are local files, not too many, and none has the name of a format that only Hadoop reads."""
    if len(files) > MOST or not all(urlsplit(file).scheme == "file" for file in files):
        return False
    machine = spark._jvm
    assert machine is not None
    hadoop = machine.org.apache.hadoop
    codecs = hadoop.io.compress.CompressionCodecFactory(spark.sparkContext._jsc.hadoopConfiguration())
    endings = {path_of(file).suffix for file in files if suffixed(file) is None}
    return not any(codecs.getCodec(hadoop.fs.Path(f"/x{ending}")) is not None for ending in endings)


def path_of(file: str) -> Path:
    """
    >>> print(path_of("file:///tmp/a%20b"))
    /tmp/a b
    """
    return Path(unquote(urlsplit(file).path))


def tasks(
    files: Sequence[tuple[str, int]], part: int, most: int, cores: int, whole: Collection[str] = ()
) -> list[list[Split]]:
    """The splits that each task reads, as Spark would plan them, from the sizes of files; some files are not cut.

    >>> [[(split.block, split.size) for split in task] for task in tasks([("a", 9 << 20), ("b", 1)], 0, 128 << 20, 2)]
    [[(0, 8912897)], [(8912897, 524287), (0, 1)]]
    """
    total = sum(size + OPENING for _, size in files)
    size = max(1, min(most, max(OPENING, ceil(total / cores))))
    splits = []
    for file, length in files:
        step = max(size, length) if file in whole else size
        splits += [Split(part, file, start, min(step, length - start)) for start in range(0, length, step)]
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
    """A DataFrame with one row in each partition, which has its splits as JSON."""
    sized = [(file.replace(":///", ":/", 1), path_of(file).stat().st_size) for file in files]  # as in Spark's metadata
    most = int(spark._jsparkSession.sessionState().conf().filesMaxPartitionBytes())
    cores = spark.sparkContext.defaultParallelism
    whole = {file for file, _ in sized if is_compressed(file)}
    every_task = tasks(sized, part, most, cores, whole)
    planned = [orjson.dumps([list(split) for split in task]).decode() for task in every_task]
    every = F.from_json(F.lit(orjson.dumps(planned).decode()), "array<string>")
    rows = spark.range(0, len(planned), 1, max(1, len(planned)))
    return rows.select(F.element_at(every, F.col("id").cast("int") + 1).alias("splits"))


def one_task(spark: SparkSession, files: Sequence[tuple[int, str]]) -> DataFrame:
    """A DataFrame with one row, which has all of these files, with the part of each, in this order."""
    named = [(part, file.replace(":///", ":/", 1), path_of(file).stat().st_size) for part, file in files]
    every = orjson.dumps([[part, file, 0, size] for part, file, size in named]).decode()
    return spark.range(0, 1, 1, 1).select(F.lit(every).alias("splits"))


def is_compressed(file: str) -> bool:
    with path_of(file).open("rb", buffering=0) as opened:
        return recognised(opened.read(HEAD_BYTES)) is not None


def splits_of(row: str) -> list[Split]:
    """The splits in a row of `frame`."""
    return [Split(*each) for each in orjson.loads(row)]


def lines_of(split: Split) -> Iterator[bytes]:
    """The lines of a split, each ended by a line feed, in blocks, without a byte order mark. Raises Failed."""
    end = split.block + split.size
    with path_of(split.file).open("rb", buffering=0) as file:
        if not split.block:
            if recognised(file.read(HEAD_BYTES)) is not None:
                file.seek(0)
                yield from lines_in(file, printable(str(path_of(split.file))))
                return
            file.seek(0)
        if split.block:
            at, marked = behind_a_line(file, split.block - 1, end), False
        else:
            at = len(MARK) if (marked := file.read(len(MARK)) == MARK) else 0
        file.seek(at)
        rest = [b""] if marked and at >= end else []  # pieces of a line that has begun
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


def lines_in(file: FileIO, where: str) -> Iterator[bytes]:
    """The lines of a compressed file, likewise. Raises Failed."""
    mark = MARK
    for lines in whole_lines(plain(iter(partial(file.read, BLOCK), b""), where), where, device=False):
        marked, mark = lines.removeprefix(mark), b""
        yield marked if marked.endswith(b"\n") else marked + b"\n"


def behind_a_line(file: FileIO, at: int, end: int) -> int:
    """Where the first line after a line feed at or after a place begins; `end` or more if it is not before `end`."""
    file.seek(at)
    while at < end and (data := file.read(min(BLOCK, end - at))):
        if cut := data.find(b"\n") + 1:
            return at + cut
        at += len(data)
    return end
