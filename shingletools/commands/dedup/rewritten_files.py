"""Removes duplicates from files of another format, and writes the same files with the documents that are kept.

The files are read twice: first for the choice, which keeps only a number for each document, then for writing.
"""

import contextlib
import os
import shutil
import time
from array import array
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from functools import partial
from itertools import islice

import numpy as np
import orjson

from shingletools.commands.dedup.dedup_collector import DedupCollector
from shingletools.commands.dedup.documents import DocumentArrays
from shingletools.commands.dedup.spec import DedupSpec
from shingletools.kernel.ids import split_ids
from shingletools.record.collector import CollectorContext
from shingletools.record.document_format import Decision, DuplicateInfo
from shingletools.record.events import Event, written
from shingletools.record.record_batch import RecordBatch
from shingletools.record.wire import Name
from shingletools.running.outputs import Output
from shingletools.system import files, signals
from shingletools.system.errors import Failed, printable
from shingletools.system.files import named

KEPT, REMOVED, LEFT_OUT = Decision(True), Decision(False), Decision(None)
BATCH_DOCUMENTS = 1 << 12
NUMBERED = "whose ids are the numbers of its rows: --id NAME says which column has its ids"


class FileRewriter(DedupCollector):
    """Takes the records of documents, and writes files. Memory: 9 bytes a document, and that of DedupCollector."""

    def __init__(self, spec: DedupSpec, context: CollectorContext) -> None:
        """Reads the side files of the spec. Raises Failed."""
        # Before the pairs are read: another process may make them of the same files, which it reads meanwhile
        self.begun, self.states = time.time_ns(), files.states(spec.files)
        super().__init__(spec, context)
        self.good = bytearray()  # whether each document is
        self.numbers = array("q")  # of those that are
        self.names_of_files, self.name_sizes = bytearray(), array("q")  # ids, if the format writes these alone
        self.folder = None if spec.into is None else NewFolder(spec.into, spec.files)

    def settle(self) -> None:
        if self.folder is not None:
            self.folder.appear()

    def close(self) -> None:
        if self.folder is not None:
            self.folder.remove.close()

    def left_out(self) -> None:
        self.good.append(False)

    def accept(self, batch: RecordBatch, documents: DocumentArrays) -> list[Event]:
        self.good += np.ones(len(documents.numbers), np.bool_).tobytes()
        self.numbers.frombytes(documents.numbers.tobytes())
        if self.spec.input_option in ("--whole", "--recursive"):
            ids = batch.columns[-1]
            self.names_of_files += ids.data
            self.name_sizes.frombytes(ids.sizes)
        return []

    def check_named(self) -> None:
        """Raises Failed if pairs or groups name no document and the format numbered the first one."""
        named = self.seen[: self.decisions.named]
        if len(named) and not named.any() and is_numbered(self.spec):
            raise Failed(f"{self.decisions.option} names no document of the input, {NUMBERED}")

    def finish(self) -> Iterator[Event]:
        assert self.spec.format is not None
        self.check_named()
        self.decide()
        decisions = StoredDecisions(self)
        if self.spec.dry or self.spec.marks_alone:
            choice = self.choose(decisions.numbers)
            yield from () if self.spec.dry else self.mark_records(choice.only(choice.removed))
            return
        if self.folder is not None:
            self.folder.write(self.spec, decisions)
        for kept, removed in () if self.folder else self.spec.format.write(self.spec.files, decisions):
            yield from written(kept, removed)
        files.check_unchanged(self.states)
        if decisions.at < len(self.good):
            raise Failed("the files have fewer documents than before")


class NewFolder:
    """A folder of files with fewer documents, which appears when all are complete.

    A file has its own name there, or of a path such as data/./train/1.csv what is behind the dot.
    """

    def __init__(self, path: str, names: Sequence[str]) -> None:
        """Raises Failed if there is such a folder with files in it, or if two files have one name."""
        self.path = os.path.realpath(path)
        self.names = {name: os.path.normpath(name.partition("/./")[2] or os.path.basename(name)) for name in names}
        twice = [name for name, count in Counter(self.names.values()).items() if count > 1]
        if len(self.names) < len(names) or twice or any(name.startswith("..") for name in self.names.values()):
            raise Failed(f"--into: two files {printable(min(twice, default=''))}, or names outside of the folder")
        with named(path):
            if os.path.lexists(path) and [*os.scandir(path)]:
                raise Failed(f"{printable(path)}: is there already, and not empty")
            self.unfinished = os.path.join(os.path.dirname(self.path), f".shingletools.{os.urandom(8).hex()}")
            os.mkdir(self.unfinished)
            self.remove = contextlib.ExitStack()
            remove = partial(shutil.rmtree, self.unfinished, ignore_errors=True)
            self.remove.callback(remove)
            self.remove.enter_context(signals.at_end(remove))

    def write(self, spec: DedupSpec, decisions: "StoredDecisions") -> None:
        """Writes each file."""
        assert spec.format is not None
        for name, inside in self.names.items():
            path = os.path.join(self.unfinished, inside)
            with named(spec.into or ""):
                os.makedirs(os.path.dirname(path), exist_ok=True)
            with Output(path, spec.stored) as output:
                for kept, _ in spec.format.write([name], decisions):
                    output.write(kept)
                output.complete()
                output.commit()

    def appear(self) -> None:
        """Gives the folder its name. Raises Failed."""
        with named(self.path):
            os.rename(self.unfinished, self.path)


def is_numbered(spec: DedupSpec) -> bool:
    """Returns whether the first good document of the files has no id but its number."""
    assert spec.format is not None
    with closing(spec.format.read(spec.files)) as portions:
        return next(
            (each.numbered for each in portions if any(document.record for document in each.documents())), False
        )


class StoredDecisions:
    """The decisions on the documents of the files, in their order."""

    def __init__(self, dedup: FileRewriter) -> None:
        self.dedup, self.begun = dedup, dedup.begun
        spec = dedup.spec
        self.removing = spec.removed is not None
        self.wants_info: Sequence[bool] = spec.annotate, bool(spec.marks) and not spec.annotate
        self.good, self.numbers = np.frombuffer(dedup.good, np.bool_), np.frombuffer(dedup.numbers, np.int64)
        self.at = self.at_number = 0  # documents that were taken, and good ones

    def take(self, count: int, /) -> Sequence[Decision]:
        if self.at + count > len(self.good):
            raise Failed("the files have more documents than before")
        good = np.flatnonzero(self.good[self.at : self.at + count])
        choice = self.dedup.choose(self.numbers[self.at_number : self.at_number + len(good)])
        self.at, self.at_number = self.at + count, self.at_number + len(good)
        decisions = [LEFT_OUT] * count
        for place, goes in zip(good.tolist(), choice.removed.tolist(), strict=True):
            decisions[place] = REMOVED if goes else KEPT
        if any(self.wants_info):
            marks = self.dedup.marks(choice.only(choice.removed))
            for place, (of, by) in zip(good[choice.removed].tolist(), marks, strict=True):
                rule = orjson.loads(by)
                decisions[place] = Decision(
                    self.wants_info[0], DuplicateInfo(orjson.loads(of), rule["rule"], rule.get("similarity"))
                )
        return decisions

    def names(self) -> Iterator[tuple[Name, Decision]]:
        names = split_ids(self.dedup.names_of_files, np.frombuffer(self.dedup.name_sizes, np.int64))
        while count := min(BATCH_DOCUMENTS, len(self.good) - self.at):
            decisions = [decision for decision in self.take(count) if decision.kept is not None]
            yield from zip(map(orjson.loads, islice(names, len(decisions))), decisions, strict=True)
