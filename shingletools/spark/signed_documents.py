"""Documents of SIGNED, each in a row of its own."""

from collections.abc import Iterator

import numpy as np
import orjson
import pyarrow as pa

from shingletools.commands.simjoin.signatures import Signature
from shingletools.kernel.types import U32
from shingletools.spark.batches import Batches, batch_of, of_rows
from shingletools.spark.exchange import Parted, received
from shingletools.spark.filtered_lines import REJECTED
from shingletools.spark.number_sets import Chosen
from shingletools.spark.signed import ByteColumn, Reading
from shingletools.system import errors

AGAIN = pa.schema([("number", pa.int64()), *REJECTED])
FIRST = pa.schema([("number", pa.int64()), ("via", pa.string()), ("kind", pa.int32()), ("size", pa.int64())])
ORIGINALS = pa.schema([("number", pa.int64()), ("payload", pa.binary()), ("second", pa.binary())])
NAMES = pa.schema([("number", pa.int64()), ("name", pa.binary()), ("size", pa.int64())])
COPIED = pa.schema([("number", pa.int64()), ("original", pa.int64()), ("agreeing", pa.int64())])
SUMMED = pa.schema([("counts", pa.binary())])
COUNTED = np.dtype([("counter", "<u4"), ("count", "<u8")])


def values(things: ByteColumn) -> pa.Array:
    """Things as a column of Arrow."""
    ends = np.append(0, np.cumsum(things.sizes)).astype(np.int32)
    return pa.Array.from_buffers(pa.binary(), len(things.sizes), [None, pa.py_buffer(ends), pa.py_buffer(things.data)])


def seen_before(reading: Reading, again: Chosen, step: int, batches: Batches) -> Batches:
    """Documents whose ids were used before, as rejected rows."""
    for documents in reading(batches):
        some = documents.at(again.has(documents.numbers))
        causes = [errors.seen_before(orjson.loads(name)) for name in some.ids.each()]
        yield batch_of(AGAIN, [some.numbers, [step] * len(causes), causes, [None] * len(causes)])


def first_signed(reading: Reading, batches: Batches) -> Batches:
    """The first document of each row that has a signature, and its mark."""
    for documents in reading(batches):
        signed = documents.signed()
        if len(signed.numbers):
            via, kind, size, _ = signed.marks[signed.mark[0]]
            yield of_rows(FIRST, [(signed.numbers[0], via, kind, size)])


def to_originals(reading: Reading, some: Chosen, batches: Batches) -> Batches:
    """Some of the documents that have a signature, with their signatures."""
    for documents in reading(batches):
        found = documents.signed()
        found = found.at(some.has(found.numbers))
        columns = [values(each) for each in found.payloads]
        nothing = values(ByteColumn(np.empty(0, np.uint8), np.zeros(len(found.numbers), np.int64)))
        yield batch_of(ORIGINALS, [found.numbers, *columns, *[nothing] * (2 - len(columns))])


def to_names(reading: Reading, some: Chosen, batches: Batches) -> Batches:
    """The ids of some documents, and the bytes of the payloads that decide."""
    for documents in reading(batches):
        found = documents.at(some.has(documents.numbers))
        yield batch_of(NAMES, [found.numbers, values(found.ids), found.payloads[-1].sizes])


def with_agreeing(signature: Signature, batches: Batches) -> Batches:
    """Copies to the number of components in which each agrees with its original."""
    for batch in batches:
        agreeing = [signature.components(size) for size in batch.column("size").to_pylist()]
        yield batch_of(COPIED, [batch.column("number"), batch.column("original"), agreeing])


def to_counts(reading: Reading, signature: Signature, column: int, parts: int, batches: Batches) -> Iterator[Parted]:
    """Signatures to counts, which are to be added up by counter; zeros are left out. column: 0 or 1, of the payload."""
    data = (each.signed().payloads[column].data for each in reading(batches))
    counts = signature.counted(data)
    some = np.flatnonzero(counts)
    entries = np.empty(len(some), COUNTED)
    entries["counter"], entries["count"] = some, counts[some]
    yield entries, some * parts // max(len(counts), 1)


def summed(batches: Batches) -> Batches:
    """The counts of several tasks, added up, in one row."""
    entries = received(batches, COUNTED)
    if len(entries):
        counter, place = np.unique(entries["counter"], return_inverse=True)
        found = np.empty(len(counter), COUNTED)
        found["counter"], found["count"] = counter, np.bincount(place, entries["count"])
        yield of_rows(SUMMED, [(found.tobytes(),)])


def add_counts(counts: U32, rows: Iterator[bytes]) -> None:
    for row in rows:
        found = np.frombuffer(row, COUNTED)
        counts[found["counter"]] = np.minimum(found["count"], 0xFFFFFFFF)
