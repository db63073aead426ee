"""What --against names, files and archives in any order, as one sequence of documents."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack

import numpy as np

from shingletools.archive.opened import Archive, open_archive
from shingletools.errors import Failed
from shingletools.errors import seen_before as seen
from shingletools.kernel import arrays as kernel
from shingletools.kernel.ids import IdsAt, split
from shingletools.kernel.types import Flags, Index
from shingletools.ranges import spread
from shingletools.simjoin.comparable import Comparable
from shingletools.simjoin.indexed import ArchiveJoin, component_table, signature_in
from shingletools.simjoin.pairs import Pairs
from shingletools.simjoin.signatures import Data, Signature
from shingletools.simjoin.spec import JoinSpec
from shingletools.simjoin.store import Store
from shingletools.stage import Late
from shingletools.wire import parse_json, recipes_differ

IDS = 1 << 18  # that are looked up together


class Against:
    """Archives, and how many documents of files came before and between them.

    A document's place is its number in the whole sequence, in which what no longer is in an archive has its place, too.
    """

    def __init__(self, spec: JoinSpec) -> None:
        """Raises Failed."""
        self.before = [count for count, _ in spec.archives]  # files of --against
        files = np.cumsum([len(side) for side in spec.sides]).tolist()
        # Sides that come wholly before each archive
        self.sides = [sum(end <= count for end in files) if count else 0 for count in self.before]
        self.archives: list[Archive] = []
        with ExitStack() as opened:
            for _, path in spec.archives:
                archive = open_archive(path)
                opened.callback(archive.close)
                self.archives.append(archive)
            opened.pop_all()
        self.documents = [0] * (1 + len(spec.sides))  # with signatures, of each side
        self.passed = kernel.new_ids()  # of records that an archive before them has, and no file

    def known(self, side: int, data: bytes, sizes: Index) -> Flags:
        """Which ids of a side's file an archive has that comes before it."""
        flags = np.zeros(len(sizes), np.bool_)
        for archive, files in zip(self.archives, self.sides, strict=True):
            if files < side:
                flags |= archive.find(data, sizes) >= 0
        return flags

    def pass_over(self, data: bytes, sizes: Index, flags: Flags) -> None:
        """Some of these ids, by flags, are in archives alone, though files have them, too."""
        if flags.any():
            starts = np.cumsum(sizes) - sizes
            places = spread(starts[flags], sizes[flags])[0]
            self.passed.number(np.frombuffer(data, np.uint8)[places].tobytes(), sizes[flags].tobytes())

    def check(self, comparable: Comparable, via: str | None) -> str | None:
        """Whether all can be compared with what was taken: the recipe of all. Raises Failed."""
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

    def repeated(self, store: Store) -> Iterator[Late]:
        """Records of archives whose id a file or an archive before them has: they are bad, and in no pair."""
        for number, archive in enumerate(self.archives):
            if not self.sides[number] and not number:
                continue
            first = 0
            hidden = [np.empty(0, np.int64)]
            while first < archive.firsts[-1]:
                rows = archive.live_rows(first, first + IDS)
                first += IDS
                data, sizes = archive.ids(rows)
                flags = np.zeros(len(sizes), np.bool_)
                if self.sides[number]:
                    flags = store.claimed(data, sizes) & (np.frombuffer(self.passed.find(data, sizes), np.int64) < 0)
                for other in self.archives[:number]:
                    flags |= other.find(data, sizes) >= 0
                again = rows[flags]
                names = split(*archive.ids(again))
                for name, line in zip(names, archive.lines(again), strict=True):
                    yield Late(archive.path, None, seen(parse_json(b'{"id":%b}' % name)["id"]), line, False)
                hidden.append(again)
            archive.hide(np.concatenate(hidden))

    def lay_out(self, first: int) -> None:
        """Settles who is where, when all documents of files have come; before them, there were `first` of the input."""
        rows = [int(archive.firsts[-1]) for archive in self.archives]
        side_ends: Index = np.cumsum(
            self.documents, dtype=np.int64
        )  # of the documents of files, by side; there is none at side 0
        self.side_starts: Index = side_ends - self.documents
        earlier = [sum(row for row, files in zip(rows, self.sides, strict=True) if files < side)
                   for side in range(len(self.documents))]  # fmt: skip
        self.side_places: Index = self.side_starts + np.array(earlier, np.int64)
        self.archive_places = [int(side_ends[files]) + sum(rows[:number]) for number, files in enumerate(self.sides)]
        self.first = first

    def place_of_files(self, rows: Index) -> Index:
        """The places of documents of files, by their rows in the store."""
        documents = rows - self.first
        side = np.searchsorted(self.side_starts, documents, "right") - 1
        return documents - self.side_starts[side] + self.side_places[side]

    def names(self, store: Store, places: Index) -> IdsAt:
        """The ids of documents at these places."""
        distinct, which = np.unique(places, return_inverse=True)
        parts: list[tuple[int, bytes, Index]] = []
        for side, (place, number) in enumerate(zip(self.side_places.tolist(), self.documents, strict=True)):
            some = within(distinct, place, number)
            if len(some):
                rows = some - place + int(self.side_starts[side]) + self.first
                parts.append((int(some[0]), *compact(store.names(1, rows))))
        for archive, place in zip(self.archives, self.archive_places, strict=True):
            some = within(distinct, place, int(archive.firsts[-1]))
            if len(some):
                parts.append((int(some[0]), *archive.ids(some - place)))
        parts.sort(key=lambda part: part[0])
        sizes = np.concatenate([np.empty(0, np.int64), *(each for *_, each in parts)])
        return IdsAt(b"".join(data for _, data, _ in parts), np.cumsum(sizes), which)

    def close(self) -> None:
        for archive in self.archives:
            archive.close()


def within(places: Index, first: int, number: int) -> Index:
    """Those of the places, which ascend, that are among so many from the first on."""
    return places[slice(*np.searchsorted(places, [first, first + number]))]


def compact(ids: IdsAt) -> tuple[bytes, Index]:
    """Ids that stand somewhere, one behind the other, and the bytes of each.

    >>> compact(IdsAt(b'"a"7', np.array([3, 4]), np.array([1, 0])))
    (b'7"a"', array([1, 3]))
    """
    ends = np.frombuffer(ids.ends, np.int64)
    stops = ends[ids.numbers]
    starts = np.where(ids.numbers, ends[ids.numbers - 1], 0)
    return np.frombuffer(ids.data, np.uint8)[spread(starts, stops - starts)[0]].tobytes(), stops - starts


def merged(sources: Sequence[Iterator[Pairs]]) -> Iterator[Pairs]:
    """The pairs of several sources, each sorted, all of them sorted, in blocks; no pair is in two of them."""
    waiting = list(sources)
    held: list[Pairs] = []
    while True:
        fresh = [(next((block for block in source if len(block.a)), None), source) for source in waiting[len(held) :]]
        del waiting[len(held) :]
        for block, source in fresh:
            if block is not None:
                held.append(block)
                waiting.append(source)
        if not held:
            return
        last = min((int(block.a[-1]), int(block.b[-1])) for block in held)  # up to there, all is held
        cuts = []
        for block in held:
            same = slice(*(int(np.searchsorted(block.a, last[0], side)) for side in ("left", "right")))
            cuts.append(same.start + int(np.searchsorted(block.b[same], last[1], "right")))
        done = [Pairs(*(column[:end] for column in block)) for block, end in zip(held, cuts, strict=True)]
        rest = [Pairs(*(column[end:] for column in block)) for block, end in zip(held, cuts, strict=True)]
        full = [number for number, block in enumerate(rest) if len(block.a)]
        empty = [number for number, block in enumerate(rest) if not len(block.a)]
        waiting = [waiting[number] for number in (*full, *empty)]
        held = [rest[number] for number in full]
        together = Pairs(*(np.concatenate(column) for column in zip(*done, strict=True)))
        order = np.lexsort((together.b, together.a))
        yield Pairs(*(column[order] for column in together))


def of_archive(
    join: ArchiveJoin, place: int, documents: Iterator[tuple[int, Data]], signature: Signature
) -> Iterator[Pairs]:
    """The pairs of documents, which come in parts, with an archive that has its place."""
    for first, data in documents:
        if len(data):
            rows = component_table(signature, join.wanted, data, join.size).rows
            for pairs in join.pairs(rows):
                yield Pairs(pairs.a + first, pairs.b + place, pairs.agreeing)
