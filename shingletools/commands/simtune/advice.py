"""Chooses what the join compares, shingles or sketches, in memory or on disk, by its cost. See simtune(1)."""

from fractions import Fraction
from math import ceil
from typing import NamedTuple

from shingletools.commands.simtune.compared import JACCARD
from shingletools.commands.simtune.evidence import GivenSample
from shingletools.commands.simtune.forms import COMPONENTS, DOCUMENT_BYTES, TOKEN_BYTES, SignatureForm, sketch, verified
from shingletools.commands.simtune.guessed import Reason, percent
from shingletools.commands.simtune.measured import Measured

FEW_DOCUMENTS = 100  # documents: figures of fewer may be chance
MEGABYTE = 1 << 20
JOIN_BYTES = 4096 * MEGABYTE  # bytes of memory for a join
MOST_MEMORY = f"{JOIN_BYTES // MEGABYTE} MB"
DISK = f"-S {JOIN_BYTES // (1024 * MEGABYTE)}G"
MOST_CANDIDATES = 1 << 30  # of an exact join
MOST_PAIRS = 10**8  # that are written one by one
GOOD = Fraction(9, 10)  # recall and precision of a sketch that is good enough
SKETCHED = COMPONENTS[1:]  # components to try: the first sketch that is good enough is chosen
VERIFIED_COMPONENTS = 84  # components of a sketch that proposes pairs to --verify


class ChosenJoin(NamedTuple):
    """Options of simjoin, the sketch if there is one, and the reason."""

    options: str
    form: SignatureForm | None
    reason: Reason


def choose_join(given: GivenSample, measured: Measured) -> ChosenJoin:
    """Chooses the join by memory, candidates, and the expected quality of sketches."""
    bytes_each = exact_memory(measured)
    memory = bytes_each * given.whole
    each = f"{round(bytes_each)} bytes for each of {given.whole} documents"
    threshold = measured.setting.threshold
    if memory > JOIN_BYTES:
        why = f"{each} are more than {MOST_MEMORY}"
        if measured.setting.measure != JACCARD:
            return ChosenJoin(DISK, None, Reason("signature", f"the shingles themselves, with {DISK}: {why}"))
        return choose_sketch(given, measured, why)
    candidates = given.scaled_to_all(Fraction(measured.meetings()))
    if candidates > MOST_CANDIDATES and measured.setting.measure == JACCARD:
        proposing = verified(VERIFIED_COMPONENTS, threshold)
        fewer = given.scaled_to_all(measured.candidates(proposing))
        if fewer < candidates:
            why = (
                f"{proposing.name} and --verify: the exact join compares up to {int(candidates)} pairs, sketches of"
                f" {VERIFIED_COMPONENTS} propose {int(fewer)}, and the shingles decide"
            )
            return ChosenJoin("--verify", proposing, Reason("signature", why))
    why = f"the shingles themselves, exactly: {each} are {ceil(memory / MEGABYTE)} MB; up to {MOST_MEMORY} will do"
    return ChosenJoin("", None, Reason("signature", why))


def choose_sketch(given: GivenSample, measured: Measured, why: str) -> ChosenJoin:
    """Returns the first sketch whose expected recall and precision are good enough."""
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
    disk = DISK if form.memory * given.whole > JOIN_BYTES else ""
    return ChosenJoin(disk, form, Reason("signature", f"{form.name}{disk and f' and {disk}'}: {why}"))


def too_few_sampled(given: GivenSample) -> Reason | None:
    """Returns a warning if the sample is too small for its figures to hold for other documents."""
    of_others = sum(document.other for document in given.documents)
    sampled = min(of_others, len(given.documents) - of_others) if given.spec.others else len(given.documents)
    if sampled >= FEW_DOCUMENTS:
        return None
    documents = f"{sampled} document{'s' * (sampled != 1)}"
    return Reason("few", f"the sample has {documents}: what fewer than {FEW_DOCUMENTS} say may be chance")


def exact_memory(measured: Measured) -> Fraction:
    """Returns the bytes of memory that an exact join takes for each document."""
    sets = measured.shingled
    return DOCUMENT_BYTES + TOKEN_BYTES * Fraction(int((sets.sizes * sets.documents).sum()), max(len(sets.rows), 1))


def too_many_pairs(given: GivenSample, measured: Measured) -> Reason | None:
    """Returns a reason for --forest if there are too many pairs to write."""
    pairs = given.scaled_to_all(measured.found, measured.setting.best)
    if pairs <= MOST_PAIRS or given.spec.others:  # simgroup makes no groups of pairs between two sets
        return None
    return Reason("forest", f"--forest: {round(pairs)} pairs are expected; enough of them to connect what all do")
