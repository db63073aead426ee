"""The wire format: records on lines, payloads of digit groups, recipes. See shingletools(5)."""

import contextlib
import os
import stat
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

from shingletools import deferred
from shingletools.errors import Failed, Rejected, printable, shown

if TYPE_CHECKING:
    import blake3
    import orjson
else:
    blake3 = deferred.module("blake3")
    orjson = deferred.module("orjson")

Record = dict[str, Any]

AGAINST = "against"  # the field of pairs whose b is a document of another side than a: one of simjoin --against
TWO_SIDES = "pairs of simjoin --against make no groups, for its sides may use the same ids; dedup --known takes them"
SOURCE, AT = "source", "at"  # the fields of canon --offsets: the text as it came, and where its words stand in it

LINES = 4096  # written together
CHUNK = 1 << 18  # bytes, read together
DEVICE = 1 << 20  # bytes that a device may give, such as a terminal; some never end
BOM = b"\xef\xbb\xbf"
MISSING = object()  # the value of a field that is not there


class Placed(NamedTuple):
    """Words, and where they stand in the text that they were made of, as the field AT has it.

    AT is one place for each word, in their order, single blanks between: FROM-TO, in code points, half open.
    """

    words: str
    at: str


def parse_json(line: bytes) -> Record:
    """The record on one line of JSON lines.

    Raises Rejected unless the line is a JSON object in UTF-8, and MemoryError. A byte order mark before it is ignored.

    >>> parse_json(b'{"id": 7, "text": "seven"}')
    {'id': 7, 'text': 'seven'}
    """
    try:
        record = orjson.loads(line)
    except orjson.JSONDecodeError:
        text = decode(line)
        if line.startswith(BOM):
            return parse_json(b" " + line.removeprefix(BOM))
        if not line.strip():
            raise Rejected("not JSON (empty line)") from None
        from shingletools import json_faults  # which most runs do not need

        cause = json_faults.unreadable(text.removesuffix("\n"))
        if cause is None:
            raise MemoryError from None
        raise Rejected(cause) from None
    if type(record) is not dict:
        raise Rejected("not a JSON object")
    return record


def format_json(record: Record) -> bytes:
    """One line of JSON lines; raises Rejected if the record cannot be written: nested too deeply, not UTF-8."""
    try:
        return orjson.dumps(record, option=orjson.OPT_APPEND_NEWLINE)
    except orjson.JSONEncodeError:
        from shingletools import json_faults  # as above

        cause = json_faults.unwritable(record)
        if cause is None:
            raise  # a fault of ours
        raise Rejected(cause) from None


def batches(lines: Iterator[bytes]) -> Iterator[bytes]:
    """Lines as they are written, thousands together: orjson's keep some 4 kB of heap each until they are joined."""
    while batch := b"".join(islice(lines, LINES)):
        yield batch


def decode(text: bytes) -> str:
    """UTF-8 to a string; raises Rejected, with the first bad byte counted from 1."""
    try:
        return text.decode()
    except UnicodeDecodeError as error:
        raise Rejected(f"not UTF-8 (byte {error.start + 1})") from None


def find(record: Record, field: str) -> Any:
    """The value of a field, or MISSING.

    A member with this very name, dots and all, comes first; else dots part the names of objects within objects.

    >>> find({"meta": {"url": 7}}, "meta.url"), find({"meta": {"url": 7}, "meta.url": 8}, "meta.url")
    (7, 8)
    """
    if field in record or "." not in field:
        return record.get(field, MISSING)
    value: Any = record
    for name in field.split("."):
        if type(value) is not dict or name not in value:
            return MISSING
        value = value[name]
    return value


def take_id(record: Record, field: str) -> str | int:
    """The record's id; raises Rejected unless it is a string or an integer."""
    value = find(record, field)
    if type(value) is str or type(value) is int:
        return value
    if value is MISSING:
        raise Rejected(f"field {shown(field)} is missing")
    raise Rejected(f"field {shown(field)} is neither a string nor an integer of 64 bits")


def take_against(record: Record) -> bool:
    """Whether a pair says that its b is of another side; raises Rejected if it says neither yes nor no."""
    value = record.get(AGAINST, False)
    if type(value) is not bool:
        raise Rejected(f"field {shown(AGAINST)} is neither true nor false")
    return value


def check_one_side(record: Record) -> None:
    """Raises Failed for a pair of two sides, whose ids are not to be taken for those of one; and Rejected."""
    if take_against(record):
        raise Failed(TWO_SIDES)


def take_string(record: Record, field: str) -> str:
    """The string in a field; raises Rejected unless it is there and a string."""
    value = find(record, field)
    if type(value) is str:
        return value
    if value is MISSING:
        raise Rejected(f"field {shown(field)} is missing")
    raise Rejected(f"field {shown(field)} is not a string")


def recipe(stage: str, *parts: tuple[str, object]) -> str:
    """What changes a stage's output, in words: part=value, or the part alone where the value is True.

    Parts whose value is None or False are left out. Free text among the values goes through `quoted` first.

    >>> recipe("shingle", ("k", 5), ("chars", True), ("hash", None))
    'shingle k=5 chars'
    """
    words = [stage]
    for part, value in parts:
        if value is True:
            words.append(part)
        elif value is not None and value is not False:
            words.append(f"{part}={value}")
    return " ".join(words)


def quoted(text: str) -> str:
    """Free text as a recipe may hold it, percent-encoded: no space, comma or bar is left."""
    from urllib.parse import quote  # for few recipes

    return quote(os.fsencode(text), safe="")


def read_file(option: str, path: str) -> bytes:
    """The content of a file that an option names; raises Failed, also for a device without an end."""
    with _opened(option, path, path) as (file, device):
        content = file.read(DEVICE + 1 if device else -1)
        if device and len(content) > DEVICE:
            raise Failed(f"{option}: {printable(path)}: a device, with more than {DEVICE} bytes")
        return content


def read_chunks(option: str, path: str) -> Iterator[bytes]:
    """Whole lines of a file that an option names, or of standard input (-), some together; raises Failed."""
    with _opened(option, path, 0 if path == "-" else path) as (file, device):
        if not device:
            while lines := file.read(CHUNK) + file.readline():
                yield lines
        while line := file.readline(DEVICE + 1):
            if len(line) > DEVICE:
                raise Failed(f"{option}: {printable(path)}: a device, with a line of more than {DEVICE} bytes")
            yield line


@contextlib.contextmanager
def _opened(option: str, path: str, opened: str | int) -> Iterator[tuple[BinaryIO, bool]]:
    """A file, and whether it is a device, which may have no end; a number is a descriptor, which stays open."""
    try:
        with open(opened, "rb", closefd=isinstance(opened, str)) as file:
            yield file, stat.S_ISCHR(os.fstat(file.fileno()).st_mode)
    except OSError as error:
        raise Failed(f"{option}: {printable(path)}: {error.strerror}") from None


def file_label(path: str, content: bytes) -> str:
    """How a recipe names a file that shapes the output: its last name and its content's BLAKE3, 16 hex digits.

    >>> file_label("lists/my words", b"")
    'my%20words@af1349b9f5f9a1a6'
    """
    return f"{quoted(os.path.basename(path))}@{blake3.blake3(content).hexdigest()[:16]}"


def take_recipe(record: Record) -> str:
    """How the record was made, empty if it does not say; raises Rejected if its field via is not a string."""
    via = record.get("via", "")
    if type(via) is not str:
        raise Rejected('field "via" is not a string')
    return via


def further(via: str, recipe: str) -> str:
    """The recipe of a record that one more stage has made.

    >>> further("", "canon"), further("canon", "shingle k=10")
    ('canon', 'canon | shingle k=10')
    """
    return f"{via} | {recipe}" if via else recipe


def recipes_differ(here: str, before: str) -> str:
    """Why records of these recipes cannot be compared."""
    return f"made by {_made_by(here)}, but the records before by {_made_by(before)}"


def _made_by(via: str) -> str:
    return shown(via) if via else "an unnamed recipe"
