"""Shares, thresholds and pipelines in words, and as the shell takes them."""

import shlex
from collections.abc import Sequence
from fractions import Fraction

from shingletools.commands.simtune.forms import SignatureForm
from shingletools.commands.simtune.measured import Measured

FILE = "simtune.canon"  # what is read twice


def percent(share: Fraction) -> str:
    """A share, with one digit behind the point at most.

    >>> percent(Fraction(1, 3)), percent(Fraction(1, 2))
    ('33.3 %', '50 %')
    """
    return f"{float(round(100 * share, 1)):g} %"


def written(threshold: Fraction) -> str:
    """A number as an option may have it: as a decimal one if it is one.

    >>> written(Fraction(4, 5)), written(Fraction(2, 3)), written(Fraction(1))
    ('0.8', '2/3', '1')
    """
    digits = 18
    if 10**digits % threshold.denominator:
        return f"{threshold.numerator}/{threshold.denominator}"
    places = f"{threshold.numerator * 10**digits // threshold.denominator:0{digits + 1}d}"
    return f"{places[:-digits]}.{places[-digits:]}".rstrip("0").rstrip(".")


def option(name: str, value: str) -> str:
    """An option for the shell. A value that looks like an option is joined to it, for else it would be taken for one.

    >>> option("--id", "my id"), option("--id", "-x")
    ("--id 'my id'", '--id=-x')
    """
    return f"{name}{'=' if value.startswith('-') else ' '}{shlex.quote(value)}"


def pipeline(  # noqa: PLR0913, PLR0917  # each has a name of its own
    measured: Measured,
    threshold: Fraction,
    options: Sequence[str],
    form: SignatureForm | None,
    id_field: str,
    text_field: str,
) -> str:
    """A line for the shell, which reads the records that simtune read."""
    name = [] if id_field == "id" else [option("--id", id_field)]
    text = [] if text_field == "text" else [option("--text", text_field)]
    shingle = ["shingle", *name, *text, measured.units.options]
    before = ""
    if measured.most is not None:
        shingle += ["--max-df", percent(measured.most).replace(" ", ""), FILE]
        before = f"(set -C; cat > {FILE}) && "  # which fails where the file is there, be it what is read
    stages = [
        shingle,
        *([[form.name.replace("sketch", " ".join(["sketch", *name]), 1)]] if form else []),
        ["simjoin", *name, "-t", written(threshold), *options],
    ]
    return before + " | ".join(" ".join(filter(None, stage)) for stage in stages)
