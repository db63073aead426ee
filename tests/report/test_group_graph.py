"""Density, weakest link and steps of groups against brute force."""

import random
from collections.abc import Iterable
from fractions import Fraction
from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from connected import connected
from shingletools.commands.simshow.report.group_graph import Graph, Steps

Edge = tuple[int, int, float]
edges = st.lists(
    st.tuples(st.integers(0, 9), st.integers(0, 9), st.sampled_from([0.2, 0.5, 0.5, 0.7, 0.9, 1.0])).filter(
        lambda edge: edge[0] != edge[1]
    ),
    max_size=25,
)


def graph_of(pairs: list[Edge]) -> Graph:
    graph = Graph()
    for pair in pairs:
        graph.add(*pair)
    return graph


def components(pairs: list[Edge], documents: Iterable[int] = ()) -> set[frozenset[int]]:
    return {*map(frozenset, connected([pair[:2] for pair in pairs], documents).values())}


def distances(first: int, pairs: list[Edge]) -> dict[int, int]:
    """By relaxing all pairs until nothing changes."""
    found = {first: 0}
    for _ in pairs:
        for one, other, _ in [*pairs, *((b, a, similarity) for a, b, similarity in pairs)]:
            if one in found:
                found[other] = min(found.get(other, 99), found[one] + 1)
    return found


@given(edges)
def test_groups(pairs: list[Edge]) -> None:
    groups = list(graph_of(pairs).groups(10))
    assert {frozenset(ties.members) for ties in groups} == components(pairs)
    assert [ties.members for ties in groups] == sorted(sorted(ties.members) for ties in groups)


@given(edges)
def test_density(pairs: list[Edge]) -> None:
    """A pair counts once, however often it came and in whichever order."""
    for ties in graph_of(pairs).groups(10):
        possible = list(combinations(ties.members, 2))
        there = sum(any({a, b} == {*pair[:2]} for pair in pairs) for a, b in possible)
        assert ties.density == Fraction(there, len(possible))


@given(edges)
def test_the_weakest_link(pairs: list[Edge]) -> None:
    """The group holds with the pairs from its similarity on, and does not with those above."""
    for ties in graph_of(pairs).groups(10):
        assert ties.weakest in pairs
        members = set(ties.members)
        within = [pair for pair in pairs if pair[0] in members]
        value = ties.weakest.similarity
        assert len(components([pair for pair in within if pair[2] >= value], members)) == 1
        assert len(components([pair for pair in within if pair[2] > value], members)) > 1


@given(edges)
def test_steps(pairs: list[Edge]) -> None:
    graph = graph_of(pairs)
    steps = Steps(graph, 10)
    for ties in graph.groups(10):
        found = steps.from_first(ties.members)
        far = distances(ties.members[0], pairs)
        assert {document: count for document, (count, _) in found.items()} == far
        for document, (count, before) in found.items():
            assert far[before] == max(count - 1, 0)
            assert count == 0 or any({document, before} == {*pair[:2]} for pair in pairs)


def test_a_long_chain() -> None:
    graph = graph_of([(at, at + 1, 0.5) for at in range(50_000)])
    (ties,) = graph.groups(50_001)
    assert ties.density == Fraction(2, 50_001)
    assert Steps(graph, 50_001).from_first(ties.members)[50_000] == (50_000, 49_999)


@given(st.lists(st.integers(0, 5), min_size=1, max_size=9), st.sets(st.integers(0, 14)), st.randoms())
def test_copies_go_as_all_their_pairs_would_have_it(classes: list[int], near: set[int], chosen: random.Random) -> None:
    """The pairs of copies are there once, as of `simjoin --copies once`; documents of a class are copies."""
    alike = {pair for number, pair in enumerate(combinations(range(6), 2)) if number in near}
    copies = {document: classes.index(each) for document, each in enumerate(classes) if classes.index(each) < document}
    graph = Graph()
    for a, b in combinations(range(len(classes)), 2):
        if copies.get(b) == a or (not {a, b} & copies.keys() and tuple(sorted((classes[a], classes[b]))) in alike):
            graph.add(a, b, 0.9)
    order = list(range(len(classes)))
    chosen.shuffle(order)
    kept: list[int] = []
    for document in order:
        pairs = {tuple(sorted((classes[document], classes[other]))) for other in kept}
        if not any(one == other or (one, other) in alike for one, other in pairs):
            kept.append(document)
    assert graph.thinned(order, copies) == sorted({*order} - {*kept})
