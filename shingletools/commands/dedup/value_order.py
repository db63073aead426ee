"""The order of field values: exact numbers or dates if all values are such, or a form that the user names.

As text, numbers come first, then strings by code points.
"""

import re
from collections.abc import Set as AbstractSet
from datetime import UTC, datetime, timedelta
from decimal import Context, Decimal, InvalidOperation

import orjson

from shingletools.commands.dedup.spec import DATED, NUMBER, TEXT
from shingletools.system.errors import shown

Value = tuple[Decimal, str]  # a number and "", or BEYOND and a string
BEYOND = Decimal("Infinity")
EXACT = Context(prec=1, traps=[InvalidOperation])  # Decimal() raises with it, but does not round to its precision
DATE, OTHER = "date", "other"  # forms of values, with NUMBER, if the user names none
SPELLED = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,9})?")  # a number in a string
ISO = re.compile(
    r"([0-9]{4}-[0-9]{2})(-[0-9]{2})?"
    r"(?:[T ]([0-9]{2}:[0-9]{2})(?:(:[0-9]{2})(?:[.,]([0-9]+))?)?(Z|[+-][0-9]{2}:[0-9]{2})?)?"
)
BEGINNING = datetime(1, 1, 1, tzinfo=UTC)


def value_of(text: bytes) -> Value | None:
    """Returns a JSON value as something comparable; None unless it is a number, or a string that is not blank.

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


def form_of(value: Value, wanted: str = "") -> str:
    """Returns the form in which a value can be read: `wanted` or OTHER; without `wanted`, NUMBER, DATE or OTHER.

    >>> [form_of((BEYOND, text)) for text in (" 007", "2024-09", "2024-09-01T10:30Z", "9/1/2024", "2024-02-30")]
    ['number', 'date', 'date', 'other', 'other']
    >>> form_of((BEYOND, "9/1/2024"), "date:%m/%d/%Y"), form_of((Decimal(7), ""), "date:%Y")
    ('date:%m/%d/%Y', 'other')
    """
    for form in (wanted,) if wanted else (NUMBER, DATE):
        try:
            as_form(value, form)
        except ValueError:
            continue
        return form
    return OTHER


def as_form(value: Value, form: str) -> Value:
    """Returns the value in which it is compared; raises ValueError if it does not read as that."""
    number, text = value
    if form in (TEXT, OTHER) or (form == NUMBER and number != BEYOND):
        return value
    if number != BEYOND:
        raise ValueError(form)
    if form == NUMBER:
        if not SPELLED.fullmatch(text.strip()):
            raise ValueError(form)
        return Decimal(text.strip(), EXACT), ""
    return instant(text) if form == DATE else since(datetime.strptime(text, form.removeprefix(DATED))), ""


def instant(text: str) -> Decimal:
    """Returns the seconds up to an ISO 8601 date, which is in UTC unless it names a zone. Raises ValueError.

    >>> instant("2024-09-01 02:00+02:00") == instant("2024-09")
    True
    >>> instant("2024-09-01T00:00:00.000000001") - instant("2024-09")
    Decimal('1E-9')
    """
    found = ISO.fullmatch(text)
    if found is None or (found[3] and not found[2]):
        raise ValueError(text)
    month, day, time, seconds, fraction, zone = found.groups()
    moment = datetime.fromisoformat(f"{month}{day or '-01'}T{time or '00:00'}{seconds or ''}{zone or ''}")
    return since(moment) + Decimal(f"0.{fraction or 0}")


def since(moment: datetime) -> Decimal:
    """Returns the seconds up to a time."""
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return Decimal((moment - BEGINNING) // timedelta(microseconds=1)).scaleb(-6)


def common(forms: AbstractSet[str]) -> str:
    """Returns the form in which values of these forms are compared; OTHER if that is in doubt.

    >>> common({NUMBER}), common({NUMBER, DATE}), common(set())
    ('number', 'other', 'text')
    """
    return OTHER if len(forms) > 1 else next(iter(forms), TEXT)


def in_doubt(field: str, wanted: str) -> str:
    """Returns why values of a field cannot be compared."""
    if wanted:
        return f"--as {wanted}: not all values of the field {shown(field)} read so"
    return (
        f"--keep: values of the field {shown(field)} are neither all numbers nor all dates such as 2026-01-31: "
        "--as number, --as date:%d/%m/%Y or --as text says what they are"
    )
