"""Marks what stands in a reference: as a filter, or as a collector that tells of each item, too."""

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from functools import partial

import blake3
import numpy as np
import orjson

from shingletools.commands.repeats.item_records import LISTED, ItemsFound
from shingletools.commands.repeats.item_texts import OPTION, Reference, read_reference
from shingletools.commands.repeats.marking import Marking
from shingletools.commands.repeats.meetings import ItemMatch, by_item, meetings, words_found
from shingletools.commands.repeats.run_spans import joined
from shingletools.commands.repeats.spec import AgainstSpec
from shingletools.record import wire
from shingletools.record.collector import Collector, Written
from shingletools.record.json_members import parse
from shingletools.record.stage import Filter
from shingletools.record.wire import Record
from shingletools.running.worded import check_recipe, worded


class Matcher:
    """Takes documents one by one, and writes them."""

    def __init__(self, spec: AgainstSpec, reference: Reference) -> None:
        self.spec, self.reference = spec, reference
        self.marking = Marking(spec.treatment)

    def take(self, record: Record, line: bytes) -> tuple[Written, Mapping[int, Sequence[ItemMatch]]]:
        """What comes of a document, and what it has of each item. Raises Rejected."""
        wire.take_id(record, self.spec.treatment.id_field)
        text = worded(record, self.spec.treatment.text_field)
        check_recipe(record, self.reference.via, OPTION)
        self.marking.counted["words"] += text.number
        items = by_item(meetings(self.reference, text))
        if (share := self.spec.share) is not None:
            sizes = self.reference.sizes
            items = {item: some for item, some in items.items() if words_found(some) >= share * int(sizes[item])}
        if not items:
            return self.marking.pass_on(line), items
        spans = {(each.here, each.here + each.words) for some in items.values() for each in some}
        runs = joined(spans, self.reference.k)
        of_runs: list[dict[int, None]] = [{} for _ in runs]
        firsts = [first for first, _ in runs]
        for item, some in items.items():
            for each in some:
                of_runs[bisect_right(firsts, each.here) - 1][item] = None  # no run is in another
        return self.marking.write(line, record, text, runs, [self.mark(list(mine)) for mine in of_runs]), items

    def mark(self, items: Sequence[int]) -> Mapping[str, object]:
        """Which items a run is from: the first ones, and how many there are."""
        return {"ids": [orjson.loads(self.reference.names[item]) for item in items[:LISTED]], "items": len(items)}


class MatchLines:
    """Makes a document's line. It can be pickled for worker processes."""

    carried: Sequence[str] = ()

    def __init__(self, matcher: Matcher) -> None:
        self.matcher = matcher

    @property
    def key(self) -> Sequence[object]:
        spec, reference = self.matcher.spec, self.matcher.reference
        how = spec.k, spec.least, spec.share, spec.treatment.cut, spec.treatment.drop, reference.via
        return [*map(str, how), blake3.blake3(b"\n".join([*reference.names, reference.texts])).hexdigest()]

    def summary(self, lines: int, /) -> list[str]:
        return [f"{lines} documents written"]

    def __call__(self, _id_field: str, line: bytes, /) -> bytes:
        return self.matcher.take(parse(line, self.matcher.spec.once()), line)[0].output


def matcher_of(spec: AgainstSpec, given: Iterator[bytes] | None = None) -> Matcher:
    """Reads the reference. Raises Failed."""
    return Matcher(spec, read_reference(spec, given))


def filter_of(spec: AgainstSpec) -> Filter:
    """The filter for documents that stand alone. Raises Failed."""
    matcher = matcher_of(spec)
    field = spec.treatment.text_field
    return Filter(
        field, field, "", str, lines=MatchLines(matcher), reads=spec.references, tally=matcher.marking.tally,
        remarks=partial(remarks, matcher.reference),
    )  # fmt: skip


class AgainstItems(Collector):
    """The same in one process, which also keeps what goes, or tells of each item. Memory: the reference's."""

    def __init__(self, spec: AgainstSpec, given: Iterator[bytes] | None) -> None:
        self.matcher = matcher_of(spec, given)
        self.tells = spec.items is not None
        self.found = ItemsFound(self.matcher.reference)

    def take(self, record: Record, line: bytes, _side: int, /) -> Written:
        written, items = self.matcher.take(record, line)
        if self.tells:
            name = wire.take_id(record, self.matcher.spec.treatment.id_field)
            for item, some in items.items():
                self.found.add(name, item, some)
            return Written(written.output)
        return written

    def finish(self) -> Iterator[Written]:
        if self.tells:
            for lines in wire.batches(self.found.lines()):
                yield Written(b"", lines)

    def remarks(self) -> Sequence[str]:
        return remarks(self.matcher.reference)

    def summary(self) -> list[str]:
        return self.matcher.marking.figures()


def remarks(reference: Reference, *_: object) -> Sequence[str]:
    """What to say of items that are too short to be looked for."""
    few = int(np.count_nonzero(reference.sizes < reference.least))
    return [f"--against: items of fewer than {reference.least} words are not looked for: {few}"] if few else []
