"""Runs a pipeline on a cluster."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import partial
from typing import cast

import numpy as np
from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from shingletools.commands.simgroup.spec import GroupSpec
from shingletools.commands.simjoin.spec import JoinSpec
from shingletools.record.chain import Chain
from shingletools.running.outcomes import DONE, SOME_REJECTED
from shingletools.running.steps import Step
from shingletools.spark import (
    archives,
    columns,
    join_in_parts,
    spark_files,
)
from shingletools.spark.batches import through, union
from shingletools.spark.collected import Collecting
from shingletools.spark.filtered_lines import (
    BAD,
    KEPT,
    LINES,
    NUMBERED,
    SIZE,
    WRITTEN,
    Filtered,
    Keeping,
    LineNumbers,
    Picking,
    Writing,
)
from shingletools.spark.kept_stages import KeptStage, Making, Stages
from shingletools.spark.number_sets import Chosen
from shingletools.spark.packed_names import StepInput
from shingletools.spark.parts import PART_BYTES, PARTS, InParts, KeepingParts
from shingletools.spark.pipeline import is_parquet, texts
from shingletools.spark.run import FILES, TooManyRejected, all_rows, has_bad, named, set_to
from shingletools.spark.signed import SIGNED, Signing
from shingletools.spark.spark_files import Kept
from shingletools.spark.tally import in_order
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
        behind = list(enumerate(steps, 1))[len(self.filters) :]
        joins = len(behind) > 0 and behind[0][1].name == "simjoin"
        carries = not behind and self.options.keep is None and all(each.lines is None for each, _ in self.filters)
        carries &= all(map(is_parquet, [*self.options.inputs, self.options.out]))
        inputs = [spark_files.opened(self.spark, path, "--in") for path in self.options.inputs] if carries else []
        # Filters that read a field inside a column need lines
        carries &= not any(columns.reads_within(self.filters, frame.columns) for frame in inputs)
        if not carries:
            self.sources = self.read(self.inputs + len(behind[0][1].stage.beside) if joins else 0)
        status = DONE
        try:
            with set_to(self.spark, SEVERAL_FILES):
                if behind:
                    written = self.joined(*behind) if joins else self.collected(*behind[0])
                elif carries:
                    written = self.carried(inputs)
                else:
                    several = sum(len(source.files()) for source in self.sources) > FILES
                    written = self.filtered_and_kept() if several or self.options.keep else self.filtered()
        except TooManyRejected as error:
            written, status = 0, error.status
        except (Failed, PySparkException, Py4JError):
            with suppress(Failed, PySparkException, Py4JError):
                self.tell_rejects()  # else nobody would learn of them
            raise
        read = f"{self.read_numbers.first_of(self.inputs)} lines read"
        if status == DONE and self.rejects.count and self.options.allow_rejects is None:
            status = SOME_REJECTED
        return [read, f"{self.rejects.count} rejected", *self.figures, f"{written} written"], status

    def filtered(self) -> int:
        """Runs a pipeline of filters, as one job. Returns the number of lines written."""
        folder, every = self.beside.path(), self.through_filters()
        lines = through(all_rows(self.sources), Writing(every), WRITTEN)
        spark_files.write_runs(lines, folder, self.gzip(self.options.out))
        told = every.tally.all()
        bad = None
        if has_bad(told):
            bad = self.bad_in(folder)
        self.count(told, bad)
        self.settle_rejects()
        return self.place(folder, told, self.options.out)

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
        told = filters.tally.all()
        bad = None
        if has_bad(told):
            rows = self.spark.read.schema("via string").parquet(spark_files.literal(f"{folder}/{kind}={BAD}"))
            bad = self.kept(work.rejected(rows))
        self.count(told, bad)
        self.settle_rejects()
        if not (written := sum(each.figures.get(LINES, 0) for each in told)):
            empty = self.spark.createDataFrame([], found.drop(kind).schema)
            empty.write.parquet(out, compression=compression)
        else:
            spark_files.Files(self.spark).move(f"{folder}/{kind}={LINES}", out)
        return written

    def filtered_and_kept(self) -> int:
        """The same, but keeps the lines for later runs, or writes fewer files than the input has."""
        lines = self.lines()
        self.count(lines.told, lines.rows)
        self.settle_rejects()
        size = sum(split.figures.get(SIZE, 0) for split in lines.told)
        in_parts = InParts(max(1, PART_BYTES * self.numbers.count // max(1, size)))
        frame = through(self.numbers.packed(lines.rows, 0, self.inputs), in_parts, PARTS)
        return self.write(frame, self.options.out, arranged=False)

    def joined(self, first: tuple[int, Step], then: tuple[int, Step] | None = None) -> int:
        """Writes pairs of signatures, perhaps groups of them. Returns the number of lines."""
        number, step = first
        stage = cast(JoinSpec, step.stage)
        sides = self.inputs + len(stage.beside)
        with set_to(self.spark, join_in_parts.PLANNED):
            signed = self.signatures(number, step, stage, sides)
            others = self.others(sides)
            with named(step):
                asked = archives.pinned(stage, self.inputs)
            more = [told for each in asked for told in each.told()]
            self.count([*signed.told, *(others.told if others else [])], signed.rows, more)
            cross = self.numbers.first_of(self.inputs) if stage.beside or asked else None
            starts = [self.numbers.first_of(part) for part in self.starts(stage)]
            signatures = join_in_parts.Signatures(*signed, self.numbers, cross, starts, asked)
            run = join_in_parts.Run(signatures, stage, self.kept, self.room(), fused(then))
            with named(step):
                found = run.joined(partial(self.reject_again, sides, asked), number)
            self.figures += found.figures
            if then is None or found.grouped:
                self.settle_rejects()
                return self.write(found.lines, self.options.out)
            tally = self.tally()
            pairs = self.kept(through(found.lines, KeepingParts(tally), KEPT))
            told = tally.all()
            if (written := self.pairs_at_once(KeptStage(pairs, told), others, sides, then)) is not None:
                return written
        numbers = LineNumbers(told)
        of_files = self.packed_beside(then[1], others, sides, numbers.count)
        given = StepInput(numbers.packed(pairs, 0, 1), of_files, then[0], self.kept, self.numbers.where)
        return self.made(given, then[1], before=numbers.count)

    def signatures(self, number: int, step: Step, stage: JoinSpec, sides: int) -> KeptStage:
        """The signatures of the input and of the files of --against, as SIGNED."""
        recipe = self.recipe(len(self.filters), sides, step.id_field, stage.wanted.verify)
        if (found := self.stages.find("signatures", recipe)) is not None:
            return found
        how = step.id_field, stage.once(0), stage.wanted.verify, number
        rows, every, told = self.begun()
        signed, beside = [through(rows, Signing(every, *how), SIGNED)], None
        if self.sources[self.inputs : sides]:
            against = Filtered(Chain([]), 0, self.tally())
            signed.append(through(all_rows(self.sources[self.inputs : sides]), Signing(against, *how), SIGNED))
            beside = against.tally
        return self.stages.make("signatures", recipe, Making(union(signed), every.tally, told, beside))

    def starts(self, stage: JoinSpec) -> Iterator[int]:
        """The first part of each side of files."""
        if stage.against:
            counts = [0, *(len(side) for side in stage.sides)]
            yield from (self.inputs + stage.places[before] for before in np.cumsum(counts)[:-1].tolist())

    def reject_again(
        self, sides: int, asked: Sequence[archives.PinnedArchive], again: DataFrame, numbers: Chosen
    ) -> None:
        """Rejects documents (number, step, cause) whose ids were used before. It makes their lines again.

        Those of archives come last, as in the shell.
        """
        if self.options.rejects is not None:
            every = self.through_filters()
            lines = self.kept(through(all_rows(self.sources[:sides]), Keeping(every), KEPT))
            told = in_order([*every.tally.all(), *(told for each in asked for told in each.told())])
            packed = LineNumbers(told).packed(lines, 0, sides + len(asked))  # its splits may differ from the first ones
            found = [through(packed, Picking(numbers), NUMBERED)]
            found += [each.lines(self.spark, self.numbers.first_of(each.part), numbers) for each in asked]
            again = again.drop("line").join(union(found), "number")
        for each in asked:
            first, end = (self.numbers.first_of(part) for part in (each.part, each.part + 1))
            behind = F.when(F.col("number").between(first, end - 1), self.numbers.count).otherwise(0)
            again = again.withColumn("number", F.col("number") + behind)
        self.rejects.add(again)


def fused(then: tuple[int, Step] | None) -> GroupSpec | None:
    """The groups that a task can make of pairs as it finds them; None with --star, which needs all pairs first."""
    if then is None:
        return None
    spec = cast(GroupSpec, then[1].stage)
    return None if spec.star or spec.against else spec
