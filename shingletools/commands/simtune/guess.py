"""Chooses a setting by rules, without labels."""

from shingletools.commands.simtune.evidence import GivenSample
from shingletools.commands.simtune.guessed import Guess
from shingletools.commands.simtune.run_rules import guess_runs
from shingletools.commands.simtune.short_rules import SHORT_WORDS, guess_partners, guess_short_texts, typical_text


def guess(given: GivenSample) -> Guess:
    """Returns the setting that the rules choose for a sample."""
    if given.spec.words or given.spec.threshold is not None:
        return guess_runs(given)
    text = typical_text(given)
    found = (guess_short_texts(given, text) if text.words <= SHORT_WORDS else None) or guess_runs(given)
    more = guess_partners(given, text, found)
    return more or (guess_short_texts(given, text, found) if text.words > SHORT_WORDS else None) or found
