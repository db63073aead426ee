"""What pipelines find of copies such as people look for, by labels: see scenarios.py, which makes the copies."""

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import bands
import scenarios
from planted import Planted, Source
from staged import Staged

DEFAULT = "canon | shingle -k 10 | sketch -n 84 | simjoin -t 0.8"
TITLES = (
    DEFAULT,
    *(f"canon | shingle -k {k} | simjoin -t {t}" for k, t in ((2, 0.5), (1, 0.7))),
    *(f"canon | shingle --chars -k 3 | simjoin -t {t}" for t in (0.5, 0.6, 0.7)),
    "canon | shingle --chars -k 3 | sketch -n 84 | simjoin -t 0.6",
)
TEMPLATES = (
    DEFAULT,
    *(f"canon | shingle -k 5 | simjoin -t {t}" for t in (0.5, 0.8, 0.9)),
    "canon | shingle -k 5 --max-df 20 | simjoin -t 0.5",
)
POSTS = (
    DEFAULT,
    "canon | shingle -k 3 | simjoin -t 0.8",
    "canon | shingle -k 3 | simjoin --weights counted -t 0.6",
    "canon | shingle -k 3 --max-df 5 | simjoin -t 0.3",
    *(
        f"canon | shingle -k 3 --max-df 5 | simjoin -t 0.3 + canon | shingle -k 3 | simjoin {how}"
        for how in ("-t 0.8", "--weights counted -t 0.6")
    ),
)
PAGES = (
    *(f"canon --html={part} | shingle -k 10 | sketch -n 84 | simjoin -t 0.8" for part in ("page", "main", "article")),
    "canon --html=main | shingle -k 5 | simjoin -t 0.5",
    "canon --html=article | shingle -k 5 | simjoin -t 0.5",
    "canon --html=page | shingle -k 4 --spots en | sketch -n 84 | simjoin -t 0.5",
    "canon --html=page | shingle -k 5 --max-df 20 | simjoin -t 0.5",
)


def reports(language: str) -> list[str]:
    """What is tried on news, in a language with spaces."""
    dictionary = f"canon --stop {language} --lemma {language}"
    return [
        DEFAULT,
        "canon | shingle -k 5 | sketch -n 84 | simjoin -t 0.5",
        *(f"{dictionary} | shingle -k {k} | simjoin -t {t}" for k, t in ((3, 0.5), (3, 0.3), (2, 0.3))),
        f"canon | shingle -k 4 --spots {language} | sketch -n 84 | simjoin -t 0.5",
    ]


def borrowed(language: str) -> list[str]:
    """What is tried on passages, in a language with spaces."""
    stems = f"canon --stop {language} --stem {language}"
    contained = "simjoin --measure containment"
    return [
        DEFAULT,
        "canon | shingle -k 10 | simjoin -m 20",
        *(f"{stems} | shingle -k 2 | {contained} -t {t}" for t in (0.15, 0.2, 0.3)),
        f"{stems} | shingle -k 1 | {contained} -t 0.15",
        f"canon | shingle -k 2 | {contained} -t 0.15",
        f"canon --stop {language} | shingle -k 2 | {contained} -t 0.15",
    ]


def chinese(join: str, values: Sequence[float]) -> list[str]:
    """What is tried on Chinese: characters, and words."""
    return [
        DEFAULT,
        *(f"canon | shingle -k {k} | {join} -t {t}" for k in (3, 5) for t in values),
        *(f"canon --segment zh | shingle -k 2 | {join} -t {t}" for t in values),
        "canon | shingle -k 1 | sketch --simhash | simjoin -d 3",
    ]


class Task(NamedTuple):
    """Copies to be found, and what is tried."""

    name: str
    make: Callable[[int], Planted]  # of a seed
    pipelines: Sequence[str]  # with " + " between those whose pairs count together


class Found(NamedTuple):
    """By one pipeline, in a corpus of one seed."""

    found: int
    right: int
    copies: dict[str, tuple[int, int]]  # of each kind: found, all


def measured(task: Task, seed: int) -> dict[str, Found]:
    made = task.make(seed)
    every = Counter(made.copies.values())
    results = {}
    with TemporaryDirectory() as folder:
        staged = Staged(Path(folder), made.documents)
        for pipeline in task.pipelines:
            found = {pair for each in pipeline.split(" + ") for pair, _ in staged.pairs(each)}
            hits = Counter(what for pair, what in made.copies.items() if pair in found)
            copies = {what: (hits[what], number) for what, number in every.items()}
            results[pipeline] = Found(len(found), hits.total(), copies)
    return results


def rows(seeds: Sequence[dict[str, Found]]) -> list[bands.Row]:
    """A table: a row for each pipeline, with the share of the pairs found that are copies, and the recall of copies."""
    kinds = list(dict.fromkeys(what for seed in seeds for found in seed.values() for what in found.copies))
    table: list[bands.Row] = [["pipeline", "pairs", "precision", "recall", *kinds]]
    for pipeline in seeds[0]:
        each = [seed[pipeline] for seed in seeds]
        table.append(
            [
                f"`{pipeline.replace('|', chr(92) + '|')}`",
                sum(found.found for found in each),
                bands.shown((found.right, found.found) for found in each),
                bands.shown((found.right, sum(number for _, number in found.copies.values())) for found in each),
                *(bands.shown(found.copies.get(kind, (0, 0)) for found in each) for kind in kinds),
            ]
        )
    return table


def every(english: Source, russian: Source, han: Source) -> list[Task]:
    """All tasks, of descriptions in three languages."""
    long, middle, short = (
        scenarios.unlike(source, least, 5000) for source, least in ((english, 80), (russian, 50), (han, 100))
    )
    makes: list[tuple[str, Callable[[int], Planted], Sequence[str]]] = [
        ("titles en", lambda seed: scenarios.titles(english, seed), TITLES),
        ("titles ru", lambda seed: scenarios.titles(russian, seed), TITLES),
        ("templates en", lambda seed: scenarios.templates(long, seed), TEMPLATES),
        ("posts en", lambda seed: scenarios.posts(long, seed), POSTS),
        ("news en", lambda seed: scenarios.news(english, long, "en", seed), reports("en")),
        ("news ru", lambda seed: scenarios.news(russian, middle, "ru", seed), reports("ru")),
        ("news zh", lambda seed: scenarios.news(han, short, "zh", seed), chinese("simjoin", (0.3, 0.5))),
        ("passages en", lambda seed: scenarios.passages(english, long, "en", seed), borrowed("en")),
        ("passages ru", lambda seed: scenarios.passages(russian, middle, "ru", seed), borrowed("ru")),
        (
            "passages zh",
            lambda seed: scenarios.passages(han, short, "zh", seed),
            chinese("simjoin --measure containment", (0.15, 0.3)),
        ),
        ("pages marked", lambda seed: scenarios.sites(long, long, True, seed), PAGES),
        ("pages unmarked", lambda seed: scenarios.sites(long, long, False, seed), PAGES),
    ]
    return [Task(*each) for each in makes]
