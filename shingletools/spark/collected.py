"""The jobs of commands that take all lines: in one task, as the shell does it, or in many."""

from collections.abc import Mapping
from functools import partial
from typing import cast
from urllib.parse import unquote

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from shingletools.commands.dedup.spec import DedupSpec
from shingletools.commands.simgroup.spec import GroupSpec
from shingletools.commands.simjoin.join_collector import JoinCollector
from shingletools.commands.simjoin.spec import JoinSpec
from shingletools.record.chain import Chain
from shingletools.record.collector import Collector, CollectorContext
from shingletools.record.stage import Stage
from shingletools.spark import archives, dedup, group, join_in_parts, spark_files, splits
from shingletools.spark.batches import through
from shingletools.spark.filtered_lines import LINES, REJECTED, REMOVED, WRITTEN, Filtered
from shingletools.spark.joining import Archives, Joining, KeptLines
from shingletools.spark.one_task import InOneTask, OfTask
from shingletools.spark.packed_names import StepInput
from shingletools.spark.room import BASE
from shingletools.spark.run import FILES, StepParts, named, set_to
from shingletools.system.errors import Failed

# Lines more than so many times as large as the memory are not tried in one task: a join holds most of them, the others
# hold ids
TIMES = {"simjoin": 2, "simgroup": 8, "dedup": 8}


def shells_collector(stage: Stage, asked: Archives, means: CollectorContext) -> Collector:
    """Makes the shell's collector in a task."""
    if isinstance(stage, JoinSpec):
        asking = archives.against(stage, asked) if asked else None
        return JoinCollector(stage, against=asking)
    return stage.collector(means)


class Collecting(Joining):
    """A run with commands that take all lines."""

    def collected(self, given: StepParts, out: str) -> int:
        """Writes pairs, groups, or documents without duplicates. Returns the number of lines. Raises Failed."""
        stage, asked = given.step.stage, []
        if isinstance(stage, JoinSpec):
            with named(given.step):
                asked = archives.pinned(stage, given.first)
            self.count([stats for each in asked for stats in each.stats()])
        with set_to(self.spark, join_in_parts.PLANNED):
            lines = None
            if self.fits(given) and not self.is_direct(given):
                lines = self.kept_lines(given)
            if self.fits(given, lines) and (written := self.in_one_task(given, asked, lines, out)) is not None:
                return written
            if isinstance(stage, JoinSpec):
                if self.options.rejects is not None or self.options.keep is not None:
                    lines = lines or self.kept_lines(given)  # in which bad records are found again by their numbers
                return self.joined(given, asked, lines, out)
        return self.in_many_tasks(given, lines or self.kept_lines(given), out)

    def fits(self, given: StepParts, lines: KeptLines | None = None) -> bool:
        """Whether files are few, and they and the lines are small enough to be tried in one task."""
        names = [name for part in parts_of(given) for name in self.sources[part].files()]
        size = lines.size() if lines else sum(size for _, size, _ in self.stages.files.states(names))
        return len(names) <= FILES and self.room() > BASE and size <= TIMES[given.step.name] * self.room()

    def is_direct(self, given: StepParts) -> bool:
        """Whether one task can read all files itself."""
        local = all(self.sources[part].local for part in parts_of(given))
        return local and not given.filtered and self.options.keep is None

    def kept_lines(self, given: StepParts) -> KeptLines:
        """The lines, which are also counted."""
        inputs = self.lines() if given.inputs[0] == 0 else self.as_they_are(given.inputs)
        beside = self.as_they_are(given.beside) if given.beside else None
        self.count([*inputs.stats, *(beside.stats if beside else [])], inputs.rows)
        return KeptLines(inputs, beside)

    def in_one_task(self, given: StepParts, asked: Archives, lines: KeptLines | None, out: str) -> int | None:
        """Writes the same, if one task can do it; else None. lines: None if that task reads them itself."""
        stage, number, parts = given.step.stage, given.number, parts_of(given)
        if lines is None:
            names = [(part, name) for part in parts for name in sorted(self.sources[part].files(), key=unquote)]
            rows, every = splits.one_task(self.spark, names), Filtered(Chain([]), 0, self.tally())
        else:
            rows, every = self.in_order(lines, parts), Filtered(Chain([]), 0, self.tally(), before=0)
        late = {each.path: each.key(0) for each in asked}
        tallies = self.tally(), self.tally()
        make = partial(shells_collector, stage, asked)
        task = InOneTask(every, make, stage, number, parts, late, self.room(), *tallies)
        folder = self.beside.path()
        paths = {LINES: out} | ({} if stage.removed is None else {REMOVED: stage.removed})
        spark_files.write_runs(through(rows, task, WRITTEN), folder, any(map(self.gzip, paths.values())))
        (stats,) = task.tally.stats.value
        if stats.too_much:
            return None
        if lines is None:
            self.count(every.tally.all())
        self.settle_task(given, asked, stats, folder)
        if stage.dry:
            return 0
        return [self.place(folder, task.written.all(), path, kind) for kind, path in reversed(paths.items())][-1]

    def in_order(self, lines: KeptLines, parts: Mapping[int, int | None]) -> DataFrame:
        """The lines in one partition, in the order of the parts, then of files and lines."""
        files = sorted({each.key[1] for each in lines.stats()}, key=unquote)
        order = [F.array_position(F.array(*map(F.lit, some)), F.col(name)) for name, some in
                 (("part", parts), ("file", files or [""]))]  # fmt: skip
        rows = lines.rows().where("step = 0")
        return rows.repartition(1).sortWithinPartitions(*order, "block", "place")

    def settle_task(self, given: StepParts, asked: Archives, stats: OfTask, folder: str) -> None:
        """Reports what a task tells, and the bad records that it has written to a folder. Raises Failed."""
        if stats.rejected:
            bad = self.numbers.numbered(self.bad_in(folder), REJECTED)
            self.rejects.add(self.with_archives_last(bad, asked), unreadable=True)
            self.rejects.unreadable[given.number] -= stats.again
        if stats.fault is not None:
            where = "" if stats.where is None else f"{self.where(*stats.where)}: "
            raise Failed(f"{given.step.name}: {where}{stats.fault}")
        self.settle_rejects()
        for remark in stats.remarks:
            self.rejects.complain(f"{given.step.name}: {remark}")
        self.figures += stats.figures

    def where(self, split: tuple[object, ...], place: int) -> str:
        return self.numbers.where(self.numbers.starts[split] + place)

    def in_many_tasks(self, given: StepParts, lines: KeptLines, out: str) -> int:
        """Runs simgroup or dedup."""
        step, number = given.step, given.number
        packed = [self.numbers.packed(lines.inputs.rows, given.inputs[0], given.inputs[-1] + 1)]
        packed += [self.numbers.packed(lines.beside.rows, part, part + 1) for part in given.beside if lines.beside]
        with named(step):
            made = StepInput(packed[0], packed[1:], number, self.kept, self.numbers.where)
            if isinstance(step.stage, DedupSpec):
                found = dedup.deduplicated(made, step.stage)
            else:
                found = group.grouped(made, cast(GroupSpec, step.stage), self.options.verbose)
        for bad in found.rejects:
            self.rejects.add(bad, unreadable=True)
        self.rejects.unreadable[number] -= found.again
        self.settle_rejects()
        for remark in found.remarks:
            self.rejects.complain(f"{step.name}: {remark}")
        self.figures += found.figures
        if step.stage.dry:
            return 0
        if found.removed is not None and step.stage.removed is not None:
            self.write(found.removed, step.stage.removed, arranged=False)
        return self.write(found.lines, out, arranged=False)


def parts_of(given: StepParts) -> dict[int, int | None]:
    """The parts of a step's lines in the order in which the shell reads them, with their sides.

    The side is None for files that are read before the input.
    """
    stage = given.step.stage
    sides = [side for side, paths in enumerate(stage.sides, 1) for _ in paths]
    first = dict.fromkeys(given.beside) if not sides else {}
    behind = dict(zip(given.beside, sides, strict=True)) if sides else {}
    return {**first, **dict.fromkeys(given.inputs, 0), **behind}
