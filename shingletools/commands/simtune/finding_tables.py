"""Findings as records, and as tables for people."""

from collections.abc import Iterable
from fractions import Fraction
from itertools import groupby

import orjson

from shingletools.commands.simtune.findings import Finding, Value
from shingletools.numbers.ratios import aligned, rounded

DIGITS = 6  # of ratios behind the point, in records
SHORT = 4  # and in tables
EDGES = "least", "below", "t", "above"  # shown with what digits they have


def records(found: Iterable[Finding]) -> bytes:
    """A line for each."""
    return b"".join(orjson.dumps({name: plain(value) for name, value in each.items()}) + b"\n" for each in found)


def plain(value: Value) -> orjson.Fragment | str | int | None:
    """A value of a record: integers as they are, ratios without an exponent, which libraries write in several ways."""
    return orjson.Fragment(decimal(value)) if isinstance(value, Fraction) else value


def decimal(value: Fraction) -> str:
    """A ratio, no less than 0, rounded to DIGITS, of two that are equally near to the even one.

    >>> decimal(Fraction(1, 80000)), decimal(Fraction(1)), decimal(Fraction(1, 10**9))
    ('0.000012', '1.0', '0.0')
    """
    whole, rest = divmod(round(value * 10**DIGITS), 10**DIGITS)
    return f"{whole}.{f'{rest:0{DIGITS}d}'.rstrip('0') or '0'}"


def table(found: Iterable[Finding]) -> bytes:
    """A table for each scope, an empty line between; reasons and the pipeline as lines."""
    blocks = []
    for scope, group in groupby(found, key=lambda each: each["scope"]):
        rows = list(group)
        if scope in ("reason", "advice"):
            blocks.append("".join(f"{' '.join(map(str, [*each.values()][-1:]))}\n" for each in rows).encode())
            continue
        names = [name for name in rows[0] if name != "scope"]
        cells = ([shown(name, each[name]) for name in names] for each in rows)
        blocks.append(f"{scope}:\n".encode() + aligned([names, *cells]))
    return b"\n".join(blocks)


def shown(name: str, value: Value) -> str:
    """A cell for people: what is undefined as a dash, a ratio with SHORT digits, an edge with what it has."""
    if isinstance(value, Fraction):
        return f"{rounded(value, DIGITS):g}" if name in EDGES else f"{rounded(value, SHORT):.{SHORT}f}"
    return "-" if value is None else str(value)
