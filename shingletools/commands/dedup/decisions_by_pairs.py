"""Decides by pairs: no two kept documents are a pair, and each removed one has a pair with a kept one."""

import math
from array import array
from fractions import Fraction

import numpy as np
import orjson

from shingletools.commands.dedup.documents import DocumentArrays
from shingletools.commands.dedup.pair_input import NO_SIMILARITY, PairColumns, PairInput
from shingletools.commands.dedup.side_input import LineFailed
from shingletools.kernel import arrays as kernel
from shingletools.kernel.ids import Ids, split_ids
from shingletools.kernel.independent_set import FIRST_MAY, MAX_PAIRS, SECOND_MAY, PairEnds, Partners
from shingletools.kernel.types import F64, I32, Flags, Index
from shingletools.numbers.covered_documents import staying
from shingletools.record.wire import COPY_TWICE, TWO_SIDES
from shingletools.system.errors import Failed, with_itself

BATCH_PAIRS = 1 << 20  # pairs that `figures` looks at together


class SimilarPairs(PairInput):
    """The pairs of the input that are similar enough. Their ids get the first numbers.

    Raises Failed for a pair of two sides, for a pair of a document and itself, and for a pair without a similarity if
    there is a threshold. Memory: 17 bytes a pair.
    """

    def __init__(self, ids: Ids, least: Fraction | None) -> None:
        super().__init__()
        self.ids = ids
        self.least = None if least is None else least_double(least)
        self.ends, self.similarity, self.may_go = array("i"), array("d"), array("B")
        self.copies = array("i")  # pairs of an original and a copy of it

    def add_pairs(self, pairs: PairColumns, /) -> None:
        a, b, similarity, against, copied, may_go = pairs
        one, two = (np.frombuffer(self.ids.number(ids.data, ids.sizes), np.int64) for ids in (a, b))
        itself = one == two
        missing = similarity == NO_SIMILARITY if self.least is not None else np.zeros(len(one), np.bool_)
        differs = copied & (similarity != 1) & (similarity != NO_SIMILARITY)
        if (wrong := against | itself | missing | differs).any():
            place = int(np.argmax(wrong))
            if against[place]:
                why = TWO_SIDES
            elif itself[place]:
                why = with_itself(orjson.loads([*split_ids(a.data, a.sizes)][place]))
            else:
                why = 'field "similarity" is missing' if missing[place] else "a copy whose similarity is not 1"
            raise LineFailed(why, place)
        enough = np.ones(len(one), np.bool_) if self.least is None else similarity >= self.least
        ends = np.stack([one, two], axis=1).astype(np.int32)
        self.copies.frombytes(ends[enough & copied].tobytes())
        others = enough & ~copied
        self.ends.frombytes(ends[others].tobytes())
        self.similarity.frombytes(similarity[others].tobytes())
        self.may_go.frombytes(may_go[others].tobytes())
        if len(self.similarity) > MAX_PAIRS:
            raise Failed(f"--pairs: more than {MAX_PAIRS} pairs")


def least_double(least: Fraction) -> float:
    """Returns the least double whose printed decimal is at least the threshold.

    >>> least_double(Fraction("0.3")), least_double(Fraction(6, 7)), 6 / 7
    (0.3, 0.8571428571428572, 0.8571428571428571)
    """
    near = float(least)
    around = math.nextafter(near, 0), near, math.nextafter(near, 2)
    return next(each for each in around if Fraction(repr(each)) >= least)


def originals(documents: int, copies: I32, others: I32) -> I32:
    """Returns for each document its original, or itself. Raises Failed if a copy is in another pair.

    copies: pairs of an original and a copy, shape (pairs, 2). others: the documents of other pairs.
    """
    original, copied = np.arange(documents, dtype=np.int32), np.zeros(documents, np.bool_)
    original[copies[:, 1]] = copies[:, 0]
    copied[copies[:, 1]] = True
    if copied[copies[:, 0]].any() or np.count_nonzero(copied) < len(copies) or copied[others].any():
        raise Failed(COPY_TWICE)
    return original


class ByPairs:
    """Keeps each document that may go for none that is kept already; if documents may go one-sidedly, see `staying`.

    Takes documents, which are the numbers of their ids, in the order in which they are preferred. Whether one is kept
    is decided when it is taken. Which one is kept in its place may change until the end.

    A copy has the pairs of its original, and one with it. So only originals are decided on. The first of an original
    and its copies stands for it.
    """

    option = "--pairs"

    def __init__(self, similar: SimilarPairs) -> None:
        self.different, documents = similar.different, len(similar.ids)
        self.named = documents  # ids in the pairs, which are the first ids
        ends, similarity = np.frombuffer(similar.ends, np.int32), np.frombuffer(similar.similarity)
        may_go = np.frombuffer(similar.may_go, np.uint8)
        # Whether all documents must be taken at once
        self.waits = bool(np.isin(may_go, (FIRST_MAY, SECOND_MAY)).any())
        self.has_copies = len(similar.copies) > 0
        self.original: I32 = np.arange(documents, dtype=np.int32)  # of each document
        self.first = self.original  # for each original, the document that is taken first: itself, or a copy
        if self.has_copies:
            self.original = originals(documents, np.frombuffer(similar.copies, np.int32).reshape(-1, 2), ends)
            self.first = np.full(documents, -1, np.int32)
        before, last = np.empty_like(ends), np.full(documents, -1, np.int32)
        kernel.list_ends(ends, before, last)
        self.pairs = PairEnds(ends, before, last, similarity, may_go)
        self.kept = Partners(np.full(documents, -1, np.int32), np.full(documents, NO_SIMILARITY))

    def concerns(self, documents: Index) -> Flags:
        """Returns which documents this decides on; all others are kept."""
        return documents < self.named

    def learn(self, documents: DocumentArrays) -> None:
        """Learns what documents say before any is taken: nothing, since only groups have sizes."""

    def take(self, documents: Index) -> None:
        """Takes documents that this decides on, each once."""
        if self.has_copies:
            original, place = np.unique(self.original[documents], return_index=True)
            firsts = documents[np.sort(place[self.first[original] < 0])]  # in their order
            documents = self.original[firsts].astype(np.int64)
            self.first[documents] = firsts
        pairs = self.pairs
        if self.waits:
            documents = staying(documents, pairs)
            stays = np.zeros(self.named, np.uint8)
            stays[documents] = FIRST_MAY
            one, two = stays[pairs.ends.reshape(-1, 2)].T
            pairs = pairs._replace(may_go=pairs.may_go & ~(one | two << 1))
        kernel.greedy_independent_set(documents, pairs, self.kept)

    def decided(self, documents: Index) -> tuple[Flags, Index]:
        """Returns which of the documents that this decides on are removed, and which one is kept in their place."""
        original = self.original[documents]
        partner = self.kept.partner[original]
        kept = self.first[np.where(partner < 0, original, partner)].astype(np.int64)
        return kept != documents, kept

    def similarity(self, documents: Index) -> F64:
        """Returns the similarity of each document to the one kept in its place; NO_SIMILARITY if it is unknown."""
        original = self.original[documents]
        is_copy = (self.kept.partner[original] < 0) & (self.first[original] != documents)
        return np.where(is_copy, 1, self.kept.similarity[original])

    def pairs_here(self, seen: Flags) -> tuple[int, int]:
        """Returns how many pairs have one document of the input, and how many two."""
        ends = self.pairs.ends.reshape(-1, 2)
        seen_copies = np.zeros(self.named, np.bool_)
        seen_copies[self.original[seen[: self.named]]] = True
        counts = np.zeros(3, np.int64)
        for start in range(0, len(ends), BATCH_PAIRS):
            counts += np.bincount(seen_copies[ends[start : start + BATCH_PAIRS]].sum(axis=1), minlength=3)
        return int(counts[1]), int(counts[2])

    def remarks(self, seen: Flags) -> list[str]:
        """Returns remarks about documents. seen: for each id, whether the input has it."""
        halves, wholes = self.pairs_here(seen)
        if halves <= wholes:
            return []
        return [
            f"--pairs: {halves} pairs have one document in the input, and {wholes} have both: the pairs cover "
            "files that are not given, and a document stays if all that it resembles is there; name these, too"
        ]

    def doubtful(self, there: Flags) -> int:
        """Returns how many pairs of which neither may go have two documents that stay, unless they differ."""
        stay = np.zeros(self.named, np.bool_)
        stay[self.original[there[: self.named]]] = True
        stay &= self.kept.partner < 0
        ends = self.pairs.ends.reshape(-1, 2)[self.pairs.may_go == 0]
        return int(np.count_nonzero(stay[ends].all(axis=1)))

    def figures(self, there: Flags, seen: Flags) -> list[str]:
        """Returns figures for -v. For each id: whether the input alone has it; whether the input has it."""
        others = len(self.pairs.ends) // 2 - self.pairs_here(seen)[1]
        similarity = self.similarity(np.flatnonzero(there[: self.named]))
        similarity = similarity[similarity > NO_SIMILARITY]
        figures = (("lowest similarity", np.min), ("median", np.median)) if len(similarity) else ()
        figure_texts = [f"{name} {round(float(of(similarity)), 6)}" for name, of in figures]
        doubtful = self.doubtful(there)
        doubts = [f"{doubtful} doubtful pair{'s' * (doubtful != 1)}"] if doubtful else []
        return [*figure_texts, f"{others} pairs of other documents", *doubts]
