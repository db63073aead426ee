"""What a form costs for all documents, by counted work, and the pipeline as a line for the shell."""

import shlex
from collections.abc import Sequence
from fractions import Fraction
from math import ceil
from typing import NamedTuple

import numpy as np

from shingletools.cli.argument_types import option, quoted
from shingletools.commands.simtune.choice import Choice
from shingletools.commands.simtune.forms import CONTAINMENT, COSINE
from shingletools.commands.simtune.given_sample import GivenSample
from shingletools.commands.simtune.shingled import NUMBER_BITS
from shingletools.commands.simtune.similarities import squares_of, sums
from shingletools.commands.simtune.spec import TuneSpec

DOCUMENT_BYTES = 150  # memory of a join for a document without its signature: id, places, entries of bands
TOKEN_BYTES = 24  # for a shingle of a set
SKETCH_COMPONENTS = 84
COMPONENT_BYTES = 4
SHINGLE_NANOSECONDS = 300  # to read, make and index a shingle, as measured on one core of an AMD EPYC
COMPARED_NANOSECONDS = 30  # to compare a pair
SKETCH_NANOSECONDS = 60  # for all components of a shingle
JOIN_BYTES = 1 << 32  # bytes of memory for a join; beyond that it works on disk
DISK = f"-S {JOIN_BYTES >> 30}G"
MOST_PAIRS = 10**8  # that are written one by one
AGAINST = "simtune.against"  # sketches or shingles of --against


class Cost(NamedTuple):
    """What a form takes for all documents."""

    seconds: Fraction
    bytes: int


def cost(given: GivenSample, choice: Choice) -> Cost:
    """Estimates the processor time and memory of a pipeline, by the shingles and by the pairs that it compares."""
    tried = choice.tried
    shingles = Fraction(int((tried.sets.sizes * tried.sets.documents).sum()), max(len(tried.sets.rows), 1))
    each = shingles * SHINGLE_NANOSECONDS
    if tried.form.usual:
        each += shingles * SKETCH_NANOSECONDS
        memory = Fraction(DOCUMENT_BYTES + SKETCH_COMPONENTS * COMPONENT_BYTES)
    else:
        memory = DOCUMENT_BYTES + shingles * TOKEN_BYTES
    compared = given.scale(len(tried.sets.rows), best=False) * compared_pairs(given, choice)
    seconds = (each * given.whole + compared * COMPARED_NANOSECONDS) / 10**9
    return Cost(Fraction(ceil(10 * seconds), 10), ceil(memory * given.whole))


def compared_pairs(given: GivenSample, choice: Choice) -> int:
    """Returns an upper bound on the pairs of a sample that the exact join compares: prefixes share a shingle.

    A pair counts once for each such shingle (Bayardo, Ma and Srikant 2007).
    """
    sets, threshold = choice.tried.sets, float(choice.threshold)
    cosine = choice.tried.form.measure == COSINE
    rare_first = np.argsort(sets.frequencies, kind="stable")
    places = np.empty_like(rare_first)
    places[rare_first] = np.arange(len(places))
    numbers = rare_first[np.sort(sets.owners << NUMBER_BITS | places[sets.numbers]) & (1 << NUMBER_BITS) - 1]
    weights = squares_of(sets)[numbers] if cosine else np.ones_like(numbers)
    wholes = sums(weights, sets)
    ends = np.cumsum(wholes)[sets.owners]
    first = ends - np.cumsum(weights) + weights >= (threshold**2 if cosine else threshold) * wholes[sets.owners]
    theirs = np.zeros(len(numbers), np.bool_) if given.others is None else given.others[sets.first[sets.owners]]
    mine, other = (np.bincount(numbers[first & flags], minlength=len(sets.frequencies)) for flags in (~theirs, theirs))
    if choice.tried.form.measure == CONTAINMENT:  # the prefix of the smaller set is looked for in all of the larger one
        return int((mine * np.bincount(numbers, minlength=len(mine))).sum())
    return int((mine * (mine - 1) // 2 if given.others is None else mine * other).sum())


def pipeline(spec: TuneSpec, given: GivenSample, choice: Choice) -> str:
    """Returns a line for the shell, which reads the records that simtune read. It overwrites no file."""
    tried = choice.tried
    name = [] if spec.id_field == "id" else [option("--id", spec.id_field)]
    text = [] if spec.text_field == "text" else [option("--text", quoted(spec.text_field))]
    shingle = ["shingle", *name, *text, tried.form.units.options]
    sketch = [["sketch", *name, f"-n {SKETCH_COMPONENTS}"]] if tried.form.usual else []
    join = ["simjoin", *name, tried.form.join(choice.threshold)]
    if cost(given, choice).bytes > JOIN_BYTES:
        join.append(DISK)
    if not spec.others:
        if choice.edge is not None and tried.pairs[choice.edge] > MOST_PAIRS:
            join.append("--forest")
        return joined([shingle, *sketch, join])
    others = [shlex.quote(f"./{path}" if path.startswith("-") else path) for path in spec.others]
    made = joined([[*shingle, *others], *sketch])
    return f"(set -C; {made} > {AGAINST}) && {joined([shingle, *sketch, [*join, '--against', AGAINST]])}"


def joined(stages: Sequence[Sequence[str]]) -> str:
    return " | ".join(" ".join(filter(None, stage)) for stage in stages)
