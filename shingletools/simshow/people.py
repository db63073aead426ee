"""Comparisons for people: what is shared, with what stands around it, and the differences within it."""

from collections.abc import Iterator, Sequence
from itertools import zip_longest

import numpy as np

from shingletools import errors
from shingletools.simshow import terminal
from shingletools.simshow.documents import Name, Place, Shown
from shingletools.simshow.passages import EQUAL, ONLY_A, ONLY_B, Comparison, Passage
from shingletools.simshow.spec import Form
from shingletools.simshow.terminal import Line, Span

LONG = 480  # code points of equal words that are shown whole
KEPT = 200  # of longer ones, at each end
AROUND = 200  # at most, of what stands before or behind a passage
BETWEEN = " | "


def summary(compared: Comparison) -> str:
    """A line for a pair."""
    names = f"{errors.shown(compared.a)} {errors.shown(compared.b)}"
    if compared.similarity is not None:
        names += f" {errors.shown(str(compared.similarity))[1:-1]}"
    words, passages = counted(compared.shared, "word"), counted(len(compared.passages), "passage")
    shares = (
        f"{100 * compared.shared // max(total, 1)}% of {side}" for total, side in zip(compared.words, "ab", strict=True)
    )
    return f"{names}: {words} in {passages}, {', '.join(shares)}, longest {compared.longest}"


def counted(number: int, of_what: str) -> str:
    return f"{number} {of_what}{'s' * (number != 1)}"


def places(passage: Passage, number: int) -> str:
    """A line for a passage."""
    (a, a_end), (b, b_end) = passage.a, passage.b
    return f"{number}: a {a}-{a_end}, b {b}-{b_end}, {counted(passage.words, 'word')}"


class AsLines:
    """One line for each pair."""

    def __init__(self, form: Form) -> None:
        self.form = form

    def write(self, compared: Comparison, _a: Shown, _b: Shown, /) -> bytes:
        return f"{summary(compared)}\n".encode()

    def group(self, _name: Name, _members: Sequence[Name], /) -> bytes:
        return b""

    def finish(self) -> bytes:
        return b""


class AsText(AsLines):
    """Each passage as it stands in a; words that only a has in [-these-], words that only b has in {+those+}."""

    def write(self, compared: Comparison, a: Shown, b: Shown, /) -> bytes:
        lines = [[(summary(compared), terminal.HEAD)]]
        for number, passage in enumerate(compared.passages, 1):
            lines.append([(f"  {places(passage, number)}", terminal.PLAIN)])
            lines += self.body(passage, a, b)
        lines.append([])
        return "".join(f"{terminal.shown(line, self.form.colour)}\n" for line in lines).encode()

    def body(self, passage: Passage, a: Shown, b: Shown) -> Iterator[Line]:
        before, behind = around(a, passage.a, self.form.context)
        spans = [(before, terminal.CONTEXT), (">>", terminal.HEAD), *self.both(passage, a, b)]
        spans += [("<<", terminal.HEAD), (behind, terminal.CONTEXT)]
        for line in terminal.flow(spans, max(self.form.width - 4, 20)):
            yield [("    ", terminal.PLAIN), *line]

    def both(self, passage: Passage, a: Shown, b: Shown) -> Iterator[Span]:
        """A passage's words; between them, the blanks and signs that a has there."""
        at = passage.a[0]
        for number, piece in enumerate(passage.pieces):
            if piece.kind == ONLY_B:
                paired = passage.pieces[number - 1].kind == ONLY_A
                yield "" if paired else " ", terminal.PLAIN
                yield f"{{+{b.source[slice(*piece.b)]}+}}", terminal.ONLY_B
                continue
            yield a.source[at : piece.a[0]], terminal.PLAIN
            text = a.source[slice(*piece.a)]
            yield (f"[-{text}-]", terminal.ONLY_A) if piece.kind == ONLY_A else self.equal(text, piece.template)
            at = piece.a[1]

    def equal(self, text: str, template: bool) -> Span:
        text = text if self.form.whole else shortened(text)
        return (f"[={text}=]", terminal.TEMPLATE) if template else (text, terminal.PLAIN)


class AsColumns(AsText):
    """Each passage as it stands in a and, beside it, as it stands in b."""

    def body(self, passage: Passage, a: Shown, b: Shown) -> Iterator[Line]:
        none: Line = []
        width = max((self.form.width - 4 - len(BETWEEN)) // 2, 10)
        left, right = (terminal.flow(self.one(passage, side, text), width) for side, text in ((ONLY_A, a), (ONLY_B, b)))
        for one, two in zip_longest(left, right, fillvalue=none):
            blank = " " * (width - sum(terminal.columns(text) for text, _ in one))
            yield [
                ("    ", terminal.PLAIN),
                *one,
                (blank + (BETWEEN if two else BETWEEN.rstrip()), terminal.PLAIN),
                *two,
            ]

    def one(self, passage: Passage, side: str, text: Shown) -> Iterator[Span]:
        """A passage's words on one side."""
        marks, style = (("[-", "-]"), terminal.ONLY_A) if side == ONLY_A else (("{+", "+}"), terminal.ONLY_B)
        at = getattr(passage, side)[0]
        for piece in passage.pieces:
            if piece.kind not in (EQUAL, side):
                continue
            start, end = getattr(piece, side)
            yield text.source[at:start], terminal.PLAIN
            words = text.source[start:end]
            yield (f"{marks[0]}{words}{marks[1]}", style) if piece.kind == side else self.equal(words, piece.template)
            at = end


def around(text: Shown, place: Place, words: int) -> tuple[str, str]:
    """So many words before and behind a place, and what stands between."""
    first = int(np.searchsorted(text.starts, place[0]))
    last = int(np.searchsorted(text.ends, place[1], "right"))
    start = int(text.starts[max(first - words, 0)]) if words and first else place[0]
    end = int(text.ends[min(last + words, len(text.ends)) - 1]) if words and last < len(text.ends) else place[1]
    return text.source[max(start, place[0] - AROUND) : place[0]], text.source[place[1] : min(end, place[1] + AROUND)]


def shortened(text: str) -> str:
    """A long text's ends, with what is left out counted."""
    if len(text) <= LONG:
        return text
    head = text[:KEPT].rpartition(" ")[0] or text[:KEPT]
    tail = text[-KEPT:].partition(" ")[2] or text[-KEPT:]
    return f"{head} [... {len(text) - len(head) - len(tail)} characters ...] {tail}"
