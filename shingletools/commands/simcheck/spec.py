"""The specification of simcheck: pairs, and the documents that they name."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING

from shingletools.record.stage import Stage, check_fields_apart
from shingletools.record.wire import AGAINST, COPY, COVERS

if TYPE_CHECKING:
    from shingletools.system.memory_limit import Memory

OWN, ANSWER = "own", "answer"
ADDED = (OWN, COVERS, ANSWER)  # fields
ABSTRACT = "abstract"
# Fields of a citation, the ones that tell most first
DETAILS = ("type", "edition", "number", "date", "language")  # which tell if no place does
CITATION_FIELDS = (
    *("doi", "pmid", "isbn", "title", "author", "year", "journal", "volume", "pages"),
    *(*DETAILS, "database", "accession", ABSTRACT),
)


class CheckSpec(Stage):
    """The options of simcheck. Documents are read after pairs, so only those that pairs name are kept."""

    id_field: str
    docs: Sequence[str]  # files of documents, of both sides or of a only
    others: Sequence[str] = ()  # files of the documents b
    text_field: str = "text"
    doubtful: str | None = None  # the file of doubtful pairs
    drops: bool = False  # whether different pairs are not written
    citations: bool = False  # whether fields of citations are compared, not texts
    covering: bool = False  # whether doubtful pairs cover each other, too
    memory: "Memory | None" = None

    @property
    def second(self) -> tuple[str, str] | None:
        return None if self.doubtful is None else ("--doubtful", self.doubtful)

    @property
    def sides(self) -> Sequence[Sequence[str]]:
        return self.docs, self.others

    @property
    def side_files(self) -> Sequence[tuple[str, str]]:
        return [*(("--docs", path) for path in self.docs), *(("--against", path) for path in self.others)]

    @property
    def compared(self) -> Sequence[str]:
        """Returns the fields of a document that are compared."""
        return CITATION_FIELDS if self.citations else (self.text_field,)

    @property
    def texts(self) -> AbstractSet[str]:
        return {self.text_field}

    def once(self, side: int, /) -> Sequence[str]:
        return (self.id_field, *self.compared, "via") if side else ("a", "b", AGAINST, COPY, *ADDED)

    def check_fields(self, id_field: str, /) -> None:
        check_fields_apart(id_field, self.text_field, ("via",))
