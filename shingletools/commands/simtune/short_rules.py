"""The rules for short texts, and for those whose nearest documents show more pairs: single words and weights."""

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

LEAST_WORDS, SHORT_WORDS, LONG_WORDS, MAX_WORDS = (
    10,
    50,
    200,
    1000,
)  # of half of the texts; see guess_short_texts and guess_partners
LEAST_SHARED = {CONTAINMENT: Fraction(2, 5), COSINE: Fraction(1, 2)}  # the lowest thresholds
NAMES = {CONTAINMENT: ("containment", "a containment"), COSINE: ("the cosine of weights", "a cosine")}
MOST_SHARED = Fraction(9, 10)
FALLING = Fraction(3, 5)  # see best_promise; 1/2 if numbers of pairs fell evenly
NEAR_BINS = 4  # hundredths on either side of a threshold in which pairs are counted
REACH = Fraction(NEAR_BINS, BINS)
FOOTERS = 10
LOOSE = 3  # see guess_short_texts
MOST_COMPARED = 1 << 33  # pairs, of single words
LEAST_PARTNERS = 10  # documents, or pairs: fewer determine no threshold
MANY_PARTNERS = Fraction(1, 4)  # least share of documents with a partner that determines a threshold
FEW_PARTNERS = Fraction(1, 10)  # if fewer have a partner, these may be chance,
OF_FEW = Fraction(1, 2)  # and the threshold is at least so high
TIMES = 2  # a rule must promise so many times as many pairs as others find


class TypicalText(NamedTuple):
    """The median length of the texts that have words."""

    words: int
    spaceless: bool  # whether two letters count as a word

    @property
    def unit(self) -> ShingleUnits:
        """Returns the shingle that represents a word."""
        return ShingleUnits(2 if self.spaceless else 1)

    @property
    def titles(self) -> bool:
        return self.words < LEAST_WORDS

    @property
    def ways(self) -> list[tuple[ShingleUnits, str]]:
        """Returns the units and measures to try.

        The measures are the cosine of weights, and containment, since a record may lack fields that another record of
        the same thing has. Titles and names have too few words for containment, and longer texts too many. Titles are
        also compared by characters, since typing errors leave few words.
        """
        measures = [COSINE] if self.titles or self.words > SHORT_WORDS else [CONTAINMENT, COSINE]
        units = [self.unit, ShingleUnits(1)] if self.spaceless else [self.unit]
        more = [(OF_WORDS, COSINE)] if self.titles and not self.spaceless else []
        return [*product(units, measures), *more]

    @property
    def phrase(self) -> str:
        each = ", two letters each" if self.spaceless else ""
        return f"half of the texts with words have {self.words} or fewer{each}"


def typical_text(given: GivenSample) -> TypicalText:
    middle = quantile(sorted(each.words for each in given.documents if each.words), Fraction(1, 2)) or 0
    spaceless = given.spaceless_share() >= SPACELESS
    return TypicalText(middle // 2 if spaceless else middle, spaceless)


class Promise(NamedTuple):
    """A setting, and an estimate of the copies that it finds."""

    setting: Setting
    found: Fraction  # pairs
    around: int  # pairs within NEAR_BINS of the threshold
    copies: Fraction  # pairs that are expected to be copies

    @property
    def phrase(self) -> str:
        units, (name, _) = self.setting.way.units.options, NAMES[self.setting.measure]
        return f"{max(round(self.copies), 0)} by {name} of {units}"


def guess_short_texts(given: GivenSample, text: TypicalText, found: Guess | None = None) -> Guess | None:
    """Chooses the measure and the threshold that promise the most copies of short texts.

    Returns None if most texts are long, if the join would take too long, or if fewer than TIMES the copies of another
    guess are promised. If containment promises more than LOOSE times as many as any cosine, it mistakes similar things
    for copies.
    """
    if not 0 < text.words <= MAX_WORDS:
        return None
    promises = []
    for units, ways in groupby(text.ways, key=itemgetter(0)):
        sets = shingled(given.texts, units, given.kinds(None))
        for _, measure in ways:
            measures = (COSINE,) if measure == COSINE else MEASURES
            tallied = tally(sets, given.population(None), None, measures=measures, least=LEAST_SHARED[COSINE] - REACH)
            promises.append(best_promise(tallied, Setting(Way(units), measure=measure), len(given.documents)))
    most = max(each.copies for each in promises if each.setting.measure == COSINE)
    one = max(
        (each for each in promises if each.setting.measure == COSINE or each.copies <= LOOSE * most),
        key=lambda each: each.copies,
    )
    if found is not None and one.copies < max(TIMES * found.copies, Fraction(LEAST_PARTNERS)):
        return None
    chosen = given.measured(one.setting)
    if given.scaled_to_all(Fraction(chosen.meetings())) > MOST_COMPARED:
        return None
    threshold = one.setting.threshold
    name, one_of = NAMES[one.setting.measure]
    why_k = (
        f"{one.setting.way.units.options} and {name}: {text.phrase}; about so many pairs of the sample may be copies: "
        + ", ".join(each.phrase for each in promises)
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


def guess_partners(given: GivenSample, text: TypicalText, found: Guess) -> Guess | None:
    """Chooses the cosine of weights if the nearest documents show more pairs than another guess finds; else None.

    With --against, each document makes a pair only with its best partner.
    """
    best = bool(given.spec.others)
    if not 0 < text.words <= LONG_WORDS:
        return None
    way = Way(OF_WORDS if best else text.unit)
    sets = shingled(given.texts, way.units, given.kinds(None))
    near = nearest(sets, given.others)
    share, threshold = partners(near, best)
    asking = given.input_documents(sets)
    many = round(share * asking)
    few = many < LEAST_PARTNERS or share < MANY_PARTNERS
    if few and (not best or text.words > SHORT_WORDS):
        return None
    if not best and many < 2 * TIMES * found.copies:
        return None
    if many < LEAST_PARTNERS or share < FEW_PARTNERS:
        threshold = max(threshold, OF_FEW)
    one = given.measured(Setting(way, measure=COSINE, threshold=threshold, best=best))
    if given.scaled_to_all(Fraction(one.meetings())) > MOST_COMPARED:
        return None
    why_k = f"{way.units.options} and {NAMES[COSINE][0]}: {text.phrase}" + (
        "; of two sets, the best partner of each document" if best else ""
    )
    why_t = (
        f"-t {written(threshold)}: {many} of {asking} documents have a partner, as far as the similarities of"
        " the nearest and the second nearest one tell" + ("; so few may be chance" if few else "")
    )
    return Guess([*found.tried, one], one, [Reason("k", why_k), Reason("t", why_t)], Fraction(many, 2))


def best_promise(tallied: PairTally, setting: Setting, documents: int) -> Promise:
    """Returns the lowest threshold, in hundredths, that promises the most copies by a measure.

    There are fewer pairs of different things the more they have in common. So of the pairs beyond a threshold, those of
    different things are estimated as FALLING times the pairs that there would be if their density stayed as it is
    around the threshold. If the most frequent similarity has more pairs than there are documents (FOOTERS times as many
    for the cosine, in which rare words weigh more), these are pairs of different things that have a footer in common,
    and the threshold is not below it.
    """
    measure = setting.measure
    cumulative = tallied.found[measure][: BINS + 1]
    counts = [one - two for one, two in pairwise((*cumulative, 0))]
    sums = [sum(counts[max(at - NEAR_BINS, 0) : at + NEAR_BINS + 1]) for at in range(int(MOST_SHARED * BINS))]
    most = max(range(len(sums)), key=sums.__getitem__)
    footers = sums[most] > documents * SCALE * (FOOTERS if measure == COSINE else 1)
    copies = {
        at: (cumulative[at] - FALLING * Fraction(sums[at] * (BINS - at), 2 * NEAR_BINS + 1)) / SCALE
        for at in range(max(int(LEAST_SHARED[measure] * BINS), most if footers else 0), len(sums))
    }
    best = max(copies, key=copies.__getitem__)
    setting = setting._replace(threshold=Fraction(best, BINS))
    return Promise(setting, Fraction(cumulative[best], SCALE), sums[best] // SCALE, copies[best])
