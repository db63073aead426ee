"""A run of steps, each of which reads the output of the one before it; a single command is a run of one step.

It neither prints nor exits, and handles signals only where files get their names.
"""

import contextlib
from collections.abc import Callable, Generator, Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from shingletools import kernel
from shingletools.reading.streams import read_batches
from shingletools.record.collector import Collector, CollectorContext
from shingletools.record.events import Lines
from shingletools.record.filter_chain import Chain
from shingletools.record.record_batch import RecordBatch
from shingletools.running.outputs import Output, RejectsFile
from shingletools.running.preflight_checks import check, check_apart, check_suffixes
from shingletools.running.stage_run import DONE, FAILED, SOME_REJECTED, Say, StageRun, uncommitted
from shingletools.running.step_events import Batches, SourceFiles, run_collector, run_filters
from shingletools.running.steps import Step, StepFailed
from shingletools.system import errors, signals

if TYPE_CHECKING:
    from shingletools.running.progress_bars import ProgressBar


class PipelineRun:
    """Call `begin`, then take all of `lines`, then call `end`."""

    def __init__(
        self,
        steps: Sequence[Step],
        say: Say,
        stack: contextlib.ExitStack,
        given: Iterator[bytes] | None = None,
        watch: Callable[[RecordBatch], object] = lambda _: None,
    ) -> None:
        """stack: closes all that is open, at the end. given: lines that replace standard input.

        watch: takes each batch of the output.
        """
        self.runs = [StageRun(step, say) for step in steps]
        self.stack, self.given, self.watch = stack, given, watch
        self.output: Output | None = None
        self.outputs: list[Output] = []  # that are open, and become complete
        self.bar: ProgressBar | None = None
        self.why = ""  # why outputs are not committed

    def begin(self, output: str | int | None, closed: set[int]) -> list[str]:
        """Makes all checks that are possible before the run, and opens what it writes; returns the files to be read.

        "-" is standard input. output: the path or descriptor of the output; None if the caller takes the lines. closed:
        standard streams that are closed. Raises Failed.
        """
        inputs: list[str] = []
        before, given = "", self.given is not None
        for run in self.runs:
            last = run is self.runs[-1]
            with run.named():
                if run.stage.rewrites:
                    check_suffixes(run, output if last else None)  # before pairs are read, which others may make
                if run.stage.record_by_record is None and not (given and "-" in run.stage.reads):
                    self.collect(run, None)
                names = check(run, before, given, output if last else None, closed)
                inputs += [name for name in names if not (given and name == "-")]
            before, given = run.name, True
        for run in self.runs if len(self.runs) > 1 else ():
            with run.named():
                check_apart(run, [other for other in self.runs if other is not run])
        for run in self.runs:
            if run.second is not None:
                with run.named():
                    run.removed = self.opened(run.second[1], run.stage.stored)
        if output is not None:
            stage = self.runs[-1].stage
            self.output = self.opened(output if isinstance(output, str) and not stage.dry else None, stage.stored)
        for run in self.runs:  # last, since it empties these files
            if run.options.rejects is not None and not run.stage.dry:
                with run.named():
                    run.rejects = RejectsFile(run.options.rejects)
                    self.stack.callback(run.rejects.close)
        return inputs * (1 if self.runs[0].stage.first is None else 2)

    def opened(self, path: str | None, stored: bool) -> Output:
        """Opens an output, which `end` completes. Raises Failed."""
        self.outputs.append(self.stack.push(Output(path, stored)))
        return self.outputs[-1]

    def collect(self, run: StageRun, given: Batches | None) -> Collector:
        """Makes the collector of a step, once. given: batches that replace standard input."""
        lines = None if given is None else (batch.lines for batch in given)
        run.collector = run.stage.collector(CollectorContext(run.options.jobs, lines))
        self.stack.callback(run.collector.close)
        return run.collector

    def lines(self) -> Generator[bytes]:
        """Yields the output of the last step as it comes; each step reads from the one before it as needed.

        Raises Failed, and ReaderGone if the reader of another output has gone away.
        """
        batches = None if self.given is None else read_batches(["-"], self.given)
        # Adjacent filters are one part, a collector is one alone
        alone = {run: run.stage.record_by_record is None and number for number, run in enumerate(self.runs, 1)}
        for _, part in groupby(self.runs, alone.get):
            batches = self.through([*part], batches)
            self.stack.callback(batches.close)
        assert batches is not None
        try:
            for batch in batches:
                self.watch(batch)
                if batch.lines:  # those of workers are valid until the next ones, so an output needs no copy
                    yield batch.lines if self.output is not None else bytes(batch.lines)
        finally:
            for run in self.runs:
                if run.complaints is not None:
                    run.complaints.close()

    def through(self, runs: Sequence[StageRun], given: Batches | None) -> Generator[RecordBatch]:
        """Yields what adjacent filters, or a collector, make of batches, and hands on the events of these steps."""
        first, behind = runs[0], self.runs[self.runs.index(runs[-1]) + 1 :]
        if self.bar is not None:
            self.bar.begin(" | ".join(run.name for run in runs))
        line = 1
        with first.named():
            if first.stage.record_by_record is None:
                sources = SourceFiles.named(self.runs[0].stage.format, self.runs[0].options.files)
                collector = first.collector or self.collect(first, given)
                made = run_collector(collector, first, given, sources)
            else:
                filters = [(each, run.id_field) for run in runs if (each := run.stage.record_by_record) is not None]
                chain = Chain(filters, [number for number, run in enumerate(runs, 1) if run.options.strict])
                jobs = max(run.options.jobs for run in runs)
                made = run_filters(chain, first.options.files, jobs, given, behind[0].collector if behind else None)
            with contextlib.closing(made):
                for step, event in made:
                    if isinstance(event, RecordBatch):
                        yield event._replace(lines=bytes(event.lines)) if behind else event
                    elif isinstance(event, Lines):
                        yield RecordBatch(event.data, first=line)
                        line += kernel.count_lines(event.data) if behind else 0
                    else:
                        with runs[step].named():
                            runs[step].take(event)
                        if self.bar is not None:
                            self.bar.take(first.name, event)
        for run in runs if behind else ():
            conclusion = run.conclusion()
            if conclusion.status == FAILED:  # nothing may be made of a part of its output
                why = conclusion.messages(self.uncommitted())
                raise StepFailed("\n".join(f"{run.name}: {message}" for message in why))
        if self.bar is not None and behind:
            self.bar.begin(behind[0].name)

    def uncommitted(self) -> list[str]:
        """Returns what becomes of outputs that have not got their names yet."""
        own = [uncommitted(output.name) for output in self.outputs if output.target]
        return own + [path for run in self.runs for path in run.changes]

    def end(self) -> int:
        """Shows the last messages, completes the files, and returns the exit status.

        That is, as with pipefail, the status of the last step without 0. Unless a step has failed, files get their
        names when all are on disk, and the changes are made for which the steps run. Raises ReaderGone or Failed.
        """
        status, conclusions = DONE, [run.conclusion() for run in self.runs]
        self.why = next((conclusion.why for conclusion in conclusions if conclusion.why), "")
        outputs = self.uncommitted()
        for run, conclusion in zip(self.runs, conclusions, strict=True):
            for message in conclusion.messages(outputs) if conclusion.why else run.remarks():
                run.say(message)
            if conclusion.why:
                outputs = []  # each is named once
            status = conclusion.status or status
            if run.rejects is not None:
                run.rejects.close()
        for output in self.outputs:
            if not (self.why and output.target):
                output.complete()
        if outputs:
            self.commit()
        return status

    def commit(self) -> None:
        """Gives files their names, and makes the changes for which the steps run. Raises Failed."""
        with signals.waiting():
            for output in self.outputs:
                output.commit()
            for run in self.runs:
                if run.collector is not None:
                    with run.named():
                        run.collector.settle()

    def reader_gone(self) -> int:
        """Returns the exit status after the reader of the output has gone away.

        Raises Failed if more than output is lost.
        """
        for run in self.runs:
            for lost in run.lost_with_reader():
                name = "standard output" if self.output is None else errors.printable(self.output.name)
                raise StepFailed(f"{run.name}: {name}: the reader has gone away, so {lost}")
        return SOME_REJECTED if any(run.conclusion().status for run in self.runs) else DONE
