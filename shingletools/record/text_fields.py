"""Texts in several fields of a record that are taken as one text, and counts of the records that have each."""

from collections.abc import Mapping, Sequence

from shingletools.record import wire
from shingletools.record.wire import Record
from shingletools.system.errors import shown


class TextFields:
    """The fields of `canon --text NAME,...`.

    >>> texts = TextFields(["a", "b"])
    >>> texts.count({"a": "A"})
    >>> texts.tally()
    {'with "a"': 1, 'with "b"': 0}
    >>> texts.remarks({'with "a"': 1, 'with "b"': 0}, 1)
    ['no good record has field "b"']
    """

    def __init__(self, fields: Sequence[str]) -> None:
        self.fields = tuple(fields)
        self.counts = bytearray(8 * len(fields))  # good records with each field, int64: see splice.h

    def count(self, record: Record) -> None:
        """Counts the fields that the record has."""
        with memoryview(self.counts).cast("q") as counts:
            for place, field in enumerate(self.fields):
                counts[place] += wire.find(record, field) is not wire.MISSING

    def tally(self) -> Mapping[str, int]:
        """Returns the counts since the last call, by description."""
        with memoryview(self.counts).cast("q") as counts:
            counted = dict(zip(map(count_name, self.fields), counts, strict=True))
        self.counts[:] = bytes(len(self.counts))
        return counted

    def remarks(self, counted: Mapping[str, int], records: int) -> Sequence[str]:
        """Returns a message for each field that no good record has, since its name may be mistyped."""
        unseen = [field for field in self.fields if records and not counted.get(count_name(field))]
        return [f"no good record has field {shown(field)}" for field in unseen]


def count_name(field: str) -> str:
    """Returns how -v describes the count of records with a field."""
    return f"with {shown(field)}"
