"""What all signatures of a run have in common: their kind and shape, and so what is wanted of a pair."""

from shingletools.errors import Failed
from shingletools.simjoin.signatures import SIGNATURES, Signature
from shingletools.simjoin.spec import shapes_differ
from shingletools.simjoin.wanted import Wanted


class Comparable:
    """Signatures that can be compared with the first one."""

    def __init__(self, wanted: Wanted) -> None:
        self.wanted = wanted
        self.signature: Signature | None = None  # the first one's kind, once there is one
        self.size = 0  # and its bytes
        self.default = ""  # threshold, if none was said and there is one

    def check(self, signature: Signature, size: int, via: str) -> Wanted:
        """What is wanted of such signatures; raises Failed if they cannot have it, or be compared with the first."""
        if self.signature is None:
            wanted = self.wanted if self.wanted.threshold() else self.wanted.with_threshold(signature.default(via))
            signature.check(wanted, size)
            return wanted
        if (signature, size) != (self.signature, self.size):
            here, first = signature.shape(size), self.signature.shape(self.size)
            if here != first:
                raise Failed(shapes_differ(here, first))
        return self.wanted

    def accept(self, signature: Signature, size: int, via: str) -> None:
        """Takes a signature for the first."""
        wanted = self.check(signature, size, via)
        self.default = "" if self.wanted.threshold() else wanted.threshold()
        self.signature, self.size, self.wanted = signature, size, wanted

    def summary(self) -> list[str]:
        return [f"default {self.default}"] if self.default else []


def fields_before(signature: Signature) -> list[str]:
    """Fields that a record has not whose signature is of this kind."""
    before = SIGNATURES[: SIGNATURES.index(signature)]
    return sorted({each.field for each in before} - {signature.field})
