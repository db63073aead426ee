"""Groups, and documents that go, against brute force."""

import random
from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from shingletools.commands.simshow.report.pair_graph import PairGraph

Edge = tuple[int, int, int]  # two documents, and which of them may go: the bits of PairEnds.may_go
edges = st.lists(
    st.tuples(st.integers(0, 9), st.integers(0, 9), st.integers(0, 3)).filter(lambda edge: edge[0] != edge[1]),
    max_size=25,
)


def graph_of(pairs: list[Edge]) -> PairGraph:
    graph = PairGraph()
    for pair in pairs:
        graph.add(*pair)
    return graph


def components(documents: set[int], pairs: list[Edge]) -> set[frozenset[int]]:
    """Sets that are merged as long as a pair connects two of them."""
    found = {frozenset([document]) for document in documents}
    for a, b, _ in pairs:
        one, other = (next(each for each in found if document in each) for document in (a, b))
        found = (found - {one, other}) | {one | other}
    return found


@given(edges)
def test_groups(pairs: list[Edge]) -> None:
    pairs_that_remove = [pair for pair in pairs if pair[2]]
    documents = {document for a, b, _ in pairs_that_remove for document in (a, b)}
    groups = list(graph_of(pairs).groups(10))
    assert {frozenset(members) for members in groups} == components(documents, pairs_that_remove)
    assert groups == sorted(map(sorted, groups))


@given(st.lists(st.integers(0, 5), min_size=1, max_size=9), st.sets(st.integers(0, 14)), st.randoms())
def test_copies_go_as_all_their_pairs_would_have_it(classes: list[int], near: set[int], chosen: random.Random) -> None:
    """The pairs of copies are there once, as of `simjoin --copies once`; documents of a class are copies."""
    alike = {pair for number, pair in enumerate(combinations(range(6), 2)) if number in near}
    copies = {document: classes.index(each) for document, each in enumerate(classes) if classes.index(each) < document}
    graph = PairGraph()
    for a, b in combinations(range(len(classes)), 2):
        if copies.get(b) == a or (not {a, b} & copies.keys() and tuple(sorted((classes[a], classes[b]))) in alike):
            graph.add(a, b)
    order = list(range(len(classes)))
    chosen.shuffle(order)
    kept: list[int] = []
    for document in order:
        pairs = {tuple(sorted((classes[document], classes[other]))) for other in kept}
        if not any(one == other or (one, other) in alike for one, other in pairs):
            kept.append(document)
    assert graph.thinned(order, copies) == sorted({*order} - {*kept})
