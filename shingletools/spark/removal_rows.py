"""dedup in many tasks: what it takes from lines, a row for each document, member, pair and document of an archive."""

import numpy as np
import orjson
import pyarrow as pa

from shingletools.commands.dedup.blocks import Block
from shingletools.commands.dedup.choice import Dedup
from shingletools.commands.dedup.group_members import ByGroups, Members
from shingletools.commands.dedup.neighbours import Neighbours
from shingletools.commands.dedup.pairs import Archived
from shingletools.commands.dedup.side_input import LineFailed, SideInput
from shingletools.commands.dedup.spec import LONGEST, DedupSpec
from shingletools.kernel import arrays as kernel
from shingletools.kernel.ids import Ids, split
from shingletools.kernel.types import Index
from shingletools.reading.streams import Chunk
from shingletools.record.collector import Written
from shingletools.running.collecting import collect_chunk
from shingletools.spark.batches import Batches, batch_of, packed
from shingletools.spark.packed_names import Named
from shingletools.spark.signed import ByteColumn
from shingletools.spark.signed_documents import values

# The key is less for a document that is preferred, as far as lengths decide
DOCUMENTS = pa.schema([("number", pa.int64()), ("name", pa.binary()), ("key", pa.binary()), ("value", pa.binary()),
                       ("whole", pa.binary())])  # fmt: skip
# Members with the number of their group; ids of pairs, with the other one; ids in any pair; ids that an archive has,
# with the most similar of it; ids that are b in pairs of --known that do not say their sides; lines that fail the run
MEMBER, PAIR, NAMED, KNOWN, DOUBTED, FAULT = range(6)
BESIDE = pa.schema([("what", pa.int32()), ("number", pa.int64()), ("place", pa.int64()), ("name", pa.binary()),
                    ("other", pa.binary()), ("similarity", pa.float64()), ("cause", pa.string())])  # fmt: skip


def names_at(ids: Ids, numbers: Index) -> pa.Array:
    """Some ids as a column."""
    ends = np.append(0, np.frombuffer(bytes(ids.ends), np.int64))
    sizes = ends[1:] - ends[:-1]
    return column_of(Named(bytes(ids.data), sizes).at(numbers))


def column_of(named: Named) -> pa.Array:
    return values(ByteColumn(np.frombuffer(named.names, np.uint8), named.sizes))


class MetDocuments(Dedup):
    """Takes documents, and keeps what decides of them."""

    def __init__(self, spec: DedupSpec) -> None:
        ids = kernel.new_ids()
        super().__init__(spec, ids, ByGroups(Members(ids), 1), Archived(ids))
        self.blocks: list[tuple[int, Block]] = []  # each with the place of its first line

    def meet(self, documents: Block) -> None:
        self.blocks.append(((self.place[1] or 1) - 1, documents))

    def accept(self, documents: Block) -> Written:
        self.meet(documents)
        return Written()

    def rows(self, numbers: Index) -> Batches:
        """The documents as DOCUMENTS. numbers: those of the lines."""
        for first, block in self.blocks:
            count = len(block.numbers)
            nothing = Named(b"", np.zeros(count, np.int64))
            keys = values_of(block, block.values) if self.spec.valued is not None else nothing
            wholes = values_of(block, block.wholes) if self.spec.counted is not None else nothing
            ranks = np.zeros(count, np.int64) if self.spec.measured is None else block.lengths
            ranks = (1 << 62) - ranks if self.spec.keep == LONGEST else ranks
            yield batch_of(DOCUMENTS, [
                numbers[first : first + count], names_at(self.ids, block.numbers), key_column(ranks), column_of(keys),
                [whole_of(text) for text in split(wholes.names, wholes.sizes)],
            ])  # fmt: skip


def key_column(ranks: Index) -> pa.Array:
    """Ranks, from 0 on, as bytes in the same order."""
    return column_of(Named(ranks.astype(">i8").tobytes(), np.full(len(ranks), 8)))


def whole_of(text: bytes) -> bytes | None:
    """What a document is a part of, as JSON in one form; None if it is a part of nothing."""
    whole = orjson.loads(text) if text else None
    return None if whole is None else orjson.dumps(whole)


def values_of(block: Block, spans: Index) -> Named:
    text, sizes = block.spelled(spans)
    return Named(text, np.frombuffer(sizes, np.int64))


def take_documents(spec: DedupSpec, batches: Batches) -> Batches:
    """Documents to DOCUMENTS, without bad ones. Memory: a row."""
    for some in packed(batches):
        collector = MetDocuments(spec)
        collect_chunk(collector, False, 0, Chunk("", 1, 1, some.lines))
        yield from collector.rows(some.numbers)


def take_beside(spec: DedupSpec, option: str, batches: Batches) -> Batches:
    """Groups, pairs, or pairs with an archive to BESIDE, up to the first line that fails the run. Memory: a row."""
    for some in packed(batches):
        taker, numbers = taker_of(spec, option), some.numbers
        try:
            taker.take(some.lines, begins=False)
        except LineFailed as error:
            fault = numbers[error.before : error.before + 1]
            numbers = numbers[: error.before]
            yield rows(FAULT, fault, cause=pa.array([str(error)]))
        if isinstance(taker, Members):
            yield from of_groups(taker, numbers)
        elif isinstance(taker, Neighbours):
            yield from of_pairs(taker)
        elif isinstance(taker, Archived) and len(numbers):
            yield from of_archive(taker, int(numbers[0]))


def taker_of(spec: DedupSpec, option: str) -> SideInput:
    ids = kernel.new_ids()
    if option == "--groups":
        return Members(ids)
    return Neighbours(ids, spec.least) if option == "--pairs" else Archived(ids)


def of_groups(members: Members, numbers: Index) -> Batches:
    """numbers: of the lines that are good."""
    groups = np.frombuffer(members.group, np.int64)
    member = np.flatnonzero(groups < len(numbers))
    yield rows(MEMBER, numbers[groups[member]], name=names_at(members.ids, member), place=pa.array(member))


def of_pairs(pairs: Neighbours) -> Batches:
    one, other = np.frombuffer(pairs.ends, np.int32).reshape(-1, 2).T.astype(np.int64)
    similarity = pa.array(np.frombuffer(pairs.similarity))
    names = names_at(pairs.ids, one), names_at(pairs.ids, other)
    yield rows(PAIR, one, name=names[0], other=names[1], similarity=similarity)
    every = np.arange(len(pairs.ids))
    yield rows(NAMED, every, name=names_at(pairs.ids, every))


def of_archive(archived: Archived, number: int) -> Batches:
    """number: of the first line, which distinguishes equals."""
    known, doubted = (np.flatnonzero(np.frombuffer(each, np.bool_)) for each in (archived.known, archived.doubtful))
    best, similarity = np.frombuffer(archived.best, np.int64)[known], np.frombuffer(archived.similarity)[known]
    names = names_at(archived.ids, known), names_at(archived.archive, best)
    numbers = np.full(len(known), number)
    yield rows(KNOWN, numbers, name=names[0], other=names[1], similarity=pa.array(similarity))
    yield rows(DOUBTED, doubted, name=names_at(archived.ids, doubted))


def rows(what: int, number: Index, **more: pa.Array) -> pa.RecordBatch:
    """Rows of BESIDE; columns that are not given are null."""
    kind = np.full(len(number), what, np.int32)
    given = {"what": pa.array(kind), "number": pa.array(number.astype(np.int64)), **more}
    return batch_of(BESIDE, [given.get(field.name, pa.nulls(len(number), field.type)) for field in BESIDE])
