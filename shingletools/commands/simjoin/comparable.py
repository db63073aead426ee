"""Checks that all signatures of a run have one kind and one shape, and sets the default threshold."""

from shingletools.commands.simjoin.join_options import DICE, JoinOptions
from shingletools.commands.simjoin.signature import Signature
from shingletools.commands.simjoin.signatures import SHINGLE_SETS, SIGNATURES
from shingletools.commands.simjoin.sketches import Sketches
from shingletools.record.wire import recipe_settings
from shingletools.system.errors import Failed

PARTS_OF_MINHASHES = {"n", "bits", "seed"}  # of a recipe


class Comparable:
    """Signatures that can be compared with the first one."""

    def __init__(self, wanted: JoinOptions) -> None:
        self.wanted = wanted
        self.first = "the records before have"  # or who else has the first signature
        self.signature: Signature | None = None  # the kind of the first one, if it has come
        self.size = 0  # its bytes
        self.default = ""  # the default threshold, if it is used

    def check(self, signature: Signature, size: int, via: str) -> JoinOptions:
        """Returns the rule for pairs of such signatures. Raises Failed if the options or the first signature differ."""
        if self.signature is None:
            wanted = self.wanted if self.wanted.threshold() else self.wanted.with_threshold(signature.default(via))
            if wanted.weights is not None and signature not in SHINGLE_SETS:
                raise Failed("--weights needs shingles")
            signature.check(wanted, size)
            check_minhashes(wanted, signature, via)
            return wanted
        if (signature, size) != (self.signature, self.size):
            here, first = signature.shape(size), self.signature.shape(self.size)
            if here != first:
                raise Failed(f"{here}, but {self.first} {first}")
        return self.wanted

    def accept(self, signature: Signature, size: int, via: str) -> None:
        """Takes the first signature."""
        wanted = self.check(signature, size, via)
        self.default = "" if self.wanted.threshold() else wanted.threshold()
        self.signature, self.size, self.wanted = signature, size, wanted

    def summary(self) -> list[str]:
        return [f"default {self.default}"] if self.default else []


def check_minhashes(wanted: JoinOptions, signature: Signature, via: str) -> None:
    """Raises Failed if options need min-hashes, but the recipe says that the components are something else.

    Without a recipe, components are taken for min-hashes.
    """
    parts = recipe_settings(via, "sketch")
    minhashes = isinstance(signature, Sketches) and signature.minhashes
    if not minhashes or not parts or ("n" in parts and parts <= PARTS_OF_MINHASHES):
        return
    for option, asked in (
        ("--interval", wanted.interval),
        ("--verify", wanted.verify),
        ("--measure dice", wanted.measure == DICE),
    ):
        if asked:
            raise Failed(f"{option} needs min-hashes, but the recipe says that the components are others")


def fields_before(signature: Signature) -> list[str]:
    """Returns the fields that a record lacks if its signature is of this kind."""
    before = SIGNATURES[: SIGNATURES.index(signature)]
    return sorted({earlier.field for earlier in before} - {signature.field})
