"""The signatures that the join knows: how they are read, in how much two must agree, what a pair says of it."""

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from shingletools.errors import Failed
from shingletools.kernel import payload_to_bytes
from shingletools.kernel.types import U32, Index, Rows
from shingletools.simjoin.interval import interval
from shingletools.simjoin.measures import MEASURES, InCommon, Measure
from shingletools.simjoin.sets import SetTable, count_tokens
from shingletools.simjoin.table import ComponentTable, Table
from shingletools.simjoin.wanted import (
    ALIKE,
    BITS,
    CONTAINMENT,
    DICE,
    JACCARD,
    NEAR,
    ONE_COMPONENT,
    TWO_COMPONENTS,
    UNKNOWN,
    Wanted,
)  # fmt: skip
from shingletools.wire import Record

Data = NDArray[np.uint8]  # one payload after the other

FORM = "groups of 8 or 16 hex digits, all alike"
SKETCH, SIMHASH, SHINGLES = "sketch", "simhash", "shingles"  # fields


class Signature(Protocol):
    """A kind of signature: so many components, each of which two have in common or not."""

    @property
    def field(self) -> str: ...

    @property
    def form(self) -> str:
        """What the field holds."""

    @property
    def digits(self) -> int:
        """Of a group."""

    def fixed(self, size: int, /) -> int:
        """The bytes of all signatures, if one has so many; 0 where they differ."""

    def claims(self, payload: object) -> bool:
        """Whether it reads what the field holds, right or wrong. Of the kinds that have one field, one must."""

    def read(self, payload: str) -> bytes | None:
        """The bytes of a payload; None if it has another form."""

    def shape(self, size: int, /) -> str:
        """A signature of so many bytes, for people; two of different shapes cannot be compared."""

    def components(self, size: int, /) -> int:
        """How many a signature of so many bytes has: in so many it agrees with a copy."""

    def default(self, via: str) -> Wanted:
        """The threshold where none is said, of records that were made so; none if that does not tell."""

    def check(self, wanted: Wanted, size: int) -> None:
        """Raises Failed if signatures of so many bytes cannot have what is wanted."""

    def smallest(self, wanted: Wanted, /) -> int:
        """The bytes of the smallest signature that can be in a pair, be it with a copy."""

    def counted(self, parts: Iterable[Data], /) -> U32:
        """What tables need of all payloads together, of these: counts, to be added up; of no length if none."""

    def table(self, wanted: Wanted, data: Data, sizes: Index, counts: U32, /) -> Table:
        """A table of some payloads, one at least: uint8, one after the other; int64, the bytes of each; all counts."""

    def says(self, wanted: Wanted, agreeing: int, one: int, two: int) -> dict[str, float | str]:
        """What a pair's record has beside the ids; one and two are the signatures' bytes."""


class Sketches(NamedTuple):
    """A sketch: components of 8 digits are min-hashes, those of 16 supershingles or megashingles."""

    digits: int
    field: str = SKETCH

    @property
    def form(self) -> str:
        return FORM

    def fixed(self, size: int, /) -> int:
        return size

    def claims(self, payload: object) -> bool:
        return digits_of(payload) == self.digits

    def read(self, payload: str) -> bytes | None:
        return payload_to_bytes(payload, self.digits) if payload else b""

    def shape(self, size: int) -> str:
        return f"a sketch of {self.components(size)} components of {self.digits} hex digits"

    def components(self, size: int, /) -> int:
        return 2 * size // self.digits

    def default(self, via: str) -> Wanted:
        """Of supershingles two agree in near-duplicates, and so one megashingle (Broder 2000; Fetterly et al. 2003).

        Only the recipe tells these apart: 6 components of 16 digits may be supershingles, or pairs of 4 of them.

        >>> [SUPERSHINGLES.default(f"canon | sketch n=84 {form}=14").threshold() for form in ("super", "mega")]
        ['-m 2', '-m 1']
        """
        if self == MINHASHES:
            return ALIKE
        parts = [stage.split() for stage in via.split("|")]
        said = {part.partition("=")[0] for name, *rest in filter(None, parts) if name.partition("/")[0] == "sketch"
                for part in rest}  # fmt: skip
        return TWO_COMPONENTS if "super" in said else ONE_COMPONENT if "mega" in said else UNKNOWN

    def check(self, wanted: Wanted, size: int) -> None:
        self.least(wanted, self.components(size))

    def least(self, wanted: Wanted, components: int) -> int:
        """In how many components a pair agrees."""
        if wanted.distance is not None:
            raise Failed("-d counts the bits of simhashes, but the records have sketches")
        if wanted.interval and self != MINHASHES:
            raise Failed(f"--interval needs min-hashes, not components of {self.digits} hex digits")
        if wanted.verify:
            return self.proposed(wanted, components)
        if wanted.measure not in (JACCARD, DICE):
            raise Failed(f"--measure {wanted.measure}: a sketch does not tell; keep the shingles for that")
        if wanted.measure == DICE and self != MINHASHES:
            raise Failed(f"--measure dice needs min-hashes, not components of {self.digits} hex digits")
        if wanted.agreeing is not None:
            if wanted.agreeing > components:
                raise Failed(f"-m {wanted.agreeing}: the sketches have {components} components")
            return wanted.agreeing
        threshold = wanted.similarity
        if threshold is None:
            raise Failed(
                "supershingles or megashingles? The recipe does not say: "
                "for supershingles say -m 2, for megashingles -m 1"
            )
        if wanted.measure == DICE:
            threshold /= 2 - threshold  # D = 2 J / (1 + J)
        return math.ceil(threshold * components)

    def proposed(self, wanted: Wanted, components: int) -> int:
        """In how many components a pair agrees whose estimate is three standard deviations below the threshold."""
        if self != MINHASHES:
            raise Failed(f"--verify needs min-hashes, not components of {self.digits} hex digits")
        if wanted.agreeing is not None:
            raise Failed("-m counts components of sketches, but with --verify the shingles decide: say -t")
        if wanted.interval:
            raise Failed("--interval: with --verify the similarity is no estimate")
        assert wanted.similarity is not None  # said, or the default of min-hashes
        least = MEASURES[wanted.measure](wanted.similarity).jaccard()
        if least is None:
            raise Failed(f"--verify: a sketch does not tell the {wanted.measure}; join the shingles alone")
        deviation = math.sqrt(least * (1 - least) / components)
        return max(1, math.ceil((float(least) - 3 * deviation) * components))

    def smallest(self, _wanted: Wanted, /) -> int:
        return 1

    def counted(self, _parts: Iterable[Data], /) -> U32:
        return np.empty(0, np.uint32)

    def table(self, wanted: Wanted, data: Data, sizes: Index, _counts: U32, /) -> Table:
        components = self.components(int(sizes[0]))
        # They are only compared, so the byte order they are read in does not matter
        rows: Rows = data.view(np.uint32) if self == MINHASHES else data.view(np.uint64)
        return ComponentTable(rows.reshape(-1, components), self.least(wanted, components), wanted.recall)

    def says(self, wanted: Wanted, agreeing: int, one: int, _two: int, /) -> dict[str, float | str]:
        components = self.components(one)
        share = agreeing / components
        said: dict[str, float | str] = {
            "similarity": round(2 * agreeing / (agreeing + components) if wanted.measure == DICE else share, 6)
        }
        if wanted.interval:
            bounds = interval(agreeing, components)
            if wanted.measure == DICE:
                low, high = (2e6 * bound / (1 + bound) for bound in bounds)
                bounds = math.floor(low) / 1e6, math.ceil(high) / 1e6
            said |= dict(zip(("low", "high"), bounds, strict=True))
        return said


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
        """In how many bits a pair agrees."""
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
        assert wanted.distance is not None  # said, or the default
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
        return FORM

    def fixed(self, _size: int, /) -> int:
        return 0

    def claims(self, payload: object) -> bool:
        return digits_of(payload) == self.digits

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
            raise Failed("--interval: the similarity of shingles is no estimate")
        if wanted.recall < 1:
            raise Failed("--recall: sets of shingles are joined with a recall of 1 in any case")

    def smallest(self, wanted: Wanted, /) -> int:
        return 8 * (wanted.agreeing or 1)

    def counted(self, parts: Iterable[Data], /) -> U32:
        return count_tokens(part.view(np.uint64) for part in parts)

    def table(self, wanted: Wanted, data: Data, sizes: Index, counts: U32, /) -> Table:
        return SetTable(data.view(np.uint64), sizes // 8, self.measure(wanted), counts)

    def measure(self, wanted: Wanted) -> Measure:
        """What makes a pair."""
        if wanted.agreeing is not None:
            return InCommon(wanted.agreeing)
        assert wanted.similarity is not None  # said, or the default
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


MINHASHES, SUPERSHINGLES, SIMHASHES = Sketches(8), Sketches(16), SimHashes()
SHORT_SHINGLES, LONG_SHINGLES = ShingleSets(8), ShingleSets(16)
SHINGLE_SETS: tuple[Signature, ...] = (SHORT_SHINGLES, LONG_SHINGLES)
# All that there are, first those that count where a record has several: shingles may lie beside what was made of them
SIGNATURES: tuple[Signature, ...] = (MINHASHES, SUPERSHINGLES, SIMHASHES, *SHINGLE_SETS)


def signature_of(record: Record, kinds: Sequence[Signature] = SIGNATURES) -> Signature:
    """The kind of a record's signature: the first whose field it has and that claims it; of none, the first of all.

    >>> signature_of({"shingles": "", "simhash": ""}).field, signature_of({"text": ""}).field
    ('simhash', 'sketch')
    """
    for kind in kinds:
        if kind.field in record and kind.claims(record[kind.field]):
            return kind
    return kinds[0]


def digits_of(payload: object) -> int:
    """How many digits its groups seem to have: 8 or 16."""
    return 16 if type(payload) is str and payload[8:9] not in ("", " ") else 8
