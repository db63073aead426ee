"""What dedup reads, as rows: a document, a member of a group, a pair, or a document that an archive has."""

from dataclasses import dataclass

import numpy as np
import orjson
import pyarrow as pa

from shingletools.commands.dedup.archive_pairs import ArchivePartners
from shingletools.commands.dedup.decisions_by_groups import GroupMembers
from shingletools.commands.dedup.decisions_by_pairs import SimilarPairs
from shingletools.commands.dedup.document_fields import DocumentFields
from shingletools.commands.dedup.spec import LONGEST, DedupSpec
from shingletools.kernel import arrays as kernel
from shingletools.kernel.ids import split_ids
from shingletools.spark.arrow_batches import BYTES, INT, LONG, TEXT, Batches, binary_array, from_columns, ids_array
from shingletools.spark.line_rows import COPIES_IN_TASKS, numbered_lines, numbered_records
from shingletools.system.errors import Failed

# A document: its number, and that of its file split, its id as JSON (name), 8 bytes that are less for a document whose
# length is preferred (key), its value for --keep min: or max: as spelled, and what it is a part of (whole), as JSON; or
# a bad line: its numbers and the cause
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
        reader, spec = DocumentFields(self.spec), self.spec
        for some in numbered_records(batches, reader):
            batch, rows = some.batch, some.batch.rows
            if rows:
                ids = reader.ids(batch)
                block = reader.block(batch, np.arange(rows))
                lengths = block.lengths if spec.measured is not None else np.zeros(rows, np.int64)
                keys = ((1 << 62) - lengths if spec.keep == LONGEST else lengths).astype(">i8").tobytes()
                values = [*split_ids(*block.spelled(block.values))] if spec.valued is not None else b""
                wholes = [*map(whole_of, split_ids(*block.spelled(block.wholes)))] if spec.counted is not None else None
                yield from_columns(
                    DOCUMENTS,
                    first=some.first,
                    number=some.numbers[:rows],
                    name=binary_array(ids.data, np.frombuffer(ids.sizes, np.int64)),
                    key=binary_array(keys, np.full(rows, 8)),
                    value=values,
                    whole=wholes,
                )
            if batch.bad is not None:
                cause = str(batch.bad.error)
                yield from_columns(DOCUMENTS, first=some.first, number=int(some.numbers[-1]), cause=cause)


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
                yield from_columns(DECIDING, what=MEMBER, number=group, name=ids_array(ids))
            elif self.option == "--pairs":
                pairs = SimilarPairs(ids, self.spec.least)
                self.take(pairs, some.lines)
                if pairs.copies:
                    raise Failed(f"--pairs: {COPIES_IN_TASKS}")
                one, two = np.frombuffer(pairs.ends, np.int32).reshape(-1, 2).T.astype(np.int64)
                ends = {"name": ids_array(ids, one), "other": ids_array(ids, two)}
                yield from_columns(DECIDING, what=PAIR, similarity=np.frombuffer(pairs.similarity), **ends)
                yield from_columns(DECIDING, what=NAMED, name=ids_array(ids))
            else:
                archived = ArchivePartners(ids)
                self.take(archived, some.lines)
                flags = archived.known, archived.doubtful
                known, doubtful = (np.flatnonzero(np.frombuffer(each, np.bool_)) for each in flags)
                best = np.frombuffer(archived.best, np.int64)[known]
                ends = {"name": ids_array(ids, known), "other": ids_array(archived.archive, best)}
                similarity = np.frombuffer(archived.similarity)[known]
                # Of equally similar ones, that of the least number counts
                yield from_columns(DECIDING, what=KNOWN, number=number, similarity=similarity, **ends)
                yield from_columns(DECIDING, what=DOUBTED, name=ids_array(ids, doubtful))

    def take(self, side: GroupMembers | SimilarPairs | ArchivePartners, lines: bytes) -> None:
        """Lets the shell's reader of an option take lines. Raises Failed, with the option's name."""
        try:
            side.take(lines, begins=False)
        except Failed as error:
            raise Failed(f"{self.option}: {error}") from None
