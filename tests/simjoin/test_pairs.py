"""The pairs of any join against brute force, from memory and from disk, however cut up, with either kernel."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shingletools.commands.simjoin.join_options import JoinOptions, Scope
from shingletools.kernel import arrays, reference_arrays
from simjoin.all_pairs import FIELDS, ON_DISK, RATIOS, VALUES, Document, Labels, brute_force, check_all, joined, lines

SCOPES = [
    Scope(),
    Scope(),
    Scope(within=("site",)),
    Scope(across=("site",)),
    Scope(("meta.lang",), ("site",)),
    Scope(FIELDS),
    Scope(across=FIELDS),
]
NUMPY = ("overlaps", "rarest", "set_keys", "count_tokens", "shared_counts", "agreements", "band_keys", "parities")


@st.composite
def documents(draw: st.DrawFn) -> tuple[list[Document], list[Labels]]:
    """Few different values and texts, so that there are copies, ties and equal labels."""
    some: st.SearchStrategy[Document] = st.sets(st.integers(0, draw(st.sampled_from([5, 12]))), max_size=9)
    if draw(st.booleans()):
        size = draw(st.integers(1, 8))
        some = st.lists(st.integers(0, draw(st.integers(1, 3))), min_size=size, max_size=size)
    several = st.lists(some, min_size=1, max_size=20)
    if draw(st.booleans()):
        several = st.lists(st.sampled_from(draw(st.lists(some, min_size=1, max_size=6))), min_size=1, max_size=14)
    values = draw(st.lists(st.sampled_from(VALUES), min_size=1, max_size=4))
    made = draw(several)
    return made, [{field: draw(st.sampled_from(values)) for field in FIELDS} for _ in made]


@st.composite
def options(draw: st.DrawFn, some: Document) -> JoinOptions:
    sets = isinstance(some, set)
    least = draw(st.none() | st.integers(1, 10 if sets else len(some)))
    threshold = None if least else draw(st.fractions(Fraction(1, 20), 1, max_denominator=20))
    made = JoinOptions(threshold, least, measure=draw(st.sampled_from([*RATIOS])) if sets else "jaccard")
    made = made._replace(scope=draw(st.sampled_from(SCOPES)))
    once = draw(st.booleans()) and not made.scope.across
    return draw(st.sampled_from([made, made._replace(best=draw(st.integers(1, 3))), made._replace(copies_once=once)]))


@settings(max_examples=250)
@given(documents(), st.none() | st.integers(0, 14), st.integers(0, 5), st.data())
def test_against_brute_force(
    given_documents: tuple[list[Document], list[Labels]], side: int | None, block: int, data: st.DataObject
) -> None:
    every, labels = given_documents
    wanted = data.draw(options(every[0]))
    side = None if wanted.copies_once else side
    expected = brute_force(every, wanted, side, labels)
    records = lines(every, labels)
    check_all(records, wanted, expected, side)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reference_arrays, "BLOCK_NUMBERS", block + 1)
        for name in NUMPY:
            patch.setattr(arrays, name, getattr(reference_arrays, name))
        assert joined(records, wanted, side, data.draw(st.sampled_from([None, ON_DISK]))) == expected
