"""Lines through filters: those of the shell, on rows of many lines."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from pyspark import Accumulator, SparkContext

from shingletools.record.filter_chain import Chain
from shingletools.spark.arrow_batches import Batches, from_rows
from shingletools.spark.line_rows import LINES, NumberedLines, bad_row
from shingletools.spark.read import numbered_batches


class Counts(NamedTuple):
    """Counts lines in all tasks: those that are read, and those that pass all filters.

    What a failed attempt of a task counts does not count. If a machine is lost, a task that had ended may be done
    again, and then counts twice.
    """

    read: Accumulator[int]
    good: Accumulator[int]

    @classmethod
    def new(cls, context: SparkContext) -> "Counts":
        """Returns counts of nothing yet."""
        return cls(context.accumulator(0), context.accumulator(0))


@dataclass(frozen=True)
class Filtering:
    """Takes rows of a LineReader through filters to LINES."""

    chain: Chain
    texts: Collection[str]  # fields of Parquet in which bytes are text
    counts: Counts
    whole: bool = True  # whether lines of Parquet have all fields, else only these
    anew: bool = False  # whether lines that go on are numbered from 0 in each split; else as they were read

    def __call__(self, batches: Batches) -> Batches:
        split, made = -1, 0
        for some in numbered_batches(self.texts, self.whole, batches):
            lines, rejections = self.chain.work(some.lines) if self.chain.filters else (some.lines, [])
            bad = [each.place for each in rejections]
            numbers = np.delete(some.numbers, bad)
            if self.anew:
                made = made if some.first == split else 0
                numbers = np.arange(made, made + lines.count(b"\n"))
                split, made = some.first, made + len(numbers)
            rows = [NumberedLines(some.first, numbers, lines).row()] if lines else []
            rows += [bad_row(some.first, int(some.numbers[each.place]), *each[1:]) for each in rejections]
            yield from_rows(LINES, rows)
            self.counts.read.add(len(some.numbers))
            self.counts.good.add(len(numbers))
