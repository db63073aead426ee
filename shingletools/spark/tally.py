"""What tasks tell the driver besides their rows."""

from typing import Any

from pyspark import AccumulatorParam, SparkContext


class _Append(AccumulatorParam[list[Any]]):
    def zero(self, _value: list[Any]) -> list[Any]:
        return []

    def addInPlace(self, value: list[Any], more: list[Any]) -> list[Any]:  # noqa: N802  # Spark's name
        value += more
        return value


class Tally:
    """Collects what tasks tell. A task that is computed again, after its machine was lost, may tell it twice."""

    def __init__(self, context: SparkContext) -> None:
        self.accumulator = context.accumulator([], _Append())

    def add(self, *things: Any) -> None:
        self.accumulator.add([*things])

    @property
    def value(self) -> list[Any]:
        """Returns all, in no order; used after the job."""
        return list(self.accumulator.value)
