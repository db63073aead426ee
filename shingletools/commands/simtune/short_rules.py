"""The rules for texts of few words, and for those of which nearest documents show more: single words, and weights."""

from fractions import Fraction
from itertools import groupby, pairwise, product
from operator import itemgetter
from typing import NamedTuple

from shingletools.commands.simtune.compared import BINS, CONTAINMENT, COSINE, MEASURES
from shingletools.commands.simtune.counting import SCALE, PairTally, tally
from shingletools.commands.simtune.evidence import GivenSample, quantile
from shingletools.commands.simtune.guessed import Guess, Reason
from shingletools.commands.simtune.partners import nearest, partners
from shingletools.commands.simtune.run_rules import SPACELESS
from shingletools.commands.simtune.settings import OF_WORDS, Setting, written
from shingletools.commands.simtune.shingled import ShingleUnits, Way, shingled

LEAST_WORDS, SHORT, LONG, LONGEST = 10, 50, 200, 1000  # of half of the texts; see of_short_texts and of_partners
LEAST_SHARED = {CONTAINMENT: Fraction(2, 5), COSINE: Fraction(1, 2)}  # thresholds for these, if nothing else tells
NAMES = {CONTAINMENT: ("containment", "a containment"), COSINE: ("the cosine of weights", "a cosine")}
MOST_SHARED = Fraction(9, 10)
FALLING = Fraction(3, 5)  # half, if they fall evenly
AROUND = 4  # hundredths: how far pairs on either side of a threshold count
REACH = Fraction(AROUND, BINS)
FOOTERS = 10
LOOSE = 3  # times as many copies
MOST_COMPARED = 1 << 33  # pairs, of single words
LEAST_PARTNERS = 10  # documents, or pairs: fewer tell no threshold
MANY_PARTNERS = Fraction(1, 4)  # the share of documents with a partner, from which on partners tell a threshold,
FEW_PARTNERS = Fraction(1, 10)  # and below which these may be none,
OF_FEW = Fraction(1, 2)  # so that the threshold is no lower
TIMES = 2  # how many more pairs have to be promised than others find


class TypicalText(NamedTuple):
    """How many words half of the texts of a sample have at most, of those with words, and what can be compared."""

    words: int
    spaceless: bool  # whether two letters count as a word

    @property
    def unit(self) -> ShingleUnits:
        """A word."""
        return ShingleUnits(2 if self.spaceless else 1)

    @property
    def titles(self) -> bool:
        return self.words < LEAST_WORDS

    @property
    def ways(self) -> list[tuple[ShingleUnits, str]]:
        """Words, and in titles, where typing errors leave few, characters of these; by which measures.

        Records of one thing lack fields that others have, so containment is one of the measures; titles and names have
        too few words for that, and longer texts too many. The other is the cosine of weights.
        """
        measures = [COSINE] if self.titles or self.words > SHORT else [CONTAINMENT, COSINE]
        units = [self.unit, ShingleUnits(1)] if self.spaceless else [self.unit]
        more = [(OF_WORDS, COSINE)] if self.titles and not self.spaceless else []
        return [*product(units, measures), *more]

    @property
    def said(self) -> str:
        each = ", two letters each" if self.spaceless else ""
        return f"half of the texts with words have {self.words} or fewer{each}"


def typical(given: GivenSample) -> TypicalText:
    middle = quantile(sorted(each.words for each in given.documents if each.words), Fraction(1, 2)) or 0
    spaceless = given.letters() >= SPACELESS
    return TypicalText(middle // 2 if spaceless else middle, spaceless)


class Promise(NamedTuple):
    """A setting with its threshold, and what that promises."""

    setting: Setting
    found: Fraction  # pairs
    around: int  # pairs that are no farther than AROUND from the threshold
    copies: Fraction  # pairs that are found, without as many as may be of two things

    @property
    def said(self) -> str:
        units, (name, _) = self.setting.way.units.options, NAMES[self.setting.measure]
        return f"{max(round(self.copies), 0)} by {name} of {units}"


def of_short_texts(given: GivenSample, text: TypicalText, found: Guess | None = None) -> Guess | None:
    """Where most texts are short, the threshold and the measure that promise the most copies; None if they are not, if
    the join would be too long, or, where others found some pairs, if these promise no TIMES as many.

    Where containment promises more than LOOSE as many as any cosine, it takes things that are alike for copies.
    """
    if not 0 < text.words <= LONGEST:
        return None
    promises = []
    for units, ways in groupby(text.ways, key=itemgetter(0)):
        of = shingled(given.texts, units, given.kinds(None))
        for _, measure in ways:
            measures = (COSINE,) if measure == COSINE else MEASURES
            tallied = tally(of, given.population(None), None, measures=measures, least=LEAST_SHARED[COSINE] - REACH)
            promises.append(beyond(tallied, Setting(Way(units), measure=measure), len(given.documents)))
    most = max(each.copies for each in promises if each.setting.measure == COSINE)
    one = max(
        (each for each in promises if each.setting.measure == COSINE or each.copies <= LOOSE * most),
        key=lambda each: each.copies,
    )
    if found is not None and one.copies < max(TIMES * found.copies, Fraction(LEAST_PARTNERS)):
        return None
    chosen = given.measured(one.setting)
    if given.of_whole(Fraction(chosen.meetings())) > MOST_COMPARED:
        return None
    threshold = one.setting.threshold
    name, one_of = NAMES[one.setting.measure]
    why_k = (
        f"{one.setting.way.units.options} and {name}: {text.said}; about so many pairs of the sample may be copies: "
        + ", ".join(each.said for each in promises)
    )
    if 2 * one.copies < one.found:
        because = "pairs are ever fewer up to there and beyond, so labels would tell more"
    else:
        because = "few for all those that have more"
    why_t = (
        f"-t {written(threshold)}: of {round(one.found)} pairs {one.around} have {one_of} from"
        f" {written(threshold - REACH)} to {written(threshold + REACH)}, {because}"
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


def beyond(tallied: PairTally, setting: Setting, documents: int) -> Promise:
    """The hundredth beyond which the most pairs may be copies, by a measure: the first one.

    Pairs of two things are ever fewer the more they have in common. So of those beyond a hundredth, FALLING of as many
    may be of two things as there would be if they were nowhere fewer than around it. It is not below the hundredth
    around which there are the most pairs, if these are more than documents, or, as rare words weigh more, FOOTERS times
    as many: they are of two things, even if all have a footer in common.
    """
    measure = setting.measure
    from_here = tallied.found[measure][: BINS + 1]
    counts = [one - two for one, two in pairwise((*from_here, 0))]
    sums = [sum(counts[max(at - AROUND, 0) : at + AROUND + 1]) for at in range(int(MOST_SHARED * BINS))]
    most = max(range(len(sums)), key=sums.__getitem__)
    footers = sums[most] > documents * SCALE * (FOOTERS if measure == COSINE else 1)
    copies = {
        at: (from_here[at] - FALLING * Fraction(sums[at] * (BINS - at), 2 * AROUND + 1)) / SCALE
        for at in range(max(int(LEAST_SHARED[measure] * BINS), most if footers else 0), len(sums))
    }
    best = max(copies, key=copies.__getitem__)
    setting = setting._replace(threshold=Fraction(best, BINS))
    return Promise(setting, Fraction(from_here[best], SCALE), sums[best] // SCALE, copies[best])
