"""The wire format: records on lines, payloads of digit groups, recipes. See shingletools-records(5)."""

import os
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, NamedTuple, TypeGuard

from shingletools.system.errors import Failed, Rejected, shown, with_itself
from shingletools.system.lazy_imports import blake3, orjson

Record = dict[str, Any]
Name = str | int  # an id

AGAINST = "against"  # the field of pairs whose b is a document of another side than a: one of simjoin --against
TWO_SIDES = "pairs of simjoin --against make no groups, for its sides may use the same ids; dedup --known takes them"
SOURCE, AT = "source", "at"  # the fields of canon --offsets: the text as it came, and where its words stand in it
NAMED = "named"  # the field that says the names of the id and the text, where these are not the usual ones
REPEATS = "repeats"  # the field of the runs that repeats marks

STAGES = ("parts", "canon", "shingle", "sketch")  # that append a recipe

WRITTEN_LINES = 4096  # written together
BOM = b"\xef\xbb\xbf"
HYPHENS = ("-", "\u2010", "\xad")  # that may part a word at the end of a line
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
        from shingletools.record import json_faults  # which most runs do not need

        record = json_faults.read(text.removesuffix("\n"))
    if type(record) is not dict:
        raise Rejected("not a JSON object")
    return record


def format_json(record: Record) -> bytes:
    """One line of JSON lines; raises Rejected, as `json_of`."""
    return json_of(record, orjson.OPT_APPEND_NEWLINE)


def json_of(value: object, option: int | None = None) -> bytes:
    """A value as JSON; raises Rejected for one that cannot be written: nested too deeply, not UTF-8."""
    try:
        return orjson.dumps(value, option=option)
    except orjson.JSONEncodeError:
        from shingletools.record import json_faults  # as above

        cause = json_faults.unwritable(value)
        if cause is None:
            raise  # a fault of ours
        raise Rejected(cause) from None


def joined_lines(lines: Iterator[bytes]) -> Iterator[bytes]:
    """Lines as they are written, thousands together: orjson's keep some 4 kB of heap each until they are joined."""
    while batch := b"".join(islice(lines, WRITTEN_LINES)):
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


def are_ids(value: object) -> TypeGuard[list[Name]]:
    """Whether a value of a record is a list of ids."""
    return type(value) is list and all(type(name) in (str, int) for name in value)


def take_ids(record: Record, field: str) -> list[Name]:
    """The ids in a field, such as those of a group's members; raises Rejected unless it is a list of them."""
    value = record.get(field, MISSING)
    if are_ids(value):
        return value
    cause = "is missing" if value is MISSING else "is not a list of strings and integers"
    raise Rejected(f"field {shown(field)} {cause}")


def take_pair(record: Record) -> tuple[Name, Name, bool]:
    """The ids of a pair, and whether b is of another side; raises Rejected, also for a document and itself.

    >>> take_pair({"a": 1, "b": "1"}), take_pair({"a": 1, "b": 1, "against": True})
    ((1, '1', False), (1, 1, True))
    """
    against = take_against(record)
    one, two = take_id(record, "a"), take_id(record, "b")
    if one == two and not against:
        raise Rejected(with_itself(one))
    return one, two, against


def take_string(record: Record, field: str) -> str:
    """The string in a field; raises Rejected unless it is there and a string."""
    value = find(record, field)
    if type(value) is str:
        return value
    if value is MISSING:
        raise Rejected(f"field {shown(field)} is missing")
    raise Rejected(f"field {shown(field)} is not a string")


def field_after(fields: Sequence[str]) -> str:
    """The field that holds the words which canon makes of these fields."""
    return fields[0] if len(fields) == 1 else "text"


def take_text(record: Record, fields: Sequence[str]) -> str:
    """The string in a field; or those in several, line breaks between, but for what is missing, null or empty.

    After a hyphen there are two, over which canon joins no words. Raises Rejected if one is no string, or all of
    several are missing or null.

    >>> take_text({"title": "A", "by": "", "body": "cat-", "end": "B"}, ("title", "by", "year", "body", "end"))
    'A\\ncat-\\n\\nB'
    """
    if len(fields) == 1:
        return take_string(record, fields[0])
    there = {field: value for field in fields if (value := find(record, field)) is not MISSING and value is not None}
    if not there:
        raise Rejected(f"fields {', '.join(map(shown, fields))} are missing")
    for field, value in there.items():
        if type(value) is not str:
            raise Rejected(f"field {shown(field)} is not a string")
    texts: list[str] = [*filter(None, there.values())] or [""]
    parted = (text.rstrip().endswith(HYPHENS) for text in texts)
    return "".join(text + "\n" * (1 + after) for text, after in zip(texts[:-1], parted, strict=False)) + texts[-1]


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


def recipe_parts(via: str, stage: str) -> set[str]:
    """The names of the parts that a recipe says of a stage, in whatever version.

    >>> sorted(recipe_parts("shingle k=5 | sketch/2 simhash weights=df@0123", "sketch"))
    ['simhash', 'weights']
    """
    stages = [each.split() for each in via.split("|")]
    return {
        part.partition("=")[0]
        for name, *parts in filter(None, stages)
        if name.partition("/")[0] == stage
        for part in parts
    }


def has_step(via: str, stage: str) -> bool:
    """Whether a recipe has a step of this stage, in whatever version.

    >>> has_step("canon/2 html=main | shingle k=5", "canon"), has_step("", "canon")
    (True, False)
    """
    return stage in map(stage_of, via.split("|"))


def stage_of(step: str) -> str:
    """The name of the stage in a step of a recipe, without its version."""
    return step.strip().partition(" ")[0].partition("/")[0]


def percent_encoded(text: str) -> str:
    """Free text as a recipe may hold it, percent-encoded: no space, comma or bar is left."""
    from urllib.parse import quote  # for few recipes

    return quote(os.fsencode(text), safe="")


def file_label(path: str, content: bytes) -> str:
    """How a recipe names a file that shapes the output: its last name and its content's BLAKE3, 16 hex digits.

    >>> file_label("lists/my words", b"")
    'my%20words@af1349b9f5f9a1a6'
    """
    return hash_label(path, blake3.blake3(content).hexdigest())


def hash_label(path: str, digest: str) -> str:
    """The same by the hex digits of the BLAKE3 of its content, which may be too much to be held."""
    return f"{percent_encoded(os.path.basename(path))}@{digest[:16]}"


def take_recipe(record: Record) -> str:
    """How the record was made, empty if it does not say; raises Rejected if its field via is not a string."""
    via = record.get("via", "")
    if type(via) is not str:
        raise Rejected('field "via" is not a string')
    return via


def extended_recipe(via: str, recipe: str) -> str:
    """The recipe of a record that one more stage has made.

    >>> extended_recipe("", "canon"), extended_recipe("canon", "shingle k=10")
    ('canon', 'canon | shingle k=10')
    """
    return f"{via} | {recipe}" if via else recipe


def recipes_differ(here: str, before: str, who: str = "the records before") -> str:
    """Why records of these recipes cannot be compared; and that via may not be one's own, if one begins with no stage.

    >>> recipes_differ("web | canon", "canon").partition("; ")[2]
    '"via" is the field of recipes: rename yours'
    """
    said = f"made by {shown_recipe(here)}, but {who} by {shown_recipe(before)}"
    own = any(via and stage_of(via.partition("|")[0]) not in STAGES for via in (here, before))
    return f'{said}; "via" is the field of recipes: rename yours' if own else said


def shown_recipe(via: str) -> str:
    """A recipe as messages show it."""
    return shown(via) if via else "an unnamed recipe"
