"""Groups, against brute force."""

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
