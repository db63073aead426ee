"""Reads side files: records that decide which documents are removed."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import itemgetter

from shingletools.reading import option_files
from shingletools.record.collector import ONE_PROCESS, CollectorContext
from shingletools.record.record_batch import RecordBatch, Schema, read_batch
from shingletools.system import errors
from shingletools.system.errors import Failed, JudgedDifferent, Rejected


class LineFailed(Failed):
    """A line fails the run. before: the number of lines before it in the same batch."""

    def __init__(self, cause: str, before: int) -> None:
        super().__init__(cause)
        self.before = before


class SideInput(ABC):
    """Takes the records of files that options name. A bad record fails the run: it could remove a wrong document."""

    schema: Schema
    different = 0  # pairs judged different

    def read(self, option: str, paths: Sequence[str], context: CollectorContext = ONE_PROCESS) -> None:
        """Takes all records of the files that an option names. Raises Failed."""
        for path in paths:
            for source, pieces in groupby(self.pieces(option, path, context), itemgetter(0)):
                before = 0
                for _, lines in pieces:
                    try:
                        before += self.take(lines, begins=not before)
                    except LineFailed as error:
                        place = errors.shown_place(source, before + error.before + 1)
                        raise Failed(f"{place}: {error}") from None

    def pieces(self, option: str, path: str, context: CollectorContext) -> Iterator[tuple[str, bytes]]:
        """Returns whole lines of a file, some together, each time with the file's name. Raises Failed."""
        if context.read is not None:
            return context.read(option, path)
        return ((path, lines) for lines in option_files.read_chunks(option, path, context.given))

    def take(self, lines: bytes, begins: bool) -> int:
        """Takes lines, which may begin a file, and returns their number. Raises LineFailed."""
        before = at = 0
        while at < len(lines):
            batch = read_batch(lines, at, self.schema)
            try:
                if batch.rows:
                    self.add(batch)
            except Failed as failed:
                rows = failed.before if isinstance(failed, LineFailed) else batch.rows
                raise LineFailed(str(failed), before + rows) from None
            before, at = before + batch.rows, batch.next
            if batch.bad is not None and isinstance(batch.bad.error, JudgedDifferent):
                self.different += 1
                before += 1
            elif batch.bad is not None:
                from shingletools.record.error_hints import hint  # late: only faults need it

                error, line = batch.bad
                advice = hint("dedup", str(error), line, begins and not before) if isinstance(error, Rejected) else None
                raise LineFailed(f"{error}; {advice}" if advice else str(error), before)
        return before

    @abstractmethod
    def add(self, batch: RecordBatch, /) -> None:
        """Takes a batch of records. Raises LineFailed or Failed."""
