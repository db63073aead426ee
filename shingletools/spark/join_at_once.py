"""simjoin on a cluster, for so few signatures that one task joins them as the shell does."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import orjson
import pyarrow as pa

from shingletools.commands.simgroup.grouping import Groups
from shingletools.commands.simgroup.spec import GroupSpec
from shingletools.commands.simjoin.against import Against
from shingletools.commands.simjoin.comparable import Comparable
from shingletools.commands.simjoin.join_collector import JoinCollector
from shingletools.commands.simjoin.signatures import SIGNATURES
from shingletools.commands.simjoin.spec import JoinSpec
from shingletools.commands.simjoin.wanted import Wanted
from shingletools.kernel.ids import SignedLines, split
from shingletools.record.stage import Written
from shingletools.spark.archives import PinnedArchive, against
from shingletools.spark.batches import Batches, of_rows
from shingletools.spark.filtered_lines import REJECTED
from shingletools.spark.group_at_once import figures
from shingletools.spark.mentions import FAULT, PairNames
from shingletools.spark.parts import PART_BYTES, PARTS
from shingletools.spark.room import BASE, emptied
from shingletools.spark.signed import Mark, Reading, SignedDocuments
from shingletools.spark.tally import Tally, Telling
from shingletools.system import errors
from shingletools.system.errors import Failed

# Lines of pairs; or, one in a row, documents whose ids were used before: cause and number
FOUND = pa.schema([*PARTS, *REJECTED])
# Figures: documents whose ids were used before, documents joined, parts of lines; and that the run fails, for the cause
# in a row with FAULT
AGAIN, JOINED, MADE, FAULTS = "again", "joined", "parts", "faults"
DOCUMENT = 128  # bytes for each document
ASKING = 64 << 20  # bytes for blocks of archives, which stay on disk
SETS, COUNTED = 4, 7  # memory in multiples of the bytes of sets, and of sets that are counted


def memory(mark: Mark, wanted: Wanted, signatures: int, ids: int, documents: int) -> int:
    """About how many bytes a process takes to join these documents. signatures, ids: their bytes.

    For a million sketches of 336 bytes it gives 570 MB; measured were 594.
    """
    sets = COUNTED if wanted.agreeing is not None else SETS
    times = 1 if SIGNATURES[mark.kind].fixed(mark.size) else sets
    return BASE + signatures * times + ids + documents * DOCUMENT


@dataclass(frozen=True)
class JoiningAtOnce:
    """All rows of SIGNED that are not rejected, and have one mark, to FOUND."""

    reading: Reading
    stage: JoinSpec
    mark: Mark
    sides: Sequence[int]  # the first number of each side after the first
    step: int
    tally: Tally
    then: GroupSpec | None = None
    archives: Sequence[PinnedArchive] = ()

    def __call__(self, batches: Batches) -> Iterator[pa.RecordBatch]:
        runs = Telling(self.tally)
        runs.begin((runs.task,))
        runs.figures = {AGAIN: 0, JOINED: 0, MADE: 1}
        asking = against(self.stage, self.archives) if self.archives else None
        collector = JoinCollector(self.stage, against=asking)
        collector.via = self.mark.via
        collector.comparable.accept(SIGNATURES[self.mark.kind], self.mark.size, self.mark.via)
        rows = [each for each in self.reading(batches) if len(each.numbers)]
        rows.sort(key=lambda each: -int(each.numbers[0]))
        for row in emptied(rows):  # in the order of the documents
            again, joined = self.take(collector, row)
            runs.figures[AGAIN] += len(again.numbers)
            runs.figures[JOINED] += joined
            yield self.seen_before(again.numbers.tolist(), again.ids.each())
        if asking is not None:
            yield from self.asked(collector, asking, runs)
        else:
            pairs = collector.finish() if runs.figures[JOINED] else iter(())
            yield from self.parts(pairs, runs) if self.then is None else self.groups(pairs, runs, self.then)
        runs.end()

    def asked(self, collector: JoinCollector, asking: Against, runs: Telling) -> Iterator[pa.RecordBatch]:
        """The bad records of archives, then the pairs with files and archives; or why the run fails."""
        if not runs.figures[JOINED]:
            collector.comparable = Comparable(self.stage.wanted)
        try:
            asking.check(collector.comparable, collector.via)
            for number, rows in asking.repeats(collector.store):
                first = self.reading.starts[self.archives[number].key(0)]
                names = split(*asking.archives[number].ids(rows))
                runs.figures[AGAIN] += len(rows)
                yield self.seen_before((first + rows).tolist(), names)
            yield from self.parts(collector.pairs_against(asking), runs)
        except Failed as error:
            yield of_rows(FOUND, [(0, 0, None, FAULT, str(error), None)])
            runs.figures[FAULTS] = 1
        finally:
            asking.close()

    def seen_before(self, numbers: Sequence[int], names: Iterable[bytes]) -> pa.RecordBatch:
        """Documents whose ids were used before, as rejected rows."""
        causes = (errors.seen_before(orjson.loads(name)) for name in names)
        return of_rows(FOUND, [(0, number, None, self.step, cause, None)
                               for number, cause in zip(numbers, causes, strict=True)])  # fmt: skip

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
        """Takes documents of a row, all of one side. Gives those whose ids were used before, and the number joined."""
        side = bisect_right(self.sides, int(documents.numbers[0]))
        claimed = collector.claim_lines(side, as_read(documents))
        some = (claimed >= 0) & (documents.payloads[0].sizes > 0)
        joined = len(numbers := claimed[some])
        collector.store.add_lines(min(side, 1), as_read(documents.at(some)), numbers, slice(0, joined))
        collector.count(side, joined)
        return documents.at(claimed < 0), joined


def as_read(documents: SignedDocuments) -> SignedLines:
    """Documents in the form in which they are read from lines."""
    ids, payloads = documents.ids, documents.payloads
    data, sizes = ([part.tobytes() for part in column] for column in zip(*payloads, strict=True))
    return SignedLines(
        len(documents.numbers), 0, ids.data.tobytes(), ids.sizes.tobytes(), b"", b"", tuple(data), tuple(sizes)
    )
