"""canon --extract: the text of a page for people, whose words are those that canon takes from the page."""

import json
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from canon.test_article import MORE, PAGE, SAID
from harness import jsonl, pipe, run
from shingletools.commands.canon.canonizer import Canonizer
from shingletools.commands.canon.html import READABLE as PARTING
from shingletools.commands.canon.html import html_reader
from shingletools.commands.canon.readable_text import readable_html

canonize = Canonizer()
WHOLE, READABLE = html_reader(), partial(readable_html, html_reader(parting=PARTING))
PIECES = "a|Bc,|&amp;|&nbsp;|<script>no</script>|<svg><text>d</text></svg>|<div><p>| |\n|\0|\u2029".split("|")
PIECES += [f"<{name}>" for name in "p br b li ul pre table tr td img textarea option h1".split()]
PIECES += [f"</{name}>" for name in "p b ul pre table textarea h1".split()]


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        (
            "<title>T</title><h1>The\n Cat</h1><p>It's <b>R</b>ed,<br>and big.</p>",
            "T\n\nThe Cat\n\nIt's Red,\nand big.",
        ),
        ("<p>one<ul><li>two<li><p>three</ul>four", "one\n\ntwo\n\nthree\n\nfour"),
        ("<table><tr><td>1<td>2<tr><th>3</table>", "1 2\n3"),
        ("<p>a</p>\n\n<pre>\n b\n\n  c </pre>d", "a\n\n b\n\n  c\n\nd"),
        ("<pre>a\n  b<pre>c\n  d</pre>e\n  f</pre>g  h", "a\n  b\nc\n  d\ne\n  f\n\ng h"),
        ("<pre>a\n  b<textarea>c\n  d</textarea>e\n  f</pre>g  h", "a\n  b\nc\n  d\ne\n  f\n\ng h"),
        ("<pre></pre>a  b<textarea></textarea>c  d", "a b\n\nc d"),
        ("a&nbsp; b<img>c", "a\xa0 b c"),
        ("<nav>no</nav>", "no"),
        ("", ""),
    ],
)
def test_paragraphs_and_lines(markup: str, text: str) -> None:
    assert READABLE(markup) == text


@given(st.lists(st.sampled_from(PIECES), max_size=30).map("".join))
def test_its_words_are_those_of_the_page(markup: str) -> None:
    assert canonize(READABLE(markup)) == canonize(WHOLE(markup))


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_parts_of_a_page(jobs: str) -> None:
    for part, rule, headline in (
        ("main", "main/2", "Daily News\n\nThe bridge opens\n\n"),
        ("article", "article/2", ""),
    ):
        (record,) = run("canon -j", jobs, "--extract", f"--html={part}", stdin=jsonl({"id": 1, "text": PAGE})).records()
        assert record["text"] == f"{headline}{SAID}\n\n{MORE}\n\n{SAID}"
        assert record["via"].startswith(f"canon/3 extract html={rule}@")
    words = pipe(jsonl({"id": 1, "text": PAGE}), "canon --extract --html=main", "parts", "canon")
    assert [json.loads(line)["text"] for line in words.splitlines()] == [
        canonize(each) for each in ("Daily News", "The bridge opens", SAID, MORE, SAID)
    ]


def test_nothing_else_is_changed() -> None:
    text = " The “CAT”,\r\n\r\n  co-\noperates \u00ad. "
    ran = run("canon --extract --csv", stdin=f'text\n"{text}"\n'.encode())
    assert ran.records() == [{"id": 1, "text": text, "via": "canon/3 extract"}]
    edited = run("canon --extract --delete CAT --join-hyphens --lines", stdin=b"The CAT\n").records()
    assert edited == [{"id": 1, "text": "The ", "via": edited[0]["via"]}]


def test_rules_for_words_are_refused() -> None:
    for option in ("--stop=en", "--sentences", "--word=x", "--offsets", "--symbols", "--fold-homoglyphs"):
        ran = run("canon --extract", option)
        assert (ran.status, ran.err) == (
            2,
            f"canon: --extract leaves words as they are: no {option.partition('=')[0]}\n",
        )
