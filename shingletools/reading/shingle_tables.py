"""Tables of document frequencies and of weights of shingles. See shingletools-records(5)."""

import contextlib
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import blake3

from shingletools import kernel
from shingletools.numbers.inverse_document_frequency import UNIT
from shingletools.reading import option_files
from shingletools.record import wire
from shingletools.record.json_members import line_at, parse
from shingletools.record.wire import Record
from shingletools.system import errors
from shingletools.system.errors import Failed, Rejected, shown

MAX_DOCUMENTS = 2**63 - 1  # documents
MAX_WEIGHT = 1 << 16  # a weight
DIGITS = (8, 16)  # of a fingerprint: 32 bits (a CRC) or 64


class Header(NamedTuple):
    """The first line of a table of frequencies."""

    documents: int
    shingles: int
    min_df: int  # shingles in fewer documents were left out
    via: str

    def line(self) -> bytes:
        return wire.format_json(self._asdict())

    def check(self, recipe: str) -> None:
        """Raises Rejected unless the table was made by this stage. A table of no documents fits any stage."""
        if self.documents and self.via.split(" | ")[-1] != recipe:
            raise Rejected(f"a table of {shown(self.via)}, not of {shown(recipe)}")


def take_header(record: Record) -> Header:
    """Reads the first line of a table. Raises Rejected."""
    if "documents" not in record:
        raise Rejected("a table of frequencies begins with a line that shingle --df --header writes")
    numbers = [take_number(record, name, least) for name, least in (("documents", 0), ("shingles", 0), ("min_df", 1))]
    via = record.get("via")
    if type(via) is not str:
        raise Rejected('field "via" is not a string')
    return Header(numbers[0], numbers[1], numbers[2], via)


def take_number(record: Record, name: str, least: int, most: int = MAX_DOCUMENTS) -> int:
    """Reads a whole number in a field. Raises Rejected."""
    value = record.get(name)
    if type(value) is not int or not least <= value <= most:
        raise Rejected(f"field {shown(name)} is not a whole number from {least} to {most}")
    return value


def take_fingerprint(record: Record, digits: Sequence[int]) -> int:
    """Reads the shingle of a line. Raises Rejected unless its number of hex digits is one of `digits`."""
    shingle = wire.take_string(record, "shingle")
    data = kernel.payload_to_bytes(shingle, len(shingle)) if len(shingle) in digits else None
    if data is None:
        raise Rejected(f'field "shingle" is not a group of {" or ".join(map(str, digits))} hex digits')
    return int.from_bytes(data, "big")


def take_weight(record: Record) -> int:
    """Reads the weight of a line, in units. Raises Rejected unless it is a number from 0 to MAX_WEIGHT."""
    weight = record.get("weight")
    if not isinstance(weight, int | float) or isinstance(weight, bool) or not 0 <= weight <= MAX_WEIGHT:
        raise Rejected(f'field "weight" is not a number from 0 to {MAX_WEIGHT}')
    return round(weight * UNIT)


def cut_off(path: str, line: int, shingles: int) -> str:
    """Returns the message about a table that has fewer lines than its first line says; `line` is its last."""
    return f"{errors.printable(path)}:{line}: the table ends here; its first line says {shingles} shingles"


class TableReading:
    """Reads a table that an option names. Its methods raise Failed for a malformed table."""

    def __init__(self, option: str, path: str) -> None:
        """Raises Failed if the file cannot be read, or is empty."""
        self.path = path
        self.hash = blake3.blake3()
        self.chunks = self._chunks(option)
        self.chunk = next(self.chunks, b"")
        if not self.chunk:
            raise Failed(f"{option}: {errors.printable(path)}: the file is empty")
        self.start = 0  # of the next line in it
        self.number = 0  # of the last line that was read
        self.header: Header | None = None

    def _chunks(self, option: str) -> Iterator[bytes]:
        for chunk in option_files.read_chunks(option, self.path):
            self.hash.update(chunk)
            yield chunk

    def check(self, recipe: str) -> Header:
        """Reads the header, and checks that the table was made by this stage."""
        header = self._take_header()
        with self._naming_line():
            header.check(recipe)
        return header

    def _take_header(self) -> Header:
        line, self.start = line_at(self.chunk, 0)
        self.number = 1
        with self._naming_line():
            self.header = take_header(wire.parse_json(line))
        return self.header

    def frequencies(self, digits: int, least: int, most: int) -> tuple[bytes, bytes]:
        """Reads the fingerprints of shingles in `least` to `most` documents, and of those in more, as uint64.

        If `least` is above `most`, there are none of the former. The header must have been read.
        """
        assert self.header is not None
        between, above = bytearray(), bytearray()
        low, high = self.header.min_df, self.header.documents

        def at_once(chunk: bytes, start: int) -> tuple[int, int]:
            lines, at, rare, more = kernel.read_frequencies(chunk, start, digits, low, high, min(least, most + 1), most)
            between.extend(rare if least <= most else b"")
            above.extend(more)
            return lines, at

        def take(record: Record) -> None:
            fingerprint = take_fingerprint(record, (digits,)).to_bytes(8, sys.byteorder)
            df = take_number(record, "df", low, high)
            if df > most:
                above.extend(fingerprint)
            elif df >= least:
                between.extend(fingerprint)

        self._read(at_once, take)
        return bytes(between), bytes(above)

    def weights(self) -> tuple[bytes, bytes, int]:
        """Reads the fingerprints of shingles as uint64, their weights as int64, in units, and the number of digits.

        The table needs no header; all shingles must have as many digits as the first one.
        """
        with self._naming_line(1):
            has_header = "documents" in wire.parse_json(line_at(self.chunk, 0)[0])
        if has_header:
            self._take_header()
        fingerprints, weights = bytearray(), bytearray()
        digits: Sequence[int] = DIGITS

        def at_once(chunk: bytes, start: int) -> tuple[int, int]:
            if len(digits) > 1:
                return 0, start
            lines, at, shingles, units = kernel.read_weights(chunk, start, digits[0])
            fingerprints.extend(shingles)
            weights.extend(units)
            return lines, at

        def take(record: Record) -> None:
            nonlocal digits
            fingerprint, weight = take_fingerprint(record, digits), take_weight(record)
            digits = (len(record["shingle"]),)
            fingerprints.extend(fingerprint.to_bytes(8, sys.byteorder))
            weights.extend(weight.to_bytes(8, sys.byteorder))

        self._read(at_once, take, ("shingle", "weight"))
        if not weights:
            raise Failed(f"{errors.printable(self.path)}: a table without a shingle")
        return bytes(fingerprints), bytes(weights), digits[0]

    def _read(
        self, at_once: Callable[[bytes, int], tuple[int, int]], take: Callable[[Record], None], once: Sequence[str] = ()
    ) -> None:
        """Reads all other lines: ordinary ones at once by the kernel, each other one by the definition."""
        last = MAX_DOCUMENTS if self.header is None else self.header.shingles + 1
        while self.chunk:
            while self.start < len(self.chunk):
                lines, self.start = at_once(self.chunk, self.start)
                self.number = min(self.number + lines, last + 1)
                if self.start < len(self.chunk) and self.number <= last:
                    line, self.start = line_at(self.chunk, self.start)
                    self.number += 1
                    if self.number <= last:
                        with self._naming_line():
                            take(parse(line, once))
                if self.number > last:
                    raise self._failed(f"one line more than the {last - 1} that the first line says")
            self.chunk, self.start = next(self.chunks, b""), 0
        if self.header is not None and self.number < last:
            raise Failed(cut_off(self.path, self.number, self.header.shingles))

    @contextlib.contextmanager
    def _naming_line(self, line: int | None = None) -> Iterator[None]:
        """Turns a Rejected inside into a Failed that names the line."""
        try:
            yield
        except Rejected as error:
            raise self._failed(error, line) from None

    def _failed(self, cause: object, line: int | None = None) -> Failed:
        return Failed(f"{errors.printable(self.path)}:{line or self.number}: {cause}")

    def label(self) -> str:
        """Returns the name of the table in recipes, after it was read."""
        return wire.hash_label(self.path, self.hash.hexdigest())
