"""The specification of groups."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from shingletools.record.labels import LABEL_FIELD
from shingletools.record.stage import Stage
from shingletools.record.wire import AGAINST, COPY

if TYPE_CHECKING:
    from fractions import Fraction


class GroupSpec(Stage):
    """The groups of documents that pairs connect."""

    id_field: str
    star: bool = False  # every member must have a pair with the first
    least: "Fraction | None" = None  # similarity that a pair needs to count
    against: tuple[str, ...] = ()  # files of documents; those in no pair become groups of one

    @property
    def side_files(self) -> Sequence[tuple[str, str]]:
        return [("--singletons", path) for path in self.against]

    def once(self, side: int, /) -> Sequence[str]:
        if side:
            return (self.id_field,)
        return "a", "b", AGAINST, COPY, LABEL_FIELD, *(() if self.least is None else ("similarity",))
