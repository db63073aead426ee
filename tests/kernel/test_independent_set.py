"""Which documents of pairs are kept, and which may go: both kernels, against sets of all pairs."""

from types import ModuleType

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shingletools.kernel import compiled_arrays, independent_set
from shingletools.kernel.independent_set import GONE, OPEN, STAYS, PairEnds, Partners

DOCUMENTS = 12
EITHER = 3  # of the two documents may go: 1, the first, or 2, the second
Edge = tuple[int, int, float, int]
edges = st.lists(
    st.tuples(
        st.integers(0, DOCUMENTS - 1),
        st.integers(0, DOCUMENTS - 1),
        st.sampled_from((0.5, 0.75, 1.0)),
        st.integers(0, 3),
    ),
    max_size=60,
).map(lambda found: [edge for edge in found if edge[0] != edge[1]])


def listed(kernel: ModuleType, some: list[Edge], documents: int) -> PairEnds:
    ends = np.array([end for a, b, *_ in some for end in (a, b)], np.int32)
    before, last = np.empty(len(ends), np.int32), np.full(documents, -1, np.int32)
    kernel.list_ends(ends, before, last)
    similarity, may_go = np.array([edge[2] for edge in some]), np.array([edge[3] for edge in some], np.uint8)
    return PairEnds(ends, before, last, similarity, may_go)


def fresh(documents: int) -> Partners:
    return Partners(np.full(documents, -1, np.int32), np.zeros(documents))


def may_go(edge: Edge) -> set[tuple[int, int]]:
    """Each document that may go, with the one for which it may."""
    a, b, _, sides = edge
    return {*[(a, b)] * (sides & 1), *[(b, a)] * (sides >> 1)}


def greedy(some: list[Edge], order: list[int]) -> dict[int, tuple[int, float]]:
    """The partner of each document that is not kept, and the similarity: by looking at all pairs for each."""
    kept: list[int] = []
    for document in order:
        if not any((document, other) in may_go(edge) for edge in some for other in kept):
            kept.append(document)
    found = {}
    for document in range(DOCUMENTS):
        mine = [
            (-similarity, kept.index(other), other)
            for edge in some
            for similarity in edge[2:3]
            for one, other in may_go(edge)
            if one == document and other in kept
        ]
        if mine:
            similarity, _, other = min(mine)
            found[document] = other, -similarity
    return found


@given(edges, st.permutations(range(DOCUMENTS)), st.integers(0, DOCUMENTS), st.integers(0, DOCUMENTS))
def test_thin(some: list[Edge], order: list[int], cut: int, missing: int) -> None:
    """In two calls, without documents that are not there; doubled pairs count by the highest similarity."""
    there = order[missing // 2 :]
    for kernel in (compiled_arrays, independent_set):
        pairs, kept = listed(kernel, some, DOCUMENTS), fresh(DOCUMENTS)
        for part in (there[:cut], there[cut:]):
            kernel.greedy_independent_set(np.array(part, np.int64), pairs, kept)
        found = {n: (partner, kept.similarity[n]) for n, partner in enumerate(kept.partner.tolist()) if partner >= 0}
        assert found == greedy(some, there)


@pytest.mark.parametrize("centre", [0, 50_000])
def test_a_hub(centre: int) -> None:
    """A star of 100,000: its centre is kept alone if it comes first, and goes if any other does."""
    count = 100_000
    others = [number for number in range(count) if number != centre]
    pairs, kept = listed(compiled_arrays, [(centre, other, 0.9, EITHER) for other in others], count), fresh(count)
    compiled_arrays.greedy_independent_set(np.arange(count), pairs, kept)
    assert np.flatnonzero(kept.partner < 0).tolist() == ([centre] if not centre else others)
    assert kept.partner[centre] == (-1 if not centre else 0)


def test_a_long_path_and_a_clique() -> None:
    path = [(number, number + 1, 0.5, EITHER) for number in range(9999)]
    pairs, kept = listed(compiled_arrays, path, 10_000), fresh(10_000)
    compiled_arrays.greedy_independent_set(np.arange(10_000), pairs, kept)
    assert np.flatnonzero(kept.partner < 0).tolist() == list(range(0, 10_000, 2))
    clique = [(a, b, 0.5, EITHER) for b in range(60) for a in range(b)]
    pairs, kept = listed(compiled_arrays, clique, 60), fresh(60)
    compiled_arrays.greedy_independent_set(np.arange(60)[::-1], pairs, kept)
    assert kept.partner.tolist() == [59] * 59 + [-1]


@given(
    edges,
    st.permutations(range(DOCUMENTS)),
    st.integers(0, DOCUMENTS),
    st.lists(st.sampled_from([OPEN, OPEN, STAYS, GONE]), min_size=DOCUMENTS, max_size=DOCUMENTS),
)
def test_decide(some: list[Edge], order: list[int], count: int, known: list[int]) -> None:
    """Rule by rule, until none applies; where nothing is known of some documents, too."""
    covers = {
        document: {other for edge in some for one, other in may_go(edge) if one == document} for document in order
    }
    there, fate = order[:count], dict(enumerate(known))
    while True:
        undecided = [document for document in order if fate[document] == OPEN]
        fates = {document: {fate[other] for other in covers[document]} for document in undecided}
        goes = [document for document in undecided if STAYS in fates[document]]
        free = [
            document for document in undecided if fates[document] <= {GONE} and (covers[document] or document in there)
        ]
        stuck = [document for document in there if document in undecided][: not goes and not free]
        if not goes and not free and not stuck:
            break
        fate |= dict.fromkeys(goes, GONE) | dict.fromkeys(free + stuck, STAYS)
    for kernel in (compiled_arrays, independent_set):
        state = np.array(known, np.uint8)
        kernel.decide_by_cover(np.array(there, np.int64), listed(kernel, some, DOCUMENTS), state)
        assert dict(enumerate(state.tolist())) == fate


def test_decide_a_long_circle() -> None:
    """One goes for the other around: the first of the order stays, and every second one from there."""
    circle = [(number, (number + 1) % 100_000, 0.5, 2) for number in range(100_000)]
    state = np.full(100_000, OPEN, np.uint8)
    compiled_arrays.decide_by_cover(np.roll(np.arange(100_000), 7), listed(compiled_arrays, circle, 100_000), state)
    assert np.array_equal(state, np.arange(100_000) % 2 == (100_000 - 7) % 2)


@given(edges, st.integers(0, 60))
def test_thin_pairs(some: list[Edge], cut: int) -> None:
    """In two calls, with documents in the order of their numbers; of partners that are kept, the first one counts."""
    alike = [(a, b, 1.0, EITHER) for a, b, *_ in some]
    keys = np.array(sorted(min(a, b) << 32 | max(a, b) for a, b, *_ in alike), np.uint64)
    expected = {document: other for document, (other, _) in greedy(alike, list(range(DOCUMENTS))).items()}
    for kernel in (compiled_arrays, independent_set):
        partner = fresh(DOCUMENTS).partner
        for part in (keys[:cut], keys[cut:]):
            kernel.greedy_independent_set_of_pairs(part, partner)
        assert {n: other for n, other in enumerate(partner.tolist()) if other >= 0} == expected


@pytest.mark.parametrize("kernel", [compiled_arrays, independent_set])
def test_what_are_no_documents(kernel: ModuleType) -> None:
    two = np.full(2, -1, np.int32)
    for end in (-1, 2):
        with pytest.raises(ValueError, match="no pairs of these documents"):
            kernel.list_ends(np.array([0, end], np.int32), np.empty(2, np.int32), two)
        with pytest.raises(ValueError, match="no pairs of these documents"):
            kernel.greedy_independent_set(np.array([0, end]), listed(kernel, [(0, 1, 1.0, EITHER)], 2), fresh(2))
        with pytest.raises(ValueError, match="no pairs of these documents"):
            kernel.decide_by_cover(
                np.array([0, end]), listed(kernel, [(0, 1, 1.0, EITHER)], 2), np.full(2, OPEN, np.uint8)
            )
    for pair in (1 << 32, 1 << 32 | 1, 2):
        with pytest.raises(ValueError, match="no pairs of these documents"):
            kernel.greedy_independent_set_of_pairs(np.array([pair], np.uint64), two)
    with pytest.raises(ValueError, match="no pairs of these documents"):
        kernel.list_ends(np.array([0, 1], np.int32), np.empty(1, np.int32), two)


def test_arrays_that_are_no_pairs_are_not_followed() -> None:
    """No place is read twice, and none outside the arrays."""
    good = listed(compiled_arrays, [(0, 1, 1.0, EITHER), (0, 2, 1.0, EITHER)], 3)
    for wrong in (
        good._replace(before=np.array([0, 0, 0, 0], np.int32)),
        good._replace(last=np.array([4, 4, 4], np.int32)),
        good._replace(ends=np.array([0, 3, 0, -1], np.int32)),
        good._replace(ends=good.ends[:3]),
        good._replace(similarity=good.similarity[:1]),
        good._replace(last=good.last[:2]),
        good._replace(may_go=good.may_go[:1]),
    ):
        with pytest.raises(ValueError, match="no pairs of these documents"):
            compiled_arrays.greedy_independent_set(np.arange(3), wrong, fresh(3))
        with pytest.raises(ValueError, match="no pairs of these documents"):
            compiled_arrays.decide_by_cover(np.arange(3), wrong, np.array([STAYS, OPEN, OPEN], np.uint8))
