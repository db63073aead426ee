"""The findings on a sample: what each form finds and costs, the choice and why; as records or as tables."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from functools import partial
from itertools import groupby

import orjson

from shingletools.commands.simtune.advice import memory_bytes, pipeline, seconds
from shingletools.commands.simtune.choice import (
    Choice,
    credible_pairs,
    form_by_labels,
    form_by_null,
    threshold_by_labels,
    threshold_by_null,
    usual_choice,
)
from shingletools.commands.simtune.example_pairs import example_pairs
from shingletools.commands.simtune.form_result import FormResult, Score, evaluate
from shingletools.commands.simtune.forms import forms
from shingletools.commands.simtune.sample import Sample
from shingletools.commands.simtune.spec import DEFAULT_FALSE
from shingletools.numbers.exact_ratios import DIGITS, aligned, as_cell, rounded
from shingletools.system.workers import in_threads

Value = Fraction | int | str | None
Finding = dict[str, Value]

UNIQUE_ADVICE = "shingletools unique joins words in this way, too; it has simcheck say which pairs are copies"
FEW_DOCUMENTS = 100  # documents: figures of fewer may be chance
EXACT = "threshold", "similarity", "seconds"  # shown with all their digits
TITLES = {
    "sample": "documents and the sample",
    "form": "what was tried, for all documents",
    "score": "the choice, by the labels that did not choose it",
    "pair": "pairs above and below the threshold",
}
HEADS = {"false": "false, at least", "f1": "F1", "true": "true pairs", "only_a": "only in a", "only_b": "only in b"}


def findings(sample: Sample, warn: Callable[[str], object], jobs: int = 1) -> Iterator[Finding]:
    """Yields the findings on a sample, in their order. Calls `warn` with a message if labels cannot choose.

    jobs: how many forms are tried at once.
    """
    spec = sample.spec
    yield sample_finding(sample)
    if not any(document.kept_words for document in sample.documents):
        yield reason("no document has words, so nothing is known of such texts: this is what is usual")
        empty = usual_choice(evaluate(sample, forms(spec.words, bool(spec.others))[-1]), spec.threshold)
        yield {"scope": "advice", "pipeline": pipeline(sample, empty)}
        return
    doubt = label_doubt(sample)
    if doubt:
        warn(f"the labels decide nothing: {doubt}")
    if doubt:
        sample = Sample(spec, sample.read, sample.documents, None)
    results = [
        *in_threads(partial(evaluate, sample), forms(spec.words, bool(spec.others), sample.labels is not None), jobs)
    ]
    usual = usual_choice(results[-1], spec.threshold)
    choices, chosen, because = (by_null if sample.labels is None else by_labels)(sample, results, usual)
    yield from (form_finding(sample, choice) for choice in choices if choice.edge is not None)
    if sample.labels is not None:
        yield {"scope": "score", "threshold": chosen.threshold, **shares_of(chosen.score(first=False))}
    yield reason(because)
    if len(sample.documents) < FEW_DOCUMENTS:
        count = f"{len(sample.documents)} document{'s' * (len(sample.documents) != 1)}"
        yield reason(f"the sample has {count}: what fewer than {FEW_DOCUMENTS} say may be chance")
    if chosen is usual:
        if spec.words is None and spec.threshold is None and not spec.others:
            yield reason(UNIQUE_ADVICE)
        if len(sample.documents) < sum(sample.read):
            yield reason("other forms may show more in a larger sample: --sample N")
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
    assert edge is not None
    one = Fraction(1)
    share = min(sample.input_size / max(result.pairs[edge], one), one) if result.form.best else one  # one partner each
    found: Finding = {
        "scope": "form",
        "shingle": result.form.units.options,
        "simjoin": result.form.join(None),
        "threshold": choice.threshold,
        "pairs": round(share * result.pairs[edge]),
        "false": round(share * result.false_pairs(edge)) if result.estimable else None,
        "seconds": seconds(sample, choice),
        "bytes": memory_bytes(sample, result),
    }
    if sample.labels is None:
        return found
    score = choice.score(first=True)
    right = dict(zip(("false", "false_high", "false_low"), score.precision, strict=True))
    false = {
        name: None if part is None else round(share * result.pairs[edge] * (1 - part)) for name, part in right.items()
    }
    return found | false | shares_of(score)


def shares_of(score: Score) -> Finding:
    """Returns precision, recall and F1, each with its interval."""
    found: Finding = {}
    for name, share in zip(Score._fields, score, strict=True):
        found |= {name: share.value, f"{name}_low": share.low, f"{name}_high": share.high}
    return found


def by_null(sample: Sample, results: Sequence[FormResult], usual: Choice) -> tuple[Sequence[Choice], Choice, str]:
    """Returns the choices without labels, the best one, and why, with the two numbers that decided."""
    false_share = sample.spec.false or Fraction(DEFAULT_FALSE)
    choices = [*(threshold_by_null(each, false_share, sample.spec.threshold) for each in results), usual]
    known = credible_pairs(usual, false_share)
    chosen = form_by_null(choices, known)
    assert usual.edge is not None
    pairs = round(usual.result.pairs[usual.edge])
    if chosen is not usual:
        more = f"it surely finds {int(chosen.sure_gain(known))} pairs beyond chance more than"
        because = f"{options(chosen)}: {more} the usual {options(usual)}, which finds {round(known)}"
    elif not pairs:
        none = f"these texts have no near-copies that a sample of {len(sample.documents)} shows"
        because = f"{none}; this pipeline would find them if there were any"
    else:
        beyond = f"{round(usual.pairs_beyond_chance)} of its {pairs} pairs are beyond chance"
        beyond = beyond if usual.result.estimable else f"nothing tells which of its {pairs} pairs chance would find"
        because = f"{options(usual)}, as usual: {beyond}, and no other form surely finds more"
    return choices, chosen, because


def by_labels(sample: Sample, results: Sequence[FormResult], usual: Choice) -> tuple[Sequence[Choice], Choice, str]:
    """Returns the choices by labels, the best one, and why, with the two numbers that decided."""
    choices = [*(threshold_by_labels(each, sample.spec.threshold) for each in results), usual]
    chosen = form_by_labels(choices)
    f1 = f"F1 {chosen.score(first=False).f1} by the half of the labels that did not choose"
    if chosen is usual:
        return choices, chosen, f"{options(chosen)}, as usual: {f1}; by the other half, nothing is better"
    return (
        choices,
        chosen,
        f"{options(chosen)}: {f1}, where the usual {options(usual)} has {usual.score(first=False).f1}",
    )


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
