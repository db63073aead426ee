"""The order of values of fields: exact numbers first, then strings by code points."""

from decimal import Context, Decimal, InvalidOperation

import orjson

from shingletools.record.json_members import member_of, members

Value = tuple[Decimal, str]  # a number and "", or BEYOND and a string
BEYOND = Decimal("Infinity")
EXACT = Context(prec=1, traps=[InvalidOperation])  # Decimal() raises with it, but does not round to its precision


def value_of(text: bytes) -> Value | None:
    """A JSON value in a form that can be compared; None unless it is a number or a string.

    >>> value_of(b"0.10") == value_of(b"1e-1"), value_of(b"9007199254740993") > value_of(b"9007199254740992")
    (True, True)
    >>> value_of(b'"a"') > value_of(b"1e99"), value_of(b"true"), value_of(b"")
    (True, None, None)
    """
    if text[:1] == b'"':
        return BEYOND, orjson.loads(text)
    if text[:1] in b"-0123456789" and text:
        try:
            return Decimal(text.decode(), EXACT), ""
        except InvalidOperation:  # an exponent of 19 digits: the value is 0 or nearly, since larger ones are rejected
            return Decimal(0), ""
    return None


def value_in(line: bytes, field: str) -> Value | None:
    """The value of a field in a line of valid JSON, in a form that can be compared; None if there is none.

    >>> value_in(b'{"id":1,"n":7}', "n"), value_in(b'{"id":1,"n":null}', "n"), value_in(b'{"id":1}', "n")
    ((Decimal('7'), ''), None, None)
    >>> value_in(b'{"id":1,"meta":{"n":7}}', "meta.n")
    (Decimal('7'), '')
    """
    return value_of(text_in(line, field))


def text_in(line: bytes, field: str) -> bytes:
    """The value of a field in a line of valid JSON, as it is spelled; b"" if there is none.

    >>> text_in(b'{"id":1,"n":7.0}', "n"), text_in(b'{"id":1}', "n")
    (b'7.0', b'')
    """
    member = member_of(line, members(line), field)
    return b"" if member is None else line[member.value : member.end]
