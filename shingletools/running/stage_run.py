"""One step of a run: the figures of what it has read, its messages, its bad records, its other files, its status."""

import contextlib
import os
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from shingletools.record.collector import Collector
from shingletools.record.events import Event, Message, ReadFigures, Reject, RemovedLines
from shingletools.running.outputs import Output, RejectsFile
from shingletools.running.reject_messages import RejectMessages
from shingletools.running.steps import Step, StepFailed
from shingletools.system import errors
from shingletools.system.errors import Failed

Say = Callable[[str], None]  # a message, which begins with the name of a command

DONE, SOME_REJECTED, FAILED = 0, 1, 2
MAX_SHOWN_FILES = 10  # files in messages


def singular(figures: Sequence[str]) -> list[str]:
    """Returns figures in which one thing has no plural.

    >>> singular(["1 pairs found", "11 pairs", "1 kept"])
    ['1 pair found', '11 pairs', '1 kept']
    """
    return [re.sub(r"^1 (\w+)s\b", r"1 \1", figure) for figure in figures]


class Conclusion(NamedTuple):
    """The exit status; if no output is written, also why, and the files to blame."""

    status: int
    why: str = ""
    files: Sequence[str] = ()

    def messages(self, outputs: Sequence[str]) -> Iterator[str]:
        """Yields messages about the files to blame, and about outputs, so that nobody uses what is not written.

        outputs: what `uncommitted` says of each. A reader of messages learns it even if the process that waits for the
        status is killed.
        """
        for file in self.files[:MAX_SHOWN_FILES]:
            yield f"{errors.printable(file)}: {self.why}" if file else self.why
        if len(self.files) > MAX_SHOWN_FILES:
            yield f"{len(self.files) - MAX_SHOWN_FILES} more files: {self.why}"
        for output in outputs:
            yield f"{output}: {self.why}"


def uncommitted(path: str) -> str:
    """Returns what happens to an output, until it is written, if it is not: it is left as it was, or is not there."""
    return f"{errors.printable(path)} {'is left as it was' if os.path.lexists(path) else 'is not written'}"


class StageRun:
    """A step while it runs. It neither prints nor exits: it passes messages to `say`."""

    def __init__(self, step: Step, say: Say) -> None:
        self.name, self.options, self.stage, self.id_field = step.name, step.options, step.stage, step.options.id
        self.verbose = step.options.verbose or step.stage.dry
        self.say_as_it_is = say
        second, rejects = step.stage.second, step.options.rejects
        # Options that name files to be written other than the output, and these files
        self.writes = [*([] if second is None else [second]), *([] if rejects is None else [("--rejects", rejects)])]
        self.second = None if step.stage.dry else second
        self.changes = [*map(uncommitted, step.stage.changes)]  # before a collector makes a part of them
        self.collector: Collector | None = None
        self.removed: Output | None = None  # the second output
        self.rejects: RejectsFile | None = None
        self.complaints: RejectMessages | None = None  # once there is a bad record
        self.keep: Callable[[Reject], object] = lambda _: None  # takes each bad record

        self.size = 0  # bytes of what was read, as they were read
        self.records = 0  # good ones
        self.rejected = 0
        self.made = 0  # lines written, by a filter that makes several of one
        self.counted = Counter[str]()  # by a filter, or its format
        # Records of each side and file: good ones, and those with a repeated id
        self.good = Counter[tuple[int, str]]()

    def say(self, message: str) -> None:
        self.say_as_it_is(f"{self.name}: {message}")

    @contextlib.contextmanager
    def named(self) -> Iterator[None]:
        """Prefixes errors inside with this step's name, unless they are of a step before it."""
        try:
            yield
        except StepFailed:
            raise
        except Failed as error:
            raise StepFailed(f"{self.name}: {error}") from None

    def take(self, event: Event) -> None:
        """Takes an event of this step. Raises ReaderGone; and Failed, at the first bad record if strict."""
        if isinstance(event, ReadFigures):
            self.size += event.size
            self.records += event.records
            self.made += event.made
            self.counted.update(event.counted)
            if event.lines:
                self.good[event.side, event.file] += event.records
            if event.records > 0 and self.complaints is not None:
                self.complaints.good(event.file, event.side)
        elif isinstance(event, Reject):
            self.reject(event)
        elif isinstance(event, RemovedLines):
            if self.removed is not None:
                self.removed.write(event.data)
        elif isinstance(event, Message) and (self.verbose or not event.verbose):
            self.say(event.text)

    def reject(self, bad: Reject) -> None:
        """Counts, keeps and reports a bad record. Raises Failed."""
        self.rejected += 1
        self.records -= bad.late
        if bad.late or bad.repeated_id:  # a repeated id is no reason to judge the file
            self.good[bad.side, "" if bad.is_file else bad.file] += bad.repeated_id - bad.late
        self.keep(bad)
        if self.rejects is not None:
            self.rejects.add(bad)
        if self.complaints is None:
            self.complaints = self.new_complaints()
        if self.options.strict:
            raise Failed(self.complaints.message(bad))
        self.complaints.add(bad)

    def new_complaints(self) -> RejectMessages:
        form = "" if self.stage.format is None else self.stage.format.option
        stops = self.options.allow_rejects is None
        complaints = RejectMessages(self.name, self.say, self.options.all_messages, form, stops)
        files = {errors.printable(name) for name in self.options.files if name != "-"}
        if self.stage.distinct_ids and self.stage.format is None and len(files) > 1:
            complaints.id_field, complaints.sharing = self.id_field, files
        return complaints

    def conclusion(self) -> Conclusion:
        """Returns the conclusion: by default, bad records set the status; if some are allowed, more of them fail.

        A file that is not empty, but has no good record fails the run, unless so many bad records are allowed.
        """
        allowed = self.options.allow_rejects
        if not self.rejected or (allowed is not None and allowed.holds(self.rejected, self.records + self.rejected)):
            return Conclusion(DONE)
        if files := [*dict.fromkeys(file for (_, file), good in self.good.items() if good <= 0)]:
            return Conclusion(FAILED, "not one good record", files)
        return Conclusion(SOME_REJECTED, "" if allowed is None else "too many bad records")

    def remarks(self) -> Sequence[str]:
        """Returns the last messages of a step that has not failed."""
        if self.collector is not None:
            return self.collector.remarks()
        filter_stage = self.stage.record_by_record
        remarks = None if filter_stage is None else filter_stage.remarks
        return () if remarks is None else remarks(self.counted, self.records)

    def summary(self) -> list[str]:
        """Returns the figures of -v other than records and time."""
        counts = [f"{count} {what}" for what, count in self.counted.items()]
        if self.collector is not None:
            return singular([*self.collector.summary(), *counts])
        filter_stage = self.stage.record_by_record
        lines = None if filter_stage is None else filter_stage.lines
        return singular([*(() if lines is None else lines.summary(self.made)), *counts])

    def line_of_figures(self, *cost: str) -> str:
        """Returns the line of -v. cost: what the run took, if no other line says it."""
        counts = singular([f"{self.records} records", f"{self.rejected} rejected"])
        return f"{self.name}: {', '.join([*counts, *cost, *self.summary()])}"

    def lost_with_reader(self) -> Iterator[str]:
        """Yields what the step leaves undone if the reader of the output goes away."""
        yield from self.changes
        if self.second is not None:
            yield f"{self.second[0]} {errors.printable(self.second[1])} is not complete"
