"""Cuts text without markup into pieces, so that each character reference is a piece of its own."""

import re
import sys
from collections.abc import Iterator
from html.entities import html5
from typing import NamedTuple

BLANK = "\t\n\f\r "
REFERENCE = re.compile(r"&(?:#(?:[0-9]++|[xX][0-9a-fA-F]++);?|[0-9A-Za-z]++;?)")
# A parser treats white space behind text as it treats that text, but may drop it before text. CR LF becomes one LF
TEXT = re.compile(rf"&|[^&\0{BLANK}][^&\0\r]*+")
# Characters of windows-1252 that replace 0x80 to 0x9F (numeric character reference end state)
WINDOWS = {
    code: bytes([code]).decode("cp1252") for code in range(0x80, 0xA0) if code not in (0x81, 0x8D, 0x8F, 0x90, 0x9D)
}
SURROGATES, REPLACEMENT = range(0xD800, 0xE000), 0xFFFD
LONGEST_NAME = max(map(len, html5))


class SourcePiece(NamedTuple):
    """Text that does not begin with white space, and its place."""

    start: int
    end: int
    text: str


def text_pieces(markup: str, start: int, end: int, references: bool = True) -> Iterator[SourcePiece]:
    """Yields the pieces of markup[start:end], which has no tags; each character reference is a piece of its own."""
    at = start
    while found := TEXT.search(markup, at, end):
        first, at = found.span()
        text = found[0]
        if text == "&" and references and (reference := REFERENCE.match(markup, first, end)):
            text, at = referred(reference[0])
            at += first
        if text not in BLANK and text != "\0":
            yield SourcePiece(first, at, text)


def referred(reference: str) -> tuple[str, int]:
    """Returns the characters that a character reference stands for, and the length of the reference (13.2.5.72 ff.).

    >>> referred("&lt;"), referred("&notit;"), referred("&#x80;"), referred("&nonesuch;")
    (('<', 4), ('¬', 4), ('€', 6), ('&', 1))
    """
    if reference[1] == "#":
        is_hex = reference[2] in "xX"
        digits = reference[3 if is_hex else 2 :].rstrip(";").lstrip("0")
        code = int(digits[:9] or "0", 16 if is_hex else 10)  # nine digits are already too large
        if code in SURROGATES or not 0 < code <= sys.maxunicode:
            code = REPLACEMENT
        return WINDOWS.get(code, chr(code)), len(reference)
    for size in range(min(len(reference), LONGEST_NAME + 1), 1, -1):
        made = html5.get(reference[1:size])
        if made is not None:
            return made, size
    return "&", 1
