"""Reads files twice: first to count their shingles, then to filter them by these counts."""

import os
import sys
from collections.abc import Callable, Sequence
from typing import NamedTuple

import blake3

from shingletools.commands.shingle.fingerprint_counts import FingerprintCounts
from shingletools.commands.shingle.fingerprints import Hashing, Rolling
from shingletools.commands.shingle.frequency_filter import DocumentLimits, FrequencyChoice, listing_of, recipe_of
from shingletools.commands.shingle.frequency_limits import FrequencyLimit
from shingletools.kernel.lines import Link
from shingletools.reading.shingle_tables import MAX_DOCUMENTS
from shingletools.record import wire
from shingletools.record.filter_chain import Chain
from shingletools.record.record_batch import RecordBatch
from shingletools.record.stage import Filter


class ShingleGathering:
    """A filter's function that gathers fingerprints, each once for a text. Its payloads are empty."""

    def __init__(self, hashing: Hashing, rolling: Rolling | None, mod: int) -> None:
        """rolling: the shingler whose links gather 1 in `mod` fingerprints in the kernel, if there is one."""
        self.hashing = hashing
        self.rolling = rolling
        self.mod = mod
        self.factor = int.from_bytes(os.urandom(8)) | 1
        self.gathered = bytearray()

    def __call__(self, text: str) -> str:
        for group in set(self.hashing(text).split()):
            self.gathered += int(group, 16).to_bytes(8, sys.byteorder)
        return ""

    def link(self) -> Link:
        if self.rolling is None:
            return ()
        return self.rolling.words.link_gathering(self.rolling.k, self.rolling.units, self.mod, self.factor)

    def take(self) -> bytes:
        """Returns the fingerprints gathered since the last call, as uint64 in native byte order."""
        taken = bytes(self.gathered) + (b"" if self.rolling is None else self.rolling.words.take_gathered())
        self.gathered = bytearray()
        return taken


class CountedFiles(NamedTuple):
    """The files that are counted, and the limits of the shingles that are kept."""

    paths: Sequence[str]
    id_field: str
    text_field: str
    min_df: FrequencyLimit | None
    max_df: FrequencyLimit | None


class ShingleCounting:
    """Takes the lines of all files, without bad records; then makes the filter by their counts."""

    def __init__(
        self,
        files: CountedFiles,
        gathering: ShingleGathering,
        counts: FingerprintCounts,
        filtering: Callable[[FrequencyChoice], Filter],
    ) -> None:
        self.files = files
        self.gathering = gathering
        self.counts = counts
        self.filtering = filtering
        stage = Filter(files.text_field, "shingles", "", gathering, link=gathering.link)
        self.chain = Chain([(stage, files.id_field)])
        self.digest = blake3.blake3()
        self.documents = 0
        self.ended = True  # whether the last line has its line feed

    def take(self, lines: bytes) -> None:
        # The recipe has the hash of all lines: a file whose last line has no line feed must not run into the next
        self.digest.update(lines if self.ended else b"\n" + lines)
        self.ended = lines.endswith(b"\n")
        (counted,) = self.chain(RecordBatch(lines))
        self.documents += counted.counts[0].given - len(counted.rejected)
        self.counts.add(self.gathering.take())

    def filter(self) -> Filter:
        least = self.files.min_df and self.files.min_df.least(self.documents)
        most = self.files.max_df and self.files.max_df.most(self.documents)
        limits = DocumentLimits(least, most)
        listing = listing_of(
            limits, *self.counts.within(least or MAX_DOCUMENTS, MAX_DOCUMENTS if most is None else most)
        )
        name = self.files.paths[0] if len(self.files.paths) == 1 else f"{len(self.files.paths)} files"
        label = wire.hash_label(name, self.digest.hexdigest())
        return self.filtering(FrequencyChoice(listing, recipe_of(limits, "counted", label), None))
