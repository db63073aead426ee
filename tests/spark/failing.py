"""Tasks of which the first attempt fails: workers of Spark import this module."""

from pathlib import Path

from pyspark import TaskContext

from shingletools.spark.arrow_batches import Batches, Work


def fail_first(folder: str, work: Work, batches: Batches) -> Batches:
    """Does the work of a task; the first attempt leaves a file in the folder, and fails behind its first rows."""
    context = TaskContext.get()
    assert context is not None
    for batch in work(batches):
        yield batch
        if context.attemptNumber() == 0:
            break
    if context.attemptNumber() == 0:
        Path(folder, f"{context.stageId()}-{context.partitionId()}").touch()
        raise OSError("the first attempt of a task")
