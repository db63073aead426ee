"""A run of steps, each of which reads the output of the one before it; a single command is a run of one step.

It neither prints nor exits, and handles no signals: its caller does.
"""

import contextlib
from collections.abc import Callable, Generator, Iterator, Sequence
from itertools import groupby
from typing import Self

from shingletools import kernel
from shingletools.record.collector import Collector, CollectorContext
from shingletools.record.events import Lines, ReadFigures
from shingletools.record.filter_chain import Chain
from shingletools.record.record_batch import RecordBatch, Signatures
from shingletools.running.outcomes import DONE, FAILED
from shingletools.running.outputs import Output, ReaderGone
from shingletools.running.pipeline import Batches, StepEvents, numbered, run_collector, run_filters
from shingletools.running.preflight_checks import check, check_apart, check_suffixes
from shingletools.running.stage_run import Say, StageRun, StepFailed
from shingletools.running.steps import Step
from shingletools.system import errors, files
from shingletools.system.errors import Failed


class PipelineRun:
    """Use it in a `with`: `prepare`, then `open`, then all of `lines`, then `conclude`, `complete` and `commit`."""

    def __init__(self, steps: Sequence[Step], say: Say, given: Iterator[bytes] | None = None) -> None:
        """given: lines that replace standard input."""
        self.runs = [StageRun(step, say) for step in steps]
        self.given = given
        self.stack = contextlib.ExitStack()
        self.output: Output | None = None
        self.outputs: list[Output] = []  # that are open, and become complete
        self.progress: Callable[[int], object] = lambda _: None  # takes numbers of bytes of the input
        self.show_work: Callable[[str, float, int], object] = lambda *_: None  # takes a step's name, then as ShowWork
        self.show_step: Callable[[str], object] = lambda _: None  # takes the names of the steps at work
        self.there: frozenset[str] = frozenset()  # output files that were there before
        self.why = ""  # why outputs are not committed

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for run in self.runs:
            if run.collector is not None:
                self.stack.callback(run.collector.close)
        self.stack.close()

    def prepare(self, output: str | int | None, closed: set[int]) -> list[str]:
        """Makes all checks that are possible before the run; returns the files to be read.

        "-" is standard input. output: the path or descriptor of the output; None if the caller takes the lines. closed:
        standard streams that are closed. Raises Failed.
        """
        paths = [path for run in self.runs for path in (*run.stage.changes, run.stage.second and run.stage.second[1])]
        self.there = files.existing([*paths, output if isinstance(output, str) else None])
        inputs: list[str] = []
        given = self.given is not None
        for place, run in enumerate(self.runs):
            last = place == len(self.runs) - 1
            before = self.runs[place - 1].name if place else ""
            with run.named():
                if run.stage.rewrites:
                    check_suffixes(run.step, output if last else None)  # before pairs are read, which others may make
                if run.stage.record_by_record is None and not (given and "-" in run.stage.reads):
                    self.collect(run, None)
                names = check(run.step, before, given, output if last else None, closed)
                inputs += [name for name in names if not (given and name == "-")]
            given = True
        for run in self.runs if len(self.runs) > 1 else ():
            with run.named():
                check_apart(run.step, [other.step for other in self.runs if other is not run])
        return inputs * (1 if self.runs[0].stage.first is None else 2)

    def open(self, output: str | int | None) -> None:
        """Opens all files to be written; those of bad records last, because that empties them. Raises Failed."""
        for run in self.runs:
            with run.named():
                run.open_second(self.stack)
        if output is not None:
            path, stored = output if isinstance(output, str) else None, self.runs[-1].stage.stored
            self.output = self.stack.enter_context(Output(path, stored))
        for run in self.runs:
            with run.named():
                run.open_rejects(self.stack)
        every = (*(run.removed for run in self.runs), self.output)
        self.outputs = [output for output in every if output is not None]

    def lines(self) -> Generator[bytes]:
        """Yields the output of the last step as it comes; each step reads from the one before it as needed.

        Raises Failed, and ReaderGone if the reader of another output has gone away.
        """
        batches = None if self.given is None else numbered(self.given)
        # A collector alone, or adjacent filters
        alone = {run: run.stage.record_by_record is None and number for number, run in enumerate(self.runs, 1)}
        for _, part in groupby(self.runs, alone.get):
            made = self.through([*part], batches)
            self.stack.callback(made.close)
            batches = made
        assert batches is not None
        try:
            for batch in batches:
                if batch.lines:  # those of workers are valid until the next ones, so an output needs no copy
                    yield batch.lines if self.output is not None else bytes(batch.lines)
        except (Failed, ReaderGone, GeneratorExit):  # not if a signal ends the run
            self.sum_up()
            raise
        self.sum_up()

    def sum_up(self) -> None:
        """Reports how many bad records had no message."""
        for run in self.runs:
            if run.rejects is not None:
                run.rejects.complaints.close()

    def through(self, runs: Sequence[StageRun], given: Batches | None) -> Generator[RecordBatch]:
        """Yields what adjacent filters, or a collector, make of batches, and hands on the events of these steps."""
        first, last = runs[0], runs[-1]
        self.show_step(" | ".join(run.name for run in runs))
        with first.named(), contextlib.closing(self.events(runs, given)) as events:
            line = 1
            for event in events:
                if isinstance(event, RecordBatch):
                    yield event if last is self.runs[-1] else event._replace(lines=bytes(event.lines))
                    continue
                step, what = event
                if isinstance(what, Lines):
                    yield RecordBatch(what.data, first=line)
                    line += 0 if last is self.runs[-1] else kernel.count_lines(what.data)
                    continue
                with runs[step].named():
                    runs[step].hand_on(what)
                if isinstance(what, ReadFigures):
                    self.progress(what.size + what.again)
        if last is not self.runs[-1]:
            for run in runs:
                self.check_end(run)
            self.show_step(self.runs[self.runs.index(last) + 1].name)

    def events(self, runs: Sequence[StageRun], given: Batches | None) -> StepEvents:
        """Returns the batches and events of adjacent filters, or of one collector."""
        first, jobs = runs[0], max(run.options.jobs for run in runs)
        filters = [(each, run.step.id_field) for run in runs if (each := run.stage.record_by_record) is not None]
        if filters:
            chain = Chain(filters, [number for number, run in enumerate(runs, 1) if run.options.strict])
            return run_filters(chain, first.options.files, jobs, given, self.wanted_schema(runs[-1]))
        collector = first.collector or self.collect(first, given)
        every = run_collector(collector, first.step, jobs, given, lambda: first.conclusion().status == FAILED)
        return ((0, event) for event in every)

    def collect(self, run: StageRun, given: Batches | None) -> Collector:
        """Makes the collector of a step, once. given: batches that replace standard input."""
        lines = None if given is None else (batch.lines for batch in given)
        # The bar may come later
        context = CollectorContext(run.options.jobs, lines, show_work=lambda *work: self.show_work(run.name, *work))
        run.collector = run.stage.collector(context)
        return run.collector

    def wanted_schema(self, run: StageRun) -> Callable[[], Signatures | None] | None:
        """Returns the columns that the next collector can take instead of lines.

        None if it needs the lines.
        """
        behind = self.runs[self.runs.index(run) + 1 :]
        collector = behind[0].collector if behind else None
        if collector is None or collector.schema(0).lines:
            return None
        return lambda: collector.schema(0).signatures()

    def check_end(self, run: StageRun) -> None:
        """Raises Failed if a step has failed after it read all lines: nothing may be made of a part of its output."""
        conclusion = run.conclusion()
        if conclusion.status == FAILED:
            messages = conclusion.messages(self.uncommitted_paths(), self.there)
            raise StepFailed("\n".join(f"{run.name}: {message}" for message in messages))

    def uncommitted_paths(self) -> list[str]:
        """Returns the paths of outputs that have not got their names yet."""
        return [
            *(output.name for output in self.outputs if output.target),
            *(path for run in self.runs for path in run.stage.changes),
        ]

    def conclude(self) -> int:
        """Shows the last messages, and returns the exit status."""
        conclusions = [(run, run.conclusion()) for run in self.runs]
        self.why = next((conclusion.why for _, conclusion in conclusions if conclusion.why), "")
        paths = self.uncommitted_paths()
        for run, conclusion in conclusions:
            for message in conclusion.messages(paths, self.there) if conclusion.why else run.remarks():
                run.say_with_name(message)
            if conclusion.why:
                paths = []  # each file is named once
        if self.why:
            self.outputs = [output for output in self.outputs if not output.target]
        return last_failure(conclusion.status for _, conclusion in conclusions)

    def complete(self) -> None:
        """Waits until the files are on disk, and closes them. Raises ReaderGone or Failed."""
        for run in self.runs:
            if run.rejects is not None:
                run.rejects.close()
        for output in self.outputs:
            output.complete()

    def commit(self) -> None:
        """Gives the files their names, and makes the changes for which the steps run. Raises Failed."""
        for output in self.outputs:
            output.commit()
        if not self.why:
            for run in self.runs:
                if run.collector is not None:
                    with run.named():
                        run.collector.settle()

    def reader_gone(self) -> int:
        """Returns the exit status after the reader of the output has gone away.

        Raises Failed if more than output is lost.
        """
        for run in self.runs:
            for lost in run.lost_with_reader(self.there):
                name = "standard output" if self.output is None else errors.printable(self.output.name)
                raise StepFailed(f"{run.name}: {name}: the reader has gone away, so {lost}")
        return last_failure(run.figures.status(run.options.allow_rejects) for run in self.runs)


def last_failure(statuses: Iterator[int]) -> int:
    """Returns the status of a pipeline as a shell with pipefail does: the last one that is not 0."""
    return next((status for status in reversed([*statuses]) if status), DONE)
