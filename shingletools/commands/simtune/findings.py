"""The findings on a sample: what each form finds and costs, the choice and why; as records or as tables."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from functools import partial
from itertools import groupby
from statistics import median

import orjson

from shingletools.commands.simtune.advice import memory_bytes, pipeline, seconds
from shingletools.commands.simtune.choice import (
    Choice,
    credible_pairs,
    form_by_labels,
    form_by_null,
    threshold_by_labels,
    threshold_by_null,
)
from shingletools.commands.simtune.example_pairs import example_pairs
from shingletools.commands.simtune.form_result import Score, evaluate
from shingletools.commands.simtune.forms import forms
from shingletools.commands.simtune.sample import Sample
from shingletools.commands.simtune.spec import DEFAULT_FALSE
from shingletools.numbers.exact_ratios import DIGITS, aligned, as_cell, rounded
from shingletools.system.workers import in_threads

Value = Fraction | int | str | None
Finding = dict[str, Value]

TITLES_ADVICE = "so only equal ones are pairs: see titles in shingletools recipes"
FEW_DOCUMENTS = 100  # documents: figures of fewer may be chance
EXACT = "threshold", "similarity", "seconds"  # shown with all their digits
TITLES = {
    "sample": "documents and the sample",
    "form": "what was tried, for all documents",
    "score": "the choice, by the labels that did not choose it",
    "pair": "pairs above and below the threshold",
}
HEADS = {"false": "expected false", "f1": "F1", "true": "true pairs", "only_a": "only in a", "only_b": "only in b"}


def findings(sample: Sample, warn: Callable[[str], object], jobs: int = 1) -> Iterator[Finding]:
    """Yields the findings on a sample, in their order. Calls `warn` with a message if labels cannot choose.

    jobs: how many forms are tried at once.
    """
    spec, false_share = sample.spec, sample.spec.false or Fraction(DEFAULT_FALSE)
    yield sample_finding(sample)
    if not any(document.kept_words for document in sample.documents):
        yield reason("no document has words, so nothing is known of such texts: this is what is usual")
        empty = evaluate(sample, forms(spec.words, bool(spec.others))[-1])
        advice = threshold_by_null(empty, false_share, spec.threshold)
        yield {"scope": "advice", "pipeline": pipeline(sample, advice)}
        return
    doubt = label_doubt(sample)
    if doubt:
        warn(f"the labels decide nothing: {doubt}")
    unlabelled = Sample(spec, sample.read, sample.documents, None)
    *other_forms, usual_form = forms(spec.words, bool(spec.others))
    results = [*in_threads(partial(evaluate, unlabelled), other_forms, jobs)]
    equal = [each._replace(form=usual_form) for each in results if each.form._replace(usual=True) == usual_form]
    usual = threshold_by_null(equal[0] if equal else evaluate(unlabelled, usual_form), false_share, spec.threshold)
    usual_pairs = credible_pairs(usual, false_share)
    choices = [*(threshold_by_null(each, false_share, spec.threshold, usual_pairs) for each in results), usual]
    chosen = form_by_null(choices, usual_pairs)
    because = null_reason(choices, chosen)
    by_labels = sample.labels is not None and not doubt
    if by_labels:
        tried = forms(spec.words, bool(spec.others), by_labels)
        results = [*in_threads(partial(evaluate, sample), tried, jobs)]
        choices = [
            *(threshold_by_labels(each, spec.threshold) for each in results[:-1]),
            Choice(results[-1], usual.edge),
        ]
        blind = Choice(results[tried.index(chosen.result.form)], chosen.edge)
        chosen = form_by_labels(choices, blind)
        because = labels_reason(chosen, blind)
    else:
        sample = unlabelled
    yield from (form_finding(sample, choice) for choice in choices)
    if by_labels:
        yield {"scope": "score", "threshold": chosen.threshold, **shares_of(chosen.score(first=False))}
    yield reason(because)
    if len(sample.documents) < FEW_DOCUMENTS:
        count = f"{len(sample.documents)} document{'s' * (len(sample.documents) != 1)}"
        yield reason(f"the sample has {count}: what fewer than {FEW_DOCUMENTS} say may be chance")
    if chosen.result.form.usual and len(sample.documents) < sum(sample.read):
        yield reason("other forms may show more in a larger sample: --sample N")
    if chosen.result.form.usual and median(document.words for document in sample.documents) < usual_form.units.k:
        yield reason(f"half of the texts have fewer than {usual_form.units.k} words, {TITLES_ADVICE}")
    if spec.show:
        yield from example_pairs(sample, chosen)
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
    result, edge = choice
    found: Finding = {"scope": "form", "shingle": result.form.units.options, "simjoin": result.form.join(None)}
    if edge is None:
        return found | dict.fromkeys(("threshold", "pairs", "false", "seconds", "bytes"))
    one = Fraction(1)
    share = min(sample.input_size / max(result.pairs[edge], one), one) if result.form.best else one  # one partner each
    found |= {
        "threshold": choice.threshold,
        "pairs": round(share * result.pairs[edge]),
        "false": round(share * result.false_pairs(edge)) if result.estimable else None,
        "seconds": seconds(sample, choice),
        "bytes": memory_bytes(sample, result),
    }
    return found if sample.labels is None else found | shares_of(choice.score(first=True))


def shares_of(score: Score) -> Finding:
    """Returns precision, recall and F1, each with its interval."""
    found: Finding = {}
    for name, share in zip(Score._fields, score, strict=True):
        found |= {name: share.value, f"{name}_low": share.low, f"{name}_high": share.high}
    return found


def null_reason(choices: Sequence[Choice], chosen: Choice) -> str:
    """Returns why a choice was made without labels, with the two numbers that decided."""
    *others, usual = choices
    usual_pairs = round(usual.pairs_beyond_chance)
    most = max(0, *(int(choice.sure_pairs) for choice in others))
    if chosen is not usual:
        return (
            f"{options(chosen)}: it surely finds {most} pairs beyond chance, "
            f"and the usual {options(usual)} {usual_pairs}"
        )
    return (
        f"{options(usual)}, as usual: {usual_pairs} pairs are beyond chance, "
        f"and no other form surely finds more than {most}"
    )


def labels_reason(chosen: Choice, blind: Choice) -> str:
    """Returns why a choice was made with labels, with the two numbers that decided."""
    f1 = f"F1 {chosen.score(first=False).f1} by the half of the labels that did not choose"
    if chosen is blind:
        return f"{options(chosen)}, as without labels: {f1}; the labels show nothing better beyond chance"
    return f"{options(chosen)}: {f1}, where {options(blind)} has {blind.score(first=False).f1}"


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
    found, low, high = (as_cell(finding.get(f"{name}{end}"), name in EXACT) for end in ("", "_low", "_high"))
    return f"{found} ({low} to {high})" if f"{name}_low" in finding and found != "-" else found
