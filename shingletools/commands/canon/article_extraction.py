"""The text of a page's article alone, such as a news item or a blog post, as Resiliparse finds it."""

import re
from collections.abc import Sequence
from functools import partial

from shingletools.commands.canon.html import PageReader
from shingletools.commands.canon.rules import PARAGRAPH
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


def article_reader(skip: Sequence[str] = ()) -> PageReader:
    """Returns the reader of the text of a page's article. Raises Failed unless `skip` has CSS selectors only.

    A heuristic, unlike `html_reader`: it judges by the names of elements and classes, and by the share of links in a
    block (Bevendorff et al., "An Empirical Comparison of Web Content Extraction Algorithms", 2023). Text that repeats
    within a page stays. A page without text is rejected.

    >>> article_reader()("<nav><a href=x>home</a></nav><article><h1>Cats</h1><p>Cats sleep.</article>").split()
    ['Cats', 'sleep.']
    """
    for selector in skip:
        try:
            extract((selector,), "<p>x")
        except ValueError:
            raise Failed(f"--skip: not a CSS selector: {shown(selector)}") from None
    return PageReader(partial(extract, skip), SECONDS_A_CHARACTER, MEMORY_A_CHARACTER)


def extract(skip: Sequence[str], markup: str) -> str:
    """Returns the article's text, with paragraph separators between blocks.

    Elements of NOT_ARTICLE are left out first. If fewer than MIN_ARTICLE_CHARS characters and less than half remain,
    the text is what Resiliparse takes for the main content; if there is none, all text of the page. Alternative texts,
    forms, readers' comments, and lines with author and date are left out. Raises ValueError if `skip` has no CSS
    selectors, Rejected if there is no text.
    """

    def plain(around: Sequence[str], main: bool = True) -> str:
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
    text = text if text.strip() else plain((), main=False)
    if not text.strip():
        raise Rejected("HTML without text")
    return BLOCK.sub(PARAGRAPH, text)
