"""The wire format: records on lines, payloads of digit groups, recipes. See shingletools-records(5)."""

import os
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, NamedTuple, TypeGuard

from shingletools.system.errors import Failed, Rejected, shown, with_itself
from shingletools.system.lazy_imports import blake3, orjson

Record = dict[str, Any]
Name = str | int  # an id

AGAINST = "against"  # the field of pairs whose b is of another side than a, as of simjoin --against
COPY = "copy"  # the field of pairs whose b is a copy of a, and in no other pair, as of simjoin --copies once
COVERS = "covers"  # the field of pairs that says which side the other one covers, as of simcheck
CONTAINED = "contained"  # the same of the smaller side, as of simjoin --measure containment
COPIES_ALONE = "pairs of simjoin --copies once must be those of one join only"
COPY_TWICE = f"a document is a copy and in another pair, too; {COPIES_ALONE}"
TWO_SIDES = "pairs of simjoin --against make no groups, for its sides may use the same ids; dedup --known takes them"
SOURCE, AT = "source", "at"  # fields of canon --offsets: the original text, and the places of words in it
NAMED = "named"  # the field with the names of the id and the text, if these are not the default ones
REPEATS = "repeats"  # the field of the runs that repeats marks

RECIPE_COMMANDS = ("parts", "canon", "shingle", "sketch")  # the commands that append a recipe

WRITTEN_LINES = 4096  # lines that are joined at once
BOM = b"\xef\xbb\xbf"
HYPHENS = ("-", "\u2010", "\xad")  # that may divide a word at the end of a line
MISSING = object()  # the value of a field that is not there
EACH = "[]"  # in a path: each element of a list


class Placed(NamedTuple):
    """Words, and where they stand in the text that they were made of, as the field AT has it.

    AT is one place for each word, in their order, single blanks between: FROM-TO, in code points, half open.
    """

    words: str
    at: str
    source: str  # the text


def parse_json(line: bytes) -> Record:
    """Returns the record on one line of JSON lines.

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
    """Returns a record as one line of JSON lines. Raises Rejected, as `json_of` does."""
    return json_of(record, orjson.OPT_APPEND_NEWLINE)


def json_of(value: object, option: int | None = None) -> bytes:
    """Returns a value as JSON. Raises Rejected if it cannot be written: nested too deeply, or not UTF-8."""
    try:
        return orjson.dumps(value, option=option)
    except orjson.JSONEncodeError:
        from shingletools.record import json_faults  # as above

        raise Rejected(json_faults.unwritable(value)) from None


def joined_lines(lines: Iterator[bytes]) -> Iterator[bytes]:
    """Yields lines joined, thousands at once: a line of orjson keeps some 4 kB of heap until it is joined."""
    while batch := b"".join(islice(lines, WRITTEN_LINES)):
        yield batch


def decode(text: bytes) -> str:
    """Returns UTF-8 as a string. Raises Rejected with the number of the first bad byte, from 1."""
    try:
        return text.decode()
    except UnicodeDecodeError as error:
        raise Rejected(f"not UTF-8 (byte {error.start + 1})") from None


def is_utf8(text: bytes) -> bool:
    """Returns whether bytes are valid UTF-8."""
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True


def find(record: Record, field: str) -> Any:
    """Returns the value of a field, or MISSING.

    A member with this very name, dots included, comes first; otherwise dots separate the names of nested objects, and
    EACH means all elements of a list. Of several values there, this is a list.

    >>> find({"meta": {"url": 7}}, "meta.url"), find({"meta": {"url": 7}, "meta.url": 8}, "meta.url")
    (7, 8)
    >>> find({"of": [{"id": 1}, {}, {"id": None}]}, "of[].id"), find({"of": [[1, 2], [3]]}, "of[][]")
    (1, [1, 2, 3])
    """
    if field in record or not is_path(field):
        return record.get(field, MISSING)
    if EACH in field:
        values = values_at(record, field)
        return values[0] if len(values) == 1 else values or MISSING
    value: Any = record
    for name in field.split("."):
        if type(value) is not dict or name not in value:
            return MISSING
        value = value[name]
    return value


def is_path(field: str) -> bool:
    """Returns whether a name may be that of fields within objects or lists."""
    return "." in field or EACH in field


def steps_of(path: str) -> list[str]:
    """Returns the names on a path, and EACH for each list.

    >>> steps_of("chat.messages[].content")
    ['chat', 'messages', '[]', 'content']
    """
    return path.replace(EACH, f".{EACH}").split(".")


def values_at(record: Record, path: str) -> list[Any]:
    """Returns the values that a path leads to, without nulls."""
    values: list[Any] = [record]
    for step in steps_of(path):
        if step == EACH:
            values = [each for value in values if type(value) is list for each in value]
        else:
            values = [value[step] for value in values if type(value) is dict and step in value]
    return [value for value in values if value is not None]


def take_id(record: Record, field: str) -> str | int:
    """Returns the record's id. Raises Rejected unless it is a string or an integer."""
    value = find(record, field)
    if type(value) is str or type(value) is int:
        return value
    if value is MISSING:
        raise Rejected(f"field {shown(field)} is missing")
    if type(value) is list and EACH in field:
        raise Rejected(f"field {shown(field)} has several values, or a list")
    raise Rejected(f"field {shown(field)} is neither a string nor an integer of 64 bits")


def take_flag(record: Record, field: str) -> bool:
    """Returns whether a field is true. Raises Rejected if it is there, and neither true, false nor null."""
    value = record.get(field)
    if value is not None and type(value) is not bool:
        raise Rejected(f"field {shown(field)} is neither true nor false")
    return value is True


def take_against(record: Record) -> bool:
    """Returns whether a pair's b is a document of another side. Raises Rejected if the field is no boolean."""
    return take_flag(record, AGAINST)


def check_one_side(record: Record) -> None:
    """Raises Failed for a pair of two sides, which may use the same ids for other documents; and Rejected."""
    if take_against(record):
        raise Failed(TWO_SIDES)


def are_ids(value: object) -> TypeGuard[list[Name]]:
    """Returns whether a value of a record is a list of ids."""
    return type(value) is list and all(type(name) in (str, int) for name in value)


def take_ids(record: Record, field: str) -> list[Name]:
    """Returns the ids in a field, such as the members of a group. Raises Rejected unless it is a list of ids."""
    value = record.get(field, MISSING)
    if are_ids(value):
        return value
    cause = "is missing" if value is MISSING else "is not a list of strings and integers"
    raise Rejected(f"field {shown(field)} {cause}")


def take_pair(record: Record) -> tuple[Name, Name, bool]:
    """Returns the ids of a pair, and whether b is of another side. Raises Rejected, also for two equal ids.

    >>> take_pair({"a": 1, "b": "1"}), take_pair({"a": 1, "b": 1, "against": True})
    ((1, '1', False), (1, 1, True))
    """
    against = take_against(record)
    one, two = take_id(record, "a"), take_id(record, "b")
    if one == two and not against:
        raise Rejected(with_itself(one))
    return one, two, against


def take_string(record: Record, field: str) -> str:
    """Returns the string in a field; of several in lists, as `take_text`. Raises Rejected unless it is there."""
    if EACH in field and field not in record:
        return take_text(record, (field,))
    value = find(record, field)
    if type(value) is str:
        return value
    if value is MISSING:
        raise Rejected(f"field {shown(field)} is missing")
    raise Rejected(f"field {shown(field)} is not a string")


def field_after(fields: Sequence[str]) -> str:
    """Returns the field in which canon writes the words that it makes of these fields."""
    return "text" if are_joined(fields) else fields[0]


def are_joined(fields: Sequence[str]) -> bool:
    """Returns whether the text of these fields may be several texts."""
    return len(fields) > 1 or EACH in fields[0]


def take_text(record: Record, fields: Sequence[str]) -> str:
    """Returns the string in a field, or those in several or in lists, joined by line breaks.

    Fields that are missing, null or empty are left out. After a hyphen there are two line breaks, over which canon
    joins no words. Raises Rejected if one is no string, or if all of several are missing or null.

    >>> take_text({"title": "A", "by": "", "body": "cat-", "end": "B"}, ("title", "by", "year", "body", "end"))
    'A\\ncat-\\n\\nB'
    """
    if not are_joined(fields):
        return take_string(record, fields[0])
    there = [(field, value) for field in fields for value in values_of(record, field)]
    if not there:
        missing = f"fields {', '.join(map(shown, fields))} are" if len(fields) > 1 else f"field {shown(fields[0])} is"
        raise Rejected(f"{missing} missing")
    for field, value in there:
        if type(value) is not str:
            raise Rejected(f"field {shown(field)} is not a string")
    texts: list[str] = [value for _, value in there if value] or [""]
    parted = (text.rstrip().endswith(HYPHENS) for text in texts)
    return "".join(text + "\n" * (1 + after) for text, after in zip(texts[:-1], parted, strict=False)) + texts[-1]


def values_of(record: Record, field: str) -> list[Any]:
    """Returns the values of a field, without nulls: at most one unless it is a path into lists."""
    if EACH in field and field not in record:
        return values_at(record, field)
    value = find(record, field)
    return [] if value is MISSING or value is None else [value]


def recipe(stage: str, *settings: tuple[str, object]) -> str:
    """Returns a stage's recipe: setting=value for each setting, or the setting alone if its value is True.

    Parts whose value is None or False are left out. Free text among the values goes through `percent_encoded` first.

    >>> recipe("shingle", ("k", 5), ("chars", True), ("hash", None))
    'shingle k=5 chars'
    """
    words = [stage]
    for setting, value in settings:
        if value is True:
            words.append(setting)
        elif value is not None and value is not False:
            words.append(f"{setting}={value}")
    return " ".join(words)


def recipe_settings(via: str, stage: str) -> set[str]:
    """Returns the names of the settings that a recipe has for a stage, whatever its version.

    >>> sorted(recipe_settings("shingle k=5 | sketch/2 simhash weights=df@0123", "sketch"))
    ['simhash', 'weights']
    """
    stages = [stage.split() for stage in via.split("|")]
    return {
        setting.partition("=")[0]
        for name, *settings in filter(None, stages)
        if name.partition("/")[0] == stage
        for setting in settings
    }


def has_step(via: str, stage: str) -> bool:
    """Returns whether a recipe has a step of this stage, whatever its version.

    >>> has_step("canon/2 html=main | shingle k=5", "canon"), has_step("", "canon")
    (True, False)
    """
    return stage in map(stage_of, via.split("|"))


def stage_of(step: str) -> str:
    """Returns the name of the stage in a step of a recipe, without its version."""
    return step.strip().partition(" ")[0].partition("/")[0]


def percent_encoded(text: str) -> str:
    """Returns free text as a recipe may hold it, percent-encoded: without spaces, commas and bars."""
    from urllib.parse import quote  # for few recipes

    return quote(os.fsencode(text), safe="")


def file_label(path: str, content: bytes) -> str:
    """Returns the recipe's name for a file that shapes the output: its base name, and 16 hex digits of its BLAKE3.

    >>> file_label("lists/my words", b"")
    'my%20words@af1349b9f5f9a1a6'
    """
    return hash_label(path, blake3.blake3(content).hexdigest())


def hash_label(path: str, digest: str) -> str:
    """Returns a file's name for recipes, by the hex digits of its BLAKE3, for files too large to be held in memory."""
    return f"{percent_encoded(os.path.basename(path))}@{digest[:16]}"


def take_recipe(record: Record) -> str:
    """Returns a record's recipe; empty if it has none. Raises Rejected if the field via is not a string."""
    via = record.get("via", "")
    if type(via) is not str:
        raise Rejected('field "via" is not a string')
    return via


def extended_recipe(via: str, recipe: str) -> str:
    """Returns the recipe of a record after one more stage.

    >>> extended_recipe("", "canon"), extended_recipe("canon", "shingle k=10")
    ('canon', 'canon | shingle k=10')
    """
    return f"{via} | {recipe}" if via else recipe


def recipes_differ(here: str, before: str, who: str = "the records before") -> str:
    """Returns why records with these recipes cannot be compared.

    If one of them does not begin with a stage of ours, adds that the field via may be the user's own.

    >>> recipes_differ("web | canon", "canon").partition("; ")[2]
    '"via" is the field of recipes: rename yours'
    """
    message = f"made by {shown_recipe(here)}, but {who} by {shown_recipe(before)}"
    own = any(via and stage_of(via.partition("|")[0]) not in RECIPE_COMMANDS for via in (here, before))
    return f'{message}; "via" is the field of recipes: rename yours' if own else message


def shown_recipe(via: str) -> str:
    """Returns a recipe as messages show it."""
    return shown(via) if via else "an unnamed recipe"
