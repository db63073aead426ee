"""The rules without labels: what a sample shows becomes a setting, each choice with the figure that decides."""

from shingletools.commands.simtune.evidence import GivenSample
from shingletools.commands.simtune.guessed import Guess
from shingletools.commands.simtune.run_rules import of_runs
from shingletools.commands.simtune.short_rules import SHORT, of_partners, of_short_texts, typical


def guess(given: GivenSample) -> Guess:
    """What suits a sample."""
    if given.spec.words or given.spec.threshold is not None:
        return of_runs(given)
    text = typical(given)
    found = (of_short_texts(given, text) if text.words <= SHORT else None) or of_runs(given)
    more = of_partners(given, text, found)
    return more or (of_short_texts(given, text, found) if text.words > SHORT else None) or found
