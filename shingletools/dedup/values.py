"""Values of fields in an order: numbers, exactly, then strings by code points."""

from decimal import Context, Decimal, InvalidOperation

import orjson

from shingletools.records import member_of, members

Value = tuple[Decimal, str]  # a number and "", or BEYOND and a string: numbers come first
BEYOND = Decimal("Infinity")
EXACT = Context(prec=1, traps=[InvalidOperation])  # with which what is no decimal is an error; digits are kept anyway


def value_of(text: bytes) -> Value | None:
    """A JSON value to be compared; None for what is neither a number nor a string, and for no value.

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
        except InvalidOperation:  # an exponent of 19 digits, below 0 or of 0: above, it is no JSON that is taken
            return Decimal(0), ""
    return None


def value_in(line: bytes, field: str) -> Value | None:
    """The value of a field of a record that is known to be JSON; None if there is none to be compared.

    >>> value_in(b'{"id":1,"n":7}', "n"), value_in(b'{"id":1,"n":null}', "n"), value_in(b'{"id":1}', "n")
    ((Decimal('7'), ''), None, None)
    >>> value_in(b'{"id":1,"meta":{"n":7}}', "meta.n")
    (Decimal('7'), '')
    """
    member = member_of(line, members(line), field)
    return None if member is None else value_of(line[member.value : member.end])
