"""Lines as simspark's commands hand them to each other: many in a row, with their numbers."""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

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


def unpacked(frame: DataFrame) -> bytes:
    """The lines of rows (part, number, lines), in order."""
    rows: Sequence[tuple[int, int, bytes]] = [
        (row["part"], row["number"], bytes(row["lines"])) for row in frame.collect()
    ]
    assert all(lines.endswith(b"\n") for _, _, lines in rows)
    assert len({row[:2] for row in rows}) == len(rows)
    return b"".join(lines for _, _, lines in sorted(rows))


def told(rejects: Sequence[DataFrame]) -> list[tuple[int | None, int, str, bytes]]:
    """What is rejected, number, step, cause and line, in order."""
    rows = [row for frame in rejects for row in frame.collect()]
    found = [(row["number"], row["step"], row["cause"], bytes(row["line"])) for row in rows]
    return sorted(found, key=lambda each: (-1 if each[0] is None else each[0], each[3]))
