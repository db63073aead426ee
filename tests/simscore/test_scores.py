"""simscore: scores against brute force over all pairs, and against scikit-learn; the laws that they keep."""

import json
import random
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agreement import stage_of
from connected import connected
from harness import Record, collect, finished, jsonl
from shingletools.commands.simscore.scoring import compare_groups

Name = int | str
Link = tuple[Name, Name]
NAMES: tuple[Name, ...] = (1, "1", 2, "2", "x", "y", 7, 8, "é", "")
links = st.lists(
    st.tuples(st.sampled_from(NAMES), st.sampled_from(NAMES)).filter(lambda two: key(*two) != key(*two[::-1]))
)
partitions = st.lists(st.integers(0, 4), min_size=len(NAMES), max_size=len(NAMES))
SIMILARITIES = (0.5, 0.7, 0.799999, 0.8, 0.8000001, 0.85, 0.9, 0.95, 1.0, 0.857142857142857)
FRACTIONS = [Fraction("0.7"), Fraction("0.8"), Fraction("0.9")]


def key(a: Name, b: Name) -> tuple[str, str]:
    return json.dumps(a), json.dumps(b)


def scored(options: str, found: bytes, truth: bytes, docs: bytes = b"") -> list[Record]:
    """What is written of good records."""
    stage = stage_of(f"simscore --truth t {options}")
    collector = stage.collector()
    for side, data in enumerate((found, docs, truth)):
        assert collect(collector, data, side, str(side)).rejects == []
    return [*map(json.loads, finished(collector).splitlines())]


def pairs_of(made: list[Link]) -> bytes:
    return jsonl(*({"a": a, "b": b} for a, b in made))


def groups_of(partition: list[int]) -> list[list[Name]]:
    """The groups of two or more of NAMES; those of one are written, too, if their number is odd."""
    made: dict[int, list[Name]] = {}
    for name, group in zip(NAMES, partition, strict=True):
        made.setdefault(group, []).append(name)
    return [members for group, members in made.items() if len(members) > 1 or group % 2]


def within(groups: list[list[Name]]) -> set[frozenset[str]]:
    return {frozenset(key(a, b)) for members in groups for a, b in combinations(members, 2)}


def edges(made: list[Link]) -> set[frozenset[str]]:
    return {frozenset(key(a, b)) for a, b in made}


def share(part: int, whole: int) -> Fraction | None:
    return Fraction(part, whole) if whole else None


def six(value: Fraction | None) -> float | None:
    return None if value is None else float(round(value, 6))


def brute(found: set[frozenset[str]], truth: set[frozenset[str]], documents: list[str]) -> Record:
    """Two loops over all documents, and sets."""
    found_of, truth_of = connected(found, documents), connected(truth, documents)
    together = [0, 0, 0]  # in both, in what was found, in the truth
    for number, one in enumerate(documents):
        for two in documents[:number]:
            in_found, in_truth = two in found_of[one], two in truth_of[one]
            together = [n + flag for n, flag in zip(together, (in_found and in_truth, in_found, in_truth), strict=True)]
    every = Fraction(len(documents) * (len(documents) - 1), 2)
    expected = together[1] * together[2] / every if every else Fraction(0)
    below = Fraction(together[1] + together[2], 2) - expected
    precision = [Fraction(len(found_of[one] & truth_of[one]), len(found_of[one])) for one in documents]
    recall = [Fraction(len(found_of[one] & truth_of[one]), len(truth_of[one])) for one in documents]
    b3 = [sum(each, Fraction(0)) / len(documents) if documents else None for each in (precision, recall)]
    right = len([pair for pair in found if pair in truth])
    return {
        "found": len(found),
        "right": right,
        "truth": len(truth),
        "precision": six(share(right, len(found))),
        "recall": six(share(right, len(truth))),
        "f1": six(share(2 * right, len(found) + len(truth))),
        "ari": six((together[0] - expected) / below if below else None),
        "b3_precision": six(b3[0]),
        "b3_recall": six(b3[1]),
        "b3_f1": six(None if b3[0] is None or b3[1] is None else 2 * b3[0] * b3[1] / (b3[0] + b3[1])),
    }


def figures(record: Record) -> Record:
    return {name: value for name, value in record.items() if name not in ("scope", "least", "documents", "outside")}


def documents_in(*pairs: set[frozenset[str]]) -> list[str]:
    return sorted({document for each in pairs for pair in each for document in pair})


@given(links, links)
def test_pairs_against_pairs(found: list[Link], truth: list[Link]) -> None:
    (record,) = scored("", pairs_of(found), pairs_of(truth))
    documents = documents_in(edges(found), edges(truth))
    assert (record["scope"], record["documents"], record["outside"]) == ("all", len(documents), 0)
    assert figures(record) == brute(edges(found), edges(truth), documents)


@given(links, partitions)
def test_pairs_and_groups_against_labels(found: list[Link], partition: list[int]) -> None:
    """The documents are those that have a label, which are all; to tell the labels as groups changes nothing."""
    names = [json.dumps(name) for name in NAMES]
    labels = jsonl(*({"id": name, "x": {"label": f"é{label}"}} for name, label in zip(NAMES, partition, strict=True)))
    truth = within(groups_of(partition))
    (record,) = scored("--field x.label", pairs_of(found), labels)
    assert record["documents"] == len(NAMES)
    assert figures(record) == brute(edges(found), truth, names)
    as_groups = jsonl(*({"members": members} for members in groups_of(partition)))
    docs = jsonl(*({"id": name} for name in NAMES))
    assert scored("--docs d", pairs_of(found), as_groups, docs) == [record]


@given(partitions, partitions, st.lists(st.sampled_from(NAMES)))
def test_groups_against_groups(found: list[int], truth: list[int], there: list[Name]) -> None:
    """Of the documents that there are; what was found of others does not count, and is counted."""
    one, two = groups_of(found), [[name for name in group if name in there] for group in groups_of(truth)]
    two = [[name for name in group if key(name, 0) in {key(each, 0) for each in there}] for group in two]
    docs = jsonl(*({"id": name} for name in [*there, "alone"]))
    (record,) = scored(
        "--docs d",
        jsonl(*({"group": 0, "members": each} for each in one)),
        jsonl(*({"members": each} for each in two)),
        docs,
    )
    known = {json.dumps(name) for name in there} | {'"alone"'}
    assert record["outside"] == len([name for group in one for name in group if json.dumps(name) not in known])
    pairs = {pair for pair in within(one) if pair <= known}
    assert figures(record) == brute(pairs, within(two), sorted(known))


@given(links, partitions, links)
def test_pairs_and_groups_in_files_of_their_own_add_up(
    found: list[Link], partition: list[int], more: list[Link]
) -> None:
    """On both sides: a pair within a group is there once."""
    one, two = groups_of(partition), groups_of(partition[::-1])
    stage = stage_of("simscore --truth t")
    collector = stage.collector()
    for side, file, data in (
        (0, "p", pairs_of(found)),
        (0, "g", jsonl(*({"members": each} for each in one))),
        (2, "p", pairs_of(more)),
        (2, "g", jsonl(*({"members": each} for each in two))),
    ):
        collect(collector, data, side, file)
    record = json.loads(finished(collector))
    every, true = edges(found) | within(one), edges(more) | within(two)
    alone = [json.dumps(group[0]) for group in (*one, *two) if len(group) == 1]
    documents = sorted({*documents_in(every, true), *alone})
    assert figures(record) == brute(every, true, documents)


said = st.lists(
    st.tuples(st.sampled_from(NAMES), st.sampled_from(NAMES), st.sampled_from(SIMILARITIES)).filter(
        lambda pair: key(*pair[:2]) != key(*pair[1::-1])
    )
)


def best(made: list[tuple[Name, Name, float]]) -> dict[frozenset[str], Fraction]:
    """The highest similarity of each pair, as it is written."""
    highest: dict[frozenset[str], Fraction] = {}
    for a, b, similarity in made:
        pair, value = frozenset(key(a, b)), Fraction(repr(similarity))
        highest[pair] = max(value, highest.get(pair, value))
    return highest


@given(said, said, st.booleans())
def test_bands_and_thresholds(
    found: list[tuple[Name, Name, float]], truth: list[tuple[Name, Name, float]], known: bool
) -> None:
    lines = [jsonl(*({"a": a, "b": b, "similarity": value} for a, b, value in made)) for made in (found, truth)]
    if not known:
        lines[1] = pairs_of([pair[:2] for pair in truth])
    records = scored("--bands 0.7,0.8,9/10", *lines)
    one, two = best(found), best(truth)
    documents = documents_in(set(one), set(two))
    assert [record["scope"] for record in records] == ["band"] * 3 + ["threshold"] * 3 + ["all"]
    for record, least, below in zip(records, FRACTIONS, (*FRACTIONS[1:], Fraction(2)), strict=False):
        in_band = {pair for pair, value in one.items() if least <= value < below}
        true_in_band = {pair for pair, value in two.items() if least <= value < below} if known else set()
        assert record == {
            "scope": "band",
            "least": float(least),
            "below": None if below == 2 else float(below),
            "found": len(in_band),
            "right": len(in_band & set(two)),
            "precision": six(share(len(in_band & set(two)), len(in_band))),
            "truth": len(true_in_band),
            "recalled": len(true_in_band & set(one)),
            "recall": six(share(len(true_in_band & set(one)), len(true_in_band))),
        }
    for record, least in zip(records[3:], [*FRACTIONS, Fraction(0)], strict=True):
        assert figures(record) == brute({pair for pair, value in one.items() if value >= least}, set(two), documents)


@given(said, partitions)
def test_bands_against_groups(found: list[tuple[Name, Name, float]], partition: list[int]) -> None:
    """Right is what stands within one of the groups, whose pairs have no similarity."""
    groups = groups_of(partition)
    lines = jsonl(*({"a": a, "b": b, "similarity": value} for a, b, value in found))
    records = scored("--bands 0.7,0.8,9/10", lines, jsonl(*({"members": members} for members in groups)))
    true = within(groups)
    for record, least, below in zip(records, FRACTIONS, (*FRACTIONS[1:], Fraction(2)), strict=False):
        in_band = {pair for pair, value in best(found).items() if least <= value < below}
        assert (record["found"], record["right"], record["truth"]) == (len(in_band), len(in_band & true), 0)


def test_equal_bands_begin_where_a_pair_does() -> None:
    """Of --by, bands below all similarities are left out; 1 is in the last band."""
    found = jsonl({"a": 1, "b": 2, "similarity": 0.6}, {"a": 1, "b": 3, "similarity": 1})
    records = scored("--by 0.3", found, pairs_of([(1, 2)]))
    assert [(each["least"], each["below"], each["found"]) for each in records if each["scope"] == "band"] == [
        (0.6, 0.9, 1),
        (0.9, None, 1),
    ]
    assert [(each["least"], each["found"]) for each in records if each["scope"] == "threshold"] == [(0.6, 2), (0.9, 1)]
    assert [each["least"] for each in scored("--by 0.3", b"", pairs_of([(1, 2)]))[:4]] == [0.0, 0.3, 0.6, 0.9]


@given(st.integers(0, 30).flatmap(lambda n: st.tuples(*2 * [st.lists(st.integers(0, 5), min_size=n, max_size=n)])))
def test_groups_against_scikit_learn(two: tuple[list[int], list[int]]) -> None:
    """Which gives 1 for what is undefined. B³ by the share of each document's own group, from a matrix of sameness."""
    from sklearn.metrics import adjusted_rand_score  # takes half a second, which each collection of tests would take

    found, truth = map(np.array, two)
    made = compare_groups(*(np.unique(each, return_inverse=True)[1] for each in (found, truth)))
    if made.ari is not None:
        assert float(made.ari) == pytest.approx(adjusted_rand_score(truth, found), abs=1e-12)
    else:
        assert len(found) < 2 or len({*two[0]}) == len({*two[1]})
        assert not two[0] or adjusted_rand_score(truth, found) == 1
    if len(found):
        same_found, same_truth = (each[:, None] == each for each in (found, truth))
        both = (same_found & same_truth).sum(1)
        assert float(made.b3_precision or 0) == pytest.approx((both / same_found.sum(1)).mean())
        assert float(made.b3_recall or 0) == pytest.approx((both / same_truth.sum(1)).mean())


def test_larger_groups_against_scikit_learn() -> None:
    from sklearn.metrics import adjusted_rand_score  # as above

    rng = np.random.default_rng(23)
    for groups in (2, 50, 5000, 90_000):
        truth = rng.integers(0, groups, 100_000)
        found = np.where(rng.random(100_000) < 0.8, truth, rng.integers(0, groups, 100_000))
        made = compare_groups(*(np.unique(each, return_inverse=True)[1] for each in (found, truth)))
        assert float(made.ari or 0) == pytest.approx(adjusted_rand_score(truth, found), abs=1e-9)


@given(partitions)
def test_perfect_labels(partition: list[int]) -> None:
    groups = groups_of(partition)
    lines = jsonl(*({"members": members} for members in groups))
    pairs = pairs_of([two for members in groups for two in combinations(members, 2)])
    for found in (lines, pairs):
        (record,) = scored("--docs d", found, lines, jsonl(*({"id": name} for name in NAMES)))
        there = any(len(members) > 1 for members in groups)
        assert [record[name] for name in ("precision", "recall", "f1")] == [1.0 if there else None] * 3
        assert [record[name] for name in ("b3_precision", "b3_recall", "b3_f1")] == [1.0] * 3
        trivial = not there or len(groups[0]) == len(NAMES)  # all alone, or all in one group
        assert record["ari"] == (None if trivial else 1.0)


@given(links, st.one_of(links, partitions))
def test_to_swap_both_sides_swaps_precision_and_recall(found: list[Link], other: list[Any]) -> None:
    if other and isinstance(other[0], int):
        truth = jsonl(*({"members": members} for members in groups_of(other)))
    else:
        truth = pairs_of(other)
    (one,), (two,) = scored("", pairs_of(found), truth), scored("", truth, pairs_of(found))
    swapped = {
        "found": "truth",
        "truth": "found",
        "precision": "recall",
        "recall": "precision",
        "b3_precision": "b3_recall",
        "b3_recall": "b3_precision",
    }
    assert one == {swapped.get(name, name): value for name, value in two.items()}


@given(said, links, st.randoms(use_true_random=False))
def test_neither_the_order_of_lines_nor_of_a_and_b_matters(
    found: list[tuple[Name, Name, float]], truth: list[Link], rng: random.Random
) -> None:
    def shuffled(records: list[Record]) -> list[Record]:
        order = rng.sample(records, len(records))
        return [{**each, "a": each["b"], "b": each["a"]} if rng.random() < 0.5 else each for each in order]

    one = [{"a": a, "b": b, "similarity": value} for a, b, value in found]
    two = [{"a": a, "b": b} for a, b in truth]
    expected = scored("--by 1/4", jsonl(*one), jsonl(*two))
    assert scored("--by 1/4", jsonl(*shuffled(one)), jsonl(*shuffled(two))) == expected


def test_pairs_of_classes_are_counted_and_never_listed() -> None:
    """A group of a million has half a billion pairs and more."""
    members = jsonl({"members": list(range(1_000_000))})
    (record,) = scored("", members, jsonl({"members": list(range(10**6 - 1, 0, -1))}))
    assert (record["found"], record["truth"]) == (499_999_500_000, 499_998_500_001)
    assert (record["right"], record["precision"]) == (499_998_500_001, 0.999998)


def test_nothing_is_found_where_nothing_is_true() -> None:
    (record,) = scored("", b"", b"")
    assert record == {"scope": "all", "documents": 0, "outside": 0, "found": 0, "right": 0, "truth": 0} | dict.fromkeys(
        ("precision", "recall", "f1", "ari", "b3_precision", "b3_recall", "b3_f1")
    )
    (record,) = scored("", b"", pairs_of([(1, 2)]))
    assert (record["precision"], record["recall"], record["f1"]) == (None, 0.0, 0.0)
