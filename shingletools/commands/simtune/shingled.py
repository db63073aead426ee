"""A sample's sets of shingles, as shingle makes them; documents with equal sets share a row."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

import blake3
import numpy as np
import orjson

from shingletools.cli.options import make_parser
from shingletools.commands.simtune.forms import ShingleUnits
from shingletools.kernel.types import Index
from shingletools.record.command_registry import command_of
from shingletools.record.filter_chain import Chain
from shingletools.record.stage import Command

NO_ROW = -1
FINGERPRINT_BYTES = 8  # bytes of a fingerprint
NUMBER_BITS = 32  # of a key, for the number of a shingle
BATCH_TEXTS = 256  # texts that are worked on at once


class Shingled(NamedTuple):
    """Distinct sets of numbered shingles, none empty. All arrays are int64."""

    numbers: Index  # (entries,): the shingles of one set after the other, rising in each
    sizes: Index  # (sets,): shingles of each set
    documents: Index  # (sets,): number of documents with the set
    first: Index  # (sets,): place of the first of these in the sample
    rows: Index  # (sampled,): the set of each document, or NO_ROW
    frequencies: Index  # (shingles,): document frequency of each shingle
    filled: int  # documents of the sample that have shingles

    @property
    def owners(self) -> Index:
        """Returns the set of each of `numbers`. Shape (entries,)."""
        return np.repeat(np.arange(len(self.sizes)), self.sizes)


def filtered(name: str, options: str, field: str, texts: Iterable[str]) -> Iterator[str]:
    """Yields the value of a field that a command makes of each text."""
    command: Command = command_of(name)
    parser = make_parser(name, "", command.add_options)
    stage = command.build(parser.parse(options.split())).record_by_record
    assert stage is not None
    chain = Chain([(stage, "id")])
    lines = (orjson.dumps({"id": 0, "text": text}) + b"\n" for text in texts)
    while block := b"".join(islice(lines, BATCH_TEXTS)):
        for line in chain.work(block)[0].splitlines():
            yield orjson.loads(line)[field]


def shingled(texts: Sequence[str], units: ShingleUnits, kinds: Index) -> Shingled:
    """Makes the sets of some texts. Equal sets of one kind become one, in the order of their first texts.

    kinds: shape (texts,), int64. Shingles are numbered by rising fingerprint. Memory: 60 bytes for each entry of a set.
    """
    payloads = [bytes.fromhex(each) for each in filtered("shingle", units.options, "shingles", texts)]
    counts = np.array([len(each) // FINGERPRINT_BYTES for each in payloads], np.int64)
    tokens = np.frombuffer(b"".join(payloads), ">u8").astype(np.uint64)
    del payloads
    distinct, numbers = np.unique(tokens, return_inverse=True)
    del tokens
    keys = np.repeat(np.arange(len(counts)), counts) << NUMBER_BITS | numbers
    keys.sort()  # np.unique, which hashes, takes ten times as long
    keys = keys[np.append(np.ones(min(1, len(keys)), np.bool_), keys[1:] != keys[:-1])]
    numbers, owners = keys & ((1 << NUMBER_BITS) - 1), keys >> NUMBER_BITS
    del keys
    sizes = np.bincount(owners, minlength=len(counts))
    ends = np.cumsum(sizes)
    known: dict[bytes, int] = {}
    rows: list[int] = []
    first: list[int] = []
    for document, (kind, size, end) in enumerate(zip(kinds.tolist(), sizes.tolist(), ends.tolist(), strict=True)):
        if not size:
            rows.append(NO_ROW)
            continue
        key = blake3.blake3(kind.to_bytes(8, "little", signed=True) + numbers[end - size : end].tobytes()).digest()
        rows.append(known.setdefault(key, len(known)))
        if rows[-1] == len(first):
            first.append(document)
    frequencies = np.bincount(numbers, minlength=len(distinct))
    of_rows, firsts = np.array(rows, np.int64), np.array(first, np.int64)
    documents = np.bincount(of_rows[of_rows != NO_ROW], minlength=len(first))
    is_first = np.zeros(len(counts), np.bool_)
    is_first[firsts] = True
    numbers = numbers[np.repeat(is_first, sizes)]
    filled = int(np.count_nonzero(of_rows != NO_ROW))
    return Shingled(
        numbers,
        sizes[firsts],
        documents,
        firsts,
        of_rows,
        frequencies,
        filled,
    )
