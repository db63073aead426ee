"""What tasks tell the driver besides their rows: a few figures of each split of the input, or part of the output."""

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple
from urllib.parse import unquote

from pyspark import Accumulator, AccumulatorParam, SparkContext, TaskContext

from shingletools.record.chain import Chain, Rejection

Key = tuple[Any, ...]
RECORDS = "good"


class SplitStats(NamedTuple):
    """What a task tells of one run: a split or part that it worked on."""

    task: int
    run: int  # number in its task, from 0
    key: Key  # the order of runs over all tasks
    lines: int
    figures: dict[str | int, int]
    marks: dict[Key, list[int]]  # marks, with the first and last place of each

    def text(self) -> str:
        r"""The text of this, without line feeds.

        >>> stats = SplitStats(0, 1, (0, "a", 7), 3, {"bad": 1}, {("via", 2): [3, 4]})
        >>> stats.text(), SplitStats.of(stats.text()) == stats
        ('[0,1,[0,"a",7],3,[["bad",1]],[[["via",2],[3,4]]]]', True)
        """
        parts = self.task, self.run, self.key, self.lines, [*self.figures.items()], [*self.marks.items()]
        return json.dumps(parts, separators=(",", ":"))

    @classmethod
    def of(cls, text: str) -> "SplitStats":
        task, run, key, lines, figures, marks = json.loads(text)
        return cls(task, run, tuple(key), lines, dict(figures), {tuple(mark): places for mark, places in marks})


def merged(stats: Iterable[SplitStats], more: Iterable[SplitStats]) -> list[SplitStats]:
    """Adds later statistics of tasks to the first ones of each split."""
    every = {each.key: each._replace(figures=dict(each.figures), marks=dict(each.marks)) for each in stats}
    for each in more:
        known = every[each.key]
        for name, value in each.figures.items():
            known.figures[name] = known.figures.get(name, 0) + value
        for mark, (first, last) in each.marks.items():
            before = known.marks.get(mark, [first, last])
            known.marks[mark] = [min(before[0], first), max(before[1], last)]
    return in_order(every.values())


def in_order(stats: Iterable[SplitStats]) -> list[SplitStats]:
    """In the order of keys, with files by their real names, in which Spark escapes some letters.

    >>> [each.key[1] for each in in_order(SplitStats(0, 0, (0, name, 0), 1, {}, {}) for name in ("x%5B", "xA"))]
    ['xA', 'x%5B']
    """
    return sorted(stats, key=lambda each: [unquote(part) if isinstance(part, str) else part for part in each.key])


class _Append(AccumulatorParam[list[Any]]):
    def zero(self, _value: list[Any]) -> list[Any]:
        return []

    def addInPlace(self, value: list[Any], more: list[Any]) -> list[Any]:  # noqa: N802  # Spark's name
        value += more
        return value


class Tally:
    """Takes what the tasks of a writing job tell. Each task counts once, however often it was tried."""

    def __init__(self, context: SparkContext) -> None:
        self.stats: Accumulator[list[Any]] = context.accumulator([], _Append())

    def all(self) -> list[SplitStats]:
        """Returns all statistics, in the order of keys; used after the job."""
        return in_order(SplitStats(*each) for each in self.stats.value)


def counted_by(stats: Iterable[SplitStats], step: int) -> Counter[str]:
    """What a filter, the step of this number, from 1, has counted in all splits: RECORDS, the good ones, and others."""
    counted = Counter[str]()
    for each in stats:
        for name, count in each.figures.items():
            number, _, what = str(name).partition(" ")
            if what and number == str(step):
                counted[what] += count
    return counted


class StatsCollector:
    """Collects what one task tells of its runs, and sends it when the task ends."""

    def __init__(self, tally: Tally) -> None:
        self.stats = tally.stats
        context = TaskContext.get()
        self.task = context.partitionId() if context is not None else 0
        self.run = -1
        self.key: Key | None = None
        self.lines = 0
        self.figures: dict[str | int, int] = {}
        self.marks: dict[Key, list[int]] = {}

    def begin(self, key: Key) -> bool:
        """Goes on with a key. Returns whether it is a new one."""
        if key == self.key:
            return False
        self.end()
        self.run += 1
        self.key, self.lines, self.figures, self.marks = key, 0, {}, {}
        return True

    def count(self, chain: Chain, made: int, rejections: Sequence[Rejection], before: int = 0) -> None:
        """Adds what filters counted while they made so many lines; see `counted_by`."""
        for step, (stage, _) in enumerate(chain.filters, before + 1):
            if stage.tally is not None:
                records = made + sum(each.step > step for each in rejections)
                for what, count in {RECORDS: records, **stage.tally()}.items():
                    self.figures[f"{step} {what}"] = self.figures.get(f"{step} {what}", 0) + count

    def end(self) -> None:
        if self.key is not None:
            self.stats.add([SplitStats(self.task, self.run, self.key, self.lines, self.figures, self.marks)])
            self.key = None
