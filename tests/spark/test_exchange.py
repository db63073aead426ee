"""What tasks send each other: against Spark's own hash, and against brute force."""

import random
from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from shingletools.kernel.types import Index
from shingletools.spark import exchange
from shingletools.spark.batches import Batches
from shingletools.spark.exchange import Entries
from shingletools.spark.heads import HEAD, repeated

NUMBER = np.dtype([("number", "<i8")])


def test_each_part_has_a_partition_of_its_own(spark: SparkSession) -> None:
    some = [0, 1, -1, 7, 2**31 - 1, -(2**31), 123456789]
    rows = spark.createDataFrame([(number,) for number in some], "number int").select(F.hash("number"))
    assert [row[0] for row in rows.collect()] == [exchange.hashed(number) for number in some]
    for parts in (1, 2, 37):
        assert sorted(exchange.hashed(number) % parts for number in exchange.addresses(parts)) == list(range(parts))


class Numbers:
    """Rows of one number to entries, each sent to one of three parts."""

    def __call__(self, batches: Batches) -> Iterator[tuple[Entries, Index]]:
        for batch in batches:
            numbers = batch.column("id").to_numpy()
            yield numbers.view(NUMBER).reshape(-1), numbers % 3


def collected(batches: Batches) -> Batches:
    numbers = exchange.received(batches, NUMBER)["number"]
    yield pa.RecordBatch.from_pydict({"numbers": [numbers.tolist()]}, pa.schema([("numbers", pa.list_(pa.int64()))]))


def test_what_is_sent_comes_together(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exchange, "HELD", 100)
    monkeypatch.setattr(exchange, "ROW", 24)
    rows = exchange.sent(spark.range(0, 1000, 1, 4), Numbers(), 3)
    schema = "numbers array<long>"
    found = [sorted(row["numbers"]) for row in rows.mapInArrow(collected, schema).collect()]
    assert sorted(found) == [[*range(part, 1000, 3)] for part in range(3)]


def test_what_is_repeated() -> None:
    rng = random.Random(1)
    digests = [(rng.randrange(6) << 60, rng.randrange(3)) for _ in range(60)]
    heads = np.array([(*digest, number, 0) for number, digest in enumerate(digests)], HEAD)
    found = repeated(heads[rng.sample(range(60), 60)])
    expected = [(number, digests.index(digest)) for number, digest in enumerate(digests)
                if digests.index(digest) < number]  # fmt: skip
    assert list(zip(found.number.tolist(), found.first.tolist(), strict=True)) == expected
    assert not len(repeated(heads[:0]).number)
