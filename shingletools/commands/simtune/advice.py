"""The rules: figures of a sample become a pipeline, each choice with the figure that decides. See simtune(1)."""

from collections.abc import Sequence
from fractions import Fraction
from math import ceil
from typing import NamedTuple

from shingletools.commands.simtune.forms import COMPONENTS, DOCUMENT, TOKEN, SignatureForm, sketch, verified
from shingletools.commands.simtune.measured import USUAL, AtThreshold, Measured
from shingletools.commands.simtune.shingled import ShingleUnits
from shingletools.commands.simtune.wording import percent, written

LOW = Fraction(1, 2)  # a threshold that is lower than it need be
CHARACTERS = ShingleUnits(3, chars=True)  # where texts are too short for runs of words
OF_CHARACTERS = Fraction(7, 10)  # the threshold for these: a word that changes costs short texts more
SPACELESS = Fraction(1, 2)  # the share of words that are letters of scripts without spaces, from which on
MOST_LETTERS = 5  # are in a shingle at most
SHARES = Fraction(1, 10), Fraction(1, 100)  # of documents: shingles that are in more may be a template's
TEMPLATE = 3  # words in a shingle of a template at least; fewer are common in any language
LEAST_DOCUMENTS = 20  # what such a share must be of a sample
FEW = 100  # documents: what fewer say may be chance
LEAST_PAIRS = 10  # of unequal texts: fewer tell nothing of templates
VANISHED = Fraction(1, 2)  # the share of unequal pairs that are a template's, from which on it is left out
GAIN = Fraction(1, 100)  # of F1, from which on labels say that it is left out
MEGABYTE = 1 << 20
ROOM = 4096 * MEGABYTE  # bytes of memory for a join
MOST_MEMORY = f"{ROOM // MEGABYTE} MB"
MOST_CANDIDATES = 1 << 30  # of an exact join
MOST_PAIRS = 10**8  # that are written one by one
GOOD = Fraction(9, 10)  # the recall and the precision that are expected of sketches
SKETCHED = COMPONENTS[1:]  # of which the first that is good is taken
BESIDE = 84  # components of sketches that propose pairs


class Reason(NamedTuple):
    """Why a part of the pipeline is as it is."""

    rule: str
    because: str


class SampleFigures(NamedTuple):
    """What the rules go by."""

    whole: int  # documents that the pipeline is for
    sampled: int
    quarter: int  # words of the document that a quarter of those with words are not longer than
    letters: Fraction  # the share of words that are letters of scripts without spaces
    threshold: Fraction | None  # that was asked for
    chosen: bool  # whether k was
    labelled: bool  # whether any documents of the sample belong together
    judged: bool = False  # whether labels were given at all

    def of_whole(self, pairs: Fraction) -> Fraction:
        """How many pairs the whole has, by those of the sample."""
        sampled = self.sampled * (self.sampled - 1)
        return pairs * self.whole * (self.whole - 1) / sampled if sampled else pairs


def left(words: int, k: int) -> Fraction:
    """The similarity of a text with itself when one word of it, in the middle, gives way to another."""
    return Fraction(max(words - 2 * k + 1, 0), words + 1)


def to_try(shingles: Sequence[int], figures: SampleFigures) -> list[ShingleUnits]:
    """Shingles that may suit: runs of so many words, and characters if texts are too short for all of them."""
    if figures.chosen:
        return [ShingleUnits(k) for k in shingles]
    if figures.letters >= SPACELESS:
        shingles = [k for k in shingles if k <= MOST_LETTERS]
    tried = [ShingleUnits(k) for k in shingles]
    if not any(fits(units, figures) for units in tried):
        tried.append(CHARACTERS)
    return tried


def fits(units: ShingleUnits, figures: SampleFigures) -> bool:
    """Whether short documents stay pairs when one word of them changes."""
    return not units.chars and left(figures.quarter, units.k) >= (figures.threshold or USUAL)


def rank(measured: Measured, threshold: Fraction | None) -> tuple[Fraction, Fraction, bool, int]:
    """By F1; of equals, no low threshold, which costs the join; then words, and many of them."""
    best = measured.best(threshold)
    return best.f1, min(best.threshold, LOW), not measured.units.chars, measured.units.k


def choose_units(tried: Sequence[Measured], figures: SampleFigures) -> tuple[Measured, Reason]:
    """Which shingles."""
    if figures.labelled:
        one = max(tried, key=lambda each: rank(each, figures.threshold))
        f1 = float(round(one.best(figures.threshold).f1, 4))
        if len(tried) > 1:
            return one, Reason("k", f"{one.units.options}: labels give F1 {f1:g} with it, and no more with the others")
        return one, Reason("k", f"{one.units.options}: labels give F1 {f1:g} with it; no other was tried")
    words, threshold = figures.quarter, written(figures.threshold or USUAL)
    if len(tried) == 1 and figures.chosen:
        return tried[0], Reason("k", f"{tried[0].units.options}: no other was tried")
    fitting = [each for each in tried if fits(each.units, figures)]
    if fitting:
        one = max(fitting, key=lambda each: each.units.k)
        share = percent(left(words, one.units.k))
        why = (
            f"{one.units.options}: a quarter of the texts with words have {words} or fewer, and keep a similarity of"
            f" {share} when one word changes; no greater k that was tried keeps {threshold}"
        )
        if figures.letters >= SPACELESS and not figures.chosen:
            why += f"; {percent(figures.letters)} of the words are single letters, so k is {MOST_LETTERS} at most"
        return one, Reason("k", why)
    one = tried[-1] if tried[-1].units.chars else tried[0]
    return one, Reason(
        "k",
        f"{one.units.options}: a quarter of the texts with words have {words} or fewer, and with no k that was tried"
        f" keep a similarity of {threshold} when one word changes",
    )


def choose_threshold(measured: Measured, figures: SampleFigures) -> tuple[Fraction, Reason]:
    """From which similarity on."""
    if figures.threshold is not None:
        return figures.threshold, Reason("t", f"-t {written(figures.threshold)}: as was asked for")
    if not figures.labelled:
        labels = "the labels have no true pair that the sample shows" if figures.judged else "no labels were given"
        if measured.most is not None:
            why = "without what templates share, true copies have less in common"
            return LOW, Reason("t", f"-t {written(LOW)}: {why}; {labels}")
        if measured.units.chars:
            return OF_CHARACTERS, Reason("t", f"-t {written(OF_CHARACTERS)}: usual for short texts; {labels}")
        return USUAL, Reason("t", f"-t {written(USUAL)}: usual for near-duplicates; {labels}")
    best = measured.best(None)
    return best.threshold, Reason("t", f"-t {written(best.threshold)}: {said(best)}, the greatest F1 of all hundredths")


def said(best: AtThreshold) -> str:
    """What labels say, in words."""
    found, right, truth = (round(count) for count in best[1:])
    f1 = float(round(best.f1, 4))
    return f"of {found} pairs found {right} are right, of {truth} true ones, F1 {f1:g}"


def may_be_template(measured: Measured, documents: int) -> bool:
    """Whether shingles that are in more documents may be a template's, and there are such."""
    long = not measured.units.chars and measured.units.k >= TEMPLATE
    return long and documents >= LEAST_DOCUMENTS and len(measured.shared_by(documents)) > 0


def unequal(measured: Measured, threshold: Fraction) -> Fraction:
    """Pairs of the sample that are no copies."""
    return measured.histogram.from_edge(threshold)[0] - measured.histogram.pairs[-1]


def choose_template(
    plain: Measured, threshold: Fraction, filtered: Sequence[Measured], figures: SampleFigures
) -> tuple[Measured, Reason]:
    """Whether shingles of many documents are left out."""
    before = plain.best(threshold).f1
    near = unequal(plain, threshold)
    for each in filtered:
        assert each.most is not None
        share = percent(each.most).replace(" ", "")
        if figures.labelled:
            after = each.best(figures.threshold)
            if after.f1 >= before + GAIN:
                was, now = (float(round(f1, 4)) for f1 in (before, after.f1))
                return each, Reason("template", f"--max-df {share}: labels give F1 {now:g} with it, {was:g} without")
        elif near >= LEAST_PAIRS and near - unequal(each, threshold) >= VANISHED * near:
            return each, Reason(
                "template",
                f"--max-df {share}: with all shingles {round(near)} pairs of unequal texts reach {written(threshold)},"
                f" without the {len(plain.shared_by(int(each.most * figures.sampled)))} that are in more documents"
                f" {round(unequal(each, threshold))}; look at some: true copies of many documents vanish, too",
            )
    if plain.units.chars or plain.units.k < TEMPLATE:
        return plain, Reason(
            "template", f"no --max-df: shingles of fewer than {TEMPLATE} words are common in any language"
        )
    if not filtered:
        return plain, Reason(
            "template",
            f"no --max-df: no shingle is in {LEAST_DOCUMENTS} documents and in {percent(min(SHARES))} of all",
        )
    if figures.labelled:
        why = "labels give no better F1 with it"
    elif near < LEAST_PAIRS:
        why = f"with {round(near)} pairs of unequal texts there is too little to tell templates by"
    else:
        why = "less than half of the pairs of unequal texts vanish with it"
    return plain, Reason("template", f"no --max-df: {why}")


def choose_form(
    measured: Measured, threshold: Fraction, figures: SampleFigures
) -> tuple[str, SignatureForm | None, Reason]:
    """What compares documents: the options of simjoin, and the sketch, if there is to be one."""
    bytes_each = Fraction(exact_memory(measured))
    memory = bytes_each * figures.whole
    candidates = figures.of_whole(Fraction(measured.meetings(threshold)))
    each = f"{round(bytes_each)} bytes for each of {figures.whole} documents"
    if memory <= ROOM:
        proposing = verified(BESIDE, threshold)
        if candidates > MOST_CANDIDATES and (fewer := figures.of_whole(measured.candidates(proposing))) < candidates:
            return (
                "--verify",
                proposing,
                Reason(
                    "signature",
                    f"{proposing.name} and --verify: the exact join compares up to {int(candidates)} pairs, sketches of"
                    f" {BESIDE} propose {int(fewer)}, and the shingles decide",
                ),
            )
        return (
            "",
            None,
            Reason(
                "signature",
                f"the shingles themselves, exactly: {each} are {ceil(memory / MEGABYTE)} MB;"
                f" up to {MOST_MEMORY} will do",
            ),
        )
    forms = [sketch(components, threshold) for components in SKETCHED]
    expected = [measured.expected(form, threshold) for form in forms]
    why = f"{each} are more than {MOST_MEMORY}"
    number = 0
    if measured.histogram.from_edge(threshold)[0]:
        good = [(counts.recall or 0) >= GOOD and (counts.precision or 0) >= GOOD for counts in expected]
        number = good.index(True) if any(good) else len(forms) - 1
        recall, precision = (
            percent(share or Fraction(0)) for share in (expected[number].recall, expected[number].precision)
        )
        enough = (
            f"the first that gives {percent(GOOD)} of both"
            if any(good)
            else f"no number that was tried gives {percent(GOOD)} of both"
        )
        why += f"; expected of it: recall {recall}, precision {precision}, {enough}"
    else:
        why += "; the sample has no pair by which to tell more"
    form = forms[number]
    disk = f" -S {ROOM // (1024 * MEGABYTE)}G" if form.memory * figures.whole > ROOM else ""
    return disk.strip(), form, Reason("signature", f"{form.name}{disk and ' and' + disk}: {why}")


def sampled_few(figures: SampleFigures) -> Reason | None:
    """Whether the sample is too small for its figures to hold for other documents."""
    if figures.sampled >= FEW:
        return None
    documents = f"{figures.sampled} document{'s' * (figures.sampled != 1)}"
    return Reason("few", f"the sample has {documents}: what fewer than {FEW} say may be chance")


def exact_memory(measured: Measured) -> Fraction:
    """Bytes of memory for each document of an exact join."""
    of = measured.shingled
    return DOCUMENT + TOKEN * Fraction(int((of.sizes * of.documents).sum()), max(len(of.rows), 1))


def forest(measured: Measured, threshold: Fraction, figures: SampleFigures) -> Reason | None:
    """Whether pairs are too many to be written."""
    pairs = figures.of_whole(measured.histogram.from_edge(threshold)[0])
    if pairs <= MOST_PAIRS:
        return None
    return Reason("forest", f"--forest: {round(pairs)} pairs are expected; enough of them to connect what all do")
