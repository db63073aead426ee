"""The ids and signatures of documents, a row each, as simjoin reads them."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import orjson
import pyarrow as pa

from shingletools.commands.simjoin.signatures import SIGNATURES
from shingletools.commands.simjoin.signed_records import Needed, Signed, SignedRecords
from shingletools.kernel.types import Index
from shingletools.record.record_batch import read_batch
from shingletools.spark.arrow_batches import (
    BYTES,
    GOOD,
    INT,
    LINES,
    TEXT,
    Batches,
    NumberedLines,
    binary_array,
    numbered_lines,
)
from shingletools.system import errors

# The columns of LINES, with a bad line of its own; or a document: its id as JSON, its recipe, the kind of its signature
# (a number in SIGNATURES), and one payload or two; they are empty if it is in no pair
SIGNED = pa.schema([*LINES, *pa.schema({"name": BYTES, "via": TEXT, "kind": INT, "payload": BYTES, "second": BYTES})])
NOTHING = {field.name: None for field in SIGNED}


@dataclass(frozen=True)
class Signing:
    """Takes LINES, gives SIGNED."""

    id_field: str
    once: Sequence[str]  # fields that may not stand twice
    verify: bool  # whether there are two payloads
    step: int

    def __call__(self, batches: Batches) -> Batches:
        records = SignedRecords(Needed(self.id_field, self.once, self.verify), lambda _: None, lines=True)
        # The kernel reads lines like the last one with a signature; others make a batch of one row
        schema, known = records.schema, None
        for some in numbered_lines(batches):
            at = row = 0
            while at < len(some.lines):
                records.last = None
                batch = read_batch(some.lines, at, schema)
                mark = known if records.last is None else records.last
                if batch.rows and mark is not None:
                    columns = [(column.data, np.frombuffer(column.sizes, np.int64)) for column in batch.columns]
                    yield documents(some.first, some.numbers[row : row + batch.rows], mark, columns)
                at, row = batch.next, row + batch.rows
                if batch.bad is not None:
                    yield bad(some, row, self.step, str(batch.bad.error), batch.bad.line)
                    row += 1
                elif records.last is not None and records.last.data:
                    known = records.last
                    schema = records.schema_of(known.via, known.signature, len(known.data))._replace(max_rows=1)


def documents(first: int, numbers: Index, mark: Signed, columns: Sequence[tuple[bytes, Index]]) -> pa.RecordBatch:
    rows = len(numbers)
    name, payload, *second = (binary_array(*column) for column in columns)
    given = {
        "step": pa.repeat(pa.scalar(GOOD, INT), rows),
        "first": pa.repeat(first, rows),
        "number": pa.array(numbers),
        "name": name,
        "via": pa.repeat(mark.via, rows),
        "kind": pa.repeat(pa.scalar(SIGNATURES.index(mark.signature), INT), rows),
        "payload": payload,
        "second": second[0] if second else pa.repeat(b"", rows),
    }
    arrays = [given.get(field.name, pa.nulls(rows, field.type)) for field in SIGNED]
    return pa.RecordBatch.from_arrays(arrays, schema=SIGNED)


def bad(some: NumberedLines, row: int, step: int, cause: str, line: bytes) -> pa.RecordBatch:
    about = {"step": step, "first": some.first, "number": int(some.numbers[row]), "offsets": b"", "cause": cause}
    return pa.RecordBatch.from_pylist([{**NOTHING, **about, "lines": line}], SIGNED)


def to_causes(batches: Batches) -> Batches:
    """Takes documents (number, first, name) whose ids were used before; gives the cause in place of the id."""
    for batch in batches:
        causes = [errors.seen_before(orjson.loads(name)) for name in batch.column("name").to_pylist()]
        yield batch.set_column(2, "why", pa.array(causes, TEXT))
