"""The rules for texts of many words: runs of words or characters, and templates."""

from collections.abc import Sequence
from fractions import Fraction

from shingletools.commands.simtune.evidence import GivenSample, quantile
from shingletools.commands.simtune.guessed import Guess, Reason, percent
from shingletools.commands.simtune.measured import Measured
from shingletools.commands.simtune.settings import USUAL, WORDS, Setting, most_of, written
from shingletools.commands.simtune.shingled import ShingleUnits, Way

LOW = Fraction(1, 2)  # the threshold without template shingles
BY_CHARACTERS = ShingleUnits(3, chars=True)  # for texts that are too short for runs of words
OF_CHARACTERS = Fraction(7, 10)  # the threshold for these: a changed word costs short texts more
SPACELESS = Fraction(1, 2)  # if this share of words are letters of scripts without spaces,
MOST_LETTERS = 5  # a shingle has at most so many
TEMPLATE_SHARES = Fraction(1, 10), Fraction(1, 100)  # of documents: shingles that are in more may be a template's
TEMPLATE_WORDS = 3  # least words in a shingle of a template: shorter ones are common in any language
LEAST_DOCUMENTS = 20  # documents of a sample that such a share must be
LEAST_PAIRS = 10  # of unequal texts: fewer show nothing about templates
VANISHED = Fraction(1, 2)  # template shingles are left out if this share of unequal pairs vanishes without them


def kept_share(words: int, k: int) -> Fraction:
    """Returns the similarity of a text and its copy in which one word, in the middle, is another."""
    return Fraction(max(words - 2 * k + 1, 0), words + 1)


def units_to_try(given: GivenSample) -> list[ShingleUnits]:
    """Returns the shingles to try: runs of words, and of characters if texts are too short for all of these."""
    tried = [ShingleUnits(k) for k in given.spec.words or WORDS]
    if given.spec.words:
        return tried
    if given.spaceless_share() >= SPACELESS:
        tried = [units for units in tried if units.k <= MOST_LETTERS]
    if not any(fits(units, given) for units in tried):
        tried.append(BY_CHARACTERS)
    return tried


def lower_quartile(given: GivenSample) -> int:
    """Returns the lower quartile of the number of words, of documents that have words."""
    return quantile(sorted(each.words for each in given.documents if each.words), Fraction(1, 4)) or 0


def fits(units: ShingleUnits, given: GivenSample) -> bool:
    """Returns whether a pair of short documents stays a pair when one word changes."""
    return not units.chars and kept_share(lower_quartile(given), units.k) >= (given.spec.threshold or USUAL)


def guess_runs(given: GivenSample) -> Guess:
    """Chooses runs of words or characters, the threshold, and whether to leave out templates."""
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
    return Guess(tried, chosen, [why_k, Reason("t", f"-t {written(threshold)}: {why_t}"), why_template], plain.found)


def choose_units(tried: Sequence[Measured], given: GivenSample) -> tuple[Measured, Reason]:
    """Chooses the shingles."""
    words, threshold = lower_quartile(given), written(given.spec.threshold or USUAL)
    if len(tried) == 1 and given.spec.words:
        return tried[0], Reason("k", f"{tried[0].setting.way.units.options}: no other was tried")
    fitting = [each for each in tried if fits(each.setting.way.units, given)]
    if fitting:
        one = max(fitting, key=lambda each: each.setting.way.units.k)
        units = one.setting.way.units
        why = (
            f"{units.options}: a quarter of the texts with words have {words} or fewer, and keep a similarity of"
            f" {percent(kept_share(words, units.k))} when one word changes;"
            f" no greater k that was tried keeps {threshold}"
        )
        letters = given.spaceless_share()
        if letters >= SPACELESS and not given.spec.words:
            why += f"; {percent(letters)} of the words are single letters, so k is {MOST_LETTERS} at most"
        return one, Reason("k", why)
    one = tried[-1] if tried[-1].setting.way.units.chars else tried[0]
    return one, Reason(
        "k",
        f"{one.setting.way.units.options}: a quarter of the texts with words have {words} or fewer, and with no k that"
        f" was tried keep a similarity of {threshold} when one word changes",
    )


def unequal_pairs(measured: Measured, threshold: Fraction) -> Fraction:
    """Returns the number of pairs of the sample that are not equal."""
    return measured.from_threshold(threshold) - measured.from_threshold(Fraction(1))


def choose_template(plain: Measured, given: GivenSample) -> tuple[Measured, Reason]:
    """Chooses whether shingles of many documents are left out."""
    setting = plain.setting
    units, asked = setting.way.units, setting.threshold
    near = unequal_pairs(plain, asked)
    if units.chars or units.k < TEMPLATE_WORDS:
        why = f"shingles of fewer than {TEMPLATE_WORDS} words are common in any language"
        return plain, Reason("template", f"no --max-df: {why}")
    documents = len(given.documents)
    shares = [each for each in TEMPLATE_SHARES if most_of(each, documents) >= LEAST_DOCUMENTS]
    shares = [each for each in shares if len(plain.shared_by(most_of(each, documents)))]
    if not shares:
        why = f"no shingle is in {LEAST_DOCUMENTS} documents and in {percent(min(TEMPLATE_SHARES))} of all"
        return plain, Reason("template", f"no --max-df: {why}")
    if near < LEAST_PAIRS:
        why = f"with {round(near)} pairs of unequal texts there is too little to tell templates by"
        return plain, Reason("template", f"no --max-df: {why}")
    for share in shares:
        low = asked if given.spec.threshold is not None else LOW
        each = given.measured(setting._replace(most=share, threshold=low))
        after = unequal_pairs(each, asked)
        if near - after >= VANISHED * near:
            return each, Reason(
                "template",
                f"--max-df {percent(share).replace(' ', '')}: with all shingles {round(near)} pairs of unequal texts"
                f" reach {written(asked)}, without the {len(plain.shared_by(most_of(share, documents)))} that are in"
                f" more documents {round(after)}; look at some: true copies of many documents vanish, too",
            )
    return plain, Reason("template", "no --max-df: less than half of the pairs of unequal texts vanish with it")
