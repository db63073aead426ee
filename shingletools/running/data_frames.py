"""Data frames of other libraries: rows of them, and columns beside them."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any

from shingletools.record import wire
from shingletools.running.document_queue import spelled
from shingletools.running.result import column_of, each_line
from shingletools.system.errors import Failed, Rejected, shown
from shingletools.system.lazy_imports import needs


class Frame:
    """A data frame of pandas or Polars; or a table of Arrow, which anything else with a stream of Arrow becomes."""

    def __init__(self, rows: Any) -> None:
        self.library = type(rows).__module__.partition(".")[0]
        self.rows = rows
        if self.library not in ("pandas", "polars"):
            self.rows = needs("documents in Arrow", "pyarrow", "parquet").table(rows)

    def take(self, places: Sequence[int]) -> Any:
        """Returns the rows at these places, as a frame of the same kind."""
        if self.library == "pandas":
            return self.rows.iloc[places]
        if self.library == "polars":
            return self.rows[places]
        pa = needs("unique()", "pyarrow", "parquet")
        try:
            return self.rows.take(pa.array(places, pa.int64()))
        except pa.ArrowNotImplementedError:  # columns of views, or of runs
            parts = (self.rows.slice(first, end - first) for first, end in runs_of(places))
            return pa.concat_tables([self.rows.slice(0, 0), *parts])

    def column(self, name: str, values: list[Any]) -> Any:
        """Returns values as a column for this frame."""
        if self.library == "pandas":
            kind = object if None in values else None  # else integers beside a missing one become floats
            return needs("groups()", "pandas").Series(values, self.rows.index, kind, name)
        if self.library == "polars":
            return needs("groups()", "polars").Series(name, values)
        return column_of(values)


def runs_of(places: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yields the first place of each run of adjacent ones, and the place after its last one.

    >>> list(runs_of([0, 1, 2, 5, 7, 8]))
    [(0, 3), (5, 6), (7, 9)]
    """
    for _, run in groupby(enumerate(places), lambda each: each[1] - each[0]):
        adjacent = [place for _, place in run]
        yield adjacent[0], adjacent[-1] + 1


def is_frame(documents: object) -> bool:
    """Returns whether documents are a data frame or a table."""
    return hasattr(documents, "__arrow_c_stream__")


def ids_of(documents: Any, field: str) -> list[wire.Name | None]:
    """Returns the ids of dicts, lines or rows, as JSON has them. Raises TypeError for other documents, and Failed."""
    if is_frame(documents):
        needs("documents in Arrow", "pyarrow", "parquet")
        from shingletools.reading.formats.arrow_lines import Fields, lines_in  # pyarrow, which others do not need

        lines: Iterable[bytes] = each_line(lines_in(documents, Fields([field], [field], [field]), field))
    else:
        lines = (each if isinstance(each, bytes) else spelled(each, [field]) for each in documents)
    ids = list[wire.Name | None]()
    for number, line in enumerate(lines, 1):
        try:
            record = wire.parse_json(line)
            name = wire.find(record, field)
            if name is wire.MISSING:
                raise Failed(f'no field {shown(field)}; options="--id NAME" says which is meant')
            ids.append(None if name is None else wire.take_id(record, field))
        except Rejected as error:
            raise Failed(f"document {number}: {error}") from None
    return ids
