"""How comparisons are written: for people, as a line each, as records. One more form is one more Writer."""

from fractions import Fraction
from typing import Protocol

from shingletools import wire
from shingletools.simshow.documents import Shown
from shingletools.simshow.passages import Comparison
from shingletools.simshow.people import AsColumns, AsLines, AsText
from shingletools.simshow.spec import BRIEF, JSON, SIDE_BY_SIDE, Form

DECIMALS = 6


class Writer(Protocol):
    """What makes bytes of comparisons, one after the other; `finish` gives what comes after the last."""

    def write(self, compared: Comparison, a: Shown, b: Shown, /) -> bytes: ...

    def finish(self) -> bytes: ...


class AsRecords:
    """A record of JSON for each pair."""

    def write(self, compared: Comparison, _a: Shown, _b: Shown, /) -> bytes:
        shares = [rounded(Fraction(compared.shared, max(total, 1))) for total in compared.words]
        return wire.format_json(
            {
                "a": compared.a,
                "b": compared.b,
                "similarity": compared.similarity,
                "shared": [{"a": each.a, "b": each.b, "words": each.words} for each in compared.passages],
                "words": compared.shared,
                "share_a": shares[0],
                "share_b": shares[1],
                "longest": compared.longest,
                "jaccard": rounded(compared.jaccard),
                "containment": rounded(compared.containment),
            }
        )

    def finish(self) -> bytes:
        return b""


def rounded(number: Fraction) -> float:
    return round(number.numerator / number.denominator, DECIMALS)


def writer_of(form: Form) -> Writer:
    if form.name == JSON:
        return AsRecords()
    if form.name == SIDE_BY_SIDE:
        return AsColumns(form)
    return AsLines(form) if form.name == BRIEF else AsText(form)
