"""A run of steps, each of which reads the output of the one before it; a single command is a run of one step.

It neither prints nor exits, and handles no signals: its caller does.
"""

import contextlib
from collections.abc import Callable, Generator, Iterator, Sequence
from functools import partial
from itertools import groupby
from typing import Any, Self

from shingletools.record.collector import CollectorContext
from shingletools.record.record_batch import Signatures
from shingletools.running.outcomes import DONE, FAILED, Outcome, status_of
from shingletools.running.outputs import Output
from shingletools.running.preflight_checks import check, check_apart, check_suffixes
from shingletools.running.stage_run import Say, StageRun, StepFailed
from shingletools.running.steps import Step
from shingletools.system import errors, files
from shingletools.system.errors import Failed

Lines = Iterator[bytes]  # whole lines, some together


class PipelineRun:
    """Use it in a `with`: `prepare`, then `open`, then all of `lines`, then `conclude`, `complete` and `commit`."""

    def __init__(self, steps: Sequence[Step], say: Say, given: Lines | None = None) -> None:
        """given: lines that replace standard input."""
        self.runs = [StageRun(step, say) for step in steps]
        self.given = given
        self.stack = contextlib.ExitStack()
        self.output: Output | None = None
        self.progress: Callable[[int], object] = lambda _: None  # takes numbers of bytes of the input
        self.show_work: Callable[[str, float, int], object] = lambda *_: None  # takes a step's name, then as ShowWork
        self.show_step: Callable[[str], object] = lambda _: None  # takes the names of the steps at work
        self.there: frozenset[str] = frozenset()  # output files that were there before
        self.why = ""  # why outputs are not committed

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
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
            self.stack.callback(run.close)
            last = place == len(self.runs) - 1
            before = self.runs[place - 1].name if place else ""
            with run.named():
                check_suffixes(run.step, output if last else None)  # before pairs are read, which others may make
                if run.stage.record_by_record is None and not (given and "-" in run.stage.reads):
                    run.collect(CollectorContext(run.options.jobs))
                names = check(run.step, before, given, output if last else None, closed)
                inputs += [name for name in names if not (given and name == "-")]
            given = True
        for run in self.runs:
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

    def lines(self) -> Generator[bytes]:
        """Returns the output of the last step as it comes; each step reads from the one before it as needed.

        Raises Failed, and ReaderGone if the reader of another output has gone away.
        """
        lines: Iterator[Any] | None = self.given
        # A collector alone, or adjacent filters
        for _, part in groupby(enumerate(self.runs), lambda each: each[1].filter_step() is None and each[0] + 1):
            made = self.through([run for _, run in part], lines)
            self.stack.callback(made.close)
            lines = made
        return made

    def through(self, runs: Sequence[StageRun], given: Iterator[Any] | None) -> Generator[Any]:
        """Yields lines that passed a collector or adjacent filters; before a collector, perhaps signatures instead."""
        first, last = runs[0], runs[-1]
        # Then lines of workers need no copy: they are valid until the next ones
        lent = last is self.runs[-1] and self.output is not None
        strict = any(run.options.strict for run in runs)
        self.show_step(" | ".join(run.name for run in runs))
        with first.named(), contextlib.closing(self.outcomes(runs, given)) as results:
            for outcomes in results:
                if not strict:
                    report_rejects(runs, outcomes)  # first, since so many bad records may stop the run
                try:
                    for run, outcome in zip(runs, outcomes, strict=False):
                        run.take(outcome)  # removed lines are written before the kept ones
                    if lines := outcomes[-1].written.output:
                        # Before messages, so that --strict writes the same records
                        yield lines if lent else bytes(lines)
                    yield from outcomes[-1].signed
                finally:
                    if strict:
                        report_rejects(runs, outcomes)
                self.progress(sum(outcome.once + outcome.size for outcome in outcomes))
        if last is not self.runs[-1]:
            for run in runs:
                self.check_end(run)
            self.show_step(self.runs[self.runs.index(last) + 1].name)

    def outcomes(self, runs: Sequence[StageRun], given: Iterator[Any] | None) -> Generator[list[Outcome]]:
        """Returns the outcomes of adjacent filters, or of one collector."""
        first, jobs = runs[0], max(run.options.jobs for run in runs)
        filters = [step for run in runs if (step := run.filter_step()) is not None]
        if filters:
            from shingletools.running.filtering import run_filters  # here and below: most runs need one of the two

            return run_filters(filters, first.options.files, jobs, given, self.wanted_schema(runs[-1]))
        from shingletools.running.collecting import run_collector  # as above

        collector = first.collect(CollectorContext(jobs, given))
        collector.show_work = partial(self.show_work, first.name)
        return ([outcome] for outcome in run_collector(collector, first.step, jobs, first.figures, given))

    def wanted_schema(self, run: StageRun) -> Callable[[], Signatures | None] | None:
        """Returns the columns that the next collector can take instead of lines.

        None if it needs the lines.
        """
        behind = self.runs[self.runs.index(run) + 1 :]
        collector = behind[0].collector if behind and behind[0].options.rejects is None else None
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
            *(output.name for output in self.outputs() if output.target),
            *(path for run in self.runs for path in run.stage.changes),
        ]

    def outputs(self) -> list[Output]:
        every = [*(run.removed for run in self.runs), self.output]
        return [output for output in every if output is not None]

    @contextlib.contextmanager
    def summed_up(self) -> Iterator[None]:
        """Reports at its end how many bad records had no message, unless a signal ends the run."""
        with contextlib.ExitStack() as stack:
            for run in self.runs:
                if run.rejects is not None:
                    stack.enter_context(run.rejects.summed_up())
            yield

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
        return last_failure(conclusion.status for _, conclusion in conclusions)

    def complete(self) -> None:
        """Waits until the files are on disk, and closes them. Raises ReaderGone or Failed."""
        for run in self.runs:
            if run.rejects is not None:
                run.rejects.close()
        for output in self.outputs_to_commit():
            output.complete()

    def commit(self) -> None:
        """Gives the files their names, and makes the changes for which the steps run. Raises Failed."""
        for output in self.outputs_to_commit():
            output.commit()
        if not self.why:
            for run in self.runs:
                with run.named():
                    run.settle()

    def outputs_to_commit(self) -> list[Output]:
        """Returns the outputs that are to become complete."""
        return [output for output in self.outputs() if not (self.why and output.target)]

    def reader_gone(self) -> int:
        """Returns the exit status after the reader of the output has gone away.

        Raises Failed if more than output is lost.
        """
        for run in self.runs:
            for lost in run.lost_with_reader(self.there):
                name = "standard output" if self.output is None else errors.printable(self.output.name)
                raise StepFailed(f"{run.name}: {name}: the reader has gone away, so {lost}")
        return last_failure(status_of(run.options.allow_rejects, run.figures) for run in self.runs)


def report_rejects(runs: Sequence[StageRun], outcomes: Sequence[Outcome]) -> None:
    """Reports bad records.

    Raises Failed; if several steps are strict, that of the last one, whose bad record came first.
    """
    failed: Failed | None = None
    for run, outcome in zip(runs, outcomes, strict=False):
        try:
            with run.named():
                run.report_rejects(outcome)
        except Failed as error:
            failed = error
    if failed is not None:
        raise failed


def last_failure(statuses: Iterator[int]) -> int:
    """Returns the status of a pipeline as a shell with pipefail does: the last one that is not 0."""
    return next((status for status in reversed([*statuses]) if status), DONE)
