"""Writes findings as records, or as tables for people."""

from collections.abc import Iterable
from fractions import Fraction
from itertools import groupby

import orjson

from shingletools.commands.simtune.findings import Finding, Value
from shingletools.numbers.exact_ratios import aligned, rounded

DIGITS = 6  # of ratios after the point, in records
TABLE_DIGITS = 4  # and in tables
EDGES = "least", "below", "above"  # shown with all their digits
TITLES = {
    "sample": "documents and the sample",
    "lengths": "words of a document",
    "setting": "what was tried",
    "frequency": "shingles by the number of documents that have them",
    "common": "shingles in many documents",
    "band": "pairs by similarity, and the share that sketches find",
    "signature": "what compares, and what it costs",
    "score": "the pairs of the chosen setting, by the labels that did not choose it",
}
HEADS = {
    ("", "least"): "from",
    ("", "most"): "to",
    ("", "below"): "to below",
    ("", "f1"): "F1",
    ("", "true"): "true pairs",
    ("lengths", "least"): "least",
    ("lengths", "q10"): "tenth",
    ("lengths", "q25"): "quarter",
    ("lengths", "q75"): "three quarters",
    ("lengths", "q90"): "nine tenths",
    ("common", "above"): "in more than",
    ("common", "documents"): "that is",
    ("common", "places"): "of all places",
    ("band", "whole"): "of the whole",
    ("band", "n42"): "42 components",
    ("band", "n84"): "84 components",
    ("band", "n168"): "168 components",
    ("band", "n256"): "256 components",
    ("signature", "low"): "similarity from",
    ("signature", "high"): "to",
    ("signature", "memory"): "bytes of memory",
    ("score", "counted"): "pairs counted",
    ("score", "counted_true"): "true pairs counted",
}


def records(found: Iterable[Finding]) -> bytes:
    """Returns a line of JSON for each finding."""
    return b"".join(orjson.dumps({name: plain(value) for name, value in each.items()}) + b"\n" for each in found)


def plain(value: Value) -> orjson.Fragment | str | int | None:
    """Returns a value for orjson, a ratio without an exponent: libraries write exponents differently."""
    return orjson.Fragment(decimal(value)) if isinstance(value, Fraction) else value


def decimal(value: Fraction) -> str:
    """Rounds a ratio of 0 or more half to even, to DIGITS.

    >>> decimal(Fraction(1, 80000)), decimal(Fraction(1)), decimal(Fraction(1, 10**9))
    ('0.000012', '1.0', '0.0')
    """
    whole, rest = divmod(round(value * 10**DIGITS), 10**DIGITS)
    return f"{whole}.{f'{rest:0{DIGITS}d}'.rstrip('0') or '0'}"


def table(found: Iterable[Finding]) -> bytes:
    """Returns a table for each scope, with empty lines between, and lines for the reasons and the pipeline."""
    blocks = []
    for scope, group in groupby(found, key=lambda each: str(each["scope"])):
        rows = list(group)
        if scope in {"reason", "advice"}:
            blocks.append("".join(f"{' '.join(map(str, [*each.values()][-1:]))}\n" for each in rows).encode())
            continue
        names = [name for name in rows[0] if name != "scope" and not name.endswith(("_low", "_high"))]
        cells = ([cell(each, name) for name in names] for each in rows)
        heads = [HEADS.get((scope, name)) or HEADS.get(("", name)) or name for name in names]
        blocks.append(f"{TITLES[scope]}:\n".encode() + aligned([heads, *cells]))
    return b"\n".join(blocks)


def cell(finding: Finding, name: str) -> str:
    """Returns a value for people, a ratio with its interval if it has one."""
    found = shown(name, finding[name])
    if (low := finding.get(f"{name}_low")) is None or finding[name] is None:
        return found
    return f"{found} ({shown(name, low)} to {shown(name, finding[f'{name}_high'])})"


def shown(name: str, value: Value) -> str:
    """Returns a value as text: a dash for no value, a ratio with TABLE_DIGITS digits, an edge with all its digits."""
    if isinstance(value, Fraction):
        return f"{rounded(value, DIGITS):g}" if name in EDGES else f"{rounded(value, TABLE_DIGITS):.{TABLE_DIGITS}f}"
    return "-" if value in {None, ""} else str(value)
