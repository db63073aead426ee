"""The signatures that the join knows: how they are read, in how many places two must agree, what a pair says of it."""

import math
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple, Protocol

from shingletools.wire import Failed, Record, words_to_bytes

if TYPE_CHECKING:
    from shingletools.kernel import Rows

SKETCH, SIMHASH = "sketch", "simhash"  # fields
BITS = 64  # of a simhash
THRESHOLD, DISTANCE = Fraction(4, 5), 3  # where nothing is said


class Least(NamedTuple):
    """What makes a pair; one of the three is said at most."""

    similarity: Fraction | None = None
    agreeing: int | None = None
    distance: int | None = None


class Signature(Protocol):
    """A kind of signature: so many places, of words or bits, in each of which two agree or not."""

    @property
    def field(self) -> str: ...

    @property
    def form(self) -> str:
        """What the field holds."""

    def read(self, payload: str) -> bytes | None:
        """The bytes of a payload; None if it has another form."""

    def shape(self, size: int, /) -> str:
        """A signature of so many bytes, in words."""

    def places(self, size: int) -> int:
        """In so many bytes."""

    def rows(self, data: bytearray) -> "Rows":
        """The values of all signatures, one for each place."""

    def least(self, least: Least, places: int) -> int:
        """In how many places a pair agrees; raises Failed where that makes no sense."""

    def says(self, agreeing: int, places: int) -> dict[str, float]:
        """What a pair's record has beside the ids."""


class Words(NamedTuple):
    """A sketch: words of 8 digits are min-hashes, words of 16 supershingles or megashingles."""

    digits: int
    field: str = SKETCH

    @property
    def form(self) -> str:
        return f"words of {self.digits} hex digits"

    def read(self, payload: str) -> bytes | None:
        return words_to_bytes(payload, self.digits) if payload else b""

    def shape(self, size: int) -> str:
        return f"a sketch of {self.places(size)} {self.form}"

    def places(self, size: int) -> int:
        return 2 * size // self.digits

    def rows(self, data: bytearray) -> "Rows":
        import numpy as np  # which --help does not need

        # Words are only compared, so the byte order they are read in does not matter
        if self.digits == MINHASHES.digits:
            return np.frombuffer(data, np.uint32)
        return np.frombuffer(data, np.uint64)

    def least(self, least: Least, places: int) -> int:
        if least.distance is not None:
            raise Failed("-d counts the bits of simhashes, but the records have sketches")
        if least.agreeing is not None:
            if least.agreeing > places:
                raise Failed(f"-m {least.agreeing}: the sketches have {places} words")
            return least.agreeing
        return math.ceil((least.similarity or THRESHOLD) * places)

    def says(self, agreeing: int, places: int) -> dict[str, float]:
        return {"similarity": round(agreeing / places, 6)}


class Bits(NamedTuple):
    """A simhash."""

    field: str = SIMHASH

    @property
    def form(self) -> str:
        return "a word of 16 hex digits"

    def read(self, payload: str) -> bytes | None:
        data = words_to_bytes(payload, BITS // 4) if payload else b""
        return data if data is not None and len(data) <= BITS // 8 else None

    def shape(self, _size: int, /) -> str:
        return "a simhash"

    def places(self, size: int) -> int:
        return 8 * size

    def rows(self, data: bytearray) -> "Rows":
        import numpy as np  # which --help does not need

        return np.unpackbits(np.frombuffer(data, np.uint8))

    def least(self, least: Least, places: int) -> int:
        if least.agreeing is not None:
            raise Failed("-m counts the words of sketches, but the records have simhashes")
        if least.similarity is not None:
            return math.ceil(least.similarity * places)
        return places - (DISTANCE if least.distance is None else least.distance)

    def says(self, agreeing: int, places: int) -> dict[str, float]:
        return {"similarity": round(agreeing / places, 6), "distance": places - agreeing}


MINHASHES, SUPERSHINGLES, SIMHASHES = Words(8), Words(16), Bits()


def signature_of(record: Record) -> Signature:
    """The kind of a record's signature: a sketch where it has both."""
    if SKETCH not in record and SIMHASH in record:
        return SIMHASHES
    payload = record.get(SKETCH)
    return SUPERSHINGLES if type(payload) is str and payload[8:9] not in ("", " ") else MINHASHES
