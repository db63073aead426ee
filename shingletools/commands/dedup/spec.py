"""The specification of dedup: documents, their groups, and their pairs with an archive."""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING

from shingletools.record.stage import Stage
from shingletools.system.errors import Failed, shown

if TYPE_CHECKING:
    from shingletools.commands.dedup.choice import Dedup
    from shingletools.commands.dedup.given import Given

DUPLICATE_OF = "duplicate_of"  # a field: the document that is kept in this one's place, perhaps in an archive
DUPLICATE_BY = "duplicate_by"  # a field: the rule that decided it
FIRST, LONGEST, SHORTEST, NONE = "first", "longest", "shortest", "none"
LEAST, MOST = "min:", "max:"  # followed by the name of a field
KNOWN = "known"  # the rule of --known


class DedupSpec(Stage):
    """One document of each group, or none, and none that an archive has.

    Raises Failed for options that cannot be combined.
    """

    id_field: str
    groups: tuple[str, ...] = ()
    keep: str = FIRST
    text_field: str = "text"  # its length may count
    known: tuple[str, ...] = ()  # files of pairs, whose documents a are removed
    pairs: tuple[str, ...] = ()  # files of pairs, which give similarities
    removed: str | None = None
    annotate: bool = False  # remove nothing, but mark duplicates
    larger_than: int = 1  # groups of so many members or fewer are left alone
    dry: bool = False

    def derived(self) -> Mapping[str, object]:
        if not self.groups and not self.known:
            raise Failed("--groups or --known is needed to say which documents go")
        if self.annotate and self.removed is not None:
            raise Failed("--removed cannot be combined with --annotate, which removes nothing")
        if self.annotate and self.keep == NONE:
            raise Failed("--annotate cannot be combined with --keep none, which keeps no document for it to name")
        if self.pairs and not self.annotate:
            raise Failed("--pairs needs --annotate, which writes similarities")
        if self.pairs and not self.groups:
            raise Failed("--pairs needs --groups, whose documents it compares")
        return {"reads": (*self.groups, *self.known, *self.pairs)}

    def check_fields(self, id_field: str, /) -> None:
        for field in self.marks:
            if f"{id_field}.".startswith(f"{field}."):
                option = "--annotate" if self.annotate else "--removed, with --known,"
                raise Failed(f"{option} needs the field {shown(field)} for itself")

    @property
    def beside(self) -> Sequence[tuple[str, str]]:
        named = ("--groups", self.groups), ("--pairs", self.pairs), ("--known", self.known)
        return [(option, path) for option, paths in named for path in paths]

    @property
    def texts(self) -> AbstractSet[str]:
        return {self.text_field, *((self.valued,) if self.valued else ())}

    @property
    def measured(self) -> str | None:
        """The field whose length counts, if any."""
        return self.text_field if self.keep in (LONGEST, SHORTEST) else None

    @property
    def valued(self) -> str | None:
        """The field whose value counts, if any."""
        return self.keep.partition(":")[2] if self.keep.startswith((LEAST, MOST)) else None

    @property
    def marks(self) -> Sequence[str]:
        """The fields of marks that are written."""
        return (DUPLICATE_OF, DUPLICATE_BY) if self.annotate or (self.known and self.removed is not None) else ()

    def once(self, _side: int, /) -> Sequence[str]:
        return *dict.fromkeys(name for name in (self.id_field, self.measured, self.valued) if name), *self.marks

    def figures(self, stay: int, grouped: int, known: int) -> list[str]:
        """The figures of -v: documents that stay, and that go by their groups and by the archive."""
        rules = [f"{grouped} by --keep {self.keep}"] if self.groups else []
        rules += [f"{known} by --known"] if self.known else []
        return [f"{stay} stay", f"{grouped + known} {'marked' if self.annotate else 'removed'} ({', '.join(rules)})"]

    def collector(self, _jobs: int, /) -> "Dedup":
        from shingletools.commands.dedup.given import Given  # which imports this module

        return self.choice(Given.read(self))

    def choice(self, given: "Given") -> "Dedup":
        """The collector that chooses by these groups and pairs."""
        from shingletools.commands.dedup.first import First, NoneStays  # which import this module

        if self.keep in (FIRST, NONE):
            return (First if self.keep == FIRST else NoneStays)(self, given)
        from shingletools.commands.dedup.best import ByLength, ByValue  # imported late: it loads decimal

        return (ByValue if self.valued else ByLength)(self, given)


def in_two_groups(name: str | int) -> str:
    return f"id {shown(name)} is in two groups"


def in_doubt(name: str | int) -> str:
    """Why the run fails where a document is b in a pair of --known that does not say that it is of two sides."""
    return (
        f'id {shown(name)} is b in a pair of --known without "against":true: if these are pairs of the input with '
        'itself, give groups of them, from simgroup, to --groups; if an archive uses the same ids, add "against":true'
    )
