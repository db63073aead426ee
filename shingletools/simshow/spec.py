"""What is wanted of pairs and their documents."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING, NamedTuple

from shingletools.errors import Failed, shown
from shingletools.stage import Stage

if TYPE_CHECKING:
    from fractions import Fraction

    from shingletools.simshow.collector import Show

TEXT, SIDE_BY_SIDE, BRIEF, JSON, PAGE = "text", "side by side", "brief", "json", "page"
OF_PAIRS = "a", "b", "similarity", "members", "duplicate_of", "duplicate_by"  # fields of what names documents
OF_WORDS = "source", "at", "via"  # fields of documents beside their id and their text
PAGE_BYTES = 32 << 20  # of data, of a page


class Selection(NamedTuple):
    """Which of the pairs are shown."""

    least: "Fraction | None" = None  # similarity
    most: "Fraction | None" = None
    sample: int | None = None  # so many, spread over their similarities

    @property
    def by_similarity(self) -> bool:
        return self != Selection()


class Form(NamedTuple):
    """How they are shown."""

    name: str = JSON
    colour: bool = False
    width: int = 80  # of the terminal, in columns
    context: int = 6  # words
    whole: bool = False  # long stretches of equal words, too
    limit: int = PAGE_BYTES


class ShowSpec(Stage):
    """What pairs share: the documents come after the pairs, so that only those are held that occur."""

    id_field: str
    docs: tuple[str, ...]  # files of documents: of both sides, or of a
    others: tuple[str, ...]  # of b
    text_field: str
    canon: str  # options
    k: int  # words that a run has at least
    gap: int  # words between two runs of a passage at most
    template: int | None  # documents in which words stand that are template
    chosen: Selection
    form: Form
    page: str | None  # the file that is it
    size: int | None  # bytes that wait in memory
    folder: str  # of scratch files

    def __init__(  # noqa: PLR0913  # as in Filter
        self, id_field: str, docs: Sequence[str], others: Sequence[str] = (), *, text_field: str = "text",
        canon: str = "", k: int = 5, gap: int = 10, template: int | None = None, chosen: Selection | None = None,
        form: Form | None = None, page: str | None = None, size: int | None = None, folder: str = "/tmp",
    ) -> None:  # fmt: skip
        super().__init__(
            id_field=id_field, docs=tuple(docs), others=tuple(others), text_field=text_field, canon=canon, k=k,
            gap=gap, template=template, chosen=chosen or Selection(), form=form or Form(), page=page, size=size,
            folder=folder,
        )  # fmt: skip

    @property
    def second(self) -> tuple[str, str] | None:
        return None if self.page is None else ("--html", self.page)

    @property
    def sides(self) -> Sequence[Sequence[str]]:
        return self.docs, self.others

    @property
    def beside(self) -> Sequence[tuple[str, str]]:
        return [*(("--docs", path) for path in self.docs), *(("--against", path) for path in self.others)]

    @property
    def texts(self) -> AbstractSet[str]:
        return {self.text_field}

    def once(self, side: int, /) -> Sequence[str]:
        if side:
            return self.id_field, self.text_field, *OF_WORDS
        return self.id_field, *OF_PAIRS

    def check_fields(self, id_field: str, /) -> None:
        if id_field in OF_PAIRS:
            raise Failed(f"the id needs a field of its own, for {shown(id_field)} is one of pairs and groups")
        fields = (id_field, self.text_field, *OF_WORDS)
        if len(set(fields)) < len(fields):
            names = ", ".join(map(shown, fields))
            raise Failed(f"the id, the text, source, at and via need fields of their own, not {names}")

    def alone(self) -> str:
        return "it shows pairs to people, in the shell"

    def collector(self, _jobs: int, /) -> "Show":
        from shingletools.simshow.collector import Show  # numpy, which --help does not need

        return Show(self)
