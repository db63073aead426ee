"""Runs a command: all commands are run by this code.

`main` decides how a run ends: with complete output and an exit status, or with a message.
"""

import contextlib
import os
import stat
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from shingletools import kernel
from shingletools.cli.options import Printed
from shingletools.reading.streams import first_line
from shingletools.record.field_names import Names, names_on_line
from shingletools.running.outcomes import DONE, FAILED
from shingletools.running.outputs import Output, ReaderGone
from shingletools.running.pipeline_run import PipelineRun
from shingletools.running.preflight_checks import say_that_it_waits
from shingletools.running.stage_run import StepFailed
from shingletools.running.steps import CommandLine, Step, options_of, step_of
from shingletools.system import errors, files, interruptible_reads, messages, signals
from shingletools.system.errors import Failed

if TYPE_CHECKING:
    from shingletools.running.progress_bars import ProgressBar

Run = Callable[[str, Sequence[str] | None, set[int]], int]


def check_kernel() -> None:
    """Begins a run: checks that the kernel that the environment chooses is installed. Raises Failed."""
    interruptible_reads.ahead.clear()  # of an earlier run in this process
    if kernel.WANTED not in (None, *kernel.CHOICES):
        raise Failed(f"SHINGLETOOLS_KERNEL is neither c nor numpy: {errors.shown(kernel.WANTED)}")
    if kernel.WANTED not in (None, kernel.NAME):
        raise Failed(f"SHINGLETOOLS_KERNEL=c: {errors.printable(kernel.absence())}")


def run(name: str, argv: Sequence[str] | None, closed: set[int]) -> int:
    """Runs a command, and returns its exit status. Raises Failed or Printed."""
    check_kernel()
    begun = time.monotonic()
    options = options_of(CommandLine(name, sys.argv[1:] if argv is None else argv))
    with contextlib.closing(FirstRecord(name, options.progress)) as first:
        step = step_of(name, options, first.names)  # which may read tables
        step.options.verbose |= step.stage.dry
        run_options = RunOptions(step.options.output, step.options.progress, bar=first.bar)
        status, flow = run_steps(name, [step], closed, run_options)
    if flow is not None and step.options.verbose:
        seconds = time.monotonic() - begun
        run = flow.runs[0]
        figures = [*run.records(), cost(seconds, run.figures.size)]
        messages.say(f"{name}: {', '.join(figures + run.summary())}")
    return status


class RunOptions(NamedTuple):
    """The options of a command line that concern the run as a whole."""

    output: str | None  # a path
    progress: bool = False
    bar: "ProgressBar | None" = None  # if there is one already
    said: set[str] | None = None  # what commands have said of bad records: another one does not say it again
    # Takes the run at its end, unless its reader has gone away
    conclude: Callable[[PipelineRun], object] = lambda _: None


class FirstRecord:
    """Reads the first record of standard input; if a progress bar is wanted, the bar is shown while it waits."""

    def __init__(self, name: str, progress: bool) -> None:
        self.name, self.progress = name, progress
        self.bar: ProgressBar | None = None

    def names(self) -> Names:
        """Returns the field names that the record carries."""
        if self.progress and not stat.S_ISREG(os.fstat(0).st_mode) and not os.isatty(0):
            from shingletools.running.progress_bars import progress_bar  # as in run_steps

            self.bar = self.bar or progress_bar(self.name, ["-"])
        return names_on_line(first_line("-"))

    def close(self) -> None:
        if self.bar is not None:
            self.bar.close()


class Shown:
    """What a run shows on standard error: messages, above the progress bar if there is one."""

    def __init__(self, bar: "ProgressBar | None", said: set[str] | None, first: str) -> None:
        """said: as in RunOptions; then lines of pipes between steps are not named. first: the first step."""
        self.bar, self.said, self.first = bar, said, first

    def say(self, message: str) -> None:
        if self.said is not None:
            what = message.partition(": ")[2].partition("; ")[0]  # without the command and the hint
            if what in self.said or (what.startswith("-:") and not message.startswith(f"{self.first}: ")):
                return
            self.said.add(what)
        if self.bar is not None:
            self.bar.clear()
        messages.say(message)
        if self.bar is not None:
            self.bar.refresh()


def cost(seconds: float, size: int) -> str:
    """Returns what a run of so many bytes took: seconds, the most memory of its processes, megabytes a second."""
    import resource  # late: only for -v

    most = max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    memory = most // (1 << 20 if sys.platform == "darwin" else 1 << 10)  # bytes there, kilobytes elsewhere
    return f"{seconds:.2f} s in {memory} MB of memory, {size / 1e6 / max(seconds, 1e-6):.1f} MB/s"


@contextlib.contextmanager
def memory_errors(steps: Sequence[Step]) -> Iterator[None]:
    """Raises Failed where the memory is not enough, with the option that bounds it if a step has it."""
    try:
        yield
    except MemoryError:
        sizes = [vars(step.options)["buffer_size"] for step in steps if "buffer_size" in vars(step.options)]
        lower = "" if None in sizes else "lower "
        raise Failed(f"out of memory{f': try a {lower}-S SIZE, such as 500M' if sizes else ''}") from None


def run_steps(
    name: str, steps: Sequence[Step], closed: set[int], run_options: RunOptions
) -> tuple[int, PipelineRun | None]:
    """Returns the exit status of a run of steps, and the run; None for the run if its reader has gone away.

    Raises Failed.
    """
    target = 1 if run_options.output is None else run_options.output
    shown = Shown(run_options.bar, run_options.said, steps[0].name)
    with memory_errors(steps), PipelineRun(steps, shown.say) as flow:
        inputs = flow.prepare(target, closed)
        say_that_it_waits(name, inputs)
        if run_options.progress:
            from shingletools.running.progress_bars import progress_bar  # tqdm: 71 modules

            if shown.bar is None:
                shown.bar = progress_bar(name, inputs)
                flow.stack.callback(shown.bar.close)
            bar = shown.bar
            flow.progress, flow.show_work = bar.update, bar.show_work
            if len(steps) > 1:
                flow.show_step = bar.set_description_str
        flow.open(1 if steps[-1].stage.dry else target)
        assert flow.output is not None
        try:
            with contextlib.closing(flow.lines()) as lines:
                for some in lines:
                    flow.output.write(some)
            status = flow.conclude()
            flow.complete()
            with signals.waiting():
                flow.commit()
        except ReaderGone:
            return flow.reader_gone(), None
    return status, flow


def main(name: str, argv: Sequence[str] | None = None, own: Run | None = None) -> int:
    """Runs a command, by its `own` function if it has one, and returns its exit status. Only this ends a run."""
    return exit_status(name, lambda: run_or_print(own or run, name, argv, files.claim_standard_streams()))


def exit_status(name: str, run: Callable[[], int]) -> int:
    """Returns the exit status of a run; reports whatever ends it too early in the name of a command."""
    try:
        return run()
    except StepFailed as error:
        messages.say(str(error))
    except Failed as error:
        messages.say(f"{name}: {error}")
    except MemoryError:
        messages.say(f"{name}: out of memory")
    except (ImportError, OSError) as error:  # a user's file raises Failed; here the system refused something else
        messages.say(f"{name}: {errors.first_cause(error)}")
    except Exception:
        # A bug of this program. Python's own status is 1, which here means that some records were rejected. This
        # imports nothing, as the module traceback would, where there may be no descriptors left.
        sys.__excepthook__(*sys.exc_info())
    return FAILED


def run_or_print(run_it: Run, name: str, argv: Sequence[str] | None, closed: set[int]) -> int:
    """Runs a command, or prints its help or version. Returns the exit status. Raises Failed."""
    try:
        return run_it(name, argv, closed)
    except Printed as text:
        files.check_open(1, closed)
        with contextlib.suppress(ReaderGone), Output(None) as output:
            output.write(str(text).encode())
            output.complete()
        return DONE
