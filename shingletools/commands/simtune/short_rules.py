"""The rules for texts of few words, and for those of which nearest documents show more: single words, and weights."""

from fractions import Fraction
from itertools import pairwise

from shingletools.commands.simtune.compared import BINS, CONTAINMENT, COSINE
from shingletools.commands.simtune.counting import SCALE, PairTally
from shingletools.commands.simtune.evidence import GivenSample, quantile
from shingletools.commands.simtune.guessed import Guess, Reason
from shingletools.commands.simtune.partners import nearest, partners
from shingletools.commands.simtune.settings import OF_WORDS, Setting, written
from shingletools.commands.simtune.shingled import ShingleUnits, Way, shingled

LEAST_WORDS, SHORT, LONG = 10, 50, 200  # of half of the texts; see of_short_texts and of_partners
LEAST_SHARED = {CONTAINMENT: Fraction(2, 5), COSINE: Fraction(3, 5)}  # thresholds for these, if nothing else tells
MOST_SHARED = Fraction(9, 10)
AROUND = 4  # hundredths: how far pairs on either side of a threshold count
MOST_COMPARED = 1 << 33  # pairs, of single words
LEAST_PARTNERS = 10  # documents: fewer tell no threshold
MANY_PARTNERS = Fraction(1, 4)  # the share of documents with a partner, from which on partners tell a threshold,
FEW_PARTNERS = Fraction(1, 10)  # and below which these may be none,
OF_FEW = Fraction(1, 2)  # so that the threshold is no lower
TIMES = 2  # how many more pairs partners have to promise than others find


def middle(given: GivenSample) -> int:
    """Words of the document that half of those with words are not longer than."""
    return quantile(sorted(each.words for each in given.documents if each.words), Fraction(1, 2)) or 0


def of_short_texts(given: GivenSample) -> Guess | None:
    """Single words, where most texts are short; None if they are not, or the join would be too long.

    Records of one thing lack fields that others have, so their measure is containment; titles and names have too few
    words for that, so theirs is the cosine of weights. Pairs of two things are ever fewer the more words they share, so
    the threshold is where the numbers of pairs are least: with more in common there are copies.
    """
    words = middle(given)
    if not 0 < words <= SHORT:
        return None
    measure = CONTAINMENT if words >= LEAST_WORDS else COSINE
    counted = given.measured(Setting(Way(ShingleUnits(1)), measure=measure))
    threshold, pairs = valley(counted.tally, measure, len(given.documents))
    one = counted._replace(setting=counted.setting._replace(threshold=threshold))
    if given.of_whole(Fraction(one.meetings())) > MOST_COMPARED:
        return None
    reach = Fraction(AROUND, BINS)
    around = f"from {written(threshold - reach)} to {written(threshold + reach)}"
    edge = threshold + reach >= MOST_SHARED
    where = "; pairs are ever fewer up to there, so labels would tell more" if edge else ""
    name, one_of = ("containment", "a containment") if measure == CONTAINMENT else ("the cosine of weights", "a cosine")
    why_k = f"-k 1 and {name}: half of the texts with words have {words} or fewer"
    why_t = f"-t {written(threshold)}: {pairs} pairs have {one_of} {around}, about the fewest of any such range{where}"
    return Guess([one], one, [Reason("k", why_k), Reason("t", why_t)])


def of_partners(given: GivenSample, found: Guess) -> Guess | None:
    """The cosine of weights, where nearest documents show that more pairs are there than others find; else None.

    With --against, each document is in a pair with the best partner only.
    """
    words, best = middle(given), bool(given.spec.others)
    if not 0 < words <= LONG:
        return None
    way = Way(OF_WORDS if best else ShingleUnits(1))
    of = shingled(given.texts, way.units, given.kinds(None))
    near = nearest(of, given.others)
    share, threshold = partners(near, best)
    asking = given.asking(of)
    many = round(share * asking)
    few = many < LEAST_PARTNERS or share < MANY_PARTNERS
    if few and (not best or words > SHORT):
        return None
    if not best and many < 2 * TIMES * found.chosen.found:
        return None
    if many < LEAST_PARTNERS or share < FEW_PARTNERS:
        threshold = max(threshold, OF_FEW)
    one = given.measured(Setting(way, measure=COSINE, threshold=threshold, best=best))
    if given.of_whole(Fraction(one.meetings())) > MOST_COMPARED:
        return None
    why_k = f"{way.units.options} and the cosine of weights: half of the texts with words have {words} or fewer" + (
        "; of two sets, the best partner of each document" if best else ""
    )
    why_t = (
        f"-t {written(threshold)}: {many} of {asking} documents have a partner, as far as the similarities of"
        " the nearest and the second nearest one tell" + ("; so few may be chance" if few else "")
    )
    return Guess([*found.tried, one], one, [Reason("k", why_k), Reason("t", why_t)])


def valley(tally: PairTally, measure: str, documents: int) -> tuple[Fraction, int]:
    """The hundredth around which there are the fewest pairs, or a tenth more, by a measure: the first one; and how
    many there are. It is not below the hundredth around which there are the most, if these are more than documents:
    pairs of two things are the most, even if all have a footer in common.
    """
    counts = [one - two for one, two in pairwise((*tally.found[measure][: BINS + 1], 0))]
    sums = [sum(counts[max(at - AROUND, 0) : at + AROUND + 1]) for at in range(int(MOST_SHARED * BINS))]
    most = max(range(len(sums)), key=sums.__getitem__)
    lowest = most if sums[most] > documents * SCALE else 0
    tried = range(max(int(LEAST_SHARED[measure] * BINS), lowest), len(sums))
    least = min(sums[at] for at in tried)
    number = next(at for at in tried if 10 * sums[at] <= 11 * least)
    return Fraction(number, BINS), sums[number] // SCALE
