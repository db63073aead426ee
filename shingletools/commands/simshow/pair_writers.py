"""The writers of compared pairs, one for each form of output."""

from collections.abc import Sequence
from fractions import Fraction
from io import BytesIO
from typing import Protocol

from shingletools.commands.simshow.documents import Name, ShownDocument
from shingletools.commands.simshow.passages import Comparison, rounded
from shingletools.commands.simshow.report.page import Report
from shingletools.commands.simshow.report.pair_origin import Corpus, Provenance
from shingletools.commands.simshow.spec import BRIEF, JSON, PAGE, PATTERN, SIDE_BY_SIDE, Form
from shingletools.commands.simshow.text_output import ColumnWriter, LineWriter, PatternWriter, TextWriter
from shingletools.record import wire


class Writer(Protocol):
    """Makes bytes from comparisons, one after the other; `finish` gives the bytes after the last one."""

    def write(self, compared: Comparison, a: ShownDocument, b: ShownDocument, /) -> bytes: ...

    def group(self, name: Name, members: Sequence[Name], /) -> bytes:
        """Returns the bytes after the pairs of a group, which are its first member with each other one."""

    def finish(self, corpus: Corpus, /) -> bytes: ...


class PageWriter:
    """Writes an HTML page of all comparisons. apart: ids of a and b are of different documents."""

    def __init__(self, limit: int, apart: bool, show: Sequence[str], origin: Provenance) -> None:
        self.out = BytesIO()
        self.report = Report(self.out, limit, apart, show, origin)

    def write(self, compared: Comparison, a: ShownDocument, b: ShownDocument, /) -> bytes:
        self.report.add_pair(compared, a.source, b.source, a.shown_fields, b.shown_fields)
        return self.written()

    def group(self, name: Name, members: Sequence[Name], /) -> bytes:
        self.report.add_group(name, members)
        return self.written()

    def finish(self, corpus: Corpus, /) -> bytes:
        self.report.finish(corpus)
        return self.written()

    def written(self) -> bytes:
        data = self.out.getvalue()
        self.out.seek(0)
        self.out.truncate()
        return data


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


def writer_of(form: Form, apart: bool, show: Sequence[str], origin: Provenance) -> Writer:
    """Returns the writer for a form. apart: a and b are different documents even if their ids are equal."""
    if form.name == PAGE:
        return PageWriter(form.limit, apart, show, origin)
    return {JSON: RecordWriter, SIDE_BY_SIDE: ColumnWriter, BRIEF: LineWriter, PATTERN: PatternWriter}.get(
        form.name, TextWriter
    )(form)
