"""The jobs of simjoin where many tasks join."""

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple, cast

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from shingletools.commands.simjoin.spec import JoinSpec
from shingletools.record.chain import Chain
from shingletools.spark.archives import PinnedArchive
from shingletools.spark.batches import through, union
from shingletools.spark.filtered_lines import NUMBERED, SIZE, Filtered, to_numbered
from shingletools.spark.join_in_parts import Run, Signatures
from shingletools.spark.kept_stages import KeptStage
from shingletools.spark.number_sets import Chosen
from shingletools.spark.run import PipelineRun, StepParts, named
from shingletools.spark.signed import SIGNED, Signing
from shingletools.spark.tally import SplitStats, merged
from shingletools.system.errors import Failed

Archives = Sequence[PinnedArchive]


class KeptLines(NamedTuple):
    """The lines of a step's input, and those of the files that its options name, as KEPT."""

    inputs: KeptStage
    beside: KeptStage | None

    def size(self) -> int:
        return sum(each.figures.get(SIZE, 0) for each in self.stats())

    def stats(self) -> list[SplitStats]:
        return [*self.inputs.stats, *(self.beside.stats if self.beside else [])]

    def rows(self) -> DataFrame:
        return union([self.inputs.rows, *([self.beside.rows] if self.beside else [])])


class Joining(PipelineRun):
    """A run that may have a join."""

    def joined(self, given: StepParts, asked: Archives, lines: KeptLines | None, out: str) -> int:
        """Writes pairs. Returns their number. lines: if they are kept. Raises Failed."""
        stage = cast(JoinSpec, given.step.stage)
        if stage.wanted.scope.fields or stage.wanted.best is not None:
            raise Failed("simjoin: --within, --across and --best need more memory than --at-once gives to one task")
        signed = self.signatures(given, stage, lines)
        cross = self.numbers.first_of(given.first) if stage.side_files or asked else None

        def reject_again(again: DataFrame, numbers: Chosen) -> None:
            """Rejects documents (number, step, cause) whose ids were used before."""
            if lines is not None:
                packed = self.numbers.packed(lines.rows(), 0, self.numbers.count)
                found = [through(packed, partial(to_numbered, numbers), NUMBERED)]
                found += [each.lines(self.spark, self.numbers.first_of(each.part), numbers) for each in asked]
                again = again.drop("line").join(union(found), "number")
            self.rejects.add(self.with_archives_last(again, asked))

        with named(given.step):
            run = Run(Signatures(*signed, self.numbers, cross, asked), stage, self.kept)
            found = run.joined(reject_again, given.number)
        self.figures += found.figures
        self.settle_rejects()
        return self.write(found.lines, out)

    def signatures(self, given: StepParts, stage: JoinSpec, lines: KeptLines | None) -> KeptStage:
        """The signatures of the input and of the files of --against, as SIGNED."""
        how = given.step.id_field, stage.once(0), stage.wanted.verify, given.number
        if lines is not None:
            every = Filtered(Chain([]), 0, self.tally(), before=0)
            rows = self.kept(through(lines.rows(), Signing(every, *how), SIGNED))
            self.reject(rows.where(F.col("step") == given.number))
            return KeptStage(rows, merged(lines.stats(), every.tally.all()))
        filtered, every = self.through_filters(), Filtered(Chain([]), 0, self.tally())
        signed = [through(self.rows(given.inputs), Signing(filtered, *how), SIGNED)]
        if given.beside:
            signed.append(through(self.rows(given.beside), Signing(every, *how), SIGNED))
        found = KeptStage(self.kept(union(signed)), [*filtered.tally.all(), *every.tally.all()])
        self.count(found.stats, found.rows)
        return found

    def with_archives_last(self, bad: DataFrame, asked: Archives) -> DataFrame:
        """Rejected records (number, ...) of archives get numbers behind all others, as in the shell."""
        for each in asked:
            first, end = (self.numbers.first_of(part) for part in (each.part, each.part + 1))
            behind = F.when(F.col("number").between(first, end - 1), self.numbers.count).otherwise(0)
            bad = bad.withColumn("number", F.col("number") + behind)
        return bad
