"""simtune without labels on short texts, and on texts whose pairs runs of words do not find: how many may be copies."""

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
    pipeline, _, _ = advised(tmp_path, docs=docs_of(texts))
    assert pipeline.startswith(line)


def records(seed: int, drops: float, common: int) -> list[str]:
    """Five records of each of 40 things: its own words, less some of them, among some of those that all may have."""
    chosen = random.Random(seed)
    words = ["".join(chosen.choices(LETTERS, k=5)) for _ in range(400)]
    things = [words[40 + 9 * thing :][:9] for thing in range(40)]
    return [
        " ".join([*(word for word in thing if chosen.random() >= drops), *chosen.sample(words[:40], common)])
        for thing in things
        for _ in range(5)
    ]


def prefixes(least: int, most: int) -> list[str]:
    """Texts of the same words, and the first words of some."""
    chosen = random.Random(11)
    words = ["".join(chosen.choices(LETTERS, k=4)) for _ in range(40)]
    texts = [" ".join(chosen.sample(words, chosen.randint(least, most))) for _ in range(150)]
    return texts + [" ".join(text.split()[: chosen.randint(least - 2, most)]) for text in texts[:60]]


def siblings() -> list[str]:
    """Texts of sixteen words, of which some two have one half in common, and copies of a few."""
    chosen = random.Random(12)
    words = ["".join(chosen.choices(LETTERS, k=5)) for _ in range(16 * 150)]
    halves = [" ".join(words[at : at + 8]) for at in range(0, len(words), 8)]
    texts = [f"{halves[at // 2 if at < 30 else at]} {halves[150 + at]}" for at in range(150)]
    return texts + [f"{text} {text[:5]}" for text in texts[::40]]


def promised(bins: Sequence[int], low: int, most: int) -> tuple[Fraction, int]:
    """How many pairs may be copies, and the hundredth from which on they are.

    bins: the hundredth of each pair. most: pairs around a hundredth, beyond which they are a footer's.
    """
    around = [sum(at - 4 <= each <= at + 4 for each in bins) for at in range(90)]
    mode = around.index(max(around))
    low = max(low, mode if around[mode] > most else 0)
    copies = [
        (sum(each >= at for each in bins) - Fraction(3, 5) * (100 - at) * Fraction(around[at], 9), -at)
        for at in range(low, 90)
    ]
    best, at = max(copies)
    return best, -at


@pytest.mark.parametrize(
    ("texts", "measure"),
    [
        (records(1, 0.1, 5), "cosine"),
        (records(4, 0.3, 9), "cosine"),
        (prefixes(10, 18), "containment"),
        (prefixes(3, 8), "cosine"),
        (siblings(), "cosine"),
    ],
)
def test_the_threshold_and_the_measure_with_the_most_copies(texts: list[str], measure: str, tmp_path: Path) -> None:
    """By brute force; titles also by the characters of their words, and the others by containment, too."""
    docs, documents = docs_of(texts), len(texts)
    pipeline, reasons, _ = advised(tmp_path, docs=docs)
    sets = [{*text.split()} for text in texts]
    grams = [{f" {word} "[at : at + 3] for word in words for at in range(len(word))} for words in sets]
    shared = [100 * len(one & two) // min(len(one), len(two)) for one, two in combinations(sets, 2) if one & two]
    weighed, by_grams = ([hundredths(each) for each in cosines(of).values()] for of in (sets, grams))
    every = {
        "containment of -k 1": (shared, *promised(shared, 40, documents)),
        "the cosine of weights of -k 1": (weighed, *promised(weighed, 50, 10 * documents)),
        "the cosine of weights of --word-chars -k 3": (by_grams, *promised(by_grams, 50, 10 * documents)),
    }
    titles = sorted(len(text.split()) for text in texts)[(documents - 1) // 2] < 10
    del every[[*every][0 if titles else 2]]
    cosine = max(copies for name, (_, copies, _) in every.items() if "cosine" in name)
    best = max(
        (name for name in every if "cosine" in name or every[name][1] <= 3 * cosine), key=lambda each: every[each][1]
    )
    bins, _, at = every[best]
    weights = "--weights counted " if "cosine" in best else ""
    units = best.partition(" of -")[2]
    assert measure in best
    assert pipeline == f"shingle -{units} | simjoin {weights}--measure {measure} -t {at / 100:g}"
    said = ", ".join(f"{max(round(copies), 0)} by {name}" for name, (_, copies, _) in every.items())
    assert reasons["k"].endswith(f"; about so many pairs of the sample may be copies: {said}")
    found, around = sum(each >= at for each in bins), sum(at - 4 <= each <= at + 4 for each in bins)
    assert f": of {found} pairs {around} have a " in reasons["t"]
    assert reasons["t"].endswith("labels would tell more") == (2 * every[best][1] < found)
    assert len(pairs_of(pipeline, docs, tmp_path)) == found


def rewritten(words: int, copies: int, every: int) -> list[str]:
    """80 texts of so many words, and of the first 20 copies in which one of so many words is another."""
    chosen = random.Random(words)
    made = [["".join(chosen.choices(LETTERS, k=5)) for _ in range(words)] for _ in range(80)]
    for text in made[:20] * copies:
        made.append(
            [
                "".join(chosen.choices(LETTERS, k=5)) if at % every == len(made) % every else word
                for at, word in enumerate(text)
            ]
        )
    return [" ".join(text) for text in made]


@pytest.mark.parametrize(
    ("words", "every", "weighed"), [(60, 4, True), (990, 4, True), (1010, 4, False), (60, 100, False)]
)
def test_longer_texts_of_which_runs_find_few_pairs(words: int, every: int, weighed: bool, tmp_path: Path) -> None:
    """Of several copies, so that there is no nearest one to tell by; 1000 words are the most."""
    texts = rewritten(words, 3, every)
    pipeline, _, _ = advised(tmp_path, docs=docs_of(texts))
    assert pipeline.startswith("shingle -k 1 | simjoin --weights counted --measure cosine -t ") == weighed
    if weighed:
        expected = {frozenset(pair) for of in range(20) for pair in combinations([of, 80 + of, 100 + of, 120 + of], 2)}
        found = pairs_of(pipeline, docs_of(texts), tmp_path)
        assert found <= expected
        assert len(found) > len(expected) / 2


def test_large_clusters_are_no_footer(tmp_path: Path) -> None:
    """Of which some hundredths have more pairs than there are documents."""
    docs = docs_of(rewritten(60, 9, 10))
    pipeline, _, _ = advised(tmp_path, docs=docs)
    expected = {frozenset(pair) for of in range(20) for pair in combinations([of, *range(80 + of, 260, 20)], 2)}
    assert pairs_of(pipeline, docs, tmp_path) == expected


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
