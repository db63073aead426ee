"""From Parquet to Parquet: filters get the columns that they read; all others stay as they are.

The same job also writes rejected rows, each with its record in the column via.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from typing import NamedTuple

import numpy as np
import orjson
import pyarrow as pa
from pyspark.errors import AnalysisException, PySparkException
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import to_arrow_type
from pyspark.sql.types import (
    BinaryType,
    DataType,
    DoubleType,
    FloatType,
    IntegralType,
    StringType,
    StructField,
    StructType,
)

from shingletools.numbers.ranges import stretches
from shingletools.record import wire
from shingletools.record.chain import Chain, Rejection
from shingletools.record.stage import Filter
from shingletools.spark.batches import Batches, of_rows, through
from shingletools.spark.filtered_lines import BAD, LINES, PLACES, REJECTED, about, bad_of, of_splits
from shingletools.spark.parquet_rows import Field, as_json, fields_of, is_read, payload_type
from shingletools.spark.tally import StatsCollector, Tally
from shingletools.system import errors
from shingletools.system.errors import Failed

NO_TEXT = b"\xff\n"  # a line that every filter rejects
REST = "rest"  # members as JSON that Java wrote, since Python would write other JSON
AT_ONCE = 1 << 24  # bytes of lines whose rows are returned together
TEXTS = {pa.binary(): pa.string(), pa.large_binary(): pa.large_string()}
AGAIN = pa.schema([*PLACES, *REJECTED])
Made = Mapping[str, DataType | None]  # columns in order, each with its type if filters make it


def read_by(filters: Iterable[tuple[Filter, str]]) -> set[str]:
    """The fields that filters read from the input, not from each other."""
    read: set[str] = set()
    made: set[str] = set()
    for stage, id_field in filters:
        read |= {id_field, *stage.read, "via"} - made
        made |= {stage.produces, *stage.adds, "via"}
    return read


def reads_within(filters: Iterable[tuple[Filter, str]], columns: Collection[str]) -> bool:
    """Whether filters read a field inside a column, by a path.

    >>> canon = Filter("meta.text", "meta.text", "canon", str)
    >>> reads_within([(canon, "id")], ["id", "meta"]), reads_within([(canon, "id")], ["meta", "meta.text"])
    (True, False)
    """
    paths = {name for stage, id_field in filters for name in (id_field, *stage.read)} - set(columns)
    return any(is_read(column, paths) for column in columns)


def made_by(filters: Iterable[tuple[Filter, str]], names: Iterable[str]) -> Made:
    """The columns after the filters, given their names, as a line would have its members.

    >>> shingle = Filter("text", "shingles", "shingle", str)
    >>> {name: kind and kind.simpleString() for name, kind in made_by([(shingle, "id")], ["text", "id"]).items()}
    {'shingles': 'string', 'id': None, 'via': 'string'}
    """
    found: dict[str, DataType | None] = dict.fromkeys(names)
    for stage, _ in filters:
        one, other = stage.consumes, stage.produces
        if one in found and not stage.keep:
            first = next(name for name in found if name in {one, other})
            found = {other if name == first else name: kind for name, kind in found.items()
                     if name == first or name not in {one, other}}  # fmt: skip
        found |= {other: payload_type(stage), **dict.fromkeys((*stage.adds, "via"), StringType())}
    return found


@dataclass(frozen=True)
class Carrying:
    """Takes rows through filters: rows with SOURCE, perhaps REST, and columns named by their numbers.

    Gives `about`, which is null or describes a rejected row; the columns that filters make; and those of the input,
    some of which only rejected rows keep.
    """

    chain: Chain
    tally: Tally
    read: Mapping[str, str]  # columns of text or integers, and their fields
    rest: bool
    made: Mapping[str, pa.DataType]
    columns: int
    gone: frozenset[int]

    def __call__(self, batches: Batches) -> Batches:
        runs = StatsCollector(self.tally)
        for source, place, rows in of_splits(batches):
            runs.begin(source)
            runs.lines += len(rows)
            lines, rejections = self.chain.work(self.lines_of(rows))
            if len(rejections) < len(rows):
                runs.figures[LINES] = runs.figures.get(LINES, 0) + len(rows) - len(rejections)
            if rejections:
                runs.figures[BAD] = 1
            runs.count(self.chain, len(rows) - len(rejections), rejections)
            yield from self.worked(source, place, rows, lines, rejections)
        runs.end()

    def lines_of(self, rows: pa.RecordBatch) -> bytes:
        """A line for each row, with the fields that filters read."""
        try:
            values = [text_of(rows.column(name)).to_pylist() for name in self.read]
        except UnicodeDecodeError:
            if len(rows) == 1:
                return NO_TEXT
            middle = len(rows) // 2
            return self.lines_of(rows.slice(0, middle)) + self.lines_of(rows.slice(middle))
        # From single values: making each record first, then its JSON, takes three times as long
        members = b",".join(orjson.dumps(name).replace(b"%", b"%%") + b":%b" for name in self.read.values())
        lines = [b"{%b}" % members % row for row in zip(*(map(orjson.dumps, some) for some in values), strict=True)]
        if self.rest:
            rest = rows.column(REST).to_pylist()
            lines = [line[:-1] + b"," + more[1:] for line, more in zip(lines, rest, strict=True)] if lines else rest
        return b"\n".join(lines or [b"{}"] * len(rows)) + b"\n"

    def worked(
        self, source: tuple[int, str, int], place: int, rows: pa.RecordBatch, lines: bytes, rejections: list[Rejection]
    ) -> Batches:
        bad = {each.place: each for each in rejections}
        written = iter(lines.split(b"\n"))
        found = [b"" if number in bad else next(written) for number in range(len(rows))]
        names = ("about", *(f"made{number}" for number in range(len(self.made))), *map(str, range(self.columns)))
        for part in stretches(np.fromiter(map(len, found), np.int64), AT_ONCE):
            here = range(part.start, part.stop)
            some = rows.slice(part.start, len(here))
            rejected: list[bytes | None] = [None] * len(here)
            for number in bad.keys() & here:
                rejected[number - part.start] = about(*source, place + number, bad[number].step, bad[number].cause)
            records = [wire.parse_json(line) if line else {} for line in found[part]]
            made = [pa.array([record.get(name) for record in records], kind) for name, kind in self.made.items()]
            only = pa.array([number - part.start if number in bad else None for number in here], pa.int64())
            columns = [some.column(str(number)) for number in range(self.columns)]
            columns = [each.take(only) if number in self.gone else each for number, each in enumerate(columns)]
            yield pa.RecordBatch.from_arrays([pa.array(rejected, pa.string()), *made, *columns], names)


def text_of(values: pa.Array) -> pa.Array:
    """Values as they are, but bytes as text."""
    return values.view(TEXTS.get(values.type, values.type))


def rejected_rows(chain: Chain, batches: Batches) -> Batches:
    """Takes rejected rows through the filters as lines, to get the cause and the line at that point.

    A filter with a time limit may accept a row now that it has rejected before: the row stays rejected.
    """
    for batch in batches:
        rows = []
        for *places, step, cause, line in zip(*(batch.column(name).to_pylist() for name in AGAIN.names),
                                              strict=True):  # fmt: skip
            _, found = chain.work(line + b"\n")
            rows.append((*places, *((found[0].step, found[0].cause, found[0].line) if found else
                                    (step, cause, line))))  # fmt: skip
        yield of_rows(AGAIN, rows)


class Rows(NamedTuple):
    """The Parquet that an option names."""

    named: str
    frame: DataFrame
    source: Sequence[Column]
    fields: Sequence[Field]
    made: Made

    @classmethod
    def of(cls, named: str, frame: DataFrame, source: Sequence[Column], chain: Chain) -> "Rows":
        """The rows of a DataFrame. Raises Failed for a column of a type that Arrow does not have."""
        fields = fields_of(frame)
        for field, _ in fields:
            try:
                to_arrow_type(field.dataType, timezone="UTC")
            except PySparkException:
                kind = field.dataType.simpleString()
                raise Failed(f"{named}: column {errors.shown(field.name)}: Arrow has no {kind}") from None
        return cls(named, frame, source, fields, made_by(chain.filters, frame.columns))

    def types(self) -> dict[str, DataType]:
        """The types of the columns that are made."""
        types = {field.name: field.dataType for field, _ in self.fields}
        return {name: kind or types[name] for name, kind in self.made.items()}


@dataclass(frozen=True)
class Work:
    """Filters, and how they use the columns."""

    chain: Chain
    tally: Tally
    texts: Collection[str]
    keep: bool  # whether the lines of rejected rows are kept

    def through(self, rows: Rows, kind: str) -> DataFrame:
        """The rows after the filters, with a column of this name that gives the kind of each. Raises Failed."""
        places = {field.name: number for number, (field, _) in enumerate(rows.fields)}
        read = read_by(self.chain.filters) & places.keys()
        odd = {name for name in read if not is_plain(rows.fields[places[name]][0].dataType)}
        rest = [each for each in rows.fields if each[0].name in odd]
        made = {name: each for name, each in rows.made.items() if each is not None}
        work = Carrying(
            self.chain,
            self.tally,
            {str(number): name for name, number in places.items() if name in read - odd},
            bool(rest),
            {name: to_arrow_type(each) for name, each in made.items()},
            len(places),
            frozenset(number for name, number in places.items() if name in made or name not in rows.made),
        )
        given = {
            "about": StringType(),
            **{f"made{number}": each for number, each in enumerate(made.values())},
            **{str(number): field.dataType for number, (field, _) in enumerate(rows.fields)},
        }
        beside = [as_json(rest, self.texts).alias(REST)] if rest else []
        columns = [value.alias(str(number)) for number, (_, value) in enumerate(rows.fields)]
        schema = StructType([StructField(*each) for each in given.items()])
        worked = through(rows.frame.select(*rows.source, *beside, *columns), work, schema)
        is_bad = F.col("about").isNotNull()
        bad = F.concat_ws("\t", "about", F.hex(self.line_of(rows)))
        from_filters = {name: f"made{number}" for number, name in enumerate(made)}
        chosen = {name: F.col(from_filters.get(name) or str(places[name])) for name in rows.made}
        chosen["via"] = F.when(is_bad, bad).otherwise(chosen["via"])
        return worked.select(F.when(is_bad, BAD).otherwise(LINES).alias(kind),
                             *(value.alias(name) for name, value in chosen.items()))  # fmt: skip

    def line_of(self, rows: Rows) -> Column:
        """The line of a rejected row. Raises Failed if it is to be kept and cannot be written."""
        fields = []
        for number, (field, _) in enumerate(rows.fields):
            try:
                as_json([(field, F.col(str(number)))], self.texts)
            except Failed as error:
                if self.keep:
                    raise Failed(f"{rows.named}: {error}") from None
            else:
                fields.append((field, F.col(str(number))))
        return as_json(fields, self.texts, read_by(self.chain.filters))

    def rejected(self, written: DataFrame) -> DataFrame:
        """The rejected rows, with PLACES and REJECTED."""
        again = bad_of(written, "via").select(*AGAIN.names)
        return through(again, partial(rejected_rows, self.chain), again.schema)


def is_plain(kind: DataType) -> bool:
    """Whether Spark and Python write the same JSON for values of a type."""
    return isinstance(kind, StringType | BinaryType | IntegralType)


def kind_beside(every: Iterable[Rows]) -> str:
    """A name that no column has in any case of its letters."""
    taken = {name.lower() for rows in every for name in rows.made}
    return next(name for number in range(len(taken) + 1) if (name := f"kind{number}") not in taken)


def refuse_to_mix(every: Sequence[Rows]) -> None:
    """Raises Failed if a column cannot hold the values of all inputs."""
    seen: dict[str, tuple[str, DataType]] = {}
    for rows in every:
        for name, kind in rows.types().items():
            first, other = seen.setdefault(name, (rows.named, kind))
            if not agree(kind, other):
                raise Failed(f"{rows.named}: column {errors.shown(name)}: {kind.simpleString()}, "
                             f"but {first} has {other.simpleString()}")  # fmt: skip


def agree(one: DataType, other: DataType) -> bool:
    """Whether a column can hold values of both types unchanged."""
    widened = IntegralType, (FloatType, DoubleType)
    return one == other or any(isinstance(one, kind) and isinstance(other, kind) for kind in widened)


def union_by_name(every: Sequence[Rows], frames: Sequence[DataFrame]) -> DataFrame:
    """All rows, with null for columns that an input lacks. Raises Failed."""
    refuse_to_mix(every)
    try:
        return reduce(lambda one, other: one.unionByName(other, allowMissingColumns=True), frames)
    except AnalysisException as error:
        raise Failed(f"--in: {error.getMessage().splitlines()[0]}") from None
