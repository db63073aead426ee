"""What each task of ours does beside its work."""

import gc
from functools import partial
from unittest.mock import Mock

import pyarrow as pa
import pytest

from shingletools.spark.batches import Batches, freeze_once, through

HELD = pa.schema([("held", pa.int64())])


def held(number: int, batches: Batches) -> Batches:
    yield from batches
    yield pa.RecordBatch.from_pydict({"held": [number]}, HELD)


def test_a_worker_leaves_what_it_has_loaded_out_of_collections_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """In the workers of these tests, warm.py has done so already."""
    freeze, frame = Mock(), Mock()
    monkeypatch.setattr(gc, "freeze", freeze)
    freeze_once.cache_clear()
    through(frame, partial(held, 7), HELD)
    task = frame.mapInArrow.call_args[0][0]
    assert (task.__name__, freeze.call_count) == ("held", 0)
    for _ in range(2):
        assert [batch.to_pydict() for batch in task(iter(()))] == [{"held": [7]}]
        assert freeze.call_count == 1
    freeze_once.cache_clear()
