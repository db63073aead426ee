"""canon --html: what a page's text is, and pages made to break parsers."""

import html
import json
import random
from importlib import metadata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness import DOCS, jsonl, run
from shingletools.commands.canon.canonizer import Canonizer
from shingletools.commands.canon.html import PageReader, html_reader
from shingletools.system.errors import Rejected

canonize = Canonizer()
page = html_reader()
TOO_MUCH = "HTML that takes too much memory or time"


def words(markup: str, to_text: PageReader = page) -> str:
    return canonize(to_text(markup))


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("<p>a</p><p>b</p>", "a b"),
        ("<b>a</b>b", "ab"),
        ("a<br>b<BR/>c", "a b c"),
        ("a<hr>b<wbr>c", "a bc"),
        ("<table><tr><td>a<td>b<tr><th>c</table>d", "a b c d"),
        ("<ul><li>a<li>b</ul>c<dl><dt>d<dd>e</dl>", "a b c d e"),
        ("x<div><span>a</span><div>b</div>c</div>d", "x a b c d"),
        ("<title>T&amp;t</title><meta name=a content=no><style>no</style><p>p", "t t p"),
        ("<head><title>a</title><script>no()</script><noscript><img alt=no></noscript></head><body>b", "a b"),
        ("a<script>'<p>no'</script>b<!-- no --><style>no{}</style>c<template><p>no</template>d", "abcd"),
        ("<noscript><p>no</p></noscript>a<iframe>no</iframe>b<noframes>no</noframes>c", "abc"),
        ("<img src=no alt='no' title=no>a<input value=no placeholder=no>b", "a b"),
        ("a<option>b<option>c<textarea><b>d</b></textarea>", "a b c b d b"),
        ("caf&eacute; &lt;b&gt; &#x41;&#66; &notanentity; AT&T x&nbsp;y", "café b ab anentity at t x y"),
        ("soft&shy;ly zero&#8203;width", "softly zerowidth"),
        ("<p>unclosed <b>bold <i>both</b> italic</i> <a href='x>y'>link</p", "unclosed bold both italic link"),
        ("</p></b></nothing>a < b <3 c <> d </ e> f", "a b 3 c d f"),
        ("<my-tag>a</my-tag>b<o:p>c</o:p>d", "abcd"),
        ("<svg><text>a</text></svg>b<math><mi>c</mi></math>", "a bc"),
        ("<select><button><selectedcontent></selectedcontent></button><option>a</select>", "a"),
        ("a<plaintext>b</p>c", "a b p c"),
        ("<ruby>漢<rp>(<rt>kan<rp>)</ruby>b", "漢 kan b"),
        ("plain text, no markup", "plain text no markup"),
        ("", ""),
        ("<", ""),
        ("nul\x00nul<p>\x00", "nulnul"),
    ],
)
def test_text(markup: str, text: str) -> None:
    assert words(markup) == text


Tree = tuple[str, list["Tree | str"]]
strings = st.text("aB<>&\"' é中\n;#x-!/", max_size=6)
inline = st.recursive(
    strings, lambda inner: st.tuples(st.sampled_from(["b", "span", "a", "em", "x-y"]), st.lists(inner, max_size=3))
)
blocks = st.recursive(
    st.tuples(st.just("p"), st.lists(inline, max_size=3)),
    lambda inner: st.tuples(
        st.sampled_from(["div", "section", "li", "blockquote"]), st.lists(inline | inner, max_size=4)
    ),
)


def markup_of(tree: "Tree | str") -> str:
    if isinstance(tree, str):
        return html.escape(tree)
    name, children = tree
    return f'<{name} class="no">{"".join(map(markup_of, children))}</{name}>'


def text_of(tree: "Tree | str") -> str:
    if isinstance(tree, str):
        return tree
    name, children = tree
    edge = "\n" if name in ("p", "div", "section", "li", "blockquote") else ""
    return edge + "".join(map(text_of, children)) + edge


def unnested(tree: "Tree | str", names: frozenset[str] = frozenset()) -> bool:
    """A link in a link, or a list item directly in another, ends the one before."""
    if isinstance(tree, str):
        return True
    name, children = tree
    return name not in names and all(unnested(child, names | ({name} & {"a", "li"})) for child in children)


@given(st.lists(blocks, max_size=3))
def test_text_of_any_tree(trees: list[Tree]) -> None:
    trees = [tree for tree in trees if unnested(tree)]
    expected = canonize("".join(map(text_of, trees)))
    markup = "".join(map(markup_of, trees))
    assert words(markup) == expected


def with_references(text: str, rng: random.Random) -> str:
    """Some characters as themselves, others as decimal, hexadecimal or named references."""
    forms = (html.escape, html.escape, lambda c: f"&#{ord(c)};", lambda c: f"&#x{ord(c):x};")
    return "".join(rng.choice(forms)(character) for character in text)


def test_wrapping_real_text_in_html_changes_nothing() -> None:
    rng = random.Random(7)
    for line in DOCS.open(encoding="utf-8"):
        text = json.loads(line)["text"]
        lines = "".join(f"<div>{with_references(part, rng)}</div>" for part in text.split("\n"))
        assert words(f"<!doctype html><html><body class=x>{lines}</body></html>") == canonize(text)


SITE = """<!doctype html><title>Title</title><body>
<header>Site <nav>Home About</nav></header><div role=Navigation>Crumbs</div>
{}<aside>Related</aside><footer>Imprint</footer>"""


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("<article><header>Head</header>Body<nav>1 2</nav><footer>By me</footer></article>", "title head body by me"),
        ("<main><h1>Head</h1>Body</main>Outside", "title head body"),
        ("<main>One<div role=main>Two</div></main><div role=MAIN>Three</div>", "title one two three"),
        (
            "<main>One<div><p>Two<i role=main>Three</i><main>Four</main></div></main><main>Five</main>",
            "title one twothree four five",
        ),
        ("<aside><div><main>One</main></div></aside><p><b role=Main>Two</b>", "title one two"),
        ("<main></main><p>Body", "title body"),
        ("<article><div><header>Head</header>Body<footer>By me</footer></div></article>", "title head body by me"),
        (
            "<section><p>Body<div><div><header>Head</header></div><b><footer>By me</footer></b></div></section>",
            "title body head by me",
        ),
        ("<p>Body<div role=search>Find</div><div role=complementary>Ads</div>", "title body"),
    ],
)
def test_main_content(content: str, text: str) -> None:
    assert words(SITE.format(content), html_reader(main=True)) == text


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("<title>Pump A1</title><main>Body</main>", "pump a1 body"),
        ("<title>Pump\n A1</title><main><h1>Pump <b>A1</b></h1>Body</main>", "pump a1 body"),
        ("<title>Pump A1 - Site</title><main><h1>Pump A1</h1>Body</main>", "pump a1 site pump a1 body"),
        ("<header>Site<h1>Pump A1</h1></header><h1>Pump A1</h1><main>Body</main>", "pump a1 body"),
        ("<header>Site<h1>Pump A1</h1></header><p>Body", "pump a1 body"),
        ("<main>Body<aside>No<h1>Pump A1</h1></aside></main>", "pump a1 body"),
        ("<aside><main><h1>Pump A1</h1>Body</main></aside>", "pump a1 body"),
        ("<h1>Pump <div><h1>A1</h1></div></h1><main>Body</main>", "pump a1 body"),
        ("<svg><title>no</title></svg><template><h1>No</h1></template><main>Body</main>", "body"),
        ("<header class=no><div><h1>No</h1></div></header><h1><b class=no>No</b>A1</h1><main>Body</main>", "a1 body"),
    ],
)
def test_a_title_and_headlines_are_main_text(markup: str, text: str) -> None:
    """Pages may differ only in these."""
    assert words(markup, html_reader(main=True, skip=[".no"])) == text


def test_a_page_that_is_nothing_but_its_header_keeps_it() -> None:
    assert words("<header>All<nav> there</nav> is</header>", html_reader(main=True)) == "all there is"


def main_parts(tree: "Tree | str", inside: bool = False) -> str:
    """What is in the outermost main parts, by the definition."""
    if isinstance(tree, str):
        return tree if inside else ""
    name, children = tree
    within = "".join(main_parts(child, inside or name == "main") for child in children)
    return f"\n{within}\n" if name in ("div", "main") else within


@given(
    st.recursive(
        st.text("ab", max_size=2),
        lambda inner: st.tuples(st.sampled_from(["div", "main", "b"]), st.lists(inner, max_size=3)),
    )
)
def test_main_parts_in_each_other(tree: "Tree | str") -> None:
    expected = canonize(main_parts(tree))
    markup = markup_of(tree)
    assert words(markup, html_reader(main=True)) == (expected or words(markup))


def test_skip() -> None:
    stdin = jsonl({"id": 1, "text": "<p class='ad x'>Buy</p><p>Text</p><div id=n><p>Next</div>"})
    version = metadata.version("selectolax")
    ran = run("canon", "--html", "--skip", ".ad", "--skip", "#n", stdin=stdin).records()
    assert ran == [{"id": 1, "text": "text", "via": f"canon/4 html=page@selectolax-{version},skip=%23n%2C.ad"}]
    for argv, message in [
        (["--html", "--skip", "p["], '--skip: not a CSS selector: "p["'),
        (["--skip", "p"], "--skip needs --html"),
        (["--html=x"], 'argument --html: not one of page, main, article: "x" (see canon --help)'),
    ]:
        ran2 = run("canon", *argv)
        assert (ran2.status, ran2.out, ran2.err) == (2, b"", f"canon: {message}\n")


# Each makes the parser's time or memory grow with the square of its size, or its tree with the size; at 1 MB. The
# limits are the same for all, so these are few; .ci/pages looks for others.
BOMBS = {
    "blocks": "<div>x" * 150_000,
    "formatting": "<p>" + "".join(f"<b a={i}>" for i in range(45_000)) + "<p>x" * 125_000,
    "ends in cells": "<p>" + "".join(f"<b a={i}><table><td></b></table>" for i in range(22_000)) + "<p>x" * 5000,
    "raw text of a long s": "<ſcript><p " + " ".join(f"a{i}" for i in range(120_000)) + ">x",
    "empty comments": "x<!>" * 200_000,
    "options": "<select>" + "<option>x" * 100_000,
}


@pytest.mark.slow
@pytest.mark.parametrize("name", BOMBS)
def test_bombs(name: str, tmp_path: Path) -> None:
    """Without limits each takes minutes or gigabytes; with them its text is there, or the page is rejected in words."""
    stdin = jsonl({"id": 1, "text": BOMBS[name]}, {"id": 2, "text": "<p>next"})
    ran = run("bash", "-c", "ulimit -v 1000000; canon --html", stdin=stdin, cwd=tmp_path)
    *first, last = map(json.loads, ran.out.splitlines())
    assert last["text"] == "next"
    assert [ran.status, ran.err] == ([0, ""] if first else [1, f"canon: -:1: {TOO_MUCH}\n"])
    for record in first:
        assert set(record["text"].split()) <= {"x", "xy", "ſcript".casefold(), "x" * 200_000}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("markup", "main"),
    [
        ("<div>x" * 100_000, True),  # eight seconds
        ("".join(f"<p><b a={i}>" for i in range(16_000)), False),  # 20 GB
    ],
)
def test_what_takes_too_much_is_rejected(markup: str, main: bool) -> None:
    to_text = html_reader(main)
    with pytest.raises(Rejected, match=f"^{TOO_MUCH}$"):
        to_text(markup)
    assert words("<p>next" * 200, to_text) == " ".join(["next"] * 200)  # in another process


def test_end_tags_that_begin_elements() -> None:
    assert words("</p>xy" * 300_000) == " ".join(["xy"] * 300_000)


@pytest.mark.parametrize(
    "unit", ["<", "<a ", "<a b='", "<!-- ", "<script>", "</ ", "&#x", "<title>", "<![CDATA[", "&amp", "<!"]
)
def test_a_million_times_what_begins_markup(unit: str) -> None:
    canonical = words("word " + unit * 1_000_000)
    assert canonical.startswith("word")
    assert words("word " + unit * 2) in canonical


def test_what_is_no_html() -> None:
    png = b"\x89PNG\r\n\x1a\n" + random.Random(1).randbytes(100_000)
    ran = run("canon", "--html", "--whole", stdin=png)
    assert (ran.status, ran.err) == (2, "canon: -: not UTF-8 (byte 1)\ncanon: not one good record\n")
    text = png.decode("utf-8", "replace")
    (record,) = run("canon", "--html", stdin=jsonl({"id": 1, "text": text})).records()
    assert record["text"].startswith("png")


SANE = {
    "anchors that are not ended": "<p><a name=x>text here<p>and there<br>" * 3000,
    "a list that is not ended": "<dt>term<dd>text <b>here</b> and there" * 20_000,
    "a table": "<tr><td><a href=x>word</a></td><td><b>x</b></td></tr>" * 20_000,
    "a table of numbers": ("<tr>" + "<td>12</td>" * 10) * 9000,
    "small blocks": "<div><p>word</p></div>" * 40_000,
    "headlines that are not ended": "<h1><div>word " * 4000,
    "highlighted": "<pre>" + '<span class="k">a</span> <span class="n">b</span>\n' * 100_000,
}


@pytest.mark.parametrize("name", SANE)
def test_sane_pages_keep_their_structure(name: str) -> None:
    content = SANE[name].removeprefix("<pre>")
    opening = "<table>" if "table" in name else "<dl>" if "list" in name else "<pre>" if "<pre>" in SANE[name] else ""
    markup = f"<nav>Menu</nav><main>{opening}{content}"
    assert words(markup, html_reader(main=True)) == canonize(html_reader()(f"{opening}{content}"))
