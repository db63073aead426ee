"""What is written of a sample: records, one for each finding, by rising scope of what they decide."""

from collections.abc import Iterator, Sequence
from fractions import Fraction

from shingletools.commands.simtune import advice
from shingletools.commands.simtune.advice import Reason, SampleFigures
from shingletools.commands.simtune.evidence import GivenSample, quantile
from shingletools.commands.simtune.forms import (
    COMPONENTS,
    DOCUMENT,
    MEGA,
    MEGASHINGLES,
    SIMHASH,
    SUPERSHINGLES,
    WORD,
    SignatureForm,
    sketch,
)
from shingletools.commands.simtune.measured import USUAL, Measured
from shingletools.commands.simtune.wording import pipeline
from shingletools.numbers.chances import UNIT, deviation, interval
from shingletools.numbers.ratios import ratio

Value = Fraction | int | str | None
Finding = dict[str, Value]

QUANTILES = (
    ("q10", Fraction(1, 10)), ("q25", Fraction(1, 4)), ("median", Fraction(1, 2)), ("q75", Fraction(3, 4)),
    ("q90", Fraction(9, 10)),
)  # fmt: skip
BAND = Fraction(1, 20)


def findings(given: GivenSample) -> Iterator[Finding]:
    """All of them, in their order."""
    figures = given.figures()
    spec = given.spec
    yield of_sample(given, figures)
    yield of_lengths(given)
    tried = []
    for units in advice.to_try(spec.shingles, figures):
        tried.append(given.measured(units))
        yield of_units(given, figures, tried[-1])
    if figures.labelled and not any(each.best(figures.threshold).f1 for each in tried):
        figures = figures._replace(labelled=False)  # no true pair is found with any k: labels tell nothing
    plain, why_k = advice.choose_units(tried, figures)
    del tried
    threshold, why_t = advice.choose_threshold(plain, figures)
    filtered = given.filtered(plain)
    before = threshold  # by which it is decided what is left out
    chosen, why_template = advice.choose_template(plain, before, filtered, figures)
    if chosen is not plain:
        threshold, why_t = advice.choose_threshold(chosen, figures)
    yield from of_frequencies(plain)
    yield from of_shares(given, plain, filtered, before)
    yield from of_bands(figures, chosen, threshold)
    if figures.labelled:
        yield from of_thresholds(chosen, threshold)
    yield from of_forms(figures, chosen, threshold)
    options, form, why_form = advice.choose_form(chosen, threshold, figures)
    reasons = [why_k, why_t, why_template, why_form]
    if not figures.quarter:
        reasons = [Reason("none", "no document has words, so nothing is known of such texts: this is what is usual")]
    more = [options] if options else []
    if (many := advice.forest(chosen, threshold, figures)) is not None:
        reasons.append(many)
        more.append("--forest")
    if (few := advice.sampled_few(figures)) is not None and figures.quarter:
        reasons.append(few)
    yield from map(of_reason, reasons)
    line = pipeline(chosen, threshold, more, form, spec.id_field, spec.text_field)
    yield {"scope": "advice", "pipeline": line}


def of_reason(reason: Reason) -> Finding:
    return {"scope": "reason", "rule": reason.rule, "because": reason.because}


def of_sample(given: GivenSample, figures: SampleFigures) -> Finding:
    return {
        "scope": "sample", "documents": figures.whole, "read": given.read, "sampled": figures.sampled,
        "words": sum(document.words for document in given.documents),
        "cut": sum(document.kept < document.words for document in given.documents),
        "empty": sum(not document.words for document in given.documents),
        "true": None if given.judgement is None else given.judgement.pairs(),
    }  # fmt: skip


def of_lengths(given: GivenSample) -> Finding:
    words = sorted(document.words for document in given.documents)
    return {
        "scope": "lengths", "least": words[0] if words else None,
        **{name: quantile(words, share) for name, share in QUANTILES},
        "greatest": words[-1] if words else None, "mean": ratio(sum(words), len(words)),
    }  # fmt: skip


def of_units(given: GivenSample, figures: SampleFigures, measured: Measured) -> Finding:
    """A number of words in a shingle that is tried."""
    k, of = measured.units.k, measured.shingled
    best = measured.best(figures.threshold or (None if figures.labelled else USUAL))
    shorter = None if measured.units.chars else sum(0 < document.words < k for document in given.documents)
    return {
        "scope": "k", "shingle": measured.units.options,
        "shorter": None if shorter is None else ratio(shorter, len(given.documents)),
        "shingles": ratio(of.repeated, len(of.rows)), "different": len(of.frequencies),
        "changed": None if measured.units.chars else advice.left(figures.quarter, k),
        "looked": measured.histogram.looked, "t": best.threshold, "pairs": round(best.found),
        **({"precision": best.precision, "recall": best.recall, "f1": best.f1} if figures.labelled else {}),
    }  # fmt: skip


def of_frequencies(measured: Measured) -> Iterator[Finding]:
    for least, most, many, share in measured.frequencies():
        yield {"scope": "frequency", "least": least, "most": most, "shingles": many, "share": share}


def of_shares(
    given: GivenSample, plain: Measured, filtered: Sequence[Measured], threshold: Fraction
) -> Iterator[Finding]:  # fmt: skip
    """What is in more than a share of all documents."""
    before = plain.histogram.from_edge(threshold)[0]
    by_share = {each.most: each for each in filtered}
    for share in advice.SHARES:
        most = int(share * len(given.documents))
        places = int(plain.shingled.frequencies[plain.shared_by(most)].sum())
        after = by_share[share].histogram.from_edge(threshold)[0] if share in by_share else None
        yield {
            "scope": "common", "above": share, "documents": most, "shingles": len(plain.shared_by(most)),
            "places": ratio(places, int(plain.shingled.frequencies.sum())), "t": threshold, "pairs": round(before),
            "left": None if after is None else round(after),
        }  # fmt: skip


def of_bands(figures: SampleFigures, measured: Measured, threshold: Fraction) -> Iterator[Finding]:
    """The histogram, by bands."""
    here = measured.histogram
    starts = sorted({*(BAND * i for i in range(int(1 / BAND) + 1)), threshold})
    forms = [sketch(components, threshold) for components in COMPONENTS]
    for least, below in zip(starts, [*starts[1:], None], strict=True):
        first = here.edges.index(least)
        last = len(here.edges) if below is None else here.edges.index(below)
        pairs, true = sum(here.pairs[first:last], Fraction(0)), sum(here.true[first:last], Fraction(0))
        yield {
            "scope": "band", "least": least, "below": below, "pairs": round(pairs),
            "whole": round(figures.of_whole(pairs)),
            **({"true": round(true), "precision": true / pairs if pairs else None} if figures.labelled else {}),
            **{f"n{form.components}": 1 - measured.missed(form, first, last) for form in forms},
        }  # fmt: skip


def of_thresholds(measured: Measured, threshold: Fraction) -> Iterator[Finding]:
    for least in sorted({*(BAND * i for i in range(1, int(1 / BAND) + 1)), threshold}):
        best = measured.best(least)
        yield {
            "scope": "threshold", "least": least, "pairs": round(best.found), "right": round(best.right),
            "true": round(best.truth), "precision": best.precision, "recall": best.recall, "f1": best.f1,
        }  # fmt: skip


def of_forms(figures: SampleFigures, measured: Measured, threshold: Fraction) -> Iterator[Finding]:
    """What signatures find and cost."""
    of = measured.shingled
    pairs = figures.of_whole(measured.histogram.from_edge(threshold)[0])
    shingles = Fraction(of.repeated, max(len(of.rows), 1))
    blank: Finding = {
        "scope": "signature", "signature": None, "agreeing": None, "deviation": None, "low": None, "high": None,
    }  # fmt: skip
    yield blank | {
        "signature": "shingles", "recall": Fraction(1), "precision": Fraction(1), "pairs": round(pairs),
        "bytes": round(max(17 * shingles - 1, Fraction(0))), "memory": round(advice.exact_memory(measured)),
        "candidates": round(figures.of_whole(Fraction(measured.meetings(threshold)))),
    }  # fmt: skip
    for components in COMPONENTS:
        form = sketch(components, threshold)
        low, high = interval(form.least, components)
        exact: Finding = {
            "agreeing": form.least,
            "deviation": deviation(threshold, components),
            "low": low,
            "high": high,
        }
        yield blank | exact | of_form(figures, measured, threshold, form)
    yield blank | of_form(figures, measured, threshold, SUPERSHINGLES)
    mega = of_form(figures, measured, threshold, MEGASHINGLES)
    size = 17 * MEGA - 1
    mega |= {"bytes": size, "memory": DOCUMENT + WORD * MEGA, "candidates": mega["pairs"]}
    yield blank | mega
    yield blank | {
        "signature": "sketch --simhash", "recall": None, "precision": None, "pairs": None, "bytes": 16,
        "memory": DOCUMENT + SIMHASH, "candidates": None,
    }  # fmt: skip


def of_form(figures: SampleFigures, measured: Measured, threshold: Fraction, form: SignatureForm) -> Finding:
    counts = measured.expected(form, threshold)
    return {
        "signature": form.name, "recall": counts.recall, "precision": counts.precision,
        "pairs": round(figures.of_whole(Fraction(counts.found, UNIT))), "bytes": form.payload,
        "memory": form.memory, "candidates": round(figures.of_whole(measured.candidates(form))),
    }  # fmt: skip
