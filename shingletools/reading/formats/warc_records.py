"""The records of WARC files (ISO 28500), and their places in the stored file.

(FastWARC's ArchiveIterator 2.0 finds the same records in quirks_mode, but says nothing of text between records, which a
wrong Content-Length leaves there; takes gzip that is cut short for whole; ends at a head that is too long; reads a
length beyond 64 bits as 0; and of records that are compressed together, gives all but the first the place behind them,
so that others would be removed with the first. Its strict mode ends the file at the first such fault.)
"""

import re
from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any, NamedTuple

from shingletools.reading import compression_detection
from shingletools.reading.compression_detection import HEAD_BYTES
from shingletools.system.errors import Failed, printable
from shingletools.system.lazy_imports import needs

stream_io = needs("--warc", "fastwarc.stream_io", "warc")

MAX_RESPONSE_BYTES = 1 << 26  # bytes of a response
MAX_HEAD_BYTES = 1 << 15  # bytes
READ_BYTES = 1 << 16  # bytes that are read at once
HEAD_READ_BYTES = 512  # bytes of a head that are read at once
# FastWARC says only where the last member begins from which it read, so no more may be read than the blank line of four
# bytes between two records
SHORT_STEP = 4
MAX_LENGTH_DIGITS = 18  # of a length: int() raises ValueError for thousands of digits
LZ4 = b"\x04\x22\x4d\x18"
VERSION = re.compile(rb"WARC/\d\.\d+\s*")
BLANK_LINE = re.compile(rb"\n\r?\n")
FOLDED = re.compile(r"\r?\n[ \t]+")
KINDS = frozenset("warcinfo response resource request metadata revisit conversion continuation".split())
RESPONSE, PLAIN_TEXT = DOCUMENTS = "response", "text"  # a text is a conversion, as Common Crawl's WET files have them
STRAY = "what follows it is no WARC record: its Content-Length may be wrong"


class WarcRecord(NamedTuple):
    """A record of a file."""

    number: int  # in the file, from 1
    kind: str
    name: str  # its target URI, or its record id
    date: str  # empty if it has none
    block: bytes  # of a response: HTTP's head and body; or a text
    cause: str  # why it is bad
    start: int  # in the stored file; -1 within a compressed member
    end: int | None = None  # where the next record begins; None for the last one


class StoredBytes:
    """The bytes of a file, with the interface that FastWARC's decompressors need."""

    def __init__(self, blocks: Iterator[bytes]) -> None:
        self.blocks = blocks
        self.block = b""
        self.at = 0

    def read(self, size: int = -1) -> bytes:
        if not self.block:
            self.block = next(self.blocks, b"")
        some, self.block = (self.block, b"") if size < 0 else (self.block[:size], self.block[size:])
        self.at += len(some)
        return some

    def tell(self) -> int:
        return self.at


class MemberBytes:
    """The decompressed bytes of members; `start` is where the last one that was read begins."""

    def __init__(self, members: Iterator[tuple[int, bytes]]) -> None:
        self.members = members
        self.start = 0
        self.held = b""

    def read(self, size: int) -> bytes:
        while not self.held:
            found = next(self.members, None)
            if found is None:
                return b""
            self.start, self.held = found
        some, self.held = self.held[:size], self.held[size:]
        return some

    def frame_start_position(self) -> int:
        return self.start


class WarcRecords:
    """The records of a file. Iteration raises Failed or OSError for damaged data, after the records before them."""

    def __init__(self, blocks: Iterator[bytes], file: str = "") -> None:
        self.taken = 0  # bytes of the file
        self.number = 0  # of the last record
        self.stray = False  # whether there are data between the last record and the next
        raw, self.head = self.counted(blocks), b""
        while len(self.head) < HEAD_BYTES and (block := next(raw, b"")):
            self.head += block
        every = chain((self.head,), raw)
        codec = compression_detection.recognised(self.head)
        self.plain: StoredBytes | None = None
        self.inner: Any
        self.step = HEAD_READ_BYTES
        if codec is not None and codec.name != "zstd":
            from shingletools.reading.decompression import members  # late: plain files do not need it

            self.inner = MemberBytes(members(codec, every, printable(file)))
        elif codec is not None or self.head.startswith(LZ4):
            # FastWARC can read zstd with a dictionary at the beginning of the file
            self.step = SHORT_STEP
            self.inner = (stream_io.ZstdReader if codec else stream_io.Lz4Reader)(StoredBytes(every))
        else:
            self.inner = self.plain = StoredBytes(every)
        self.held = b""  # read ahead
        self.begun = 0  # where the last line, or its compressed member, is stored
        self.start = -1  # where the last record, or its compressed member, is stored

    def counted(self, blocks: Iterator[bytes]) -> Iterator[bytes]:
        for block in blocks:
            self.taken += len(block)
            yield block

    def __iter__(self) -> Iterator[WarcRecord]:
        last = None
        try:
            while (record := self.next()) is not None:
                if last is not None:
                    yield last._replace(end=record.start, cause=last.cause or STRAY * self.stray)
                last = record
        except (OSError, Failed):
            if last is not None:
                yield last
            raise
        if last is not None:
            yield last._replace(cause=last.cause or STRAY * self.stray)

    def next(self) -> WarcRecord | None:
        """Returns the next record, None at the end."""
        if not self.find():
            return None
        start = self.place()
        self.number += 1
        head = b"\n"
        while not (blank := BLANK_LINE.search(head, max(len(head) - 2 * self.step, 0))) and len(head) < MAX_HEAD_BYTES:
            if not (some := self.read(self.step)):
                return WarcRecord(self.number, "unknown", "", "", b"", "the record is cut short", start)
            head += some
        if blank is None:
            return WarcRecord(self.number, "unknown", "", "", b"", f"a head of more than {MAX_HEAD_BYTES} bytes", start)
        self.held = head[blank.end() :] + self.held
        return self.record(fields_of(head[: blank.start()]), start)

    def find(self) -> bool:
        """Reads the first line of the next record; returns False if there is none. Sets `stray`.

        Raises OSError if the file does not begin with a record.
        """
        self.stray = False
        while line := self.line():
            if VERSION.fullmatch(line):
                return True
            self.stray = self.stray or not line.isspace()
            if self.stray and not self.number:
                raise OSError("not WARC")
        return False

    def line(self) -> bytes:
        """Reads a line, at most MAX_HEAD_BYTES bytes; empty at the end."""
        line = b""
        while not line.endswith(b"\n") and len(line) < MAX_HEAD_BYTES and (byte := self.read(1)):
            if not line:
                self.begun = self.plain.at - len(self.held) - 1 if self.plain else self.inner.frame_start_position()
            line += byte
        return line

    def place(self) -> int:
        """Returns where the record whose first line was read is stored; -1 if the last one is in the same member."""
        if self.begun == self.start:
            return -1
        self.start = self.begun
        return self.begun

    def read(self, size: int) -> bytes:
        if not self.held:
            return bytes(self.inner.read(size))
        some, self.held = self.held[:size], self.held[size:]
        return some

    def record(self, fields: Mapping[str, list[str]], start: int) -> WarcRecord:
        """Reads the block of a record with this head; returns the record."""
        kind = fields.get("warc-type", [""])[0].lower()
        kind = kind if kind in KINDS else "unknown"
        if kind == "conversion" and fields.get("content-type", [""])[0].lower().startswith("text/plain"):
            kind = PLAIN_TEXT
        name = (fields.get("warc-target-uri") or fields.get("warc-record-id") or [""])[0].strip("<>")
        length = length_of(fields)
        most = MAX_RESPONSE_BYTES if kind in DOCUMENTS else 0
        pieces, size = [], 0
        while size < (length or 0) and (piece := self.read(min((length or 0) - size, READ_BYTES))):
            if size < most:
                pieces.append(piece[: most - size])
            size += len(piece)
        cause = ""
        if length is None:
            cause = "Content-Length is missing or no number"
        elif size < length:
            cause = "the record is cut short"
        elif kind in DOCUMENTS:
            if "warc-truncated" in fields:
                cause = f"a {kind} that its WARC-Truncated says is cut short"
            elif size > MAX_RESPONSE_BYTES:
                cause = f"a {kind} of more than {MAX_RESPONSE_BYTES} bytes"
            elif not name:
                cause = "no WARC-Target-URI"
        date = fields.get("warc-date", [""])[0]
        return WarcRecord(self.number, kind, name, date, b"".join(pieces), cause, start)


def length_of(fields: Mapping[str, list[str]]) -> int | None:
    """Returns Content-Length, a huge number if it has too many digits, None if it is missing or no number."""
    digits = fields.get("content-length", [""])[0]
    return int(digits.lstrip("0")[: MAX_LENGTH_DIGITS + 1] or "0") if digits.isdecimal() else None


def fields_of(head: bytes) -> dict[str, list[str]]:
    """Returns the fields of a head of WARC or HTTP by their names in lower case.

    >>> fields_of(b"A: 1\\r\\nb:2\\n  3\\nA:4")
    {'a': ['1', '4'], 'b': ['2 3']}
    """
    fields: dict[str, list[str]] = {}
    for line in FOLDED.sub(" ", head.decode(errors="replace")).split("\n"):
        name, colon, value = line.partition(":")
        if colon:
            fields.setdefault(name.strip().lower(), []).append(value.strip())
    return fields
