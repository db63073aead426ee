"""The findings on a sample: what each form finds, the choice, why, and as a pipeline; as records or as tables."""

import shlex
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from functools import partial
from itertools import groupby
from math import ceil

import orjson

from shingletools.cli.argument_types import option, quoted
from shingletools.commands.simtune.choice import (
    Choice,
    edge_of_usual,
    form_by_labels,
    form_by_null,
    threshold_by_labels,
    threshold_by_null,
)
from shingletools.commands.simtune.form_result import FormResult, Score, evaluate
from shingletools.commands.simtune.forms import USUAL_THRESHOLD, forms
from shingletools.commands.simtune.sample import Sample
from shingletools.commands.simtune.spec import DEFAULT_FALSE
from shingletools.numbers.exact_ratios import DIGITS, aligned, as_cell, as_option, rounded
from shingletools.system.workers import in_threads

Finding = dict[str, Fraction | int | str | None]

DOCUMENT_BYTES = 150  # memory of a join for a document without its signature: id, places, entries of bands
TOKEN_BYTES = 24  # for a shingle of a set
JOIN_BYTES, DISK = 4 << 30, " -S 4G"  # a join that takes more memory works on disk
MAX_PAIRS = 10**8  # that are written one by one
AGAINST_FILE = "simtune.against"  # sketches or shingles of --against
UNIQUE_ADVICE = "shingletools unique compares words in this way, too, and checks which of these pairs are copies"
FEW_DOCUMENTS = 100  # documents: figures of fewer may be chance
TITLES = {
    "sample": "documents and the sample",
    "form": "what was tried, with figures for all documents; the last line is what is usual",
    "score": "how good the choice is, by the half of the labels that did not choose it",
}
HEADS = {"f1": "F1", "true": "true pairs", "bytes": "bytes of memory", "cut": "cut short", "empty": "without words"}


def findings(sample: Sample, warn: Callable[[str], object], jobs: int = 1) -> Iterator[Finding]:
    """Yields the findings on a sample, in their order. Calls `warn` with a message if labels cannot choose.

    jobs: how many forms are tried at once.
    """
    spec = sample.spec
    yield sample_finding(sample)
    if doubt := label_doubt(sample):
        warn(f"the labels decide nothing: {doubt}")
        sample = Sample(spec, sample.read, sample.documents, None)
    labels, false_share = sample.labels is not None, spec.false or Fraction(DEFAULT_FALSE)
    results = [*in_threads(partial(evaluate, sample), forms(spec.words, bool(spec.others), labels), jobs)]
    at = spec.threshold or USUAL_THRESHOLD
    settled = labels or spec.threshold is not None
    usual = Choice(results[-1], results[-1].edges.index(at) if settled else edge_of_usual(results[-1], at))
    edge_of = threshold_by_labels if labels else partial(threshold_by_null, false_share=false_share)
    edges = [edge_of(each) if spec.threshold is None else usual.edge for each in results]
    good = [Choice(each, edge) for each, edge in zip(results, edges, strict=True) if edge is not None]
    choices = [*good[: -1 if edges[-1] == usual.edge else None], usual]  # each once
    chosen = form_by_labels(choices) if labels else form_by_null(choices)
    yield from (form_finding(sample, choice) for choice in choices)
    if labels:
        yield {"scope": "score", "threshold": chosen.threshold, **shares_of(chosen.score(first=False))}
    documents = len(sample.documents)
    because = [labels_reason(chosen, usual) if labels else null_reason(chosen, usual, documents)]
    if documents < FEW_DOCUMENTS:
        because.append(f"the sample has fewer than {FEW_DOCUMENTS} documents, so all this may be chance")
    if chosen is usual and usual.threshold > at:
        because.append(f"below {as_option(usual.threshold)}, most pairs of unequal texts differ in numbers alone")
    elif chosen is usual and spec.words is None and spec.threshold is None and not spec.others:
        because.append(UNIQUE_ADVICE)
    if chosen is usual and documents < sum(sample.read):
        because.append("a larger sample may show more: --sample N")
    for each in because:
        yield {"scope": "reason", "because": each}
    yield {"scope": "advice", "pipeline": pipeline(sample, chosen)}


def label_doubt(sample: Sample) -> str:
    """Returns why the labels cannot choose; empty if they can, or if there are none."""
    if sample.labels is None:
        return ""
    halves = [sample.true_pairs[half].any() for half in (sample.first_half, ~sample.first_half)]
    if not any(halves):
        return "no two documents of the sample belong together"
    return "" if all(halves) else "all documents that belong together make one group, and two groups are needed"


def sample_finding(sample: Sample) -> Finding:
    return {
        "scope": "sample",
        "documents": sample.corpus_size,
        "read": sum(sample.read),
        "sampled": len(sample.documents),
        "words": sum(document.words for document in sample.documents),
        "cut": sum(document.kept_words < document.words for document in sample.documents),
        "empty": sum(not document.words for document in sample.documents),
        "labelled": None if sample.labels is None else int(sample.labels.listed.sum()),
        "true": None if sample.labels is None else int(sample.true_pairs.sum()),
    }


def form_finding(sample: Sample, choice: Choice) -> Finding:
    """Returns what a form finds and costs at its threshold, and how the half of the labels that chose judges it."""
    result, pairs = choice.result, min(choice.pairs, sample.input_size) if choice.result.form.best else choice.pairs
    false = result.false_pairs(choice.edge)
    found: Finding = {
        "scope": "form",
        "shingle": result.form.units.options,
        "simjoin": result.form.join(None),
        "threshold": choice.threshold,
        "pairs": round(pairs),
        "false": None if false is None else round(pairs * false / max(choice.pairs, Fraction(1))),
        "bytes": memory_bytes(sample, result),
    }
    if sample.labels is None:
        return found
    score = choice.score(first=True)
    for name, part in zip(("false", "false_high", "false_low"), score.precision, strict=True):
        found[name] = None if part is None else round(pairs * (1 - part))
    return found | shares_of(score)


def shares_of(score: Score) -> Finding:
    """Returns precision, recall and F1, each with its interval."""
    named = (f"{name}{end}" for name in Score._fields for end in ("", "_low", "_high"))
    return dict(zip(named, (part for share in score for part in share), strict=True))


def null_reason(chosen: Choice, usual: Choice, documents: int) -> str:
    """Returns why a sample of so many documents led to a choice, with the two numbers that decided."""
    if not round(chosen.pairs):
        return f"these texts have no near-copies that a sample of {documents} shows; this pipeline would find them"
    rest = f"the usual {found_by(usual)}" if chosen is not usual else "nothing else that was tried finds a tenth more"
    clear = "a pair is clear if its texts are equal, or much more alike than either is to others"
    return f"{found_by(chosen)}; {rest}; {clear}"


def found_by(choice: Choice) -> str:
    pairs = round(choice.pairs)
    return f"{options(choice)} finds {pairs} pair{'s' * (pairs != 1)}, {round(choice.clear_pairs)} of them clear"


def labels_reason(chosen: Choice, usual: Choice) -> str:
    """Returns why a choice was made with labels, with the two numbers that decided."""
    f1 = f"F1 {chosen.score(first=False).f1} by the half of the labels that did not choose"
    if chosen is usual:
        return f"{options(chosen)}, as usual: {f1}; by the half that chose, nothing is better"
    return f"{options(chosen)}: {f1}, where the usual {options(usual)} has {usual.score(first=False).f1}"


def options(choice: Choice) -> str:
    return f"shingle {choice.result.form.units.options} and simjoin {choice.result.form.join(choice.threshold)}"


def memory_bytes(sample: Sample, result: FormResult) -> int:
    """Estimates the memory of a join of all documents."""
    return ceil((DOCUMENT_BYTES + result.sets.mean_size * TOKEN_BYTES) * sample.corpus_size)


def pipeline(sample: Sample, choice: Choice) -> str:
    """Returns a line for the shell, which reads the records that simtune read. It overwrites no file."""
    spec, result = sample.spec, choice.result
    name = [] if spec.id_field == "id" else [option("--id", spec.id_field)]
    text = [] if spec.text_field == "text" else [option("--text", quoted(spec.text_field))]
    shingle = " ".join(["shingle", *name, *text, result.form.units.options])
    join = " ".join(["simjoin", *name, result.form.join(choice.threshold)])
    if memory_bytes(sample, result) > JOIN_BYTES:
        join += DISK
    if spec.others:
        others = " ".join(shlex.quote(f"./{path}" if path.startswith("-") else path) for path in spec.others)
        return f"(set -C; {shingle} {others} > {AGAINST_FILE}) && {shingle} | {join} --against {AGAINST_FILE}"
    return f"{shingle} | {join}{' --forest' * (choice.pairs > MAX_PAIRS)}"


def records(found: Iterable[Finding]) -> bytes:
    """Returns a line of JSON for each finding."""
    return b"".join(orjson.dumps(each, default=lambda ratio: rounded(ratio, DIGITS)) + b"\n" for each in found)


def table(found: Iterable[Finding]) -> bytes:
    """Returns a table for each scope, with empty lines between, and lines for the reasons and the pipeline."""
    blocks = []
    for scope, group in groupby(found, key=lambda each: str(each["scope"])):
        rows = list(group)
        if scope in {"reason", "advice"}:
            blocks.append("".join(f"{[*each.values()][-1]}\n" for each in rows).encode())
            continue
        known = [name for name in rows[0] if any(each[name] is not None for each in rows)]
        names = [name for name in known if name != "scope" and not name.endswith(("_low", "_high"))]
        heads = HEADS if "false_low" in rows[0] else HEADS | {"false": "false, at least"}
        cells = ([cell(each, name) for name in names] for each in rows)
        blocks.append(f"{TITLES[scope]}:\n".encode() + aligned([[heads.get(name, name) for name in names], *cells]))
    return b"\n".join(blocks)


def cell(finding: Finding, name: str) -> str:
    """Returns a value for people, a ratio with its interval if it has one."""
    if finding[name] is None:
        return "unknown"
    found, low, high = (as_cell(finding.get(f"{name}{end}"), name == "threshold") for end in ("", "_low", "_high"))
    return found if low == "-" else f"{found} ({low} to {high})"
