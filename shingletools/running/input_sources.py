"""The documents that a program passes to a pipeline: names of files, or records that become lines."""

import os
from collections.abc import Collection, Generator, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple, Protocol, cast

from shingletools.record.field_names import DEFAULT_NAMES, Names, names_in_value, names_on_line
from shingletools.record.wire import NAMED
from shingletools.running.document_queue import DocumentQueue, spelled
from shingletools.running.line_places import LinePlaces
from shingletools.running.result import Result
from shingletools.running.steps import Step, StepFailed
from shingletools.system.errors import Failed, shown
from shingletools.system.interruptible_reads import READ_BYTES, gathered
from shingletools.system.lazy_imports import needs


class ArrowStream(Protocol):
    """The interface of Arrow's tables and data frames: a PyCapsule of an ArrowArrayStream."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...


Path = str | os.PathLike[str]
Documents = Iterable[Mapping[str, Any] | bytes | Path] | Path | bytes | ArrowStream


class GivenDocuments(NamedTuple):
    """Documents, and what the output of a run has of them."""

    documents: Documents | None
    whole: bool = True  # whether fields that no command reads are output, too
    queue: DocumentQueue | None = None  # of the documents, which replace the lines that dedup writes of them
    places: LinePlaces | None = None  # of the output's lines, in the documents


class InputDocuments(NamedTuple):
    """Names of files, or a source of records."""

    files: Sequence[str] = ()
    arrow: ArrowStream | None = None
    records: Iterator[Any] | None = None
    names: Names = DEFAULT_NAMES  # that the first record carries
    dicts: bool = False  # whether it is a dict

    @classmethod
    def of(cls, documents: Documents | None) -> "InputDocuments":
        """Takes the first element of an iterable. Raises TypeError if these are no documents."""
        if documents is None:
            return cls()
        if isinstance(documents, str | os.PathLike):
            return cls([name_of(documents)])
        if hasattr(documents, "to_frame"):
            raise TypeError(
                "documents are one column: to_frame() makes a table of it, which needs a column of ids, too"
            )
        if hasattr(documents, "__arrow_c_stream__"):
            return cls(arrow=cast(ArrowStream, documents))
        if isinstance(documents, Result):
            documents = documents.lines()
        if isinstance(documents, Mapping):
            raise TypeError("documents are several: [document] for one")
        records: Iterator[Any] = iter(filter(None, [documents]) if isinstance(documents, bytes) else documents)
        for first in records:
            records = chain([first], records)
            names = names_on_line(first) if isinstance(first, bytes) else DEFAULT_NAMES
            if isinstance(first, str | os.PathLike):
                return cls([name_of(path) for path in records])
            if isinstance(first, Mapping):
                names = names_in_value(first.get(NAMED))
            return cls(records=records, names=names, dicts=isinstance(first, Mapping))
        return cls(records=records)

    def lines(
        self, steps: Sequence[Step] = (), whole: bool = True, queue: DocumentQueue | None = None
    ) -> Iterator[bytes] | None:
        """Returns whole lines, some together, for the first of some steps; None if there are files to be read.

        whole: whether the output has whole documents. queue: gets each document that is given to dedup, unless these
        are lines. Raises Failed, also if the first step reads other files.
        """
        if self.arrow is None and self.records is None:
            return None
        for step in steps[:1]:
            options, stage = step.options, step.stage
            if "-" not in (*options.files, *(name for side in stage.sides for name in side), *stage.reads):
                raise Failed(f"{step.name}: takes no documents, because it names its own")
            if queue is not None:
                queue.annotated, whole = options.annotate, options.removed is not None
                queue = None if options.marks else queue
        fields = fields_read(steps, whole)
        if self.arrow is not None:
            rows = rows_of(self.arrow, steps, fields)
            return rows if queue is None else queue.add_rows(rows)
        assert self.records is not None
        return lines_of(self.records, fields, queue if self.dicts else None)


def name_of(path: Path) -> str:
    """Returns the name of a file. Raises TypeError for a line of JSON that was passed as a name."""
    name = os.fsdecode(path)
    if name.lstrip().startswith("{") and not os.path.lexists(name):
        raise TypeError(f"a line of JSON is given as bytes, not as str, which names a file: {shown(name)}")
    return name


def lines_of(records: Iterator[Any], fields: Collection[str] | None, queue: DocumentQueue | None) -> Generator[bytes]:
    """Yields records as lines, some together. Raises TypeError for other objects than mappings and bytes."""

    def lines() -> Iterator[bytes]:
        for record in records:
            line = record if isinstance(record, bytes) else spelled(record, fields)
            if queue is not None:
                queue.add(line, None if isinstance(record, bytes) else record)
            yield line if line.endswith(b"\n") else line + b"\n"

    try:
        yield from map(b"".join, gathered(lines(), len, READ_BYTES))
    except Failed as error:  # of the records themselves: the step that reads them is not to blame
        raise StepFailed(str(error)) from error


def rows_of(source: ArrowStream, steps: Sequence[Step], read: Collection[str] | None) -> Iterator[bytes]:
    """Returns the rows of Arrow as lines, with the columns that are read. Raises Failed."""
    needs("documents in Arrow", "pyarrow", "parquet")
    from shingletools.reading.formats.arrow_lines import Fields, lines_in  # pyarrow, which others do not need

    texts, needed, ids = list[str](), list[str](), list[str]()
    for step in steps[:1]:
        texts = [step.id_field, *step.stage.texts]
        first = step.stage.record_by_record
        if first is not None or step.id_field in step.stage.once(0):
            ids = [step.id_field]
        # With given lines, a format can only be --number, which needs no ids
        needed = [*(ids if step.stage.format is None else ()), *(first.read if first is not None else ())]
    return lines_in(source, Fields(needed, texts, read), *ids)


def fields_read(steps: Sequence[Step], whole: bool = True) -> frozenset[str] | None:
    """Returns the fields of documents that decide the output of the steps; None if any field may.

    whole: whether fields that only pass are output, too.

    >>> from shingletools.running.steps import command_lines, steps_of
    >>> joined = steps_of(command_lines("canon | shingle | simjoin"))
    >>> sorted(fields_read(joined)), fields_read(joined[:2])
    (['id', 'shingles', 'simhash', 'sketch', 'text', 'via'], None)
    """
    found = set[str]()
    for step in steps:
        filter_stage = step.stage.record_by_record
        if filter_stage is None:
            fields = step.stage.fields
            if fields is None and not whole:
                fields = {*step.stage.once(0), NAMED}
            return None if fields is None else frozenset(found | fields)
        found |= {
            step.id_field,
            *filter_stage.read,
            "via",
            *(() if filter_stage.lines is None else filter_stage.lines.carried),
        }
    return None if whole else frozenset(found)
