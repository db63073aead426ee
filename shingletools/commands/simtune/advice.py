"""What a form costs for all documents, by counted work, and the pipeline as a line for the shell."""

import shlex
from collections.abc import Sequence
from fractions import Fraction
from math import ceil

import numpy as np

from shingletools.cli.argument_types import option, quoted
from shingletools.commands.simtune.choice import Choice
from shingletools.commands.simtune.form_result import FormResult
from shingletools.commands.simtune.forms import CONTAINMENT, COSINE, JACCARD
from shingletools.commands.simtune.sample import Sample
from shingletools.commands.simtune.shingle_sets import NUMBER_BITS
from shingletools.commands.simtune.similarities import squared_weights, sums_of_sets

DOCUMENT_BYTES = 150  # memory of a join for a document without its signature: id, places, entries of bands
TOKEN_BYTES = 24  # for a shingle of a set
SHINGLE_NANOSECONDS = 300  # to read, make and index a shingle, as measured on one core of an AMD EPYC
COMPARED_NANOSECONDS = {JACCARD: 60, CONTAINMENT: 60, COSINE: 200}  # to compare a pair
JOIN_BYTES = 1 << 32  # bytes of memory for a join; beyond that it works on disk
DISK = f"-S {JOIN_BYTES >> 30}G"
MAX_PAIRS = 10**8  # that are written one by one
AGAINST_FILE = "simtune.against"  # sketches or shingles of --against


def memory_bytes(sample: Sample, result: FormResult) -> int:
    """Estimates the memory of a join of all documents."""
    return ceil((DOCUMENT_BYTES + result.sets.mean_size * TOKEN_BYTES) * sample.corpus_size)


def seconds(sample: Sample, choice: Choice) -> Fraction:
    """Estimates the processor time of a pipeline, by the shingles and by the pairs that it compares."""
    sets = choice.result.sets
    compared = sample.pair_scale(len(sets.first_equal)) * compared_pairs(sample, choice)
    nanoseconds = compared * COMPARED_NANOSECONDS[choice.result.form.measure]
    nanoseconds += sets.mean_size * SHINGLE_NANOSECONDS * sample.corpus_size
    return Fraction(ceil(nanoseconds / 10**8), 10)


def compared_pairs(sample: Sample, choice: Choice) -> int:
    """Returns an upper bound on the pairs of a sample that the exact join compares: prefixes share a shingle.

    A pair counts once for each such shingle (Bayardo, Ma and Srikant 2007).
    """
    sets, measure, least = choice.result.sets, choice.result.form.measure, float(choice.threshold)
    rare_first = np.argsort(sets.frequencies, kind="stable")
    ranks = np.empty_like(rare_first)
    ranks[rare_first] = np.arange(len(ranks))
    numbers = rare_first[np.sort(sets.owners << NUMBER_BITS | ranks[sets.numbers]) & (1 << NUMBER_BITS) - 1]
    weights = squared_weights(sets)[numbers] if measure == COSINE else np.ones_like(numbers)
    totals = sums_of_sets(weights, sets)
    rest = np.cumsum(totals)[sets.owners] - np.cumsum(weights) + weights  # of its set, from each shingle on
    in_prefix = rest >= (least**2 if measure == COSINE else least) * totals[sets.owners]
    against = np.zeros(len(numbers), np.bool_) if sample.against is None else sample.against[sets.first[sets.owners]]
    shingles = len(sets.frequencies)
    inputs, others = (np.bincount(numbers[in_prefix & side], minlength=shingles) for side in (~against, against))
    if measure == CONTAINMENT:  # the prefix of the smaller set is looked for in all of the larger one
        return int((inputs * np.bincount(numbers, minlength=shingles)).sum())
    return int((inputs * (inputs - 1) // 2 if sample.against is None else inputs * others).sum())


def pipeline(sample: Sample, choice: Choice) -> str:
    """Returns a line for the shell, which reads the records that simtune read. It overwrites no file."""
    spec, result = sample.spec, choice.result
    name = [] if spec.id_field == "id" else [option("--id", spec.id_field)]
    text = [] if spec.text_field == "text" else [option("--text", quoted(spec.text_field))]
    shingle = ["shingle", *name, *text, result.form.units.options]
    join = ["simjoin", *name, result.form.join(choice.threshold)]
    if memory_bytes(sample, result) > JOIN_BYTES:
        join.append(DISK)
    if not spec.others:
        if choice.edge is not None and result.pairs[choice.edge] > MAX_PAIRS:
            join.append("--forest")
        return joined([shingle, join])
    others = [shlex.quote(f"./{path}" if path.startswith("-") else path) for path in spec.others]
    made = joined([[*shingle, *others]])
    return f"(set -C; {made} > {AGAINST_FILE}) && {joined([shingle, [*join, '--against', AGAINST_FILE]])}"


def joined(stages: Sequence[Sequence[str]]) -> str:
    return " | ".join(" ".join(filter(None, stage)) for stage in stages)
