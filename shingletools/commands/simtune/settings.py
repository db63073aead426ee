"""The settings of a pipeline: words, shingles, limit, measure and threshold, as values and as options."""

import shlex
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from shingletools.commands.simtune.compared import COSINE, JACCARD, SHARED
from shingletools.commands.simtune.shingled import ShingleUnits, Way
from shingletools.text.wordlists import ISO, word_list

USUAL = Fraction(4, 5)  # the default threshold
WORDS = 1, 2, 3, 5, 10  # in a shingle
RUNS_OF_CHARACTERS = 3, 4, 5
OF_WORDS = ShingleUnits(3, chars=True, of_words=True)
WEIGHED = ShingleUnits(1), ShingleUnits(2), OF_WORDS  # units that are also compared by the cosine of weights
LIMITS = 3, 5, 10, 20  # documents that a shingle may be in
LIMIT_SHARES = Fraction(1, 100), Fraction(1, 10)  # of all documents, if that is more
SHIPPED = "en", "ru"  # languages with lists of stop words and stemmers
LANGUAGES = "ar ca cs da de el es et eu fi fr hi hu hy id it lt nl no pl pt ro sv tr".split()
OFTEN = Fraction(1, 10)  # least share of stop words in a text of a language
FIRST_WORDS = 1 << 17  # words by which a language is recognized
RULED = "stop=", "stem=", "lemma="  # rules in a recipe that need not be tried again


class Setting(NamedTuple):
    """The options that decide which pairs are found."""

    way: Way
    most: int | Fraction | None = None  # documents that a shingle may be in, or their share of all
    measure: str = JACCARD
    threshold: Fraction = USUAL
    best: bool = False  # whether a document of the input makes a pair only with its best partner

    @property
    def shingle(self) -> str:
        """Returns the options of shingle."""
        limit = "" if self.most is None else f" --max-df {limit_of(self.most)}"
        return self.way.units.options + limit

    @property
    def join(self) -> str:
        """Returns the options of simjoin."""
        if self.measure == SHARED:
            return f"-m {self.threshold}"
        weights = "--weights counted " if self.measure == COSINE else ""
        measure = "" if self.measure == JACCARD else f"--measure {self.measure} "
        return f"{weights}{measure}-t {written(self.threshold)}{' --best 1' if self.best else ''}"

    @property
    def plain(self) -> tuple[bool, bool, bool, bool]:
        """Returns a key that is lower for plainer settings."""
        return bool(self.way.rules), self.most is not None, self.measure != JACCARD, self.way.units.chars


def limit_of(most: int | Fraction) -> str:
    return str(most) if isinstance(most, int) else f"{written(100 * most)}%"


def limits(documents: int, whole: int) -> list[int | Fraction | None]:
    """Returns the values of --max-df to try, by the numbers of documents in the sample and in all."""
    few: list[int | Fraction | None] = [most if documents == whole else share(most, documents) for most in LIMITS]
    return [None, *few, *(each for each in LIMIT_SHARES if each * documents > LIMITS[-1])]


def share(most: int, documents: int) -> Fraction:
    """Returns the share of documents, in hundredths of a percent, at least one."""
    return Fraction(max(round(Fraction(most, max(documents, 1)) * 10_000), 1), 10_000)


def most_of(most: int | Fraction, documents: int) -> int:
    """Returns the number of documents that a limit allows in a sample."""
    return most if isinstance(most, int) else int(most * documents)


def written(threshold: Fraction) -> str:
    """Returns a number as an option takes it, decimal if possible.

    >>> written(Fraction(4, 5)), written(Fraction(2, 3)), written(Fraction(1))
    ('0.8', '2/3', '1')
    """
    digits = 18
    if 10**digits % threshold.denominator:
        return f"{threshold.numerator}/{threshold.denominator}"
    places = f"{threshold.numerator * 10**digits // threshold.denominator:0{digits + 1}d}"
    return f"{places[:-digits]}.{places[-digits:]}".rstrip("0").rstrip(".")


def rules_for(texts: Sequence[str], via: str | None) -> str:
    """Returns canon's options for stop words and stems in the language of the texts.

    They are empty if the language is not recognized, or the recipe has such rules already.
    """
    if via is not None and any(rule in via for rule in RULED):
        return ""
    words: Counter[str] = Counter()
    seen = 0
    for text in texts:
        found = text.split()
        words.update(found)
        seen += len(found)
        if seen >= FIRST_WORDS:
            break
    for group in (SHIPPED, [ISO + language for language in LANGUAGES]):
        shares = {name: sum(words[word] for word in word_list("--stop", name)[0]) for name in group}
        best = max(shares, key=lambda name: shares[name])
        if seen and shares[best] >= OFTEN * seen:
            return f"--stop {best} --stem {best.removeprefix(ISO)}"
    return ""


def option(name: str, value: str) -> str:
    """Returns an option for the shell. A value that looks like an option is joined to it with =.

    >>> option("--id", "my id"), option("--id", "-x")
    ("--id 'my id'", '--id=-x')
    """
    return f"{name}{'=' if value.startswith('-') else ' '}{shlex.quote(value)}"
