"""Documents with the runs that repeats marked, and the origin of each run."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from shingletools.commands.simshow.documents import Name, Place, checked
from shingletools.commands.simshow.text_output import Edges, plural
from shingletools.record import wire
from shingletools.record.wire import AT, REPEATS, SOURCE, Record
from shingletools.record.word_offsets import Places, read_places
from shingletools.system.errors import Rejected, shown

NO_RUNS = f"field {shown(REPEATS)} holds no runs, as repeats writes them"


class MarkedRun(NamedTuple):
    """A run of words: its place in the original, in code points, and the members of its mark."""

    place: Place
    mark: Record

    @property
    def words(self) -> int:
        count: int = self.mark["words"]
        return count

    def headline(self, number: int) -> str:
        """Returns the line above its text."""
        return f"{number}: {self.mark['from']}-{self.mark['to']}, {plural(self.words, 'word')}{self.origin()}"

    def origin(self) -> str:
        """Returns the text about the first copy, or the items, with the same words; empty if there is none."""
        if (of := self.mark.get("of")) is not None:
            return f", first in {shown(of['id'])} at {of['from']}-{of['to']}"
        if (ids := self.mark.get("ids")) is not None:
            more = self.mark["items"] - len(ids)
            return f", in {', '.join(map(shown, ids))}" + (f" and {plural(more, 'other item')}" if more > 0 else "")
        return ""


class MarkedDocument(NamedTuple):
    """A document and its runs, in their order."""

    name: Name
    source: str  # the original; without places, the words
    edges: Edges
    runs: Sequence[MarkedRun]
    covered: int  # words in runs

    def summary(self) -> str:
        """Returns the line of a document that has runs."""
        longest = max(run.words for run in self.runs)
        of = f"{self.covered} of {plural(len(self.edges.starts), 'word')}"
        return f"{shown(self.name)}: {of} in {plural(len(self.runs), 'run')}, longest {longest}"


def marked_document(name: Name, record: Record, text_field: str) -> MarkedDocument:
    """Returns the document of a record. Raises Rejected."""
    if REPEATS not in record:
        raise Rejected(f"field {shown(REPEATS)} is missing")
    words = wire.take_string(record, text_field).split()
    if AT in record:
        source = wire.take_string(record, SOURCE)
        places = checked(read_places(wire.take_string(record, AT)), len(words), len(source))
        limit = len(source)
    else:
        source = " ".join(words)
        sizes = np.array([len(word) for word in words], np.int64)
        ends = np.cumsum(sizes + 1) - 1
        places, limit = Places(ends - sizes, ends), len(words)
    runs = []
    for mark in checked_runs(record[REPEATS], limit):
        first, last = mark["from"], mark["to"]
        runs.append(
            MarkedRun((first, last) if AT in record else (int(places.starts[first]), int(places.ends[last - 1])), mark)
        )
    runs.sort(key=lambda run: run.place)
    edges = Edges(np.sort(places.starts), np.sort(places.ends))
    return MarkedDocument(name, source, edges, runs, words_in(edges, runs))


def words_in(edges: Edges, runs: Sequence[MarkedRun]) -> int:
    """Returns the number of words in runs, which ascend and may overlap."""
    count = end = 0
    for (first, last), _ in runs:
        if end < last:
            between = np.searchsorted(edges.starts, (max(first, end), last))
            count += int(between[1] - between[0])
            end = last
    return count


def checked_runs(runs: object, limit: int) -> Iterator[Record]:
    """Yields the runs in a field, which must lie in so many code points or words. Raises Rejected."""
    if type(runs) is not list:
        raise Rejected(NO_RUNS)
    for run in runs:
        if type(run) is not dict or type(run.get("words")) is not int or not has_place(run) or run["to"] > limit:
            raise Rejected(NO_RUNS)
        of, ids = run.get("of"), run.get("ids")
        if of is not None and (type(of) is not dict or not wire.are_ids([of.get("id")]) or not has_place(of)):
            raise Rejected(NO_RUNS)
        if ids is not None and (not wire.are_ids(ids) or type(run.get("items")) is not int):
            raise Rejected(NO_RUNS)
        yield run


def has_place(mark: Record) -> bool:
    """Returns whether an object has a place."""
    first, last = mark.get("from"), mark.get("to")
    return type(first) is int and type(last) is int and 0 <= first < last
