"""simtune without labels on short texts, and on texts whose pairs runs of words do not find: where pairs are fewest."""

import random
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from pathlib import Path

import pytest

from harness import jsonl
from tuning import advised, cosines, hundredths, pairs_of

LETTERS = "abcdefghijklmnopqrstuvwxyz"


def docs_of(texts: Sequence[str]) -> bytes:
    return jsonl(*({"id": i, "text": text} for i, text in enumerate(texts)))


@pytest.mark.parametrize(
    ("words", "line"),
    [(9, "shingle -k 1 | simjoin --weights counted"), (10, "shingle -k 1 | simjoin --measure containment")],
)
def test_titles_are_no_records_of_short_texts(words: int, line: str, tmp_path: Path) -> None:
    """Of fewer than ten words, shared ones say too little."""
    chosen = random.Random(5)
    texts = [" ".join("".join(chosen.choices(LETTERS, k=6)) for _ in range(words)) for _ in range(120)]
    pipeline, _, _ = advised(tmp_path, docs=jsonl(*({"id": i, "text": text} for i, text in enumerate(texts))))
    assert pipeline.startswith(line)


def records(seed: int, drops: float, common: int) -> list[str]:
    """Five records of each of 40 things: its own words, less some of them, among some of those that all may have."""
    chosen = random.Random(seed)
    words = ["".join(chosen.choices(LETTERS, k=5)) for _ in range(400)]
    things = [words[40 + 9 * thing :][:9] for thing in range(40)]
    return [
        " ".join([*(word for word in thing if chosen.random() >= drops), *chosen.sample(words[:40], common)])
        for thing in things for _ in range(5)
    ]  # fmt: skip


def prefixes() -> list[str]:
    """Texts of the same words, and the first words of some."""
    chosen = random.Random(11)
    words = ["".join(chosen.choices(LETTERS, k=4)) for _ in range(40)]
    texts = [" ".join(chosen.sample(words, chosen.randint(10, 18))) for _ in range(150)]
    return texts + [" ".join(text.split()[: chosen.randint(8, 18)]) for text in texts[:60]]


def promised(bins: Sequence[int], low: int, documents: int) -> tuple[Fraction, int]:
    """How many pairs may be copies, and the hundredth from which on they are.

    bins: the hundredth of each pair.
    """
    around = [sum(at - 4 <= each <= at + 4 for each in bins) for at in range(90)]
    most = around.index(max(around))
    low = max(low, most if around[most] > documents else 0)
    copies = [
        (sum(each >= at for each in bins) - Fraction(3, 5) * (100 - at) * Fraction(around[at], 9), -at)
        for at in range(low, 90)
    ]
    best, at = max(copies)
    return best, -at


@pytest.mark.parametrize(
    ("texts", "measure"),
    [(records(1, 0.1, 5), "cosine"), (records(4, 0.3, 9), "cosine"), (prefixes(), "containment")],
)  # fmt: skip
def test_the_threshold_and_the_measure_with_the_most_copies(texts: list[str], measure: str, tmp_path: Path) -> None:
    """By brute force."""
    docs = docs_of(texts)
    pipeline, reasons, _ = advised(tmp_path, docs=docs)
    sets = [{*text.split()} for text in texts]
    shared = [100 * len(one & two) // min(len(one), len(two)) for one, two in combinations(sets, 2) if one & two]
    weighed = [hundredths(each) for each in cosines(sets).values()]
    both = {"containment": promised(shared, 40, len(texts)), "cosine": promised(weighed, 50, len(texts))}
    best = max(both, key=lambda each: both[each][0])
    at = both[best][1]
    weights = "--weights counted " if best == "cosine" else ""
    expected = f"shingle -k 1 | simjoin {weights}--measure {best} -t {at / 100:g}"
    assert (best, pipeline) == (measure, expected)
    said = [max(round(each), 0) for each, _ in both.values()]
    assert reasons["k"].endswith(f": {said[0]} by containment, {said[1]} by the cosine of weights")
    bins = weighed if best == "cosine" else shared
    assert f": {sum(at - 4 <= each <= at + 4 for each in bins)} pairs have a " in reasons["t"]
    assert len(pairs_of(pipeline, docs, tmp_path)) == sum(each >= at for each in bins)


def rewritten(words: int, copies: int, every: int) -> list[str]:
    """80 texts of so many words, and of the first 20 copies in which one of so many words is another."""
    chosen = random.Random(words)
    made = [["".join(chosen.choices(LETTERS, k=5)) for _ in range(words)] for _ in range(80)]
    for text in made[:20] * copies:
        made.append([
            "".join(chosen.choices(LETTERS, k=5)) if at % every == len(made) % every else word
            for at, word in enumerate(text)
        ])  # fmt: skip
    return [" ".join(text) for text in made]


@pytest.mark.parametrize(
    ("words", "every", "weighed"), [(60, 4, True), (190, 4, True), (210, 4, False), (60, 100, False)]
)
def test_longer_texts_of_which_runs_find_few_pairs(words: int, every: int, weighed: bool, tmp_path: Path) -> None:
    """Of several copies, so that there is no nearest one to tell by; 200 words are the most."""
    texts = rewritten(words, 3, every)
    pipeline, _, _ = advised(tmp_path, docs=docs_of(texts))
    assert pipeline.startswith("shingle -k 1 | simjoin --weights counted --measure cosine -t ") == weighed
    if weighed:
        expected = {frozenset(pair) for of in range(20) for pair in combinations([of, 80 + of, 100 + of, 120 + of], 2)}
        found = pairs_of(pipeline, docs_of(texts), tmp_path)
        assert found <= expected
        assert len(found) > len(expected) / 2


def test_fewer_than_ten_pairs_are_no_reason(tmp_path: Path) -> None:
    texts = rewritten(60, 3, 4)
    pipeline, _, _ = advised(tmp_path, docs=docs_of(texts[1:80] + texts[80:81]))
    assert pipeline.startswith("shingle -k 5 ")


def test_two_letters_are_a_word_of_scripts_without_spaces(tmp_path: Path) -> None:
    """Texts of 120 letters with partners, where every fifth letter is another: no five letters are as they were."""
    chosen = random.Random(9)
    letters = [[chr(0x4E00 + chosen.randrange(300)) for _ in range(120)] for _ in range(60)]
    letters += [[chr(0x6E00 + at) if at % 5 == 0 else each for at, each in enumerate(text)] for text in letters]
    docs = docs_of([" ".join(text) for text in letters])
    pipeline, reasons, _ = advised(tmp_path, docs=docs)
    assert pipeline.startswith("shingle -k 2 | simjoin --weights counted --measure cosine -t ")
    assert ": half of the texts with words have 60 or fewer, two letters each" in reasons["k"]
    assert pairs_of(pipeline, docs, tmp_path) == {frozenset((i, 60 + i)) for i in range(60)}
