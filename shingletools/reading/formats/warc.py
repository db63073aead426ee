"""The pages of HTML in WARC files, and the texts that are made of pages (WET)."""

from collections import Counter
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass

import blake3
import numpy as np
import orjson

from shingletools.kernel import arrays as kernel
from shingletools.reading import streams
from shingletools.reading.formats.http_pages import is_page, text_of
from shingletools.reading.formats.warc_records import DOCUMENTS, PLAIN_TEXT, WarcRecord, WarcRecords
from shingletools.record import wire
from shingletools.record.document_format import Decision, Decisions, Document, FileDocuments, Format, KeptAndRemoved
from shingletools.record.error_hints import file_start_hint
from shingletools.system.errors import Failed, Rejected, printable, shown_place
from shingletools.system.interruptible_reads import READ_BYTES


@dataclass(frozen=True)
class Warc(Format):
    """Files of WARC, plain or compressed.

    The ids of pages are their addresses, with the date if an address comes again.
    """

    id_field: str
    text_field: str
    option = "--warc"

    def read(self, files: Sequence[str], /) -> Generator[FileDocuments]:
        number, addresses = 1, Addresses()
        for name in files:
            with closing(streams.read_raw(name)) as blocks:
                for portion in responses(name, WarcRecords(blocks, name), addresses):
                    portion.fields = self.id_field, self.text_field
                    portion.number = number
                    yield portion
                    number += len(portion.found)

    def write(self, files: Sequence[str], decisions: Decisions, /) -> Iterator[KeptAndRemoved]:
        """Writes the stored bytes of the files, one after the other, without the pages that are removed.

        Raises Failed for a page that is removed, but is compressed together with its neighbours.
        """
        for name in files:
            with closing(streams.read_raw(name)) as blocks:
                file = Forward(blocks)
                for page, decision in self.pages(name, decisions):
                    if decision.kept:
                        continue
                    if -1 in (page.start, page.end):
                        cause = "compressed as a whole, not record by record: decompress it first"
                        raise Failed(f"{printable(name)}: {cause}")
                    for data in file.until(page.start):
                        yield data, b""
                    for data in file.until(page.end):
                        yield b"", data if decision.kept is not None else b""
                for data in file.until(None):
                    yield data, b""

    def pages(self, name: str, decisions: Decisions) -> Iterator[tuple[WarcRecord, Decision]]:
        """Yields the records of a file that are documents, and the decisions on them. Raises Failed."""
        for portion in self.read([name]):
            assert isinstance(portion, Responses)
            yield from zip(portion.found, decisions.take(len(portion.found)), strict=True)


class Forward:
    """Reads the bytes of a file up to given places."""

    def __init__(self, blocks: Iterator[bytes]) -> None:
        self.blocks = blocks
        self.data = b""  # read ahead
        self.at = 0  # bytes that were yielded

    def until(self, end: int | None) -> Iterator[bytes]:
        """Yields the bytes up to a place, or all."""
        while end is None or self.at < end:
            self.data = self.data or next(self.blocks, b"")
            if not self.data:
                return
            some = self.data if end is None else self.data[: end - self.at]
            self.data = self.data[len(some) :]
            self.at += len(some)
            yield some


class Addresses:
    """The addresses that have come, as hashes."""

    def __init__(self) -> None:
        self.hashes = kernel.new_ids()

    def name(self, record: WarcRecord) -> str:
        """Returns the id of a record."""
        known, digest = len(self.hashes), blake3.blake3(record.name.encode()).digest(8)
        self.hashes.number(digest, np.array([len(digest)]))
        return record.name if known < len(self.hashes) else f"{record.name} {record.date}".rstrip()


class Responses(FileDocuments):
    """Some responses with pages, or some texts; and bad records."""

    fields = "id", "text"

    def __init__(self, name: str, plain: bool) -> None:
        self.name, self.number, self.size, self.plain = name, 0, 0, plain
        self.found: list[WarcRecord] = []
        self.counted: Counter[str] = Counter()

    def unnumbered(self) -> Iterator[Document]:
        id_field, text_field = self.fields
        for each in self.found:
            try:
                if each.cause:
                    raise Rejected(each.cause)
                text = wire.decode(each.block) if self.plain else text_of(each.block)
                record = orjson.dumps({id_field: each.name, text_field: text})
            except Rejected as error:
                yield Document(each.block, each.number, cause=str(error))
            else:
                yield Document(each.block, each.number, record)


def responses(name: str, records: WarcRecords, addresses: Addresses) -> Iterator[Responses]:
    """Yields a file's pages or texts and bad records, some together. Raises Failed."""
    some, before, held = Responses(name, False), 0, 0
    try:
        for record in records:
            plain = some.plain if record.cause else record.kind == PLAIN_TEXT
            if held >= READ_BYTES or (some.found and plain != some.plain):
                some.size, before, held = records.taken - before, records.taken, 0
                yield some
                some = Responses(name, plain)
            if record.cause:
                some.found.append(record)
            elif record.kind not in DOCUMENTS:
                some.counted[f"{record.kind} records left out"] += 1
            elif not plain and not is_page(record.block):
                some.counted["responses without a page left out"] += 1
            else:
                some.plain = plain
                some.found.append(record._replace(name=addresses.name(record)))
            held += len(record.block)
    except Failed:
        yield some
        raise
    except OSError:
        yield some
        hint = "" if records.number else file_start_hint(records.head, "--warc")
        raise Failed(f"{shown_place(name, records.number + 1)}: not WARC, or damaged{hint}") from None
    some.size = records.taken - before
    yield some
