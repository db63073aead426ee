"""The archives of --against: each in its state when the run begins; its documents become rows of SIGNED.

All machines must have these folders at the same place, as with plain files.
"""

import os
from collections.abc import Iterator, Sequence
from contextlib import closing
from functools import partial
from typing import NamedTuple
from urllib.parse import quote

import numpy as np
import orjson
from pyspark.sql import DataFrame, SparkSession

from shingletools.archive.manifest import Manifest
from shingletools.archive.opened import Archive, open_archive, open_state
from shingletools.commands.simjoin.against import Against, opened
from shingletools.commands.simjoin.comparable import Comparable
from shingletools.commands.simjoin.indexed import ArchiveJoin, signature_in
from shingletools.commands.simjoin.limits import DEFAULT
from shingletools.commands.simjoin.signatures import SIGNATURES
from shingletools.commands.simjoin.spec import JoinSpec
from shingletools.spark.batches import Batches, batch_of, through
from shingletools.spark.filtered_lines import NUMBERED, SIZE
from shingletools.spark.number_sets import Chosen
from shingletools.spark.packed_names import rows_of
from shingletools.spark.signed import IDS, SIGNED, Mark
from shingletools.spark.tally import Key, SplitStats
from shingletools.system.errors import Failed, printable

BLOCK = 1 << 14  # rows of an archive in one row of SIGNED: about 5 MB


class PinnedArchive(NamedTuple):
    """An archive in one of its states, as one part of the input."""

    path: str
    folder: str
    state: Manifest
    part: int
    block: int  # rows of the archive in one row of SIGNED

    def open(self) -> Archive:
        """Opens the archive. Raises Failed."""
        try:
            return open_state(self.path, self.state, self.folder)
        except FileNotFoundError:
            raise Failed(f"{printable(self.path)}: changed while it was read, or not on all machines") from None
        except OSError as error:
            raise Failed(f"{printable(self.path)}: {error.strerror}") from None

    def key(self, first: int) -> Key:
        """The key of the block that begins with a row."""
        return self.part, quote(self.path), first

    def stats(self) -> Iterator[SplitStats]:
        """What splits of a file would tell. Each row counts, even a dropped one."""
        rows = sum(entry.rows for entry in self.state.segments)
        ids = sum(entry.columns["ids"].shape[0] for entry in self.state.segments)
        for first in range(0, rows, self.block):
            count = min(self.block, rows - first)
            figures: dict[str | int, int] = {IDS: ids * count // rows, SIZE: self.state.size * count}
            yield SplitStats(0, 0, self.key(first), count, figures, {})

    def signed(self, spark: SparkSession) -> DataFrame:
        """The archive's documents, as SIGNED."""
        return through(self.blocks(spark), partial(sign_archive, self), SIGNED)

    def lines(self, spark: SparkSession, number: int, some: Chosen) -> DataFrame:
        """The chosen records of the archive, as NUMBERED. number: that of the first row."""
        return through(self.blocks(spark), partial(pick_from_archive, self, number, some), NUMBERED)

    def firsts(self, batches: Batches) -> Iterator[int]:
        """The first row of each block."""
        yield from (block * self.block for batch in batches for block in batch.column("id").to_pylist())

    def blocks(self, spark: SparkSession) -> DataFrame:
        """The numbers of all its blocks."""
        blocks = -(-sum(entry.rows for entry in self.state.segments) // self.block)
        return spark.range(0, blocks, 1, max(1, min(blocks, 4 * spark.sparkContext.defaultParallelism)))


def sign_archive(pinned: PinnedArchive, batches: Batches) -> Batches:
    """Numbers of blocks to SIGNED. Memory: a block."""
    state = pinned.state
    with closing(pinned.open()) as archive:
        signature = signature_in(archive)
        for first in pinned.firsts(batches):
            rows = archive.live_rows(first, first + pinned.block)
            ids, id_sizes = archive.ids(rows)
            signed = archive.signed(rows)
            data = b"".join(segment.signatures(some).tobytes() for segment, some, _ in archive.part(rows[signed]))
            row = dict(zip(SIGNED.names, (*pinned.key(first), 0, 0), strict=False))
            marks: list[Mark] = [Mark(state.recipe or "", 0, 0, True)]
            if signature is not None:
                marks.append(Mark(state.recipe or "", SIGNATURES.index(signature), state.size, True))
            row |= {
                "numbers": (rows - first).tobytes(), "marks": orjson.dumps([list(each) for each in marks]),
                "mark": signed.astype(np.uint16).tobytes(), "ids": ids, "id_sizes": id_sizes.tobytes(),
                "payload": data, "sizes": (state.size * signed).astype(np.int64).tobytes(),
                "second": b"", "second_sizes": b"",
            }  # fmt: skip
            yield rows_of(SIGNED, [row])


def pick_from_archive(pinned: PinnedArchive, number: int, wanted: Chosen, batches: Batches) -> Batches:
    """Numbers of blocks to the chosen records in them, NUMBERED. Memory: those of a block."""
    with closing(pinned.open()) as archive:
        for first in pinned.firsts(batches):
            rows = archive.live_rows(first, first + pinned.block)
            some = rows[wanted.has(rows + number)]
            yield batch_of(NUMBERED, [some + number, list(archive.lines(some))])


def pinned(stage: JoinSpec, part: int) -> list[PinnedArchive]:
    """The archives of a join, in their current states. part: the first part of --against. Raises Failed."""
    found = []
    for place, (_, path) in zip(stage.archive_places, stage.archives, strict=True):
        with closing(open_archive(path)) as archive:
            found.append(PinnedArchive(path, os.path.abspath(path), archive.manifest, part + place, BLOCK))
    return found


def against(stage: JoinSpec, archives: Sequence[PinnedArchive]) -> Against:
    """The archives as the shell's join needs them. Raises Failed."""
    return Against(stage, opened(archives, PinnedArchive.open))


def check(
    stage: JoinSpec, archives: Sequence[PinnedArchive], comparable: Comparable, via: str | None, asked: bool
) -> None:
    """Checks, as the shell does, that archives can be compared with the signatures, and answer for the threshold.

    Raises Failed.
    """
    with closing(against(stage, archives)) as asking:
        asking.check(comparable, via)
        if asked and comparable.signature is not None:
            for archive in asking.archives:
                if archive.manifest.size:
                    ArchiveJoin(archive, comparable.signature, comparable.wanted, None, DEFAULT)
