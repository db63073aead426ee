"""The specification of simshow: which pairs are shown, and how; or the runs of documents."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING, NamedTuple

from shingletools.commands.simshow.report.pair_origin import Provenance
from shingletools.record.document_format import Format
from shingletools.record.field_names import Names
from shingletools.record.stage import Stage, check_fields_apart
from shingletools.record.wire import AT, REPEATS, SOURCE, field_after
from shingletools.system.errors import Failed, shown

if TYPE_CHECKING:
    from fractions import Fraction

    from shingletools.system.memory_limit import Memory

TEXT, SIDE_BY_SIDE, BRIEF, PATTERN, JSON, PAGE = "text", "side-by-side", "brief", "pattern", "json", "html"
OF_PAIRS = "a", "b", "similarity", "members", "duplicate_of", "duplicate_by"  # fields of records that name documents
OF_WORDS = SOURCE, AT, "via"  # further fields of documents
FOR_PEOPLE = "it shows texts to people, in the shell"
PAGE_BYTES = 32 << 20  # of data in a page


class Selection(NamedTuple):
    """The pairs that are shown."""

    least: "Fraction | None" = None  # similarity
    most: "Fraction | None" = None
    sample: int | None = None  # number of pairs, spread over their similarities


class Layout(NamedTuple):
    """What shown pairs look like."""

    name: str = JSON
    colour: bool = False
    width: int = 80  # of the terminal, in columns
    context: int = 6  # words before and after a passage
    whole: bool = False  # show long runs of equal words in full
    limit: int = PAGE_BYTES
    unshared: bool = False  # show what only one text has, too


class ShowSpec(Stage):
    """The options of simshow for pairs. Documents are read after pairs, so only those that pairs name are kept."""

    id_field: str
    docs: Sequence[str]  # files of documents, of both sides or of a only
    others: Sequence[str] = ()  # files of the documents b
    fields_of_text: Sequence[str] = ("text",)
    canon: str = ""  # the options of --canon
    k: int = 5  # least words of a run
    gap: int = 60  # most words between two runs of a passage
    template: int | None = None  # number of documents that make words template
    chosen: Selection = Selection()
    layout: Layout = Layout()
    page: str | None = None  # the file of the page
    memory: "Memory | None" = None
    show: Sequence[str] = ()  # fields of documents that the page shows
    origin: Provenance = Provenance()
    reads: Sequence[str] = ()  # lists of stop words of --canon
    documents: Format | None = None  # the format of documents
    pair: tuple[str, str] | None = None  # files that are the only pair
    names: Names | None = None  # of the fields of `others`, if they may be other ones
    dedup: Sequence[str] = ()  # the options and files with which dedup reads the documents

    @property
    def second(self) -> tuple[str, str] | None:
        return None if self.page is None else ("--html", self.page)

    @property
    def sides(self) -> Sequence[Sequence[str]]:
        return self.docs, self.others

    @property
    def side_files(self) -> Sequence[tuple[str, str]]:
        named = [*(("--docs", path) for path in self.docs), *(("--against", path) for path in self.others)]
        return named if self.documents is None else []

    @property
    def texts(self) -> AbstractSet[str]:
        return {*self.fields_of_text}

    def names_of(self, side: int) -> tuple[str, Sequence[str]]:
        """Returns the fields of ids and texts of the documents of a side."""
        if side == len(self.sides) and self.names is not None:
            return self.names.id, (self.names.text,)
        return self.id_field, self.fields_of_text

    def format_of(self, side: int, /) -> Format | None:
        return self.documents if side else None

    def once(self, side: int, /) -> Sequence[str]:
        if side:
            id_field, fields = self.names_of(side)
            return tuple(dict.fromkeys((id_field, *fields, field_after(fields), *OF_WORDS, *self.show)))
        return self.id_field, *OF_PAIRS

    def check_fields(self, id_field: str, /) -> None:
        if id_field in OF_PAIRS:
            raise Failed(f"the id needs a field of its own, not {shown(id_field)}, which pairs and groups have")
        fields = (id_field, *self.fields_of_text, *OF_WORDS)
        if len(set(fields)) < len(fields):
            names = ", ".join(map(shown, fields))
            raise Failed(f"the id, the text, source, at and via need fields of their own, not {names}")

    def single_process_reason(self) -> str:
        return FOR_PEOPLE


class RunsSpec(Stage):
    """The options of simshow --runs."""

    id_field: str
    text_field: str = "text"
    layout: Layout = Layout()
    page: str | None = None  # the file of the page

    @property
    def second(self) -> tuple[str, str] | None:
        return None if self.page is None else ("--html", self.page)

    @property
    def texts(self) -> AbstractSet[str]:
        return {self.text_field}

    def once(self, _side: int, /) -> Sequence[str]:
        return self.id_field, self.text_field, *OF_WORDS, REPEATS

    def check_fields(self, id_field: str, /) -> None:
        check_fields_apart(id_field, self.text_field, (*OF_WORDS, REPEATS))

    def single_process_reason(self) -> str:
        return FOR_PEOPLE
