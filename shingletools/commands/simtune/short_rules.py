"""The rules for texts of few words, and for those of which nearest documents show more: single words, and weights."""

from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple

from shingletools.commands.simtune.compared import BINS, CONTAINMENT, COSINE
from shingletools.commands.simtune.counting import SCALE
from shingletools.commands.simtune.evidence import GivenSample, quantile
from shingletools.commands.simtune.guessed import Guess, Reason
from shingletools.commands.simtune.measured import Measured
from shingletools.commands.simtune.partners import nearest, partners
from shingletools.commands.simtune.run_rules import SPACELESS
from shingletools.commands.simtune.settings import OF_WORDS, Setting, written
from shingletools.commands.simtune.shingled import ShingleUnits, Way, shingled

LEAST_WORDS, SHORT, LONG = 10, 50, 200  # of half of the texts; see of_short_texts and of_partners
LEAST_SHARED = {CONTAINMENT: Fraction(2, 5), COSINE: Fraction(1, 2)}  # thresholds for these, if nothing else tells
NAMES = {CONTAINMENT: ("containment", "a containment"), COSINE: ("the cosine of weights", "a cosine")}
MOST_SHARED = Fraction(9, 10)
FALLING = Fraction(3, 5)  # half, if they fall evenly
AROUND = 4  # hundredths: how far pairs on either side of a threshold count
MOST_COMPARED = 1 << 33  # pairs, of single words
LEAST_PARTNERS = 10  # documents, or pairs: fewer tell no threshold
MANY_PARTNERS = Fraction(1, 4)  # the share of documents with a partner, from which on partners tell a threshold,
FEW_PARTNERS = Fraction(1, 10)  # and below which these may be none,
OF_FEW = Fraction(1, 2)  # so that the threshold is no lower
TIMES = 2  # how many more pairs have to be promised than others find


class TypicalText(NamedTuple):
    """What words are in a sample, and how many of them half of the texts with words have at most."""

    unit: ShingleUnits  # a word; two letters, in scripts without spaces
    words: int

    @property
    def said(self) -> str:
        each = ", two letters each" if self.unit.k > 1 else ""
        return f"half of the texts with words have {self.words} or fewer{each}"


def typical(given: GivenSample) -> TypicalText:
    middle = quantile(sorted(each.words for each in given.documents if each.words), Fraction(1, 2)) or 0
    letters = 2 if given.letters() >= SPACELESS else 1
    return TypicalText(ShingleUnits(letters), middle // letters)


class Promise(NamedTuple):
    """A setting with its threshold, and what that promises."""

    measured: Measured
    around: int  # pairs that are no farther than AROUND from the threshold
    copies: Fraction  # pairs that have more, without as many as may be of two things


def of_short_texts(given: GivenSample, text: TypicalText, found: Guess | None = None) -> Guess | None:
    """Single words, where most texts are short; None if they are not, if the join would be too long, or, where others
    found some pairs, if these promise no TIMES as many.

    Records of one thing lack fields that others have, so containment is one of the measures; titles and names have too
    few words for that, and longer texts too many. The other is the cosine of weights. The threshold and the measure are
    those that promise the most copies.
    """
    if not 0 < text.words <= LONG:
        return None
    single = given.measured(Setting(Way(text.unit), measure=COSINE))
    measures = [CONTAINMENT, COSINE] if LEAST_WORDS <= text.words <= SHORT else [COSINE]
    promises = [beyond(single._replace(setting=single.setting._replace(measure=each)), given) for each in measures]
    one = max(promises, key=lambda each: each.copies)
    chosen = one.measured
    if found is not None and one.copies < max(TIMES * found.copies, Fraction(LEAST_PARTNERS)):
        return None
    if given.of_whole(Fraction(chosen.meetings())) > MOST_COMPARED:
        return None
    threshold, reach = chosen.setting.threshold, Fraction(AROUND, BINS)
    edge = threshold + reach >= MOST_SHARED
    where = "; pairs are ever fewer up to there, so labels would tell more" if edge else ""
    name, one_of = NAMES[chosen.setting.measure]
    why_k = f"{text.unit.options} and {name}: {text.said}"
    if len(measures) > 1:
        said = (
            f"{max(round(each.copies), 0)} by {NAMES[measure][0]}"
            for each, measure in zip(promises, measures, strict=True)
        )
        why_k += f"; about so many pairs may be copies: {', '.join(said)}"
    why_t = (
        f"-t {written(threshold)}: {one.around} pairs have {one_of} from {written(threshold - reach)} to"
        f" {written(threshold + reach)}, few for all those that have more{where}"
    )
    return Guess([chosen], chosen, [Reason("k", why_k), Reason("t", why_t)], one.copies)


def of_partners(given: GivenSample, text: TypicalText, found: Guess) -> Guess | None:
    """The cosine of weights, where nearest documents show that more pairs are there than others find; else None.

    With --against, each document is in a pair with the best partner only.
    """
    best = bool(given.spec.others)
    if not 0 < text.words <= LONG:
        return None
    way = Way(OF_WORDS if best else text.unit)
    of = shingled(given.texts, way.units, given.kinds(None))
    near = nearest(of, given.others)
    share, threshold = partners(near, best)
    asking = given.asking(of)
    many = round(share * asking)
    few = many < LEAST_PARTNERS or share < MANY_PARTNERS
    if few and (not best or text.words > SHORT):
        return None
    if not best and many < 2 * TIMES * found.copies:
        return None
    if many < LEAST_PARTNERS or share < FEW_PARTNERS:
        threshold = max(threshold, OF_FEW)
    one = given.measured(Setting(way, measure=COSINE, threshold=threshold, best=best))
    if given.of_whole(Fraction(one.meetings())) > MOST_COMPARED:
        return None
    why_k = f"{way.units.options} and {NAMES[COSINE][0]}: {text.said}" + (
        "; of two sets, the best partner of each document" if best else ""
    )
    why_t = (
        f"-t {written(threshold)}: {many} of {asking} documents have a partner, as far as the similarities of"
        " the nearest and the second nearest one tell" + ("; so few may be chance" if few else "")
    )
    return Guess([*found.tried, one], one, [Reason("k", why_k), Reason("t", why_t)], Fraction(many, 2))


def beyond(of: Measured, given: GivenSample) -> Promise:
    """The hundredth beyond which the most pairs may be copies, by a measure: the first one.

    Pairs of two things are ever fewer the more they have in common. So of those beyond a hundredth, FALLING of as many
    may be of two things as there would be if they were nowhere fewer than around it. It is not below the hundredth
    around which there are the most pairs, if these are more than documents: they are of two things, even if all have a
    footer in common.
    """
    measure = of.setting.measure
    from_here = of.tally.found[measure][: BINS + 1]
    counts = [one - two for one, two in pairwise((*from_here, 0))]
    sums = [sum(counts[max(at - AROUND, 0) : at + AROUND + 1]) for at in range(int(MOST_SHARED * BINS))]
    most = max(range(len(sums)), key=sums.__getitem__)
    lowest = most if sums[most] > len(given.documents) * SCALE else 0
    copies = {
        at: (from_here[at] - FALLING * Fraction(sums[at] * (BINS - at), 2 * AROUND + 1)) / SCALE
        for at in range(max(int(LEAST_SHARED[measure] * BINS), lowest), len(sums))
    }
    best = max(copies, key=copies.__getitem__)
    found = of._replace(setting=of.setting._replace(threshold=Fraction(best, BINS)))
    return Promise(found, sums[best] // SCALE, copies[best])
