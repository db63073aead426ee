"""canon --html=article: the text of news and blogs, found by a library."""

import json
from importlib import metadata

import pytest

from harness import jsonl, run
from shingletools.commands.canon.article_extraction import article_reader
from shingletools.commands.canon.canonizer import Canonizer
from shingletools.system.errors import Rejected

SAID = "The council decided on Monday that the old bridge over the river will be open to walkers again in the spring."
MORE = "Engineers had found cracks in two of its piers, which were mended during the winter at the city's expense."
PAGE = f"""<!DOCTYPE html><html><head><title>Daily News</title><script>no()</script></head><body>
<nav><ul><li><a href="/a">politics</a><li><a href="/b">sports</a></ul></nav>
<main><article><h1>The bridge opens</h1><p>{SAID}</p><p>{MORE}</p><p class="x">{SAID}</p></article></main>
<aside class="related"><a href="/c">Read this, too</a></aside>
<div id="comments"><div class="comment">First! I was here before you all.</div></div>
<footer>All rights reserved</footer></body></html>"""
canonize = Canonizer()


def canonized(*texts: str) -> str:
    return canonize(" ".join(texts))


def test_the_article_and_what_repeats_in_it() -> None:
    assert canonize(article_reader()(PAGE)) == canonized(SAID, MORE, SAID)


def test_what_stands_in_an_article_and_is_none_of_its_text() -> None:
    around = (
        "<figure><img src=b><figcaption>The bridge in 1901</figcaption></figure>",
        "<p class=PhotoCaption>The mayor</p>",
        "<div id=newsletter-top><p>Get our letter each morning, for free, and read it with your coffee.</div>",
        "<div class='m related-links'><p>More: why the old bridge closed, and what that has cost the city.</div>",
    )
    assert canonize(article_reader()(PAGE.replace(f"<p>{MORE}", "".join(around) + f"<p>{MORE}"))) == canonized(
        SAID, MORE, SAID
    )


def test_an_article_that_is_within_what_would_be_left_out() -> None:
    wrapped = PAGE.replace("<main>", "<div class='post author-smith'>").replace("</main>", "</div>")
    assert canonized("The bridge opens", SAID, MORE, SAID) == canonize(article_reader()(wrapped))


def test_blocks_part_sentences() -> None:
    (record,) = run("canon", "--html=article", "--sentences", stdin=jsonl({"id": 1, "text": PAGE})).records()
    assert record["text"].split("\n") == [canonized(each) for each in (SAID, MORE, SAID)]
    version = metadata.version("resiliparse")
    assert record["via"].startswith(f"canon/4 html=article/2@resiliparse-{version} sentences")


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_skip(jobs: str) -> None:
    argv = "--html=article", "--skip", "h2", "--skip", ".x", "-j", jobs
    (record,) = run("canon", *argv, stdin=jsonl({"id": 1, "text": PAGE})).records()
    assert record["text"] == canonized(SAID, MORE)
    assert record["via"].endswith(",skip=.x%2Ch2")


def test_only_a_page_without_text_is_rejected() -> None:
    lines = jsonl({"id": 1, "text": "<nav><a href=x>home</a></nav>"}, {"id": 2, "text": PAGE}, {"id": 3, "text": "<p>"})
    ran = run("canon", "--html=article", stdin=lines)
    assert ran.status == 1
    assert [json.loads(line)["text"] for line in ran.out.splitlines()] == ["home", canonized(SAID, MORE, SAID)]
    assert ran.err.splitlines()[:1] == ["canon: -:3: HTML without text"]


def test_a_page_that_takes_too_long_is_rejected() -> None:
    """Nested blocks take the square of their number."""
    with pytest.raises(Rejected, match="too much memory or time"):
        article_reader()("<div>" * 30_000 + "x")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--skip", "[["], '--skip: not a CSS selector: "[["'),
    ],
)
def test_what_is_refused(options: list[str], message: str) -> None:
    ran = run("canon", "--html=article", *options, stdin=b"")
    assert (ran.status, ran.out) == (2, b"")
    assert ran.err.startswith(f"canon: {message}")
