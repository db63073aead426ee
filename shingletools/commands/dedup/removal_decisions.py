"""The interface of pairs and groups, which decide which documents are removed."""

from abc import ABC, abstractmethod

import numpy as np

from shingletools.commands.dedup.document_arrays import DocumentArrays
from shingletools.kernel.types import F64, Flags, Index

NOBODY, ARCHIVE = -1, -2  # in place of the number of the document that is kept: none, or one of the archive
NO_SIMILARITY = -np.inf  # the similarity of a pair that has none; less than any other


class RemovalDecisions(ABC):
    """Takes documents in the order in which they are preferred. Documents are the numbers of their ids.

    Whether a document is kept is decided when it is taken. Which one is kept in its place may change until the end.
    """

    option: str  # which names the files that it was made from
    different = 0  # pairs in them that are judged different, which decide nothing
    waits = False  # whether all documents must be taken at once

    @abstractmethod
    def __len__(self) -> int:
        """Returns the number of ids in these files, which are the first ids."""

    @abstractmethod
    def concerns(self, documents: Index) -> Flags:
        """Returns which documents this decides on; all others are kept."""

    def learn(self, documents: DocumentArrays) -> None:  # noqa: B027  # most need no more than numbers
        """Learns what documents say, before any is taken; only if the specification has a field `counted`."""

    @abstractmethod
    def take(self, documents: Index) -> None:
        """Takes documents that this decides on, each once."""

    @abstractmethod
    def kept_for(self, documents: Index) -> Index:
        """Returns, for each document, the document that is kept in its place, or NOBODY."""

    def similarity(self, documents: Index) -> F64:
        """Returns the similarity of each document to the one kept in its place; NO_SIMILARITY if it is unknown."""
        return np.full(len(documents), NO_SIMILARITY)

    def pairs_here(self, _seen: Flags) -> tuple[int, int]:
        """Returns how many pairs have one document of the input, and how many two. For each id: whether it is one."""
        return 0, 0

    def figures(self, _there: Flags, _seen: Flags) -> list[str]:
        """Returns figures for -v. For each id: whether the input has it; whether the input or an archive has it."""
        return []


def flagged(flags: Flags, numbers: Index) -> Flags:
    """Returns which numbers have a flag that is set. Numbers beyond the flags have none."""
    found = numbers < len(flags)
    found[found] = flags[numbers[found]]
    return found
