"""A sample's sets of shingles, as shingle makes them; documents with equal sets share a row."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import NamedTuple

import blake3
import numpy as np

from shingletools.cli.options import make_parser
from shingletools.commands.simtune.forms import ShingleUnits
from shingletools.kernel.types import Index
from shingletools.record.command_registry import command_of
from shingletools.record.stage import Command

FINGERPRINT_BYTES = 8  # bytes of a fingerprint
NUMBER_BITS = 32  # of a key, for the number of a shingle


class DistinctSets(NamedTuple):
    """Distinct sets of numbered shingles, none empty. All arrays are int64."""

    numbers: Index  # (entries,): the shingles of one set after the other, rising in each
    sizes: Index  # (sets,): shingles of each set
    documents: Index  # (sets,): number of documents with the set
    first: Index  # (sets,): place of the first of these in the sample
    frequencies: Index  # (shingles,): document frequency of each shingle
    first_equal: Index  # (documents of the sample,): place of the first one with the same set, -1 without shingles

    @property
    def owners(self) -> Index:
        """Returns the set of each of `numbers`. Shape (entries,)."""
        return np.repeat(np.arange(len(self.sizes)), self.sizes)

    @property
    def mean_size(self) -> Fraction:
        """Returns the mean number of distinct shingles of a document."""
        return Fraction(int((self.sizes * self.documents).sum()), max(len(self.first_equal), 1))


def fingerprints(options: str, texts: Sequence[str]) -> Iterator[bytes]:
    """Yields the fingerprints that shingle with these options makes of each text."""
    command: Command = command_of("shingle")
    stage = command.build(make_parser("shingle", "", command.add_options).parse(options.split())).record_by_record
    assert stage is not None
    for text in texts:
        yield bytes.fromhex(stage.function(text))


def make_sets(texts: Sequence[str], units: ShingleUnits, row_kinds: Index) -> DistinctSets:
    """Makes the sets of some texts. Equal sets of one row kind become one, in the order of their first texts.

    row_kinds: shape (texts,), int64. Shingles are numbered by rising fingerprint. Memory: 60 bytes for each entry.
    """
    payloads = [*fingerprints(units.options, texts)]
    counts = np.array([len(payload) // FINGERPRINT_BYTES for payload in payloads], np.int64)
    tokens = np.frombuffer(b"".join(payloads), ">u8").astype(np.uint64)
    del payloads
    distinct, numbers = np.unique(tokens, return_inverse=True)
    del tokens
    keys = np.repeat(np.arange(len(counts)), counts) << NUMBER_BITS | numbers
    keys.sort()  # np.unique, which hashes, takes ten times as long
    keys = keys[np.append(np.ones(min(1, len(keys)), np.bool_), keys[1:] != keys[:-1])]
    numbers, owners = keys & ((1 << NUMBER_BITS) - 1), keys >> NUMBER_BITS
    del keys
    frequencies = np.bincount(numbers, minlength=len(distinct))
    sizes = np.bincount(owners, minlength=len(counts))
    starts = np.cumsum(sizes) - sizes
    first_of: dict[bytes, int] = {}  # the first document with each set
    first_equal = np.full(len(counts), -1)
    for document in np.flatnonzero(sizes).tolist():
        entries = slice(starts[document], starts[document] + sizes[document])
        content = row_kinds[document].tobytes() + numbers[entries].tobytes()
        first_equal[document] = first_of.setdefault(blake3.blake3(content).digest(), document)
    first, documents = np.unique(first_equal[sizes > 0], return_counts=True)
    numbers = numbers[np.isin(owners, first)]
    return DistinctSets(numbers, sizes[first], documents, first, frequencies, first_equal)
