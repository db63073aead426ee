"""Signatures: what each finds and misses of pairs whose similarity is known, and what it costs."""

from fractions import Fraction
from math import ceil
from typing import NamedTuple

from shingletools.numbers.chances import agreement, at_least, meets, proposed, widths

COMPONENTS = 42, 84, 168, 256  # of sketches
TOGETHER = 14  # of 84 components make a supershingle
SUPER = 6
DOCUMENT = 150  # bytes of memory that a join takes for a document beside its signature: id, places, entries of bands
TOKEN = 24  # for a shingle of a set
WORD = 8  # of 64 bits
BITS = 32  # of a min-hash
FEW = 84, 8  # components, and the bits of each that are written
SIMHASH = 64  # bytes of memory for a simhash, as simjoin says


class SignatureForm(NamedTuple):
    """A signature of components of which a pair agrees in so many; each is made of `power` min-hashes."""

    name: str
    components: int
    least: int
    power: int = 1
    digits: int = 8
    chance: Fraction = Fraction(0)  # that a component agrees where it need not
    bands: int = 0  # where they are not those of a join of all that agree enough

    @property
    def widths(self) -> tuple[int, ...]:
        return widths(self.components, self.bands or self.components - self.least + 1)

    @property
    def payload(self) -> int:
        """Its bytes in a record."""
        return self.components * (self.digits + 1) - 1

    @property
    def memory(self) -> int:
        """Bytes for each document in a join."""
        return DOCUMENT + self.components * self.digits // 2

    def found(self, similarity: Fraction) -> int:
        """The chance that a pair of this similarity is found, in UNIT."""
        return at_least(self.least, self.components, agreement(similarity**self.power, self.chance))

    def candidates(self, similarity: Fraction) -> int:
        """That it is compared."""
        return meets(self.widths, agreement(similarity**self.power, self.chance))


def sketch(components: int, threshold: Fraction, bits: int = BITS) -> SignatureForm:
    """Of min-hashes, or of a few bits of each."""
    few = bits < BITS
    chance = Fraction(few, 2**bits)
    least = ceil(agreement(threshold, chance) * components)
    name = f"sketch -n {components}{f' --bits {bits}' if few else ''}"
    return SignatureForm(name, components, least, digits=bits // 4, chance=chance)


def verified(components: int, threshold: Fraction) -> SignatureForm:
    """Of min-hashes that propose what shingles decide."""
    return SignatureForm(f"sketch -n {components} --keep", components, proposed(threshold, components))


SUPERSHINGLES = SignatureForm(f"sketch --super {TOGETHER}", SUPER, 2, TOGETHER, 16)
# One of 15 pairs of supershingles is the same where two of these are
MEGASHINGLES = SUPERSHINGLES._replace(name=f"sketch --mega {TOGETHER}")
MEGA = SUPER * (SUPER - 1) // 2
