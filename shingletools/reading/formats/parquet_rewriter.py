"""Writes Parquet with fewer rows, by pyarrow's writer: values, types, metadata and compression stay."""

from collections.abc import Iterator, Sequence
from io import BytesIO
from itertools import groupby
from operator import itemgetter
from typing import Any

from shingletools.reading.formats.arrow_values import ID_ERRORS, id_array, is_bytes, is_number_or_text, is_time
from shingletools.reading.formats.parquet_batches import OpenParquet, batches, pa, parquet_file, pq
from shingletools.record.document_format import Decision, Decisions, DuplicateInfo, KeptAndRemoved, Name
from shingletools.system.errors import Failed, printable, shown

GROUP_BYTES = 1 << 25  # bytes of rows, in memory, that become a row group


class Sink(BytesIO):
    """A file that is taken away as it is written."""

    at = 0  # bytes that were taken

    def tell(self) -> int:
        return self.at + super().tell()

    def taken(self) -> bytes:
        data = self.getvalue()
        self.at += len(data)
        self.seek(0)
        self.truncate()
        return data


class KeptRowGroups:
    """Writes rows of files that have the schema of one, with the columns of DuplicateInfo if these are wanted.

    Memory: a row group.
    """

    def __init__(self, file: OpenParquet, id_field: str, with_info: bool) -> None:
        self.schema = file.parquet.schema_arrow
        self.with_info = with_info
        if with_info:
            kind = self.schema.field(id_field).type if id_field in self.schema.names else pa.int64()
            value = kind.value_type if pa.types.is_dictionary(kind) else kind
            if not (is_number_or_text(value) or is_bytes(value) or is_time(value) or isinstance(value, pa.UuidType)):
                kind = pa.string()
            self.types = [kind, pa.string(), pa.float64()]
            for name, each in zip(DuplicateInfo._fields, self.types, strict=True):
                self.schema = self.schema.append(pa.field(name, each))
        self.sink = Sink()
        self.writer = pq.ParquetWriter(
            self.sink,
            self.schema,
            compression=compression(file, self.schema),
            use_deprecated_int96_timestamps=has_int96(file),
            use_compliant_nested_type=False,  # names of elements stay
        )
        self.held: list[Any] = []
        self.size = 0

    def add(self, name: str, batch: Any, decisions: Sequence[Decision], kept: bool) -> bytes:
        """Takes the kept rows of a batch, or the removed ones; returns the bytes that are ready. Raises Failed.

        The batch is of the file of this name.
        """
        places = [place for place, decision in enumerate(decisions) if decision.kept is kept]
        if not places:
            return b""
        rows = pa.concat_batches([batch.slice(place, 1) for place in places])  # pyarrow takes no views
        if self.with_info:
            infos = [decisions[place].duplicate_info for place in places]
            ids = ids_of(name, [info and info.duplicate_of for info in infos], self.types[0])
            rules = pa.array([info and info.duplicate_by for info in infos], self.types[1])
            similarities = pa.array([info and info.duplicate_similarity for info in infos], self.types[2])
            rows = pa.RecordBatch.from_arrays([*rows.columns, ids, rules, similarities], schema=self.schema)
        self.held.append(rows)
        self.size += rows.get_total_buffer_size()  # before pyarrow 24, nbytes takes no views
        return self.flush() if self.size >= GROUP_BYTES else b""

    def flush(self) -> bytes:
        """Writes a row group."""
        if self.held:
            table = pa.Table.from_batches(self.held, self.schema)
            self.writer.write_table(table, len(table))
        self.held, self.size = [], 0
        return self.sink.taken()

    def close(self) -> bytes:
        self.writer.close()
        return self.sink.taken()


def compression(file: OpenParquet, schema: Any) -> dict[str, str] | str:
    """Returns the compression of the columns by the paths that pyarrow writes for this schema."""
    if not file.parquet.num_row_groups:
        return "snappy"
    empty = BytesIO()
    pq.write_table(schema.empty_table(), empty, use_compliant_nested_type=False)
    group, written = file.parquet.metadata.row_group(0), pq.read_metadata(empty).schema
    codecs = [group.column(place).compression.replace("UNCOMPRESSED", "NONE") for place in range(group.num_columns)]
    return {written.column(place).path: codec for place, codec in enumerate(codecs)}


def has_int96(file: OpenParquet) -> bool:
    """Returns whether times are INT96. Raises Failed if only some are, since pyarrow writes all in one way."""
    schema = file.parquet.schema
    columns = [schema.column(place) for place in range(len(schema))]
    old = any(column.physical_type == "INT96" for column in columns)
    if old and any(column.logical_type.type == "TIMESTAMP" for column in columns):
        raise Failed(f"{printable(file.name)}: some of its times are INT96, and some are not: write it with one kind")
    return old


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


def kept_columns(files: Sequence[str], decisions: Decisions, id_field: str) -> Iterator[KeptAndRemoved]:
    """Writes the rows of some files to one; their schemas must be equal. Raises Failed."""
    sides: list[KeptRowGroups] = []
    schema: Any = None
    for name in files:
        with parquet_file(name) as file:
            if schema is None:
                schema = file.parquet.schema_arrow
                if any(decisions.wants_info) and (there := {*DuplicateInfo._fields}.intersection(schema.names)):
                    raise Failed(f"{printable(name)}: it has a column {shown(min(there))} already")
                wanted = decisions.wants_info if decisions.removing else decisions.wants_info[:1]
                sides = [KeptRowGroups(file, id_field, with_info) for with_info in wanted]
            elif schema != file.parquet.schema_arrow:
                raise Failed(f"{printable(name)}: its schema is not that of {printable(files[0])}")
            for _, group in groupby(batches(file), key=itemgetter(0)):
                for _, batch in group:
                    some = decisions.take(len(batch))
                    written = [side.add(name, batch, some, not place) for place, side in enumerate(sides)]
                    yield written[0], b"".join(written[1:])
                # Each has its dictionaries, whose indices may be too short for those of two groups together
                written = [side.flush() for side in sides]
                yield written[0], b"".join(written[1:])
    rest = [side.close() for side in sides]
    yield b"".join(rest[:1]), b"".join(rest[1:])
