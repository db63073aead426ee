"""What compares documents: shingles or sketches, in memory or on disk, by what it costs. See simtune(1)."""

from fractions import Fraction
from math import ceil
from typing import NamedTuple

from shingletools.commands.simtune.compared import JACCARD
from shingletools.commands.simtune.evidence import GivenSample
from shingletools.commands.simtune.forms import COMPONENTS, DOCUMENT, TOKEN, SignatureForm, sketch, verified
from shingletools.commands.simtune.guessed import Reason, percent
from shingletools.commands.simtune.measured import Measured

FEW = 100  # documents: what fewer say may be chance
MEGABYTE = 1 << 20
ROOM = 4096 * MEGABYTE  # bytes of memory for a join
MOST_MEMORY = f"{ROOM // MEGABYTE} MB"
DISK = f"-S {ROOM // (1024 * MEGABYTE)}G"
MOST_CANDIDATES = 1 << 30  # of an exact join
MOST_PAIRS = 10**8  # that are written one by one
GOOD = Fraction(9, 10)  # the recall and the precision that are expected of sketches
SKETCHED = COMPONENTS[1:]  # of which the first that is good is taken
BESIDE = 84  # components of sketches that propose pairs


class ChosenJoin(NamedTuple):
    """What compares: options of simjoin, the sketch, if there is to be one, and why."""

    options: str
    form: SignatureForm | None
    reason: Reason


def choose_join(given: GivenSample, measured: Measured) -> ChosenJoin:
    """By memory, candidates, and what sketches are expected to find."""
    bytes_each = exact_memory(measured)
    memory = bytes_each * given.whole
    each = f"{round(bytes_each)} bytes for each of {given.whole} documents"
    threshold = measured.setting.threshold
    if memory > ROOM:
        why = f"{each} are more than {MOST_MEMORY}"
        if measured.setting.measure != JACCARD:
            return ChosenJoin(DISK, None, Reason("signature", f"the shingles themselves, with {DISK}: {why}"))
        return sketched(given, measured, why)
    candidates = given.of_whole(Fraction(measured.meetings()))
    if candidates > MOST_CANDIDATES and measured.setting.measure == JACCARD:
        proposing = verified(BESIDE, threshold)
        fewer = given.of_whole(measured.candidates(proposing))
        if fewer < candidates:
            why = (
                f"{proposing.name} and --verify: the exact join compares up to {int(candidates)} pairs, sketches of"
                f" {BESIDE} propose {int(fewer)}, and the shingles decide"
            )
            return ChosenJoin("--verify", proposing, Reason("signature", why))
    why = f"the shingles themselves, exactly: {each} are {ceil(memory / MEGABYTE)} MB; up to {MOST_MEMORY} will do"
    return ChosenJoin("", None, Reason("signature", why))


def sketched(given: GivenSample, measured: Measured, why: str) -> ChosenJoin:
    """Sketches: the first that are expected to be good."""
    forms = [sketch(components, measured.setting.threshold) for components in SKETCHED]
    number = 0
    if measured.found:
        expected = [measured.expected(form) for form in forms]
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
    disk = DISK if form.memory * given.whole > ROOM else ""
    return ChosenJoin(disk, form, Reason("signature", f"{form.name}{disk and f' and {disk}'}: {why}"))


def sampled_few(given: GivenSample) -> Reason | None:
    """Whether the sample is too small for its figures to hold for other documents."""
    of_others = sum(document.other for document in given.documents)
    sampled = min(of_others, len(given.documents) - of_others) if given.spec.others else len(given.documents)
    if sampled >= FEW:
        return None
    documents = f"{sampled} document{'s' * (sampled != 1)}"
    return Reason("few", f"the sample has {documents}: what fewer than {FEW} say may be chance")


def exact_memory(measured: Measured) -> Fraction:
    """Bytes of memory for each document of an exact join."""
    of = measured.shingled
    return DOCUMENT + TOKEN * Fraction(int((of.sizes * of.documents).sum()), max(len(of.rows), 1))


def forest(given: GivenSample, measured: Measured) -> Reason | None:
    """Whether pairs are too many to be written."""
    pairs = given.of_whole(measured.found, measured.setting.best)
    if pairs <= MOST_PAIRS or given.spec.others:  # of which simgroup makes no groups
        return None
    return Reason("forest", f"--forest: {round(pairs)} pairs are expected; enough of them to connect what all do")
