"""Copies such as people look for, planted in real texts: each function makes a corpus of a seed.

What belongs together is known by label alone, so that pipelines with other words, shingles and measures can be
compared. So that the labels are the truth, texts that have something of each other are left out first (see `unlike`),
but for titles, which are too short to tell.
"""

import html
import random
import re
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from tempfile import TemporaryDirectory

import edits
from planted import Document, Planted, Source
from rewriting import rewritten
from staged import Staged

ALIKE = {True: "canon | shingle -k 3", False: "canon | shingle -k 5"}  # by whether words have spaces
SIGNS = "abcdefghijklmnopqrstuvwxyz"


def unlike(source: Source, least: int, most: int) -> list[Document]:
    """Texts of so many words at least, so many at most, no two of which share a third of the smaller one's shingles."""
    every = [each for family in source.families for each in family if len(source.words(each[1])) >= least]
    every = random.Random(source.name).sample(every, min(most, len(every)))
    with TemporaryDirectory() as folder:
        pairs = Staged(Path(folder), every).pairs(f"{ALIKE[source.spaced]} | simjoin --measure containment -t 1/3")
        alike = {b for (_, b), _ in pairs}
    return [each for each in every if each[0] not in alike]


def titles(source: Source, seed: int) -> Planted:
    """First lines, all different, and copies of some with one word or letter changed."""
    rng = random.Random(f"titles {source.name} {seed}")
    names = {text.split("\n")[0]: name for family in source.families for name, text in family}
    chosen = rng.sample([(name, line) for line, name in names.items() if 4 <= len(source.words(line)) <= 12], 1200)
    others = [word for _, line in chosen for word in source.words(line)]
    made: list[Document] = []
    copies = {}
    kinds = ["replace", "insert", "delete", "move", "letter"]
    for number, (name, line) in enumerate(chosen[:300]):
        kind, words = kinds[number % len(kinds)], source.words(line)
        edited = misspelt(words, rng) if kind == "letter" else edits.KINDS[kind](words, 1, rng, others)
        made.append((f"{name} copy", source.text(edited)))
        copies[name, made[-1][0]] = kind
    return Planted(chosen + made, copies)


def misspelt(words: edits.Words, rng: random.Random) -> edits.Words:
    """One letter of the longest word is another."""
    longest = max(range(len(words)), key=lambda place: len(words[place]))
    letters = list(words[longest])
    letters[rng.randrange(len(letters))] = rng.choice(SIGNS)
    return [*words[:longest], "".join(letters), *words[longest + 1 :]]


def templates(texts: Sequence[Document], seed: int) -> Planted:
    """Texts in one of three templates, three times as long as they are; copies of some in the same, a few words new."""
    rng = random.Random(f"templates {seed}")
    chosen = rng.sample(texts, 690)
    frames = [[word for _, text in chosen[i : i + 30] for word in text.split()] for i in (0, 30, 60)]
    others = [word for _, text in chosen for word in text.split()]
    documents: list[Document] = []
    copies = {}
    for number, (name, text) in enumerate(chosen[90:]):
        words, frame = text.split(), frames[number % 3]
        several = [(name, words)]
        if number < 120:
            share = (0.02, 0.05)[number % 2]
            edited = edits.replace(words, edits.number_of(words, share), rng, others)
            several.append((f"{name} copy", edited))
            copies[name, f"{name} copy"] = f"{share:.0%} replaced"
        documents += [(each, " ".join(framed(edited, frame[: 3 * len(words)]))) for each, edited in several]
    return Planted(documents, copies)


def posts(texts: Sequence[Document], seed: int) -> Planted:
    """Posts of 15 to 60 words, each above one of 30 footers of 40 words, of which few are frequent and many rare.

    120 have a copy, and ten were posted again 2 to 32 times, so that what is frequent is no sign of a template; 0, 5 or
    10 % of the words are new. Half of the posts keep their footer then; the others get any. 100 more posts have six
    words of their own.
    """
    rng = random.Random(f"posts {seed}")
    chosen = rng.sample(texts, 630)
    footers = [text.split()[:40] for _, text in chosen[:30]]
    others = [word for _, text in chosen for word in text.split()]
    documents: list[Document] = []
    copies: dict[tuple[str, str], str] = {}
    for number, (name, text) in enumerate(chosen[30:]):
        words, share = text.split()[: rng.randrange(15, 60) if number < 500 else 6], (0.0, 0.05, 0.1)[number % 3]
        times, what = int(number < 120), "other footer" if number % 2 else "same footer"
        if 120 <= number < 130:
            times = 2 << number % 5
            what = "again, 2 to 8 times" if times < 16 else "again, 16 and 32 times"
        several = [name, *(f"{name} copy {each}" for each in range(times))]
        drawn = rng.choices(footers, [1 / (1 + rank) for rank in range(30)], k=len(several))
        for each, footer in zip(several, drawn, strict=True):
            edited = words if each == name else edits.replace(words, edits.number_of(words, share), rng, others)
            documents.append((each, " ".join([*edited, *(footer if number % 2 else drawn[0])])))
        copies |= dict.fromkeys(combinations(several, 2), what)
    return Planted(documents, copies)


def framed(words: edits.Words, frame: edits.Words) -> edits.Words:
    half = len(frame) // 2
    return [*frame[:half], *words, *frame[half:]]


def news(source: Source, texts: Sequence[Document], language: str, seed: int) -> Planted:
    """Reports that others print: some words rewritten, the last fifth cut off, a line of the paper's own in front."""
    rng = random.Random(f"news {source.name} {seed}")
    chosen = rng.sample(texts, min(500, len(texts)))
    others = [word for _, text in chosen for word in source.words(text)]
    papers = [source.words(text)[:12] for _, text in chosen[-3:]]
    made: list[Document] = []
    copies = {}
    for number, (name, text) in enumerate(chosen[: len(chosen) // 2]):
        words, share = source.words(text), (0.0, 0.05, 0.1, 0.2, 0.3)[number % 5]
        kept = words[: round(0.8 * len(words))]
        edited = rewritten(kept, round(share * len(kept)), rng, others, language)
        made.append((f"{name} copy", source.text(papers[number % 3] + edited)))
        copies[name, made[-1][0]] = f"{share:.0%} rewritten"
    return Planted([*chosen, *made], copies)


def passages(source: Source, texts: Sequence[Document], language: str, seed: int) -> Planted:
    """Plagiarism: texts with a passage of another one, half of the words of both, some of which are rewritten."""
    rng = random.Random(f"passages {source.name} {seed}")
    chosen = rng.sample(texts, min(400, len(texts)))
    half = len(chosen) // 2
    others = [word for _, text in chosen for word in source.words(text)]
    documents = list(chosen[:half])
    copies = {}
    for number, ((taken, original), (name, text)) in enumerate(zip(chosen[:half], chosen[half:], strict=False)):
        words, own, share = source.words(original), source.words(text), (0.0, 0.2, 0.4, 0.6, None)[number % 5]
        if share is not None:
            length = min(len(words), len(own)) // 2
            start, place = rng.randrange(len(words) - length), rng.randrange(len(own) + 1)
            passage = rewritten(words[start : start + length], round(share * length), rng, others, language)
            own[place:place] = passage
            copies[taken, name] = f"{share:.0%} rewritten"
        documents.append((name, source.text(own)))
    return Planted(documents, copies)


def sites(pages: Sequence[Document], texts: Sequence[Document], marked: bool, seed: int) -> Planted:
    """Articles in the pages of two sites, a twentieth of the words of the second one's replaced.

    Sites have menus, headers and footers, in elements that say so, or in div with classes that do.
    """
    rng = random.Random(f"sites {marked} {seed}")
    chosen = rng.sample(pages, min(200, len(pages)))
    lines = [text.split("\n")[0] for _, text in rng.sample(texts, 180)]
    others = [word for _, text in chosen for word in text.split()]
    documents: list[Document] = []
    copies = {}
    for number, (name, text) in enumerate(chosen):
        documents.append((name, page(text.split(), lines[:90], marked)))
        if number % 2:
            words = text.split()
            share = (0.01, 0.02)[number // 2 % 2]
            edited = edits.replace(words, edits.number_of(words, share), rng, others)
            documents.append((f"{name} copy", page(edited, lines[90:], marked)))
            copies[name, f"{name} copy"] = f"{share:.0%} replaced"
    return Planted(documents, copies)


def page(words: edits.Words, lines: Sequence[str], marked: bool) -> str:
    """In HTML: the words in paragraphs, and the lines of the site around them."""
    third = len(lines) // 3
    opened = ["<nav>", "<main>", "<aside>", "<footer>"]
    if not marked:
        opened = [f'<div class="{name}">' for name in ("menu", "article-content", "sidebar", "footer")]
    closed = ["</nav>", "</main>", "</aside>", "</footer>"] if marked else ["</div>"] * 4
    links = [
        "".join(f'<p><a href="#">{html.escape(line)}</a></p>' for line in part)
        for part in (lines[:third], lines[third : 2 * third], lines[2 * third :])
    ]
    paragraphs = (html.escape(" ".join(words[i : i + 60])) for i in range(0, len(words), 60))
    parts = [links[0], "".join(f"<p>{paragraph}</p>" for paragraph in paragraphs), links[1], links[2]]
    body = "".join(a + part + b for a, part, b in zip(opened, parts, closed, strict=True))
    title = html.escape(re.sub(r"\s+", " ", " ".join(words[:8])))
    return f"<!DOCTYPE html><html><head><title>{title}</title></head><body>{body}</body></html>"
