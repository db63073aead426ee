"""Documents that repeat an earlier id or signature, found by cryptographic hashes that tasks exchange once."""

from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import blake2b
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from shingletools.kernel.types import U64, Index
from shingletools.spark.batches import Batches, batch_of
from shingletools.spark.exchange import Entries, Parted, part_of, received
from shingletools.spark.signed import Reading, SignedDocuments
from shingletools.spark.tally import StatsCollector, Tally

HEAD = np.dtype([("high", "<u8"), ("low", "<u8"), ("number", "<i8"), ("what", "u1")])
IDS, SIGNATURES = range(2)  # what is repeated
REPEATED = pa.schema([("what", pa.int32()), ("number", pa.int64()), ("first", pa.int64())])
OTHER_SIDE = np.uint64(0x9E3779B97F4A7C15)  # makes equal ids of the two sides differ


def digests(things: Iterator[bytes]) -> U64:
    """A hash of 128 bits for each thing. Shape (things, 2)."""
    return np.frombuffer(b"".join(blake2b(each, digest_size=16).digest() for each in things), "<u8").reshape(-1, 2)


@dataclass(frozen=True)
class DigestExchange:
    """Rows of SIGNED to HEAD: the id of each document, and its signature if that can be in a pair."""

    reading: Reading
    cross: int | None
    ids: bool  # whether to send ids, too
    least: int  # least bytes of a signature that can be in a pair
    parts: int

    def __call__(self, batches: Batches) -> Iterator[Parted]:
        for documents in self.reading(batches):
            if self.ids:
                yield self.sent(documents, digests(documents.ids.each()), IDS)
            signed = documents.at(documents.payloads[0].sizes >= self.least)
            columns = [each.each() for each in signed.payloads]
            yield self.sent(signed, digests(map(b"".join, zip(*columns, strict=True))), SIGNATURES)

    def sent(self, documents: SignedDocuments, digest: U64, what: int) -> Parted:
        entries = np.empty(len(documents.numbers), HEAD)
        entries["high"], entries["low"] = digest.T
        if self.cross is not None:
            entries["high"][documents.numbers >= self.cross] ^= OTHER_SIDE
        entries["number"], entries["what"] = documents.numbers, what
        return entries, part_of(entries["high"], self.parts)


class Repeated(NamedTuple):
    """Documents that repeat something, ascending, and the first document with it."""

    number: Index
    first: Index


def to_repeated(tally: Tally, batches: Batches) -> Batches:
    """All entries of HEAD that may be equal to REPEATED. Tells how many there are of each kind."""
    heads = received(batches, HEAD)
    runs = StatsCollector(tally)
    runs.begin((runs.task,))
    for what in (IDS, SIGNATURES):
        found = repeated(heads[heads["what"] == what])
        runs.figures[what] = len(found.number)
        if len(found.number):
            yield batch_of(REPEATED, [np.full(len(found.number), what), *found])
    runs.end()


def repeated(heads: Entries) -> Repeated:
    """The documents whose digest an earlier one has."""
    order = np.lexsort((heads["number"], heads["low"], heads["high"]))
    high, low, number = (heads[name][order] for name in ("high", "low", "number"))
    same = np.zeros(len(number), np.bool_)
    same[1:] = (high[1:] == high[:-1]) & (low[1:] == low[:-1])
    first = number[np.maximum.accumulate(np.where(same, 0, np.arange(len(number))))]
    order = np.argsort(number[same])
    return Repeated(number[same][order], first[same][order])
