"""What a form costs for all documents, by counted work, and the pipeline as a line for the shell."""

import shlex
from collections.abc import Sequence
from fractions import Fraction
from math import ceil

import numpy as np

from shingletools.cli.argument_types import option, quoted
from shingletools.commands.simtune.choice import Choice
from shingletools.commands.simtune.forms import CONTAINMENT, COSINE
from shingletools.commands.simtune.given_sample import GivenSample
from shingletools.commands.simtune.shingled import NUMBER_BITS
from shingletools.commands.simtune.similarities import squares_of, sums
from shingletools.commands.simtune.tried_form import TriedForm

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


def memory_bytes(given: GivenSample, tried: TriedForm) -> int:
    """Estimates the memory of a join of all documents."""
    sketched = SKETCH_COMPONENTS * COMPONENT_BYTES
    each = DOCUMENT_BYTES + (sketched if tried.form.usual else tried.sets.mean_size * TOKEN_BYTES)
    return ceil(each * given.whole)


def seconds(given: GivenSample, choice: Choice) -> Fraction:
    """Estimates the processor time of a pipeline, by the shingles and by the pairs that it compares."""
    sets = choice.tried.sets
    shingle = SHINGLE_NANOSECONDS + SKETCH_NANOSECONDS * choice.tried.form.usual
    compared = given.scale(sets.texts, best=False) * compared_pairs(given, choice)
    nanoseconds = sets.mean_size * shingle * given.whole + compared * COMPARED_NANOSECONDS
    return Fraction(ceil(nanoseconds / 10**8), 10)


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


def pipeline(given: GivenSample, choice: Choice) -> str:
    """Returns a line for the shell, which reads the records that simtune read. It overwrites no file."""
    spec, tried = given.spec, choice.tried
    name = [] if spec.id_field == "id" else [option("--id", spec.id_field)]
    text = [] if spec.text_field == "text" else [option("--text", quoted(spec.text_field))]
    shingle = ["shingle", *name, *text, tried.form.units.options]
    sketch = [["sketch", *name, f"-n {SKETCH_COMPONENTS}"]] if tried.form.usual else []
    join = ["simjoin", *name, tried.form.join(choice.threshold)]
    if memory_bytes(given, tried) > JOIN_BYTES:
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
