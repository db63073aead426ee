"""The kinds of signatures: simhashes, sets of shingles, and the list of all."""

import math
from collections.abc import Iterable, Sequence

import numpy as np

from shingletools.commands.simjoin.join_options import ALIKE, BITS, CONTAINMENT, JACCARD, NEAR, JoinOptions
from shingletools.commands.simjoin.measures import MEASURES, Measure, in_common, similarity
from shingletools.commands.simjoin.sets import SetTable, count_tokens
from shingletools.commands.simjoin.signature import FORM, SHINGLES, SIMHASH, SKETCH, WIDTHS, Data, Signature
from shingletools.commands.simjoin.sketches import Sketches
from shingletools.commands.simjoin.table import ComponentTable, Table
from shingletools.kernel.types import U32, Index
from shingletools.record.wire import Record
from shingletools.system.errors import Failed


class SimHashes(Signature):
    """A simhash."""

    field, form = SIMHASH, "a group of 16 hex digits"

    def claims(self, _payload: object) -> bool:
        return True

    def read(self, payload: str) -> bytes | None:
        data = super().read(payload)
        return data if data is not None and len(data) <= BITS // 8 else None

    def shape(self, _size: int) -> str:
        return "a simhash"

    def components(self, _size: int) -> int:
        return BITS

    def default(self, _via: str) -> JoinOptions:
        return NEAR

    def check(self, wanted: JoinOptions, _size: int) -> None:
        self.least(wanted)

    def least(self, wanted: JoinOptions) -> int:
        """Returns the number of bits in which a pair must agree. Raises Failed."""
        if wanted.agreeing is not None:
            raise Failed("-m counts the components of sketches, but the records have simhashes")
        for option, asked in (
            ("--interval", wanted.interval),
            ("--verify", wanted.verify),
            (f"--measure {wanted.measure}", wanted.measure != JACCARD),
        ):
            if asked:
                raise Failed(f"{option} needs sketches of min-hashes, but the records have simhashes")
        if wanted.similarity is not None:
            return math.ceil(wanted.similarity * BITS)
        assert wanted.distance is not None  # given, or the default
        return BITS - wanted.distance

    def table(self, wanted: JoinOptions, data: Data, _sizes: Index, _counts: U32) -> Table:
        return ComponentTable(np.unpackbits(data).reshape(-1, BITS), self.least(wanted), wanted.recall)

    def says(self, _wanted: JoinOptions, agreeing: int, _one: int, _two: int) -> dict[str, float | str]:
        return {"similarity": round(agreeing / BITS, 6), "distance": BITS - agreeing}


class ShingleSets(Signature):
    """A set of shingles: repeats do not count."""

    field, form = SHINGLES, FORM.format("8 or 16")

    def fixed(self, _size: int) -> int:
        return 0

    def read(self, payload: str) -> bytes | None:
        data = super().read(payload)
        return data and np.unique(np.frombuffer(data, f">u{self.digits // 2}")).astype(np.uint64).tobytes()

    def shape(self, _size: int) -> str:
        return f"shingles of {self.digits} hex digits"

    def components(self, size: int) -> int:
        return size // 8

    def default(self, _via: str) -> JoinOptions:
        return ALIKE

    def check(self, wanted: JoinOptions, _size: int) -> None:
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

    def counted(self, parts: Iterable[Data]) -> U32:
        return count_tokens(part.view(np.uint64) for part in parts)

    def table(self, wanted: JoinOptions, data: Data, sizes: Index, counts: U32) -> Table:
        return SetTable(data.view(np.uint64), sizes // 8, self.measure(wanted), counts)

    def measure(self, wanted: JoinOptions) -> Measure:
        """Returns the measure, with its threshold."""
        if wanted.agreeing is not None:
            return in_common(wanted.agreeing)
        assert wanted.similarity is not None  # given, or the default
        return MEASURES[wanted.measure](wanted.similarity)

    def says(self, wanted: JoinOptions, agreeing: int, one: int, two: int) -> dict[str, float | str]:
        a, b = self.components(one), self.components(two)
        said: dict[str, float | str] = {"similarity": round(similarity(wanted.measure, agreeing, a, b), 6)}
        if wanted.measure == CONTAINMENT:
            said["contained"] = "both" if a == b else "a" if a < b else "b"
        if wanted.agreeing is not None:
            said["shared"] = agreeing
        return said


BYTES, SHORTS, MINHASHES, SUPERSHINGLES = map(Sketches, WIDTHS[SKETCH])
SIMHASHES = SimHashes(BITS // 4)
SHORT_SHINGLES, LONG_SHINGLES = ShingleSets(8), ShingleSets(16)
SHINGLE_SETS: tuple[Signature, ...] = (SHORT_SHINGLES, LONG_SHINGLES)
# All kinds. If a record has several, the first counts: a record may have shingles and a sketch of them
SIGNATURES: tuple[Signature, ...] = (MINHASHES, SUPERSHINGLES, BYTES, SHORTS, SIMHASHES, *SHINGLE_SETS)


def signature_of(record: Record, kinds: Sequence[Signature] = SIGNATURES) -> Signature:
    """Returns the kind of a record's signature: the first that claims one of its fields, or the first of all.

    >>> signature_of({"shingles": "", "simhash": ""}).field, signature_of({"text": ""}).field
    ('simhash', 'sketch')
    """
    for kind in kinds:
        if kind.field in record and kind.claims(record[kind.field]):
            return kind
    return kinds[0]
