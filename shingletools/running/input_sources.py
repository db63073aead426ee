"""Documents that a program gives: their files, or their lines."""

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


class ArrowStream(Protocol):
    """What Arrow's tables and data frames have: a PyCapsule of an ArrowArrayStream."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...


Path = str | os.PathLike[str]
Documents = Iterable[Mapping[str, Any] | bytes | Path] | Path | bytes | ArrowStream


class InputDocuments(NamedTuple):
    """Files, or else whatever gives lines."""

    files: Sequence[str] = ()
    arrow: ArrowStream | None = None
    records: Iterator[Any] | None = None
    names: Names = DEFAULT_NAMES  # that the first record carries

    @classmethod
    def of(cls, documents: Documents | None) -> "InputDocuments":
        """Asks an iterable for its first element. Raises TypeError for what is none of Documents."""
        if documents is None:
            return cls()
        if isinstance(documents, str | os.PathLike):
            return cls([name_of(documents)])
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
        """Whether lines stand for standard input."""
        return self.arrow is not None or self.records is not None

    def lines(self, steps: Sequence[Step], theirs: list[Failed]) -> Iterator[bytes] | None:
        """Whole lines, some together, for the first of some steps; None if it reads files. Raises Failed.

        What the documents themselves raise of that kind is also appended to `theirs`.
        """
        if self.arrow is not None:
            return rows_of(self.arrow, steps)
        return None if self.records is None else lines_of(raising(self.records, theirs))


def name_of(path: Path) -> str:
    """The name of a file; raises TypeError for a document that was given in the place of one."""
    name = os.fsdecode(path)
    if name.lstrip().startswith("{") and not os.path.lexists(name):
        raise TypeError(f"a line of JSON is given as bytes, not as str, which names a file: {shown(name)}")
    return name


def raising(records: Iterator[Any], theirs: list[Failed]) -> Generator[Any]:
    try:
        yield from records
    except Failed as error:
        theirs.append(error)
        raise


def lines_of(records: Iterator[Any]) -> Generator[bytes]:
    """Raises TypeError for what is neither a mapping nor bytes, or has no JSON."""
    lines = (record if isinstance(record, bytes) else spelled(record) for record in records)
    whole = (line if line.endswith(b"\n") else line + b"\n" for line in lines)
    yield from map(b"".join, gathered(whole, len, READ_BYTES))


def spelled(record: Any) -> bytes:
    r"""A mapping as a line. What JSON cannot write is written all the same, and the line is rejected for it.

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
    except (orjson.JSONEncodeError, ValueError):
        return python_json(allow_nan=True).encode(dict(record)).encode("utf-8", "surrogatepass")


@cache
def python_json(allow_nan: bool) -> "JSONEncoder":
    """Writes what orjson does not: other mappings and keys, large integers, surrogates; and tells NaN from None."""
    import json  # which most runs do not need

    return json.JSONEncoder(ensure_ascii=False, allow_nan=allow_nan, default=plain)


def plain(value: Any) -> Any:
    """What Python's own JSON can write, of a value that orjson writes; raises TypeError for any other."""
    return value.tolist() if hasattr(value, "tolist") else orjson.loads(orjson.dumps(value))


def rows_of(source: ArrowStream, steps: Sequence[Step]) -> Iterator[bytes]:
    """The rows of Arrow, with the columns that the steps read. Raises Failed."""
    needs("documents in Arrow", "pyarrow", "parquet")
    from shingletools.reading.formats.arrow_lines import Fields, lines_in  # pyarrow, which others do not need

    texts = [
        name
        for step in steps[:1]
        if (first := step.stage.record_by_record) is not None
        for name in (step.id_field, *first.read)
    ]
    # A format that reads lines which are given is that of --number, for which no id is needed
    needed = texts[1:] if texts and steps[0].stage.format is not None else texts
    return lines_in(source, Fields(needed, texts, fields_read(steps)))


def fields_read(steps: Sequence[Step]) -> frozenset[str] | None:
    """The fields of documents that decide what the steps make of them; None where others may pass.

    >>> from shingletools.running.steps import step_of
    >>> joined = [step_of("canon", []), step_of("shingle", []), step_of("simjoin", [])]
    >>> sorted(fields_read(joined)), fields_read(joined[:2])
    (['id', 'shingles', 'simhash', 'sketch', 'text', 'via'], None)
    """
    found = set[str]()
    for step in steps:
        each = step.stage.record_by_record
        if each is None:
            fields = step.stage.fields
            return None if fields is None else frozenset(found | fields)
        found |= {step.id_field, *each.read, "via", *(() if each.lines is None else each.lines.carried)}
    return None


def check_given(steps: Sequence[Step], given: InputDocuments) -> None:
    """Raises Failed if the first step reads no documents though some are given."""
    options, stage = steps[0].options, steps[0].stage
    if given.stands and "-" not in (*options.files, *(name for side in stage.sides for name in side), *stage.reads):
        raise Failed(f"{steps[0].name}: takes no documents, because it names its own")
