"""Filters through which lines go in memory, with what becomes of them by each filter."""

from collections.abc import Sequence

from shingletools import kernel
from shingletools.reading.streams import Chunk, Span
from shingletools.record.chain import Chain, Rejection, end_of_lines
from shingletools.record.collector import Written
from shingletools.record.framing import Framed
from shingletools.record.record_batch import RecordBatch, SignatureSchema
from shingletools.running.outcomes import BadRecord, FilterStep, Outcome

Made = bytes | list[bytes | RecordBatch]


class Fused:
    """Filters that make a line of one."""

    def __init__(self, filters: Sequence[FilterStep]) -> None:
        self.filters = filters
        self.chain = Chain([(stage, id_field) for stage, id_field, _ in filters])

    def __call__(self, piece: Chunk | Span | Framed, wanted: SignatureSchema | None) -> list[Outcome]:
        """The outcomes of lines by each filter, up to the first line that is bad to a strict one.

        The last has the lines that are made, or, if some are wanted, signatures in place of lines that have such. Each
        filter has the lines that those before it let pass, and their numbers are of these, as they are in the shell.
        """
        assert not isinstance(piece, Framed)  # whose filter stands alone
        start, chunk = (piece.start, piece.chunk()) if isinstance(piece, Span) else (None, piece)
        made, rejections, count = self.work(chunk.data, wanted)
        outcomes: list[Outcome] = []
        for step, (stage, *_) in enumerate(self.filters, 1):
            name, line = ("-", 1) if outcomes else (chunk.name, chunk.line)
            bad = numbered(rejections, step, name, line)
            counted = {} if stage.tally is None else stage.tally()
            size, begins = (0, None) if outcomes else (chunk.size, start)
            good = count - len(bad)
            outcomes.append(Outcome(size, begins, count, good, bad, Written(), counted=counted, file=name))
            count = good
        last = outcomes[-1]
        outcomes[-1] = last._replace(written=Written(made)) if isinstance(made, bytes) else last._replace(signed=made)
        return outcomes

    def work(self, data: bytes, wanted: SignatureSchema | None) -> tuple[Made, list[Rejection], int]:
        """What the filters make of lines, what they reject, and how many lines they were given."""
        made, rejections = self.chained(data, wanted)
        stop = next((each for each in rejections if self.filters[each.step - 1][2]), None)
        if stop is None:
            return made, rejections, kernel.count_lines(data)
        made, rejections = self.chained(data[: end_of_lines(data, 0, stop.place)], wanted)
        return made, [*rejections, stop], stop.place + 1

    def chained(self, data: bytes, wanted: SignatureSchema | None) -> tuple[Made, list[Rejection]]:
        return self.chain.work(data) if wanted is None else self.chain.signed(data, wanted)


def numbered(rejections: Sequence[Rejection], step: int, name: str, line: int) -> list[BadRecord]:
    """The lines that a filter rejects, with their numbers among those that the filters before it let pass."""
    gone, bad = 0, list[BadRecord]()
    for each in rejections:
        if each.step == step:
            bad.append((name, line + each.place - gone, each.cause, each.line))
        gone += each.step < step
    return bad
