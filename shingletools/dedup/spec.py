"""What is wanted of documents and their groups."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import TYPE_CHECKING

from shingletools.errors import Failed, shown
from shingletools.stage import Stage

if TYPE_CHECKING:
    from shingletools.dedup.choice import Dedup

DUPLICATE_OF = "duplicate_of"  # a field: which document is kept in this one's place
FIRST, LONGEST, SHORTEST = "first", "longest", "shortest"


@dataclass(frozen=True)
class DedupSpec(Stage):
    """One document of each group; raises Failed for what cannot be had together."""

    id_field: str
    reads: tuple[str, ...]  # files of groups
    keep: str = FIRST
    text_field: str = "text"  # whose length counts
    removed: str | None = None
    annotate: bool = False  # all documents pass, and those that would go say why

    def __post_init__(self) -> None:
        if self.annotate and self.removed is not None:
            raise Failed("--annotate removes nothing that --removed could keep")

    @property
    def beside(self) -> Sequence[tuple[str, str]]:
        return [("--groups", path) for path in self.reads]

    @property
    def texts(self) -> AbstractSet[str]:
        return {self.text_field}

    def once(self, _side: int, /) -> Sequence[str]:
        fields = [self.id_field, DUPLICATE_OF]
        return fields if self.keep == FIRST else [*fields, self.text_field]

    def collector(self, _jobs: int, /) -> "Dedup":
        from shingletools.dedup.choice import ByLength, First  # which imports what is wanted

        return First(self) if self.keep == FIRST else ByLength(self)


def in_two_groups(name: str | int) -> str:
    return f"id {shown(name)} is in two groups"
