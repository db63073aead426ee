"""The order of a field's values: as exact numbers if all are numbers, as dates if all are dates, or as the user says.

As text, numbers come first, then strings in the order of their code points.
"""

import re
from collections.abc import Set as AbstractSet
from datetime import UTC, datetime, timedelta
from decimal import Context, Decimal, InvalidOperation

import orjson

from shingletools.commands.dedup.spec import DATED, NUMBER, TEXT
from shingletools.system.errors import shown

Value = tuple[Decimal, str]  # a number and "", or STRING_RANK and a string, to compare
STRING_RANK = Decimal("Infinity")
NO_ROUNDING = Context(prec=1, traps=[InvalidOperation])  # Decimal() ignores the precision, but raises with it
DATE, OTHER = "date", "other"  # forms of values, with NUMBER, if the user names none
NUMBER_TEXT = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,9})?")  # a number in a string
ISO_DATE = re.compile(
    r"([0-9]{4}-[0-9]{2})(-[0-9]{2})?"
    r"(?:[T ]([0-9]{2}:[0-9]{2})(?:(:[0-9]{2})(?:[.,]([0-9]+))?)?(Z|[+-][0-9]{2}:[0-9]{2})?)?"
)
YEAR_1 = datetime(1, 1, 1, tzinfo=UTC)


def value_of(text: bytes) -> Value | None:
    """Returns a JSON value in a comparable form; None unless it is a number, or a string that is not blank.

    >>> value_of(b"0.10") == value_of(b"1e-1"), value_of(b"9007199254740993") > value_of(b"9007199254740992")
    (True, True)
    >>> value_of(b'"a"') > value_of(b"1e99"), value_of(b"true"), value_of(b'" "'), value_of(b"")
    (True, None, None, None)
    """
    if text[:1] == b'"':
        value = orjson.loads(text)
        return (STRING_RANK, value) if value.strip() else None
    if text[:1] in b"-0123456789" and text:
        try:
            return Decimal(text.decode(), NO_ROUNDING), ""
        except (
            InvalidOperation
        ):  # an exponent of 19 digits: 0 or nearly so, since records with larger values are rejected
            return Decimal(0), ""
    return None


def form_of(value: Value, wanted: str = "") -> str:
    """Returns the form that a value has: `wanted` or OTHER; without `wanted`, NUMBER, DATE or OTHER.

    >>> [form_of((STRING_RANK, text)) for text in (" 007", "2024-09", "2024-09-01T10:30Z", "9/1/2024", "2024-02-30")]
    ['number', 'date', 'date', 'other', 'other']
    >>> form_of((STRING_RANK, "9/1/2024"), "date:%m/%d/%Y"), form_of((Decimal(7), ""), "date:%Y")
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
    """Returns the value to compare in this form. Raises ValueError if it does not have the form."""
    number, text = value
    if form in (TEXT, OTHER) or (form == NUMBER and number != STRING_RANK):
        return value
    if number != STRING_RANK:
        raise ValueError(form)
    if form == NUMBER:
        if not NUMBER_TEXT.fullmatch(text.strip()):
            raise ValueError(form)
        return Decimal(text.strip(), NO_ROUNDING), ""
    return instant(text) if form == DATE else since(datetime.strptime(text, form.removeprefix(DATED))), ""


def instant(text: str) -> Decimal:
    """Returns the seconds from the year 1 to an ISO 8601 date, in UTC unless it names a zone. Raises ValueError.

    >>> instant("2024-09-01 02:00+02:00") == instant("2024-09")
    True
    >>> instant("2024-09-01T00:00:00.000000001") - instant("2024-09")
    Decimal('1E-9')
    """
    parts = ISO_DATE.fullmatch(text)
    if parts is None or (parts[3] and not parts[2]):
        raise ValueError(text)
    month, day, time, seconds, fraction, zone = parts.groups()
    moment = datetime.fromisoformat(f"{month}{day or '-01'}T{time or '00:00'}{seconds or ''}{zone or ''}")
    return since(moment) + Decimal(f"0.{fraction or 0}")


def since(moment: datetime) -> Decimal:
    """Returns the seconds from the year 1 to a time."""
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return Decimal((moment - YEAR_1) // timedelta(microseconds=1)).scaleb(-6)


def common_form(forms: AbstractSet[str]) -> str:
    """Returns the form in which values of these forms are compared; OTHER if there are several.

    >>> common_form({NUMBER}), common_form({NUMBER, DATE}), common_form(set())
    ('number', 'other', 'text')
    """
    return OTHER if len(forms) > 1 else next(iter(forms), TEXT)


def why_incomparable(field: str, wanted: str) -> str:
    """Returns the message for a field whose values cannot be compared."""
    if wanted:
        return f"--as {wanted}: not all values of the field {shown(field)} read so"
    return (
        f"--keep: values of the field {shown(field)} are neither all numbers nor all dates such as 2026-01-31: "
        "--as number, --as date:%d/%m/%Y or --as text says what they are"
    )
