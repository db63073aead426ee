"""Lines through filters: those of the shell, on rows of many lines."""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from shingletools.record.filter_chain import Chain, Rejection
from shingletools.spark.arrow_batches import Batches, from_rows
from shingletools.spark.line_rows import LINES, NumberedLines, bad_row
from shingletools.spark.read import numbered_batches
from shingletools.spark.tally import Tally

Key = tuple[int, str]  # what is counted: the number of a filter, from 1, or 0 for all of them; and a name
RECORDS = "good"  # the name for the good records of a filter, of one that counts
READ, GOOD_LINES = (0, "read"), (0, "good")  # lines that are read, and lines that pass all filters


@dataclass(frozen=True)
class Filtering:
    """Takes rows of a LineReader through filters to LINES. Sends counts to a tally: pairs of a Key and an int."""

    chain: Chain
    texts: Collection[str]  # fields of Parquet in which bytes are text
    tally: Tally
    whole: bool = True  # whether lines of Parquet have all fields, else only these
    anew: bool = False  # whether lines that go on are numbered from 0 in each split; else as they were read

    def __call__(self, batches: Batches) -> Batches:
        counts, split, made = Counter[Key](), -1, 0
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
            counts.update({READ: len(some.numbers), GOOD_LINES: len(numbers)})
            counts.update(counted(self.chain, len(numbers), rejections))
        self.tally.add(*counts.items())


def counted(chain: Chain, good: int, rejections: Sequence[Rejection]) -> Counter[Key]:
    """Returns what the filters have counted in this process since the last call. good: lines that passed all."""
    counts = Counter[Key]()
    for step, (stage, _) in enumerate(chain.filters, 1):
        if stage.tally is not None:
            counts[step, RECORDS] += good + sum(each.step > step for each in rejections)
            counts.update({(step, what): count for what, count in stage.tally().items()})
    return counts


def total(tally: Tally) -> Counter[Key]:
    """Returns what all tasks have counted."""
    counts = Counter[Key]()
    for key, count in tally.value:
        counts[key] += count
    return counts


def remarks(chain: Chain, counts: Counter[Key]) -> Iterator[tuple[int, str]]:
    """Yields what filters say at the end about all that they counted, with the number of each, from 1."""
    for step, (stage, _) in enumerate(chain.filters, 1):
        if stage.remarks is not None:
            counted = Counter({what: count for (number, what), count in counts.items() if number == step})
            yield from ((step, remark) for remark in stage.remarks(counted, counted[RECORDS]))
