"""Texts, and pages of them: real ones, and some that are made to harm."""

import json
from fractions import Fraction
from functools import cache
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

import numpy as np

from harness import DOCS
from report.naive import SHINGLE, WORD, compare
from shingletools.commands.simshow.documents import ShownDocument
from shingletools.commands.simshow.passages import Comparison, Passage, Piece
from shingletools.commands.simshow.report.page import Report
from shingletools.commands.simshow.report.pair_origin import Corpus, Provenance

LIMIT = 1 << 26
MOVED = (
    "One two three four five six seven. Here stands what only this one has. And the end of many words indeed.",
    "And the end of many words indeed. Nothing else, nothing at all. One two three four FIVE six seven!",
)
ARABIC = (
    "مرحبا بالعالم هذا نص عربي طويل نسبيا للاختبار مع بعض الكلمات الإضافية هنا.",
    "قال: مرحبا بالعالم هذا نص عربي طويل نسبيا للاختبار مع كثير من الكلمات الإضافية هنا.",
)
MARKUP = (
    "</script><script>hit()</script><!-- <script> --><img src=x onerror=hit()><svg onload=hit()><style>*{display:none}"
    "</style><iframe src='https://example.org'></iframe><a href='javascript:hit()'>a</a>{{7*7}}${hit()}&lt;&amp;"
    "<meta http-equiv=refresh content='0;url=https://example.org'><base href='https://example.org'>]]>"
)
HOSTILE = (
    MARKUP,
    "nul \0, feeds \r\n\f\v, separators \u2028 \u2029 \x85, bidi \u202e\u2066 no end, \ufeff, wide 😀😀 𝒳",
    '"quotes\\" `ticks` \\u003c/script\\u003e \\',
)
HIDDEN = "hidden \xad\u061c\u180e\u200b\u200e\u200f\u2060\u2061\u2062\u2063\u2064, joined a\u200cb\u200dc"
COMMON = "these words stand in all of these texts and so there is a passage for everybody to look at"


@cache
def documents() -> dict[str, str]:
    return {record["id"]: record["text"] for record in map(json.loads, DOCS.read_text("utf-8").splitlines())}


@cache
def comparisons() -> list[Comparison]:
    """Of real texts with a Jaccard of 0.2 or more; words that stand in every fourth of them are template."""
    texts = documents()
    words = {name: [word.lower() for word in WORD.findall(text)] for name, text in texts.items()}
    sets = {name: {*zip(*(each[at:] for at in range(SHINGLE)), strict=False)} for name, each in words.items()}
    counts: dict[str, int] = {}
    for each in words.values():
        for word in set(each):
            counts[word] = counts.get(word, 0) + 1
    template = frozenset(word for word, count in counts.items() if 4 * count >= len(texts))
    near = [(a, b) for a, b in combinations(texts, 2) if 5 * len(sets[a] & sets[b]) >= len(sets[a] | sets[b]) > 0]
    return [compare(a, b, texts[a], texts[b], template) for a, b in near]


def shown(text: str, fields: tuple[str, ...] = ()) -> ShownDocument:
    places = np.zeros(0, np.int64)
    return ShownDocument("", text, np.zeros(0, np.int32), places, places, fields)


def written(report: Report, pairs: list[Comparison], texts: dict[Any, str]) -> bytes:
    return b"".join(report.write(pair, shown(texts[pair.a]), shown(texts[pair.b])) for pair in pairs)


def write(
    path: Path, pairs: list[Comparison], texts: dict[Any, str], limit: int = LIMIT, removable: bool = True
) -> None:
    report = Report(limit)
    path.write_bytes(written(report, pairs, texts) + report.finish(Corpus(removable=removable)))


def real(path: Path) -> None:
    """A page of real texts."""
    write(path, comparisons(), documents())


def special(path: Path) -> None:
    """What a page of few texts shows best: moved passages, a chain, right to left, and one text far longer than the
    other, with passages in the other order.
    """
    words = documents()["libk5crypto3"].split()
    chain = [" ".join(words[12 * at : 12 * at + 30]) for at in range(4)]
    lines = [f"Paragraph {at}: " + " ".join(f"{word}{at}" for word in words[:30]) for at in range(30)]
    long = "\n\n".join(lines), "\n\n".join(f"Other {2**at} words.\n{line}" for at, line in enumerate(reversed(lines)))
    texts = dict(zip(("moved a", "moved b", "عربي", "عربي ٢"), (*MOVED, *ARABIC), strict=True))
    texts |= {f"chain {at}": text for at, text in enumerate(chain)} | {"long a": long[0], "long b": long[1]}
    pairs = [("moved a", "moved b"), ("عربي", "عربي ٢"), *((f"chain {at}", f"chain {at + 1}") for at in range(3))]
    write(path, [compare(a, b, texts[a], texts[b]) for a, b in [*pairs, ("long a", "long b")]], texts)


def given(path: Path) -> None:
    """A chain of four documents, given as three pairs and as a group."""
    words = documents()["libk5crypto3"].split()
    texts = {f"chain {at}": " ".join(words[6 * at : 6 * at + 40]) for at in range(4)}
    names = list(texts)
    report = Report(LIMIT)
    pairs = [compare(a, b, texts[a], texts[b]) for a, b in pairwise(names)]
    pairs += [
        compare(names[0], other, texts[names[0]], texts[other])._replace(similarity=None, record={})
        for other in names[1:]
    ]
    path.write_bytes(written(report, pairs, texts) + report.group(names[0], names) + report.finish(Corpus()))


def copied() -> dict[str, str]:
    """A text, three with the same words, one with other words in the middle, one with more at the end."""
    words = documents()["libk5crypto3"].split()[:60]
    text = " ".join(words)
    other = " ".join([*words[:20], "quite", "other", *words[22:]])
    return {
        "first": text,
        "same 1": text,
        "changed": other,
        "same 2": text.upper(),
        "longer": f"{text} and so on",
        "same 3": text,
    }


def copies(path: Path) -> None:
    """Near-copies and exact ones, with fields."""
    texts = copied()
    origin = Provenance("canon | shingle | simjoin -t 0.5", "canon/4 | shingle k=10", "0.5", 10, "May Day")
    report = Report(LIMIT, show=("title", "day"), origin=origin)
    with_fields = {name: shown(text, (f"About {name} <b>", "")) for name, text in texts.items()}
    pairs = [compare("first", other, texts["first"], texts[other]) for other in [*texts][1:]]
    lines = [report.write(pair, with_fields["first"], with_fields[str(pair.b)]) for pair in pairs]
    path.write_bytes(b"".join(lines) + report.finish(Corpus()))


def large(path: Path) -> None:
    """A group of 25 documents, each a pair with each: two copies, and others with a word of their own, two the same."""
    words = documents()["libk5crypto3"].split()[:60]
    texts = {at: " ".join([*words, f"word{at}"] if at > 1 else words) for at in range(24)}
    texts[24] = texts[23].upper()
    write(path, [compare(a, b, texts[a], texts[b]) for a, b in combinations(texts, 2)], texts)


def against(path: Path) -> None:
    """Three documents that each share something else with a book, which is of the other side."""
    words = documents()["libk5crypto3"].split()
    book = " ".join(words)
    texts = {f"letter {at}": f"letter {at} " + " ".join(words[12 * at : 12 * at + 12]) for at in range(3)}
    report = Report(LIMIT, apart=True)
    pairs = [compare(name, "book", text, book) for name, text in texts.items()]
    path.write_bytes(written(report, pairs, {**texts, "book": book}) + report.finish(Corpus()))


def hostile(path: Path) -> None:
    """A page of texts and ids that are made to harm."""
    giant = "x" * 3_000_000
    contents = [*(f"{each} {COMMON} {each} {HIDDEN}" for each in HOSTILE), f"{giant} {COMMON}", f"{COMMON} {giant}"]
    texts = {f"{HOSTILE[at % len(HOSTILE)]} {at}": text for at, text in enumerate(contents)}
    texts |= {"y" * 1_000_000: COMMON, "__proto__": COMMON, "constructor": COMMON}
    first, *others = texts
    write(path, [compare(first, other, texts[first], texts[other]) for other in others], texts)


def many(path: Path) -> None:
    """A page with a pair of 5,000 passages of a word each, and one that is a passage of 8,000 pieces."""
    words = [f"w{at:04}" for at in range(5000)]
    texts = {"a": " ".join(words), "b": " ".join(reversed(words)), "c": "same only " * 4000, "d": "same " * 4000}
    places = [(6 * at, 6 * at + 5) for at in range(5000)]
    single = [
        Passage(a, b, 1, (Piece("equal", a, b, 1, False),)) for a, b in zip(places, reversed(places), strict=True)
    ]
    pieces = [
        piece
        for at in range(4000)
        for piece in (
            Piece("equal", (10 * at, 10 * at + 4), (5 * at, 5 * at + 4), 1, False),
            Piece("a", (10 * at + 5, 10 * at + 9), (5 * at + 4, 5 * at + 4), 1, False),
        )
    ]
    whole = Passage((0, 40_000), (0, 20_000), 4000, tuple(pieces))
    third = Fraction(1, 3)
    pairs = [
        Comparison("a", "b", 0.5, tuple(single), (5000, 5000), 5000, 1, third, third),
        Comparison("c", "d", 0.5, (whole,), (8000, 4000), 4000, 1, third, third),
    ]
    write(path, pairs, texts)


def short(path: Path) -> None:
    """A page of real texts that has room for a few only."""
    write(path, comparisons(), documents(), limit=20_000)


def unsaid(path: Path) -> None:
    """A page of a pair without a similarity, and one with it."""
    first = compare("moved a", "moved b", *MOVED)._replace(similarity=None)
    write(
        path,
        [first, compare("c", "d", *ARABIC)],
        {"moved a": MOVED[0], "moved b": MOVED[1], "c": ARABIC[0], "d": ARABIC[1]},
    )


def common(path: Path) -> None:
    """A page of two texts that have twelve of a hundred words in common."""
    words = documents()["libk5crypto3"].split()[:12]
    texts = {name: " ".join([*words, *(f"{name}{at}" for at in range(88))]) for name in ("one", "two")}
    write(path, [compare("one", "two", texts["one"], texts["two"])], texts, removable=False)


def empty(path: Path) -> None:
    """A page of nothing."""
    write(path, [], {})


def long(path: Path) -> None:
    """A page of two texts of 6,000 words that differ in the middle."""
    words = [f"w{at}" for at in range(6000)]
    texts = {
        "a": " ".join([*words[:3000], "river", *words[3000:]]),
        "b": " ".join([*words[:3000], "an", "insertion", *words[3000:]]),
    }
    write(path, [compare("a", "b", texts["a"], texts["b"])], texts)


ALL = long, real, special, given, copies, large, against, hostile, many, short, unsaid, common, empty
PAGES = {make.__name__: make for make in ALL}
