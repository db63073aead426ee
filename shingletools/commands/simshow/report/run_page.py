"""One HTML page of documents with their runs marked: no script, since there is nothing to choose."""

import re
from collections.abc import Iterator
from html import escape
from itertools import pairwise

from shingletools.commands.simshow.documents import Name
from shingletools.commands.simshow.marked_runs import MarkedDocument, MarkedRun
from shingletools.commands.simshow.report.page_shell import asset, source_of
from shingletools.commands.simshow.text_output import plural
from shingletools.system.errors import shown

OBEYED = re.compile("[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")

HEAD = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>Repeated passages</title>
<style>{style}</style>
</head>
<body>
<header>
<h1>Repeated passages</h1>
</header>
<main>
<p>{words} of {all_words} in {runs} of {documents}.{left}</p>
"""
END = "</main>\n</body>\n</html>\n"


class RunPage:
    """Keeps documents until all are there, then writes the page. Memory: the page, which `limit` bounds.

    limit: the bytes that documents may have together; one with which they would have more is left out.
    """

    def __init__(self, limit: int) -> None:
        self.room = limit
        self.places: dict[Name, int] = {}  # the numbers of the documents on the page
        self.listed: list[bytes] = []
        self.articles: list[bytes] = []
        self.words = self.all_words = self.runs = self.left = 0

    def write(self, document: MarkedDocument, /) -> bytes:
        self.words += document.covered
        self.all_words += len(document.edges.starts)
        self.runs += len(document.runs)
        place = len(self.articles)
        listed = f'<li><a href="#d{place}">{visible(document.summary())}</a></li>\n'.encode()
        article = b""
        if len(document.source) + len(listed) <= self.room:
            article = "".join(self.article(document, place)).encode()
        if not article or len(article) + len(listed) > self.room:
            self.left += 1
            return b""
        self.room -= len(article) + len(listed)
        self.places.setdefault(document.name, place)
        self.listed.append(listed)
        self.articles.append(article)
        return b""

    def article(self, document: MarkedDocument, place: int) -> Iterator[str]:
        """Yields a document: its figures, its original with the runs marked, and where each run came from."""
        yield f'<article id="d{place}" aria-labelledby="h{place}">\n'
        yield f'<h2 id="h{place}">{visible(document.summary())}</h2>\n'
        label = f"Text of {visible(shown(document.name))}"
        yield f'<div class="text" dir="auto" tabindex="0" role="region" aria-label="{label}">'
        for piece, begins, depth in pieces(document):
            for number in begins:
                yield f'<a class="number" href="#d{place}r{number}" id="d{place}m{number}">{number}</a>'
            text = visible(piece)
            yield f"<mark{' class=twice' * (depth > 1)}>{text}</mark>" if depth else text
        yield "</div>\n<ol>\n"
        for number, run in enumerate(document.runs, 1):
            link = f'<a href="#d{place}m{number}">{run.mark["from"]}-{run.mark["to"]}</a>'
            description = f"{link}, {plural(run.words, 'word')}{self.origin(run, document, place)}"
            yield f'<li id="d{place}r{number}">{description}</li>\n'
        yield "</ol>\n</article>\n"

    def origin(self, run: MarkedRun, document: MarkedDocument, place: int) -> str:
        """Returns the text about the origin of a run, with a link if that document is on the page."""
        description = visible(run.origin())
        of = run.mark.get("of")
        there = None if of is None else place if of["id"] == document.name else self.places.get(of["id"])
        return (
            description
            if there is None
            else f'<a href="#d{there}">{description.removeprefix(", ")}</a>'.join((", ", ""))
        )

    def finish(self) -> bytes:
        style = asset("report.css")
        left = f" {plural(self.left, 'document')} left out: the page would be larger than --limit." if self.left else ""
        head = HEAD.format(
            policy=f"default-src 'none'; style-src {source_of(style)}; base-uri 'none'; form-action 'none'",
            style=style,
            words=self.words,
            all_words=plural(self.all_words, "word"),
            runs=plural(self.runs, "run"),
            documents=plural(len(self.articles) + self.left, "document"),
            left=left,
        )
        contents = [b"<details>\n<summary>Documents</summary>\n<ol>\n", *self.listed, b"</ol>\n</details>\n"]
        return b"".join([head.encode(), *contents, *self.articles, END.encode()])


def pieces(document: MarkedDocument) -> Iterator[tuple[str, list[int], int]]:
    """Yields the original in pieces, with the numbers of the runs that begin with each, and in how many runs it is.

    >>> import numpy as np
    >>> runs = [MarkedRun((2, 6), {}), MarkedRun((4, 8), {})]
    >>> list(pieces(MarkedDocument(1, "a bc de f", (np.zeros(0), np.zeros(0)), runs, 3)))
    [('a ', [], 0), ('bc', [1], 1), (' d', [2], 2), ('e ', [], 1), ('f', [], 0)]
    """
    begin: dict[int, list[int]] = {}
    change = dict.fromkeys((0, len(document.source)), 0)
    for number, run in enumerate(document.runs, 1):
        first, last = run.place
        begin.setdefault(first, []).append(number)
        change[first] = change.get(first, 0) + 1
        change[last] = change.get(last, 0) - 1
    depth = 0
    for start, end in pairwise(sorted(change)):
        depth += change[start]
        yield document.source[start:end], begin.get(start, []), depth


def visible(text: str) -> str:
    """Returns a text for HTML; what would turn its direction, or is no character of HTML, as its number."""
    return escape(OBEYED.sub(lambda match: match[0].encode("unicode_escape").decode(), text))
