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
AROUND = Fraction(1, 25)  # how far pairs on either side of a threshold count
MOST_COMPARED = 1 << 33  # pairs, of single words
LEAST_PARTNERS = 10  # documents: fewer tell no threshold
MOST_ALONE = Fraction(3, 4)  # the share of documents without a partner, up to which partners tell one
TIMES = 2  # how many more pairs partners have to promise than others find
SURE = Fraction(1, 10)  # the share of documents with a partner, up to which these may be none,
UNSURE = Fraction(1, 2)  # and the threshold is no lower


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
    threshold, pairs = valley(counted.tally, measure)
    one = counted._replace(setting=counted.setting._replace(threshold=threshold))
    if given.of_whole(Fraction(one.meetings())) > MOST_COMPARED:
        return None
    around = f"from {written(threshold - AROUND)} to {written(threshold + AROUND)}"
    name, one_of = ("containment", "a containment") if measure == CONTAINMENT else ("the cosine of weights", "a cosine")
    why_k = f"-k 1 and {name}: half of the texts with words have {words} or fewer"
    why_t = f"-t {written(threshold)}: {pairs} pairs have {one_of} {around}, about the fewest of any such range"
    return Guess([one], one, [Reason("k", why_k), Reason("t", why_t)])


def of_partners(given: GivenSample, found: Guess) -> Guess | None:
    """The cosine of weights, where nearest documents show that more pairs are there than others find; else None.

    With --against, each document is in a pair with the best partner only.
    """
    words, best = middle(given), bool(given.spec.others)
    if not 0 < words <= LONG:
        return None
    way = Way(OF_WORDS if best else ShingleUnits(1))
    near = nearest(shingled(given.texts, way.units, given.kinds(None)), given.others)
    share, threshold = partners(near, best)
    many = round(share * near.documents)
    few = many < LEAST_PARTNERS or share < 1 - MOST_ALONE
    if few and (not best or words > SHORT):
        return None
    if not best and many < 2 * TIMES * found.chosen.found:
        return None
    if many < LEAST_PARTNERS or share < SURE:
        threshold = max(threshold, UNSURE)
    one = given.measured(Setting(way, measure=COSINE, threshold=threshold, best=best))
    if given.of_whole(Fraction(one.meetings())) > MOST_COMPARED:
        return None
    why_k = f"{way.units.options} and the cosine of weights: half of the texts with words have {words} or fewer" + (
        "; of two sets, the best partner of each document" if best else ""
    )
    why_t = (
        f"-t {written(threshold)}: {many} of {near.documents} documents have a partner, as far as the similarities of"
        " the nearest and the second nearest one tell"
    )
    return Guess([*found.tried, one], one, [Reason("k", why_k), Reason("t", why_t)])


def valley(tally: PairTally, measure: str) -> tuple[Fraction, int]:
    """The hundredth around which there are the fewest pairs, or a tenth more, by a measure: the first one; and how
    many there are.
    """
    counts = [one - two for one, two in pairwise((*tally.found[measure][: BINS + 1], 0))]
    reach = int(AROUND * BINS)
    sums = {
        number: sum(counts[number - reach : number + reach + 1])
        for number in range(int(LEAST_SHARED[measure] * BINS), int(MOST_SHARED * BINS))
    }
    least = min(sums.values())
    number = next(number for number, pairs in sums.items() if 10 * pairs <= 11 * least)
    return Fraction(number, BINS), sums[number] // SCALE
