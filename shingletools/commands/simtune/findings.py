"""The findings on a sample: what each form finds and costs, the choice and why; as records or as tables."""

from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from functools import partial
from itertools import groupby

import orjson

from shingletools.commands.simtune.advice import memory_bytes, pipeline
from shingletools.commands.simtune.choice import (
    Choice,
    credible_pairs,
    form_by_labels,
    form_by_null,
    threshold_by_labels,
    threshold_by_null,
)
from shingletools.commands.simtune.form_result import Score, evaluate
from shingletools.commands.simtune.forms import USUAL_THRESHOLD, forms
from shingletools.commands.simtune.sample import Sample
from shingletools.commands.simtune.spec import DEFAULT_FALSE
from shingletools.numbers.exact_ratios import DIGITS, aligned, as_cell, rounded
from shingletools.system.workers import in_threads

Value = Fraction | int | str | None
Finding = dict[str, Value]

UNIQUE_ADVICE = "shingletools unique joins words in this way, too; it has simcheck say which pairs are copies"
FEW_DOCUMENTS = 100  # documents: figures of fewer may be chance
TITLES = {
    "sample": "documents and the sample",
    "form": "what was tried, for all documents",
    "score": "the choice, by the labels that did not choose it",
}
HEADS = {"false": "false, at least", "f1": "F1", "true": "true pairs"}


def findings(sample: Sample, warn: Callable[[str], object], jobs: int = 1) -> Iterator[Finding]:
    """Yields the findings on a sample, in their order. Calls `warn` with a message if labels cannot choose.

    jobs: how many forms are tried at once.
    """
    spec = sample.spec
    yield sample_finding(sample)
    doubt = label_doubt(sample)
    if doubt:
        warn(f"the labels decide nothing: {doubt}")
        sample = Sample(spec, sample.read, sample.documents, None)
    labels, false_share = sample.labels is not None, spec.false or Fraction(DEFAULT_FALSE)
    results = [*in_threads(partial(evaluate, sample), forms(spec.words, bool(spec.others), labels), jobs)]
    usual = Choice(results[-1], results[-1].edges.index(spec.threshold or USUAL_THRESHOLD))
    edge_of = threshold_by_labels if labels else partial(threshold_by_null, false_share=false_share)
    edges = [edge_of(each) if spec.threshold is None else usual.edge for each in results]
    good = (Choice(each, edge) for each, edge in zip(results, edges, strict=True) if edge is not None)
    choices = [*good, usual]
    known = credible_pairs(usual, false_share)
    chosen = form_by_labels(choices) if labels else form_by_null(choices, known)
    yield from (form_finding(sample, choice) for choice in choices)
    if labels:
        yield {"scope": "score", "threshold": chosen.threshold, **shares_of(chosen.score(first=False))}
    yield reason(labels_reason(chosen, usual) if labels else null_reason(chosen, usual, known, len(sample.documents)))
    if len(sample.documents) < FEW_DOCUMENTS:
        count = f"{len(sample.documents)} document{'s' * (len(sample.documents) != 1)}"
        yield reason(f"the sample has {count}: what fewer than {FEW_DOCUMENTS} say may be chance")
    if chosen is usual:
        if spec.words is None and spec.threshold is None and not spec.others:
            yield reason(UNIQUE_ADVICE)
        if len(sample.documents) < sum(sample.read):
            yield reason("other forms may show more in a larger sample: --sample N")
    yield {"scope": "advice", "pipeline": pipeline(sample, chosen)}


def label_doubt(sample: Sample) -> str:
    """Returns why the labels cannot choose; empty if they can, or if there are none."""
    if sample.labels is None:
        return ""
    if not sample.true_pairs.any():
        return "no two documents of the sample belong together"
    both = sample.true_pairs[sample.first_half].any() and sample.true_pairs[~sample.first_half].any()
    return "" if both else "all true pairs of the sample are of one connected set of documents, and so in one half"


def reason(because: str) -> Finding:
    return {"scope": "reason", "because": because}


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
    result, pairs = choice.result, choice.pairs
    pairs = min(pairs, sample.input_size) if result.form.best else pairs  # one partner each
    found: Finding = {
        "scope": "form",
        "shingle": result.form.units.options,
        "simjoin": result.form.join(None),
        "threshold": choice.threshold,
        "pairs": round(pairs),
        "false": round(pairs * result.false_pairs(choice.edge) / max(choice.pairs, 1)) if result.estimable else None,
        "bytes": memory_bytes(sample, result),
    }
    if sample.labels is None:
        return found
    score = choice.score(first=True)
    right = dict(zip(("false", "false_high", "false_low"), score.precision, strict=True))
    false = {name: None if part is None else round(pairs * (1 - part)) for name, part in right.items()}
    return found | false | shares_of(score)


def shares_of(score: Score) -> Finding:
    """Returns precision, recall and F1, each with its interval."""
    found: Finding = {}
    for name, share in zip(Score._fields, score, strict=True):
        found |= {name: share.value, f"{name}_low": share.low, f"{name}_high": share.high}
    return found


def null_reason(chosen: Choice, usual: Choice, known: Fraction, documents: int) -> str:
    """Returns why a choice was made without labels, with the two numbers that decided.

    known: the pairs that are a reason to keep what is usual. documents: how many the sample has.
    """
    if chosen is not usual:
        more = f"it surely finds {int(chosen.sure_gain(known))} pairs beyond chance more than"
        return f"{options(chosen)}: {more} the usual {options(usual)}, which finds {round(known)}"
    pairs = round(usual.pairs)
    if not pairs:
        none = f"these texts have no near-copies that a sample of {documents} shows"
        return f"{none}; this pipeline would find them if there were any"
    beyond = f"{round(usual.pairs_beyond_chance)} of its {pairs} pairs are beyond chance"
    beyond = beyond if usual.result.estimable else f"nothing tells which of its {pairs} pairs chance would find"
    return f"{options(usual)}, as usual: {beyond}, and no other form surely finds more"


def labels_reason(chosen: Choice, usual: Choice) -> str:
    """Returns why a choice was made with labels, with the two numbers that decided."""
    f1 = f"F1 {chosen.score(first=False).f1} by the half of the labels that did not choose"
    if chosen is usual:
        return f"{options(chosen)}, as usual: {f1}; by the other half, nothing is better"
    return f"{options(chosen)}: {f1}, where the usual {options(usual)} has {usual.score(first=False).f1}"


def options(choice: Choice) -> str:
    return f"shingle {choice.result.form.units.options} and simjoin {choice.result.form.join(choice.threshold)}"


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
        names = [name for name in max(rows, key=len) if name != "scope" and not name.endswith(("_low", "_high"))]
        cells = ([cell(each, name) for name in names] for each in rows)
        blocks.append(f"{TITLES[scope]}:\n".encode() + aligned([[HEADS.get(name, name) for name in names], *cells]))
    return b"\n".join(blocks)


def cell(finding: Finding, name: str) -> str:
    """Returns a value for people, a ratio with its interval if it has one."""
    found, low, high = (as_cell(finding.get(f"{name}{end}"), name == "threshold") for end in ("", "_low", "_high"))
    return f"{found} ({low} to {high})" if f"{name}_low" in finding and found != "-" else found
