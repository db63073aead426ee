"""What tasks send each other: each part has all of its entries, in rows of bounded size."""

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pytest

from shingletools.spark import exchange
from shingletools.spark.arrow_batches import Batches
from shingletools.spark.exchange import Entries

KEY = np.dtype([("key", "<u8")])


def to_entries(batches: Batches) -> Iterator[Entries]:
    for batch in batches:
        yield batch.column("id").to_numpy().view(KEY).reshape(-1)


def test_what_is_sent_comes_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exchange, "HELD_BYTES", 1000)
    monkeypatch.setattr(exchange, "ROW_BYTES", 24)
    batches = [pa.record_batch({"id": np.arange(start, start + 70)}) for start in range(0, 980, 70)]
    sent = [*exchange.send(to_entries, 10, iter(batches))]
    assert all(row["entries"] and len(row["entries"]) <= 24 for batch in sent for row in batch.to_pylist())
    parts = [[batch for batch in sent if batch.column("to")[0].as_py() == part] for part in range(10)]
    keys = [exchange.received(iter(mine), KEY)["key"].tolist() for mine in parts]
    assert sorted(key for some in keys for key in some) == [*range(980)]
    assert all(50 < len(some) < 150 for some in keys)
    assert [some for some in keys if set(exchange.part_of(np.array(some, np.uint64), 10)) != {keys.index(some)}] == []
