"""Named pipelines for common jobs, and the choice of one by the length of texts."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

SAMPLED = 1000  # documents whose words are counted
CITED = "title,author,journal,year"  # not the abstract: a long one has nearly all runs of any short reference
COUNTING = "shingle -k 1"  # makes the records that word_counts takes, of those of canon


class Recipe(NamedTuple):
    """A pipeline for one kind of texts, as it is typed in a shell."""

    name: str
    when: str
    line: str


NEAR_COPIES = Recipe(
    "near-copies", "texts of 100 words and more, slightly changed", "canon docs.jsonl | shingle -k 10 | simjoin -t 0.8"
)
SHORT_TEXTS = Recipe("short texts", "comments, descriptions, posts", "canon docs.jsonl | shingle -k 5 | simjoin -t 0.8")
TITLES = Recipe(
    "titles",
    "titles, names, addresses of up to 12 words",
    "canon docs.jsonl | shingle --chars -k 3 | simjoin -t 0.7",
)
CITATIONS = Recipe(
    "citations",
    "references of RIS, NBIB or BibTeX, some of which lack an author or the journal",
    f"canon --ris --text {CITED} refs.ris | shingle --chars -k 3 | simjoin --measure containment -t 0.85",
)
RECIPES = (
    NEAR_COPIES,
    SHORT_TEXTS,
    TITLES,
    CITATIONS,
    Recipe(
        "offers",
        "names of products, where words with digits, such as model numbers, count twice as much",
        r"canon --replace '(\w*\d\w*)=\1 \1q \1r \1s' docs.jsonl | shingle -k 1"
        " | simjoin --weights counted --measure cosine -t 0.65",
    ),
    Recipe(
        "quotations",
        "texts that share 29 words in a row, whatever else is in them",
        "canon docs.jsonl | shingle -k 10 | simjoin -m 20",
    ),
    Recipe(
        "boilerplate",
        "passages of 50 words that came before are cut out",
        "canon --offsets docs.jsonl | repeats -k 50 --cut",
    ),
    Recipe(
        "code",
        "source files of a folder, here those of Python",
        "canon --recursive --include '*.py' src | shingle -k 5 | simjoin -t 0.8",
    ),
    Recipe(
        "web pages",
        "main texts of the HTML in a folder",
        "canon --recursive --html=main site | shingle -k 5 | simjoin -t 0.5",
    ),
)
LENGTHS = ((12, TITLES), (99, SHORT_TEXTS))  # most words of half of the texts; longer ones are NEAR_COPIES


def recipe_for(counts: Sequence[int]) -> Recipe:
    """Returns the recipe for texts with these numbers of words.

    >>> recipe_for([3, 8, 500]).name, recipe_for([]).name
    ('titles', 'near-copies')
    """
    middle = median(counts)
    return next((recipe for most, recipe in LENGTHS if 0 < middle <= most), NEAR_COPIES)


def median(counts: Sequence[int]) -> int:
    """Returns the least number that half of the numbers do not exceed; 0 if there are none."""
    return sorted(counts)[(len(counts) - 1) // 2] if counts else 0


def word_counts(records: Iterable[Mapping[str, Any]]) -> list[int]:
    """Returns the numbers of words of the first documents, by their records of COUNTING; without those of no words.

    >>> word_counts([{"shingles": "0123456789abcdef 00000000000000ff"}, {"shingles": ""}])
    [2]
    """
    return [record["shingles"].count(" ") + 1 for record in islice(records, SAMPLED) if record["shingles"]]


def pairs_for_removal(recipe: Recipe, threshold: str | None = None) -> list[str]:
    """Returns the commands after canon: a text that is there n times has n - 1 pairs, which is enough for dedup.

    >>> pairs_for_removal(NEAR_COPIES, "0.9")
    ['shingle -k 10', 'simjoin -t 0.9 --copies once']
    """
    _, shingle, join = recipe.line.split(" | ")
    before, _, usual = join.rpartition(" ")
    return [shingle, f"{before} {threshold or usual} --copies once"]
