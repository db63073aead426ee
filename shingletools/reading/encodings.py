"""Text in other encodings than UTF-8, which becomes UTF-8 as it is read."""

import codecs
from collections.abc import Generator, Iterator
from itertools import chain
from typing import NamedTuple

from shingletools.system.errors import Failed, printable, shown
from shingletools.system.lazy_imports import lazy, needs

GUESS = "guess"  # of --encoding
MARKS = (  # byte order marks; that of UTF-32 begins as that of UTF-16 does
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
UNDECODED = "shingletools.undecoded"
GUESSED_BYTES, LOOKED_AT_BYTES = 1 << 16, 1 << 20  # of lines beyond ASCII, and of a file
GUESSED_LINES = 100  # that are looked at one by one, to say how sure a guess is
SHOWN_CHARS = 60  # of a message
detector = lazy(lambda: needs(f"--encoding {GUESS}", "resiliparse.parse.encoding", "html"))


def undecoded(error: UnicodeError) -> tuple[str | bytes, int]:
    """Makes what cannot be decoded the byte FF, which UTF-8 never has, so that a reader rejects only that document.

    UTF-7 decodes surrogates, too, which UTF-8 cannot encode.
    """
    if isinstance(error, UnicodeEncodeError):
        return b"\xff" * (error.end - error.start), error.end
    return "\udcff", getattr(error, "end", 0)


codecs.register_error(UNDECODED, undecoded)


class Encoding(NamedTuple):
    """An encoding that Python knows, or GUESS; and messages about guesses, which nobody has seen yet."""

    name: str
    guesses: list[str]

    @classmethod
    def of(cls, name: str) -> "Encoding":
        """Raises Failed for an unknown name, and for a codec that is none of text."""
        try:
            if name != GUESS:
                "a".encode(name), codecs.getincrementaldecoder(name)(UNDECODED).decode(b"", True)
        except (LookupError, ValueError):
            raise Failed(f"--encoding {shown(name)}: not an encoding that Python knows") from None
        return cls(name, [])

    def guessed(self, head: bytes, where: str) -> str:
        """Returns the encoding of a file that begins so: UTF-8 if that is possible."""
        try:
            codecs.getincrementaldecoder("utf-8")().decode(head)
        except UnicodeDecodeError:
            lines = [line for line in head.split(b"\n") if not line.isascii()]
            together = b"\n".join(lines)[:GUESSED_BYTES]
            name = str(detector.detect_encoding(together))
            text = " ".join(together.decode(name, "replace").split())[:SHOWN_CHARS]
            each = [detector.detect_encoding(line) for line in lines[:GUESSED_LINES]]
            alike = f"{each.count(name)} of {len(each)} lines alone look like it"
            self.guesses.append(f"{printable(where)}: read as {name}, which is a guess ({alike}): {shown(text)}")
            return name
        return "utf-8"


def as_utf8(blocks: Iterator[bytes], where: str, encoding: Encoding | None = None) -> Generator[bytes]:
    """Yields the blocks of a file as UTF-8. A byte order mark counts more than the encoding."""
    head = b""
    least = LOOKED_AT_BYTES if encoding and encoding.name == GUESS else len(codecs.BOM_UTF32_LE)
    while len(head) < least and (block := next(blocks, b"")):
        head += block
    mark, name = next(((mark, name) for mark, name in MARKS if head.startswith(mark)), (b"", ""))
    if encoding and not name:
        name = encoding.guessed(head, where) if encoding.name == GUESS else encoding.name
    if name in ("", "utf-8"):
        yield from chain((head,), blocks)
        return
    if not mark and head and (known := codecs.lookup(name).name) in ("utf-16", "utf-32"):
        raise Failed(f"{where}: has no byte order mark: say --encoding {known}le or {known}be")
    decoder = codecs.getincrementaldecoder(name)(UNDECODED)
    for block in chain((head[len(mark) :],), blocks):
        yield decoder.decode(block).encode(errors=UNDECODED)
    yield decoder.decode(b"", True).encode(errors=UNDECODED)
