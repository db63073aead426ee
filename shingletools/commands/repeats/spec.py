"""The specifications of repeats: within a corpus, against a reference, and the treatment of documents."""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING, NamedTuple

from shingletools.archive.archive_files import manifest_in
from shingletools.record.stage import Stage, check_fields_apart
from shingletools.record.wire import AT, REPEATS, SOURCE
from shingletools.system.errors import Failed

if TYPE_CHECKING:
    from fractions import Fraction

    from shingletools.record.field_names import Names
    from shingletools.system.memory_limit import Memory

OWN = (SOURCE, AT, "via", REPEATS)  # fields that it reads or writes, other than id and text


class Treatment(NamedTuple):
    """The treatment of documents with runs."""

    id_field: str
    text_field: str
    cut: bool = False  # the runs are taken out, not marked
    drop: "Fraction | None" = None  # documents of which more than this share of words is in runs are left out
    removed: str | None = None  # a file for documents that are cut or left out

    def check(self) -> None:
        """Raises Failed for options that cannot be combined."""
        if self.removed is not None and not self.cut and self.drop is None:
            raise Failed("--removed needs --cut or --drop, without which nothing is removed")


class RepeatsSpec(Stage):
    """A stage that takes canonized documents and writes the field REPEATS."""

    treatment: Treatment

    @property
    def texts(self) -> AbstractSet[str]:
        return {self.treatment.text_field}

    def once(self, _side: int = 0, /) -> Sequence[str]:
        return self.treatment.id_field, self.treatment.text_field, *OWN

    def check_fields(self, id_field: str, /) -> None:
        check_fields_apart(id_field, self.treatment.text_field, OWN)


class WithinSpec(RepeatsSpec):
    """Runs of at least k words of which any k occur earlier, in an earlier document or in the same one."""

    treatment: Treatment
    k: int
    memory: "Memory"
    every: bool = False  # first copies are marked, too
    ids: bool = False  # say where the first copy is
    more_than: int | None = None  # only passages in more documents than so many are marked

    def derived(self) -> Mapping[str, object]:
        self.treatment.check()
        if self.every and self.more_than is None and (self.treatment.cut or self.treatment.drop is not None):
            raise Failed("--all cannot be combined with --cut or --drop, which would also remove first copies")
        if self.ids and self.treatment.cut:
            raise Failed("--ids cannot be combined with --cut, which writes no marks")
        return {"removed": self.treatment.removed}

    def single_process_reason(self) -> str:
        return "without --against, one process needs all documents; run it in the shell"


class AgainstSpec(RepeatsSpec):
    """Runs of at least k words that occur in a reference."""

    treatment: Treatment
    k: int | None  # None for the least number of words that an archive was made for
    references: tuple[str, ...]  # files, or the folder of an archive of passages
    least: int | None  # items with so many words, but fewer than k, are looked for whole; None: they are not
    share: "Fraction | None" = None  # an item counts in a document that has this share of its words
    items: str | None = None  # the file of records of items
    archive: bool = False  # whether the reference is an archive
    names: "Names | None" = None  # of the fields of the reference's records, if they may be others

    def derived(self) -> Mapping[str, object]:
        self.treatment.check()
        if self.items is not None and self.treatment.removed is not None:
            raise Failed("--items cannot be combined with --removed: run it twice")
        reads = [*map(manifest_in, self.references)] if self.archive else self.references
        return {"removed": self.treatment.removed, "reads": reads}

    @property
    def covers(self) -> bool:
        """Returns whether the covered words of each item are wanted."""
        return self.share is not None or self.items is not None

    @property
    def side_files(self) -> Sequence[tuple[str, str]]:
        return [] if self.archive else [("--against", path) for path in self.references]

    @property
    def second(self) -> tuple[str, str] | None:
        return super().second if self.items is None else ("--items", self.items)

    def single_process_reason(self) -> str:
        if self.archive:
            return "one process asks an archive of passages; run it in the shell"
        alone = "--items, --removed and a reference from standard input need one process; run it in the shell"
        return "" if self.filters else alone

    @property
    def filters(self) -> bool:
        """Returns whether a filter, which takes each document alone, is enough."""
        return not self.archive and self.second is None and "-" not in self.references
