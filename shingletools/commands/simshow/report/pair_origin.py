"""The origin of the pairs on a page: the commands that made them, and the documents that were read."""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from fractions import Fraction


class Provenance(NamedTuple):
    """The origin of the pairs, as the user gives it; `made_by_pipeline.disagreement` compares it with them."""

    command: str = ""
    recipe: str = ""  # of the records that were joined
    threshold: str = ""
    k: int | None = None  # words in a shingle
    date: str = ""
    removable: bool | None = None  # whether documents are to be removed by the pairs; None: as these say themselves
    canon: str = ""  # the command, if there is one
    least: "Fraction | None" = None  # similarity
    exact: bool = False  # whether a similarity is the Jaccard of shingles of k words
    dedup: Sequence[str] = ()  # the words of dedup behind its --pairs or --known, if the pipeline ends so


class Corpus(NamedTuple):
    """The documents of --docs, and how they are compared."""

    removable: bool = True  # pairs of `simjoin -m` or by containment share passages: no reason to remove a document
    places: Mapping[int | str, int] = MappingProxyType({})  # ids of --docs in pairs: numbers that rise in their order
    gone: AbstractSet[int | str] = frozenset()  # ids of documents that dedup marked: all others stay
    dedup: Sequence[str] = ()  # as in Provenance, for the documents as they are read here
