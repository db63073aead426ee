"""Runs a pipeline: what is read, kept and written."""

import argparse
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial

from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession, Window
from pyspark.sql import functions as F

from shingletools.commands.dedup.spec import DedupSpec
from shingletools.record.filter_chain import Chain
from shingletools.running.stage_run import DONE, FAILED, SOME_REJECTED
from shingletools.running.steps import Step
from shingletools.spark import dedup, group, join, parquet
from shingletools.spark.arrow_batches import through, union
from shingletools.spark.filters import Counts, Filtering, collect_in_task, splits_lines
from shingletools.spark.lines import GOOD, LINES, REMOVED, StepInput, tasks_for
from shingletools.spark.pipeline import check_outputs, is_parquet, texts
from shingletools.spark.read import PLACE_BITS, LineReader
from shingletools.spark.session import failure_in_task
from shingletools.spark.storage import Checkpoint, Storage, WrittenLines
from shingletools.system import errors
from shingletools.system.errors import Failed

# Rows may have megabytes, so batches are cut by their bytes, too
SETTINGS = {
    "spark.sql.execution.arrow.maxBytesPerBatch": "16m",
    # A task may write to many files at once, so that Spark need not sort rows by file
    "spark.sql.maxConcurrentOutputFileWriters": "100000",
    "spark.sql.files.maxRecordsPerFile": "0",
    # The number of partitions follows from sizes that are known; to learn them would make a job of each stage
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.autoBroadcastJoinThreshold": "-1",
    join.SHUFFLED: "200",
    # By default Spark writes a form that has no zone, and that other programs read in nanoseconds, until 2262
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
}
MOST_FILES = 1000  # files of the input whose splits each become a file of the output; of more files, several do
LOCAL_BYTES, CLUSTER_BYTES = 1 << 30, 1 << 29  # memory of one task, if Spark runs on this machine, and elsewhere
# How many times as large as its memory the lines may be that one task takes: a join holds most of them, the others ids
LINES_TO_MEMORY = {"simjoin": 2, "simgroup": 8, "dedup": 8}
COUNT = "octet_length(lines) - octet_length(replace(cast(lines AS string), '\\n', ''))"  # of the lines of a row
MANY_TASKS: Mapping[str, Callable[[StepInput], DataFrame]] = {
    "simjoin": lambda given: join.JoinRun(given).run(),
    "simgroup": group.grouped,
    "dedup": lambda given: dedup.Removal(given).run(),
}


class Run:
    """Runs a pipeline once, from --in to --out."""

    def __init__(self, spark: SparkSession, options: argparse.Namespace, steps: Sequence[Step]) -> None:
        self.spark, self.options, self.steps = spark, options, steps
        self.filters = [(each, step.id_field) for step in steps if (each := step.stage.record_by_record)]
        self.chain, self.texts, self.reader = Chain(self.filters), texts(steps), LineReader(spark)
        self.counts, self.other_counts = (Counts(*map(spark.sparkContext.accumulator, (0, 0))) for _ in range(2))
        outputs = (REMOVED, steps[-1].stage.removed), (GOOD, options.out)
        self.outputs = [(step, path) for step, path in outputs if path is not None]
        self.taken: list[StepInput] = []  # what commands that take all lines were given

    def run(self, checkpoint: Checkpoint, beside: Checkpoint) -> tuple[str, list[str], int]:
        """Runs the pipeline. Returns the figures of -v, messages, and the exit status. Raises Failed.

        beside: a folder in the file system of --out.
        """
        self.checkpoint, self.beside = checkpoint, beside
        check_outputs(self.options, self.steps, Storage(self.spark).exists)
        with set_to(self.spark, SETTINGS):
            self.rows = [(path, self.reader.read("--in", path)) for path in self.options.inputs]
            anew = splits_lines(self.filters) or self.reader.overlap
            if self.columns_stay():
                filters = self.chain, self.texts, self.counts
                every = [(path, parquet.filtered_columns(rows, *filters)) for path, rows in self.rows]
                parquet.check_types(every)
                found = [checkpoint(rows) for _, rows in every]
                bad = union([rows.where(F.col("step") > 0).select(*LINES.names) for rows in found])
                good = parquet.union_of_columns(rows.where(F.col("step") == GOOD) for rows in found)
                written = WrittenLines(bad, beside.path(), False)
                write_them = partial(self.write_parquet, good, self.options.out)
                return self.settle(written, lambda: self.counts.good.value, write_them)
            lines = union([self.lines(rows, self.chain, self.counts, anew) for _, rows in self.rows])
            lines = self.collected(lines, anew) if self.steps[len(self.filters) :] else self.in_fewer_files(lines)
            if self.rows_stay():
                parquet.check_types(self.rows)
                lines = checkpoint(lines)
                written = WrittenLines(lines.where(F.col("step") > 0), beside.path(), False)
                return self.settle(written, partial(number_of, lines), partial(self.write_rows, lines))
            written = WrittenLines(lines, beside.path(), self.options.gzip and not is_parquet(self.options.out))
            return self.settle(written, partial(written.count, GOOD), partial(self.write_lines, written))

    def lines(self, rows: DataFrame, chain: Chain, counts: Counts, anew: bool) -> DataFrame:
        """Returns rows that were read as lines, after these filters."""
        whole = self.options.rejects is not None or all(step.name != "simjoin" for step in self.steps)
        return through(rows, Filtering(chain, self.texts, counts, whole, anew), LINES)

    def in_fewer_files(self, lines: DataFrame) -> DataFrame:
        """Returns the lines of several files as if these were one, if there are many files."""
        if (together := -(-self.reader.files // MOST_FILES)) == 1:
            return lines
        split = F.col("first").alias("split")
        first = F.expr(f"shiftright(first, {PLACE_BITS}) div {together}").alias("first")
        some = self.checkpoint(lines).select(*(first if name == "first" else name for name in LINES.names), split)
        return some.repartition("first").sortWithinPartitions("first", "split", "number").drop("split")

    def columns_stay(self) -> bool:
        """Returns whether columns stay columns: from Parquet to Parquet, by filters that make one row of each."""
        paths = [*self.options.inputs, self.options.out]
        if len(self.filters) < len(self.steps) or splits_lines(self.filters) or not all(map(is_parquet, paths)):
            return False
        return not any(parquet.reads_within(self.filters, rows.select("row.*").columns) for _, rows in self.rows)

    def rows_stay(self) -> bool:
        """Returns whether rows of Parquet stay as they are: those of dedup, unless it marks documents."""
        stage, paths = self.steps[0].stage, [*self.options.inputs, *(path for _, path in self.outputs)]
        return isinstance(stage, DedupSpec) and not stage.marks and all(map(is_parquet, paths))

    def collected(self, lines: DataFrame, anew: bool) -> DataFrame:
        """Returns the output of the commands that take all lines, and all bad lines. Raises Failed.

        anew: whether the numbers of the lines begin with 0 in each split.
        """
        bad = []
        for number, step in enumerate(self.steps[len(self.filters) :], len(self.filters) + 1):
            lines = self.checkpoint(lines)
            lines = numbered_anew(lines) if anew else lines
            anew, boundary = True, self.reader.files << PLACE_BITS
            bad.append(lines.where(F.col("step") > 0))
            others = [self.side_lines(*file) for file in step.stage.side_files]
            (size,) = union([lines, *others]).agg(F.sum(F.octet_length("lines"))).collect()[0]
            good = lines.where(F.col("step") == GOOD)
            given = StepInput(step, number, good, others, boundary, self.checkpoint, size or 0)
            self.taken.append(given)
            tasks = tasks_for(given.size, self.spark.sparkContext.defaultParallelism)
            self.spark.conf.set(join.SHUFFLED, str(tasks))
            lines = self.made_of(given)
        return union([lines, *bad])

    def side_lines(self, option: str, path: str) -> DataFrame:
        """Returns the lines of a path that an option of a command names; their numbers follow those read before."""
        start, self.reader.overlap = self.reader.files << PLACE_BITS, False
        rows = self.reader.read(option, path)
        lines = self.checkpoint(self.lines(rows, Chain([]), self.other_counts, self.reader.overlap))
        return numbered_anew(lines, start) if self.reader.overlap else lines

    def lines_read(self) -> int:
        """Counts the lines of the input, and of options' files unless dedup reads these, by reading them again.

        What `counts` has is too large for a share if a task was done twice.
        """
        again = Filtering(Chain([]), self.texts, self.other_counts, whole=False)
        sides = [lines for given in self.taken if given.step.name != "dedup" for lines in given.others]
        return number_of(union([*(through(rows, again, LINES) for _, rows in self.rows), *sides]))

    def made_of(self, given: StepInput) -> DataFrame:
        """Returns what a command makes of its input, in one task or in many. Raises Failed, with the command's name."""
        name, memory = given.step.name, self.options.at_once
        if memory is None:
            memory = LOCAL_BYTES if f"{self.spark.sparkContext.master}".startswith("local") else CLUSTER_BYTES
        # The shell's dedup --dry-run gives no documents that could be counted
        at_once = given.size <= LINES_TO_MEMORY[name] * memory and not (self.rows_stay() or self.dry)
        try:
            return self.in_one_task(given) if at_once else MANY_TASKS[name](given)
        except (Failed, PySparkException) as error:
            if (why := f"{error}" if isinstance(error, Failed) else failure_in_task(error)) is None:
                raise
            raise Failed(f"{name}: {why}") from None

    def in_one_task(self, given: StepInput) -> DataFrame:
        """Gives all lines to the shell's collector."""
        stage = given.step.stage
        sides = [side for side, paths in enumerate(stage.sides, 1) for _ in paths]
        before = [] if sides else [(None, each) for each in given.others]
        inputs = [*before, (0, given.lines), *zip(sides, given.others, strict=False)]
        ordered = [lines.select(F.lit(order).alias("order"), *LINES.names) for order, (_, lines) in enumerate(inputs)]
        task = partial(collect_in_task, stage, given.number, [side for side, _ in inputs])
        whole = union(ordered).coalesce(1).sortWithinPartitions("order", "number")
        lines = self.checkpoint(through(whole, task, LINES))
        # Spark may read the result in several tasks
        return lines.repartition("first").sortWithinPartitions("first", "number")

    def settle(
        self, written: WrittenLines, made: Callable[[], int], place: Callable[[], None]
    ) -> tuple[str, list[str], int]:
        """Reports bad lines, and lets `place` give the output its name, unless too many are bad.

        made: returns the number of lines of the output. Returns the figures of -v, messages, and the exit status.
        """
        messages: list[str] = []
        rejected, allowed = 0, self.options.allow_rejects
        for step in written.bad_steps():
            name, (count, causes) = self.steps[step - 1].name, written.causes(step)
            rejected += count
            messages += [f"{name}: {cause}{f' ({some} records)' * (some > 1)}" for cause, some in causes]
            if count > sum(some for _, some in causes):
                messages.append(f"{name}: {count} records rejected in all")
        status, why = DONE, ""
        read = self.lines_read() if rejected and allowed is not None and allowed.percent else 0
        if rejected and not (allowed is not None and allowed.holds(rejected, read)):
            status, why = SOME_REJECTED, "" if allowed is None else "too many bad records"
            if not self.any_good(written):
                status, why = FAILED, "not one good record"
        for step in written.bad_steps() if self.options.rejects is not None and not self.dry else ():
            written.move(step, f"{self.options.rejects}/{step}-{self.steps[step - 1].name}")
        if why:
            messages.append(f"{errors.printable(self.options.out)} is not written: {why}")
        lines = 0 if why or not (self.options.verbose or self.dry) else made()
        if not (why or self.dry):
            place()
        done = "kept" if self.dry else "written"
        return f"{self.counts.read.value} lines read, {rejected} rejected, {lines} {done}", messages, status

    def any_good(self, written: WrittenLines) -> bool:
        """Returns whether a record of the input passed the filters, and the first command that takes all lines."""
        if not self.taken:
            return self.counts.good.value > 0
        return number_of(self.taken[0].lines) > written.count(self.taken[0].number, self.taken[0].boundary)

    @property
    def dry(self) -> bool:
        """Returns whether nothing is to be written (--dry-run)."""
        return any(step.stage.dry for step in self.steps)

    def write_lines(self, written: WrittenLines) -> None:
        """Puts the output into its place."""
        for step, path in self.outputs:
            if is_parquet(path):
                empty = parquet.columns_of(self.steps[-1])
                self.write_parquet(parquet.lines_as_columns(self.spark, written.pattern(step), empty), path)
            else:
                written.move(step, path)

    def write_parquet(self, rows: DataFrame, path: str) -> None:
        """Writes rows to a folder that gets its name when it is complete."""
        folder = self.beside.path()
        rows.write.parquet(folder, compression="gzip" if self.options.gzip else None)
        Storage(self.spark).rename(folder, path)

    def write_rows(self, lines: DataFrame) -> None:
        """Writes the rows of the input from which these lines were made."""
        for step, path in self.outputs:
            numbers = through(lines.where(F.col("step") == step), parquet.to_numbers, parquet.NUMBERS)
            some = (rows.join(numbers, "number", "left_semi") for _, rows in self.rows)
            self.write_parquet(parquet.union_of_columns(some), path)


def number_of(lines: DataFrame) -> int:
    """Returns the number of the lines that go on."""
    return int(lines.where(F.col("step") == GOOD).agg(F.sum(F.expr(COUNT))).collect()[0][0] or 0)


def numbered_anew(lines: DataFrame, start: int = 0) -> DataFrame:
    """Numbers lines from `start` over all splits, in their order, if they have numbers from 0 on in each split."""
    good = lines.where(F.col("step") == GOOD).select("first", F.expr(COUNT).alias("count"))
    counts = good.groupBy("first").agg(F.sum("count").alias("count"))
    before = counts.withColumn("before", F.sum("count").over(Window.orderBy("first")) - F.col("count")).drop("count")
    number = F.coalesce(F.col("before") + F.col("number") + F.lit(start), "number").alias("number")
    every = [number if name == "number" else name for name in LINES.names]
    return lines.join(F.broadcast(before), "first", "left").select(*every)


@contextmanager
def set_to(spark: SparkSession, settings: Mapping[str, str]) -> Iterator[None]:
    """Gives the session these settings until the block ends."""
    before = {name: spark.conf.get(name, None) for name in settings}
    for name, value in settings.items():
        spark.conf.set(name, value)
    try:
        yield
    finally:
        for name, old in before.items():
            spark.conf.unset(name) if old is None else spark.conf.set(name, old)
