"""The copies that the bench of quality plants where people look for them: which they are, and how many of a kind."""

import random
from collections import Counter

import pytest
import rewriting
import scenarios
from planted import Document, Planted, Source

VOCABULARY = (
    "the cats sleep and a large dog runs over old houses while some people write letters to their friends".split()
)


def texts(count: int, words: int, language: str = "en") -> list[Document]:
    chosen = random.Random(f"{count} {words}")
    if language == "zh":
        return [(f"d{i}", "".join(chosen.choices("这个软件包含有的文档它是用写成", k=words))) for i in range(count)]
    return [(f"d{i}", " ".join([f"line{i}", *chosen.choices(VOCABULARY, k=words - 1)])) for i in range(count)]


def source(documents: list[Document], spaced: bool = True) -> Source:
    return Source("small", [documents[i : i + 7] for i in range(0, len(documents), 7)], spaced)


def check(made: Planted, kinds: dict[str, int]) -> None:
    """Copies are of documents, the first before the second; so many of each kind."""
    places = {name: place for place, (name, _) in enumerate(made.documents)}
    assert len(places) == len(made.documents)
    assert all(places[a] < places[b] for a, b in made.copies)
    assert Counter(made.copies.values()) == kinds


def test_titles() -> None:
    made = scenarios.titles(source(texts(1300, 8)), 1)
    check(made, dict.fromkeys(("replace", "insert", "delete", "move", "letter"), 60))
    assert len(made.documents) == 1500
    given = dict(made.documents)
    letters = [(given[a].split(), given[b].split()) for (a, b), kind in made.copies.items() if kind == "letter"]
    assert all(sum(x != y for x, y in zip(*both, strict=True)) <= 1 for both in letters)


def test_templates() -> None:
    made = scenarios.templates(texts(700, 20), 1)
    check(made, {"2% replaced": 60, "5% replaced": 60})
    assert {len(text.split()) for _, text in made.documents} == {80}


def test_posts() -> None:
    made = scenarios.posts(texts(700, 80), 1)
    again = {"again, 2 to 8 times": 2 * (3 + 10 + 36), "again, 16 and 32 times": 2 * (136 + 528)}
    check(made, {"same footer": 60, "other footer": 60} | again)
    assert {len(text.split()) - 40 for _, text in made.documents} == {6, *range(15, 60)}
    assert 20 < len({" ".join(text.split()[-40:]) for _, text in made.documents}) <= 30


@pytest.mark.parametrize("language", ["en", "zh"])
def test_news_and_passages(language: str) -> None:
    documents = texts(50, 40, language)
    small = source(documents, language == "en")
    made = scenarios.news(small, documents, language, 1)
    check(made, {f"{share}% rewritten": 5 for share in (0, 5, 10, 20, 30)})
    given = dict(made.documents)
    whole = [(small.words(given[a]), small.words(given[b])) for (a, b), kind in made.copies.items() if kind[0] == "0"]
    assert all(two[12:] == one[:32] for one, two in whole)
    made = scenarios.passages(small, documents, language, 1)
    check(made, {f"{share}% rewritten": 5 for share in (0, 20, 40, 60)})
    given = dict(made.documents)
    assert all(
        any(small.text(small.words(given[a])[i : i + 20]) in given[b] for i in range(21))
        for (a, b), kind in made.copies.items()
        if kind[0] == "0"
    )


@pytest.mark.parametrize("marked", [True, False])
def test_sites(marked: bool) -> None:
    documents = texts(200, 100)
    made = scenarios.sites(documents, documents, marked, 1)
    check(made, {"1% replaced": 50, "2% replaced": 50})
    assert all(("<main>" in page) == marked for _, page in made.documents)


def test_texts_that_have_much_of_each_other_are_left_out() -> None:
    documents = [*texts(8, 30), ("short", "one two")]
    documents.append(("like", documents[0][1] + " and more"))
    names = {name for name, _ in scenarios.unlike(source(documents), 20, 100)}
    assert names in ({f"d{i}" for i in range(8)}, {"like", *(f"d{i}" for i in range(1, 8))})


def test_words_are_rewritten_by_the_dictionary() -> None:
    words = ["(Cats", "zzyzx,"]
    assert rewriting.rewritten(words, 0, random.Random(1), ["other"], "en") == words
    changed = {tuple(rewriting.rewritten(words, 2, random.Random(seed), ["other"], "en")) for seed in range(9)}
    assert {one for one, _ in changed} <= {"(cat", "(catted", "(catting"}
    assert {two for _, two in changed} == {"other,"}
    kept = [rewriting.another("the", random.Random(seed), ["other"], "en") for seed in range(20)]
    assert {None} < set(kept) <= {None, *rewriting.stop_words("en")}
