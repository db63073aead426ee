"""Columns of Arrow as values of JSON: how each type is read, and what its values become."""

import base64
import math
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import Any, NamedTuple

import orjson

from shingletools.system.deferred import needs
from shingletools.system.errors import Failed, printable, shown

pa = needs("--parquet", "pyarrow", "parquet")
types = pa.types

Convert = Callable[[Any], Any]


class JsonColumn(NamedTuple):
    """A column, and how its values become those of JSON."""

    name: str
    head: bytes  # what stands before a value, but for the comma or the brace
    kind: Any  # the type as which it is read
    convert: Convert | None

    @classmethod
    def of(cls, file: str, field: Any, texts: Sequence[str]) -> "JsonColumn":
        """Raises Failed for a type that JSON has no value for."""
        try:
            convert = converter(field.type, paths_below(field.name, texts))
        except TypeError as error:
            raise Failed(f"{printable(file)}: column {shown(field.name)}: {error}") from None
        return cls(field.name, orjson.dumps(field.name) + b":", as_read(field.type), convert)

    def values(self, array: Any) -> list[Any]:
        """Raises ValueError or OverflowError for a value that Python has not."""
        values: list[Any] = (array if array.type == self.kind else array.cast(self.kind)).to_pylist()
        if self.convert is None:
            return values
        return [None if value is None else self.convert(value) for value in values]


def paths_below(name: str, fields: Sequence[str]) -> Sequence[str]:
    """The rest of the paths that begin with a name; empty for the name itself.

    >>> paths_below("a", ["a", "a.b", "ab"])
    ['', 'b']
    """
    return [field[len(name) + 1 :] for field in fields if f"{field}.".startswith(f"{name}.")]


def check_columns(file: str, columns: Sequence[str], needed: Sequence[str]) -> None:
    """Raises Failed if a field that is needed cannot be there."""
    for field in needed:
        if columns.count(field) > 1:
            raise Failed(f"{printable(file)}: two columns {shown(field)}")
        if field not in columns and field.partition(".")[0] not in columns:
            raise Failed(
                f"{printable(file)}: no column {shown(field)} among {', '.join(map(shown, columns)) or 'none'}"
            )


def is_text(kind: Any) -> bool:
    return types.is_string(kind) or types.is_large_string(kind) or is_view(kind, "is_string_view")


def is_bytes(kind: Any) -> bool:
    whole = types.is_binary(kind) or types.is_large_binary(kind) or types.is_fixed_size_binary(kind)
    return whole or is_view(kind, "is_binary_view")


def is_view(kind: Any, check: str) -> bool:
    """By a check that pyarrow has only since 16."""
    return hasattr(types, check) and bool(getattr(types, check)(kind))


class Kind(NamedTuple):
    """Types that are handled in one way."""

    has: tuple[Callable[[Any], bool], ...]  # whether a type is one of these
    converter: Callable[[Any, Sequence[str]], Convert | None]  # see `converter`
    read: Callable[[Any], Any] = lambda kind: kind  # see `as_read`


def converter(kind: Any, texts: Sequence[str]) -> Convert | None:
    """What makes JSON's value of one of a type, None if it is one. Raises TypeError for a type without such values.

    texts: paths below the value, of which bytes are text.
    """
    return handling_of(kind).converter(kind, texts)


def as_read(kind: Any) -> Any:
    """A type in which times are no objects of a library that may not be there: UTC, and nanoseconds as integers."""
    return handling_of(kind).read(kind)


def handling_of(kind: Any) -> Kind:
    """Raises TypeError for a type that JSON has no value for."""
    for each in KINDS:
        if any(has(kind) for has in each.has):
            return each
    raise TypeError(f"{kind}, for which JSON has no value")


def of_struct(kind: Any, texts: Sequence[str]) -> Convert:
    inner = {field.name: converter(field.type, paths_below(field.name, texts)) for field in kind}
    return lambda value: {name: applied(inner[name], each) for name, each in value.items()}


def of_map(kind: Any, _texts: Sequence[str]) -> Convert:
    if not is_text(kind.key_type):
        raise TypeError(f"a map with keys of {kind.key_type}, where JSON needs text")
    items = converter(kind.item_type, ())
    return lambda value: {name: applied(items, each) for name, each in value}


def of_list(kind: Any, _texts: Sequence[str]) -> Convert:
    elements = converter(kind.value_type, ())
    return lambda value: [applied(elements, each) for each in value]


def of_bytes(_kind: Any, texts: Sequence[str]) -> Convert:
    return bytes.decode if "" in texts else lambda value: base64.b64encode(value).decode()


def of_timestamp(kind: Any, _texts: Sequence[str]) -> Convert:
    return partial(nanoseconds if kind.unit == "ns" else instant, zone="Z" if kind.tz else "")


def applied(convert: Convert | None, value: Any) -> Any:
    return value if convert is None or value is None else convert(value)


def number(value: float) -> float | str:
    """A float as JSON has it, or the name of one that it has not."""
    if math.isfinite(value):
        return value
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def instant(value: datetime, zone: str) -> str:
    """A time with microseconds.

    >>> instant(datetime(2020, 1, 2, 3, 4, 5), "Z")
    '2020-01-02T03:04:05.000000Z'
    """
    return value.isoformat(timespec="microseconds") + zone


def nanoseconds(value: int, zone: str) -> str:
    """A time that is given in nanoseconds since 1970.

    >>> nanoseconds(1, ""), nanoseconds(-1, "Z")
    ('1970-01-01T00:00:00.000000001', '1969-12-31T23:59:59.999999999Z')
    """
    seconds, rest = divmod(value, 10**9)
    return f"{datetime(1970, 1, 1) + timedelta(seconds=seconds):%Y-%m-%dT%H:%M:%S}.{rest:09d}{zone}"


KINDS = (
    Kind((lambda kind: isinstance(kind, pa.BaseExtensionType),),
         lambda kind, texts: converter(kind.storage_type, texts), lambda kind: as_read(kind.storage_type)),
    Kind((types.is_dictionary,), lambda kind, texts: converter(kind.value_type, texts)),
    Kind((types.is_struct,), of_struct,
         lambda kind: pa.struct([pa.field(field.name, as_read(field.type)) for field in kind])),
    Kind((types.is_map,), of_map, lambda kind: pa.map_(kind.key_type, as_read(kind.item_type))),
    Kind((types.is_list,), of_list, lambda kind: pa.list_(as_read(kind.value_type))),
    Kind((types.is_large_list,), of_list, lambda kind: pa.large_list(as_read(kind.value_type))),
    Kind((types.is_fixed_size_list,), of_list, lambda kind: pa.list_(as_read(kind.value_type), kind.list_size)),
    Kind((is_bytes,), of_bytes),
    Kind((types.is_timestamp,), of_timestamp,
         lambda kind: pa.int64() if kind.unit == "ns" else pa.timestamp(kind.unit)),
    Kind((types.is_floating,), lambda *_: number),
    Kind((types.is_decimal,), lambda *_: float),
    Kind((lambda kind: types.is_temporal(kind) and not types.is_duration(kind),), lambda *_: str),
    Kind((is_text, types.is_boolean, types.is_integer, types.is_null), lambda *_: None),
)  # fmt: skip
