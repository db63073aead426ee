"""Writes Parquet with fewer rows; its schema and metadata stay, and so do the values of the rows that are kept.

Values are copied as they are stored. pyarrow reads the file with a footer without logical types, and what it writes
gets the file's own schema. So types that Arrow lacks, the names of nested fields, and times beyond those of nanoseconds
in 64 bits do not change.
"""

import base64
from collections.abc import Iterator, Sequence
from io import BytesIO
from typing import Any

from shingletools.reading.formats.arrow_values import ID_ERRORS, id_array, is_bytes, is_number_or_text, is_time
from shingletools.reading.formats.parquet_batches import (
    COLUMNS,
    META_DATA,
    ROW_GROUPS,
    SCHEMA,
    OpenParquet,
    batches,
    elements,
    footer,
    pa,
    parquet_file,
    pq,
    reader,
)
from shingletools.reading.formats.thrift import BINARY, I32, LIST, STRUCT, Struct, read_struct, written_struct
from shingletools.record.document_format import Decision, Decisions, DuplicateInfo, KeptAndRemoved, Name
from shingletools.system.errors import Failed, printable, shown

GROUP_BYTES = 1 << 25  # bytes of rows, in memory, that become a row group
MAGIC = b"PAR1"

# Fields of Parquet's structs, by their names in parquet.thrift
KEY_VALUE_METADATA = 5  # FileMetaData
TYPE, TYPE_LENGTH, REPETITION, NAME, CHILDREN = 1, 2, 3, 4, 5  # SchemaElement; the others are logical types
KEY, VALUE = 1, 2  # KeyValue
PATH_IN_SCHEMA, CODEC, STATISTICS = 3, 4, 12  # ColumnMetaData, which also has TYPE
INT96, FIXED_LEN_BYTE_ARRAY = 3, 7  # Type
CODECS = {0: "none", 1: "snappy", 2: "gzip", 4: "brotli", 5: "lz4", 6: "zstd", 7: "lz4"}  # pyarrow's names
# Logical types that do not change the order of stored values
ORDERED = "NONE", "STRING", "ENUM", "JSON", "BSON", "UUID", "DATE", "TIME", "TIMESTAMP"


class Sink:
    """A file that pyarrow writes to; it is never read or searched."""

    closed = False

    def __init__(self) -> None:
        self.written: list[bytes] = []
        self.at = 0

    def write(self, data: Any) -> int:
        self.written.append(bytes(data))
        self.at += len(self.written[-1])
        return len(self.written[-1])

    def tell(self) -> int:
        return self.at

    def flush(self) -> None:
        """Does nothing; pyarrow calls it."""

    def taken(self) -> bytes:
        written, self.written = self.written, []
        return b"".join(written)


class KeptRowGroups:
    """Writes the rows of one file, with the columns of DuplicateInfo if these are wanted. Memory: a row group."""

    def __init__(self, file: OpenParquet, id_field: str, with_info: bool) -> None:
        self.footer = footer(file.file)
        self.schema = stored_reader(file).schema_arrow
        self.with_info, self.rows = with_info, file.parquet.metadata.num_rows
        logical = file.parquet.schema_arrow
        if with_info:
            kind = logical.field(id_field).type if id_field in logical.names else pa.int64()
            spelled = kind.value_type if pa.types.is_dictionary(kind) else kind
            if is_number_or_text(spelled):
                spelled = widened(kind, self.rows)
            elif not (is_bytes(spelled) or is_time(spelled) or isinstance(spelled, pa.UuidType)):
                spelled = pa.string()
            self.types = [spelled, pa.string(), pa.float64()]
            for name, each in zip(DuplicateInfo._fields, self.types, strict=True):
                self.schema = self.schema.append(pa.field(name, each))
        paths = written_paths(self.schema)
        meta = file.parquet.metadata
        groups = elements(self.footer, ROW_GROUPS)
        stored_by = [column[META_DATA][1][CODEC][1] for column in elements(groups[0], COLUMNS)] if groups else []
        leaves = [file.parquet.schema.column(place) for place in range(meta.num_columns)]
        self.sink = Sink()
        self.writer = pq.ParquetWriter(
            pa.PythonFile(self.sink, mode="w"),
            self.schema,
            version=meta.format_version,
            compression={path: CODECS.get(code, "none") for path, code in zip(paths, stored_by, strict=False)}
            or "snappy",
            write_statistics=[path for path, leaf in zip(paths, leaves, strict=False) if is_ordered(leaf)],
            store_schema=False,
        )
        self.held: list[Any] = []
        self.size = 0

    def add(self, name: str, batch: Any, decisions: Sequence[Decision], kept: bool) -> bytes:
        """Takes the kept rows of a batch, or the removed ones; returns the bytes that are ready. Raises Failed.

        The batch is of the file of this name.
        """
        places = [place for place, decision in enumerate(decisions) if decision.kept is kept]
        rows = batch.take(pa.array(places, pa.int64()))
        if self.with_info:
            infos = [decisions[place].duplicate_info for place in places]
            ids = ids_of(name, [info and info.duplicate_of for info in infos], self.types[0])
            rules = pa.array([info and info.duplicate_by for info in infos], self.types[1])
            similarities = pa.array([info and info.duplicate_similarity for info in infos], self.types[2])
            rows = pa.RecordBatch.from_arrays([*rows.columns, ids, rules, similarities], schema=self.schema)
        self.held.append(rows)
        self.size += rows.nbytes
        return self.flush() if self.size >= GROUP_BYTES else b""

    def flush(self) -> bytes:
        """Writes a row group."""
        table = pa.Table.from_batches(self.held, self.schema).unify_dictionaries()
        if len(table):
            self.writer.write_table(table, row_group_size=len(table))
        self.held, self.size = [], 0
        return self.sink.taken()

    def close(self) -> bytes:
        groups = self.flush()
        self.writer.close()
        rest = self.sink.taken()
        end = len(rest) - 8 - int.from_bytes(rest[-8:-4], "little")
        made = self.footer_like(read_struct(BytesIO(rest[end:])))
        return groups + rest[:end] + end_of_file(made)

    def footer_like(self, made: Struct) -> Struct:
        """Returns the footer that pyarrow wrote, with the schema and metadata of the file that was read."""
        schema = [*elements(self.footer, SCHEMA)]
        if self.with_info:
            more = elements(made, SCHEMA)[-len(DuplicateInfo._fields) :]
            count = schema[0][CHILDREN][1] + len(more)
            schema = [schema[0] | {CHILDREN: (I32, count)}, *schema[1:], *more]
        leaves = [*paths(iter(schema))]
        for group in elements(made, ROW_GROUPS):
            for column, (path, element) in zip(elements(group, COLUMNS), leaves, strict=True):
                column[META_DATA][1].update({TYPE: element[TYPE], PATH_IN_SCHEMA: (LIST, (BINARY, path))})
        made[SCHEMA] = LIST, (STRUCT, schema)
        if KEY_VALUE_METADATA in self.footer:
            for pair in elements(self.footer, KEY_VALUE_METADATA):
                if pair[KEY][1] == b"ARROW:schema":
                    pair[VALUE] = BINARY, self.arrow_schema(pair[VALUE][1])
            made[KEY_VALUE_METADATA] = self.footer[KEY_VALUE_METADATA]
        return made

    def arrow_schema(self, described: bytes) -> bytes:
        """Returns Arrow's schema of the file that is written, with the columns of DuplicateInfo, if any.

        Row groups that are joined may have more values than short indices can count.
        """
        read = pa.ipc.read_schema(pa.py_buffer(base64.b64decode(described)))
        schema = read
        for place, field in enumerate(read):
            if (kind := widened(field.type, self.rows)) != field.type:
                schema = schema.set(place, field.with_type(kind))
        for name, each in zip(DuplicateInfo._fields, self.types, strict=True) if self.with_info else ():
            schema = schema.append(pa.field(name, each))  # pyarrow ignores a schema that lacks columns
        return described if schema is read else base64.b64encode(schema.serialize())


def widened(kind: Any, rows: int) -> Any:
    """Returns the type; of a dictionary, with indices of 32 bits if its own cannot count so many rows."""
    if not pa.types.is_dictionary(kind) or rows <= 1 << (kind.index_type.bit_width - 1):
        return kind
    return pa.dictionary(pa.int32(), kind.value_type, kind.ordered)


def ids_of(name: str, ids: Sequence[Name | None], kind: Any) -> Any:
    """Makes a column of ids; raises Failed for an id, such as one of an archive, that its type cannot hold."""
    try:
        return id_array(ids, kind)
    except ID_ERRORS:
        if len(ids) > 1:
            return pa.concat_arrays([ids_of(name, [value], kind) for value in ids])
        unfit = [shown(value) for value in ids if value is not None]
        message = f"{DuplicateInfo._fields[0]} has the type of the ids, {kind}, which cannot hold {unfit[0]}"
        raise Failed(f"{printable(name)}: {message}") from None


def stored_reader(file: OpenParquet) -> Any:
    """Returns a reader of the stored values, without logical types. The names of columns are numbers."""
    described = footer(file.file)
    known = TYPE, TYPE_LENGTH, REPETITION, CHILDREN
    schema = [
        {field: element[field] for field in known if field in element} | {NAME: (BINARY, b"%d" % place)}
        for place, element in enumerate(elements(described, SCHEMA))
    ]
    for element in schema:
        if element.get(TYPE) == (I32, INT96):
            element.update({TYPE: (I32, FIXED_LEN_BYTE_ARRAY), TYPE_LENGTH: (I32, 12)})
    for group in elements(described, ROW_GROUPS):
        for column, (_, element) in zip(elements(group, COLUMNS), [*paths(iter(schema))], strict=True):
            column[META_DATA][1].pop(STATISTICS, None)
            column[META_DATA][1][TYPE] = element[TYPE]
    described.pop(KEY_VALUE_METADATA, None)
    described[SCHEMA] = LIST, (STRUCT, schema)
    metadata = pq.read_metadata(BytesIO(MAGIC + end_of_file(described)))
    columns = zip(metadata.schema.to_arrow_schema().names, file.parquet.schema_arrow.types, strict=True)
    # The order of their values is that of pandas' categories
    dictionaries = [name for name, kind in columns if pa.types.is_dictionary(kind)]
    return reader(file.file, metadata, dictionaries)


def end_of_file(described: Struct) -> bytes:
    """Returns the bytes of a footer, with its length and the mark at the end of a file."""
    data = written_struct(described)
    return data + len(data).to_bytes(4, "little") + MAGIC


def paths(schema: Iterator[Struct], above: Sequence[bytes] | None = None) -> Iterator[tuple[list[bytes], Struct]]:
    """Yields the paths of the columns of a schema, and the columns."""
    element = next(schema)
    path = [] if above is None else [*above, element[NAME][1]]
    children = element.get(CHILDREN, (I32, 0))[1]
    if not children and above is not None:
        yield path, element
    for _ in range(children):
        yield from paths(schema, path)


def written_paths(schema: Any) -> list[str]:
    """Returns the paths that pyarrow writes for the columns of a schema."""
    empty = BytesIO()
    pq.write_table(schema.empty_table(), empty)
    found = pq.read_metadata(empty).schema
    return [found.column(place).path for place in range(len(found))]


def is_ordered(column: Any) -> bool:
    """Returns whether a column has the same least and greatest value without its logical type."""
    kind = column.logical_type.type
    if kind == "DECIMAL":
        return column.physical_type in ("INT32", "INT64")
    if kind == "INT":
        return not column.converted_type.startswith("U")
    return column.physical_type != "INT96" and kind in ORDERED


def kept_columns(files: Sequence[str], decisions: Decisions, id_field: str) -> Iterator[KeptAndRemoved]:
    """Writes the rows of some files to one; their schemas must be equal. Raises Failed."""
    sides: list[KeptRowGroups] = []
    schemas: tuple[Any, Any] | None = None
    for name in files:
        with parquet_file(name) as file:
            parquet = stored_reader(file)
            these = file.parquet.schema_arrow, parquet.schema_arrow
            if schemas is None:
                schemas = these
                if any(decisions.wants_info) and (there := {*DuplicateInfo._fields}.intersection(these[0].names)):
                    raise Failed(f"{printable(name)}: it has a column {shown(min(there))} already")
                wanted = decisions.wants_info if decisions.removing else decisions.wants_info[:1]
                sides = [KeptRowGroups(file, id_field, with_info) for with_info in wanted]
            elif schemas != these:
                raise Failed(f"{printable(name)}: its schema is not that of {printable(files[0])}")
            for batch in batches(file, parquet):
                some = decisions.take(len(batch))
                written = [side.add(name, batch, some, not place) for place, side in enumerate(sides)]
                yield written[0], b"".join(written[1:])
    rest = [side.close() for side in sides]
    yield b"".join(rest[:1]), b"".join(rest[1:])
