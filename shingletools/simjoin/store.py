"""The documents of a join, numbered as they come: their ids and payloads, kept in memory or on disk."""

import sqlite3
import tempfile
from array import array
from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol

import numpy as np
import orjson

from shingletools import signals
from shingletools.errors import Rejected, seen_before
from shingletools.kernel.types import Index
from shingletools.simjoin.factory import TableFactory
from shingletools.simjoin.forest import Forest
from shingletools.simjoin.join import Join
from shingletools.simjoin.limits import Limits
from shingletools.simjoin.memory import Memory
from shingletools.simjoin.pairs import Pairs
from shingletools.simjoin.signatures import Data
from shingletools.simjoin.stored import Payload, Stored, portions_of

Name = str | int


class Joined(Protocol):
    """A way to find the pairs."""

    bands: int
    recall: float  # expected of pairs that are just wanted
    candidates: int  # compared so far

    def pairs(self, jobs: int, /) -> Iterator[Pairs]:
        """Those wanted, sorted."""


class Store(Protocol):
    """What is kept of documents with one payload, or with two of which the second decides."""

    def claim(self, side: int, name: Name) -> None:
        """Raises Rejected if that side has used the id before."""

    def add(self, name: Name, payloads: Sequence[bytes]) -> None:
        """One more document; where payloads differ in size, they are shingles, of 8 bytes each."""

    def join(self, factory: TableFactory, cross: int | None, forest: bool) -> Joined:
        """How all of them, one at least, are joined, as tables of this factory; no more are added then."""

    def names(self, rows: Index) -> Iterable[bytes]:
        """The ids, as JSON."""

    def sizes(self, rows: Index) -> Index:
        """Of the last payload, in bytes."""


class InMemory:
    """Memory: the payloads, and some 100 bytes for each id."""

    def __init__(self, payloads: int, limits: Limits) -> None:
        self.limits = limits
        self.seen: tuple[set[Name], set[Name]] = (set(), set())
        self.ids: list[Name] = []
        self.payloads = [(bytearray(), array("q")) for _ in range(payloads)]  # and their lengths

    def claim(self, side: int, name: Name) -> None:
        if name in self.seen[side]:
            raise Rejected(seen_before(name))
        self.seen[side].add(name)

    def add(self, name: Name, payloads: Sequence[bytes]) -> None:
        self.ids.append(name)
        for (data, lengths), payload in zip(self.payloads, payloads, strict=True):
            data.extend(payload)
            lengths.append(len(payload))

    def join(self, factory: TableFactory, cross: int | None, forest: bool) -> Joined:
        self.seen = (set(), set())
        data = [np.frombuffer(data, np.uint8) for data, _ in self.payloads]
        sizes = [np.frombuffer(lengths, np.int64) for _, lengths in self.payloads]
        factory.count([part] for part in data)
        table = factory.table(list(zip(data, sizes, strict=True)))
        return (Forest if forest else Join)(table, cross, None, self.limits)

    def names(self, rows: Index) -> Iterable[bytes]:
        ids = self.ids
        return (orjson.dumps(ids[row]) for row in rows.tolist())

    def sizes(self, rows: Index) -> Index:
        sizes: Index = np.frombuffer(self.payloads[-1][1], np.int64)[rows]
        return sizes


class OnDisk:
    """Memory: a share of what is allowed, however many documents there are."""

    def __init__(self, payloads: int, memory: Memory, limits: Limits) -> None:
        self.memory = memory
        self.limits = limits
        self.seen = Seen(memory, limits)
        self.ids = Payload(memory, 1, limits)
        self.payloads = [Payload(memory, 8, limits) for _ in range(payloads)]

    def claim(self, side: int, name: Name) -> None:
        if not self.seen.add(b"%d%b" % (side, orjson.dumps(name))):
            raise Rejected(seen_before(name))

    def add(self, name: Name, payloads: Sequence[bytes]) -> None:
        self.ids.append(orjson.dumps(name))
        for column, payload in zip(self.payloads, payloads, strict=True):
            column.append(payload)

    def join(self, factory: TableFactory, cross: int | None, forest: bool) -> Joined:
        self.seen.close()
        factory.count(self._every(payload) for payload in self.payloads)
        table = Stored(self.payloads, factory, self.memory, self.limits)
        return (Forest if forest else Join)(table, cross, self.memory, self.limits)

    def _every(self, payload: Payload) -> Iterator[Data]:
        for rows in portions_of([payload], self.memory.share(16, self.limits.least_share), self.limits):
            yield payload.load(rows)[0]
            payload.forget()

    def names(self, rows: Index) -> Iterable[bytes]:
        distinct, place = np.unique(rows, return_inverse=True)
        data, sizes = self.ids.load(distinct)
        ends = np.cumsum(sizes)
        text = data.tobytes()
        names = [text[end - size : end] for end, size in zip(ends.tolist(), sizes.tolist(), strict=True)]
        self.ids.forget()
        return [names[number] for number in place.tolist()]

    def sizes(self, rows: Index) -> Index:
        sizes = self.payloads[-1].sizes(rows)
        self.payloads[-1].forget()
        return sizes


class Seen:
    """A set of byte strings on disk, in a file that is removed as soon as it is open."""

    def __init__(self, memory: Memory, limits: Limits) -> None:
        self.memory = memory
        cache = memory.share(8, limits.least_share)
        with memory.errors(), signals.held(), tempfile.NamedTemporaryFile(dir=memory.folder) as file:
            self.base = sqlite3.connect(file.name, isolation_level=None)
            for pragma in ("journal_mode = OFF", f"cache_size = -{cache // 1024}"):
                self.base.execute(f"PRAGMA {pragma}")
            self.base.execute("BEGIN")
            self.base.execute("CREATE TABLE seen (name BLOB PRIMARY KEY) WITHOUT ROWID")

    def add(self, name: bytes) -> bool:
        """Whether it was not there."""
        with self.memory.errors():
            return self.base.execute("INSERT OR IGNORE INTO seen VALUES (?)", (name,)).rowcount > 0

    def close(self) -> None:
        self.base.close()
