"""Labels of documents: fields, pairs and groups that say which documents belong together."""

import re

from shingletools.record import wire
from shingletools.record.json_members import member_of, members
from shingletools.record.wire import AGAINST, COPY, Name, Record
from shingletools.system.errors import Failed, JudgedDifferent, Rejected, shown
from shingletools.system.lazy_imports import lazy, orjson

UNLABELLED = b""
NUMBER = lazy(lambda: re.compile(rb"(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?"))
MAX_EXPONENT_DIGITS = 18  # digits of an exponent
PLAIN = lazy(lambda: re.compile(rb'"[^"\\]*"|-?[1-9][0-9]{0,17}|0'))  # values that are spelled in one way only

LABEL_FIELD = "label"  # the field of a pair that says whether its documents belong together
JUDGEMENTS = dict.fromkeys((1, "1", "true", "yes", "same"), True)
JUDGEMENTS |= dict.fromkeys((0, "0", "false", "no", "different"), False)

PAIRS, GROUPS = "pairs", "groups"  # what a file of records holds
# Fields that may stand once in a record of them
UNIQUE_FIELDS = {PAIRS: ("a", "b", AGAINST, COPY, LABEL_FIELD), GROUPS: ("members",)}


def label_of(value: bytes) -> bytes | None:
    """Returns a JSON value as a label, in one spelling; None for a list, an object or no value.

    >>> label_of(rb'"\\u0061"'), label_of(b"1.0"), label_of(b"1e0"), label_of(b"1"), label_of(b"null")
    (b'"a"', b'1.0', b'1.0', b'1', b'')
    >>> label_of(b"0.1"), label_of(b"0.10000000000000000001"), label_of(b"1000000000000000000010E-22")
    (b'0.1', b'10000000000000000001e-20', b'100000000000000000001e-21')
    >>> label_of(b"[1]"), label_of(b"")
    (None, None)
    """
    if PLAIN.fullmatch(value):
        return value
    if value == b"null":
        return UNLABELLED
    return None if value[:1] in b"[{" else spelled(orjson.loads(value), value)


def spelled(label: object, value: bytes) -> bytes:
    """Returns the one spelling of a label.

    label: the value as orjson reads it, whose floats may be rounded. value: the bytes that it was read from.
    """
    written = orjson.dumps(label)
    return written if type(label) is not float or in_digits(value) == in_digits(written) else in_digits(value)


def in_digits(number: bytes) -> bytes:
    """Returns a number as digits without zeros at either end, and a power of ten; empty for 0."""
    parts = NUMBER.fullmatch(number)
    assert parts is not None  # JSON
    sign, whole, behind, power = (part or b"" for part in parts.groups())
    if len(power.lstrip(b"+-0")) > MAX_EXPONENT_DIGITS:
        return number  # too many to compute with: equal only to the same spelling
    digits = (whole + behind).lstrip(b"0")
    least = digits.rstrip(b"0")
    return b"%b%be%d" % (sign, least, int(power or b"0") - len(behind) + len(digits) - len(least)) if least else b""


def take_label(record: Record, line: bytes, field: str) -> bytes:
    """Returns the label of a record in its one spelling, or UNLABELLED. Raises Rejected."""
    return label_of(label_on(record, line, field)) or UNLABELLED


def label_on(record: Record, line: bytes, field: str) -> bytes:
    """Returns the label of a record as its line spells it. Raises Rejected unless the field has one."""
    value = wire.find(record, field)
    if value is wire.MISSING:
        raise Rejected(f"field {shown(field)} is missing")
    if isinstance(value, list | dict):
        raise Rejected(f"field {shown(field)} is a list or an object")
    member = member_of(line, members(line), field)
    assert member is not None  # or it would be missing
    return line[member.value : member.end]


def judged_same(record: Record) -> bool:
    """Returns whether a pair of a truth says that its documents belong together; without a label, it does.

    Raises Rejected.

    >>> [judged_same(pair) for pair in ({}, {"label": 1}, {"label": True}, {"label": "No"}, {"label": 0.0})]
    [True, True, True, False, False]
    """
    value = record.get(LABEL_FIELD, True)
    judged = None
    if isinstance(value, str | int | float):
        judged = JUDGEMENTS.get(value.lower() if isinstance(value, str) else value)
    if judged is None:
        raise Rejected(f'field "{LABEL_FIELD}" is neither 1, true, yes or same, nor 0, false, no or different')
    return judged


def check_judged_same(record: Record) -> None:
    """Raises JudgedDifferent for a pair whose label says that its documents do not belong together; and Rejected."""
    if not judged_same(record):
        raise JudgedDifferent("it is judged different")


def check_all_pairs(record: Record, command: str) -> None:
    """Raises Failed for a pair of a copy, which has pairs that are left out. Raises Rejected."""
    if wire.take_flag(record, COPY):
        raise Failed(f"pairs of simjoin --copies once leave out those of copies; {command} needs all pairs")


def different_figures(count: int) -> dict[str, int]:
    """Returns the figure of -v about pairs that are judged different, if there are some."""
    return {"pairs judged different": count} if count else {}


def kind_of(record: Record) -> str:
    """Returns what a file holds by its first record: PAIRS or GROUPS.

    >>> kind_of({"members": [1, 2]}), kind_of({"a": 1, "b": 2, "members": 2})
    ('groups', 'pairs')
    """
    return GROUPS if "members" in record and "a" not in record else PAIRS


def contradiction_message(names: tuple[Name, Name]) -> str:
    """Returns the message for a pair of ids that is judged both the same and different."""
    return "ids {} and {} are judged the same and different".format(*map(shown, names))
