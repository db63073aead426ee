"""The specification of scores."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from shingletools.record.document_format import Format
from shingletools.record.labels import PAIRS, UNIQUE_FIELDS
from shingletools.record.stage import Stage
from shingletools.system.errors import Failed, shown

if TYPE_CHECKING:
    from fractions import Fraction

FOUND, DOCS, TRUTH = 0, 1, 2  # documents come before labels, so that a label of an unknown document is found at once
MOST_BANDS = 1000


class ScoreSpec(Stage):
    """Scores of pairs or groups by labels. Raises Failed for options that cannot be combined."""

    id_field: str
    truth: tuple[str, ...]  # files of pairs and groups, or of documents
    docs: tuple[str, ...]  # files of the documents of the run; () for those that pairs, groups or labels name
    label: str | None  # a field: documents of the truth with equal values in it belong together
    edges: "tuple[Fraction, ...]"  # where bands of similarity begin, rising; empty for none
    cut: bool  # bands below all similarities are left out
    table: bool
    judged: bool  # whether only pairs count that the truth calls the same or different
    form: Format | None  # what the files of the truth are, None for JSON lines
    truth_id: str | None = None  # the field of ids in these, if it may be another one

    def derived(self) -> Mapping[str, object]:
        if self.judged and self.label is not None:
            raise Failed("--judged needs a truth of pairs, and cannot be combined with --field")
        return {}

    @property
    def sides(self) -> Sequence[Sequence[str]]:
        return self.docs, self.truth

    def format_of(self, side: int, /) -> Format | None:
        return self.form if side == TRUTH else None

    def once(self, side: int, /) -> Sequence[str]:
        if side == DOCS:
            return (self.id_field,)
        # Which fields count depends on whether a record is a pair or a group
        return () if side != TRUTH or self.label is None else (self.id_of(side), self.label)

    def id_of(self, side: int) -> str:
        """Returns the field of ids in documents of a side."""
        return self.truth_id if side == TRUTH and self.truth_id is not None else self.id_field

    def check_fields(self, id_field: str, /) -> None:
        if self.label == id_field:
            raise Failed(f"the id and the label need fields of their own, not {shown(id_field)}")


class MergeSpec(Stage):
    """The options of simscore --merge."""

    id_field: str
    merged: str  # the file of the other labels

    @property
    def sides(self) -> Sequence[Sequence[str]]:
        return ((self.merged,),)

    @property
    def side_files(self) -> Sequence[tuple[str, str]]:
        return (("--merge", self.merged),)

    def once(self, _side: int, /) -> Sequence[str]:
        return UNIQUE_FIELDS[PAIRS]

    def check_fields(self, _id_field: str, /) -> None:
        """Accepts any field of ids, which pairs do not have."""
