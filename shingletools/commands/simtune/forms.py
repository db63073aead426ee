"""Signatures: which share of the pairs of a similarity each finds, and what it costs."""

from fractions import Fraction
from math import ceil
from typing import NamedTuple

from shingletools.numbers.binomial import agreement, at_least, meets, proposed, widths

COMPONENTS = 42, 84, 168, 256  # of sketches
SUPERSHINGLE_COMPONENTS = 14  # of 84 components make a supershingle
SUPERSHINGLE_COUNT = 6
DOCUMENT_BYTES = 150  # memory of a join for a document without its signature: id, places, entries of bands
TOKEN_BYTES = 24  # for a shingle of a set
WORD_BYTES = 8  # of 64 bits
MINHASH_BITS = 32  # of a min-hash
SHORT_SKETCH = 84, 8  # components, and the bits of each that are written
SIMHASH_BYTES = 64  # bytes of memory for a simhash, as simjoin says


class SignatureForm(NamedTuple):
    """A signature: a pair agrees in at least `least` of its components."""

    name: str
    components: int
    least: int
    power: int = 1  # min-hashes in a component
    digits: int = 8
    chance: Fraction = Fraction(0)  # the chance that components of different texts agree

    @property
    def widths(self) -> tuple[int, ...]:
        return widths(self.components, self.components - self.least + 1)

    @property
    def payload(self) -> int:
        """Returns its bytes in a record."""
        return self.components * (self.digits + 1) - 1

    @property
    def memory(self) -> int:
        """Returns the bytes of memory that a join takes for a document."""
        return DOCUMENT_BYTES + self.components * self.digits // 2

    def found(self, similarity: Fraction) -> int:
        """Returns the chance that a pair of this similarity is found, in UNIT."""
        return at_least(self.least, self.components, agreement(similarity**self.power, self.chance))

    def candidates(self, similarity: Fraction) -> int:
        """Returns the chance that a pair of this similarity is a candidate, in UNIT."""
        return meets(self.widths, agreement(similarity**self.power, self.chance))


def sketch(components: int, threshold: Fraction, bits: int = MINHASH_BITS) -> SignatureForm:
    """Returns a sketch of min-hashes, or of a few bits of each."""
    few = bits < MINHASH_BITS
    chance = Fraction(few, 2**bits)
    least = ceil(agreement(threshold, chance) * components)
    name = f"sketch -n {components}{f' --bits {bits}' if few else ''}"
    return SignatureForm(name, components, least, digits=bits // 4, chance=chance)


def verified(components: int, threshold: Fraction) -> SignatureForm:
    """Returns a sketch that proposes pairs to simjoin --verify."""
    return SignatureForm(f"sketch -n {components} --keep", components, proposed(threshold, components))


SUPERSHINGLES = SignatureForm(
    f"sketch --super {SUPERSHINGLE_COMPONENTS}", SUPERSHINGLE_COUNT, 2, SUPERSHINGLE_COMPONENTS, 16
)
# One of 15 pairs of supershingles is the same where two of these are
MEGASHINGLES = SUPERSHINGLES._replace(name=f"sketch --mega {SUPERSHINGLE_COMPONENTS}")
MEGA = SUPERSHINGLE_COUNT * (SUPERSHINGLE_COUNT - 1) // 2
