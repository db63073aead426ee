"""The text of a page's article alone, such as a news item or a blog post, as Resiliparse finds it."""

import re
from functools import partial

from shingletools.commands.canon.html import limited, skipping
from shingletools.commands.canon.limited_process import LimitedProcess
from shingletools.commands.canon.rules import PARAGRAPH, Rule
from shingletools.record.package_versions import made_with
from shingletools.system.errors import Failed, Rejected, shown
from shingletools.system.lazy_imports import needs

SECONDS_A_CHARACTER, MEMORY_A_CHARACTER = 1e-6, 256  # real pages take at most 0.1 microseconds and 60 bytes
# Imported here, so that loading it does not count as time of a page. Raises Failed if it is missing
html2text = needs("--html=article", "resiliparse.extract.html2text", "html")
BLOCK = re.compile(r"\n\n+")  # what stands between blocks
MIN_ARTICLE_CHARS = 250  # characters: with less, a name may have been that of what holds the article
# What stands in or around articles and is none of their text, by parts of the names that pages give to classes and ids:
# those that gained most on every second page of Scrapinghub's article-extraction-benchmark
PARTS_OF_NAMES = tuple(
    "author caption cookie copyright credit footer gallery modal newsletter popular popup print promo related share "
    "social sponsor".split()
)
NOT_ARTICLE = (
    "figcaption",
    "h1",
    "header",
    *(f'[{of}*="{name}" i]:not(body, main, article)' for of in ("class", "id") for name in PARTS_OF_NAMES),
)


class Article:
    """Turns HTML into the text of its article. Raises Rejected if there is no text, or for too much memory or time.

    A heuristic, unlike `html.Html`: it judges by the names of elements and classes, and by the share of links in a
    block (Bevendorff et al., "An Empirical Comparison of Web Content Extraction Algorithms", 2023). Text that repeats
    within a page stays.

    >>> Article()("<nav><a href=x>home</a></nav><article><h1>Cats</h1><p>Cats sleep.</article>").split()
    ['Cats', 'sleep.']
    """

    def __init__(self, skip: tuple[str, ...] = ()) -> None:
        self.skip = skip
        self.confined = LimitedProcess(partial(extract, skip))

    def __reduce__(self) -> tuple[object, ...]:
        return Article, (self.skip,)

    def __call__(self, markup: str) -> str:
        text = limited(SECONDS_A_CHARACTER, MEMORY_A_CHARACTER, self.confined, markup, len(markup))
        if not text.strip():
            raise Rejected("HTML without text")
        return text


def extract(skip: tuple[str, ...], markup: str) -> str:
    """Returns the article's text, with paragraph separators between blocks.

    Elements of NOT_ARTICLE are left out first. If fewer than MIN_ARTICLE_CHARS characters and less than half remain,
    the text is what Resiliparse takes for the main content; if there is none, all text of the page. Alternative texts,
    forms, readers' comments, and lines with author and date are left out. Raises ValueError if `skip` has no CSS
    selectors.
    """

    def plain(around: tuple[str, ...], main: bool = True) -> str:
        text: str = html2text.extract_plain_text(
            markup,
            preserve_formatting=True,
            main_content=main,
            list_bullets=False,
            alt_texts=False,
            comments=False,
            post_meta=False,
            skip_elements=[*skip, *around] or None,
        )
        return text

    text = plain(NOT_ARTICLE)
    if len(text) < MIN_ARTICLE_CHARS and len(whole := plain(())) > 2 * len(text):
        text = whole
    return BLOCK.sub(PARAGRAPH, text if text.strip() else plain((), main=False))


def article(skip: list[str]) -> Rule:
    """Returns the rule. Raises Failed unless `skip` has CSS selectors only."""
    for selector in skip:
        try:
            extract((selector,), "<p>")
        except ValueError:
            raise Failed(f"--skip: not a CSS selector: {shown(selector)}") from None
    return Rule("html", skipping(made_with("article/2", "resiliparse"), skip), Article(tuple(skip)))
