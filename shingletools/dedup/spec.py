"""What is wanted of documents and their groups."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING

from shingletools.errors import Failed, shown
from shingletools.stage import Stage

if TYPE_CHECKING:
    from shingletools.dedup.choice import Dedup

DUPLICATE_OF = "duplicate_of"  # a field: which document is kept in this one's place
FIRST, LONGEST, SHORTEST, NONE = "first", "longest", "shortest", "none"


class DedupSpec(Stage):
    """One document of each group, or none; raises Failed for what cannot be had together."""

    id_field: str
    reads: tuple[str, ...]  # files of groups
    keep: str
    text_field: str  # whose length counts
    removed: str | None
    annotate: bool  # all documents pass, and those that would go say why
    larger_than: int  # so many members: groups of no more are left alone

    def __init__(  # noqa: PLR0913  # as in Filter
        self, id_field: str, reads: tuple[str, ...], keep: str = FIRST, text_field: str = "text", *,
        removed: str | None = None, annotate: bool = False, larger_than: int = 1,
    ) -> None:  # fmt: skip
        if annotate and removed is not None:
            raise Failed("--annotate removes nothing that --removed could keep")
        if annotate and keep == NONE:
            raise Failed("--annotate names the document that stays, and with --keep none there is no such")
        super().__init__(
            id_field=id_field, reads=reads, keep=keep, text_field=text_field, removed=removed, annotate=annotate,
            larger_than=larger_than,
        )  # fmt: skip

    def check_fields(self, id_field: str, /) -> None:
        if self.annotate and id_field == DUPLICATE_OF:
            raise Failed(f"--annotate needs the field {shown(DUPLICATE_OF)} for itself")

    @property
    def beside(self) -> Sequence[tuple[str, str]]:
        return [("--groups", path) for path in self.reads]

    @property
    def texts(self) -> AbstractSet[str]:
        return {self.text_field}

    @property
    def measured(self) -> str | None:
        """The field whose length counts, if any does."""
        return None if self.keep in (FIRST, NONE) else self.text_field

    def once(self, _side: int, /) -> Sequence[str]:
        text = () if self.measured is None else (self.text_field,)
        return self.id_field, *text, *((DUPLICATE_OF,) if self.annotate else ())

    def collector(self, _jobs: int, /) -> "Dedup":
        from shingletools.dedup.choice import ByLength, First, NoneStays  # which imports what is wanted

        return {FIRST: First, NONE: NoneStays}.get(self.keep, ByLength)(self)


def in_two_groups(name: str | int) -> str:
    return f"id {shown(name)} is in two groups"
