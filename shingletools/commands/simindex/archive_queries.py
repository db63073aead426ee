"""An archive that a program opens once, and queries many times."""

import contextlib
import os
import shlex
from collections.abc import Iterator
from typing import Self, cast

from shingletools.archive.archive_reader import open_archive
from shingletools.commands.simjoin.against import Against
from shingletools.commands.simjoin.indexed import ArchiveJoin
from shingletools.commands.simjoin.join_collector import JoinCollector
from shingletools.commands.simjoin.limits import DEFAULT
from shingletools.commands.simjoin.spec import JoinSpec
from shingletools.record.collector import CollectorContext
from shingletools.running.api import ONE_PROCESS, Pipeline, Steps, result_of
from shingletools.running.input_sources import Documents, Path
from shingletools.running.result import Result
from shingletools.running.steps import SharedOptions
from shingletools.system.errors import Failed


class AskedArchive:
    """An archive of simindex, in its state when it was opened. Any number of threads may query it.

    pipeline: makes signatures of documents, as they were made for the archive; "" for records that have them. options:
    those of simjoin, such as "-t 0.9". Raises Failed, also for a lower threshold than the archive was made for.
    """

    def __init__(self, path: Path | bytes, pipeline: str = "", options: str = "") -> None:
        folder = os.fsdecode(path)
        join = f"simjoin --against {shlex.quote(folder)} {options}"
        self._pipeline = Pipeline(f"{pipeline} | {join}" if pipeline else join)
        self._archive = open_archive(folder)
        self._closed = False
        try:
            self._check()
        except BaseException:
            self.close()
            raise

    def _check(self) -> None:
        """Raises Failed if the archive does not answer such queries."""
        with self._pipeline.taking(ONE_PROCESS) as (*_, last):
            join = self._collector(last.stage, CollectorContext())
        for _ in join.finish():
            pass  # there are no documents yet
        if (signature := join.comparable.signature) is not None:
            ArchiveJoin(self._archive, signature, join.comparable.wanted, None, DEFAULT)

    def query(
        self, documents: Documents, *, jobs: int = 1, strict: bool = False, memory: int | str | None = None
    ) -> Result:
        """Returns the pairs of documents (a) with those of the archive (b), as simjoin --against has them."""
        return result_of(self._taking, documents, jobs, strict, memory)

    @contextlib.contextmanager
    def _taking(self, shared: SharedOptions) -> Iterator[Steps]:
        if self._closed:
            raise Failed(f"{self._archive.name}: the archive is closed")
        with self._pipeline.taking(shared) as (*steps, last):
            yield (*steps, last._replace(stage=last.stage.with_maker(self._collector)))

    def _collector(self, stage: object, context: CollectorContext) -> JoinCollector:
        spec = cast(JoinSpec, stage)
        if len(spec.archives) > 1:
            raise Failed("--against: only one archive can be queried at a time")
        return JoinCollector(spec, context, against=StaysOpen(spec, [self._archive]))

    def __len__(self) -> int:
        """Returns the number of documents."""
        return sum(entry.live for entry in self._archive.manifest.segments)

    def close(self) -> None:
        """Closes its files, once no query is under way."""
        self._closed = True
        self._archive.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class StaysOpen(Against):
    """An archive that stays open when the run ends."""

    def close(self) -> None:
        pass
