"""The sample documents' shingles and how many documents have each, by brute force."""

import json
from collections import Counter
from fractions import Fraction
from functools import cache

from harness import DOCS, pipe, run

K = 3


@cache
def canonical() -> bytes:
    return pipe(DOCS.read_bytes(), "canon")


@cache
def texts() -> list[list[str]]:
    return [json.loads(line)["text"].split() for line in canonical().splitlines()]


@cache
def table() -> bytes:
    return run(f"shingle -k {K} --df --header", stdin=canonical()).good()


def runs_of(words: list[str]) -> list[str]:
    return [" ".join(words[at : at + K]) for at in range(max(1, len(words) - K + 1))] if words else []


@cache
def frequencies() -> Counter[str]:
    return Counter(each for words in texts() for each in set(runs_of(words)))


def payloads(lines: bytes) -> list[list[str]]:
    return [json.loads(line)["shingles"].split() for line in lines.splitlines()]


@cache
def shingles() -> list[list[str]]:
    return payloads(pipe(canonical(), f"shingle -k {K}"))


def within(least: Fraction, most: Fraction) -> list[list[str]]:
    """The shingles of each text that are in so many documents."""
    return [
        [shingle for shingle, words in zip(every, runs_of(text), strict=True) if least <= frequencies()[words] <= most]
        for every, text in zip(shingles(), texts(), strict=True)
    ]


LIMITS: list[tuple[str, Fraction, Fraction]] = [
    ("--max-df 1", Fraction(0), Fraction(1)),
    ("--max-df 5", Fraction(0), Fraction(5)),
    ("--max-df 1%", Fraction(0), Fraction(3)),
    ("--max-df 1.66%", Fraction(0), Fraction(498, 100)),
    ("--min-df 2", Fraction(2), Fraction(10**9)),
    ("--min-df 1.01%", Fraction(303, 100), Fraction(10**9)),
    ("--min-df 3 --max-df 3", Fraction(3), Fraction(3)),
]
