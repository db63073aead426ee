"""What dedup reads, as rows: a document, a member of a group, a pair, or a document that an archive has."""

from dataclasses import dataclass

import numpy as np
import orjson
import pyarrow as pa

from shingletools.commands.dedup.archive_pairs import ArchivePartners
from shingletools.commands.dedup.document_reader import DocumentReader
from shingletools.commands.dedup.group_decisions import GroupMembers
from shingletools.commands.dedup.pair_decisions import Neighbours
from shingletools.commands.dedup.spec import LONGEST, DedupSpec
from shingletools.kernel import arrays as kernel
from shingletools.kernel.ids import split_ids
from shingletools.kernel.types import Index
from shingletools.record.record_batch import read_batch
from shingletools.spark.arrow_batches import (
    BYTES,
    INT,
    LONG,
    TEXT,
    Batches,
    binary_array,
    from_columns,
    ids_array,
    numbered_lines,
)
from shingletools.system.errors import Failed

# `key` is less for a document that is preferred, as far as lengths decide; `value` is what --keep min: or max: needs,
# `whole` what the document is a part of; of a bad line there is only the cause
DOCUMENTS = pa.schema(
    {"first": LONG, "number": LONG, "name": BYTES, "key": BYTES, "value": BYTES, "whole": BYTES, "cause": TEXT}
)
# What a row is: a member with the number of its group; the two ids of a pair; an id in any pair; an id that an archive
# has, with the most similar one there; an id that is b in a pair of --known that does not say its sides
MEMBER, PAIR, NAMED, KNOWN, DOUBTED = range(5)
DECIDING = pa.schema({"what": INT, "number": LONG, "name": BYTES, "other": BYTES, "similarity": pa.float64()})


@dataclass(frozen=True)
class DocumentRows:
    """Takes LINES to DOCUMENTS."""

    spec: DedupSpec

    def __call__(self, batches: Batches) -> Batches:
        reader = DocumentReader(self.spec)
        for some in numbered_lines(batches):
            at = row = 0
            while at < len(some.lines):
                batch = read_batch(some.lines, at, reader.schema)
                if batch.rows:
                    ids = reader.ids(batch)
                    block = reader.block(batch, np.arange(batch.rows))
                    lengths = block.lengths if self.spec.measured is not None else np.zeros(batch.rows, np.int64)
                    keys = (1 << 62) - lengths if self.spec.keep == LONGEST else lengths
                    nothing = [b""] * batch.rows
                    values = split_ids(*block.spelled(block.values)) if self.spec.valued is not None else nothing
                    wholes = split_ids(*block.spelled(block.wholes)) if self.spec.counted is not None else nothing
                    yield from_columns(
                        DOCUMENTS,
                        [
                            pa.repeat(some.first, batch.rows),
                            some.numbers[row : row + batch.rows],
                            binary_array(ids.data, np.frombuffer(ids.sizes, np.int64)),
                            binary_array(keys.astype(">i8").tobytes(), np.full(batch.rows, 8)),
                            list(values),
                            [whole_of(text) for text in wholes],
                            [None] * batch.rows,
                        ],
                    )
                at, row = batch.next, row + batch.rows
                if batch.bad is not None:
                    bad = {"first": some.first, "number": int(some.numbers[row]), "cause": str(batch.bad.error)}
                    yield pa.RecordBatch.from_pylist([bad], DOCUMENTS)
                    row += 1


def whole_of(text: bytes) -> bytes | None:
    """Returns what a document is a part of, as JSON in one form; None if it is a part of nothing."""
    whole = orjson.loads(text) if text else None
    return None if whole is None else orjson.dumps(whole)


@dataclass(frozen=True)
class DecidingRows:
    """Takes groups, pairs, or pairs with an archive to DECIDING. Raises Failed for any bad line."""

    spec: DedupSpec
    option: str

    def __call__(self, batches: Batches) -> Batches:
        for some in numbered_lines(batches):
            ids, number = kernel.new_ids(), int(some.numbers[0])
            if self.option == "--groups":
                members = GroupMembers(ids)
                self.take(members, some.lines)
                group = some.numbers[np.frombuffer(members.group, np.int64)]
                yield rows(MEMBER, group, name=ids_array(ids))
            elif self.option == "--pairs":
                pairs = Neighbours(ids, self.spec.least)
                self.take(pairs, some.lines)
                one, other = np.frombuffer(pairs.ends, np.int32).reshape(-1, 2).T.astype(np.int64)
                similarity, nothing = pa.array(np.frombuffer(pairs.similarity)), np.zeros(len(ids), np.int64)
                names = {"name": ids_array(ids, one), "other": ids_array(ids, other)}
                yield rows(PAIR, one, similarity=similarity, **names)
                yield rows(NAMED, nothing, name=ids_array(ids))
            else:
                archived = ArchivePartners(ids)
                self.take(archived, some.lines)
                flags = archived.known, archived.doubtful
                known, doubtful = (np.flatnonzero(np.frombuffer(each, np.bool_)) for each in flags)
                best = np.frombuffer(archived.best, np.int64)[known]
                similarity = pa.array(np.frombuffer(archived.similarity)[known])
                # Of equally similar ones, that of the least number counts
                numbers, other = np.full(len(known), number), ids_array(archived.archive, best)
                yield rows(KNOWN, numbers, name=ids_array(ids, known), other=other, similarity=similarity)
                yield rows(DOUBTED, doubtful, name=ids_array(ids, doubtful))

    def take(self, side: GroupMembers | Neighbours | ArchivePartners, lines: bytes) -> None:
        try:
            side.take(lines, begins=False)
        except Failed as error:
            raise Failed(f"{self.option}: {error}") from None


def rows(what: int, number: Index, **more: pa.Array) -> pa.RecordBatch:
    """Returns rows of DECIDING; columns that are not given are null."""
    given = {"what": [what] * len(number), "number": number.astype(np.int64), **more}
    return from_columns(DECIDING, [given.get(field.name, pa.nulls(len(number), field.type)) for field in DECIDING])
