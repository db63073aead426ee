"""The pages of HTML in WARC files, and the texts that are made of pages (WET)."""

from collections import Counter
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from typing import NamedTuple

import blake3
import numpy as np
import orjson

from shingletools.kernel import arrays as kernel
from shingletools.reading import streams
from shingletools.reading.formats.http_pages import is_page, text_of
from shingletools.reading.formats.warc_records import DOCUMENTS, PLAIN_TEXT, WarcRecord, WarcRecords
from shingletools.record import wire
from shingletools.record.document_format import Decision, Decisions, Document, FileDocuments, KeptAndRemoved
from shingletools.record.error_hints import file_start_hint
from shingletools.system.errors import Failed, Rejected, shown_place
from shingletools.system.interruptible_reads import READ_BYTES


class Warc(NamedTuple):
    """Files of WARC, plain or compressed.

    The ids of pages are their addresses, with the date if an address comes again.
    """

    id_field: str
    text_field: str
    option: str = "--warc"

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
        """Writes the files, one after the other, without the responses that are removed. Raises Failed."""
        from shingletools.reading.formats.warc_rewriter import kept_ranges  # late: canon does not need it

        for name in files:
            yield from kept_ranges(name, self.ranges(name, decisions))

    def ranges(self, name: str, decisions: Decisions) -> Iterator[tuple[int, int | None, Decision]]:
        """Yields where each page of a file begins and ends, and its decision. Raises Failed."""
        for portion in self.read([name]):
            assert isinstance(portion, Responses)
            pages = [document.line for document in portion.documents()]
            found = {each.number: each for each in portion.found}
            for record, decision in zip(pages, decisions.take(len(pages)), strict=True):
                response = found[record or 0]
                yield response.start, response.end, decision


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

    def documents(self) -> Iterator[Document]:
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
