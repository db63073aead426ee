"""The rules without labels: what a sample shows becomes a setting, each choice with the figure that decides."""

from shingletools.commands.simtune.evidence import GivenSample
from shingletools.commands.simtune.guessed import Guess
from shingletools.commands.simtune.run_rules import SPACELESS, of_runs
from shingletools.commands.simtune.short_rules import of_partners, of_short_texts


def guess(given: GivenSample) -> Guess:
    """What suits a sample."""
    if given.spec.words or given.spec.threshold is not None:
        return of_runs(given)
    if given.letters() >= SPACELESS:
        found = of_runs(given)
        return (of_partners(given, found) if given.spec.others else None) or found
    found = of_short_texts(given) or of_runs(given)
    return of_partners(given, found) or found
