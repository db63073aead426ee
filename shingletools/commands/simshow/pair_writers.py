"""The writers of compared pairs, one for each layout."""

from collections.abc import Sequence
from fractions import Fraction

from shingletools.commands.simshow.documents import ShownDocument
from shingletools.commands.simshow.passages import Comparison, rounded
from shingletools.commands.simshow.report.page import Report
from shingletools.commands.simshow.report.pair_origin import Provenance
from shingletools.commands.simshow.spec import BRIEF, JSON, PAGE, PATTERN, SIDE_BY_SIDE, Layout
from shingletools.commands.simshow.text_output import ColumnWriter, LineWriter, PatternWriter, TextWriter
from shingletools.record import wire


class RecordWriter(LineWriter):
    """Writes a JSON record for each pair."""

    def write(self, compared: Comparison, _a: ShownDocument, _b: ShownDocument, /) -> bytes:
        shares = [rounded(Fraction(compared.shared, max(total, 1))) for total in compared.words]
        return wire.format_json(
            {
                "a": compared.a,
                "b": compared.b,
                "similarity": compared.similarity,
                "shared": [{"a": passage.a, "b": passage.b, "words": passage.words} for passage in compared.passages],
                "words": compared.shared,
                "share_a": shares[0],
                "share_b": shares[1],
                "longest": compared.longest,
                "jaccard": rounded(compared.jaccard),
                "containment": rounded(compared.containment),
            }
        )


def writer_of(layout: Layout, apart: bool, show: Sequence[str], origin: Provenance) -> LineWriter | Report:
    """Returns the writer for a layout. apart: a and b are different documents even if their ids are equal."""
    if layout.name == PAGE:
        return Report(layout.limit, apart, show, origin)
    return {JSON: RecordWriter, SIDE_BY_SIDE: ColumnWriter, BRIEF: LineWriter, PATTERN: PatternWriter}.get(
        layout.name, TextWriter
    )(layout)
