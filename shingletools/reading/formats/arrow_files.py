"""Rows of Arrow's IPC files and streams, which Feather is, too."""

import contextlib
import os
from collections.abc import Generator, Iterator, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from shingletools.reading.compression_detection import HEAD_BYTES
from shingletools.reading.formats.arrow_lines import Fields, line_columns
from shingletools.reading.formats.numbered_records import with_numbers
from shingletools.reading.formats.parquet import documents
from shingletools.reading.formats.parquet_batches import MAX_EXPANSION
from shingletools.reading.formats.parquet_rewriter import Sink
from shingletools.record.document_format import Decisions, FileDocuments, KeptAndRemoved, ReadyDocuments
from shingletools.record.error_hints import file_start_hint
from shingletools.system.errors import Failed, printable
from shingletools.system.interruptible_reads import READ_BYTES, gathered
from shingletools.system.lazy_imports import needs

pa = needs("--arrow", "pyarrow", "parquet")
ipc = needs("--arrow", "pyarrow.ipc", "parquet")
MAGIC = b"ARROW1"  # of a file; a stream has none


class ArrowFiles(NamedTuple):
    """Files of Arrow. Bytes are text in the fields `texts`."""

    texts: Sequence[str]
    needed: Sequence[str]  # fields that must be there
    every: bool  # as in Parquet
    numbered: str = ""  # as in Parquet
    option: str = "--arrow"

    def read(self, files: Sequence[str], /) -> Generator[FileDocuments]:
        fields, number = Fields(self.needed, self.texts, None if self.every else self.texts), 1
        for name in files:
            with arrow_file(name) as (schema, batches, whole):
                columns, row, size = line_columns(schema, fields, name), 1, whole
                for batch in batches:
                    rows = documents([*columns.values()], batch.select([*columns]), row)
                    for made in gathered(rows, lambda document: len(document.raw), READ_BYTES):
                        portion = ReadyDocuments(name, number, size, made)
                        yield with_numbers(portion, self.numbered, schema.names)
                        row, number, size = row + len(made), number + len(made), 0

    def write(self, files: Sequence[str], decisions: Decisions, /) -> Iterator[KeptAndRemoved]:
        """Writes files or streams, as the first one is, LZ4 if it is Feather by its name. Raises Failed."""
        sinks = [Sink() for _ in range(1 + decisions.removing)]
        writers: list[Any] = []
        for name in files:
            with arrow_file(name) as (schema, batches, _):
                if not writers:
                    options = ipc.IpcWriteOptions(compression="lz4" if name.endswith(".feather") else None)
                    new = ipc.new_file if starts(name).startswith(MAGIC) else ipc.new_stream
                    writers, first = [new(sink, schema, options=options) for sink in sinks], schema
                elif schema != first:
                    raise Failed(f"{printable(name)}: its schema is not that of {printable(files[0])}")
                for batch in batches:
                    at = 0
                    for kept, some in groupby(decisions.take(len(batch)), lambda decision: decision.kept):
                        count = len([*some])
                        if kept or (kept is not None and decisions.removing):
                            writers[not kept].write_batch(batch.slice(at, count))
                        at += count
                    yield sinks[0].taken(), b"".join(sink.taken() for sink in sinks[1:])
        for writer in writers:
            writer.close()
        yield sinks[0].taken(), b"".join(sink.taken() for sink in sinks[1:])


def starts(name: str) -> bytes:
    with open(name, "rb") as file:
        return file.read(HEAD_BYTES)


@contextlib.contextmanager
def arrow_file(name: str) -> Iterator[tuple[Any, Iterator[Any], int]]:
    """Opens a file: its schema, its batches, and its size. Raises Failed, also if reading inside does."""
    start = b""
    try:
        start, size = starts(name), os.stat(name).st_size
        with pa.OSFile(name) as source:
            file = ipc.open_file(source) if start.startswith(MAGIC) else ipc.open_stream(source)
            every = map(file.get_batch, range(file.num_record_batches)) if start.startswith(MAGIC) else iter(file)
            yield file.schema, checked(name, every, size), size
    except pa.ArrowMemoryError:
        raise MemoryError from None
    except FileNotFoundError as error:
        raise Failed(f"{printable(name)}: {error.strerror}") from None
    except (pa.ArrowException, OSError) as error:
        message = printable(" ".join(str(error).split())[:200])
        raise Failed(
            f"{printable(name)}: not Arrow, or damaged: {message}{file_start_hint(start, '--arrow')}"
        ) from None


def checked(name: str, batches: Iterator[Any], size: int) -> Iterator[Any]:
    """Yields batches whose values are inside their buffers. Raises Failed for too many rows for the file."""
    rows = 0
    for batch in batches:
        batch.validate(full=True)
        rows += len(batch)
        if rows > MAX_EXPANSION * size:
            raise Failed(f"{printable(name)}: more than {MAX_EXPANSION} rows for each of its {size} bytes")
        yield batch
