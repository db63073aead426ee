"""The files and archives of --against, in any order, as one sequence of documents."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing

import numpy as np
import orjson

from shingletools.archive.archive_reader import Archive, open_archive
from shingletools.commands.simjoin.comparable import Comparable
from shingletools.commands.simjoin.indexed import ArchiveJoin, component_table, signature_in
from shingletools.commands.simjoin.label_filter import one_after_another
from shingletools.commands.simjoin.pair_arrays import Pairs
from shingletools.commands.simjoin.signature import Data, Signature
from shingletools.commands.simjoin.spec import JoinSpec
from shingletools.commands.simjoin.store import Store
from shingletools.kernel import arrays as kernel
from shingletools.kernel.ids import SelectedIds, each_id, split_ids
from shingletools.kernel.types import Flags, Index
from shingletools.numbers.ranges import spread
from shingletools.record.events import Reject
from shingletools.record.wire import recipes_differ
from shingletools.system.errors import Failed
from shingletools.system.errors import seen_before as seen

BATCH_IDS = 1 << 18  # ids that are looked up together


class Against:
    """The archives, and the numbers of documents that files have before and between them.

    A document's place is its number in the whole sequence. Documents dropped from an archive have places, too.
    """

    def __init__(self, spec: JoinSpec, archives: Sequence[Archive] | None = None) -> None:
        """Opens the archives of the spec, unless they are given. Raises Failed."""
        self.before = [count for count, _ in spec.archives]  # files of --against
        files = np.cumsum([len(side) for side in spec.sides]).tolist()
        # Number of sides that come wholly before each archive
        self.sides = [sum(end <= count for end in files) if count else 0 for count in self.before]
        with ExitStack() as stack:  # if one cannot be opened, the others are closed
            self.archives = archives or [stack.enter_context(closing(open_archive(path))) for _, path in spec.archives]
            stack.pop_all()
        self.documents = [0] * (1 + len(spec.sides))  # documents with signatures, of each side
        self.passed = kernel.new_ids()  # ids in files that no file, but an archive, had before

    def known(self, side: int, data: bytes, sizes: Index) -> Flags:
        """Returns which ids of a side's file are in an archive that comes before it."""
        flags = np.zeros(len(sizes), np.bool_)
        for archive, files in zip(self.archives, self.sides, strict=True):
            if files < side:
                flags |= archive.find(data, sizes) >= 0
        return flags

    def pass_over(self, data: bytes, sizes: Index, flags: Flags) -> None:
        """Remembers flagged ids: records of files have them, but only archives count as having used them."""
        if flags.any():
            starts = np.cumsum(sizes) - sizes
            places = spread(starts[flags], sizes[flags])[0]
            self.passed.number(np.frombuffer(data, np.uint8)[places].tobytes(), sizes[flags].tobytes())

    def check(self, comparable: Comparable, via: str | None) -> str | None:
        """Returns the recipe of all records. Raises Failed if an archive cannot be compared with the records taken."""
        for archive in self.archives:
            state, signature = archive.manifest, signature_in(archive)
            if state.recipe is None:
                continue
            try:
                if via is not None and via != state.recipe:
                    raise Failed(recipes_differ(state.recipe, via))
                via = state.recipe
                if signature is not None:
                    comparable.check(signature, state.size, via)
                    if comparable.signature is None:
                        comparable.accept(signature, state.size, via)
            except Failed as error:
                raise Failed(f"{archive.name}: {error}") from None
        return via

    def repeated(self, store: Store) -> Iterator[Reject]:
        """Yields records of archives whose id an earlier file or archive has: they are bad, and in no pair."""
        for number, again in self.repeats(store):
            archive = self.archives[number]
            for name, line in zip(split_ids(*archive.ids(again)), archive.lines(again), strict=True):
                yield Reject(archive.path, None, seen(orjson.loads(name)), line)

    def repeats(self, store: Store) -> Iterator[tuple[int, Index]]:
        """Yields the same records as numbers of archives and rows of each, in blocks. The archives hide these rows."""
        for number, archive in enumerate(self.archives):
            if not self.sides[number] and not number:
                continue
            first = 0
            hidden = [np.empty(0, np.int64)]
            while first < archive.firsts[-1]:
                rows = archive.live_rows(first, first + BATCH_IDS)
                first += BATCH_IDS
                data, sizes = archive.ids(rows)
                flags = np.zeros(len(sizes), np.bool_)
                if self.sides[number]:
                    flags = store.claimed(data, sizes) & (np.frombuffer(self.passed.find(data, sizes), np.int64) < 0)
                for other in self.archives[:number]:
                    flags |= other.find(data, sizes) >= 0
                again = rows[flags]
                yield number, again
                hidden.append(again)
            archive.hide(np.concatenate(hidden))

    def lay_out(self, first: int) -> None:
        """Computes places once all documents of files have come. The input has the first `first` places."""
        rows = [int(archive.firsts[-1]) for archive in self.archives]
        side_ends: Index = np.cumsum(self.documents, dtype=np.int64)  # side 0, the input, has no files
        self.side_starts: Index = side_ends - self.documents
        earlier = [
            sum(row for row, files in zip(rows, self.sides, strict=True) if files < side)
            for side in range(len(self.documents))
        ]
        self.side_places: Index = self.side_starts + np.array(earlier, np.int64)
        self.archive_places = [int(side_ends[files]) + sum(rows[:number]) for number, files in enumerate(self.sides)]
        self.first = first

    def place_of_files(self, rows: Index) -> Index:
        """Returns the places of documents of files, given their rows in the store."""
        documents = rows - self.first
        side = np.searchsorted(self.side_starts, documents, "right") - 1
        return documents - self.side_starts[side] + self.side_places[side]

    def names(self, store: Store, places: Index) -> SelectedIds:
        """Returns the ids of documents at these places."""
        distinct, which = np.unique(places, return_inverse=True)
        parts: list[tuple[int, bytes, Index]] = []
        for side, (place, number) in enumerate(zip(self.side_places.tolist(), self.documents, strict=True)):
            some = within(distinct, place, number)
            if len(some):
                rows = some - place + int(self.side_starts[side]) + self.first
                parts.append((int(some[0]), *one_after_another([*each_id(store.names(1, rows))])))
        for archive, place in zip(self.archives, self.archive_places, strict=True):
            some = within(distinct, place, int(archive.firsts[-1]))
            if len(some):
                parts.append((int(some[0]), *archive.ids(some - place)))
        parts.sort(key=lambda part: part[0])
        sizes = np.concatenate([np.empty(0, np.int64), *(part_sizes for *_, part_sizes in parts)])
        return SelectedIds(b"".join(data for _, data, _ in parts), np.cumsum(sizes), which)

    def close(self) -> None:
        for archive in self.archives:
            archive.close()


def within(places: Index, first: int, number: int) -> Index:
    """Returns the places from `first` up to `first + number`. places: ascending."""
    return places[slice(*np.searchsorted(places, [first, first + number]))]


def of_archive(
    join: ArchiveJoin, place: int, documents: Iterator[tuple[int, Data]], signature: Signature
) -> Iterator[Pairs]:
    """Yields the pairs of documents, which come in parts, with an archive that begins at `place`."""
    for first, data in documents:
        if len(data):
            rows = component_table(signature, join.wanted, data, join.size).rows
            for pairs in join.pairs(rows):
                yield Pairs(pairs.a + first, pairs.b + place, pairs.agreeing)
