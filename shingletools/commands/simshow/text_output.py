"""Comparisons for people to read: passages with their differences and surroundings."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest
from typing import NamedTuple

import numpy as np

from shingletools.commands.simshow import terminal_text
from shingletools.commands.simshow.documents import Name, Place, ShownDocument
from shingletools.commands.simshow.passages import EQUAL, ONLY_A, ONLY_B, Comparison, Passage
from shingletools.commands.simshow.report.pair_origin import Corpus
from shingletools.commands.simshow.spec import Layout
from shingletools.commands.simshow.terminal_text import Line, Span
from shingletools.kernel.types import Index
from shingletools.system import errors

MAX_EQUAL_CHARS = 480  # code points of equal words that are shown in full
END_CHARS = 200  # code points at each end of longer ones
CONTEXT_CHARS = 200  # code points, at most, before and after a passage
MAX_PATTERN_CHARS, PATTERN_END_CHARS = 120, 45  # the same in the pattern of a group
BETWEEN = " | "
VARIES = "⟨…⟩"

Marks = tuple[str, str, str]  # text before and after words of one side only, and their style
MARKED: dict[str, Marks] = {ONLY_A: ("[-", "-]", terminal_text.ONLY_A), ONLY_B: ("{+", "+}", terminal_text.ONLY_B)}


class Edges(NamedTuple):
    """Starts and ends of a text's words, each ascending, whatever the order of the words."""

    starts: Index
    ends: Index


def summary(compared: Comparison) -> str:
    """Returns the line of a pair."""
    names = f"{errors.shown(compared.a)} {errors.shown(compared.b)}"
    if compared.similarity is not None:
        names += f" {compared.similarity}"
    words, passages = plural(compared.shared, "word"), plural(len(compared.passages), "passage")
    shares = (
        f"{100 * compared.shared // max(total, 1)}% of {side}" for total, side in zip(compared.words, "ab", strict=True)
    )
    return f"{names}: {words} in {passages}, {', '.join(shares)}, longest {compared.longest}"


def plural(number: int, of_what: str) -> str:
    return f"{number} {of_what}{'s' * (number != 1)}"


def headline(passage: Passage, number: int) -> str:
    """Returns the line above a passage."""
    (a, a_end), (b, b_end) = passage.a, passage.b
    return f"{number}: a {a}-{a_end}, b {b}-{b_end}, {plural(passage.words, 'word')}"


class LineWriter:
    """Writes one line for each pair."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout

    def write(self, compared: Comparison, _a: ShownDocument, _b: ShownDocument, /) -> bytes:
        return f"{summary(compared)}\n".encode()

    def group(self, _name: Name, _members: Sequence[Name], /) -> bytes:
        return b""

    def finish(self, _corpus: Corpus, /) -> bytes:
        return b""


class TextWriter(LineWriter):
    """Writes each passage as it stands in a, with [-words of a only-] and {+words of b only+}."""

    def write(self, compared: Comparison, a: ShownDocument, b: ShownDocument, /) -> bytes:
        lines = [[(summary(compared), terminal_text.HEAD)]]
        edges = Edges(np.sort(a.starts), np.sort(a.ends))
        for number, passage in enumerate(compared.passages, 1):
            lines.append([(f"  {headline(passage, number)}", terminal_text.PLAIN)])
            lines += self.body(passage, a, b, edges)
        if self.layout.unshared:
            lines += self.unshared(compared, a, b)
        return terminal_text.in_bytes([*lines, []], self.layout.colour)

    def unshared(self, compared: Comparison, *texts: ShownDocument) -> Iterator[Line]:
        """Yields the words that are in no passage, for each text."""
        for side, text in zip((ONLY_A, ONLY_B), texts, strict=True):
            order = np.argsort(text.starts, kind="stable")
            starts, ends = text.starts[order], text.ends[order]
            free = np.ones(len(order) + 2, np.bool_)
            free[[0, -1]] = False
            for first, last in (getattr(passage, side) for passage in compared.passages):
                free[1:-1] &= (ends <= first) | (starts >= last)
            edges = np.flatnonzero(free[1:] != free[:-1]).reshape(-1, 2).tolist()
            for first, last in edges:
                place = int(starts[first]), int(ends[first:last].max())
                yield [(f"  only {side} {place[0]}-{place[1]}, {plural(last - first, 'word')}", terminal_text.PLAIN)]
                spans = [self.piece(text.source, place, 0, MARKED[side], False)]
                yield from terminal_text.indented(spans, self.layout.width)
        yield [("  case and punctuation do not count", terminal_text.CONTEXT)]

    def body(self, passage: Passage, a: ShownDocument, b: ShownDocument, edges: Edges) -> Iterator[Line]:
        return in_context(self.both(passage, a, b), a.source, edges, passage.a, self.layout)

    def both(self, passage: Passage, a: ShownDocument, b: ShownDocument) -> Iterator[Span]:
        """Yields the words of a passage and, between them, the blanks and signs of a."""
        at = passage.a[0]
        for number, piece in enumerate(passage.pieces):
            if piece.kind == ONLY_B:
                before, behind = passage.pieces[number - 1 : number + 2 : 2]
                signs = a.source[at : behind.a[0]]
                if before.kind == EQUAL and signs.strip() and b.source[before.b[1] : piece.b[0]].strip():
                    # Both texts have signs here, such as the end of a sentence: words of b go after them
                    yield signs, terminal_text.PLAIN
                    yield self.piece(b.source, piece.b, 0, MARKED[ONLY_B], piece.template)
                    yield " ", terminal_text.PLAIN
                    at = max(at, behind.a[0])
                    continue
                yield "" if before.kind == ONLY_A else " ", terminal_text.PLAIN
                yield self.piece(b.source, piece.b, 0, MARKED[ONLY_B], piece.template)
                continue
            yield a.source[at : piece.a[0]], terminal_text.PLAIN
            yield self.piece(a.source, piece.a, at, None if piece.kind == EQUAL else MARKED[ONLY_A], piece.template)
            at = max(at, piece.a[1])

    def piece(self, source: str, place: Place, at: int, marks: Marks | None, template: bool) -> Span:
        """Returns the text of a piece; of equal words, only what is after `at`, since places may overlap."""
        if marks is not None:
            before, behind, style = marks
            return f"{before}{source[slice(*place)]}{behind}", style
        text = source[max(at, place[0]) : place[1]]
        text = text if self.layout.whole else shortened(text)
        return (f"[={text}=]", terminal_text.TEMPLATE) if template and text else (text, terminal_text.PLAIN)


class ColumnWriter(TextWriter):
    """Writes each passage in two columns, as it stands in a and in b."""

    def body(self, passage: Passage, a: ShownDocument, b: ShownDocument, _edges: Edges) -> Iterator[Line]:
        none: Line = []
        width = max((self.layout.width - 4 - len(BETWEEN)) // 2, 10)
        left, right = (
            terminal_text.flow(self.one(passage, side, text), width) for side, text in ((ONLY_A, a), (ONLY_B, b))
        )
        for one, two in zip_longest(left, right, fillvalue=none):
            blank = " " * (width - sum(terminal_text.columns(text) for text, _ in one))
            yield [
                (terminal_text.INDENT, terminal_text.PLAIN),
                *one,
                (blank + (BETWEEN if two else BETWEEN.rstrip()), terminal_text.PLAIN),
                *two,
            ]

    def one(self, passage: Passage, side: str, text: ShownDocument) -> Iterator[Span]:
        """Yields the words of a passage on one side."""
        at = getattr(passage, side)[0]
        for piece in passage.pieces:
            if piece.kind not in (EQUAL, side):
                continue
            start, end = getattr(piece, side)
            yield text.source[at:start], terminal_text.PLAIN
            marks = MARKED[side] if piece.kind == side else None
            yield self.piece(text.source, (start, end), at, marks, piece.template)
            at = max(at, end)


class PatternWriter(LineWriter):
    """Writes a line for each group: its size, its first id, and its first text, with VARIES for words that others lack.

    Texts that share less than half of its words with the first do not count.
    """

    first: ShownDocument | None = None

    def write(self, compared: Comparison, a: ShownDocument, b: ShownDocument, /) -> bytes:
        if self.first is None:
            self.first = a
            order = np.argsort(a.starts, kind="stable")
            self.starts, self.ends = a.starts[order], a.ends[order]
            self.common, self.longer = np.ones(len(order), np.bool_), np.zeros(len(order) + 1, np.bool_)
        if 2 * compared.shared < len(self.common):
            return b""
        here = np.zeros_like(self.common)
        for piece in (piece for passage in compared.passages for piece in passage.pieces):
            if piece.kind == EQUAL:
                here |= (self.starts >= piece.a[0]) & (self.ends <= piece.a[1])
            elif piece.kind == ONLY_B:
                self.longer[np.searchsorted(self.starts, piece.a[0])] = True
        self.common &= here
        at = end = 0  # in a and in b
        for passage in sorted(compared.passages, key=lambda passage: passage.b):
            if np.any((b.starts >= end) & (b.ends <= passage.b[0])):
                self.longer[np.searchsorted(self.starts, passage.a[0])] = True
            at, end = passage.a[1], max(end, passage.b[1])
        if np.any(b.starts >= end):
            self.longer[np.searchsorted(self.starts, at)] = True
        return b""

    def group(self, name: Name, members: Sequence[Name], /) -> bytes:
        if self.first is None:
            return b""
        text = " ".join(terminal_text.safe("".join(self.pattern())).split())
        self.first = None
        return f"{len(members)} {errors.shown(name)}: {text if self.layout.whole else shortened(text)}\n".encode()

    def pattern(self) -> Iterator[str]:
        """Yields the first text in parts: what is common to all, and VARIES for the rest."""
        assert self.first is not None
        source, at, end, varied = self.first.source, 0, 0, False
        for place in (np.flatnonzero(self.common[1:-1] & ~self.common[:-2] & ~self.common[2:]) + 1).tolist():
            # A part of a number or an address that varies on both sides says nothing
            self.common[place] = any(map(str.isspace, source[self.ends[place - 1] : self.starts[place + 1]]))
        for place, (start, end) in enumerate(zip(self.starts.tolist(), self.ends.tolist(), strict=True)):
            alike = self.common[place]
            if not varied and (not alike or self.longer[place]):
                yield self.shown(source[at:start])
                yield f"{VARIES} " if alike else VARIES
                at = start
            varied = not alike
            at = at if alike else max(at, end)
        if self.longer[-1] and not varied:
            yield self.shown(source[at:end])
            yield f" {VARIES}"
            at = max(at, end)
        yield self.shown(source[at:])

    def shown(self, text: str) -> str:
        return text if self.layout.whole else shortened(text, MAX_PATTERN_CHARS, PATTERN_END_CHARS)


def in_context(spans: Iterable[Span], source: str, edges: Edges, place: Place, layout: Layout) -> Iterator[Line]:
    """Yields the lines of a place with the words around it."""
    before, behind = around(source, edges, place, layout.context)
    marked = [(before, terminal_text.CONTEXT), (">>", terminal_text.HEAD), *spans]
    marked += [("<<", terminal_text.HEAD), (behind, terminal_text.CONTEXT)]
    return terminal_text.indented(marked, layout.width)


def around(source: str, edges: Edges, place: Place, words: int) -> tuple[str, str]:
    """Returns the text of `words` words before a place, and after it."""
    starts, ends = edges
    first = int(np.searchsorted(starts, place[0]))
    last = int(np.searchsorted(ends, place[1], "right"))
    start = int(starts[max(first - words, 0)]) if words and first else place[0]
    end = int(ends[min(last + words, len(ends)) - 1]) if words and last < len(ends) else place[1]
    return source[max(start, place[0] - CONTEXT_CHARS) : place[0]], source[
        place[1] : min(end, place[1] + CONTEXT_CHARS)
    ]


def shortened(text: str, most: int = MAX_EQUAL_CHARS, end: int = END_CHARS) -> str:
    """Returns the ends of a long text, with the number of characters left out between."""
    if len(text) <= most:
        return text
    head = text[:end].rpartition(" ")[0] or text[:end]
    tail = text[-end:].partition(" ")[2] or text[-end:]
    return f"{head} [... {len(text) - len(head) - len(tail)} characters ...] {tail}"
