"""What tasks send each other: each part comes to one task."""

from collections.abc import Iterator
from functools import partial

import numpy as np
import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from shingletools.kernel.types import Index
from shingletools.spark import exchange
from shingletools.spark.arrow_batches import Batches
from shingletools.spark.exchange import Entries

NUMBER = np.dtype([("number", "<i8")])


def to_entries(parts: int, batches: Batches) -> Iterator[tuple[Entries, Index]]:
    """Takes rows of one number to entries, of parts by their last digit."""
    for batch in batches:
        numbers = batch.column("id").to_numpy()
        yield numbers.view(NUMBER).reshape(-1), numbers % 10 % parts


def collected(batches: Batches) -> Batches:
    numbers = exchange.received(batches, NUMBER)["number"]
    yield pa.RecordBatch.from_pydict({"numbers": [numbers.tolist()]}, pa.schema([("numbers", pa.list_(pa.int64()))]))


def test_what_is_sent_comes_together(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exchange, "HELD_BYTES", 100)
    monkeypatch.setattr(exchange, "ROW_BYTES", 24)
    rows = exchange.sent(spark.range(0, 1000, 1, 4), partial(partial, to_entries), 3)
    found = [row["numbers"] for row in rows.mapInArrow(collected, "numbers array<long>").collect()]
    assert sorted(number for some in found for number in some) == [*range(1000)]
    assert len(found) == 3
    assert all(sum(number % 10 == digit for number in some) in (0, 100) for some in found for digit in range(10))
