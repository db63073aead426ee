"""Parquet: filters from columns to columns, and lines as columns."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import partial, reduce
from typing import cast

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import types as T
from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_type

from shingletools import kernel
from shingletools.reading.formats.arrow_lines import Fields, line_columns, lines_of
from shingletools.reading.formats.arrow_values import paths_below
from shingletools.record import wire
from shingletools.record.filter_chain import Chain
from shingletools.record.record_batch import RecordBatch
from shingletools.record.stage import Filter
from shingletools.running.steps import Step
from shingletools.spark.arrow_batches import Batches, from_columns, from_rows, through
from shingletools.spark.filters import Counts
from shingletools.spark.lines import GOOD, LINES, bad_row, numbered_lines
from shingletools.spark.read import of_one_split
from shingletools.system import errors
from shingletools.system.errors import Failed

MAX_CHARS = (1 << 31) - 1  # of a string; by default, Spark's reader takes 20 million
NUMBERS = pa.schema({"number": "int64"})


def read_by(filters: Iterable[tuple[Filter, str]]) -> set[str]:
    """Returns the fields that filters read from the input, not from each other."""
    read: set[str] = set()
    made: set[str] = set()
    for stage, id_field in filters:
        read |= {id_field, *stage.read, "via"} - made
        made |= {stage.produces, *stage.adds, "via"}
    return read


def reads_within(filters: Iterable[tuple[Filter, str]], columns: Collection[str]) -> bool:
    """Returns whether filters read a field inside a column, by a path.

    >>> canon = Filter("meta.text", "meta.text", "canon", str)
    >>> reads_within([(canon, "id")], ["id", "meta"]), reads_within([(canon, "id")], ["meta", "meta.text"])
    (True, False)
    """
    paths = {name for stage, id_field in filters for name in (id_field, *stage.read)} - set(columns)
    return any(paths_below(column, [*paths]) for column in columns)


def made_by(filters: Iterable[tuple[Filter, str]], names: Iterable[str]) -> dict[str, T.DataType | None]:
    """Returns the columns after the filters, as a line would have its members, with the types of those that they make.

    >>> shingle = Filter("text", "shingles", "shingle", str)
    >>> {name: kind and kind.simpleString() for name, kind in made_by([(shingle, "id")], ["text", "id"]).items()}
    {'shingles': 'string', 'id': None, 'via': 'string'}
    """
    found: dict[str, T.DataType | None] = dict.fromkeys(names)
    for stage, _ in filters:
        one, other = stage.consumes, stage.produces
        if one in found and not stage.keep:
            found = {other if name == one else name: kind for name, kind in found.items()}
        found |= {other: payload_type(stage), **dict.fromkeys((*stage.adds, "via"), T.StringType())}
    return found


def payload_type(stage: Filter) -> T.DataType:
    """Returns the type of the column that a filter makes."""
    return T.ArrayType(T.StringType()) if stage.listed else T.StringType()


def filter_columns(
    chain: Chain,
    texts: Collection[str],
    counts: Counts,
    made: Mapping[str, pa.DataType | None],
    batches: Batches,
) -> Batches:
    """Takes rows of Parquet (number, row) through filters, which get the columns that they read as lines.

    Gives the columns of LINES, and `row`, which is null for a bad one. Columns that no filter makes are as they were.
    """
    read = read_by(chain.filters)
    for rows in (rows for batch in batches for rows in of_one_split(batch)):
        record = pa.RecordBatch.from_struct_array(rows.column("row"))
        first, numbers = rows.column("first")[0].as_py(), rows.column("number").to_numpy()
        (good,) = chain(RecordBatch(as_lines(texts, record, read)))
        rejections = good.rejected
        values = [wire.parse_json(line) for line in kernel.split_lines(good.lines)]
        places = pa.array([rejection.place for rejection in rejections], pa.int64())
        kept = record.take(pa.array(np.delete(np.arange(len(record)), places)))
        columns = [
            kept.column(name) if kind is None else pa.array([value.get(name) for value in values], kind)
            for name, kind in made.items()
        ]
        row = pa.StructArray.from_arrays(columns, [*made])
        schema = pa.schema([*LINES, ("row", row.type)])
        yield from_columns(schema, step=GOOD, first=first, number=first, offsets=b"", lines=b"", row=row)
        whole = kernel.split_lines(as_lines(texts, record.take(places))) if rejections else []
        bad = [
            (*bad_row(first, int(numbers[each.place]), each.step, each.cause, line), None)
            for each, line in zip(rejections, whole, strict=True)
        ]
        yield from_rows(schema, bad)
        counts.read.add(len(record))
        counts.good.add(len(values))


def as_lines(texts: Collection[str], record: pa.RecordBatch, read: Collection[str] | None = None) -> bytes:
    """Returns rows as lines, perhaps with some fields only."""
    columns = line_columns(record.schema, Fields((), [*texts], read), "--in")
    return b"".join(lines_of([*columns.values()], record.select([*columns])))


def filtered_columns(rows: DataFrame, chain: Chain, texts: Collection[str], counts: Counts) -> DataFrame:
    """Returns rows of Parquet after the filters: the columns of LINES, and `row`."""
    before = {field.name: field.dataType for field in cast(T.StructType, rows.schema["row"].dataType).fields}
    after = made_by(chain.filters, before)
    made = {name: kind and to_arrow_type(kind) for name, kind in after.items()}
    row = T.StructType([T.StructField(name, kind or before[name]) for name, kind in after.items()])
    schema = T.StructType([*from_arrow_schema(LINES), T.StructField("row", row)])
    return through(rows, partial(filter_columns, chain, texts, counts, made), schema)


def check_types(inputs: Sequence[tuple[str, DataFrame]]) -> None:
    """Raises Failed if a column has types in two inputs, each with its path, that no column can hold unchanged."""
    seen: dict[str, tuple[str, T.DataType]] = {}
    for path, rows in inputs:
        for field in cast(T.StructType, rows.schema["row"].dataType).fields:
            first, other = seen.setdefault(field.name, (path, field.dataType))
            if not agree(field.dataType, other):
                kind, other_kind = field.dataType.simpleString(), other.simpleString()
                where = f"--in {errors.printable(path)}: column {errors.shown(field.name)}"
                raise Failed(f"{where}: {kind}, but --in {errors.printable(first)} has {other_kind}")


def union_of_columns(frames: Iterable[DataFrame]) -> DataFrame:
    """Returns the rows (`row`) of all frames, with null for columns that one lacks."""
    return reduce(partial(DataFrame.unionByName, allowMissingColumns=True), [frame.select("row.*") for frame in frames])


def to_numbers(batches: Batches) -> Batches:
    """Takes LINES to the numbers of the lines, one in a row."""
    for some in numbered_lines(batches, None):
        yield from_columns(NUMBERS, number=some.numbers)


def agree(one: T.DataType, other: T.DataType) -> bool:
    """Returns whether a column can hold values of both types unchanged."""
    widened = T.IntegralType, (T.FloatType, T.DoubleType)
    return one == other or any(isinstance(one, kind) and isinstance(other, kind) for kind in widened)


def lines_as_columns(spark: SparkSession, lines: str | None, empty: T.StructType) -> DataFrame:
    """Returns lines of records as rows. lines: a pattern of folders; empty: the columns if there are none."""
    options = {"recursiveFileLookup": "true", "lineSep": "\n", "mode": "FAILFAST", "columnNameOfCorruptRecord": "\0"}
    found = None if lines is None else spark.read.options(**options, maxStringLen=MAX_CHARS).json(lines)
    return found if found is not None and found.columns else spark.createDataFrame([], empty)


def columns_of(step: Step) -> T.StructType:
    """Returns the columns of Parquet if a command wrote no records."""
    text = T.StringType()
    kinds: dict[str, T.DataType] = {step.id_field: text}
    if (each := step.stage.record_by_record) is not None:
        kinds |= {each.produces: payload_type(each), **dict.fromkeys((*each.adds, "via"), text)}
    elif step.name == "simjoin":
        kinds = {"a": text, "b": text, "similarity": T.DoubleType()}
        if step.stage.against:
            kinds[wire.AGAINST] = T.BooleanType()
    elif step.name == "simgroup":
        kinds = {"group": text, "size": T.LongType(), "members": T.ArrayType(text)}
    return T.StructType([T.StructField(*item) for item in sorted(kinds.items())])
