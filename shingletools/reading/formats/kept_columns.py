"""Parquet with fewer rows: the same schema, with its types and metadata, and the values of the rows that are kept."""

from collections.abc import Iterator, Sequence
from typing import Any

from shingletools.reading.formats.parquet_files import batches, pa, parquet_file, pq
from shingletools.record.framing import Both, Fate, Fates, Said
from shingletools.system.errors import Failed, printable, shown

GROUP = 1 << 25  # bytes of rows, in memory, that become a row group


class Sink:
    """Takes what pyarrow writes, as a file that is never read or searched."""

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
        """pyarrow asks for it."""

    def taken(self) -> bytes:
        written, self.written = self.written, []
        return b"".join(written)


class KeptRowGroups:
    """Rows for one file, with the columns of Said if these are wanted. Memory: a row group."""

    def __init__(self, parquet: Any, id_field: str, said: bool) -> None:
        self.schema = parquet.schema_arrow
        self.said = said
        if said:
            names = self.schema.names
            kind = self.schema.field(id_field).type if id_field in names else pa.int64()
            spelled = kind.value_type if pa.types.is_dictionary(kind) else kind
            known = pa.types.is_integer(spelled) or pa.types.is_string(spelled) or pa.types.is_large_string(spelled)
            self.types = [kind if known else pa.string(), pa.string(), pa.float64()]
            for name, each in zip(Said._fields, self.types, strict=True):
                self.schema = self.schema.append(pa.field(name, each))
        meta = parquet.metadata
        columns = [meta.row_group(0).column(place) for place in range(meta.num_columns)] if meta.num_row_groups else []
        packing = {each.path_in_schema: each.compression.replace("UNCOMPRESSED", "NONE") for each in columns}
        self.sink = Sink()
        self.writer = pq.ParquetWriter(
            pa.PythonFile(self.sink, mode="w"),
            self.schema,
            version=meta.format_version,
            compression=packing or "snappy",
        )
        self.held: list[Any] = []
        self.size = 0

    def add(self, batch: Any, fates: Sequence[Fate], kept: bool) -> bytes:
        """Takes the rows of a batch that are kept, or the others that are good; gives what is written meanwhile."""
        places = [place for place, fate in enumerate(fates) if fate.kept is kept]
        rows = batch.take(pa.array(places, pa.int64()))
        if self.said:
            said = [fates[place].said for place in places]
            columns = [[None if each is None else each[number] for each in said] for number in range(len(Said._fields))]
            more = [pa.array(column, kind) for column, kind in zip(columns, self.types, strict=True)]
            rows = pa.RecordBatch.from_arrays([*rows.columns, *more], schema=self.schema)
        self.held.append(rows)
        self.size += rows.nbytes
        return self.flush() if self.size >= GROUP else b""

    def flush(self) -> bytes:
        """Writes a row group."""
        table = pa.Table.from_batches(self.held, self.schema).unify_dictionaries()
        if len(table):
            self.writer.write_table(table, row_group_size=len(table))
        self.held, self.size = [], 0
        return self.sink.taken()

    def close(self) -> bytes:
        rest = self.flush()
        self.writer.close()
        return rest + self.sink.taken()


def kept_columns(files: Sequence[str], fates: Fates, id_field: str) -> Iterator[Both]:
    """Files, which become one: their schemas must be the same. Raises Failed."""
    sides: list[KeptRowGroups] = []
    schema = None
    for name in files:
        with parquet_file(name) as (parquet, _):
            if schema is None:
                schema = parquet.schema_arrow
                if any(fates.said) and (there := {*Said._fields}.intersection(schema.names)):
                    raise Failed(f"{printable(name)}: it has a column {shown(min(there))} already")
                wanted = fates.said if fates.removing else fates.said[:1]
                sides = [KeptRowGroups(parquet, id_field, said) for said in wanted]
            elif not schema.equals(parquet.schema_arrow):
                raise Failed(f"{printable(name)}: its schema is not that of {printable(files[0])}")
            for batch in batches(parquet):
                some = fates.take(len(batch))
                written = [side.add(batch, some, not place) for place, side in enumerate(sides)]
                yield written[0], b"".join(written[1:])
    rest = [side.close() for side in sides]
    yield b"".join(rest[:1]), b"".join(rest[1:])
