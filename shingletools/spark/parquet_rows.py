"""Parquet: rows become records, and records rows."""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import reduce
from operator import and_
from types import NoneType

import pyarrow as pa
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import (
    ArrayType,
    BinaryType,
    BooleanType,
    CharType,
    DataType,
    DoubleType,
    LongType,
    MapType,
    StringType,
    StructField,
    StructType,
    VarcharType,
)

from shingletools.record import wire
from shingletools.record.stage import Filter
from shingletools.record.wire import AGAINST
from shingletools.running.steps import Step
from shingletools.spark.batches import Batches, of_rows, through
from shingletools.system import errors
from shingletools.system.errors import Failed

TIME = "yyyy-MM-dd'T'HH:mm:ss.SSSSSS"
TYPES = {
    NoneType: "null",
    bool: "boolean",
    int: "integer",
    float: "float",
    str: "string",
    list: "array",
    dict: "object",
}
LARGE = "large integer"
LONG = (1 << 31) - 1  # most characters of a string; by default, Spark's reader takes 20 million
EXACT = 1 << 53  # a float has all integers up to this
Field = tuple[StructField, Column]  # a field of rows, and the column with its values
KINDS = pa.schema([("field", pa.string()), ("kind", pa.string())])


def fields_of(rows: DataFrame) -> list[Field]:
    return [(field, F.col("`" + field.name.replace("`", "``") + "`")) for field in rows.schema]


def as_json(fields: Iterable[Field], texts: Collection[str], judged: Collection[str] | None = None) -> Column:
    """Rows as JSON records. A record with text that is not UTF-8 gets such a byte at its end, and so is rejected.

    texts: fields in which bytes are text. judged: the fields whose text is checked; None for all.
    """
    columns, all_text = [], F.lit(True)
    fields = list(fields)
    whole = {field.name for field, _ in fields}
    for field, column in fields:
        value, kind = column, field.dataType
        for name in texts:
            if name == field.name or (name not in whole and name.startswith(f"{field.name}.")):
                value, kind = as_text(value, kind, name[len(field.name) + 1 :].split(".") if name != field.name else [])
        columns.append(value.alias(field.name))
        try:
            valid = is_text(value, kind)
        except Failed as error:
            raise Failed(f"column {errors.shown(field.name)}: {error}") from None
        if judged is None or is_read(field.name, judged):
            all_text &= valid
    # Without these formats, Spark would cut off microseconds
    formats = {"timestampFormat": f"{TIME}X", "timestampNTZFormat": TIME}
    record = F.to_json(F.struct(*columns), {"ignoreNullFields": "false", "timeZone": "UTC", **formats}).cast("binary")
    return F.when(all_text, record).otherwise(F.concat(record, F.unhex(F.lit("FF"))))


def is_read(column: str, names: Iterable[str]) -> bool:
    """Whether a column is one of these fields, or has one inside."""
    return any(f"{name}.".startswith(f"{column}.") for name in names)


def as_text(value: Column, kind: DataType, path: Sequence[str]) -> tuple[Column, DataType]:
    """A value and its type, with bytes at this path inside structs as text."""
    if not path:
        return (value.cast("string"), StringType()) if isinstance(kind, BinaryType) else (value, kind)
    first, *rest = path
    if not isinstance(kind, StructType) or first not in kind.names:
        return value, kind
    inner, its = as_text(value.getField(first), kind[first].dataType, rest)
    if its == kind[first].dataType:
        return value, kind
    fields = [StructField(each.name, its if each.name == first else each.dataType) for each in kind]
    return value.withField("`" + first.replace("`", "``") + "`", inner), StructType(fields)


def is_text(value: Column, kind: DataType) -> Column:
    """Whether all strings in a value are UTF-8. Raises Failed for a map that JSON cannot write as an object."""
    match kind:
        case StringType() | VarcharType() | CharType():
            found = F.is_valid_utf8(value)
        case ArrayType():
            found = F.forall(value, lambda each: is_text(each, kind.elementType))
        case MapType():
            if isinstance(kind.keyType, BinaryType | ArrayType | MapType | StructType):
                raise Failed(f"a map with keys of {kind.keyType.simpleString()}, but JSON needs text")
            found = is_text(F.map_keys(value), ArrayType(kind.keyType))
            found &= is_text(F.map_values(value), ArrayType(kind.valueType))
        case StructType():
            found = reduce(and_, (is_text(value[field.name], field.dataType) for field in kind), F.lit(True))
        case _:
            found = F.lit(True)
    return F.coalesce(found, F.lit(True))


def write(spark: SparkSession, lines: str | None, path: str, gzip: bool, empty: StructType) -> None:
    """Writes records as Parquet. lines: a pattern of folders; empty: the columns if there are none. Raises Failed."""
    found = None
    if lines is not None:
        below = {"recursiveFileLookup": "true", "lineSep": "\n"}
        refuse_mixed(spark.read.options(**below).text(lines), path)
        found = spark.read.options(
            mode="FAILFAST", columnNameOfCorruptRecord="\0", maxStringLen=str(LONG), **below
        ).json(lines)
    if found is None or not found.columns:
        found = spark.createDataFrame([], empty)
    found.write.parquet(path, compression="gzip" if gzip else None)


def refuse_mixed(values: DataFrame, path: str) -> None:
    """Raises Failed if columns cannot hold the records (value) unchanged."""
    found: dict[str, set[str]] = {}
    for row in through(values, kinds, KINDS).distinct().orderBy("field").toLocalIterator():
        found.setdefault(row["field"], set()).add(row["kind"])
    for field, some in found.items():
        types = some - {"null"}
        numbers = types & {"integer", LARGE, "float"}
        cause = ""
        if len(types - numbers) + (len(numbers) > 0) > 1 or numbers >= {LARGE, "float"}:
            cause = f"has several types ({', '.join(sorted(types))}), but a column has one"
        elif types == {"object"} and not any(other.startswith(f"{field}.") for other in found):
            cause = "is {} in all records, which no column can hold"
        if cause:
            raise Failed(f"{errors.printable(path)}: {errors.shown(field)} {cause}")


def kinds(batches: Batches) -> Batches:
    found = {
        each
        for batch in batches
        for line in batch.column("value").to_pylist()
        for each in kinds_in(wire.parse_json(line.encode()), "")
    }
    yield of_rows(KINDS, found)


def kinds_in(value: object, path: str) -> Iterator[tuple[str, str]]:
    """The paths and kinds of all values in a value.

    >>> sorted(kinds_in({"a": [1, {"b": None}]}, ""))
    [('a', 'array'), ('a[]', 'integer'), ('a[]', 'object'), ('a[].b', 'null')]
    """
    if path:
        yield path, LARGE if type(value) is int and abs(value) > EXACT else TYPES[type(value)]
    if isinstance(value, dict):
        for name, each in value.items():
            field = re.sub(r"([\\.[])", r"\\\1", name)
            yield from kinds_in(each, f"{path}.{field}" if path else field)
    elif isinstance(value, list):
        for each in value:
            yield from kinds_in(each, f"{path}[]")


def payload_type(stage: Filter) -> DataType:
    return ArrayType(StringType()) if stage.listed else StringType()


def columns(step: Step) -> StructType:
    """The columns of Parquet if a command wrote no records."""
    text = StringType()
    kinds: dict[str, DataType] = {step.id_field: text}
    if (each := step.stage.record_by_record) is not None:
        kinds |= {each.produces: payload_type(each), **dict.fromkeys((*each.adds, "via"), text)}
    elif step.name == "simjoin":
        kinds = {"a": text, "b": text, "similarity": DoubleType()}
        if step.stage.against:
            kinds[AGAINST] = BooleanType()
    elif step.name == "simgroup":
        kinds = {"group": text, "size": LongType(), "members": ArrayType(text)}
    return StructType([StructField(*each) for each in sorted(kinds.items())])
