"""The memory that a join of all documents takes, and the pipeline as a line for the shell."""

import shlex
from collections.abc import Sequence
from math import ceil

from shingletools.cli.argument_types import option, quoted
from shingletools.commands.simtune.choice import Choice
from shingletools.commands.simtune.form_result import FormResult
from shingletools.commands.simtune.sample import Sample

DOCUMENT_BYTES = 150  # memory of a join for a document without its signature: id, places, entries of bands
TOKEN_BYTES = 24  # for a shingle of a set
JOIN_BYTES = 1 << 32  # bytes of memory for a join; beyond that it works on disk
DISK = f"-S {JOIN_BYTES >> 30}G"
MAX_PAIRS = 10**8  # that are written one by one
AGAINST_FILE = "simtune.against"  # sketches or shingles of --against


def memory_bytes(sample: Sample, result: FormResult) -> int:
    """Estimates the memory of a join of all documents."""
    return ceil((DOCUMENT_BYTES + result.sets.mean_size * TOKEN_BYTES) * sample.corpus_size)


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
        if choice.pairs > MAX_PAIRS:
            join.append("--forest")
        return joined([shingle, join])
    others = [shlex.quote(f"./{path}" if path.startswith("-") else path) for path in spec.others]
    made = joined([[*shingle, *others]])
    return f"(set -C; {made} > {AGAINST_FILE}) && {joined([shingle, [*join, '--against', AGAINST_FILE]])}"


def joined(stages: Sequence[Sequence[str]]) -> str:
    return " | ".join(" ".join(filter(None, stage)) for stage in stages)
