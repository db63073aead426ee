"""The character sets of pages: of HTTP, and of files that declare one."""

import codecs
from contextlib import suppress

from shingletools.record import wire
from shingletools.record.error_hints import CHARSET, CHARSET_BYTES
from shingletools.system.errors import Failed, Rejected
from shingletools.system.lazy_imports import lazy, needs

NEEDS = "a page that is not UTF-8"  # in messages
BOMS = (codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be")
ESCAPE = b"\x1b"  # with which ISO 2022 leaves ASCII
encoding = lazy(lambda: needs(NEEDS, "resiliparse.parse.encoding", "html"))


def text_of_file(content: bytes) -> str:
    """Returns the HTML of a file: in UTF-8 if it is valid, else in the character set that it declares. Raises Rejected.

    Nothing is guessed, since no recipe says which version of a library did it.
    """
    declared = CHARSET.search(content, 0, CHARSET_BYTES)
    if declared and (ESCAPE in content or not wire.is_utf8(content)):
        try:
            if (named := charset_of(declared[1].decode())) and not named.startswith("utf-"):
                return str(encoding.bytes_to_str(content, named, errors="replace"))
        except Failed as error:
            raise Rejected(str(error)) from None
    return wire.decode(content)


def characters(body: bytes, server: str) -> str:
    """Decodes a page by its byte order mark, the server, the page, as UTF-8 if it is valid, or by a guess."""
    for mark, charset in BOMS:
        if body.startswith(mark):
            return str(body[len(mark) :].decode(charset, "replace"))
    page = CHARSET.search(body, 0, CHARSET_BYTES)
    named = charset_of(server)
    if page and named is None:
        named = charset_of(page[1].decode())
        named = "utf-8" if named and named.startswith("utf-16") else named  # the label was read as ASCII
    if named is None and ESCAPE not in body:
        with suppress(UnicodeDecodeError):
            return body.decode()
    return str(encoding.bytes_to_str(body, named or encoding.detect_encoding(body), errors="replace"))


def charset_of(label: str) -> str | None:
    """Returns Python's name of the character set with this label on the web; None if there is none."""
    found: str | None = encoding.map_encoding_to_html5(label, fallback_utf8=False)
    return found
