"""Turns values that decide which document is preferred into bytes in the same order."""

import pyarrow as pa

from shingletools.commands.dedup.spec import MOST
from shingletools.commands.dedup.value_order import STRING_RANK, Value, as_form, form_of, value_of
from shingletools.spark.arrow_batches import Batches, from_rows

FORMS = pa.schema([("form", pa.string())])
WORST = b"\xff"
EXPONENT_OFFSET = 1 << 62  # makes exponents positive
INVERTED = bytes(range(255, -1, -1))


def key_of(value: Value | None, keep: str) -> bytes:
    """Returns bytes that are less, compared byte by byte, for a value that is preferred; WORST for what is no value.

    >>> from decimal import Decimal
    >>> some = [(Decimal(text), "") for text in "-1e9 -20 -3 -2.5 0 0.5 1 1.25 9 10 1e30".split()]
    >>> some += [(STRING_RANK, text) for text in ("", "a", "a\\0", "a\\0b", "ab", "é")]
    >>> keys = [key_of(value, "min:n") for value in some]
    >>> keys == sorted(keys), key_of((Decimal("0.10"), ""), "max:n") == key_of((Decimal("1e-1"), ""), "max:n")
    (True, True)
    >>> keys = [key_of(value, "max:n") for value in [*reversed(some), None]]
    >>> keys == sorted(keys)
    True
    """
    if value is None:
        return WORST
    number, text = value
    if number == STRING_RANK:  # no text is the beginning of another, so that they can be inverted
        key = b"\x83" + text.encode().replace(b"\0", b"\0\1") + b"\0\0"
    elif not number:
        key = b"\x81"
    else:
        digits = "".join(map(str, number.as_tuple().digits)).lstrip("0").rstrip("0").encode()
        size = (number.adjusted() + EXPONENT_OFFSET).to_bytes(8, "big") + digits + b"\0"
        key = b"\x82" + size if number > 0 else b"\x80" + size.translate(INVERTED)
    return key.translate(INVERTED) if keep.startswith(MOST) else key


def to_forms(wanted: str, batches: Batches) -> Batches:
    """Takes values, as they are spelled, to FORMS: the different forms in which they can be read. Memory: a batch."""
    for batch in batches:
        found = [value_of(text) for text in batch.column(0).to_pylist()]
        yield from_rows(FORMS, [(form,) for form in {form_of(each, wanted) for each in found if each is not None}])


def to_keys(form: str, keep: str, batches: Batches) -> Batches:
    """Replaces values, as they are spelled, by keys; other columns stay. Memory: a batch."""
    for batch in batches:
        place = batch.schema.get_field_index("value")
        found = [value_of(text) for text in batch.column(place).to_pylist()]
        keys = [key_of(None if each is None else as_form(each, form), keep) for each in found]
        yield batch.set_column(place, "value", pa.array(keys, pa.binary()))
