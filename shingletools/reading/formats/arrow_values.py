"""Columns of Arrow as values of JSON. Every type has such values."""

import base64
import math
from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from itertools import islice
from typing import Any, Literal
from uuid import UUID

import numpy as np
import orjson

from shingletools.record.wire import EACH, steps_of
from shingletools.system.errors import Failed, printable, shown
from shingletools.system.lazy_imports import needs

pa = needs("--parquet", "pyarrow", "parquet")
types = pa.types

NANOSECONDS = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}
ID_ERRORS = ArithmeticError, AttributeError, TypeError, ValueError  # pyarrow's are some of these
LONG = 1 << 63  # orjson writes no integers from here on, except those of uint64
Times = np.ndarray[Any, np.dtype[np.datetime64]]
Texts = Sequence[str]  # paths below a value, of which bytes are text


def paths_below(name: str, fields: Sequence[str]) -> Sequence[str]:
    """Returns the rest of the paths that begin with a name; empty for the name itself.

    >>> paths_below("a", ["a", "a.b", "ab"])
    ['', 'b']
    >>> paths_below("a", ["a[].b"]), paths_below("[]", ["[].b"])
    (['[].b'], ['b'])
    """
    rests = [field[len(name) :] for field in fields if field.startswith(name)]
    return [rest.removeprefix(".") for rest in rests if rest[:1] in ("", ".", "[")]


def check_columns(file: str, columns: Sequence[str], needed: Sequence[str]) -> None:
    """Raises Failed if a field that is needed cannot be there."""
    for field in needed:
        if columns.count(field) > 1:
            raise Failed(f"{printable(file)}: two columns {shown(field)}")
        if field not in columns and steps_of(field)[0] not in columns:
            there = ", ".join(map(shown, columns)) or "none"
            meant = f"; --{field} NAME says which is meant" if field in ("id", "text") else ""
            raise Failed(f"{printable(file)}: no column {shown(field)} among {there}{meant}")


def is_text(kind: Any) -> bool:
    return bool(types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind))


def is_bytes(kind: Any) -> bool:
    whole = types.is_binary(kind) or types.is_large_binary(kind) or types.is_fixed_size_binary(kind)
    return bool(whole or types.is_binary_view(kind))


def is_list(kind: Any) -> bool:
    views = types.is_list_view(kind) or types.is_large_list_view(kind)
    return bool(views or types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind))


def json_values(array: Any, texts: Texts = ()) -> list[Any]:
    """Returns the values of an array as orjson writes them. Raises UnicodeDecodeError for text that is not UTF-8.

    >>> json_values(pa.array([[1.5], None, [float("nan")]]))
    [[1.5], None, ['NaN']]
    >>> json_values(pa.array([b"a"])), json_values(pa.array([b"a"]), [""])
    (['YQ=='], ['a'])
    """
    return next(values for has, values in VALUES if has(array.type))(array, texts)


def converted(convert: Callable[[Any], Any], values: Iterable[Any]) -> list[Any]:
    return [None if value is None else convert(value) for value in values]


def dictionary_values(array: Any, texts: Texts) -> list[Any]:
    array = without_views(array)
    return json_values(array.dictionary.take(array.indices), texts)


def without_views(array: Any) -> Any:
    """Returns the array, with a copy of a dictionary of views, from which Arrow takes no values."""
    kind = array.type.value_type if types.is_dictionary(array.type) else None
    if kind is None or not (types.is_string_view(kind) or types.is_binary_view(kind)):
        return array
    values = array.dictionary.cast(pa.large_string() if is_text(kind) else pa.large_binary())
    return pa.DictionaryArray.from_arrays(array.indices, values)


def struct_values(array: Any, texts: Texts) -> list[Any]:
    names = [field.name for field in array.type]
    columns = [json_values(each, paths_below(name, texts)) for name, each in zip(names, array.flatten(), strict=True)]
    rows = zip(*columns, strict=True) if columns else [()] * len(array)
    present = array.is_valid().to_pylist()
    return [dict(zip(names, row, strict=True)) if there else None for row, there in zip(rows, present, strict=True)]


def map_values(array: Any, texts: Texts) -> list[Any]:
    entries = pa.struct([array.type.key_field, array.type.item_field])
    maps = json_values(array.cast(pa.list_(entries)), texts)
    return converted(lambda each: {as_name(key): value for key, value in map(dict.values, each)}, maps)


def as_name(key: Any) -> str:
    return key if isinstance(key, str) else orjson.dumps(key).decode()


def list_values(array: Any, texts: Texts) -> list[Any]:
    elements = iter(json_values(array.flatten(), paths_below(EACH, texts)))
    return converted(lambda size: list(islice(elements, size)), array.value_lengths().to_pylist())


def bytes_values(array: Any, texts: Texts) -> list[Any]:
    return converted(bytes.decode if "" in texts else lambda value: base64.b64encode(value).decode(), array.to_pylist())


def number_values(array: Any, _texts: Texts) -> list[Any]:
    return converted(json_number, array.to_pylist())


def json_number(value: float) -> float | str:
    """Returns a number as a float, or its name if JSON has no such number."""
    value = float(value)  # decimals, and numpy's of 16 bits
    if math.isfinite(value):
        return value
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def decimal_values(array: Any, texts: Texts) -> list[Any]:
    if array.type.scale > 0:
        return number_values(array, texts)
    return converted(whole_number, array.to_pylist())


def whole_number(value: Any) -> int | orjson.Fragment:
    """Returns an integer of any size."""
    return int(value) if abs(value) < LONG else orjson.Fragment(str(int(value)))


def integers(array: Any) -> Any:
    """Returns the integers by which Arrow represents times."""
    return array.view(pa.int32() if array.type.bit_width == pa.int32().bit_width else pa.int64())


def instant_values(array: Any, _texts: Texts) -> list[Any]:
    """Returns dates and times, of which datetime has only those of 9999 years."""
    kind = array.type
    unit: Literal["D", "us", "ns"] = "D"
    stored, zone = "D" if types.is_date32(kind) else "ms", ""
    if types.is_timestamp(kind):
        unit, stored, zone = "ns" if kind.unit == "ns" else "us", kind.unit, "Z" if kind.tz else ""
    numbers: Times = integers(array).fill_null(0).to_numpy(zero_copy_only=False).astype(f"datetime64[{stored}]")
    written = np.datetime_as_string(numbers, unit=unit, casting="unsafe").tolist()
    present = array.is_valid().to_pylist()
    return [value + zone if there else None for value, there in zip(written, present, strict=True)]


def time_values(array: Any, _texts: Texts) -> list[Any]:
    unit = NANOSECONDS[array.type.unit]
    return converted(lambda value: time_of_day(value * unit), integers(array).to_pylist())


def time_of_day(nanoseconds: int) -> str:
    """Returns a time with microseconds or nanoseconds, if it has such.

    >>> time_of_day(3600 * 10**9), time_of_day(1000), time_of_day(1)
    ('01:00:00', '00:00:00.000001', '00:00:00.000000001')
    """
    seconds, rest = divmod(nanoseconds, 10**9)
    fraction = f".{rest:09d}".removesuffix("000") if rest else ""
    return f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}{fraction}"


def duration_values(array: Any, _texts: Texts) -> list[Any]:
    unit = NANOSECONDS[array.type.unit]
    return converted(lambda value: interval(0, 0, value * unit), integers(array).to_pylist())


def interval(months: int, days: int, nanoseconds: int) -> str:
    """Returns a length of time as ISO 8601 has it.

    >>> interval(14, 3, 1_500_000_000), interval(0, 0, -1), interval(0, 0, 0), interval(1, 0, 0)
    ('P14M3DT1.5S', 'PT-0.000000001S', 'PT0S', 'P1M')
    """
    date = f"{months}M" * bool(months) + f"{days}D" * bool(days)
    if date and not nanoseconds:
        return f"P{date}"
    seconds, rest = divmod(abs(nanoseconds), 10**9)
    return f"P{date}T{'-' * (nanoseconds < 0)}{seconds}" + f".{rest:09d}".rstrip("0").rstrip(".") + "S"


def is_time(kind: Any) -> bool:
    return bool(types.is_temporal(kind) and not types.is_interval(kind))


def is_number_or_text(kind: Any) -> bool:
    return bool(types.is_integer(kind) or types.is_decimal(kind) or is_text(kind))


def id_array(ids: Sequence[Any], kind: Any) -> Any:
    """Returns ids, as JSON has them, as an array of a type that ids may have.

    Raises ID_ERRORS if the type does not hold them.

    >>> id_array(["01:00:00", None], pa.time32("s")).to_pylist()
    [datetime.time(1, 0), None]
    """
    if is_bytes(kind):
        made = pa.array(converted(str.encode, ids), kind)
    elif is_time(kind):
        numbers = converted(lambda text: time_number(text, kind), ids)
        made = pa.array(numbers, pa.int32() if kind.bit_width == pa.int32().bit_width else pa.int64()).view(kind)
    elif isinstance(kind, pa.UuidType):
        made = pa.array(converted(lambda text: UUID(text).bytes, ids), kind)
    else:
        return pa.array(ids, kind)
    if json_values(made, [""]) != [*ids]:
        raise ValueError
    return made


def time_number(text: str, kind: Any) -> int:
    """Returns the integer by which Arrow represents a time."""
    if types.is_duration(kind):
        return int(Decimal(text.removeprefix("PT").removesuffix("S")) * 10**9) // NANOSECONDS[kind.unit]
    unit: Any = "D" if types.is_date32(kind) else "ms" if types.is_date64(kind) else kind.unit
    day = "1970-01-01T" if types.is_time(kind) else ""
    return int(np.datetime64(day + text.removesuffix("Z"), unit).astype(np.int64))


# Whether a type is one of these, and the function that reads its arrays
VALUES: Sequence[tuple[Callable[[Any], bool], Callable[[Any, Texts], list[Any]]]] = (
    (is_text, lambda array, _: array.to_pylist()),
    (types.is_integer, lambda array, _: array.to_pylist()),
    (types.is_boolean, lambda array, _: array.to_pylist()),
    (types.is_null, lambda array, _: array.to_pylist()),
    (lambda kind: isinstance(kind, pa.UuidType), lambda array, _: converted(str, array.to_pylist())),
    (lambda kind: isinstance(kind, pa.BaseExtensionType), lambda array, texts: json_values(array.storage, texts)),
    (types.is_dictionary, dictionary_values),
    (types.is_struct, struct_values),
    (types.is_map, map_values),
    (is_list, list_values),
    (is_bytes, bytes_values),
    (types.is_floating, number_values),
    (types.is_decimal, decimal_values),
    (types.is_timestamp, instant_values),
    (types.is_date, instant_values),
    (types.is_time, time_values),
    (types.is_duration, duration_values),
    (types.is_interval, lambda array, _: converted(lambda each: interval(*each), array.to_pylist())),
    (lambda _: True, lambda array, _: converted(str, array.to_pylist())),
)
