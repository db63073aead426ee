"""The sample: documents with labels, then others, in the order of the hashes of their ids; and what it represents."""

import heapq
from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

import blake3
import numpy as np
import orjson

from shingletools.commands.simtune.labels import SampleLabels
from shingletools.commands.simtune.spec import TuneSpec
from shingletools.kernel.memo import cut_at_blanks
from shingletools.kernel.types import Index
from shingletools.record.wire import Name
from shingletools.system import errors
from shingletools.system.errors import Rejected

MAX_WORDS = 1 << 22  # most words of a sample
MAX_BYTES = 1 << 26  # most bytes of a sample
MAX_DOCUMENT_WORDS = 1 << 16  # most words of a document that are compared
MAX_DOCUMENT_CHARS = 1 << 20  # most characters of these words, with blanks
UNLABELLED = 1 << 64  # added to the hash of a document without a label
MAX_NUMBERED_WORDS = 60  # words of a text that is no copy of one that differs from it in numbers alone; as in simcheck
WEIGHT_UNIT = 1 << 8  # the weight of a document that represents itself


class SampledDocument(NamedTuple):
    """A document of a sample."""

    id: bytes  # as JSON
    text: str  # its first words, single blanks between
    words: int  # how many it has
    kept_words: int  # how many of them are in `text`
    label: bytes | None
    against: bool = False  # whether it is one of --against

    @property
    def size(self) -> int:
        """Returns the bytes that it takes; a character of the text takes one, two or four, by the greatest one."""
        greatest = "" if self.text.isascii() else max(self.text)
        width = 1 if greatest <= "\xff" else 2 if greatest <= "\uffff" else 4
        return len(self.id) + width * len(self.text) + len(self.label or b"")


class BottomKSample:
    """Keeps the documents whose ids have the least hashes: at most `max_documents`, `max_words` and MAX_BYTES.

    The first one is kept even if it is longer. The order in which documents come does not matter. Memory: MAX_BYTES,
    and 1 kB for each document.
    """

    def __init__(self, max_documents: int, seed: str, max_words: int = MAX_WORDS, against: bool = False) -> None:
        self.max_documents, self.seed, self.max_words, self.against = max_documents, seed.encode(), max_words, against
        self.read = [0, 0]  # documents without labels, and with them
        self.documents_by_id: dict[bytes, SampledDocument] = {}
        self.heap: list[tuple[int, bytes]] = []  # the negated rank and the id of each, the greatest rank first
        self.words = self.bytes = 0
        self.end = 2 * UNLABELLED  # documents with this rank or a higher one are not kept

    def add(self, name: Name, text: str, label: bytes | None, labelled: bool = False) -> None:
        """Takes a document. Raises Rejected if the sample has a document with this id."""
        id_json = orjson.dumps(name)
        if id_json in self.documents_by_id:
            raise Rejected(errors.seen_before(name))
        self.read[labelled] += 1
        digest = blake3.blake3(self.seed + b"\0" + id_json).digest()
        rank = int.from_bytes(digest[:8]) + UNLABELLED * (not labelled)
        if rank >= self.end:
            return
        count, first_words = 0, []
        for piece in cut_at_blanks(text):
            words = piece.split()
            first_words += words[: max(MAX_DOCUMENT_WORDS - count, 0)]
            count += len(words)
        kept = " ".join(first_words)
        if len(kept) > MAX_DOCUMENT_CHARS:
            kept = kept[: max(kept.rfind(" ", 0, MAX_DOCUMENT_CHARS + 1), 0)]
        document = SampledDocument(id_json, kept, count, len(kept.split()), label, self.against)
        self.documents_by_id[id_json] = document
        self.words += document.kept_words
        self.bytes += document.size
        heapq.heappush(self.heap, (-rank, id_json))
        while len(self.heap) > self.max_documents or (
            len(self.heap) > 1 and (self.words > self.max_words or self.bytes > MAX_BYTES)
        ):
            self.end = -self.heap[0][0]
            while self.heap and -self.heap[0][0] == self.end:
                document = self.documents_by_id.pop(heapq.heappop(self.heap)[1])
                self.words -= document.kept_words
                self.bytes -= document.size

    def documents(self) -> list[SampledDocument]:
        """Returns the documents in the order of their hashes, whether they have labels or not."""
        hashes = sorted((-rank % UNLABELLED, id_json) for rank, id_json in self.heap)
        return [self.documents_by_id[id_json] for _, id_json in hashes]


class Sample:
    """The documents of a sample, and what they represent. Those that true pairs connect are neighbours.

    read: how many documents of each stratum were read; a stratum is 2 * side + labelled.
    """

    def __init__(
        self, spec: TuneSpec, read: Sequence[int], documents: Sequence[SampledDocument], labels: SampleLabels | None
    ) -> None:
        self.spec, self.read, self.documents, self.labels = spec, read, documents, labels
        self.corpus_size = spec.for_documents or sum(read)  # documents that costs and numbers of pairs are for
        against = np.array([document.against for document in documents], np.bool_)
        self.against = against if spec.others else None  # whether each document is one of --against
        self.series = series_of([document.text for document in documents])
        classes = np.full(len(documents), -1) if labels is None else labels.row_kinds
        self.row_kinds = 2 * classes + against  # documents with equal texts are one row if these are equal, too
        if labels is not None:
            partners = labels.true_partners(len(documents), self.against)
            # Of each component, at its first document
            self.true_pairs = np.bincount(labels.components, partners, len(documents)).astype(np.int64) // 2
            self.first_half = labels.first_half(self.true_pairs)
            strata = 2 * against + labels.listed
            sampled = np.bincount(strata, minlength=len(read)).tolist()
            of_strata = [round(Fraction(WEIGHT_UNIT * of, max(few, 1))) for of, few in zip(read, sampled, strict=True)]
            weights = np.array(of_strata, np.int64)
            self.weights = weights[strata]  # documents that each represents, in 1 / WEIGHT_UNIT
            self.true_partner_weights = weights[2 * (against ^ bool(spec.others)) + 1]  # of those that belong to each

    @property
    def wrong_pair_weight(self) -> Fraction:
        """Returns the weight of a wrong pair, where only documents with labels are judged and represent all.

        If one in so many things has labels, there are so many times as many true pairs, but the square of it of others.
        """
        return Fraction(1) if self.spec.field is None else Fraction(sum(self.read), max(sum(self.read[1::2]), 1))

    @property
    def input_size(self) -> Fraction:
        """Returns how many of all documents are of the input, and not of --against."""
        return self.corpus_size * Fraction(sum(self.read[:2]), sum(self.read))

    def pair_scale(self, documents: int) -> Fraction:
        """Returns how many pairs of all documents one of the first `documents` of the sample represents.

        That holds for best partners, too: a true one is in the sample as seldom as any other document.
        """
        size = self.corpus_size
        if self.against is None:
            return Fraction(max(size * (size - 1), 1), max(documents * (documents - 1), 1))
        of_against = int(self.against[:documents].sum())
        return self.input_size * (size - self.input_size) / max((documents - of_against) * of_against, 1)


def series_of(texts: Sequence[str]) -> Index:
    """Returns a number for each text; short texts that are equal but for words with digits have the same one.

    >>> series_of(["cup 1990", "cup 1994", "1998 cup", "cup"]).tolist()
    [0, 0, 2, 3]
    """
    first: dict[tuple[str, ...], int] = {}
    numbers = [*range(len(texts))]
    for i, text in enumerate(texts):
        words = text.split(" ", MAX_NUMBERED_WORDS)
        if len(words) <= MAX_NUMBERED_WORDS:
            template = tuple("0" if any(map(str.isdigit, word)) else word for word in words)
            numbers[i] = first.setdefault(template, i)
    return np.array(numbers, np.int64)
