"""Responses in WARC files that are HTML: web pages as crawlers keep them."""

import codecs
import math
from collections import Counter
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from itertools import chain
from typing import Any, NamedTuple

import orjson

from shingletools.reading import compressed, streams
from shingletools.reading.compressed import HEAD
from shingletools.record.framing import Both, Document, Fate, Fates, Framed
from shingletools.record.hints import of_start
from shingletools.record.versions import made_with
from shingletools.system.deferred import needs
from shingletools.system.errors import Failed, Rejected, printable, shown_place
from shingletools.system.waiting import BLOCK

warc = needs("--warc", "fastwarc.warc", "warc")
encoding = needs("--warc", "resiliparse.parse.encoding", "warc")

HTML = frozenset({"text/html", "application/xhtml+xml"})
GOOD = range(200, 300)  # statuses of HTTP
LONGEST = 1 << 26  # bytes of a response, packed and unpacked
PIECE = 1 << 16
DIGITS = 18  # of a length: a greater one is of no record, and int() raises ValueError for thousands of digits
KNOWN = ("gzip", "zstd")  # formats that FastWARC decompresses, as it does lz4
BOMS = (codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be")


class Warc(NamedTuple):
    """Files of WARC, plain or compressed, whose pages have their addresses as ids."""

    id_field: str
    text_field: str

    @property
    def option(self) -> str:
        return "--warc"

    def read(self, files: Sequence[str], /) -> Generator[Framed]:
        number = 1
        for name in files:
            with closing(streams.read_raw(name)) as blocks:
                for portion in responses(name, Bytes(blocks, printable(name))):
                    portion.fields = self.id_field, self.text_field
                    portion.number = number
                    yield portion
                    number += len(portion.found)

    def write(self, files: Sequence[str], fates: Fates, /) -> Iterator[Both]:
        """The files, one after the other, without the bytes of responses that are removed. Raises Failed."""
        from shingletools.reading.formats.kept_ranges import kept_ranges  # which canon does not need

        for name in files:
            yield from kept_ranges(name, self.ranges(name, fates), KNOWN)

    def ranges(self, name: str, fates: Fates) -> Iterator[tuple[int, int | None, Fate]]:
        """Where the pages of a file begin and end, and what becomes of each. Raises Failed."""
        for portion in self.read([name]):
            assert isinstance(portion, Responses)
            pages = [document.line for document in portion.documents()]
            found = {each.record: each for each in portion.found}
            for record, fate in zip(pages, fates.take(len(pages)), strict=True):
                response = found[record or 0]
                yield response.start, response.end, fate


class Bytes:
    """Blocks as a file that FastWARC reads."""

    def __init__(self, blocks: Iterator[bytes], where: str = "") -> None:
        self.taken = 0  # bytes of the file
        raw, self.start = self.counted(blocks), b""
        while len(self.start) < HEAD and (block := next(raw, b"")):
            self.start += block
        self.cut: Failed | None = None  # what is said of a file that ended within a member of gzip
        self.blocks = self.watched(unpacked(self.start, raw, where), where)
        self.block = b""
        self.at = 0  # in all that was read

    def counted(self, blocks: Iterator[bytes]) -> Iterator[bytes]:
        for block in blocks:
            self.taken += len(block)
            yield block

    def watched(self, blocks: Iterator[bytes], where: str) -> Iterator[bytes]:
        """Blocks as they are. That gzip data end too early is found here, for FastWARC takes them as whole; it tells
        other faults itself, with their place.
        """
        codec = compressed.recognised(self.start)
        if codec is None or codec.name != "gzip":
            yield from blocks
            return
        from shingletools.reading.decompression import STEP, Concatenated  # which plain files do without

        parts, sound = Concatenated(codec, where), True
        for block in blocks:
            try:
                for at in range(0, len(block) if sound else 0, STEP):
                    for _ in parts.feed(block[at : at + STEP]):
                        pass
            except Failed:
                sound = False
            yield block
        try:
            if sound:
                parts.end()
        except Failed as error:
            self.cut = error

    def check(self) -> None:
        """Raises Failed if the file ended too early."""
        if self.cut is not None:
            raise self.cut

    def read(self, size: int = -1) -> bytes:
        """Raises Failed."""
        if not self.block:
            self.block = next(self.blocks, b"")
        some, self.block = (self.block, b"") if size < 0 else (self.block[:size], self.block[size:])
        self.at += len(some)
        return some

    def tell(self) -> int:
        return self.at


def unpacked(start: bytes, blocks: Iterator[bytes], where: str) -> Iterator[bytes]:
    """The blocks of a file, decompressed if FastWARC does not know the format; they raise Failed, which begins with
    `where`.
    """
    codec = compressed.recognised(start)
    every = chain((start,), blocks)
    return compressed.plain(every, where, "nothing") if codec is not None and codec.name not in KNOWN else every


def charsets() -> str:
    """What a recipe says of the characters, which resiliparse finds where neither mark nor server says them."""
    return made_with("charset", "resiliparse")


class Response(NamedTuple):
    """A record of a response."""

    record: int  # its number in the file, from 1
    name: str
    block: bytes  # HTTP's header, and what it came with
    cause: str = ""
    start: int = 0  # in the file, as it is stored
    end: int | None = None  # where the next record begins, None behind the last one


class Responses(Framed):
    """Some of them; which are pages, a worker finds out."""

    fields = "id", "text"

    def __init__(self, name: str) -> None:
        self.name, self.number, self.size = name, 0, 0
        self.found: list[Response] = []
        self.counted: Counter[str] = Counter()

    def documents(self) -> Iterator[Document]:
        id_field, text_field = self.fields
        for each in self.found:
            try:
                if each.cause:
                    raise Rejected(each.cause)
                text = text_of(each.block)
                if text is None:
                    self.counted["responses without a page left out"] += 1
                    continue
                record = orjson.dumps({id_field: each.name, text_field: text})
            except Rejected as error:
                yield Document(each.block, each.record, cause=str(error))
            else:
                yield Document(each.block, each.record, record)


def responses(name: str, file: Bytes) -> Iterator[Responses]:
    """A file's responses, some together. Raises Failed."""
    some, before, held, number = Responses(name), 0, 0, 0
    try:
        for number, record in enumerate(warc.ArchiveIterator(file, parse_http=False), 1):
            start = record.stream_pos
            if some.found and some.found[-1].end is None:
                some.found[-1] = some.found[-1]._replace(end=start)
            if held >= BLOCK:
                some.size, before, held = file.taken - before, file.taken, 0
                yield some
                some = Responses(name)
            kind = str(record.record_type)
            block, size = drained(record, LONGEST if kind == "response" else 0)
            cause = ""
            if size < length_of(record):
                file.check()
                cause = "the record is cut short"
            elif len(block) < size and kind == "response":
                cause = f"a response of more than {LONGEST} bytes"
            if not cause and kind != "response":
                some.counted[f"{kind} records left out"] += 1
                continue
            address = (record.headers.get("WARC-Target-URI") or record.record_id or "").strip("<>")
            cause = cause if address or cause else "no WARC-Target-URI"
            some.found.append(Response(number, address, block, cause, start))
            held += len(block)
        file.check()
    except Failed:
        yield some
        raise
    except OSError:
        yield some
        file.check()
        hint = "" if number else of_start(file.start, "--warc")
        raise Failed(f"{shown_place(name, number + 1)}: not WARC, or damaged{hint}") from None
    some.size = file.taken - before
    yield some


def length_of(record: Any) -> float:
    """The bytes that a record says it has; infinitely many if it says no number that one can have."""
    length = record.headers.get("Content-Length")
    if length is None or not length.isdecimal():
        return math.inf
    digits = length.lstrip("0")
    return math.inf if len(digits) > DIGITS else int(digits or "0")


def drained(record: Any, most: int) -> tuple[bytes, int]:
    """At most so many bytes of a record, and how many it has."""
    pieces, size = [], 0
    while piece := record.reader.read(PIECE):
        if size < most:
            pieces.append(piece[: most - size])
        size += len(piece)
    return b"".join(pieces), size


def text_of(block: bytes) -> str | None:
    """The HTML of a response of HTTP, None if it is none; raises Rejected."""
    record = warc.WarcRecord()
    record.set_bytes_content(block)
    record.is_http = True
    try:
        record.parse_http(auto_decode="all")
        if record.http_headers is None or record.http_headers.status_code not in GOOD:
            return None
        if (record.http_content_type or "").lower() not in HTML:
            return None
        body = record.reader.read(LONGEST + 1)
    except (OSError, ValueError):
        raise Rejected("a response that cannot be decoded") from None
    if len(body) > LONGEST:
        raise Rejected(f"a page of more than {LONGEST} bytes")
    for mark, charset in BOMS:
        if body.startswith(mark):
            return str(body[len(mark) :].decode(charset, "replace"))
    if record.http_charset:
        found = encoding.map_encoding_to_html5(record.http_charset)
    else:
        found = encoding.detect_encoding(body, from_html_meta=True)
    return str(encoding.bytes_to_str(body, found or "utf-8", errors="replace"))
