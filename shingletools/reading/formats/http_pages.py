"""Decodes the HTML of HTTP responses, as crawlers keep them.

(FastWARC's GzipReader takes data that are cut anywhere for whole, and its ChunkedReader those that are cut behind a
chunk, of which it reads neither extensions nor lines that end in line feeds alone.)
"""

import re
import zlib
from collections.abc import Callable, Mapping
from functools import partial
from io import BytesIO

from shingletools.reading.formats.page_charsets import characters
from shingletools.reading.formats.warc_records import fields_of, length_of
from shingletools.record.package_versions import made_with
from shingletools.system.errors import Rejected, shown
from shingletools.system.lazy_imports import needs

stream_io = needs("--warc", "fastwarc.stream_io", "warc")

HTML = frozenset({"text/html", "application/xhtml+xml"})
MAX_PAGE_BYTES = 1 << 26  # bytes of a page
MAX_CODINGS = 5  # one after the other
GOOD = re.compile(rb"HTTP/\S+ +2\d\d\b")
HEAD_END = re.compile(rb"\r?\n\r?\n")
PARAMETER = re.compile(r";\s*charset\s*=\s*[\"']?([^\s\"';]+)", re.IGNORECASE)
CHUNK = re.compile(rb"(?:\r?\n)?[ \t]*([0-9A-Fa-f]{1,15})[ \t]*(?:;[^\n]*)?\r?\n")  # RFC 9112, 7.1
MARKUP = re.compile(rb"(?:\xef\xbb\xbf)?\s*<[A-Za-z!?/]")
GZIP = b"\x1f\x8b"


def charsets() -> str:
    """Returns the part of a recipe about character sets: resiliparse guesses one if nothing says it."""
    return made_with("charset/2", "resiliparse")


def head_of(response: bytes) -> tuple[Mapping[str, list[str]], int]:
    """Returns the fields of HTTP in a response, and where its body begins; 0 if nowhere."""
    end = HEAD_END.search(response)
    return fields_of(response[: end.start() if end else None]), end.end() if end else 0


def is_page(response: bytes) -> bool:
    """Returns whether a response has HTML."""
    kind = head_of(response)[0].get("content-type", [""])[0] if GOOD.match(response) else ""
    return kind.partition(";")[0].strip().lower() in HTML


def text_of(response: bytes) -> str:
    """Returns the HTML of a response that has some. Raises Rejected."""
    fields, start = head_of(response)
    if not start:
        raise Rejected("the response is cut short")
    charset = PARAMETER.search(fields["content-type"][0])
    return characters(body_of(response[start:], fields), charset[1] if charset else "")


def body_of(body: bytes, fields: Mapping[str, list[str]]) -> bytes:
    """Removes the codings of a body. Raises Rejected."""
    content, transfer = (",".join(fields.get(f"{name}-encoding", [])) for name in ("content", "transfer"))
    codings = [name for coding in f"{content},{transfer}".split(",") if (name := coding.strip().lower()) not in PLAIN]
    if len(codings) > MAX_CODINGS:
        raise Rejected(f"a response with more than {MAX_CODINGS} codings")
    if not codings and len(body) < (length_of(fields) or 0):
        raise Rejected("the response is cut short")
    for coding in reversed(codings):
        body = decoded(body, coding)
        if len(body) > MAX_PAGE_BYTES:
            raise Rejected(f"a page of more than {MAX_PAGE_BYTES} bytes")
    return body


def decoded(body: bytes, coding: str) -> bytes:
    """Removes a coding of a body, unless the crawler did; reads a byte more than MAX_PAGE_BYTES. Raises Rejected."""
    try:
        if coding in DECODERS:
            return DECODERS[coding](body)
        cause = f"unknown coding {shown(coding)}"
    except (OSError, ValueError, zlib.error):
        cause = f"a response that is cut short or damaged, or not {coding}"
    if MARKUP.match(body):
        return body
    raise Rejected(cause)


def dechunked(body: bytes) -> bytes:
    """Joins the chunks of a body. Raises ValueError if it ends before the last one."""
    parts: list[bytes] = []
    at = 0
    while mark := CHUNK.match(body, at):
        at = mark.end() + int(mark[1], 16)
        if at == mark.end():
            return b"".join(parts)
        if at > len(body):
            break
        parts.append(body[mark.end() : at])
    raise ValueError


def inflated(form: int, body: bytes) -> bytes:
    """Decompresses data of zlib. Raises zlib.error, or ValueError if they end too early."""
    parts, size = [], 0
    while True:
        member = zlib.decompressobj(form)
        parts.append(member.decompress(body, MAX_PAGE_BYTES + 1 - size))
        size += len(parts[-1])
        if size <= MAX_PAGE_BYTES and not member.eof:
            raise ValueError
        body = member.unused_data
        if size > MAX_PAGE_BYTES or not body.startswith(GZIP):
            return b"".join(parts)


def deflated(body: bytes) -> bytes:
    """Decompresses a body of `deflate`, with zlib's header or, as some servers send it, without."""
    try:
        return inflated(zlib.MAX_WBITS, body)
    except zlib.error:
        return inflated(-zlib.MAX_WBITS, body)


def unpacked(reader: str, body: bytes) -> bytes:
    """Decompresses a body with one of FastWARC's readers. Raises OSError."""
    inner, parts, size = getattr(stream_io, reader)(BytesIO(body)), [], 0
    while size <= MAX_PAGE_BYTES and (piece := inner.read(MAX_PAGE_BYTES + 1 - size)):
        parts.append(piece)
        size += len(piece)
    return b"".join(parts)


PLAIN = frozenset({"", "identity", "none"})
DECODERS: Mapping[str, Callable[[bytes], bytes]] = {
    "chunked": dechunked,
    "gzip": partial(inflated, 16 + zlib.MAX_WBITS),
    "x-gzip": partial(inflated, 16 + zlib.MAX_WBITS),
    "deflate": deflated,
    "br": partial(unpacked, "BrotliReader"),
    "zstd": partial(unpacked, "ZstdReader"),
}
