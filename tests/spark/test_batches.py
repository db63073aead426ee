"""What each task of ours does before its work."""

import gc
from typing import TYPE_CHECKING

import pyarrow as pa

from shingletools.spark.batches import Batches, through

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

HELD = pa.schema([("collected", pa.int64())])


def collected(batches: Batches) -> Batches:
    """How many objects a collection of garbage looks at."""
    for _ in batches:
        yield pa.RecordBatch.from_pydict({"collected": [len(gc.get_objects())]}, HELD)


def test_what_a_worker_has_loaded_is_not_collected(spark: "SparkSession") -> None:
    """After each task, Spark collects garbage: it would look at each object of all modules."""
    rows = through(spark.range(0, 4, 1, 4), collected, HELD).collect()
    assert all(row["collected"] < len(gc.get_objects()) / 10 for row in rows)
