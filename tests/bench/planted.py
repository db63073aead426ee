"""Corpora with planted copies, whose similarities fill all bands: real texts with their siblings, and edited copies.

A family is texts that came together: neighbours in the list of packages, many of which are made from one source; one
page of the guide for each machine. A seed chooses families and originals, and edits.
"""

import random
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import corpora
import edits

Document = tuple[str, str]  # id, text
Pair = tuple[str, str]  # ids, in the order of the documents

SHARES = (0.01, 0.02, 0.05, 0.1, 0.2, 0.4)
MANY = 12  # copies for each kind and share, if there are originals enough
LEAST = 20  # words of a text
NEIGHBOURS = 50
UNSPACED = re.compile(r"[!-~]+ ?|\S")  # Latin words and single characters


class Source(NamedTuple):
    """Texts, and how they are cut into words: at spaces, or where a language has none into characters."""

    name: str
    families: Sequence[Sequence[Document]]
    spaced: bool = True

    def words(self, text: str) -> edits.Words:
        return text.split() if self.spaced else UNSPACED.findall(text)

    def text(self, words: Iterable[str]) -> str:
        return (" " if self.spaced else "").join(words)


class Planted(NamedTuple):
    documents: list[Document]
    copies: dict[Pair, str]  # which belong together, and what was done to the second


def neighbours(name: str, path: Path, spaced: bool = True) -> Source:
    every = list(corpora.read(path))
    return Source(name, [every[i : i + NEIGHBOURS] for i in range(0, len(every), NEIGHBOURS)], spaced)


def guide(name: str, path: Path, language: str, spaced: bool = True) -> Source:
    pages: dict[str, list[Document]] = {}
    for identity, text in corpora.read(path):
        _, of, page = identity.split("/")
        if of == language:
            pages.setdefault(page, []).append((identity, text))
    return Source(name, list(pages.values()), spaced)


def sample(source: Source, most: int, rng: random.Random) -> list[Document]:
    """Some families, as long as there are no more documents than so many; texts of few words are left out."""
    chosen: list[Document] = []
    for family in rng.sample(source.families, len(source.families)):
        long = [each for each in family if len(source.words(each[1])) >= LEAST]
        if len(chosen) + len(long) <= most:
            chosen += long
    return chosen


def running_words(source: Source, without: Iterable[Document], rng: random.Random) -> list[str]:
    """Words of texts that are none of these, as they run."""
    taken = {identity for identity, _ in without}
    words: list[str] = []
    while len(words) < 5000:
        identity, text = rng.choice(rng.choice(source.families))
        if identity not in taken:
            words += source.words(text)
    return words


def planted(source: Source, most: int, seed: int) -> Planted:
    """So many documents at most, and copies of some of them, each of another; first all originals, then all copies."""
    rng = random.Random(f"{source.name} {seed}")
    originals = sample(source, most, rng)
    others = running_words(source, originals, rng)
    ways = [(kind, share) for kind in edits.KINDS for share in SHARES]
    each = min(MANY, len(originals) // len(ways))
    copies: dict[Pair, str] = {}
    made: list[Document] = []
    for (kind, share), (identity, text) in zip(
        [way for way in ways for _ in range(each)], rng.sample(originals, each * len(ways)), strict=True
    ):
        words = source.words(text)
        edited = edits.KINDS[kind](words, edits.number_of(words, share), rng, others)
        made.append((f"{identity} {kind} {share}", source.text(edited)))
        copies[identity, made[-1][0]] = f"{kind} {share}"
    return Planted(originals + made, copies)
