"""Sketches as signatures: how they are read, when two are a pair, and what the record of a pair holds."""

import math
from fractions import Fraction
from functools import cache

from shingletools.commands.simjoin.join_options import (
    ALIKE,
    DICE,
    JACCARD,
    ONE_COMPONENT,
    TWO_COMPONENTS,
    UNKNOWN,
    JoinOptions,
)
from shingletools.commands.simjoin.measures import MEASURES
from shingletools.commands.simjoin.signature import FORM, SKETCH, Data, Signature
from shingletools.commands.simjoin.table import ComponentTable, Table
from shingletools.kernel.types import U32, Index, Rows
from shingletools.numbers import binomial
from shingletools.record.wire import recipe_settings
from shingletools.system.errors import Failed

MINHASH_DIGITS = 8  # digits of a min-hash of 32 bits
ONE_AGREES = {"mega", "lexicon", "top"}  # words in recipes of sketches of which one agreeing component is enough


class Sketches(Signature):
    """A sketch: components of 2, 4 or 8 digits are min-hashes, of 16 digits supershingles or megashingles."""

    field, form = SKETCH, FORM.format("2, 4, 8 or 16")

    @property
    def minhashes(self) -> bool:
        return self.digits <= MINHASH_DIGITS

    @property
    def chance(self) -> Fraction:
        """Returns the chance that components of sets that share nothing agree. For whole min-hashes, it counts as 0."""
        return Fraction(1, 16**self.digits) if self.digits < MINHASH_DIGITS else Fraction(0)

    def shape(self, size: int) -> str:
        return f"a sketch of {self.components(size)} components of {self.digits} hex digits"

    def components(self, size: int) -> int:
        return 2 * size // self.digits

    def default(self, via: str) -> JoinOptions:
        """Returns the default threshold by the recipe.

        Near-duplicates agree in two supershingles, and so in one megashingle (Broder 2000; Fetterly et al. 2003). One
        hash of a lexicon's words, or of the heaviest words, is also enough. Only the recipe distinguishes these: 6
        components of 16 digits may be supershingles, or pairs of 4 supershingles.

        >>> [Sketches(16).default(f"canon | sketch n=84 {form}=14").threshold() for form in ("super", "mega")]
        ['-m 2', '-m 1']
        """
        if self.minhashes:
            return ALIKE
        parts = recipe_settings(via, "sketch")
        return TWO_COMPONENTS if "super" in parts else ONE_COMPONENT if parts & ONE_AGREES else UNKNOWN

    def check(self, wanted: JoinOptions, size: int) -> None:
        self.least(wanted, self.components(size))

    def least(self, wanted: JoinOptions, components: int) -> int:
        """Returns the number of components in which a pair must agree. Raises Failed."""
        if wanted.distance is not None:
            raise Failed("-d counts the bits of simhashes, but the records have sketches")
        if wanted.interval and not self.minhashes:
            raise Failed(f"--interval needs min-hashes, not components of {self.digits} hex digits")
        if wanted.verify:
            return self.proposed(wanted, components)
        if wanted.measure not in (JACCARD, DICE):
            raise Failed(f"--measure {wanted.measure} needs the shingles; a sketch cannot estimate it")
        if wanted.measure == DICE and not self.minhashes:
            raise Failed(f"--measure dice needs min-hashes, not components of {self.digits} hex digits")
        if wanted.agreeing is not None:
            if wanted.agreeing > components:
                raise Failed(f"-m {wanted.agreeing}: the sketches have {components} components")
            return wanted.agreeing
        threshold = wanted.similarity
        if threshold is None:
            raise Failed(
                "the recipe does not say whether these are supershingles or megashingles: "
                "give -m 2 for supershingles, -m 1 for megashingles"
            )
        if wanted.measure == DICE:
            threshold /= 2 - threshold  # D = 2 J / (1 + J)
        return math.ceil(binomial.agreement(threshold, self.chance) * components)

    def proposed(self, wanted: JoinOptions, components: int) -> int:
        """Returns the number of components that proposes a pair: three standard deviations below the threshold.

        Raises Failed.
        """
        if not self.minhashes:
            raise Failed(f"--verify needs min-hashes, not components of {self.digits} hex digits")
        if wanted.agreeing is not None:
            raise Failed("-m cannot be combined with --verify, where the shingles decide; give -t")
        if wanted.interval:
            raise Failed("--interval cannot be combined with --verify, whose similarity is exact")
        assert wanted.similarity is not None  # given, or the default of min-hashes
        least = MEASURES[wanted.measure](wanted.similarity).jaccard
        if least is None:
            raise Failed(f"--verify cannot be combined with --measure {wanted.measure}; join the shingles alone")
        return binomial.proposed(binomial.agreement(least, self.chance), components)

    def table(self, wanted: JoinOptions, data: Data, sizes: Index, _counts: U32) -> Table:
        components = self.components(int(sizes[0]))
        # They are only compared for equality, so their byte order does not matter
        rows: Rows = data.view(f"u{self.digits // 2}")
        return ComponentTable(rows.reshape(-1, components), self.least(wanted, components), wanted.recall)

    def says(self, wanted: JoinOptions, agreeing: int, one: int, _two: int) -> dict[str, float | str]:
        components = self.components(one)
        similarity = binomial.estimated(Fraction(agreeing, components), self.chance)
        if wanted.measure == DICE:
            similarity = 2 * similarity / (1 + similarity)
        said: dict[str, float | str] = {"similarity": round(float(similarity), 6)}
        if wanted.interval:
            said |= bounds(agreeing, components, self.chance, wanted.measure == DICE)
        return said


@cache
def bounds(agreeing: int, components: int, chance: Fraction, dice: bool) -> dict[str, float]:
    """Returns bounds of the true similarity when so many components agree; see `binomial.interval`."""
    low, high = (binomial.estimated(bound, chance) for bound in binomial.interval(agreeing, components))
    if dice:
        low, high = (2 * bound / (1 + bound) for bound in (low, high))
    low, high = binomial.outwards(low, high)
    return {"low": float(low), "high": float(high)}
