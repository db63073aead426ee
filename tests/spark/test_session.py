"""A session that ends with the run."""

import threading
from unittest.mock import Mock

import pytest
from pyspark import SparkContext
from pyspark.sql import SparkSession

from shingletools.spark import session

OPTIONS = "spark.driver.extraJavaOptions"


class Starting(session.Session):
    """A Spark that takes its time."""

    def __init__(self, spark: SparkSession) -> None:
        super().__init__("a run", None, {})
        self.given = None
        self.late = spark
        self.up = threading.Event()

    def _new(self) -> SparkSession:
        self.up.wait()
        return self.late


def test_a_signal_does_not_wait_for_a_spark_that_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    """And nothing is done once that is there."""
    waits = iter([KeyboardInterrupt])

    def wait(_futures: object, **_options: object) -> None:
        raise next(waits)

    monkeypatch.setattr(session, "wait", wait)
    monkeypatch.setattr(SparkContext, "_gateway", Mock())
    spark, stopped, worked = Mock(), threading.Event(), []
    spark.stop.side_effect = stopped.set
    starting = Starting(spark)
    with pytest.raises(KeyboardInterrupt):
        starting.run(lambda _: worked.append(True))
    starting.up.set()
    assert stopped.wait(timeout=60)
    assert not worked


@pytest.mark.parametrize(
    ("master", "given", "expected"),
    [
        ("local[2]", {}, session.LOCAL[OPTIONS]),
        (None, {}, session.LOCAL[OPTIONS]),
        ("local", {OPTIONS: "-Dmine=1"}, "-Dmine=1"),
        ("spark://host:7077", {}, None),
    ],
)
def test_options_of_java(
    master: str | None, given: dict[str, str], expected: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ours only where Java is this machine's, and nobody has said others."""
    options: dict[str, str] = {}
    builder = Mock()
    builder.config.side_effect = lambda name, value: options.update({name: value}) or builder
    monkeypatch.setattr(SparkSession, "builder", builder)
    monkeypatch.delenv("PYSPARK_GATEWAY_PORT", raising=False)
    monkeypatch.setenv("PYSPARK_PYTHON", "python3")
    session.Session("a run", master, given)._new()
    assert options.get(OPTIONS) == expected
