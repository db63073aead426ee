"""Runs a command: all commands are run by this code.

`main` decides how a run ends: with complete output and an exit status, or with a message.
"""

import contextlib
import os
import stat
import sys
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from shingletools import kernel
from shingletools.cli.options import Printed
from shingletools.reading.streams import first_line, looked_at
from shingletools.record.field_names import Names, names_on_line
from shingletools.record.record_batch import RecordBatch
from shingletools.running.outputs import Output, ReaderGone
from shingletools.running.pipeline import PipelineRun
from shingletools.running.stage_run import DONE, FAILED
from shingletools.running.steps import CommandLine, GetNames, Step, StepFailed, options_of, step_of
from shingletools.system import errors, files, messages
from shingletools.system.errors import Failed

if TYPE_CHECKING:
    from shingletools.running.progress_bars import ProgressBar

Run = Callable[[str, Sequence[str] | None, set[int]], int]


def check_kernel() -> None:
    """Begins a run: checks that the kernel that the environment chooses is installed. Raises Failed."""
    looked_at.clear()  # by an earlier run in this process
    if kernel.WANTED not in (None, *kernel.CHOICES):
        raise Failed(f"SHINGLETOOLS_KERNEL is neither c nor numpy: {errors.shown(kernel.WANTED)}")
    if kernel.WANTED not in (None, kernel.NAME):
        raise Failed(f"SHINGLETOOLS_KERNEL=c: {errors.printable(kernel.absence())}")


def run(name: str, argv: Sequence[str] | None, closed: set[int]) -> int:
    """Runs a command, and returns its exit status. Raises Failed or Printed."""
    options = options_of(CommandLine(name, sys.argv[1:] if argv is None else argv))
    status, _ = run_steps(Shown(name, options.progress), lambda names: [step_of(name, options, names)], closed)
    return status


def run_steps(
    shown: "Shown",
    make: Callable[[GetNames], Sequence[Step]],
    closed: set[int],
    output: str | None = None,
    watch: Callable[[RecordBatch], object] = lambda _: None,
) -> tuple[int, PipelineRun | None]:
    """Returns the exit status of a run of steps, and the run; None for the run if its reader has gone away.

    make: returns the steps, from the names of fields that the first record of standard input carries. output: a path,
    if the last step does not name it. watch: takes each batch of the output. Raises Failed.
    """
    begun = time.monotonic()
    check_kernel()
    with shown.stack as stack:
        steps, name = make(shown.first_names), shown.name
        own = steps[-1].options.output
        if own is not None and output is not None:
            raise Failed(f"-o: given twice, here and to {steps[-1].name}")
        output = own if output is None else output
        flow = PipelineRun(steps, shown.say, stack, watch=watch)
        try:
            inputs = flow.begin(1 if output is None else output, closed)
            if "-" in inputs and os.isatty(0):
                messages.say(f"{name}: reads standard input, which is the terminal; Ctrl-D ends it (see {name} --help)")
            if shown.progress:
                flow.bar = shown.begin(inputs)
            assert flow.output is not None
            with contextlib.closing(flow.lines()) as blocks:
                for lines in blocks:
                    flow.output.write(lines)
            status = flow.end()
        except ReaderGone:
            return flow.reader_gone(), None
        except MemoryError:
            sizes = [vars(step.options)["buffer_size"] for step in steps if "buffer_size" in vars(step.options)]
            lower = "" if None in sizes else "lower "
            raise Failed(f"out of memory{f': try a {lower}-S SIZE, such as 500M' if sizes else ''}") from None
    spoken = [stage_run for stage_run in flow.runs if stage_run.verbose]
    if spoken or shown.verbose:
        took = cost(time.monotonic() - begun, sum(stage_run.size for stage_run in flow.runs))
        for stage_run in spoken:
            messages.say(stage_run.line_of_figures(*([took] if stage_run.name == name else [])))
        if shown.verbose:
            messages.say(f"{name}: {took}")
    return status, flow


class Shown:
    """What a run shows on standard error: messages, and a progress bar if it is wanted."""

    def __init__(
        self, name: str, progress: bool, verbose: bool = False, is_new: Callable[[str], bool] = lambda _: True
    ) -> None:
        """verbose: whether a line says what all steps together took. is_new: whether a message is shown."""
        self.name, self.progress, self.verbose, self.is_new = name, progress, verbose, is_new
        self.stack = contextlib.ExitStack()  # closes the bar, and what a run opens
        self.bar: ProgressBar | None = None

    def begin(self, inputs: Sequence[str]) -> "ProgressBar":
        """Returns the bar, which shows the bytes of these files unless it is there already."""
        if self.bar is None:
            from shingletools.running.progress_bars import progress_bar  # tqdm: 71 modules

            self.bar = progress_bar(self.name, inputs)
            self.stack.callback(self.bar.close)
        return self.bar

    def first_names(self) -> Names:
        """Returns the field names that the first record of standard input carries; shows the bar while it waits."""
        if self.progress and not stat.S_ISREG(os.fstat(0).st_mode) and not os.isatty(0):
            self.begin(["-"])
        return names_on_line(first_line("-"))

    def say(self, message: str) -> None:
        if not self.is_new(message):
            return
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


def main(name: str, argv: Sequence[str] | None = None, own: Run | None = None, closed: set[int] | None = None) -> int:
    """Runs a command, by its `own` function if it has one, and returns its exit status. Only this ends a run.

    It reports whatever ends the run too early in the name of the command. closed: standard streams that were closed
    from the start, if these are known.
    """
    closed = files.claim_standard_streams() if closed is None else closed
    try:
        try:
            return (own or run)(name, argv, closed)
        except Printed as text:
            return print_text(str(text), closed)
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


def print_text(text: str, closed: set[int]) -> int:
    """Prints help or a version. Returns the exit status. Raises Failed."""
    if 1 in closed:
        raise Failed("standard output: closed")
    with contextlib.suppress(ReaderGone), Output(None) as output:
        output.write(text.encode())
        output.complete()
    return DONE
