"""dedup on a cluster, for more documents than one task can choose among.

The lines stay where they are, unless there are too many decisions to send to all tasks.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import orjson
import pyarrow as pa
from pyspark.sql import DataFrame, Observation
from pyspark.sql import functions as F

from shingletools.commands.dedup.marks import mark
from shingletools.commands.dedup.spec import DedupSpec, in_two_groups
from shingletools.commands.dedup.values import OTHER, common
from shingletools.kernel.types import Index
from shingletools.record import wire
from shingletools.spark.batches import Batches, packed, through, total, union
from shingletools.spark.choices import (
    MET,
    TAKEN,
    MeetGroups,
    TakeDocuments,
    TakeKnown,
    TakeMembers,
)
from shingletools.spark.decided import Cut, DecidedBlock, Decisions
from shingletools.spark.exchange import together
from shingletools.spark.mentions import Ranked
from shingletools.spark.packed_names import BAD, StepInput, in_units, numbers_of, rows_of, units_of
from shingletools.spark.settled import DECIDED, Choose, LeftOut, Merge
from shingletools.system.errors import Failed, seen_before

PART = 1 << 26  # bytes of documents that are brought together
FEW = 1 << 25  # bytes of decisions that are sent to all machines
LINES = pa.schema([("part", pa.int64()), ("number", pa.int64()), ("numbers", pa.binary()), ("lines", pa.binary())])


class Deduplicated(NamedTuple):
    """The documents that stay, and those that go, as lines with their numbers; and figures of -v."""

    lines: DataFrame
    removed: DataFrame | None
    rejects: Sequence[DataFrame]
    figures: Sequence[str]
    unlike: bool  # whether it is in doubt how values are to be compared


def blocks_of(batches: Batches) -> Iterator[DecidedBlock]:
    for batch in batches:
        for place in range(len(batch)):
            row = batch.slice(place, 1)
            (some,) = packed(iter([row]))
            yield Decisions(*(row.column(name)[0].as_py() or b"" for name in Decisions._fields)).of(some)


@dataclass(frozen=True)
class CuttingBlocks:
    """Blocks to LINES. Memory: a block."""

    starts: bytes  # the first number of each part
    cut: Cut

    def __call__(self, batches: Batches) -> Iterator[pa.RecordBatch]:
        starts = numbers_of(self.starts)
        for block in blocks_of(batches):
            some = self.cut(block)
            if len(some.numbers):
                part = int(np.searchsorted(starts, block.some.numbers[0], "right")) - 1
                yield rows_of(LINES, [{"part": part, "number": int(some.numbers[0]),
                                       "numbers": some.numbers.tobytes(), "lines": some.lines}])  # fmt: skip


@dataclass(frozen=True)
class Again:
    """Blocks to their documents whose ids were used before, as they are rejected. Memory: a block."""

    spec: DedupSpec
    step: int

    def __call__(self, batches: Batches) -> Iterator[pa.RecordBatch]:
        for block in blocks_of(batches):
            found = block.seen_before()
            rows = []
            for number, line in zip(found.numbers.tolist(), found.lines.split(b"\n")[:-1], strict=True):
                cause = seen_before(wire.take_id(wire.parse_json(line), self.spec.id_field))
                rows.append({"number": number, "step": self.step, "cause": cause, "line": line})
            yield rows_of(pa.schema(BAD), rows)


def deduplicated(given: StepInput, stage: DedupSpec) -> Deduplicated:
    """Runs dedup. The given DataFrame is computed more than once.

    Raises Failed for a line that is no group, and for a document in two groups.
    """
    frame, others, step, kept, where = given
    documents = through(frame, TakeDocuments(Ranked(stage), step), TAKEN)
    takers: dict[str, Callable[[Batches], Batches]] = {
        "--groups": TakeMembers(stage.larger_than or 1),
        "--known": TakeKnown(),
    }
    beside = zip((takers[option] for option, _ in stage.beside), others, strict=True)
    every = union([documents, *(through(other, taker, TAKEN) for taker, other in beside)])
    seen = Observation()
    taken = kept(every.observe(
        seen, total("names"), F.count("step").alias("bad"), F.sum("count").alias("documents"),
        F.min(F.when(F.col("group"), F.col("number"))).alias("wrong"),
    ))  # fmt: skip
    blocks, parts = divided(taken)
    units = units_of(seen.get["names"] or 0)
    told = Observation()
    meeting = in_units(taken, units, "ranks", "group", "known", "values", "values_sizes")
    met = kept(through(meeting, MeetGroups(blocks.tobytes(), stage.as_form), MET).observe(
        told, F.min("twice").alias("twice"), F.count("before").alias("again"), total("names"),
        F.sum("known").alias("known"), F.min("least").alias("least"), F.max("most").alias("most"),
    ))  # fmt: skip
    check(taken, met, seen.get["wrong"], told.get["twice"], where)
    left_out = (
        taken.where("step is not null")
        .select("number", F.lit(False).alias("again"))
        .unionAll(met.where("before is not null").select("before", F.lit(True)))
    )
    units = units_of(told.get["names"] or 0)
    form = common({each for each in (told.get["least"], told.get["most"]) if each is not None})
    choosing = in_units(met, units, "ranks", "groups", "values", "values_sizes")
    known = met.where("block is not null").select(*DECIDED.names)
    goes = through(choosing, Choose(blocks.tobytes(), stage, form), DECIDED).unionAll(known)
    out = through(left_out, LeftOut(blocks.tobytes()), DECIDED)
    said = Observation()
    merge = Merge(mark(b"", stage.keep)[1])
    decisions = kept(through(together(goes.unionAll(out), "block", alone=units == 1), merge, DECIDED).observe(
        said, *(total(name) for name in DECIDED.names[1:])
    ))  # fmt: skip
    sizes = {name: said.get[name] or 0 for name in DECIDED.names[1:]}
    few = decisions if sum(sizes.values()) > FEW else F.broadcast(decisions)
    together_with = frame.join(few.withColumnsRenamed({"block": "number", "numbers": "goes"}), "number", "left")

    def cut(gone: bool) -> DataFrame:
        return through(together_with, CuttingBlocks(parts.tobytes(), Cut(gone, stage)), LINES)

    rejects = []
    if seen.get["bad"]:
        rejects.append(taken.where("step is not null").select("number", "step", "cause", "line"))
    if told.get["again"]:
        rejects.append(through(together_with.where("again <> X''"), Again(stage, step), pa.schema(BAD)))
    archived, go = told.get["known"] or 0, sizes["numbers"] // 8
    stay = (seen.get["documents"] or 0) - seen.get["bad"] - told.get["again"] - go
    figures = stage.figures(stay, go - archived, archived)
    return Deduplicated(cut(False), None if stage.removed is None else cut(True), rejects, figures, form == OTHER)


def divided(taken: DataFrame) -> tuple[Index, Index]:
    """The numbers of blocks, and of the first block of each part."""
    rows = taken.where("block is not null").select("block", "bytes").orderBy("block").collect()
    blocks, sizes = (np.array([row[name] for row in rows], np.int64) for name in ("block", "bytes"))
    parts = (np.cumsum(sizes) - sizes) // PART
    return blocks, blocks[np.unique(parts, return_index=True)[1]]


def check(taken: DataFrame, met: DataFrame, wrong: int | None, twice: int | None, where: Callable[[int], str]) -> None:
    """Raises Failed for the first line that is no group, or names a document of an earlier group."""
    if wrong is not None and (twice is None or wrong < twice):
        first = taken.where((F.col("number") == wrong) & F.col("group")).first()
        assert first is not None
        raise Failed(f"{where(wrong)}: {first['cause']}")
    if twice is not None:
        first = met.where(F.col("twice") == twice).orderBy("place").first()
        assert first is not None
        raise Failed(f"{where(twice)}: {in_two_groups(orjson.loads(bytes(first['name'])))}")
