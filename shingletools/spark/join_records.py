"""The ids and signatures of documents, a row each, as simjoin reads them."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import orjson
import pyarrow as pa

from shingletools.commands.simjoin.signatures import SIGNATURES
from shingletools.commands.simjoin.signed_records import Needed, Signed, SignedRecords
from shingletools.spark.arrow_batches import BYTES, INT, TEXT, Batches, binary_array, from_columns
from shingletools.spark.line_rows import GOOD, LINES, numbered_records
from shingletools.system import errors

# The columns of LINES, of a bad line; or a document: its number, and that of its file split, its id as JSON, its
# recipe, the kind of its signature (its place in SIGNATURES), and one payload or two, which are empty if it has none
SIGNED = pa.schema([*LINES, *pa.schema({"name": BYTES, "via": TEXT, "kind": INT, "payload": BYTES, "second": BYTES})])


@dataclass(frozen=True)
class Signing:
    """Takes LINES to SIGNED."""

    id_field: str
    once: Sequence[str]  # fields that may not stand twice
    verify: bool  # whether there are two payloads
    step: int

    def __call__(self, batches: Batches) -> Batches:
        records = SignedRecords(Needed(self.id_field, self.once, self.verify), lambda _: None, lines=True)
        known: Signed | None = None
        # The kernel reads lines like the last one with a signature; others make a batch of one row, which sets `last`
        for some in numbered_records(batches, records):
            mark, records.last = known if records.last is None else records.last, None
            batch = some.batch
            if batch.rows and mark is not None:
                columns = [binary_array(column.data, np.frombuffer(column.sizes, np.int64)) for column in batch.columns]
                yield from_columns(
                    SIGNED,
                    step=GOOD,
                    first=some.first,
                    number=some.numbers[: batch.rows],
                    via=mark.via,
                    kind=SIGNATURES.index(mark.signature),
                    **{"second": b"", **dict(zip(("name", "payload", "second"), columns, strict=False))},
                )
            if batch.bad is not None:
                yield some.bad(SIGNED, self.step)
            elif mark is not known and mark is not None and mark.data:
                known = mark
                records.schema = records.schema_of(known.via, known.signature, len(known.data))._replace(max_rows=1)


def to_causes(batches: Batches) -> Batches:
    """Takes documents (number, first, name) whose ids were used before; gives the cause in place of the id."""
    for batch in batches:
        causes = [errors.seen_before(orjson.loads(name)) for name in batch.column("name").to_pylist()]
        yield batch.set_column(2, "why", pa.array(causes, TEXT))
