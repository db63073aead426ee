"""The driver: one run of a command, which is the same for all of them.

`main` decides how a run ends: with complete output and an exit status, or with a message.
"""

import argparse
import contextlib
import sys
import time
from collections.abc import Callable, Generator, Iterator, Sequence, Set
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from shingletools import kernel
from shingletools.cli.options import Printed
from shingletools.record.stage import Stage
from shingletools.running.checking import check, tell_of_waiting
from shingletools.running.complaints import Complaints
from shingletools.running.outcomes import DONE, FAILED, Conclusion, Figures, Outcome, status_of, unplaced
from shingletools.running.outputs import Output, ReaderGone, Rejects
from shingletools.running.steps import step_of
from shingletools.system import errors, files, messages, signals
from shingletools.system.errors import Failed

if TYPE_CHECKING:
    from shingletools.running.progress import Bar

Run = Callable[[str, Sequence[str] | None, set[int]], int]


def prepare() -> None:
    """What any run begins with: the kernel that the environment wants, and a watcher of signals. Raises Failed."""
    if kernel.WANTED not in (None, *kernel.CHOICES):
        raise Failed(f"SHINGLETOOLS_KERNEL is neither c nor numpy: {errors.shown(kernel.WANTED)}")
    if kernel.WANTED not in (None, kernel.NAME):
        raise Failed("SHINGLETOOLS_KERNEL=c: the package was installed without a C compiler")
    try:
        signals.watch(kernel.watcher)
    except OSError as error:
        raise Failed(str(error.strerror)) from None


class Working(NamedTuple):
    """The results of a run, made as they are asked for, and what is called when they are there."""

    results: Generator[Outcome]
    summary: Callable[[Figures], list[str]]  # for -v
    remarks: Callable[[Figures], Sequence[str]]  # for standard error, of a run that has not failed
    settle: Callable[[], None] = lambda: None
    close: Callable[[], None] = lambda: None


def no_remarks(_figures: Figures) -> Sequence[str]:
    return ()


def start(stage: Stage, options: argparse.Namespace, figures: Figures) -> Working:
    """Raises Failed."""
    if (each := stage.record_by_record) is not None:
        from shingletools.running.filtering import run_filter  # here and below: a run needs one of the two

        lines, told = each.lines, each.remarks
        summary = Figures.counts if lines is None else lambda figures: lines.summary(figures.made)
        remarks = no_remarks if told is None else lambda figures: told(figures.counted, figures.records)
        return Working(run_filter(each, options), summary, remarks)
    from shingletools.running.collecting import run_collector  # as above

    collector = stage.collector(options.jobs)
    results = run_collector(collector, stage, options, figures)
    return Working(
        results, lambda _: collector.summary(), lambda _: collector.remarks(), collector.settle, collector.close
    )


class Outputs(NamedTuple):
    """Where results go."""

    output: Output
    removed: Output | None
    rejects: Rejects


def write_all(results: Iterator[Outcome], outputs: Outputs, figures: Figures, bar: "Bar | None") -> None:
    """Writes all results to where they belong, as they come."""
    with outputs.rejects.summed_up():
        for result in results:
            figures.add(result)
            try:
                if outputs.removed is not None:
                    outputs.removed.write(result.written.removed)  # before it is missing from the output
                if result.written.output:
                    # Before rejects: --strict always lets the same records out
                    outputs.output.write(result.written.output)
            finally:
                for message in result.told:
                    outputs.rejects.complaints.say(message)
                for reject in result.rejects:
                    outputs.rejects.add(*reject)
            if bar is not None:
                bar.update(result.once + result.size)


def lost_with_reader(stage: Stage, second: tuple[str, str] | None, there: Set[str]) -> Iterator[str]:
    """What a run does not do if the reader of its output goes away."""
    for path in stage.changes:
        yield f"{errors.printable(path)} {unplaced(path, there)}"
    if second is not None:
        yield f"{second[0]} {errors.printable(second[1])} is not complete"


def run(name: str, argv: Sequence[str] | None, closed: set[int]) -> int:
    """One run of a command: its exit status. Raises Failed or Printed."""
    prepare()
    begun = time.monotonic()
    _, options, stage = step_of(name, sys.argv[1:] if argv is None else argv)  # which may read tables
    options.verbose |= stage.dry
    figures = Figures()
    there = files.existing(
        [*stage.changes, options.output, stage.second and stage.second[1]]
    )  # before a collector begins one
    with contextlib.ExitStack() as stack:
        work = start(stage, options, figures)
        stack.callback(work.close)
        inputs = check(stage, options, closed)
        tell_of_waiting(name, inputs)
        bar: Bar | None = None
        if options.progress:
            from shingletools.running.progress import progress_bar  # tqdm: 71 modules

            bar = progress_bar(name, inputs * (1 if stage.first is None else 2))
            stack.callback(bar.close)
        second = None if stage.dry else stage.second
        removed = None if second is None else stack.enter_context(Output(second[1]))
        output = stack.enter_context(Output(None if stage.dry else options.output))
        rejected = None if stage.dry else options.rejects
        complaints = Complaints(name, partial(complain, name, bar), options.all_messages, stage.input_option)
        rejects = Rejects(rejected, options.strict, complaints)  # last: it empties its file
        stack.callback(rejects.close)
        stack.callback(work.results.close)
        try:
            write_all(work.results, Outputs(output, removed, rejects), figures, bar)
            outputs = [output] if removed is None else [removed, output]
            conclusion = Conclusion.of(options.allow_rejects, figures)
            paths = [*(each.name for each in outputs if each.temporary), *stage.changes]
            for message in conclusion.messages(paths, there) if conclusion.why else work.remarks(figures):
                complain(name, bar, message)
            if conclusion.why:
                outputs = [each for each in outputs if not each.temporary]
            for each in outputs:
                each.complete()
            with signals.settling(conclusion.status):
                rejects.close()
                for each in outputs:
                    each.commit()
                if not conclusion.why:
                    work.settle()
        except ReaderGone:
            for lost in lost_with_reader(stage, second, there):
                message = f"the reader has gone away, so {lost}"
                raise Failed(f"{errors.printable(output.name)}: {message}") from None
            return status_of(options.allow_rejects, figures)
    if options.verbose:
        seconds = time.monotonic() - begun
        said = [f"{figures.records} records", f"{figures.rejected} rejected", f"{seconds:.2f} s"]
        said.append(f"{figures.size / 1e6 / max(seconds, 1e-6):.1f} MB/s")
        messages.say(f"{name}: {', '.join(said + work.summary(figures))}")
    return conclusion.status


def complain(name: str, bar: "Bar | None", message: str) -> None:
    """A message in the program's name, above the progress bar if there is one."""
    if bar is not None:
        bar.clear()
    messages.say(f"{name}: {message}")
    if bar is not None:
        bar.refresh()


def main(name: str, argv: Sequence[str] | None = None, own: Run | None = None) -> int:
    """Runs a command, by its `own` function if it has one, and returns its exit status. Only this ends a run."""
    try:
        return run_or_print(name, argv, own or run)
    except Failed as error:
        messages.say(f"{name}: {error}")
    except MemoryError:
        messages.say(f"{name}: out of memory")
    except (ImportError, OSError) as error:  # files of users are Failed: the system refused what we need ourselves
        messages.say(f"{name}: {errors.first_cause(error)}")
    except Exception:
        # A fault of ours. Python's own status for it is 1, which would say that all but some records went well. This
        # imports nothing, as the module traceback would, where there may be no descriptors left.
        sys.__excepthook__(*sys.exc_info())
    return FAILED


def run_or_print(name: str, argv: Sequence[str] | None, run_it: Run) -> int:
    closed = files.claim_standard_streams()
    try:
        return run_it(name, argv, closed)
    except Printed as text:
        files.check_open(1, closed)
        with contextlib.suppress(ReaderGone), Output(None) as output:
            output.write(str(text).encode())
            output.commit()
        return DONE
