"""What is wanted of documents, their groups, and the pairs that they make with an archive."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING

from shingletools.errors import Failed, shown
from shingletools.stage import Stage

if TYPE_CHECKING:
    from shingletools.dedup.choice import Dedup

DUPLICATE_OF = "duplicate_of"  # a field: which document is kept in this one's place, or which one an archive has
DUPLICATE_BY = "duplicate_by"  # a field: the rule that decided so
FIRST, LONGEST, SHORTEST, NONE = "first", "longest", "shortest", "none"
LEAST, MOST = "min:", "max:"  # and the name of a field
KNOWN = "known"  # the rule of --known


class DedupSpec(Stage):
    """One document of each group, or none, and none that an archive has; raises Failed for what cannot be had
    together.
    """

    id_field: str
    reads: tuple[str, ...]  # all files of groups and pairs
    groups: tuple[str, ...]
    keep: str
    text_field: str  # whose length counts
    known: tuple[str, ...]  # pairs, whose a goes
    pairs: tuple[str, ...]  # which say how similar the documents of groups are
    removed: str | None
    annotate: bool  # all documents pass, and those that would go say why
    larger_than: int  # so many members: groups of no more are left alone
    dry: bool

    def __init__(  # noqa: PLR0913  # as in Filter
        self, id_field: str, groups: tuple[str, ...] = (), keep: str = FIRST, text_field: str = "text", *,
        known: tuple[str, ...] = (), pairs: tuple[str, ...] = (), removed: str | None = None, annotate: bool = False,
        larger_than: int = 1, dry: bool = False,
    ) -> None:  # fmt: skip
        if not groups and not known:
            raise Failed("nothing says what goes: give --groups or --known")
        if annotate and removed is not None:
            raise Failed("--annotate removes nothing that --removed could keep")
        if annotate and keep == NONE:
            raise Failed("--annotate names the document that stays, and with --keep none there is no such")
        if pairs and not (annotate and groups):
            raise Failed("--pairs says how similar the documents of --groups are, which --annotate writes")
        super().__init__(
            id_field=id_field, groups=groups, keep=keep, text_field=text_field, known=known, pairs=pairs,
            reads=(*groups, *known, *pairs), removed=removed, annotate=annotate, larger_than=larger_than, dry=dry,
        )  # fmt: skip

    def check_fields(self, id_field: str, /) -> None:
        for field in self.marks:
            if f"{id_field}.".startswith(f"{field}."):
                option = "--annotate" if self.annotate else "--removed, with --known,"
                raise Failed(f"{option} needs the field {shown(field)} for itself")

    @property
    def beside(self) -> Sequence[tuple[str, str]]:
        return [("--groups", path) for path in self.groups]

    @property
    def texts(self) -> AbstractSet[str]:
        return {self.text_field}

    @property
    def measured(self) -> str | None:
        """The field whose length counts, if any does."""
        return self.text_field if self.keep in (LONGEST, SHORTEST) else None

    @property
    def valued(self) -> str | None:
        """The field whose value counts, if any does."""
        return self.keep.partition(":")[2] if self.keep.startswith((LEAST, MOST)) else None

    @property
    def marks(self) -> Sequence[str]:
        """The fields that are written."""
        return (DUPLICATE_OF, DUPLICATE_BY) if self.annotate or (self.known and self.removed is not None) else ()

    def once(self, _side: int, /) -> Sequence[str]:
        return *dict.fromkeys(name for name in (self.id_field, self.measured, self.valued) if name), *self.marks

    def alone(self) -> str:
        by_value = self.keep if self.valued else ""
        asked = (
            ("--known", self.known),
            ("--pairs", self.pairs),
            (f"--keep {by_value}", by_value),
            ("--dry-run", self.dry),
        )
        options = [option for option, value in asked if value]
        return f"with {' and '.join(options)} it works in one process; run it in the shell" if options else ""

    def figures(self, stay: int, grouped: int, known: int) -> list[str]:
        """What -v says of documents that stay, and that go by their groups and by the archive."""
        rules = [f"{grouped} by --keep {self.keep}"] if self.groups else []
        rules += [f"{known} by --known"] if self.known else []
        return [f"{stay} stay", f"{grouped + known} {'marked' if self.annotate else 'removed'} ({', '.join(rules)})"]

    def collector(self, _jobs: int, /) -> "Dedup":
        from shingletools.dedup.first import First, NoneStays  # which import what is wanted
        from shingletools.dedup.given import Given

        given = Given.read(self)
        if self.keep in (FIRST, NONE):
            return (First if self.keep == FIRST else NoneStays)(self, given)
        from shingletools.dedup.best import ByLength, ByValue  # and decimal, which the first of a group does without

        return (ByValue if self.valued else ByLength)(self, given)


def in_two_groups(name: str | int) -> str:
    return f"id {shown(name)} is in two groups"
