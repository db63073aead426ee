"""A session that ends with the run."""

import threading
from typing import NoReturn

import pytest
from pyspark.sql import SparkSession

from shingletools.spark import session


class Starting(session.Session):
    """A Spark that takes its time."""

    def _new(self) -> SparkSession:
        threading.Event().wait()
        raise AssertionError


def test_a_signal_does_not_wait_for_a_spark_that_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    waits = iter([KeyboardInterrupt])

    def wait(*_: object, **_options: object) -> NoReturn:
        raise next(waits)

    monkeypatch.setattr(session, "wait", wait)
    starting = Starting("a run", None, {})
    starting.given = None
    with pytest.raises(KeyboardInterrupt):
        starting.run(lambda _: None)
