"""Data frames of other libraries: rows of them, and columns beside them."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from shingletools.system.errors import Failed, float_ids, shown
from shingletools.system.lazy_imports import needs

MEANT = '; options="--id NAME" says which is meant'


class Frame:
    """A data frame of pandas or Polars; or a table of Arrow, which anything else with a stream of Arrow becomes."""

    def __init__(self, rows: Any) -> None:
        self.library = type(rows).__module__.partition(".")[0]
        self.rows = rows
        if self.library not in ("pandas", "polars"):
            self.rows = needs("documents in Arrow", "pyarrow", "parquet").table(rows)

    def ids(self, field: str) -> list[Any]:
        """Returns the values of a column as ids: bytes as text. Raises Failed for a missing column, and for floats."""
        arrow = self.library not in ("pandas", "polars")
        if field not in (self.rows.column_names if arrow else self.rows.columns):
            raise Failed(f"no column {shown(field)}{MEANT}")
        column = self.rows[field]
        values = column.to_pylist() if arrow else column.to_list()
        texts = any(isinstance(value, str | bytes) for value in values)  # then nan is a missing one
        if any(isinstance(value, float) and not (texts and math.isnan(value)) for value in values):
            raise Failed(float_ids(field))
        return [value.decode(errors="replace") if isinstance(value, bytes) else value for value in values]

    def take(self, places: Sequence[int]) -> Any:
        """Returns the rows at these places, as a frame of the same kind."""
        if self.library == "pandas":
            return self.rows.iloc[places]
        return self.rows[places] if self.library == "polars" else self.rows.take(places)

    def column(self, name: str, values: list[Any]) -> Any:
        """Returns values as a column for this frame."""
        if self.library == "pandas":
            return needs("groups()", "pandas").Series(values, self.rows.index, name=name)
        if self.library == "polars":
            return needs("groups()", "polars").Series(name, values)
        return needs("groups()", "pyarrow", "parquet").array(values)


def is_frame(documents: object) -> bool:
    """Returns whether documents are a data frame or a table."""
    return hasattr(documents, "__arrow_c_stream__")


def ids_of(documents: Iterable[Mapping[str, Any]], field: str) -> list[Any]:
    """Returns the ids of dicts. Raises TypeError for other documents, and Failed if there is no such field."""
    ids = []
    for document in documents:
        if not isinstance(document, Mapping):
            raise TypeError(f"a document is a dict, not {type(document).__name__}")
        if field not in document:
            raise Failed(f"no field {shown(field)}{MEANT}")
        ids.append(document[field])
    return ids
