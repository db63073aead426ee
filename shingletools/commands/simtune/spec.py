"""The specification of simtune."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from shingletools.record.document_format import Format
from shingletools.record.field_names import Names
from shingletools.record.stage import IN_ONE_PROCESS, Stage, check_fields_apart

if TYPE_CHECKING:
    from fractions import Fraction

INPUT, OTHERS, TRUTH = 0, 1, 2
SAMPLE_DOCUMENTS = 10_000  # documents
MAX_DOCUMENTS = 999_999_999
DEFAULT_FALSE = "0.1"


class TuneSpec(Stage):
    """The options of simtune."""

    id_field: str
    text_field: str
    words: Sequence[int] | None = None  # the values of -k
    threshold: "Fraction | None" = None
    field: str | None = None  # of labels: documents with equal values belong together
    truth: Sequence[str] = ()  # files of pairs and groups, or of documents with the field
    others: Sequence[str] = ()  # files of documents that are paired with those of the input
    sample: int = SAMPLE_DOCUMENTS
    seed: str = "0"
    for_documents: int | None = None  # the number of documents that the pipeline is for
    false: "Fraction | None" = None  # the share of pairs that may be false; None for DEFAULT_FALSE
    table: bool = False
    names: Names | None = None  # of the fields of `others`, if they may be other ones
    truth_id: str = ""  # the field of ids in documents of the truth, if it may be another one
    form: Format | None = None  # what the files of the truth are, None for JSON lines

    @property
    def sides(self) -> Sequence[Sequence[str]]:
        return self.others, self.truth

    @property
    def order(self) -> Sequence[int]:
        """Returns the order of reading: labels first, since documents with labels are sampled first."""
        return TRUTH, INPUT, OTHERS

    @property
    def texts(self) -> frozenset[str]:
        return frozenset({self.text_field})

    @property
    def own_label(self) -> str | None:
        """Returns the field of the input's labels, if it has labels."""
        return None if self.truth else self.field

    def format_of(self, side: int, /) -> Format | None:
        return self.form if side == TRUTH else None

    def once(self, side: int, /) -> Sequence[str]:
        if side == TRUTH:
            return () if self.field is None else (self.truth_id or self.id_field, self.field)
        return (*self.names_of(side), "via", *([self.own_label] if self.own_label else []))

    def names_of(self, side: int) -> Names:
        """Returns the fields of ids and texts of a side."""
        return self.names if side == OTHERS and self.names else Names(self.id_field, self.text_field)

    def check_fields(self, id_field: str, /) -> None:
        check_fields_apart(id_field, self.text_field, ("via", *([self.field] if self.field else [])))

    def single_process_reason(self) -> str:
        return IN_ONE_PROCESS
