"""What a kind of signature is; payloads as groups of hex digits, by the fields that have them."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from shingletools.commands.simjoin.join_options import JoinOptions
from shingletools.kernel import payload_to_bytes
from shingletools.kernel.types import U8, U32, Index

if TYPE_CHECKING:
    from shingletools.commands.simjoin.table import Table

Data = U8  # one payload after the other
SKETCH, SIMHASH, SHINGLES = FIELDS = ("sketch", "simhash", "shingles")
FORM = "groups of {} hex digits, all alike"
WIDTHS = {SKETCH: (2, 4, 8, 16), SIMHASH: (16,), SHINGLES: (8, 16)}  # digits of a group


def digits_of(payload: object, widths: Sequence[int]) -> int:
    """Returns how many digits a payload's groups seem to have, one of the widths, which ascend.

    >>> [digits_of(payload, (2, 4, 8, 16)) for payload in ("ab", "ab cd", "abcd ", "abcdabcd", "abc", "", None)]
    [2, 2, 4, 8, 4, 8, 8]
    """
    if type(payload) is not str or not payload:
        return 8
    return next((digits for digits in widths if payload[digits : digits + 1] in ("", " ")), widths[-1])


@dataclass(frozen=True)
class Signature(ABC):
    """A kind of signature: it has components, each of which two signatures share or not."""

    digits: int  # hex digits of a group

    field: ClassVar[str]
    form: ClassVar[str]  # what the field holds

    def fixed(self, size: int) -> int:
        """Returns the bytes that all signatures have if one has `size`; 0 if sizes may differ."""
        return size

    def claims(self, payload: object) -> bool:
        """Returns whether this kind reads a payload, right or wrong. Of the kinds with one field, one must claim it."""
        return digits_of(payload, WIDTHS[self.field]) == self.digits

    def read(self, payload: str) -> bytes | None:
        """Returns the bytes of a payload; None if it does not have this form."""
        return payload_to_bytes(payload, self.digits) if payload else b""

    @abstractmethod
    def shape(self, size: int) -> str:
        """Returns a description of signatures of `size` bytes. Signatures of different shapes cannot be compared."""

    @abstractmethod
    def components(self, size: int) -> int:
        """Returns the number of components of a signature of `size` bytes, in which it agrees with a copy."""

    @abstractmethod
    def default(self, via: str) -> JoinOptions:
        """Returns the default threshold for records with this recipe; none if the recipe does not tell."""

    @abstractmethod
    def check(self, wanted: JoinOptions, size: int) -> None:
        """Raises Failed if signatures of `size` bytes cannot be joined so."""

    def counted(self, _parts: Iterable[Data], /) -> U32:
        """Counts that tables need of all payloads. Counts of several calls are added up; empty if none are needed."""
        return np.empty(0, np.uint32)

    @abstractmethod
    def table(self, wanted: JoinOptions, data: Data, sizes: Index, counts: U32) -> "Table":
        """Returns a table of payloads: uint8, one after the other. sizes: the bytes of each. counts: see `counted`."""

    @abstractmethod
    def says(self, wanted: JoinOptions, agreeing: int, one: int, two: int) -> dict[str, float | str]:
        """Returns the members of a pair's record besides the ids. one, two: the bytes of the signatures."""
