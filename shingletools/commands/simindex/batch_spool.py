"""Batches that wait on disk until all records of a run have come."""

import tempfile
from collections.abc import Iterator
from typing import IO

from shingletools.archive.segment_builder import SegmentBuilder
from shingletools.system.files import folder_errors


class BatchSpool:
    """Batches on disk, in a file without a name in the archive's folder. Raises EnvironmentFailure."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.file: IO[bytes] | None = None
        self.origins: list[list[str]] = []  # the files that the records of each batch come from

    def put(self, batch: SegmentBuilder) -> None:
        with folder_errors(self.folder):
            if self.file is None:
                self.file = tempfile.TemporaryFile(dir=self.folder)
            batch.save(self.file)
        self.origins.append(batch.files)

    def all(self) -> Iterator[SegmentBuilder]:
        """Yields all batches, in their order. None is put after this."""
        if self.file is None:
            return
        self.file.seek(0)
        for files in self.origins:
            with folder_errors(self.folder):
                batch = SegmentBuilder.load(self.file, files)
            yield batch
