"""simjoin on a cluster, of so few signatures that one task joins them as the shell does: nothing is exchanged."""

import ctypes
from collections.abc import Iterator
from dataclasses import dataclass

import orjson
import pyarrow as pa
from pyspark import SparkContext

from shingletools import errors
from shingletools.kernel.ids import SignedLines
from shingletools.simgroup.groups import Groups
from shingletools.simgroup.spec import GroupSpec
from shingletools.simjoin.collector import JoinCollector
from shingletools.simjoin.signatures import SIGNATURES
from shingletools.simjoin.spec import JoinSpec
from shingletools.simjoin.wanted import Wanted
from shingletools.spark.batches import Batches, of_rows
from shingletools.spark.group_at_once import figures
from shingletools.spark.lines import REJECTED
from shingletools.spark.mentions import PairNames
from shingletools.spark.parts import PART_BYTES, PARTS
from shingletools.spark.signed import Mark, Reading, SignedDocuments
from shingletools.spark.tally import Tally, Telling
from shingletools.stage import Written

# Lines of pairs; or, in a row each, why a document is rejected whose id was seen before, and its number
FOUND = pa.schema([*PARTS, *REJECTED])
AGAIN, JOINED, MADE = "again", "joined", "parts"  # told: how many were seen before, were joined, and parts of lines
ROWS = 32  # some 30 MB, behind which memory is given back
BASE, DOCUMENT = 100 << 20, 128  # bytes of Python, and for each document
SETS, COUNTED = 4, 7  # how often the bytes of sets are in memory, and of those that are counted
HERE, ELSEWHERE = 1 << 30, 1 << 29  # that may be taken where Spark is this machine; by a worker of a cluster


def room(context: SparkContext, asked: int | None) -> int:
    """Bytes of memory that one task may take: what was asked for, or what a worker may have."""
    if asked is not None:
        return asked
    return HERE if f"{context.master}".startswith("local") else ELSEWHERE


def memory(mark: Mark, wanted: Wanted, signatures: int, ids: int, documents: int) -> int:
    """Bytes of the process that joins so many, about, whose signatures and ids have so many bytes.

    A million sketches of 336 bytes: reckoned 570 MB, measured 594.
    """
    sets = COUNTED if wanted.agreeing is not None else SETS
    times = 1 if SIGNATURES[mark.kind].fixed(mark.size) else sets
    return BASE + signatures * times + ids + documents * DOCUMENT


@dataclass(frozen=True)
class JoiningAtOnce:
    """All rows of SIGNED that are not rejected, which have one mark, to FOUND."""

    reading: Reading
    stage: JoinSpec
    mark: Mark
    cross: int | None
    step: int
    tally: Tally
    then: GroupSpec | None = None

    def __call__(self, batches: Batches) -> Iterator[pa.RecordBatch]:
        runs = Telling(self.tally)
        runs.begin((runs.task,))
        runs.figures = {AGAIN: 0, JOINED: 0, MADE: 1}
        collector = JoinCollector(self.stage)
        collector.comparable.accept(SIGNATURES[self.mark.kind], self.mark.size, self.mark.via)
        rows = [each for each in self.reading(batches) if len(each.numbers)]
        rows.sort(key=lambda each: -int(each.numbers[0]))
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # glibc keeps what was freed in between
        while rows:  # from the first document on; each row goes as soon as it is taken
            if trim is not None and not len(rows) % ROWS:
                trim(0)
            again, joined = self.take(collector, rows.pop())
            runs.figures[AGAIN] += len(again.numbers)
            runs.figures[JOINED] += joined
            causes = (errors.seen_before(orjson.loads(name)) for name in again.ids.each())
            yield of_rows(FOUND, [(0, number, None, self.step, cause, None)
                                  for number, cause in zip(again.numbers.tolist(), causes, strict=True)])  # fmt: skip
        pairs = collector.finish() if runs.figures[JOINED] else iter(())
        yield from self.parts(pairs, runs) if self.then is None else self.groups(pairs, runs, self.then)
        runs.end()

    def parts(self, lines: Iterator[Written], runs: Telling) -> Iterator[pa.RecordBatch]:
        size = 0
        for number, written in enumerate(lines):
            yield of_rows(FOUND, [(size // PART_BYTES, number, written.output, 0, None, None)])
            size += len(written.output)
        runs.figures[MADE] += size // PART_BYTES

    def groups(self, lines: Iterator[Written], runs: Telling, spec: GroupSpec) -> Iterator[pa.RecordBatch]:
        collector, take = Groups(spec), PairNames(spec.least, spec.once(0))
        for written in lines:
            named = take(written.output).named
            collector.take_ids(named.names, named.sizes, 0)
        yield from self.parts(collector.finish(), runs)
        runs.figures |= figures(collector)

    def take(self, collector: JoinCollector, documents: SignedDocuments) -> tuple[SignedDocuments, int]:
        """Takes those of a row, which are of one side: those that were seen before, and how many are joined."""
        side = int(self.cross is not None and int(documents.numbers[0]) >= self.cross)
        claimed = collector.store.claim_lines(side, as_read(documents))
        some = (claimed >= 0) & (documents.payloads[0].sizes > 0)
        joined = len(numbers := claimed[some])
        collector.store.add_lines(side, as_read(documents.at(some)), numbers, slice(0, joined))
        collector.first_side += 0 if side else joined
        return documents.at(claimed < 0), joined


def as_read(documents: SignedDocuments) -> SignedLines:
    """As if they had been read of lines."""
    ids, payloads = documents.ids, documents.payloads
    data, sizes = ([part.tobytes() for part in column] for column in zip(*payloads, strict=True))
    return SignedLines(
        len(documents.numbers), 0, ids.data.tobytes(), ids.sizes.tobytes(), b"", tuple(data), tuple(sizes)
    )
