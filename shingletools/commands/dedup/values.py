"""The order of values of fields: as exact numbers if all of them read as numbers; else numbers first, then strings.

Strings are compared by code points, which is the order of time for dates of one form, such as 2026-01-31.
"""

import re
from collections.abc import Set as AbstractSet
from decimal import Context, Decimal, InvalidOperation

import orjson

from shingletools.record.json_members import member_of, members
from shingletools.system.errors import shown

Value = tuple[Decimal, str]  # a number and "", or BEYOND and a string
BEYOND = Decimal("Infinity")
EXACT = Context(prec=1, traps=[InvalidOperation])  # Decimal() raises with it, but does not round to its precision
NUMBER, TEXT = "number", "text"  # what values read as; a date reads as its form, with 0 for each digit
SPELLED = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,9})?")  # a number in a string
DATE = re.compile(
    r"[0-9]{4}-(0[1-9]|1[0-2])(-[0-9]{2}([T ][0-9]{2}:[0-9]{2}(:[0-9]{2}([.,][0-9]+)?)?(Z|\+00:00)?)?)?"  # in UTC
)
DIGIT = re.compile(r"[0-9]")


def value_of(text: bytes) -> Value | None:
    """A JSON value in a form that can be compared; None unless it is a number, or a string that is not blank.

    >>> value_of(b"0.10") == value_of(b"1e-1"), value_of(b"9007199254740993") > value_of(b"9007199254740992")
    (True, True)
    >>> value_of(b'"a"') > value_of(b"1e99"), value_of(b"true"), value_of(b'" "'), value_of(b"")
    (True, None, None, None)
    """
    if text[:1] == b'"':
        value = orjson.loads(text)
        return (BEYOND, value) if value.strip() else None
    if text[:1] in b"-0123456789" and text:
        try:
            return Decimal(text.decode(), EXACT), ""
        except InvalidOperation:  # an exponent of 19 digits: the value is 0 or nearly, since larger ones are rejected
            return Decimal(0), ""
    return None


def form_of(value: Value) -> str:
    """What a value reads as: NUMBER, a form of dates that strings have, or TEXT.

    >>> [form_of((BEYOND, text)) for text in (" 007", "-.5e3", "2024-09-01", "2024-09-01 10:30Z", "9/1/2024", "NaN")]
    ['number', 'number', '0000-00-00', '0000-00-00 00:00Z', 'text', 'text']
    """
    number, text = value
    if number != BEYOND or SPELLED.fullmatch(text.strip()):
        return NUMBER
    return DIGIT.sub("0", text) if DATE.fullmatch(text) else TEXT


def number_of(value: Value) -> Value:
    """The number that a value reads as."""
    return value if value[0] != BEYOND else (Decimal(value[1].strip(), EXACT), "")


def are_numbers(forms: AbstractSet[str]) -> bool:
    """Whether values of these forms are compared as numbers."""
    return forms <= {NUMBER}


def are_alike(forms: AbstractSet[str]) -> bool:
    """Whether all values of these forms are numbers, or dates of one form."""
    return TEXT not in forms and not forms - {min(forms, default=TEXT)}


def in_doubt(field: str) -> str:
    """What to say of how values of a field were compared that are not alike."""
    return (
        f"--keep: values of the field {shown(field)} are neither all numbers nor all dates in one form such as "
        '2026-01-31, so strings are compared as text: "10" comes before "9"'
    )


def text_in(line: bytes, field: str) -> bytes:
    """The value of a field in a line of valid JSON, as it is spelled; b"" if there is none.

    >>> text_in(b'{"id":1,"n":7.0}', "n"), text_in(b'{"id":1}', "n")
    (b'7.0', b'')
    """
    member = member_of(line, members(line), field)
    return b"" if member is None else line[member.value : member.end]
