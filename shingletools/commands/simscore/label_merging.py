"""Compares the labels that two people gave to the same pairs."""

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction

import orjson

from shingletools.commands.simscore.spec import MergeSpec
from shingletools.numbers.exact_ratios import as_cell, ratio
from shingletools.record import wire
from shingletools.record.collector import RecordCollector
from shingletools.record.events import Event, Lines
from shingletools.record.labels import JUDGEMENTS, LABEL_FIELD
from shingletools.record.wire import Record
from shingletools.system.errors import Rejected, shown

Labels = dict[tuple[bytes, ...], tuple[object, Record]]  # the label and the record of each pair, by its ids


class LabelMerging(RecordCollector):
    """Takes two sides of labelled pairs; writes those with two labels. Memory: the records of both."""

    def __init__(self, spec: MergeSpec) -> None:
        self.spec = spec
        self.sides: tuple[Labels, Labels] = {}, {}
        self.said: list[str] = []

    def take_record(self, record: Record, _line: bytes, side: int, /) -> None:
        a, b, against = wire.take_pair(record)
        ends = orjson.dumps(a), orjson.dumps(b)
        key = ends if against else tuple(sorted(ends))
        if key in self.sides[side]:
            raise Rejected(f"the pair {shown(a)} {shown(b)} was seen before")
        self.sides[side][key] = category(record), record

    def finish(self) -> Iterator[Event]:
        second, first = self.sides
        both = [(first[key][0], second[key][0]) for key in first if key in second]
        same = sum(one == other for one, other in both)
        shares = [as_cell(share, False) for share in (ratio(same, len(both)), kappa(both))]
        self.said = [
            f"pairs with two labels: {len(both)}, of which {same} agree ({shares[0]}), kappa {shares[1]}; "
            f"only in {shown(self.spec.merged)}: {len(first) - len(both)}, only in the input: {len(second) - len(both)}"
        ]
        for key, (label, record) in first.items():
            if key in second and second[key][0] != label:
                labels = [each[key][1][LABEL_FIELD] for each in (first, second)]
                rest = {name: value for name, value in record.items() if name != LABEL_FIELD}
                yield Lines(wire.format_json({**rest, "labels": labels}))

    def remarks(self) -> list[str]:
        return self.said

    def summary(self) -> list[str]:
        return []


def category(record: Record) -> object:
    """Returns whether a label says that a pair's documents are the same, or another word. Raises Rejected.

    >>> category({"label": "No"}), category({"label": 1}), category({"label": "unsure"})
    (False, True, 'unsure')
    """
    value = record.get(LABEL_FIELD)
    value = value.lower() if isinstance(value, str) else value
    if not isinstance(value, str | int | float):
        raise Rejected(f'field "{LABEL_FIELD}" is missing, or neither a string nor a number')
    return JUDGEMENTS.get(value, value)


def kappa(labels: list[tuple[object, object]]) -> Fraction | None:
    """Returns the agreement beyond chance (Cohen 1960); None if chance alone would agree on all, or without labels.

    >>> kappa([(True, True)] * 20 + [(True, False)] * 5 + [(False, True)] * 10 + [(False, False)] * 15)
    Fraction(2, 5)
    """
    one, other = (Counter(side) for side in zip(*labels, strict=True)) if labels else (Counter(), Counter())
    count = len(labels)
    chance = sum(one[label] * other[label] for label in one)
    return ratio(count * sum(a == b for a, b in labels) - chance, count * count - chance)
