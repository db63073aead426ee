"""What decides which documents are removed: the interface of pairs and groups."""

from abc import ABC, abstractmethod

import numpy as np

from shingletools.commands.dedup.blocks import Block
from shingletools.kernel.types import F64, Flags, Index

NOBODY, ARCHIVE = -1, -2  # in place of the number of the document that is kept: none, or one of the archive
UNSAID = -np.inf  # the similarity of a pair that has none; less than any other


class Verdicts(ABC):
    """Takes documents in the order in which they are preferred. Documents are the numbers of their ids.

    A document is decided when it has been taken. Which other is kept in its place may change until all were taken.
    """

    option: str  # which names the files that it was made from

    @abstractmethod
    def __len__(self) -> int:
        """The number of ids in these files, which are the first ids."""

    @abstractmethod
    def concerns(self, documents: Index) -> Flags:
        """Which documents it decides on; all others are kept."""

    def learn(self, documents: Block) -> None:  # noqa: B027  # most need no more than numbers
        """Learns what documents say, before any is taken; only if the specification has a field `counted`."""

    @abstractmethod
    def take(self, documents: Index) -> None:
        """Takes documents that it decides on, each once."""

    @abstractmethod
    def kept_for(self, documents: Index) -> Index:
        """For each document that it decides on: the one that is kept in its place, itself if it is kept, or NOBODY."""

    def similarity(self, documents: Index) -> F64:
        """The similarity of each of these to the one that is kept in its place; UNSAID where nothing says it."""
        return np.full(len(documents), UNSAID)

    def figures(self, _there: Flags, _seen: Flags) -> list[str]:
        """What -v adds. For each id: whether it is of a document that no archive has; whether it is of any document."""
        return []


def flagged(flags: Flags, numbers: Index) -> Flags:
    """Which numbers have a flag that is set; those that have none are beyond the flags."""
    found = numbers < len(flags)
    found[found] = flags[numbers[found]]
    return found
