"""Scores as records, and as a table."""

from fractions import Fraction

import orjson

from shingletools.commands.simscore.scoring import Band, Scores, Whole
from shingletools.numbers.exact_ratios import DIGITS, aligned, as_cell, rounded

Cell = Fraction | int | str | None
Cells = tuple[Cell, ...]
OF_BAND = "least", "below", "found", "right", "precision", "truth", "recalled", "recall"
OF_ALL = ("least", "found", "right", "truth", "precision", "recall", "f1", "ari", "b3_precision", "b3_recall", "b3_f1")
TOTAL = "all"
EDGES = "least", "below"
TITLES = {"f1": "F1", "ari": "ARI", "b3_precision": "B3-P", "b3_recall": "B3-R", "b3_f1": "B3-F1"}


def cells_of_band(band: Band) -> Cells:
    return (band.least, band.below, band.found, band.right, band.precision, band.truth, band.recalled, band.recall)


def cells_of_all(whole: Whole) -> Cells:
    pairs, groups = whole.pairs, whole.groups
    of_pairs = pairs.found, pairs.right, pairs.truth, pairs.precision, pairs.recall, pairs.f1
    return (whole.least, *of_pairs, groups.ari, groups.b3_precision, groups.b3_recall, groups.b3_f1)


def records(scores: Scores) -> bytes:
    """Returns a line for each band, then for each threshold, then for all."""
    rows = [
        *(("band", OF_BAND, cells_of_band(band)) for band in scores.bands),
        *(("threshold", OF_ALL, cells_of_all(whole)) for whole in scores.thresholds),
        (
            TOTAL,
            ("documents", "outside", *OF_ALL[1:]),
            (scores.documents, scores.outside, *cells_of_all(scores.all)[1:]),
        ),
    ]
    return b"".join(
        orjson.dumps({"scope": scope} | dict(zip(names, map(plain, cells), strict=True))) + b"\n"
        for scope, names, cells in rows
    )


def plain(cell: Cell) -> float | str | None:
    """Returns a cell of a record; ratios have DIGITS digits."""
    return rounded(cell, DIGITS) if isinstance(cell, Fraction) else cell


def table(scores: Scores) -> bytes:
    """Returns a table of the bands, if there are any, an empty line, and a table of the thresholds."""
    rows = [*map(cells_of_all, scores.thresholds), (TOTAL, *cells_of_all(scores.all)[1:])]
    blocks = [as_text(OF_ALL, rows)]
    if scores.bands:
        blocks.insert(0, as_text(OF_BAND, [*map(cells_of_band, scores.bands)]))
    return b"\n".join(blocks)


def as_text(names: tuple[str, ...], rows: list[Cells]) -> bytes:
    """Returns columns as text, under their titles."""
    titles = [TITLES.get(name, name) for name in names]
    return aligned(
        [titles, *([as_cell(cell, name in EDGES) for name, cell in zip(names, row, strict=True)] for row in rows)]
    )
