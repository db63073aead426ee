"""Makes the tables that the join compares from signatures."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from shingletools.commands.simjoin.join_options import JoinOptions
from shingletools.commands.simjoin.sets import Verified
from shingletools.commands.simjoin.signature import Data, Signature
from shingletools.commands.simjoin.signatures import LONG_SHINGLES
from shingletools.commands.simjoin.table import Table
from shingletools.commands.simjoin.weighed_sets import WeighedSets, weighed_by, weighed_by_counts
from shingletools.kernel.types import Index

if TYPE_CHECKING:
    from shingletools.reading.shingle_weights import Weights

Payloads = tuple[Data, Index]  # uint8, one payload after the other; int64, the bytes of each


class TableFactory:
    """Makes tables of documents, in any process, after it has counted what all documents share.

    A document has one payload, or two if sketches propose pairs and shingles decide.
    """

    def __init__(self, signature: Signature, wanted: JoinOptions, weights: "Weights | None" = None) -> None:
        """Takes the weights of shingles, if a table gives them."""
        self.wanted = wanted
        weighing = None if weights is None else weighed_by(weights, wanted)
        self.weighed = None if wanted.weights is None else WeighedSets(signature.digits, weighing)
        self.signatures = [self.weighed or signature, *[LONG_SHINGLES][: wanted.verify]]  # the last decides
        self.counts = [signature.counted(()) for signature in self.signatures]

    def count(self, payloads: Iterable[Iterable[Data]], documents: int = 0) -> None:
        """Counts tokens of all documents, if tables need that. payloads: in parts, for each signature."""
        self.counts = [signature.counted(parts) for signature, parts in zip(self.signatures, payloads, strict=True)]
        if self.weighed is not None and self.weighed.weighing is None:
            weighing = weighed_by_counts(self.counts[-1], documents, self.wanted)
            self.weighed = WeighedSets(self.weighed.digits, weighing)
            self.signatures = [self.weighed]

    def table(self, payloads: Sequence[Payloads]) -> Table:
        """Returns a table of some documents, given their payloads for each signature, or for the first one only."""
        tables = [
            each.table(self.wanted, data, sizes, counts)
            for each, counts, (data, sizes) in zip(self.signatures, self.counts, payloads, strict=False)
        ]
        return tables[0] if len(tables) == 1 else Verified(*tables)
