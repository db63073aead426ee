"""Input and output of a command that takes all lines."""

from collections.abc import Sequence
from math import ceil
from typing import NamedTuple

from pyspark.sql import DataFrame

from shingletools.running.steps import Step
from shingletools.spark.storage import Checkpoint

TASK_BYTES = 32 << 20  # bytes of entries that a task takes at once; intermediate arrays may take four times as much


class StepInput(NamedTuple):
    """The lines that a command reads, as LINES without bad ones."""

    step: Step
    number: int  # the place of the step in the pipeline, from 1
    lines: DataFrame  # of the input
    others: Sequence[DataFrame]  # of the files that options name, in the order of `Stage.side_files`
    boundary: int  # lines of the input have lesser numbers, all others have this number or greater ones
    checkpoint: Checkpoint
    size: int  # bytes of all lines


class StepOutput(NamedTuple):
    """The lines that a command makes."""

    lines: DataFrame  # LINES: the output, lines that were removed, and bad ones; each split is in one task, in order
    good: int  # number of good records of the input; the id of one may have been used before


def tasks_for(size: int, least: int) -> int:
    """Returns the number of tasks for `size` bytes of entries: at least `least`, so that none is idle."""
    return max(least, ceil(size / TASK_BYTES))
