"""Runs a pipeline on a cluster."""

from collections.abc import Sequence
from contextlib import suppress
from functools import partial

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame

from shingletools.running.outcomes import DONE, SOME_REJECTED
from shingletools.running.steps import Step
from shingletools.spark import (
    columns,
    spark_files,
)
from shingletools.spark.batches import through
from shingletools.spark.collected import Collecting
from shingletools.spark.filtered_lines import (
    BAD,
    LINES,
    SIZE,
    WRITTEN,
    to_written,
)
from shingletools.spark.kept_stages import Stages
from shingletools.spark.parts import PART_BYTES, PARTS, to_parts
from shingletools.spark.pipeline import is_parquet, texts
from shingletools.spark.run import FILES, TooManyRejected, has_bad, set_to
from shingletools.spark.spark_files import Kept
from shingletools.spark.tally import RECORDS, counted_by
from shingletools.system import errors
from shingletools.system.errors import Failed

# A task may write to several files at once, so that rows need not be sorted by file
SEVERAL_FILES = {"spark.sql.maxConcurrentOutputFileWriters": "100000", "spark.sql.files.maxRecordsPerFile": "0"}


class Jobs(Collecting):
    """The jobs of a run."""

    def run(self, steps: Sequence[Step], kept: Kept, beside: Kept) -> tuple[list[str], int]:
        """Runs the pipeline. Returns the figures of -v, and the exit status.

        beside: a folder in the file system of --out. Raises Failed.
        """
        self.steps, self.kept, self.beside = steps, kept, beside
        self.stages = Stages(self.spark, kept, self.options.keep, self.figures.append)
        if any(step.stage.dry for step in steps):
            self.rejects.folder = None
        self.refuse_to_overwrite()
        self.filters = [(each, step.id_field) for step in steps if (each := step.stage.record_by_record)]
        self.inputs = len(self.options.inputs)
        self.behind = list(self.lay_out())
        self.parts_read = frozenset([*range(self.inputs), *(part for each in self.behind for part in each.beside)])
        carries = not self.behind and self.options.keep is None and all(each.lines is None for each, _ in self.filters)
        carries &= all(map(is_parquet, [*self.options.inputs, self.options.out]))
        inputs = [spark_files.opened(self.spark, path, "--in") for path in self.options.inputs] if carries else []
        # Filters that read a field inside a column need lines
        carries &= not any(columns.reads_within(self.filters, frame.columns) for frame in inputs)
        if not carries:
            self.sources = self.read()
        status = DONE
        try:
            with set_to(self.spark, SEVERAL_FILES):
                if self.behind:
                    written = self.collected_in_turn()
                elif carries:
                    written = self.carried(inputs)
                else:
                    several = sum(len(source.files()) for source in self.sources.values()) > FILES
                    written = self.filtered_and_kept() if several or self.options.keep else self.filtered()
        except TooManyRejected as error:
            written, status = 0, error.status
        except (Failed, PySparkException, Py4JError):
            with suppress(Failed, PySparkException, Py4JError):
                self.tell_rejects()  # else nobody would learn of them
            raise
        else:
            self.say_remarks()
        read = f"{self.read_numbers.first_of(self.inputs)} lines read"
        if status == DONE and self.rejects.count and self.options.allow_rejects is None:
            status = SOME_REJECTED
        return [read, f"{self.rejects.count} rejected", *self.figures, f"{written} written"], status

    def say_remarks(self) -> None:
        """Says the remarks of filters."""
        for number, step in enumerate(self.steps, 1):
            if (each := step.stage.record_by_record) and each.remarks is not None:
                counted = counted_by(self.stats, number)
                for remark in each.remarks(counted, counted[RECORDS]):
                    self.rejects.complain(f"{step.name}: {remark}")

    def filtered(self) -> int:
        """Runs a pipeline of filters, as one job. Returns the number of lines written."""
        folder, every = self.beside.path(), self.through_filters()
        lines = through(self.rows(self.sources), partial(to_written, every), WRITTEN)
        spark_files.write_runs(lines, folder, self.gzip(self.options.out))
        stats = every.tally.all()
        bad = None
        if has_bad(stats):
            bad = self.bad_in(folder)
        self.count(stats, bad)
        self.settle_rejects()
        return self.place(folder, stats, self.options.out)

    def carried(self, inputs: Sequence[DataFrame]) -> int:
        """Runs a pipeline of filters from Parquet to Parquet, as one job. Returns the number of rows written."""
        keep, folder, out = self.options.rejects is not None, self.beside.path(), self.options.out
        filters = self.through_filters()
        work = columns.Work(filters.chain, filters.tally, texts(self.steps), keep)
        every = []
        for part, (path, frame) in enumerate(zip(self.options.inputs, inputs, strict=True)):
            named = f"--in {errors.printable(path)}"
            every.append(columns.Rows.of(named, frame, spark_files.source(frame, part), work.chain))
        kind = columns.kind_beside(every)
        found = columns.union_by_name(every, [work.through(rows, kind) for rows in every])
        compression = "gzip" if self.options.gzip else None
        found.write.partitionBy(kind).parquet(folder, compression=compression)
        stats = filters.tally.all()
        bad = None
        if has_bad(stats):
            rows = self.spark.read.schema("via string").parquet(spark_files.literal(f"{folder}/{kind}={BAD}"))
            bad = self.kept(work.rejected(rows))
        self.count(stats, bad)
        self.settle_rejects()
        if not (written := sum(each.figures.get(LINES, 0) for each in stats)):
            empty = self.spark.createDataFrame([], found.drop(kind).schema)
            empty.write.parquet(out, compression=compression)
        else:
            spark_files.Files(self.spark).move(f"{folder}/{kind}={LINES}", out)
        return written

    def filtered_and_kept(self) -> int:
        """The same, but keeps the lines for later runs, or writes fewer files than the input has."""
        lines = self.lines()
        self.count(lines.stats, lines.rows)
        self.settle_rejects()
        size = sum(split.figures.get(SIZE, 0) for split in lines.stats)
        in_parts = partial(to_parts, max(1, PART_BYTES * self.numbers.count // max(1, size)))
        frame = through(self.numbers.packed(lines.rows, 0, self.inputs), in_parts, PARTS)
        return self.write(frame, self.options.out, arranged=False)

    def collected_in_turn(self) -> int:
        """Runs the commands that take all lines. What the first of two writes is kept for the second."""
        *before, last = self.behind
        for given, then in zip(before, self.behind[1:], strict=True):
            path = self.beside.path()
            self.collected(given, path)
            self.sources[then.inputs[0]] = spark_files.read(self.spark, path, then.inputs[0], spark_files.Read(()))
        return self.collected(last, self.options.out)
