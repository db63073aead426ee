"""What tasks tell the driver beside what they make: a few figures of each split of the input, or part of the output."""

from typing import Any, NamedTuple

from pyspark import Accumulator, AccumulatorParam, SparkContext, TaskContext

Key = tuple[Any, ...]


class Told(NamedTuple):
    """Of what a task did one after the other, one thing."""

    task: int
    run: int  # in its task, from 0
    key: Key  # by which such things are in order, over all tasks
    lines: int
    figures: dict[str | int, int]
    marks: dict[Key, list[int]]  # what there was, and where first and last


class _Append(AccumulatorParam[list[Told]]):
    def zero(self, _value: list[Told]) -> list[Told]:
        return []

    def addInPlace(self, value: list[Told], more: list[Told]) -> list[Told]:  # noqa: N802  # Spark's name
        value += more
        return value


class Tally:
    """Sent along with the work of a job that writes; each of its tasks counts once, however often it was tried."""

    def __init__(self, context: SparkContext) -> None:
        self.told: Accumulator[list[Told]] = context.accumulator([], _Append())

    def all(self) -> list[Told]:
        """In the order of the keys, once the job is done."""
        return sorted((Told(*each) for each in self.told.value), key=lambda each: each.key)


class Runs:
    """What one task does one after the other, told as it ends."""

    def __init__(self, tally: Tally) -> None:
        self.told = tally.told
        context = TaskContext.get()
        self.task = context.partitionId() if context is not None else 0
        self.run = -1
        self.key: Key | None = None
        self.lines = 0
        self.figures: dict[str | int, int] = {}
        self.marks: dict[Key, list[int]] = {}

    def begin(self, key: Key) -> bool:
        """Goes on with this key; whether it is a new one."""
        if key == self.key:
            return False
        self.end()
        self.run += 1
        self.key, self.lines, self.figures, self.marks = key, 0, {}, {}
        return True

    def end(self) -> None:
        if self.key is not None:
            self.told.add([Told(self.task, self.run, self.key, self.lines, self.figures, self.marks)])
            self.key = None
