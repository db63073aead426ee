"""What a command that takes all lines is given on Spark, and what it makes of them."""

from collections.abc import Sequence
from typing import NamedTuple

from pyspark.sql import DataFrame

from shingletools.running.steps import Step
from shingletools.spark.storage import Checkpoint


class StepInput(NamedTuple):
    """The good lines of the input, and those of the files that options name, as LINES."""

    step: Step
    number: int  # of the step
    lines: DataFrame
    others: Sequence[DataFrame]
    boundary: int  # the numbers of their lines are not less; those of the input are
    checkpoint: Checkpoint
    size: int  # bytes of all lines


class StepOutput(NamedTuple):
    """The output as LINES, in which each split is in one task, in order; also lines removed, and bad ones."""

    lines: DataFrame
    figures: Sequence[str]  # of -v
    remarks: Sequence[str]
    good: int  # records of the input that are good, but perhaps for their ids
