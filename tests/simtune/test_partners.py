"""The cosine of weights in simtune, compared with brute force, and what nearest documents say of planted partners."""

import json
import random
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness import jsonl, run_here, shell
from shingletools.commands.simtune import counting, findings
from shingletools.commands.simtune.compared import COSINE
from shingletools.commands.simtune.confidence import Scored, Share
from shingletools.commands.simtune.counting import SCALE, Population, best_partners, tally
from shingletools.commands.simtune.partners import nearest, partners
from shingletools.commands.simtune.search import Half, score_setting
from shingletools.commands.simtune.shingled import ShingleUnits, shingled
from tuning import Square, cosines, hundredths

LETTERS = "abcdefghijklmnopqrstuvwxyz"
FIRST = 20  # hundredths: cosines below are not looked for


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
    alike: list[dict[frozenset[str], Square]] = [{} for _ in sets]  # equal texts are one
    for (i, j), cosine in cosines(sets).items():
        if not two or flags[i] != flags[j]:
            alike[i][frozenset(sets[j])] = alike[j][frozenset(sets[i])] = cosine
    asking = [number for number, each in enumerate(sets) if each and not (two and flags[number])]
    found = nearest(of, others)
    assert found.documents == len(asking)
    for rank, counts in enumerate(found.counts):
        near = [sorted(map(hundredths, alike[number].values()))[::-1][rank : rank + 1] for number in asking]
        for t in range(FIRST, 101):
            assert counts[t] == sum(each >= [t] for each in near), (rank, t)
    if others is not None:
        best, asked = best_partners(of, others)
        assert asked[asking].all()
        every = cosines(sets)
        for number in asking:
            to = {
                other: Fraction(*every[min(number, other), max(number, other)])
                for other in range(len(sets))
                if flags[other] and (min(number, other), max(number, other)) in every
            }
            if max(to.values(), default=0) >= Fraction(FIRST**2, 100**2):
                assert best[number] == max(to, key=lambda other: (to[other], -other))


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
        assert abs(found.share - share) < min(0.15, 2 * share), seed


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


def series(seed: int, count: int) -> tuple[list[str], list[str]]:
    """Titles of three, each with two like it, in two tables: only the best partner of each is the right one."""
    lefts, rights = planted(seed, 1, count)
    numbers = [["1980", "1981", "1982"], ["first", "second", "third"]]
    left = [f"{text} {number}" for text in lefts for number in numbers[0]]
    return left, [f"{text} {one} {two}" for text in rights for one, two in zip(*numbers, strict=True)]


def test_labels_of_two_tables_may_choose_the_best_partner(tmp_path: Path) -> None:
    left, right = series(9, 150)
    (tmp_path / "left").write_bytes(documents_of(left, range(450)))
    (tmp_path / "docs").write_bytes(documents_of(right, range(450)))
    (tmp_path / "truth").write_bytes(jsonl(*({"a": i, "b": i, "against": True} for i in range(450))))
    records = run_here("simtune --truth truth --against left docs", cwd=tmp_path).records()
    assert records[-1]["pipeline"].endswith(" --best 1 --against simtune.against")
    (tmp_path / "line").write_text(records[-1]["pipeline"])
    made = {(p["a"], p["b"]) for p in map(json.loads, shell("sh line < docs", tmp_path).good().splitlines())}
    f1 = scored(made, {(i, i) for i in range(450)})
    assert f1 > 0.9
    score = max((each for each in records if each["scope"] == "score"), key=lambda each: each["f1"])
    assert score["f1_low"] <= f1 <= score["f1_high"]


def documents_of(texts: Sequence[str], labels: Sequence[int | None]) -> bytes:
    return jsonl(*({"id": i, "text": text, "label": labels[i]} for i, text in enumerate(texts)))


def test_how_many_best_partners_there_are(tmp_path: Path) -> None:
    """Of documents with shingles, each at most one, whatever the threshold is, and however often a partner is there."""
    left, right = series(3, 100)
    (tmp_path / "left").write_bytes(documents_of([*left, *left[:20]], [*range(300), *range(20)]))
    (tmp_path / "docs").write_bytes(documents_of([*right, *40 * [""]], [*range(300), *40 * [None]]))
    options = "--field label --against left -t 0.305"
    records = run_here(f"simtune {options} docs", cwd=tmp_path).records()
    assert " -t 0.305 --best 1 " in records[-1]["pipeline"]
    (tmp_path / "line").write_text(records[-1]["pipeline"])
    made = len(shell("sh line < docs", tmp_path).good().splitlines())
    (pairs,) = (each["pairs"] for each in records if each.get("signature") == "shingles")
    assert pairs == made > 250
    (score,) = (each for each in records if each["scope"] == "score" and each["least"] == 0.305)
    assert abs(score["pairs"] - made) < 40
    assert score["precision"] > 0.95
    assert min(each["least"] for each in records if each["scope"] == "score") == 0.2
    more = run_here(f"simtune {options} --documents 6600 docs", cwd=tmp_path).records()
    assert [each["pairs"] for each in more if each.get("signature") == "shingles"] == [10 * made]


def test_a_bound_on_the_work_leaves_out_documents_that_ask(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that ask meet all others, so they have the same nearest ones as without a bound."""
    lefts, rights = planted(4, 0.8, 100)
    texts = [text for both in zip(lefts, rights, strict=True) for text in both]
    others = np.arange(200) % 2 == 0
    of = shingled(texts, ShingleUnits(1), 2 * -1 + others)
    every, asked = best_partners(of, others)
    assert asked.all()
    share = partners(nearest(of, others), True).share
    monkeypatch.setattr(counting, "STEPS", 2_000)
    found, asked = best_partners(of, others)
    near = nearest(of, others)
    assert near.documents == np.count_nonzero(asked & ~others) < 80
    assert (found == every)[asked & ~others].all()
    assert abs(partners(near, True).share - share) < 0.1


def test_cosines_that_are_not_looked_for_are_not_proposed(tmp_path: Path) -> None:
    lefts, rights = planted(5, 0.9, 150)
    (tmp_path / "left").write_bytes(documents_of(lefts, range(150)))
    (tmp_path / "docs").write_bytes(documents_of(rights, range(150)))
    records = run_here("simtune --field label --against left -t 0.1 docs", cwd=tmp_path).records()
    assert not any("--weights" in each["simjoin"] for each in records if each["scope"] == "setting")


def test_short_texts_with_a_footer(tmp_path: Path) -> None:
    """What all have in common makes no pairs."""
    chosen = random.Random(1)
    words = ["".join(chosen.choices(LETTERS, k=5)) for _ in range(2000)]
    texts = [" ".join(chosen.sample(words, 10)) for _ in range(200)]
    texts += [text.replace(text.split()[3], "other") for text in texts[:50]]
    footer = "this page is part of a site that all of us made for you"
    docs = jsonl(*({"id": i, "text": f"{text} {footer}"} for i, text in enumerate(texts)))
    (tmp_path / "docs").write_bytes(docs)
    (tmp_path / "line").write_text(run_here("simtune docs", cwd=tmp_path).records()[-1]["pipeline"])
    made = {(p["a"], p["b"]) for p in map(json.loads, shell("sh line < docs", tmp_path).good().splitlines())}
    assert made == {(i, 200 + i) for i in range(50)}


def test_labels_overrule_the_rules_only_beyond_chance(tmp_path: Path) -> None:
    lefts, rights = planted(11, 0.9)
    few = [number if number % 3 == 0 else None for number in range(300)]
    (tmp_path / "left").write_bytes(documents_of(lefts, few))
    (tmp_path / "docs").write_bytes(documents_of(rights, few))
    plain = run_here("simtune --against left docs", cwd=tmp_path).records()
    records = run_here("simtune --field label --against left docs", cwd=tmp_path).records()
    assert records[-1] == plain[-1]
    why = next(each["because"] for each in records if each.get("rule") == "labels")
    assert ": as the rules say; by the true pairs of one half of the sample, no setting is better beyond chance;" in why
    assert [each["rule"] for each in records if each["scope"] == "reason"][:2] == ["k", "t"]


@pytest.mark.parametrize("tied", [False, True])
def test_labels_overrule_the_rules_only_if_both_halves_say_so(
    tied: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only texts that differ in one word belong together; without labels, those of which a quarter differs do, too."""
    chosen = random.Random(4)
    texts = []
    for number in range(80):
        words = ["".join(chosen.choices(LETTERS, k=5)) for _ in range(60)]
        fourth = [f"word{number}" if at % 4 == 0 else word for at, word in enumerate(words)]
        texts += [(number, words), (number, [*words[:-1], "other"]), (-number, fourth)]
    docs = jsonl(*({"id": i, "text": " ".join(words), "label": one} for i, (one, words) in enumerate(texts)))
    plain = run_here("simtune", stdin=docs, cwd=tmp_path).records()[-1]

    def as_good(half: Half, other: Population, *rest: Any) -> list[Scored]:
        scored = score_setting(half, other, *rest)
        equal = tied and other is not half.population
        return [each._replace(f1=Share(Fraction(1, 2))) for each in scored] if equal else scored

    monkeypatch.setattr(findings, "score_setting", as_good)
    advice = run_here("simtune --field label", stdin=docs, cwd=tmp_path).records()[-1]
    assert (advice == plain) == tied
