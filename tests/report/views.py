"""What tests ask of a page: its lists, its facts, where passages stand, and other views."""

import re

from playwright.sync_api import Page

from report.browser import settled
from report.naive import WORD
from report.samples import comparisons, documents
from shingletools.commands.simshow.passages import Comparison

VIEWS = ("groups", "group/0", "pairs", "pair/0")
SLACK = 2  # pixels


def rows(page: Page) -> list[list[str]]:
    """The cells of a list, without the rows of texts; of ids without what isolates them."""
    return [row.locator("th a, td").all_inner_texts() for row in page.locator("tbody tr:has(th)").all()]


def folded() -> list[Comparison]:
    """Of the pairs of the same two texts the first: texts with the same words in the same order are the same."""
    words = {name: tuple(WORD.findall(text.lower())) for name, text in documents().items()}
    return [*{frozenset(words[str(name)] for name in (pair.a, pair.b)): pair for pair in comparisons()[::-1]}.values()]


def order() -> list[Comparison]:
    """The pairs as the list has them at first."""
    rows = {id(pair) for pair in folded()}
    pairs = [pair for pair in comparisons() if id(pair) in rows]
    return sorted(pairs, key=lambda pair: -float(str(pair.similarity)))


def facts(page: Page) -> dict[str, str]:
    texts = page.locator("dt, dd").all_inner_texts()  # all at once, since the page may be drawn again
    return dict(zip(texts[::2], texts[1::2], strict=True))


def search(page: Page, letters: str) -> None:
    page.get_by_label("Search").fill(letters)


def go(page: Page, view: str) -> None:
    """To another view of the same page."""
    page.goto(re.sub("#.*|$", f"#{view}", page.url, count=1))
    settled(page)


def overflow(page: Page) -> int:
    return int(page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth"))
