"""Writes lines as files in their order, and bad lines with their causes."""

import re

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from shingletools.spark.storage import Storage, literal

SHOWN_CAUSES = 10  # causes of a step that messages name, the commonest first
# A task may write to many files at once, so that Spark need not sort rows by file
SETTINGS = {"spark.sql.maxConcurrentOutputFileWriters": "100000", "spark.sql.files.maxRecordsPerFile": "0"}


class WrittenLines:
    """Lines in a folder, by step and file split. All rows of a split must be in one task, in order."""

    def __init__(self, lines: DataFrame, folder: str, gzip: bool) -> None:
        """Writes lines, which are LINES; a bad one behind its cause and a tab."""
        self.spark, self.folder, self.storage = lines.sparkSession, folder, Storage(lines.sparkSession)
        whole = F.expr("substring(lines, 1, octet_length(lines) - 1)")  # without the last line feed
        bad = F.concat(F.col("cause").cast("binary"), F.lit(b"\t"), "lines")
        value = F.when(F.col("step") > 0, bad).otherwise(whole).cast("string").alias("value")
        rows = lines.select("step", "first", value)
        compression = "gzip" if gzip else "none"
        rows.write.partitionBy("step", "first").text(folder, compression=compression, lineSep="\n")

    def files(self, step: int) -> list[str]:
        """Returns the files of a step, in order."""
        folder = f"{self.folder}/step={step}"
        splits = sorted(self.storage.names(folder), key=lambda name: int(name.partition("=")[2]))
        return [
            f"{folder}/{split}/{name}" for split in splits for name in sorted(self.storage.names(f"{folder}/{split}"))
        ]

    def pattern(self, step: int) -> str | None:
        """Returns a pattern of the files of a step; None if it has none."""
        return literal(f"{self.folder}/step={step}") if self.storage.names(f"{self.folder}/step={step}") else None

    def count(self, step: int) -> int:
        """Returns the number of lines of a step."""
        pattern = self.pattern(step)
        return 0 if pattern is None else self.text(pattern).count()

    def text(self, pattern: str) -> DataFrame:
        """Returns the lines of these files (value)."""
        return self.spark.read.options(recursiveFileLookup=True).text(pattern, lineSep="\n")

    def move(self, step: int, out: str) -> None:
        """Moves the lines of a step to a new folder. Raises Failed."""
        self.storage.gather(self.files(step), out)

    def bad_steps(self) -> list[int]:
        """Returns the numbers of the steps that rejected lines."""
        found = (re.fullmatch(r"step=([1-9]\d*)", name) for name in self.storage.names(self.folder))
        return sorted(int(step[1]) for step in found if step)

    def causes(self, step: int) -> tuple[int, list[tuple[str, int]]]:
        """Returns how many lines a step rejected, and the commonest causes with their counts."""
        lines = self.text(self.pattern(step) or "")
        counts = lines.groupBy(F.substring_index("value", "\t", 1).alias("cause")).count()
        commonest = counts.orderBy(F.desc("count"), "cause").limit(SHOWN_CAUSES).collect()
        return lines.count(), [(row["cause"], row["count"]) for row in commonest]
