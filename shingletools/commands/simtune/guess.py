"""The rules without labels: what a sample shows becomes a setting, each choice with the figure that decides."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple

from shingletools.commands.simtune.counting import SCALE, PairTally
from shingletools.commands.simtune.evidence import GivenSample, quantile
from shingletools.commands.simtune.measured import Measured
from shingletools.commands.simtune.meetings import BINS, CONTAINMENT, COSINE
from shingletools.commands.simtune.partners import nearest, partners
from shingletools.commands.simtune.settings import OF_WORDS, USUAL, WORDS, Setting, most_of, written
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
LOW = Fraction(1, 2)  # a threshold that is lower than it need be
CHARACTERS = ShingleUnits(3, chars=True)  # where texts are too short for runs of words
OF_CHARACTERS = Fraction(7, 10)  # the threshold for these: a word that changes costs short texts more
SPACELESS = Fraction(1, 2)  # the share of words that are letters of scripts without spaces, from which on
MOST_LETTERS = 5  # are in a shingle at most
SHARES = Fraction(1, 10), Fraction(1, 100)  # of documents: shingles that are in more may be a template's
TEMPLATE = 3  # words in a shingle of a template at least; fewer are common in any language
LEAST_DOCUMENTS = 20  # what such a share must be of a sample
LEAST_PAIRS = 10  # of unequal texts: fewer tell nothing of templates
VANISHED = Fraction(1, 2)  # the share of unequal pairs that are a template's, from which on it is left out


class Reason(NamedTuple):
    """Why a part of the pipeline is as it is."""

    rule: str
    because: str


def percent(share: Fraction) -> str:
    """A share, with one digit after the point at most.

    >>> percent(Fraction(1, 3)), percent(Fraction(1, 2))
    ('33.3 %', '50 %')
    """
    return f"{float(round(100 * share, 1)):g} %"


def left(words: int, k: int) -> Fraction:
    """The similarity of a text with itself when one word of it, in the middle, gives way to another."""
    return Fraction(max(words - 2 * k + 1, 0), words + 1)


def units_to_try(given: GivenSample) -> list[ShingleUnits]:
    """Shingles that may suit: runs of so many words, and characters if texts are too short for all of them."""
    tried = [ShingleUnits(k) for k in given.spec.words or WORDS]
    if given.spec.words:
        return tried
    if given.letters() >= SPACELESS:
        tried = [units for units in tried if units.k <= MOST_LETTERS]
    if not any(fits(units, given) for units in tried):
        tried.append(CHARACTERS)
    return tried


def quarter(given: GivenSample) -> int:
    """Words of the document that a quarter of those with words are not longer than."""
    return quantile(sorted(each.words for each in given.documents if each.words), Fraction(1, 4)) or 0


def fits(units: ShingleUnits, given: GivenSample) -> bool:
    """Whether short documents stay pairs when one word of them changes."""
    return not units.chars and left(quarter(given), units.k) >= (given.spec.threshold or USUAL)


class Guess(NamedTuple):
    """A setting, its figures, and why."""

    tried: list[Measured]
    chosen: Measured
    reasons: list[Reason]


def guess(given: GivenSample) -> Guess:
    """What suits a sample."""
    if given.spec.words or given.spec.threshold is not None or given.letters() >= SPACELESS:
        return of_runs(given)
    found = of_short_texts(given)
    if found is None:
        found = of_runs(given)
    return of_partners(given, found) or found


def of_runs(given: GivenSample) -> Guess:
    """Runs of words, or of characters."""
    asked = given.spec.threshold
    tried = [
        given.measured(Setting(Way(units), threshold=asked or (OF_CHARACTERS if units.chars else USUAL)))
        for units in units_to_try(given)
    ]
    plain, why_k = choose_units(tried, given)
    chosen, why_template = choose_template(plain, given)
    threshold = chosen.setting.threshold
    if asked is not None:
        why_t = "as was asked for"
    elif chosen.setting.most is not None:
        why_t = "without what templates share, true copies have less in common"
    elif chosen.setting.way.units.chars:
        why_t = "usual for short texts"
    else:
        why_t = "usual for near-duplicates"
    return Guess(tried, chosen, [why_k, Reason("t", f"-t {written(threshold)}: {why_t}"), why_template])


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


def choose_units(tried: Sequence[Measured], given: GivenSample) -> tuple[Measured, Reason]:
    """Which shingles."""
    words, threshold = quarter(given), written(given.spec.threshold or USUAL)
    if len(tried) == 1 and given.spec.words:
        return tried[0], Reason("k", f"{tried[0].setting.way.units.options}: no other was tried")
    fitting = [each for each in tried if fits(each.setting.way.units, given)]
    if fitting:
        one = max(fitting, key=lambda each: each.setting.way.units.k)
        units = one.setting.way.units
        why = (
            f"{units.options}: a quarter of the texts with words have {words} or fewer, and keep a similarity of"
            f" {percent(left(words, units.k))} when one word changes; no greater k that was tried keeps {threshold}"
        )
        letters = given.letters()
        if letters >= SPACELESS and not given.spec.words:
            why += f"; {percent(letters)} of the words are single letters, so k is {MOST_LETTERS} at most"
        return one, Reason("k", why)
    one = tried[-1] if tried[-1].setting.way.units.chars else tried[0]
    return one, Reason(
        "k",
        f"{one.setting.way.units.options}: a quarter of the texts with words have {words} or fewer, and with no k that"
        f" was tried keep a similarity of {threshold} when one word changes",
    )


def unequal(measured: Measured, threshold: Fraction) -> Fraction:
    """Pairs of the sample that are no copies."""
    return measured.from_threshold(threshold) - measured.from_threshold(Fraction(1))


def choose_template(plain: Measured, given: GivenSample) -> tuple[Measured, Reason]:
    """Whether shingles of many documents are left out."""
    setting = plain.setting
    units, asked = setting.way.units, setting.threshold
    near = unequal(plain, asked)
    if units.chars or units.k < TEMPLATE:
        why = f"shingles of fewer than {TEMPLATE} words are common in any language"
        return plain, Reason("template", f"no --max-df: {why}")
    documents = len(given.documents)
    shares = [each for each in SHARES if most_of(each, documents) >= LEAST_DOCUMENTS]
    shares = [each for each in shares if len(plain.shared_by(most_of(each, documents)))]
    if not shares:
        why = f"no shingle is in {LEAST_DOCUMENTS} documents and in {percent(min(SHARES))} of all"
        return plain, Reason("template", f"no --max-df: {why}")
    if near < LEAST_PAIRS:
        why = f"with {round(near)} pairs of unequal texts there is too little to tell templates by"
        return plain, Reason("template", f"no --max-df: {why}")
    for share in shares:
        low = asked if given.spec.threshold is not None else LOW
        each = given.measured(setting._replace(most=share, threshold=low))
        after = unequal(each, asked)
        if near - after >= VANISHED * near:
            return each, Reason(
                "template",
                f"--max-df {percent(share).replace(' ', '')}: with all shingles {round(near)} pairs of unequal texts"
                f" reach {written(asked)}, without the {len(plain.shared_by(most_of(share, documents)))} that are in"
                f" more documents {round(after)}; look at some: true copies of many documents vanish, too",
            )
    return plain, Reason("template", "no --max-df: less than half of the pairs of unequal texts vanish with it")
