"""The findings on a sample: what each form finds and costs, the choice and why; as records or as tables."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import groupby

import orjson

from shingletools.commands.simtune.advice import memory_bytes, pipeline, seconds
from shingletools.commands.simtune.choice import (
    Choice,
    best_by_labels,
    beyond_chance,
    by_chance,
    by_labels,
    choose,
    known_pairs,
    surely_found,
)
from shingletools.commands.simtune.forms import forms
from shingletools.commands.simtune.given_sample import GivenSample
from shingletools.commands.simtune.shown_pairs import shown_pairs
from shingletools.commands.simtune.spec import DEFAULT_FALSE
from shingletools.commands.simtune.tried_form import Score, tried
from shingletools.numbers.exact_ratios import DIGITS, aligned, as_cell, rounded

Value = Fraction | int | str | None
Finding = dict[str, Value]

FEW_DOCUMENTS = 100  # documents: figures of fewer may be chance
EXACT = "threshold", "similarity", "seconds"  # shown with all their digits
TITLES = {
    "sample": "documents and the sample",
    "form": "what was tried, for all documents",
    "score": "the choice, by the labels that did not choose it",
    "pair": "pairs above and below the threshold",
}
HEADS = {"false": "expected false", "f1": "F1", "true": "true pairs", "only_a": "only in a", "only_b": "only in b"}


def findings(given: GivenSample, warn: Callable[[str], object]) -> Iterator[Finding]:
    """Yields the findings on a sample, in their order. Calls `warn` with a message if labels cannot choose."""
    spec, most = given.spec, given.spec.false or Fraction(DEFAULT_FALSE)
    yield sample_finding(given)
    if not any(document.kept for document in given.documents):
        yield reason("no document has words, so nothing is known of such texts: this is what is usual")
        unknown = Choice(tried(given, forms(spec.words, two_sided=False)[-1]), None)
        yield {"scope": "advice", "pipeline": pipeline(given, unknown)}
        return
    doubt = label_doubt(given)
    if doubt:
        warn(f"the labels decide nothing: {doubt}")
    judged = given.judgement is not None and not doubt
    *more, usual_form = forms(spec.words, bool(spec.others), judged)
    each = [tried(given, form) for form in more]
    same = [one._replace(form=usual_form) for one in each if one.form._replace(usual=True) == usual_form]
    usual = by_chance(same[0] if same else tried(given, usual_form), most, spec.threshold)
    known = known_pairs(usual, most)
    choices = [*(by_chance(one, most, spec.threshold, known) for one in each), usual]
    chosen = choose(choices, known)
    because = chance_reason(choices, chosen)
    if judged:
        choices = [*(by_labels(one, spec.threshold) for one in each), usual]
        blind, chosen = chosen, best_by_labels(choices, chosen)
        because = labels_reason(chosen, blind)
    yield from (form_finding(given, one) for one in choices)
    if judged:
        yield {"scope": "score", "threshold": chosen.threshold, **shares_of(chosen.score(first=False))}
    yield reason(because)
    if len(given.documents) < FEW_DOCUMENTS:
        many = f"{len(given.documents)} document{'s' * (len(given.documents) != 1)}"
        yield reason(f"the sample has {many}: what fewer than {FEW_DOCUMENTS} say may be chance")
    if spec.show:
        yield from shown_pairs(given, chosen)
    yield {"scope": "advice", "pipeline": pipeline(given, chosen)}


def label_doubt(given: GivenSample) -> str:
    """Returns why the labels cannot choose; empty if they can, or if there are none."""
    if given.judgement is None:
        return ""
    if not given.true_pairs.any():
        return "no two documents of the sample belong together"
    both = given.true_pairs[given.first_half].any() and given.true_pairs[~given.first_half].any()
    return "" if both else "all true pairs of the sample are of one connected set of documents, and so in one half"


def reason(because: str) -> Finding:
    return {"scope": "reason", "because": because}


def sample_finding(given: GivenSample) -> Finding:
    return {
        "scope": "sample",
        "documents": given.whole,
        "read": sum(given.read),
        "sampled": len(given.documents),
        "words": sum(document.words for document in given.documents),
        "cut": sum(document.kept < document.words for document in given.documents),
        "empty": sum(not document.words for document in given.documents),
        "labelled": None if given.judgement is None else int(given.judgement.listed.sum()),
        "true": None if given.judgement is None else int(given.true_pairs.sum()),
    }


def form_finding(given: GivenSample, choice: Choice) -> Finding:
    """Returns what a form finds and costs at its threshold, and how the half of the labels that chose judges it."""
    one, edge = choice
    made: Finding = {"scope": "form", "shingle": one.form.units.options, "simjoin": one.form.join(None)}
    if edge is None:
        return made | dict.fromkeys(("threshold", "pairs", "false", "seconds", "bytes"))
    made |= {
        "threshold": choice.threshold,
        "pairs": round(one.pairs[edge]),
        "false": round(one.expected_false(edge)) if one.told else None,
        "seconds": seconds(given, choice),
        "bytes": memory_bytes(given, one),
    }
    return made if given.judgement is None else made | shares_of(choice.score(first=True))


def shares_of(score: Score) -> Finding:
    """Returns precision, recall and F1, each with its interval."""
    found: Finding = {}
    for name, share in zip(Score._fields, score, strict=True):
        found |= {name: share.value, f"{name}_low": share.low, f"{name}_high": share.high}
    return found


def chance_reason(choices: Sequence[Choice], chosen: Choice) -> str:
    """Returns why a choice was made without labels, with the two numbers that decided."""
    *others, usual = choices
    theirs = round(beyond_chance(usual))
    most = max(0, *(int(surely_found(each)) for each in others))
    if chosen is not usual:
        return f"{options(chosen)}: it surely finds {most} pairs beyond chance, and the usual {options(usual)} {theirs}"
    return (
        f"{options(usual)}, as usual: {theirs} pairs are beyond chance, and no other form surely finds more than {most}"
    )


def labels_reason(chosen: Choice, blind: Choice) -> str:
    """Returns why a choice was made with labels, with the two numbers that decided."""
    by = "by the half of the labels that did not choose"
    mine = chosen.score(first=False).f1
    if chosen is blind:
        return f"{options(chosen)}, as without labels: F1 {mine} {by}; the labels show nothing better beyond chance"
    if blind.edge is None:
        return f"{options(chosen)}: F1 {mine} {by}"
    return f"{options(chosen)}: F1 {mine} {by}, where {options(blind)} has {blind.score(first=False).f1}"


def options(choice: Choice) -> str:
    return f"shingle {choice.tried.form.units.options} and simjoin {choice.tried.form.join(choice.threshold)}"


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
