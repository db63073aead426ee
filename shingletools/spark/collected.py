"""Pipelines that end with simgroup or dedup: in one task, as the shell does it, or in many."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import NoReturn, cast

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from shingletools.commands.dedup.spec import DedupSpec
from shingletools.commands.dedup.values import in_doubt
from shingletools.commands.simgroup.spec import GroupSpec
from shingletools.record.chain import Chain
from shingletools.running.steps import Step
from shingletools.spark import (
    dedup,
    dedup_at_once,
    gathered,
    group,
    join_in_parts,
    mentions,
    spark_files,
)
from shingletools.spark.batches import through
from shingletools.spark.decided import Cut
from shingletools.spark.filtered_lines import (
    REJECTED,
    SIZE,
    WRITTEN,
    Filtered,
)
from shingletools.spark.gathered import Gathering
from shingletools.spark.group_at_once import GroupingAtOnce, grouped_at_once
from shingletools.spark.kept_stages import KeptStage
from shingletools.spark.named_beside import of_stage
from shingletools.spark.packed_names import StepInput
from shingletools.spark.room import BASE
from shingletools.spark.run import FILES, PipelineRun, all_rows, has_bad, named, set_to
from shingletools.spark.tally import Told
from shingletools.system.errors import Failed


class Collecting(PipelineRun):
    """A run that makes groups, or documents without duplicates."""

    before: list[tuple[str, int, int]]  # the states of files that are read more than once

    def collected(self, number: int, step: Step) -> int:
        """Writes groups, or documents without duplicates, from lines. Returns the number of lines. Raises Failed."""
        if (written := self.collected_at_once(number, step)) is not None:
            return written
        lines, others = self.lines(), self.others(self.inputs)
        self.count([*lines.told, *(others.told if others else [])], lines.rows)
        frame = self.numbers.packed(lines.rows, 0, self.inputs)
        of_files = self.packed_beside(step, others, self.inputs)
        return self.made(StepInput(frame, of_files, number, self.kept, self.numbers.where), step)

    def collected_at_once(self, number: int, step: Step) -> int | None:
        """The same, if one task can hold all that decides; else None."""
        room = self.room() - BASE
        names = [name for source in self.sources for name in source.files()]
        if self.options.keep is not None or len(names) > FILES:
            return None
        self.before = self.stages.files.states(names)
        if sum(size for _, size, _ in self.before) > room * gathered.TIMES:
            return None
        others = self.sources[self.inputs :]
        inputs, by_option = of_stage(step.stage)
        filtered = self.through_filters()
        frames = [gathered.gathered(all_rows(self.sources[: self.inputs]), Gathering(filtered, inputs, number))]
        as_they_are = Filtered(Chain([]), 0, filtered.tally)
        for option, beside in by_option.items():
            if some := [source for (name, _), source in zip(step.stage.beside, others, strict=True) if name == option]:
                frames.append(gathered.gathered(all_rows(some), Gathering(as_they_are, beside, number)))
        with set_to(self.spark, join_in_parts.PLANNED):
            if step.name == "simgroup":
                return self.grouped_at_once(frames, cast(GroupSpec, step.stage), self.inputs, room, self.count)
            return self.chosen_at_once(frames, cast(DedupSpec, step.stage), room, number)

    def pairs_at_once(
        self, pairs: KeptStage, others: KeptStage | None, sides: int, then: tuple[int, Step]
    ) -> int | None:
        """Groups of pairs, if one task can hold all that decides; else None."""
        number, step = then
        room = self.room() - BASE
        if sum(each.figures.get(SIZE, 0) for each in pairs.told) > room * gathered.TIMES:
            return None
        of_pairs, by_option = of_stage(step.stage)
        as_they_are = Filtered(Chain([]), 0, self.tally(), before=0)
        frames = [gathered.gathered(pairs.rows, Gathering(as_they_are, of_pairs, number))]
        if others is not None:
            (beside,) = by_option.values()
            frames.append(gathered.gathered(others.rows, Gathering(as_they_are, beside, number)))

        def count(_told: Sequence[Told], bad: DataFrame | None) -> None:
            """Does nothing: pairs that this run found are good."""
            if bad is not None:
                self.rejects.add(self.numbers.numbered(bad, REJECTED), unreadable=True)

        return self.grouped_at_once(frames, cast(GroupSpec, step.stage), sides, room, count)

    def grouped_at_once(
        self, frames: Sequence[DataFrame], spec: GroupSpec, others: int, room: int,
        count: Callable[[Sequence[Told], DataFrame | None], None],
    ) -> int | None:  # fmt: skip
        """Writes groups, if one task can make them. count: called with what splits told, and rejected rows."""
        folder = self.beside.path()
        write = partial(spark_files.write_runs, folder=folder, gzip=self.gzip(self.options.out))
        grouping = GroupingAtOnce(spec, others, room, self.tally(), self.tally())
        found = grouped_at_once(frames, grouping, write)
        if found is None:
            return None
        bad = self.bad_in(folder) if has_bad(found.splits) else None
        if found.fails and bad is not None:
            count(found.splits, bad.where(F.col("step").between(1, len(self.filters))))
            (fault,) = bad.where(F.col("step") == mentions.FAULT).collect()
            self.fail("simgroup", gathered.LineFault.of(fault.asDict()))
        count(found.splits, bad)
        self.settle_rejects()
        self.figures += found.figures
        return self.place(folder, found.parts, self.options.out)

    def chosen_at_once(self, frames: Sequence[DataFrame], spec: DedupSpec, room: int, number: int) -> int | None:
        choosing = dedup_at_once.ChoosingAtOnce(spec, self.inputs, number, room, self.tally(), self.tally())
        found = dedup_at_once.chosen_at_once(frames, choosing, self.kept)
        if found is None:
            return None
        if found.fault is not None:
            self.count(found.splits, found.rejected.where(F.col("step") < number))
            self.fail("dedup", found.fault)
        self.count(found.splits, found.rejected)
        made = []
        for gone, path in ((False, self.options.out), (True, spec.removed)):
            if path is None or (spec.dry and (gone or not found.again)):
                continue
            folder, every = self.beside.path(), self.through_filters()
            cutting = dedup_at_once.Cutting(every, Cut(gone, spec), found.decided, number)
            spark_files.write_runs(
                through(all_rows(self.sources[: self.inputs]), cutting, WRITTEN), folder, self.gzip(path)
            )
            if self.stages.files.states(name for name, *_ in self.before) != self.before:
                raise Failed("dedup: the input changed while it was read")
            told = every.tally.all()
            if any(dedup_at_once.AGAIN in each.figures for each in told):
                self.rejects.add(self.numbers.numbered(self.bad_in(folder), REJECTED))
            made.append((folder, told, path))
            if not gone:
                self.settle_rejects()
        if not made:
            self.settle_rejects()
        self.check_values(spec, found.unlike)
        self.figures += found.figures
        if spec.dry:
            return 0
        *_, written = [self.place(*each) for each in reversed(made)]
        return written

    def check_values(self, spec: DedupSpec, unlike: bool) -> None:
        """Raises Failed if it is in doubt how values are to be compared."""
        if unlike:
            raise Failed(f"dedup: {in_doubt(spec.valued or '', spec.as_form)}")

    def fail(self, name: str, fault: gathered.LineFault) -> NoReturn:
        """Fails the run, for a line that a command cannot leave out."""
        raise Failed(f"{name}: {self.numbers.where(self.numbers.starts[fault.split] + fault.place)}: {fault.cause}")

    def made(self, given: StepInput, step: Step, before: int = 0) -> int:
        """Runs simgroup or dedup. before: so many line numbers are of no file, and come before those of files."""
        found: group.GroupLines | dedup.Deduplicated
        with named(step):
            if step.name == "simgroup":
                found = group.grouped(given, cast(GroupSpec, step.stage), self.options.verbose)
            else:
                found = dedup.deduplicated(given, cast(DedupSpec, step.stage))
        for bad in found.rejects:
            self.rejects.add(bad.withColumn("number", F.col("number") - before), unreadable=step.name == "simgroup")
        self.settle_rejects()
        if isinstance(found, dedup.Deduplicated):
            self.check_values(cast(DedupSpec, step.stage), found.unlike)
        self.figures += found.figures
        if step.stage.dry:
            return 0
        if isinstance(found, dedup.Deduplicated) and found.removed is not None and step.stage.removed is not None:
            self.write(found.removed, step.stage.removed, arranged=False)
        return self.write(found.lines, self.options.out, arranged=False)

    def packed_beside(self, step: Step, kept: KeptStage | None, part: int, before: int = 0) -> list[DataFrame]:
        """The lines of files besides the input, PACKED, a DataFrame for each part from `part` on."""
        parts = range(part, part + len(step.stage.beside))
        of_files = [self.numbers.packed(kept.rows, each, each + 1) for each in parts if kept is not None]
        return [each.withColumn("number", F.col("number") + before) for each in of_files]
