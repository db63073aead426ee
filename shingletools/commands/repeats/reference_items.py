"""The items of a reference: records of files, in memory, or documents of an archive of passages."""

from array import array
from collections.abc import Iterator, Sequence

import numpy as np
import orjson

from shingletools import kernel
from shingletools.archive.archive_files import GRAMS
from shingletools.archive.archive_reader import Archive, open_archive
from shingletools.archive.key_lookup import SortedKeys
from shingletools.commands.repeats.spec import OWN, AgainstSpec
from shingletools.kernel import arrays
from shingletools.kernel.ids import split_ids
from shingletools.kernel.types import Index
from shingletools.kernel.winnowing import Winnowing
from shingletools.reading import option_files
from shingletools.record import wire
from shingletools.record.json_members import parse
from shingletools.record.tokenized_text import RecipeCheck, tokenized_text, words_of
from shingletools.system.errors import Failed, Rejected, printable

OPTION = "--against"
BATCH_ITEMS = 64  # items that are worked on at once


class Strings:
    """A list of bytes in little memory: those that orjson makes may take 4 KB each."""

    def __init__(self) -> None:
        self.data, self.ends = bytearray(), array("q", [0])

    def append(self, string: bytes) -> None:
        self.data += string
        self.ends.append(len(self.data))

    def of(self, rows: Index) -> Sequence[bytes]:
        return [bytes(self.data[self.ends[row] : self.ends[row + 1]]) for row in rows.tolist()]


class FileItems:
    """Items in memory, by their rows. Memory: their texts, and some bytes for each item.

    via: the recipe of their words; None if there are no items.
    """

    def __init__(self, spec: AgainstSpec, given: Iterator[bytes] | None = None) -> None:
        """Reads the files of --against; raises Failed, also for a bad record, which might hide an item."""
        texts, ids, recipes = Strings(), Strings(), RecipeCheck()
        id_field, text_field = spec.names or (spec.treatment.id_field, spec.treatment.text_field)
        for path in spec.references:
            number = 0
            for lines in option_files.read_chunks(OPTION, path, given):
                for line in kernel.split_lines(lines):
                    number += 1
                    try:
                        record = parse(line, (id_field, text_field, *OWN))
                        ids.append(orjson.dumps(wire.take_id(record, id_field)))
                        texts.append(line_of(tokenized_text(record, text_field).text))
                        recipes.check(record)
                    except (Rejected, Failed) as error:
                        raise Failed(f"{OPTION}: {printable(path)}:{number}: {error}") from None
        self.via, self.ids, self.words = recipes.before, ids, texts

    def all_rows(self) -> Iterator[Index]:
        """Yields all rows, some at a time."""
        for start in range(0, len(self), BATCH_ITEMS):
            yield np.arange(start, min(start + BATCH_ITEMS, len(self)))

    def __len__(self) -> int:
        return len(self.ids.ends) - 1

    def names(self, rows: Index) -> Sequence[bytes]:
        """Returns the ids of rows, as JSON."""
        return self.ids.of(rows)

    def texts(self, rows: Index) -> Sequence[bytes]:
        """Returns the words of rows, with single blanks between and a line feed at the end; b"" if there are none."""
        return self.words.of(rows)


class ArchiveItems:
    """Items in an archive, by their rows, as `FileItems` has them. k: the least number of words in a run."""

    def __init__(self, path: str, k: int | None) -> None:
        """Raises Failed unless the path is an archive that keeps passages of k words."""
        self.archive = open_archive(path)
        try:
            self.how, self.k = winnowing_of(self.archive, k)
        except Failed:
            self.archive.close()
            raise
        self.via = self.archive.manifest.recipe

    def all_rows(self) -> Iterator[Index]:
        for rows in self.archive.live():
            for start in range(0, len(rows), BATCH_ITEMS):
                yield rows[start : start + BATCH_ITEMS]

    def names(self, rows: Index) -> Sequence[bytes]:
        return [*split_ids(*self.archive.ids(rows))]

    def texts(self, rows: Index) -> Sequence[bytes]:
        field = self.archive.manifest.field
        try:
            return [line_of(words_of(wire.parse_json(line), field)) for line in self.archive.lines(rows)]
        except Rejected as error:
            raise Failed(f"{self.archive.name}: damaged ({error})") from None

    def with_runs_of(self, texts: bytes) -> Index:
        """Returns the rows that may share a run with some texts. Memory: a byte for each document of a segment."""
        grams = np.unique(arrays.winnow(texts, self.how)[0])
        of_segments = []
        for segment, first in zip(self.archive.segments, self.archive.firsts.tolist(), strict=False):
            has = np.zeros(segment.rows, np.bool_)
            for _, rows in SortedKeys(segment, GRAMS).meetings(grams):
                has[rows] = True
            has[segment.removed] = False
            of_segments.append(first + np.flatnonzero(has))
        return np.concatenate([np.empty(0, np.int64), *of_segments])


Items = FileItems | ArchiveItems


def winnowing_of(archive: Archive, k: int | None) -> tuple[Winnowing, int]:
    """Returns the winnowing of an archive, and the least words of a run. Raises Failed if it keeps no such passages."""
    state = archive.manifest
    if not state.passages:
        raise Failed(f"{archive.name}: the archive keeps no passages; simindex add -k makes one that does")
    how = Winnowing(*state.passages)
    if k is not None and k < how.run:
        raise Failed(f"{archive.name}: the archive was made for -k {how.run}, not for -k {k}")
    return how, k or how.run


def line_of(text: str) -> bytes:
    """Returns the words of a text, with a line feed if there are any."""
    return text.encode() + b"\n" if text else b""
