"""The interface of pairs and groups, which decide which documents are removed."""

from abc import ABC, abstractmethod

import numpy as np

from shingletools.commands.dedup.documents import DocumentArrays
from shingletools.commands.dedup.pair_input import NO_SIMILARITY
from shingletools.kernel.types import F64, Flags, Index


class RemovalDecisions(ABC):
    """Takes documents in the order in which they are preferred. Documents are the numbers of their ids.

    Whether a document is kept is decided when it is taken. Which one is kept in its place may change until the end.
    """

    option: str  # which names the files that it was made from
    named: int  # ids in these files, which are the first ids
    different = 0  # pairs in them that are judged different, which decide nothing
    waits = False  # whether all documents must be taken at once

    @abstractmethod
    def concerns(self, documents: Index) -> Flags:
        """Returns which documents this decides on; all others are kept."""

    def learn(self, documents: DocumentArrays) -> None:  # noqa: B027  # most need no more than numbers
        """Learns what documents say, before any is taken; only if the specification has a field `counted`."""

    @abstractmethod
    def take(self, documents: Index) -> None:
        """Takes documents that this decides on, each once."""

    @abstractmethod
    def decided(self, documents: Index) -> tuple[Flags, Index]:
        """Returns which of the documents that this decides on are removed, and which one is kept in their place."""

    def similarity(self, documents: Index) -> F64:
        """Returns the similarity of each document to the one kept in its place; NO_SIMILARITY if it is unknown."""
        return np.full(len(documents), NO_SIMILARITY)

    def remarks(self, _seen: Flags) -> list[str]:
        """Returns remarks about documents. seen: for each id, whether the input has it."""
        return []

    def figures(self, _there: Flags, _seen: Flags) -> list[str]:
        """Returns figures for -v. For each id: whether the input alone has it; whether the input has it."""
        return []
