"""The documents that a program passes to a pipeline: names of files, or records that become lines."""

import os
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, cast

from shingletools.record.field_names import DEFAULT_NAMES, Names, names_in_value, names_on_line
from shingletools.record.wire import NAMED
from shingletools.running.result import Result
from shingletools.running.steps import Step
from shingletools.system.errors import Failed, shown
from shingletools.system.interruptible_reads import READ_BYTES, gathered
from shingletools.system.lazy_imports import needs, orjson

if TYPE_CHECKING:
    from json import JSONEncoder

TOO_MANY = 1025  # levels of arrays and objects, more than a record may have


class ArrowStream(Protocol):
    """The interface of Arrow's tables and data frames: a PyCapsule of an ArrowArrayStream."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...


Path = str | os.PathLike[str]
Documents = Iterable[Mapping[str, Any] | bytes | Path] | Path | bytes | ArrowStream


class InputDocuments(NamedTuple):
    """Names of files, or a source of records."""

    files: Sequence[str] = ()
    arrow: ArrowStream | None = None
    records: Iterator[Any] | None = None
    names: Names = DEFAULT_NAMES  # that the first record carries

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
            return cls(records=records, names=names)
        return cls(records=records)

    @property
    def stands(self) -> bool:
        """Returns whether lines replace standard input."""
        return self.arrow is not None or self.records is not None

    def lines(self, steps: Sequence[Step], documents_errors: list[Failed]) -> Iterator[bytes] | None:
        """Returns whole lines, some together, for the first of some steps; None if it reads files. Raises Failed.

        A Failed that the documents themselves raise is also appended to `documents_errors`.
        """
        if self.arrow is not None:
            return rows_of(self.arrow, steps)
        return None if self.records is None else lines_of(raising(self.records, documents_errors))


def name_of(path: Path) -> str:
    """Returns the name of a file. Raises TypeError for a line of JSON that was passed as a name."""
    name = os.fsdecode(path)
    if name.lstrip().startswith("{") and not os.path.lexists(name):
        raise TypeError(f"a line of JSON is given as bytes, not as str, which names a file: {shown(name)}")
    return name


def raising(records: Iterator[Any], documents_errors: list[Failed]) -> Generator[Any]:
    """Yields the records; appends a Failed that they raise to `documents_errors`."""
    try:
        yield from records
    except Failed as error:
        documents_errors.append(error)
        raise


def lines_of(records: Iterator[Any]) -> Generator[bytes]:
    """Yields records as lines, some together. Raises TypeError for other objects than mappings and bytes."""
    lines = (record if isinstance(record, bytes) else spelled(record) for record in records)
    whole = (line if line.endswith(b"\n") else line + b"\n" for line in lines)
    yield from map(b"".join, gathered(whole, len, READ_BYTES))


def spelled(record: Any) -> bytes:
    r"""Returns a mapping as a line.

    What JSON cannot hold, such as NaN, is written all the same; a command then rejects the line for it.

    >>> spelled({"id": 1, "mean": float("nan")}), spelled({"id": 1, "mean": None})
    (b'{"id": 1, "mean": NaN}', b'{"id":1,"mean":null}\n')
    """
    if not isinstance(record, Mapping):
        raise TypeError(f"a document is a dict or a line of JSON in bytes, not {type(record).__name__}")
    try:
        line = orjson.dumps(record, option=orjson.OPT_APPEND_NEWLINE | orjson.OPT_SERIALIZE_NUMPY)
        if b"null" in line:  # which orjson makes of NaN, too
            python_json(allow_nan=False).encode(dict(record))
        return line
    except (orjson.JSONEncodeError, ValueError, RecursionError):
        try:
            return python_json(allow_nan=True).encode(dict(record)).encode("utf-8", "surrogatepass")
        except RecursionError:
            return b"[" * TOO_MANY  # which a command rejects for the same reason


@cache
def python_json(allow_nan: bool) -> "JSONEncoder":
    """Returns an encoder for what orjson does not write: other mappings and keys, large integers, lone surrogates.

    It also distinguishes NaN from None.
    """
    import json  # which most runs do not need

    return json.JSONEncoder(ensure_ascii=False, allow_nan=allow_nan, default=plain)


def plain(value: Any) -> Any:
    """Returns a value that orjson can write as one that Python's own JSON can write. Raises TypeError for any other."""
    return value.tolist() if hasattr(value, "tolist") else orjson.loads(orjson.dumps(value))


def rows_of(source: ArrowStream, steps: Sequence[Step]) -> Iterator[bytes]:
    """Returns the rows of Arrow as lines, with the columns that the steps read. Raises Failed."""
    needs("documents in Arrow", "pyarrow", "parquet")
    from shingletools.reading.formats.arrow_lines import Fields, lines_in  # pyarrow, which others do not need

    texts = [
        name
        for step in steps[:1]
        if (first := step.stage.record_by_record) is not None
        for name in (step.id_field, *first.read)
    ]
    # With given lines, a format can only be --number, which needs no ids
    needed = texts[1:] if texts and steps[0].stage.format is not None else texts
    ids = [step.id_field for step in steps[:1] if step.id_field in (*texts, *step.stage.once(0))]
    return lines_in(source, Fields(needed, texts, fields_read(steps)), *ids)


def fields_read(steps: Sequence[Step]) -> frozenset[str] | None:
    """Returns the fields of documents that decide the output of the steps; None if any field may.

    >>> from shingletools.running.steps import step_of
    >>> joined = [step_of("canon", []), step_of("shingle", []), step_of("simjoin", [])]
    >>> sorted(fields_read(joined)), fields_read(joined[:2])
    (['id', 'shingles', 'simhash', 'sketch', 'text', 'via'], None)
    """
    found = set[str]()
    for step in steps:
        filter_stage = step.stage.record_by_record
        if filter_stage is None:
            fields = step.stage.fields
            return None if fields is None else frozenset(found | fields)
        found |= {
            step.id_field,
            *filter_stage.read,
            "via",
            *(() if filter_stage.lines is None else filter_stage.lines.carried),
        }
    return None


def check_given(steps: Sequence[Step], given: InputDocuments) -> None:
    """Raises Failed if documents are passed to a first step that does not read them."""
    options, stage = steps[0].options, steps[0].stage
    if given.stands and "-" not in (*options.files, *(name for side in stage.sides for name in side), *stage.reads):
        raise Failed(f"{steps[0].name}: takes no documents, because it names its own")
