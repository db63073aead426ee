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

import numpy as np
import orjson

from shingletools.commands.dedup.dedup_collector import DedupCollector, deciding
from shingletools.commands.dedup.document_arrays import DocumentArrays
from shingletools.commands.dedup.spec import DedupSpec
from shingletools.kernel.ids import SelectedIds, each_id
from shingletools.kernel.types import Index
from shingletools.record.collector import CollectorContext
from shingletools.record.document_format import Decision, DuplicateInfo, Name
from shingletools.record.events import Event, written
from shingletools.running.outputs import Output
from shingletools.system import files, signals
from shingletools.system.errors import Failed, printable
from shingletools.system.files import named

BAD = -1  # instead of a number: a bad document
KEPT, REMOVED, LEFT_OUT = Decision(True), Decision(False), Decision(None)
BATCH_DOCUMENTS = 1 << 12
NUMBERED = "whose ids are the numbers of its rows: --id NAME says which column has its ids"


class FileRewriter(DedupCollector):
    """Takes the records of documents, and writes files. Memory: 8 bytes a document, and that of DedupCollector."""

    def __init__(self, spec: DedupSpec, context: CollectorContext) -> None:
        """Reads the side files of the spec. Raises Failed."""
        # Before the pairs are read: another process may make them of the same files, which it reads meanwhile
        self.begun, self.states = time.time_ns(), files.states(spec.files)
        super().__init__(spec, *deciding(spec, context))
        self.numbers = array("q")  # of the ids of all documents, or BAD
        self.folder = None if spec.into is None else NewFolder(spec.into, spec.files)

    def settle(self) -> None:
        if self.folder is not None:
            self.folder.appear()

    def close(self) -> None:
        if self.folder is not None:
            self.folder.remove.close()

    def number(self, ids: bytes, sizes: bytes) -> Index:
        """Returns the number of each id, which names of files keep."""
        if self.spec.input_option not in ("--whole", "--recursive"):
            return super().number(ids, sizes)
        return np.frombuffer(self.ids.number(ids, sizes), np.int64)

    def left_out(self) -> None:
        self.numbers.append(BAD)

    def accept(self, documents: DocumentArrays) -> list[Event]:
        self.meet(documents)
        self.numbers.frombytes(documents.numbers.tobytes())
        return written()

    def check_named(self) -> None:
        """Raises Failed if pairs or groups name no document and the format numbered the first one."""
        named = self.seen[: len(self.decisions)]
        if len(named) and not named.any() and is_numbered(self.spec):
            raise Failed(f"{self.decisions.option} names no document of the input, {NUMBERED}")

    def finish(self) -> Iterator[Event]:
        assert self.spec.format is not None
        self.check_named()
        self.decide()
        self.preference.check()
        decisions = StoredDecisions(self)
        if self.spec.dry or self.spec.marks_alone:
            numbers = decisions.numbers[decisions.numbers != BAD]
            stay = self.choose(numbers)
            gone = (stay != numbers) & (not self.spec.dry)
            yield from self.write_marks(numbers[gone], stay[gone])
            return
        if self.folder is not None:
            self.folder.write(self.spec, decisions)
        for kept, removed in () if self.folder else self.spec.format.write(self.spec.files, decisions):
            yield from written(kept, removed)
        files.check_unchanged(self.states)
        if decisions.at < len(self.numbers):
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
        return next((each.numbered for each in portions if any(made.record for made in each.documents())), False)


class StoredDecisions:
    """The decisions on the documents of the files, in their order."""

    def __init__(self, dedup: FileRewriter) -> None:
        self.dedup, self.begun = dedup, dedup.begun
        spec = dedup.spec
        self.removing = spec.removed is not None
        self.wants_info: Sequence[bool] = spec.annotate, bool(spec.marks) and not spec.annotate
        self.numbers = np.frombuffer(dedup.numbers, np.int64)
        self.at = 0  # documents that were taken

    def take(self, count: int, /) -> Sequence[Decision]:
        numbers = self.numbers[self.at : self.at + count]
        if len(numbers) < count:
            raise Failed("the files have more documents than before")
        self.at += count
        decisions = [LEFT_OUT] * count
        good = np.flatnonzero(numbers != BAD)
        kept = self.dedup.choose(numbers[good])
        removed = kept != numbers[good]
        for place, goes in zip(good.tolist(), removed.tolist(), strict=True):
            decisions[place] = REMOVED if goes else KEPT
        if any(self.wants_info):
            places, numbers = good[removed], numbers[good[removed]]
            for place, (of, by) in zip(places.tolist(), self.dedup.marks(numbers, kept[removed]), strict=True):
                rule = orjson.loads(by)
                decisions[place] = Decision(
                    self.wants_info[0], DuplicateInfo(orjson.loads(of), rule["rule"], rule.get("similarity"))
                )
        return decisions

    def names(self) -> Iterator[tuple[Name, Decision]]:
        while some := min(BATCH_DOCUMENTS, len(self.numbers) - self.at):
            numbers = self.numbers[self.at : self.at + some]
            decisions = [decision for decision in self.take(some) if decision.kept is not None]
            ids = each_id(SelectedIds(self.dedup.ids.data, self.dedup.ids.ends, numbers[numbers != BAD]))
            yield from zip(map(orjson.loads, ids), decisions, strict=True)
