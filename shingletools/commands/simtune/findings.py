"""The findings on a sample, from the documents to the pipeline."""

from collections.abc import Generator, Iterator
from fractions import Fraction

from shingletools.commands.simtune import advice
from shingletools.commands.simtune.compared import COSINE, JACCARD, LOWEST, SHARED
from shingletools.commands.simtune.confidence import MIN_PAIRS, Scored, Share
from shingletools.commands.simtune.counting import Population
from shingletools.commands.simtune.evidence import GivenSample, quantile
from shingletools.commands.simtune.forms import (
    COMPONENTS,
    DOCUMENT_BYTES,
    MEGA,
    MEGASHINGLES,
    MINHASH_BITS,
    SHORT_SKETCH,
    SIMHASH_BYTES,
    SUPERSHINGLES,
    WORD_BYTES,
    SignatureForm,
    sketch,
)
from shingletools.commands.simtune.guess import guess
from shingletools.commands.simtune.guessed import Guess, Reason, percent
from shingletools.commands.simtune.label_scores import Judgement
from shingletools.commands.simtune.measured import Measured
from shingletools.commands.simtune.run_rules import TEMPLATE_SHARES
from shingletools.commands.simtune.search import Half, Tried, score_setting, search
from shingletools.commands.simtune.settings import Setting
from shingletools.commands.simtune.wording import pipeline
from shingletools.numbers.binomial import UNIT, deviation, estimated, interval, outwards
from shingletools.numbers.exact_ratios import ratio

Value = Fraction | int | str | None
Finding = dict[str, Value]

PERCENTILES = {"q10": 10, "q25": 25, "median": 50, "q75": 75, "q90": 90}
BAND = Fraction(1, 20)
NARROW = Fraction(1, 50)  # an interval of F1


class Findings:
    """The findings on a sample, and the warnings about them (`doubts`)."""

    def __init__(self, given: GivenSample) -> None:
        self.given = given
        self.doubts: list[str] = []

    def all(self) -> Iterator[Finding]:
        """Yields all findings, in their order."""
        given = self.given
        yield sample_finding(given)
        yield lengths_finding(given)
        chosen, reasons, scored = yield from self.chosen()
        yield from pair_findings(given, chosen)
        yield from map(score_finding, scored)
        join = advice.choose_join(given, chosen)
        options = [join.options] if join.options else []
        reasons.append(join.reason)
        if not any(document.words for document in given.documents):
            why = "no document has words, so nothing is known of such texts: this is what is usual"
            reasons = [Reason("none", why)]
        elif (few := advice.too_few_sampled(given)) is not None:
            reasons.append(few)
        if (many := advice.too_many_pairs(given, chosen)) is not None:
            reasons.append(many)
            options.append("--forest")
        for reason in reasons:
            yield {"scope": "reason", "rule": reason.rule, "because": reason.because}
        yield {"scope": "advice", "pipeline": pipeline(given.spec, chosen.setting, options, join.form)}

    def chosen(self) -> Generator[Finding, None, tuple[Measured, list[Reason], list[Scored]]]:
        """Yields a finding for each setting that is tried; returns the chosen one, the reasons, and its scores."""
        given, judgement = self.given, self.given.judgement
        reasons: list[Reason] = []
        if judgement is not None:
            why = self.why_undecided(judgement)
            scored: list[Scored] = []
            if why is None:
                half, other = given.half(judgement)
                tried, one = search(half, given.ways())
                for each in tried:
                    yield setting_finding(each.setting, each.scored)
                rules = self.rules_as_good(half, other, one)
                setting = rules.chosen.setting if rules else one.setting
                scored = score_setting(half, other, setting, thresholds_of(setting))
                score = next(each for each in scored if each.threshold == setting.threshold)
                if score.right and rules:
                    return rules.chosen, [*rules.reasons, label_reason(setting, score, NONE_BETTER)], scored
                if score.right:
                    return given.measured(setting), [label_reason(setting, score, BEST)], scored
                why = "the setting that one half of the sample chooses finds no true pair of the other half"
            self.doubts.append(f"the labels decide nothing: {why}")
            reasons.append(Reason("labels", self.doubts[0]))
        guessed = guess(given)
        for measured in guessed.tried:
            yield setting_finding(measured.setting, None, measured)
        return guessed.chosen, reasons + guessed.reasons, []

    def rules_as_good(self, half: Half, other: Population, one: Tried) -> Guess | None:
        """Returns the guess of the rules, unless the best setting by labels is clearly better.

        The guess must be within a standard error of the best setting (Breiman and others 1984), or as good on the
        other half: the best of many settings is often best by chance. An interval of 95 % is about four standard
        errors wide. If the best one's interval is narrow, there are enough labels to decide.
        """
        assert one.scored is not None
        if one.scored.f1.high - one.scored.f1.low < NARROW:
            return None
        guessed = guess(self.given)
        setting = guessed.chosen.setting
        (score,) = score_setting(half, half.population, setting, [setting.threshold])
        if f1(score) + (score.f1.high - score.f1.low) / 4 >= f1(one.scored):
            return guessed
        theirs, ours = (f1(score_setting(half, other, each, [each.threshold])[0]) for each in (setting, one.setting))
        return guessed if theirs >= ours else None

    def why_undecided(self, judgement: Judgement) -> str | None:
        """Returns why the labels cannot decide, or None if they may."""
        half, other = self.given.half(judgement)
        both = half.population.true_pairs(half.population.there), other.true_pairs(other.there)
        if not any(both):
            return "no two documents of the sample belong together"
        if min(both) < MIN_PAIRS:
            return (
                f"of the true pairs one half of the sample has {both[0]} and the other {both[1]}, and fewer than"
                f" {MIN_PAIRS} may be chance"
            )
        return None


def f1(score: Scored) -> Fraction:
    return score.f1.value or Fraction(0)


def thresholds_of(setting: Setting) -> list[Fraction]:
    """Returns the thresholds at which pairs are scored, rising."""
    if setting.measure == SHARED:
        return sorted({Fraction(each) for each in (1, 2, 3, 5, 10, 20, 50)} | {setting.threshold})
    least = LOWEST if setting.measure == COSINE else BAND
    return sorted({*(BAND * i for i in range(int(least / BAND), int(1 / BAND) + 1)), setting.threshold})


BEST = "chosen by the true pairs of one half of the sample"
NONE_BETTER = "as the rules say; by the true pairs of one half of the sample, no setting is better beyond chance"


def label_reason(setting: Setting, score: Scored, why: str) -> Reason:
    """Returns the reason for a setting that labels chose or confirmed."""
    found, right, truth = (round(count) for count in score[1:4])
    figures = ", ".join(
        f"{name} {share_in_words(share)}"
        for name, share in (("precision", score.precision), ("recall", score.recall), ("F1", score.f1))
    )
    rules = f"canon {setting.way.rules}, " if setting.way.rules else ""
    doubt = ""
    if score.counted[0] < MIN_PAIRS:
        doubt = f"; only {score.counted[0]} pairs were counted for the precision, which may be chance"
    return Reason(
        "labels",
        f"{rules}shingle {setting.shingle}, simjoin {setting.join}: {why};"
        f" by those of the other half, of {found} pairs found {right} are right, of {truth} true ones: "
        f"{figures}{doubt}",
    )


def share_in_words(share: Share) -> str:
    """Returns a share and its interval as text.

    >>> share_in_words(Share(Fraction(1, 2), Fraction(1, 4), Fraction(3, 4)))
    '50 % (25 % to 75 %)'
    """
    return "-" if share.value is None else f"{percent(share.value)} ({percent(share.low)} to {percent(share.high)})"


def shares_of(score: Scored) -> Finding:
    """Returns precision, recall and F1, each with its interval."""
    found: Finding = {}
    for name, share in (("precision", score.precision), ("recall", score.recall), ("f1", score.f1)):
        found |= {name: share.value, f"{name}_low": share.low, f"{name}_high": share.high}
    return found


def sample_finding(given: GivenSample) -> Finding:
    every = given.population(given.judgement)
    return {
        "scope": "sample",
        "documents": given.whole,
        "read": sum(given.read),
        "sampled": len(given.documents),
        "words": sum(document.words for document in given.documents),
        "cut": sum(document.kept < document.words for document in given.documents),
        "empty": sum(not document.words for document in given.documents),
        "labelled": None if given.judgement is None else int(given.judgement.listed.sum()),
        "true": None if given.judgement is None else every.true_pairs(every.there),
    }


def lengths_finding(given: GivenSample) -> Finding:
    words = sorted(document.words for document in given.documents)
    return {
        "scope": "lengths",
        "least": words[0] if words else None,
        **{name: quantile(words, Fraction(percent, 100)) for name, percent in PERCENTILES.items()},
        "greatest": words[-1] if words else None,
        "mean": ratio(sum(words), len(words)),
    }


def setting_finding(setting: Setting, score: Scored | None, measured: Measured | None = None) -> Finding:
    """Returns the finding for a setting that was tried: by labels, the best with its words and shingles."""
    made: Finding = {
        "scope": "setting",
        "canon": setting.way.rules,
        "shingle": setting.shingle,
        "simjoin": setting.join,
    }
    if score is not None:
        return made | {"pairs": round(score.found)} | shares_of(score)
    assert measured is not None
    return made | {"pairs": round(measured.found)}


def score_finding(score: Scored) -> Finding:
    """Returns the score of the chosen setting at a threshold, by the half of the sample that did not choose it."""
    return {
        "scope": "score",
        "least": score.threshold,
        "pairs": round(score.found),
        "right": round(score.right),
        "true": round(score.truth),
        **shares_of(score),
        "counted": score.counted[0],
        "counted_true": score.counted[1],
    }


def pair_findings(given: GivenSample, measured: Measured) -> Iterator[Finding]:
    """Yields the figures that decide the cost of a setting: frequencies, bands of similarity, signatures."""
    for least, most, many, share in measured.frequencies():
        yield {"scope": "frequency", "least": least, "most": most, "shingles": many, "share": share}
    for share in TEMPLATE_SHARES:
        most = int(share * len(given.documents))
        places = int(measured.shingled.frequencies[measured.shared_by(most)].sum())
        yield {
            "scope": "common",
            "above": share,
            "documents": most,
            "shingles": len(measured.shared_by(most)),
            "places": ratio(places, int(measured.shingled.frequencies.sum())),
        }
    if measured.setting.measure == JACCARD:
        yield from band_findings(given, measured)
    yield from signature_findings(given, measured)


def band_findings(given: GivenSample, measured: Measured) -> Iterator[Finding]:
    """Yields the number of pairs in bands of the Jaccard similarity."""
    threshold, edges = measured.setting.threshold, measured.tally.edges
    starts = sorted({*(BAND * i for i in range(int(1 / BAND) + 1)), threshold})
    forms = [sketch(components, threshold) for components in COMPONENTS]
    every = measured.tally.bins
    for least, below in zip(starts, [*starts[1:], None], strict=True):
        first = edges.index(least)
        last = len(edges) if below is None else edges.index(below)
        pairs = sum(every[first:last], Fraction(0))
        yield {
            "scope": "band",
            "least": least,
            "below": below,
            "pairs": round(pairs),
            "whole": round(given.scaled_to_all(pairs)),
            **{f"n{form.components}": 1 - measured.missed(form, first, last) for form in forms},
        }


def signature_findings(given: GivenSample, measured: Measured) -> Iterator[Finding]:
    """Yields what each signature finds, and what it costs."""
    sets, threshold = measured.shingled, measured.setting.threshold
    shingles = Fraction(sets.repeated, max(len(sets.rows), 1))
    blank: Finding = {
        "scope": "signature",
        "signature": None,
        "agreeing": None,
        "deviation": None,
        "low": None,
        "high": None,
    }
    yield blank | {
        "signature": "shingles",
        "recall": Fraction(1),
        "precision": Fraction(1),
        "pairs": round(given.scaled_to_all(measured.found, measured.setting.best)),
        "bytes": round(max(17 * shingles - 1, Fraction(0))),
        "memory": round(advice.exact_memory(measured)),
        "candidates": round(given.scaled_to_all(Fraction(measured.meetings()))),
    }
    if measured.setting.measure != JACCARD:
        return
    for components, bits in (*((each, MINHASH_BITS) for each in COMPONENTS), SHORT_SKETCH):
        form = sketch(components, threshold, bits)
        low, high = outwards(*(estimated(bound, form.chance) for bound in interval(form.least, components)))
        exact: Finding = {
            "agreeing": form.least,
            "deviation": deviation(threshold, components, form.chance),
            "low": low,
            "high": high,
        }
        yield blank | exact | signature_figures(given, measured, form)
    yield blank | signature_figures(given, measured, SUPERSHINGLES)
    mega = signature_figures(given, measured, MEGASHINGLES)
    size = 17 * MEGA - 1
    mega |= {"bytes": size, "memory": DOCUMENT_BYTES + WORD_BYTES * MEGA, "candidates": mega["pairs"]}
    yield blank | mega
    yield blank | {
        "signature": "sketch --simhash",
        "recall": None,
        "precision": None,
        "pairs": None,
        "bytes": 16,
        "memory": DOCUMENT_BYTES + SIMHASH_BYTES,
        "candidates": None,
    }


def signature_figures(given: GivenSample, measured: Measured, form: SignatureForm) -> Finding:
    counts = measured.expected(form)
    return {
        "signature": form.name,
        "recall": counts.recall,
        "precision": counts.precision,
        "pairs": round(given.scaled_to_all(Fraction(counts.found, UNIT))),
        "bytes": form.payload,
        "memory": form.memory,
        "candidates": round(given.scaled_to_all(measured.candidates(form))),
    }
