"""Values that tasks send to the driver besides their rows."""

from typing import Any

from pyspark import AccumulatorParam, SparkContext


class _Append(AccumulatorParam[list[Any]]):
    """Adds lists by joining them."""

    def zero(self, _value: list[Any]) -> list[Any]:
        return []

    def addInPlace(self, value: list[Any], more: list[Any]) -> list[Any]:  # noqa: N802  # Spark's name
        value += more
        return value


class Tally:
    """Collects values from tasks. What a failed attempt of a task sends does not count.

    If a machine is lost, a task that had ended may be done again, and then sends its values twice.
    """

    def __init__(self, context: SparkContext) -> None:
        self.accumulator = context.accumulator([], _Append())

    def add(self, *values: Any) -> None:
        """Sends values, in a task."""
        self.accumulator.add([*values])

    @property
    def value(self) -> list[Any]:
        """Returns all values, in no order, in the driver after the job."""
        return list(self.accumulator.value)
