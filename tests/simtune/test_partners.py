"""The cosine of weights in simtune, beside brute force, and what nearest documents say of planted partners."""

import json
import random
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from math import isqrt, log2
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness import jsonl, run_here, shell
from shingletools.commands.simtune.compared import COSINE
from shingletools.commands.simtune.counting import SCALE, Population, best_of, tally
from shingletools.commands.simtune.partners import nearest, partners
from shingletools.commands.simtune.shingled import ShingleUnits, shingled

LETTERS = "abcdefghijklmnopqrstuvwxyz"
FIRST = 20  # hundredths: cosines below are not looked for
Square = tuple[int, int]  # of a cosine: a fraction


def squares(sets: Sequence[set[str]]) -> dict[str, int]:
    """What each word weighs, by the manual of simjoin: log2((N + 1) / d), squared, in 32 bits."""
    filled = [each for each in sets if each]
    weights = {word: round(round(log2((len(filled) + 1) / d), 6) * 65536) or 1
               for word, d in Counter(word for each in filled for word in each).items()}  # fmt: skip
    unit = 1
    while (round(round(log2(len(filled) + 1), 6) * 65536) ** 2 - 1) // unit >= 1 << 32:
        unit *= 2
    return {word: max((2 * weight**2 + unit) // (2 * unit), 1) for word, weight in weights.items()}


def cosines(sets: Sequence[set[str]]) -> dict[tuple[int, int], Square]:
    weights = squares(sets)
    wholes = [sum(weights[word] for word in each) for each in sets]
    return {
        (i, j): (sum(weights[word] for word in sets[i] & sets[j]) ** 2, wholes[i] * wholes[j])
        for i, j in combinations(range(len(sets)), 2) if sets[i] & sets[j]
    }  # fmt: skip


def hundredths(cosine: Square) -> int:
    return isqrt(10_000 * cosine[0] // cosine[1])


word_sets = st.lists(st.sets(st.sampled_from(LETTERS[:9]), max_size=6), min_size=2, max_size=9)


@settings(max_examples=60)
@given(word_sets, st.sampled_from([None, Fraction(2, 7), Fraction(1, 2), Fraction(1)]))
def test_pairs_by_the_cosine_of_weights(sets: list[set[str]], threshold: Fraction | None) -> None:
    of = shingled([" ".join(sorted(each)) for each in sets], ShingleUnits(1), np.full(len(sets), -1))
    population = Population(np.ones(len(sets), np.bool_), None, None, (Fraction(1),) * 4, Fraction(1))
    counted = tally(of, population, threshold, measures=(COSINE,))
    found = cosines(sets).values()
    for number, edge in enumerate(counted.edges):
        if edge >= Fraction(FIRST, 100):
            p, q = edge.as_integer_ratio()
            assert counted.found[COSINE][number] == SCALE * sum(o * q * q >= p * p * ab for o, ab in found)


@settings(max_examples=60)
@given(word_sets, st.lists(st.booleans(), min_size=9, max_size=9), st.booleans())
def test_the_nearest_documents(sets: list[set[str]], flags: list[bool], two: bool) -> None:
    others = np.array(flags[: len(sets)]) if two else None
    kinds = np.full(len(sets), -1) if others is None else 2 * -1 + others
    of = shingled([" ".join(sorted(each)) for each in sets], ShingleUnits(1), kinds)
    alike: list[list[Square]] = [[] for _ in sets]
    for (i, j), cosine in cosines(sets).items():
        if not two or flags[i] != flags[j]:
            alike[i].append(cosine)
            alike[j].append(cosine)
    asking = [number for number, each in enumerate(sets) if each and not (two and flags[number])]
    found = nearest(of, others)
    assert found.documents == len(asking)
    for rank, counts in enumerate(found.counts):
        near = [sorted(map(hundredths, alike[number]))[::-1][rank : rank + 1] for number in asking]
        for t in range(FIRST, 101):
            assert counts[t] == sum(each >= [t] for each in near), (rank, t)
    if others is not None:
        best = best_of(of, others)
        for number in asking:
            expected = max((o / ab for o, ab in alike[number]), default=0)
            assert best[number] ** 2 == pytest.approx(expected, abs=1e-9) or expected < 0.04


def planted(seed: int, share: float, count: int = 300) -> tuple[list[str], list[str]]:
    """Texts of 8 words, common ones and rare ones, and as many others: a share of them is one of the former with
    three other words, the rest are like them by common words.
    """
    chosen = random.Random(seed)
    common, rare = (["".join(chosen.choices(LETTERS, k=5)) for _ in range(many)] for many in (20, 2000))

    def text() -> list[str]:
        return chosen.sample(common, 3) + chosen.sample(rare, 5)

    lefts = [text() for _ in range(count)]
    rights = [
        chosen.sample(left, 5) + chosen.sample(common, 3) if chosen.random() < share else text() for left in lefts
    ]
    return [" ".join(each) for each in lefts], [" ".join(each) for each in rights]


@pytest.mark.parametrize("share", [0.05, 0.3, 0.6, 1])
@pytest.mark.parametrize("two", [True, False])
def test_the_share_of_documents_with_a_partner(share: float, two: bool) -> None:
    for seed in range(3):
        lefts, rights = planted(seed, share)
        texts = [*lefts, *rights]
        others = np.arange(len(texts)) < len(lefts) if two else None
        kinds = np.full(len(texts), -1) if others is None else 2 * -1 + others
        found = partners(nearest(shingled(texts, ShingleUnits(1), kinds), others), two)
        assert abs(found.share - share) < 0.15, seed
        assert Fraction(1, 5) <= found.threshold < 1


def scored(pairs: set[tuple[int, int]], truth: set[tuple[int, int]]) -> float:
    return 2 * len(pairs & truth) / (len(pairs) + len(truth))


@pytest.mark.parametrize("share", [0.2, 0.9])
def test_two_tables_need_no_labels(share: float, tmp_path: Path) -> None:
    lefts, rights = planted(7, share)
    (tmp_path / "left").write_bytes(jsonl(*({"id": i, "text": text} for i, text in enumerate(lefts))))
    (tmp_path / "docs").write_bytes(jsonl(*({"id": i, "text": text} for i, text in enumerate(rights))))
    records = run_here("simtune --against left docs", cwd=tmp_path).records()
    pipeline = records[-1]["pipeline"]
    join = "simjoin --weights counted --measure cosine -t 0."
    shingle = "shingle --word-chars -k 3"
    assert pipeline.startswith(f"(set -C; {shingle} left > simtune.against) && {shingle} | {join}")
    assert pipeline.endswith(" --best 1 --against simtune.against")
    (tmp_path / "line").write_text(pipeline)
    made = [json.loads(line) for line in shell("sh line < docs", tmp_path).good().splitlines()]
    truth = {(i, i) for i in range(300) if len({*lefts[i].split()} & {*rights[i].split()}) >= 5}
    assert scored({(pair["a"], pair["b"]) for pair in made}, truth) > 0.9
    setting = [each for each in records if each["scope"] == "setting"][-1]
    assert setting["pairs"] == len(made)
    why = next(each["because"] for each in records if each.get("rule") == "t")
    assert abs(int(why.split(": ")[1].split(" of 300 documents have a partner")[0]) - 300 * share) < 40


def test_tables_without_partners(tmp_path: Path) -> None:
    """Nearest documents that seem to be partners by chance are not many, and must be more alike."""
    lefts, rights = planted(8, 0)
    (tmp_path / "left").write_bytes(jsonl(*({"id": i, "text": text} for i, text in enumerate(lefts))))
    (tmp_path / "docs").write_bytes(jsonl(*({"id": i, "text": text} for i, text in enumerate(rights))))
    pipeline = run_here("simtune --against left docs", cwd=tmp_path).records()[-1]["pipeline"]
    assert " --measure cosine -t 0.5 --best 1 " in pipeline


def test_labels_of_two_tables_may_choose_the_best_partner(tmp_path: Path) -> None:
    """Titles of a series, each with two like it: only the best partner of each is the right one."""
    lefts, rights = planted(9, 1, 150)
    numbers = [["1980", "1981", "1982"], ["first", "second", "third"]]
    left = [f"{text} {number}" for text in lefts for number in numbers[0]]
    right = [f"{text} {one} {two}" for text in rights for one, two in zip(*numbers, strict=True)]
    (tmp_path / "left").write_bytes(jsonl(*({"id": i, "text": text} for i, text in enumerate(left))))
    (tmp_path / "docs").write_bytes(jsonl(*({"id": i, "text": text} for i, text in enumerate(right))))
    (tmp_path / "truth").write_bytes(jsonl(*({"a": i, "b": i, "against": True} for i in range(450))))
    records = run_here("simtune --truth truth --against left docs", cwd=tmp_path).records()
    assert records[-1]["pipeline"].endswith(" --best 1 --against simtune.against")
    (tmp_path / "line").write_text(records[-1]["pipeline"])
    made = {(p["a"], p["b"]) for p in map(json.loads, shell("sh line < docs", tmp_path).good().splitlines())}
    f1 = scored(made, {(i, i) for i in range(450)})
    assert f1 > 0.9
    score = max((each for each in records if each["scope"] == "score"), key=lambda each: each["f1"])
    assert score["f1_low"] <= f1 <= score["f1_high"]
