"""canon --html --offsets: where in the markup the words of a page stand."""

import json
import pickle
import re
import tracemalloc

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from canon.placing import both, found, shares
from harness import jsonl, run
from shingletools.commands.canon.character_references import SourcePiece
from shingletools.commands.canon.html import Html, parse_traced
from shingletools.commands.canon.html_text_places import NumberedPage
from shingletools.commands.canon.html_text_tokens import pieces
from shingletools.system.errors import Rejected

PARTS = """
<p> </p> <b> </b> <i> </i> <table> <tr> <td> </table> <svg> </svg> <math> <mi> <title> </title> <style> </style> <desc>
</desc> <script> </script> <!-- --> <!--> <textarea> </textarea> <select> <option> </select> <xmp> </xmp> <br/> &lt;
&amp &copyx; &#65; &#0; &#x80; &bogus; & < <3 </ </> <? > <![CDATA[ ]]> a b\u0301 É 中 \0 \u00ad x"y ' = <a <a/b=c/d>
<foreignObject> <template> </template> <frameset> <noscript> </noscript> <body> &nbsp; &#32; &NotEqualTilde; \ufeff
"""
SPACED = [" ", "\n", "\r\n", "<i a='x>y' b=\">\" c >", "\U000f0001"]
soup = st.lists(st.sampled_from([*PARTS.split(), *SPACED]), max_size=14).map("".join)


@given(soup)
@example("<frameset>a<frame>b</frameset>c")
@example("<svg><![CDATA[a<b>&lt;]]></svg><p>c")
@example("<svg><desc><style>a<b></style></desc><style>c<b>d</style></svg>e")
@example("<script><!--<script>a</script>b--></script>c<script><!--></script>d")
@example("<select><title>a<b>c</title></select>d")
@example("\ufeffa<plaintext>b&lt;</plaintext>")
@example("<textarea>\n\na</textarea><pre>\nb")
def test_any_markup(markup: str) -> None:
    """The text is the same, and what is copied stands where it comes from; or else the page is refused."""
    for page in (Html(), Html(main=True), Html(skip=("i", "p:empty", ":lexbor-contains('a')"))):
        expected = page(markup)
        try:
            text, origin = page.traced(markup)
        except Rejected as error:
            assert str(error) == "HTML in which --offsets cannot locate the text"
            continue
        assert text == expected
        for place, letter in enumerate(text):
            start, end = origin.place(place, place + 1)
            assert 0 <= start <= end <= len(markup)
            assert (
                markup[start:end] == letter
                or markup[start:end].startswith("&")
                or letter.isspace()
                or letter in "\0\ufffd"
            )


HTML = both("--html")


@given(soup)
@example("<svg>a</style>b<![CDATA[c d]]>&eacutee &#65")
@example("<table>a<td>b</table>\0c<select>d<option>e")
@settings(max_examples=150)
def test_words_of_any_markup(markup: str) -> None:
    """Those are made again whose places have no markup; what that means depends on what is around it."""
    canonize, place = HTML
    try:
        words, at = place(markup)
    except Rejected:
        return
    each = found(words, at)
    assert words == canonize(markup)
    for word, start, end in each:
        assert 0 <= start < end <= len(markup)
        alone = canonize(markup[start:end]).split()
        assert (
            alone == [word]
            or (word in alone and shares(each, start, end))
            or re.search(r"<[A-Za-z/!?]|\]\]>", markup[start:end])
        )


def test_text_that_is_taken_for_markup() -> None:
    """In a page of which the tokenizer takes too much for SVG; none of its words has an empty place."""
    markup = "<li>a<li>b</li></ul><svg>c</li><textarea>d </nav></svg><nav>e</textarea>"
    with pytest.raises(Rejected, match=r"^HTML in which --offsets cannot locate the text$"):
        HTML[1](markup)
    page = NumberedPage("x \U000f0000y", [SourcePiece(0, 1, "a")], 1)
    assert page.trace("x ay", page.markup) is None
    assert page.trace("ay", page.markup[2:]) is None


def test_a_page_whose_text_is_not_found() -> None:
    """In a page of frames a title is none, but a tokenizer does not know that."""
    line = jsonl({"id": 1, "text": "<frameset><title>a<?</title>"}, {"id": 2, "text": "<title>a<?</title>"})
    ran = run("canon --html --offsets", stdin=line)
    assert (ran.status, ran.err) == (1, "canon: -:1: HTML in which --offsets cannot locate the text\n")
    assert [json.loads(each)["at"] for each in ran.out.splitlines()] == ["7-8"]


@pytest.mark.parametrize(
    "markup",
    [
        "<p>" * 600 + "a" + "<b>x</b>" * 4000,  # numbers of one digit, in a process of its own
        "<i>x</i> " * 33_000,  # of two
    ],
)
def test_a_large_page(markup: str) -> None:
    canonize, place = both("--html")
    words, at = place(markup)
    assert words == canonize(markup)
    every = found(words, at)
    assert "".join(re.sub("<[^>]*>", "", markup[start:end]) for _, start, end in every) == words.replace(" ", "")


def test_ends_of_what_is_not_open() -> None:
    """The parser takes the square of such a page's size, and is ended; to number its text must not take as long."""
    markup = "<svg>" + "<a>" * 100_000 + "</q>" * 100_000 + "x"
    assert [piece.text for piece in pieces(markup)] == ["x"]
    for to_text in (Html(), Html().traced):
        with pytest.raises(Rejected, match=r"^HTML that takes too much memory or time$"):
            to_text(markup)


def test_numbers_take_no_more_memory_than_a_page_may() -> None:
    """A million pieces of a character; where memory ends is not said, only that the next page is there."""
    line = jsonl({"id": 1, "text": "&a" * 800_000}, {"id": 2, "text": "<p>next"})
    ran = run("bash", "-c", "ulimit -v 500000; canon --html --offsets", stdin=line)
    assert (ran.status, ran.err) == (1, "canon: -:1: HTML that takes too much memory or time\n")
    assert [json.loads(each)["at"] for each in ran.out.splitlines()] == ["3-7"]


@pytest.mark.parametrize("unit", ["&a", "<p>a", "a&lt;"])
def test_what_an_origin_takes(unit: str) -> None:
    """It comes back to a process that has no limit."""
    markup = unit * 50_000
    sent = pickle.dumps(parse_traced(False, (), markup)[1])
    tracemalloc.start()
    origin = pickle.loads(sent)
    taken = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert origin.size > 50_000
    assert taken < 30 * len(markup)
