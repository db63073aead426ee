"""The specification of repeats: runs that stood before, or that stand in a reference; what becomes of documents."""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING, NamedTuple

from shingletools.record.stage import Stage
from shingletools.record.wire import AT, SOURCE
from shingletools.system.errors import Failed, shown

if TYPE_CHECKING:
    from fractions import Fraction

    from shingletools.system.scratch import Memory

REPEATS = "repeats"  # the field of the runs


class Treatment(NamedTuple):
    """What becomes of documents with runs."""

    id_field: str
    text_field: str
    cut: bool = False  # the runs are taken out, not marked
    drop: "Fraction | None" = None  # documents of which more than this share of words is in runs are left out
    removed: str | None = None  # the file that keeps what goes

    @property
    def once(self) -> Sequence[str]:
        """Fields that a record may have only once."""
        return self.id_field, self.text_field, SOURCE, AT, "via", REPEATS

    def check(self) -> None:
        """Raises Failed for what cannot be wanted together."""
        if self.removed is not None and not self.cut and self.drop is None:
            raise Failed("--removed needs --cut or --drop, without which nothing goes")

    def check_fields(self, id_field: str) -> None:
        """Raises Failed if one field would have to hold two things."""
        fields = (id_field, self.text_field)
        for field in fields:
            if field.partition(".")[0] in (SOURCE, AT, "via", REPEATS):
                raise Failed(f"the id and the text need fields of their own, not {shown(field)}")
        if id_field == self.text_field:
            raise Failed(f"the id and the text need fields of their own, not {shown(id_field)}")


class WithinSpec(Stage):
    """Runs of at least k words of which every k stood before, in an earlier document or earlier in the same one."""

    treatment: Treatment
    k: int
    memory: "Memory"
    every: bool = False  # first copies are marked, too
    ids: bool = False  # say where the first copy stands

    def derived(self) -> Mapping[str, object]:
        self.treatment.check()
        if self.every and (self.treatment.cut or self.treatment.drop is not None):
            raise Failed("--all cannot be combined with --cut or --drop, which would take first copies, too")
        if self.ids and self.treatment.cut:
            raise Failed("--ids cannot be combined with --cut, which writes no marks")
        return {"removed": self.treatment.removed}

    @property
    def texts(self) -> AbstractSet[str]:
        return {self.treatment.text_field}

    def check_fields(self, id_field: str, /) -> None:
        self.treatment.check_fields(id_field)

    def once(self, _side: int, /) -> Sequence[str]:
        return self.treatment.once

    def alone(self) -> str:
        return "repeats without --against needs all documents in one process; run it in the shell"


class AgainstSpec(Stage):
    """Runs of at least k words that stand in a reference."""

    treatment: Treatment
    k: int
    references: tuple[str, ...]
    least: int  # items of fewer words than k are looked for whole, if they have so many
    share: "Fraction | None" = None  # an item counts in a document that has so much of its words
    items: str | None = None  # the file of what was found of each item

    def derived(self) -> Mapping[str, object]:
        self.treatment.check()
        if self.items is not None and self.treatment.removed is not None:
            raise Failed("--items cannot be combined with --removed: run it twice")
        return {"removed": self.treatment.removed, "reads": self.references}

    @property
    def beside(self) -> Sequence[tuple[str, str]]:
        return [("--against", path) for path in self.references]

    @property
    def second(self) -> tuple[str, str] | None:
        return super().second if self.items is None else ("--items", self.items)

    @property
    def texts(self) -> AbstractSet[str]:
        return {self.treatment.text_field}

    def check_fields(self, id_field: str, /) -> None:
        self.treatment.check_fields(id_field)

    def once(self, _side: int, /) -> Sequence[str]:
        return self.treatment.once
