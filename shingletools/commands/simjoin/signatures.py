"""The kinds of signatures: how they are read, when two are a pair, and what a pair says."""

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import cache
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from shingletools.commands.simjoin.measures import MEASURES, InCommon, Measure
from shingletools.commands.simjoin.sets import SetTable, count_tokens
from shingletools.commands.simjoin.table import ComponentTable, Table
from shingletools.commands.simjoin.wanted import (
    ALIKE,
    BITS,
    CONTAINMENT,
    COSINE,
    DICE,
    JACCARD,
    NEAR,
    ONE_COMPONENT,
    TWO_COMPONENTS,
    UNKNOWN,
    Wanted,
)  # fmt: skip
from shingletools.kernel import payload_to_bytes
from shingletools.kernel.types import U32, Index, Rows
from shingletools.numbers import chances
from shingletools.record.wire import Record, parts_said
from shingletools.system.errors import Failed

Data = NDArray[np.uint8]  # one payload after the other

FORM = "groups of {} hex digits, all alike"
WIDTHS = {"sketch": (2, 4, 8, 16), "shingles": (8, 16)}  # digits of a group
SKETCH, SIMHASH, SHINGLES = FIELDS = ("sketch", "simhash", "shingles")
ONE_AGREES = {"mega", "lexicon", "top"}  # words in recipes of sketches of which one agreeing component is enough


class Signature(Protocol):
    """A kind of signature: it has components, each of which two signatures share or not."""

    @property
    def field(self) -> str: ...

    @property
    def form(self) -> str:
        """What the field holds."""

    @property
    def digits(self) -> int:
        """The hex digits of a group."""

    def fixed(self, size: int, /) -> int:
        """The bytes that all signatures have if one has `size`; 0 if sizes may differ."""

    def claims(self, payload: object) -> bool:
        """Whether this kind reads a payload, right or wrong. Of the kinds with one field, one must claim it."""

    def read(self, payload: str) -> bytes | None:
        """The bytes of a payload; None if it does not have this form."""

    def shape(self, size: int, /) -> str:
        """A description of signatures of `size` bytes. Signatures of different shapes cannot be compared."""

    def components(self, size: int, /) -> int:
        """The number of components of a signature of `size` bytes, in which it agrees with a copy."""

    def default(self, via: str) -> Wanted:
        """The default threshold for records with this recipe; none if the recipe does not tell."""

    def check(self, wanted: Wanted, size: int) -> None:
        """Raises Failed if signatures of `size` bytes cannot be joined so."""

    def smallest(self, wanted: Wanted, /) -> int:
        """The bytes of the smallest signature that can be in a pair, even with a copy."""

    def counted(self, parts: Iterable[Data], /) -> U32:
        """Counts that tables need of all payloads. Counts of several calls are added up; empty if none are needed."""

    def table(self, wanted: Wanted, data: Data, sizes: Index, counts: U32, /) -> Table:
        """A table of at least one payload: uint8, one after the other; int64, the bytes of each; the total counts."""

    def says(self, wanted: Wanted, agreeing: int, one: int, two: int) -> dict[str, float | str]:
        """The members of a pair's record besides the ids. one, two: the bytes of the signatures."""


class Sketches(NamedTuple):
    """A sketch: components of 2, 4 or 8 digits are min-hashes, of 16 digits supershingles or megashingles."""

    digits: int
    field: str = SKETCH

    @property
    def form(self) -> str:
        return FORM.format("2, 4, 8 or 16")

    @property
    def minhashes(self) -> bool:
        return self.digits <= MINHASHES.digits

    @property
    def chance(self) -> Fraction:
        """The chance that components of sets that share nothing agree. For whole min-hashes, it counts as 0."""
        return Fraction(1, 16**self.digits) if self.digits < MINHASHES.digits else Fraction(0)

    def fixed(self, size: int, /) -> int:
        return size

    def claims(self, payload: object) -> bool:
        return digits_of(payload, WIDTHS[SKETCH]) == self.digits

    def read(self, payload: str) -> bytes | None:
        return payload_to_bytes(payload, self.digits) if payload else b""

    def shape(self, size: int) -> str:
        return f"a sketch of {self.components(size)} components of {self.digits} hex digits"

    def components(self, size: int, /) -> int:
        return 2 * size // self.digits

    def default(self, via: str) -> Wanted:
        """Near-duplicates agree in two supershingles, and so in one megashingle (Broder 2000; Fetterly et al. 2003).

        One hash of a lexicon's words, or of the heaviest words, is also enough. Only the recipe tells these apart: 6
        components of 16 digits may be supershingles, or pairs of 4 supershingles.

        >>> [SUPERSHINGLES.default(f"canon | sketch n=84 {form}=14").threshold() for form in ("super", "mega")]
        ['-m 2', '-m 1']
        """
        if self.minhashes:
            return ALIKE
        said = parts_said(via, "sketch")
        return TWO_COMPONENTS if "super" in said else ONE_COMPONENT if said & ONE_AGREES else UNKNOWN

    def check(self, wanted: Wanted, size: int) -> None:
        self.least(wanted, self.components(size))

    def least(self, wanted: Wanted, components: int) -> int:
        """The number of components in which a pair must agree. Raises Failed."""
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
        return math.ceil(chances.agreement(threshold, self.chance) * components)

    def proposed(self, wanted: Wanted, components: int) -> int:
        """The number of components that proposes a pair: three standard deviations below the threshold.

        Raises Failed.
        """
        if not self.minhashes:
            raise Failed(f"--verify needs min-hashes, not components of {self.digits} hex digits")
        if wanted.agreeing is not None:
            raise Failed("-m cannot be combined with --verify, where the shingles decide; give -t")
        if wanted.interval:
            raise Failed("--interval cannot be combined with --verify, whose similarity is exact")
        assert wanted.similarity is not None  # given, or the default of min-hashes
        least = MEASURES[wanted.measure](wanted.similarity).jaccard()
        if least is None:
            raise Failed(f"--verify cannot be combined with --measure {wanted.measure}; join the shingles alone")
        return chances.proposed(chances.agreement(least, self.chance), components)

    def smallest(self, _wanted: Wanted, /) -> int:
        return 1

    def counted(self, _parts: Iterable[Data], /) -> U32:
        return np.empty(0, np.uint32)

    def table(self, wanted: Wanted, data: Data, sizes: Index, _counts: U32, /) -> Table:
        components = self.components(int(sizes[0]))
        # They are only compared for equality, so their byte order does not matter
        rows: Rows = data.view(f"u{self.digits // 2}")
        return ComponentTable(rows.reshape(-1, components), self.least(wanted, components), wanted.recall)

    def says(self, wanted: Wanted, agreeing: int, one: int, _two: int, /) -> dict[str, float | str]:
        components = self.components(one)
        similarity = chances.estimated(Fraction(agreeing, components), self.chance)
        if wanted.measure == DICE:
            similarity = 2 * similarity / (1 + similarity)
        said: dict[str, float | str] = {"similarity": round(float(similarity), 6)}
        if wanted.interval:
            said |= bounds(agreeing, components, self.chance, wanted.measure == DICE)
        return said


@cache
def bounds(agreeing: int, components: int, chance: Fraction, dice: bool) -> dict[str, float]:
    """Between which similarities the truth lies when so many of the components agree; see `chances.interval`."""
    low, high = (chances.estimated(bound, chance) for bound in chances.interval(agreeing, components))
    if dice:
        low, high = (2 * bound / (1 + bound) for bound in (low, high))
    low, high = chances.outwards(low, high)
    return {"low": float(low), "high": float(high)}


class SimHashes(NamedTuple):
    """A simhash."""

    field: str = SIMHASH

    @property
    def digits(self) -> int:
        return BITS // 4

    @property
    def form(self) -> str:
        return "a group of 16 hex digits"

    def fixed(self, size: int, /) -> int:
        return size

    def claims(self, _payload: object, /) -> bool:
        return True

    def read(self, payload: str) -> bytes | None:
        data = payload_to_bytes(payload, BITS // 4) if payload else b""
        return data if data is not None and len(data) <= BITS // 8 else None

    def shape(self, _size: int, /) -> str:
        return "a simhash"

    def components(self, _size: int, /) -> int:
        return BITS

    def default(self, _via: str, /) -> Wanted:
        return NEAR

    def check(self, wanted: Wanted, _size: int, /) -> None:
        self.least(wanted)

    def least(self, wanted: Wanted) -> int:
        """The number of bits in which a pair must agree. Raises Failed."""
        if wanted.agreeing is not None:
            raise Failed("-m counts the components of sketches, but the records have simhashes")
        for option, asked in (
            ("--interval", wanted.interval), ("--verify", wanted.verify),
            (f"--measure {wanted.measure}", wanted.measure != JACCARD),
        ):  # fmt: skip
            if asked:
                raise Failed(f"{option} needs sketches of min-hashes, but the records have simhashes")
        if wanted.similarity is not None:
            return math.ceil(wanted.similarity * BITS)
        assert wanted.distance is not None  # given, or the default
        return BITS - wanted.distance

    def smallest(self, _wanted: Wanted, /) -> int:
        return 1

    def counted(self, _parts: Iterable[Data], /) -> U32:
        return np.empty(0, np.uint32)

    def table(self, wanted: Wanted, data: Data, _sizes: Index, _counts: U32, /) -> Table:
        return ComponentTable(np.unpackbits(data).reshape(-1, BITS), self.least(wanted), wanted.recall)

    def says(self, _wanted: Wanted, agreeing: int, _one: int, _two: int, /) -> dict[str, float | str]:
        return {"similarity": round(agreeing / BITS, 6), "distance": BITS - agreeing}


class ShingleSets(NamedTuple):
    """A set of shingles: repeats do not count."""

    digits: int
    field: str = SHINGLES

    @property
    def form(self) -> str:
        return FORM.format("8 or 16")

    def fixed(self, _size: int, /) -> int:
        return 0

    def claims(self, payload: object) -> bool:
        return digits_of(payload, WIDTHS[SHINGLES]) == self.digits

    def read(self, payload: str) -> bytes | None:
        data = payload_to_bytes(payload, self.digits) if payload else b""
        return data and np.unique(np.frombuffer(data, f">u{self.digits // 2}")).astype(np.uint64).tobytes()

    def shape(self, _size: int, /) -> str:
        return f"shingles of {self.digits} hex digits"

    def components(self, size: int, /) -> int:
        return size // 8

    def default(self, _via: str, /) -> Wanted:
        return ALIKE

    def check(self, wanted: Wanted, _size: int, /) -> None:
        if wanted.distance is not None:
            raise Failed("-d counts the bits of simhashes, but the records have shingles")
        if wanted.verify:
            raise Failed("--verify needs a sketch beside the shingles")
        if wanted.interval:
            raise Failed("--interval needs sketches; the similarity of shingles is exact")
        if wanted.recall < 1:
            raise Failed("--recall needs sketches; sets of shingles are always joined with recall 1")
        if wanted.weights is not None and wanted.agreeing is not None:
            raise Failed("-m counts shingles, and cannot be combined with --weights; give -t")
        if wanted.weights is not None and wanted.measure == COSINE:
            raise Failed("--measure cosine cannot be combined with --weights: products of weights need over 64 bits")

    def smallest(self, wanted: Wanted, /) -> int:
        return 8 * (wanted.agreeing or 1)

    def counted(self, parts: Iterable[Data], /) -> U32:
        return count_tokens(part.view(np.uint64) for part in parts)

    def table(self, wanted: Wanted, data: Data, sizes: Index, counts: U32, /) -> Table:
        return SetTable(data.view(np.uint64), sizes // 8, self.measure(wanted), counts)

    def measure(self, wanted: Wanted) -> Measure:
        """The measure, with its threshold."""
        if wanted.agreeing is not None:
            return InCommon(wanted.agreeing)
        assert wanted.similarity is not None  # given, or the default
        return MEASURES[wanted.measure](wanted.similarity)

    def says(self, wanted: Wanted, agreeing: int, one: int, two: int) -> dict[str, float | str]:
        a, b = self.components(one), self.components(two)
        measure = MEASURES[wanted.measure](Fraction(1))
        said: dict[str, float | str] = {"similarity": round(measure.similarity(agreeing, a, b), 6)}
        if wanted.measure == CONTAINMENT:
            said["contained"] = "both" if a == b else "a" if a < b else "b"
        if wanted.agreeing is not None:
            said["shared"] = agreeing
        return said


BYTES, SHORTS, MINHASHES, SUPERSHINGLES = map(Sketches, WIDTHS[SKETCH])
SIMHASHES = SimHashes()
SHORT_SHINGLES, LONG_SHINGLES = ShingleSets(8), ShingleSets(16)
SHINGLE_SETS: tuple[Signature, ...] = (SHORT_SHINGLES, LONG_SHINGLES)
# All kinds. If a record has several, the first counts: shingles may stand beside a sketch of them
SIGNATURES: tuple[Signature, ...] = (MINHASHES, SUPERSHINGLES, BYTES, SHORTS, SIMHASHES, *SHINGLE_SETS)


def signature_of(record: Record, kinds: Sequence[Signature] = SIGNATURES) -> Signature:
    """The kind of a record's signature: the first that claims one of its fields; the first of all if none does.

    >>> signature_of({"shingles": "", "simhash": ""}).field, signature_of({"text": ""}).field
    ('simhash', 'sketch')
    """
    for kind in kinds:
        if kind.field in record and kind.claims(record[kind.field]):
            return kind
    return kinds[0]


def digits_of(payload: object, widths: Sequence[int]) -> int:
    """How many digits a payload's groups seem to have, one of the widths, which ascend.

    >>> [digits_of(payload, (2, 4, 8, 16)) for payload in ("ab", "ab cd", "abcd ", "abcdabcd", "abc", "", None)]
    [2, 2, 4, 8, 4, 8, 8]
    """
    if type(payload) is not str or not payload:
        return 8
    return next((digits for digits in widths if payload[digits : digits + 1] in ("", " ")), widths[-1])
