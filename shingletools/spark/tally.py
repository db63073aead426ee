"""What tasks tell the driver beside what they make: a few figures of each split of the input, or part of the output."""

import json
from collections.abc import Iterable
from typing import Any, NamedTuple
from urllib.parse import unquote

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

    def text(self) -> str:
        r"""On a line.

        >>> told = Told(0, 1, (0, "a", 7), 3, {"bad": 1}, {("via", 2): [3, 4]})
        >>> told.text(), Told.of(told.text()) == told
        ('[0,1,[0,"a",7],3,[["bad",1]],[[["via",2],[3,4]]]]', True)
        """
        parts = self.task, self.run, self.key, self.lines, [*self.figures.items()], [*self.marks.items()]
        return json.dumps(parts, separators=(",", ":"))

    @classmethod
    def of(cls, text: str) -> "Told":
        task, run, key, lines, figures, marks = json.loads(text)
        return cls(task, run, tuple(key), lines, dict(figures), {tuple(mark): places for mark, places in marks})


def merged(told: Iterable[Told], more: Iterable[Told]) -> list[Told]:
    """The lines of each split as it was told first, and what was told of it since, by whichever tasks."""
    every = {each.key: each._replace(figures=dict(each.figures), marks=dict(each.marks)) for each in told}
    for each in more:
        known = every[each.key]
        for name, value in each.figures.items():
            known.figures[name] = known.figures.get(name, 0) + value
        for mark, (first, last) in each.marks.items():
            before = known.marks.get(mark, [first, last])
            known.marks[mark] = [min(before[0], first), max(before[1], last)]
    return in_order(every.values())


def in_order(told: Iterable[Told]) -> list[Told]:
    """By their keys, files by their names, in which Spark has percent signs in place of some letters.

    >>> [each.key[1] for each in in_order(Told(0, 0, (0, name, 0), 1, {}, {}) for name in ("x%5B", "xA"))]
    ['xA', 'x%5B']
    """
    return sorted(told, key=lambda each: [unquote(part) if isinstance(part, str) else part for part in each.key])


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
        return in_order(Told(*each) for each in self.told.value)


class Aside:
    """In place of a tally, for tasks that may be done again after they ended: what they told goes along with the rows.

    Spark counts once only what tasks tell whose rows no other tasks wait for.
    """

    def __init__(self) -> None:
        self.told = self
        self.every: list[Told] = []

    def add(self, told: list[Told]) -> None:
        self.every += told


class Telling:
    """What one task does one after the other, told as it ends."""

    def __init__(self, tally: Tally | Aside) -> None:
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
