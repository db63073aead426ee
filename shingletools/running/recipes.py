"""Named pipelines for common jobs, and the join that proposes what `unique` checks."""

from collections.abc import Sequence
from typing import NamedTuple

from shingletools.cli.options import Printed
from shingletools.system.errors import Failed, printable

CITED = "title,year"  # two fields, so that each stays as it came beside the text
CITED_SHOWN = "key,author,journal,volume,pages,doi"  # beside these on a page
# Shingles, a join, and its usual threshold. Two texts of which each has at most a tenth of its own share 82 % of
# their words, whatever their length; a text that is there n times has n - 1 pairs
WORDS_IN_COMMON = "shingle -k 1", "simjoin -t {} --copies once", "0.75"
TITLES_ALIKE = "shingle --chars -k 3", "simjoin -t {}", "0.5"
EQUAL_VALUES = "shingle -k 1", "simjoin -t 1"


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
    f"canon --ris --text {CITED} refs.ris > titles; "
    "shingle --chars -k 3 titles | simjoin -t 0.5 | simcheck --citations --docs titles",
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


def run(name: str, argv: Sequence[str] | None, _: set[int]) -> int:
    """Prints the recipes. Raises Printed, or Failed for arguments."""
    if argv:
        raise Failed(f"unrecognized arguments: {printable(' '.join(argv))} (see {name.partition(' ')[0]} --help)")
    raise Printed("".join(f"{recipe.name}: {recipe.when}\n  {recipe.line}\n" for recipe in RECIPES))
