"""One step of a run: what its events go to, which are files, messages, figures and a bar."""

import contextlib
import re
from collections.abc import Callable, Iterator, Sequence, Set

from shingletools.record.collector import Collector
from shingletools.record.events import Event, Message, ReadFigures, Reject, RemovedLines
from shingletools.running.outcomes import Conclusion, Figures, state_of_uncommitted
from shingletools.running.outputs import Output, Rejects
from shingletools.running.reject_messages import RejectMessages
from shingletools.running.steps import Step
from shingletools.system import errors
from shingletools.system.errors import Failed

Say = Callable[[str], None]  # a message, which begins with the name of a command


def singular(figures: Sequence[str]) -> list[str]:
    """Returns figures in which one thing has no plural.

    >>> singular(["1 pairs found", "11 pairs", "1 kept"])
    ['1 pair found', '11 pairs', '1 kept']
    """
    return [re.sub(r"^1 (\w+)s\b", r"1 \1", figure) for figure in figures]


class StepFailed(Failed):
    """A step has failed; the text begins with the step's name."""


class StageRun:
    """A step while it runs. It neither prints nor exits: it passes messages to `say`."""

    def __init__(self, step: Step, say: Say) -> None:
        self.step = step
        self.name, self.options, self.stage = step.name, step.options, step.stage
        self.say = say
        # The option that names a second output file, and its path
        self.second = None if step.stage.dry else step.stage.second
        self.figures = Figures()
        self.collector: Collector | None = None
        self.removed: Output | None = None
        self.rejects: Rejects | None = None
        self.keep: Callable[[Reject], object] = lambda _: None  # takes each bad record
        self.side = 0  # the side of the last event

    @contextlib.contextmanager
    def named(self) -> Iterator[None]:
        """Prefixes errors inside with this step's name, unless they are of a step before it."""
        try:
            yield
        except StepFailed:
            raise
        except Failed as error:
            raise StepFailed(f"{self.name}: {error}") from None

    def open_second(self, stack: contextlib.ExitStack) -> None:
        """Opens the second output file, if there is one. Raises Failed."""
        if self.second is not None:
            self.removed = stack.enter_context(Output(self.second[1], self.stage.stored))

    def open_rejects(self, stack: contextlib.ExitStack) -> None:
        """Opens the file of bad records, which empties it. Raises Failed."""
        stops = self.options.allow_rejects is None
        complaints = RejectMessages(
            self.name, self.say_with_name, self.options.all_messages, self.stage.input_option, stops
        )
        files = {errors.printable(name) for name in self.options.files if name != "-"}
        if self.stage.distinct_ids and self.stage.format is None and len(files) > 1:
            complaints.id_field, complaints.sharing = self.step.id_field, frozenset(files)
        self.rejects = Rejects(None if self.stage.dry else self.options.rejects, self.options.strict, complaints)
        stack.callback(self.rejects.close)

    def say_with_name(self, message: str) -> None:
        self.say(f"{self.name}: {message}")

    def hand_on(self, event: Event) -> None:
        """Gives an event to those who want it. Raises ReaderGone, and Failed, at the first bad record if strict."""
        assert self.rejects is not None  # it is open
        if isinstance(event, RemovedLines):
            if self.removed is not None:
                self.removed.write(event.data)
        elif isinstance(event, Message):
            if self.options.verbose or not event.verbose:
                self.say_with_name(event.text)
        elif isinstance(event, Reject | ReadFigures):
            if event.side != self.side:  # a file may be in both
                self.side = event.side
                self.rejects.complaints.close_file()
            if isinstance(event, Reject):
                self.figures.reject(event)
                self.keep(event)
                self.rejects.add(event)
            else:
                self.figures.add(event)
                if event.records > 0:
                    self.rejects.complaints.good(event.file)

    def conclusion(self) -> Conclusion:
        return self.figures.conclusion(self.options.allow_rejects)

    def remarks(self) -> Sequence[str]:
        """Returns the last messages of a step that has not failed."""
        if self.collector is not None:
            return self.collector.remarks()
        filter_stage = self.stage.record_by_record
        remarks = None if filter_stage is None else filter_stage.remarks
        return () if remarks is None else remarks(self.figures.counted, self.figures.records)

    def records(self) -> list[str]:
        """Returns the figures with which the line of -v begins."""
        return singular([f"{self.figures.records} records", f"{self.figures.rejected} rejected"])

    def summary(self) -> list[str]:
        """Returns the figures of -v other than records and time."""
        if self.collector is not None:
            return singular([*self.collector.summary(), *self.figures.counts()])
        filter_stage = self.stage.record_by_record
        lines = None if filter_stage is None else filter_stage.lines
        return singular([*(() if lines is None else lines.summary(self.figures.made)), *self.figures.counts()])

    def lost_with_reader(self, there: Set[str]) -> Iterator[str]:
        """Yields what the step leaves undone if the reader of the output goes away."""
        for path in self.stage.changes:
            yield f"{errors.printable(path)} {state_of_uncommitted(path, there)}"
        if self.second is not None:
            yield f"{self.second[0]} {errors.printable(self.second[1])} is not complete"
