"""Lines as simspark's commands hand them to each other: many in a row, with their numbers."""

import random
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from harness import jsonl
from shingletools.spark.batches import PACKED


def packed_rows(spark: SparkSession, data: bytes, first: int = 0, rows: int = 3, gap: int = 1) -> DataFrame:
    """Lines in so many rows; the numbers follow each other, or have gaps."""
    lines = data.split(b"\n")[:-1] if data.endswith(b"\n") or not data else data.split(b"\n")
    found = []
    for places in np.array_split(np.arange(len(lines)), rows):
        if len(places):
            numbers = b"" if gap == 1 else (gap * (places - places[0])).tobytes()
            joined = b"".join(lines[place] + b"\n" for place in places)
            found.append({"number": first + gap * int(places[0]), "numbers": numbers, "lines": joined})
    return spark.createDataFrame(pa.Table.from_pylist(found, PACKED)).repartition(2)


def framed(spark: SparkSession, gap: int, *files: bytes) -> list[DataFrame]:
    """Lines of several files, whose numbers follow each other."""
    frames, first = [], 0
    for data in files:
        frames.append(packed_rows(spark, data, first, gap=gap))
        first += gap * (data.count(b"\n") + 1)
    return frames


def unpacked(frame: DataFrame) -> bytes:
    """The lines of rows (part, number, lines), in order."""
    rows: Sequence[tuple[int, int, bytes]] = [
        (row["part"], row["number"], bytes(row["lines"] or b"")) for row in frame.collect()
    ]
    assert all(lines.endswith(b"\n") or not lines for _, _, lines in rows)
    assert len({row[:2] for row in rows}) == len(rows)
    return b"".join(lines for _, _, lines in sorted(rows))


def told(rejects: Sequence[DataFrame]) -> list[tuple[int | None, int, str, bytes]]:
    """What is rejected, number, step, cause and line, in order."""
    rows = [row for frame in rejects for row in frame.collect()]
    found = [(row["number"], row["step"], row["cause"], bytes(row["line"])) for row in rows]
    return sorted(found, key=lambda each: (-1 if each[0] is None else each[0], each[3]))


def random_documents(rng: random.Random) -> tuple[bytes, list[bytes]]:
    """Documents, some bad and some twice; and groups of some, and of documents that are not there."""
    ids = [number if number % 3 else f"{number} é" for number in range(400)]
    ids = [f"{each}" if rng.random() < 0.2 else each for each in ids]
    some = rng.sample(ids, 250)
    lines = []
    for each in rng.sample(ids, 350):
        record = {
            "id": each,
            "text": rng.choice("aé語") * rng.randrange(6),
            **({"duplicate_of": 1} if rng.random() < 0.1 else {}),
        }
        lines.append(jsonl(record))
        if rng.random() < 0.05:
            lines.append(rng.choice([b"{\n", b'{"id":1.5,"text":"a"}\n', b"\n", b'{"id":"no text"}\n', lines[-1]]))
        if rng.random() < 0.05:
            lines.append(jsonl({"id": f"x{each}"}).replace(b"x", b"\\u0078"))
    found = []
    while some:
        size = rng.choice([1, 2, 2, 3, 20])
        found.append({"group": some[0], "members": some[:size]})
        some = some[size:]
    data = [jsonl(*found[::2]), jsonl(*found[1::2])]
    return b"".join(lines), data


def parts_of(folder: Path) -> bytes:
    """What the parts of an output hold, in the order of their names."""
    return b"".join(path.read_bytes() for path in sorted(folder.glob("part-*")))
