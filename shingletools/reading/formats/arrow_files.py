"""Arrow's IPC files and streams, which Feather is, too."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, BinaryIO

from shingletools.reading.formats.column_files import Batch, ColumnFiles, check_rows, seekable_file
from shingletools.system.lazy_imports import needs

ipc = needs("--arrow", "pyarrow.ipc", "parquet")
MAGIC = b"ARROW1"  # of a file; a stream has none


class ArrowFiles(ColumnFiles):
    """Files of Arrow."""

    option = "--arrow"

    @contextmanager
    def opened(self, name: str, /) -> Iterator["OpenArrow"]:
        with seekable_file(name, "Arrow") as (file, start, size):
            yield OpenArrow(name, file, size, start.startswith(MAGIC))


class OpenArrow:
    """An open file or stream."""

    def __init__(self, name: str, file: BinaryIO, size: int, is_file: bool) -> None:
        self.name, self.file, self.size, self.is_file = name, file, size, is_file
        self.arrow: Any = ipc.open_file(file) if is_file else ipc.open_stream(file)
        self.schema = self.arrow.schema

    def batches(self, places: Sequence[int] | None = None, /) -> Iterator[Batch]:
        """Yields batches whose values are inside their buffers. Raises Failed for too many rows for the file."""
        arrow, rows = self.arrow, 0
        every = map(arrow.get_batch, range(arrow.num_record_batches)) if self.is_file else iter(arrow)
        for number, batch in enumerate(every):
            batch.validate(full=True)
            rows += len(batch)
            check_rows(self.name, rows, self.size)
            yield Batch(number, batch if places is None else batch.select(places), self.file.tell())

    def writer(self, sink: BinaryIO, schema: Any, /) -> Any:
        """Returns the writer of a file or stream, as this one is, LZ4 if it is Feather by its name."""
        options = ipc.IpcWriteOptions(compression="lz4" if self.name.endswith(".feather") else None)
        return (ipc.new_file if self.is_file else ipc.new_stream)(sink, schema, options=options)
