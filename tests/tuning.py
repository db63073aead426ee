"""What simtune says, and what its pipelines find; of a few texts also by brute force: sets, fractions, all pairs."""

import json
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from itertools import combinations
from math import ceil, comb, floor, isqrt, log2
from pathlib import Path

from harness import Record, jsonl, run, run_here, shell

USUAL = Fraction(4, 5)
COLUMNS = "signature agreeing deviation low high recall precision pairs bytes memory candidates".split()
COMPONENTS = (42, 84, 168, 256)
FEW = 100  # documents
LONG_ENOUGH = 2  # words in a shingle, which so is no template's
Square = tuple[int, int]  # of a cosine: a fraction
LONGEST = 1 << 16  # words of a text that are compared


def advised(folder: Path, options: str = "", docs: bytes = b"") -> tuple[str, dict[str, str], list[Record]]:
    """The pipeline, its reasons by their rules, and all records."""
    records = run_here(f"simtune {options}", stdin=docs, cwd=folder).records()
    reasons = {record["rule"]: record["because"] for record in records if record["scope"] == "reason"}
    return records[-1]["pipeline"], reasons, records


def pairs_of(pipeline: str, docs: bytes, folder: Path) -> set[frozenset[object]]:
    """What a pipeline finds, run by sh as it is printed."""
    (folder / "docs").write_bytes(docs)
    (folder / "line").write_text(pipeline)
    made = shell("sh line < docs", folder).good()
    return {frozenset((pair["a"], pair["b"])) for pair in map(json.loads, made.splitlines())}


def squares(sets: Sequence[set[str]]) -> dict[str, int]:
    """What each word weighs, by the manual of simjoin: log2((N + 1) / d), squared, in 32 bits."""
    filled = [each for each in sets if each]
    weights = {
        word: round(round(log2((len(filled) + 1) / d), 6) * 65536) or 1
        for word, d in Counter(word for each in filled for word in each).items()
    }
    unit = 1
    while (round(round(log2(len(filled) + 1), 6) * 65536) ** 2 - 1) // unit >= 1 << 32:
        unit *= 2
    return {word: max((2 * weight**2 + unit) // (2 * unit), 1) for word, weight in weights.items()}


def cosines(sets: Sequence[set[str]]) -> dict[tuple[int, int], Square]:
    weights = squares(sets)
    wholes = [sum(weights[word] for word in each) for each in sets]
    return {
        (i, j): (sum(weights[word] for word in sets[i] & sets[j]) ** 2, wholes[i] * wholes[j])
        for i, j in combinations(range(len(sets)), 2)
        if sets[i] & sets[j]
    }


def hundredths(cosine: Square) -> int:
    return isqrt(10_000 * cosine[0] // cosine[1])


def shingles(texts: Sequence[str], options: str) -> list[list[int]]:
    """The fingerprints that shingle makes of each text."""
    if not texts:
        return []
    texts = [" ".join(text.split()[:LONGEST]) for text in texts]
    made = run(f"shingle {options}", stdin=jsonl(*({"id": i, "text": text} for i, text in enumerate(texts))))
    return [[int(group, 16) for group in record["shingles"].split()] for record in made.records()]


@cache
def binomial(least: int, n: int, p: Fraction) -> Fraction:
    yes, no = p.numerator, p.denominator - p.numerator
    return Fraction(sum(comb(n, i) * yes**i * no ** (n - i) for i in range(least, n + 1)), p.denominator**n)


@cache
def bound(least: int, n: int) -> Fraction:
    """The greatest millionth at which so many successes or more have a chance of 2.5 % at most."""
    low, high = 0, 10**6
    while least and high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if binomial(least, n, Fraction(middle, 10**6)) * 40 <= 1 else (low, middle)
    return Fraction(low, 10**6)


def written(value: object) -> object:
    return float(round(value, 6)) if isinstance(value, Fraction) else value


def lines(records: Sequence[Record]) -> bytes:
    """As simtune writes them."""

    def shown(value: object) -> str:
        if isinstance(value, float):
            digits = f"{value:.6f}".rstrip("0")
            return f"{digits}0" if digits.endswith(".") else digits
        return json.dumps(value)

    made = (",".join(f"{json.dumps(name)}:{shown(value)}" for name, value in record.items()) for record in records)
    return "".join(f"{{{line}}}\n" for line in made).encode()


class Pairs:
    """All pairs of texts by their exact similarity."""

    def __init__(self, sets: Sequence[set[int]]) -> None:
        self.similarities = [
            Fraction(len(one & two), len(one | two)) for one, two in combinations(sets, 2) if one & two
        ]
        self.apart = sum(bool(one and two and not one & two) for one, two in combinations(sets, 2))

    def within(self, least: Fraction, below: Fraction) -> list[Fraction]:
        return [each for each in self.similarities if least <= each < below]

    @staticmethod
    def middle(similarity: Fraction) -> Fraction:
        """Of its bin of a hundredth."""
        return Fraction(1) if similarity == 1 else Fraction(2 * floor(100 * similarity) + 1, 200)


def signature(  # noqa: PLR0913, PLR0917  # each has a name of its own
    name: str, pairs: Pairs, t: Fraction, n: int, least: int, power: int, bands: list[int], alike: Fraction
) -> Record:
    """alike: how many of all components agree by chance."""

    def agree(similarity: Fraction) -> Fraction:
        return 1 - (1 - similarity**power) * (1 - alike)

    chances = [(each, binomial(least, n, agree(pairs.middle(each)))) for each in pairs.similarities]
    chances += pairs.apart * [(Fraction(0), binomial(least, n, alike))]
    found, right = sum(c for _, c in chances), sum(c for each, c in chances if each >= t)
    true = sum(each >= t for each in pairs.similarities)
    candidates = Fraction(0)
    # Equal sketches are one to a join
    for middle, many in Counter([*map(pairs.middle, pairs.similarities), *pairs.apart * [Fraction(0)]]).items():
        apart = Fraction(1)
        for width in bands:
            apart *= 1 - agree(middle) ** width
        candidates += many * (1 - apart) if middle < 1 else 0
    return {
        "signature": name,
        "recall": Fraction(right) / true if true else None,
        "precision": Fraction(right) / found if found else None,
        "pairs": round(found),
        "candidates": round(candidates),
    }


def findings(texts: Sequence[str], k: int, t: Fraction = USUAL) -> list[Record]:
    """All records of `simtune -k K`; of texts that have no shingle in twenty of them."""
    payloads = shingles(texts, f"-k {k}")
    sets = [set(payload) for payload in payloads]
    pairs = Pairs(sets)
    count = len(texts)
    lengths = sorted(len(text.split()) for text in texts)
    frequencies = Counter(token for each in sets for token in each)

    def rank(numbers: list[int], share: Fraction) -> int | None:
        return numbers[ceil(share * len(numbers)) - 1] if numbers else None

    true = len([each for each in pairs.similarities if each >= t])
    made: list[Record] = [
        {
            "scope": "sample",
            "documents": count,
            "read": count,
            "sampled": count,
            "words": sum(lengths),
            "cut": sum(length > LONGEST for length in lengths),
            "empty": lengths.count(0),
            "labelled": None,
            "true": None,
        },
        {
            "scope": "lengths",
            "least": min(lengths, default=None),
            **{
                name: rank(lengths, Fraction(share))
                for name, share in (("q10", "0.1"), ("q25", "0.25"), ("median", "0.5"), ("q75", "0.75"), ("q90", "0.9"))
            },
            "greatest": max(lengths, default=None),
            "mean": Fraction(sum(lengths), count) if count else None,
        },
        {"scope": "setting", "canon": "", "shingle": f"-k {k}", "simjoin": f"-t {float(t):g}", "pairs": true},
    ]
    for least, most in ((1, 1), (2, 2), (3, 10), (11, 100), (101, 1000), (1001, None)):
        many = sum(least <= df <= (most or df) for df in frequencies.values())
        share = Fraction(many, len(frequencies)) if frequencies else None
        made.append({"scope": "frequency", "least": least, "most": most, "shingles": many, "share": share})
    for above in (Fraction(1, 10), Fraction(1, 100)):
        most = floor(above * count)
        common = [df for df in frequencies.values() if df > most]
        made.append(
            {
                "scope": "common",
                "above": above,
                "documents": most,
                "shingles": len(common),
                "places": Fraction(sum(common), sum(frequencies.values())) if frequencies else None,
            }
        )
    edges = sorted({*(Fraction(i, 20) for i in range(21)), t})
    for edge, below in zip(edges, [*edges[1:], Fraction(2)], strict=True):
        here = pairs.within(edge, below)
        middles = [pairs.middle(each) for each in here] or [
            pairs.middle(edge + Fraction(i, 100)) for i in range(floor(100 * (min(below, Fraction(1)) - edge)) or 1)
        ]
        made.append(
            {
                "scope": "band",
                "least": edge,
                "below": None if edge == 1 else below,
                "pairs": len(here),
                "whole": len(here),
                **{f"n{n}": sum(binomial(ceil(t * n), n, each) for each in middles) / len(middles) for n in COMPONENTS},
            }
        )
    order = [sorted(each, key=lambda token: (frequencies[token], token)) for each in sets]
    # Equal sets are one to a join
    unique = {tuple(sorted(each)): each for each in order if each}
    meeting = Counter(
        token for tokens in unique.values() for token in tokens[: len(tokens) - ceil(t * len(tokens)) + 1]
    )
    distinct = Fraction(sum(map(len, sets)), max(count, 1))
    mean = Fraction(sum(map(len, payloads)), max(count, 1))
    none: Record = dict.fromkeys(("agreeing", "deviation", "low", "high"))
    forms: list[Record] = [
        none
        | {
            "signature": "shingles",
            "recall": Fraction(1),
            "precision": Fraction(1),
            "pairs": true,
            "bytes": max(round(17 * mean - 1), 0),
            "memory": round(150 + 24 * distinct),
            "candidates": sum(comb(many, 2) for many in meeting.values()),
        }
    ]
    for n, bits in (*((n, 32) for n in COMPONENTS), (84, 8)):
        alike = Fraction(bits == 8, 256)
        m = next(m for m in range(n + 1) if Fraction(m, n) >= alike + (1 - alike) * t)
        low, high = (max(Fraction(0), (each - alike) / (1 - alike)) for each in (bound(m, n), 1 - bound(n - m, n)))
        bands = [n * (i + 1) // (n - m + 1) - n * i // (n - m + 1) for i in range(n - m + 1)]
        name = f"sketch -n {n}" + " --bits 8" * (bits == 8)
        share = alike + (1 - alike) * t
        forms.append(
            signature(name, pairs, t, n, m, 1, bands, alike)
            | {
                "agreeing": m,
                "deviation": round(float(share * (1 - share) / n) ** 0.5 / float(1 - alike), 6),
                "low": floor(low * 10**6) / 10**6,
                "high": ceil(high * 10**6) / 10**6,
                "bytes": n * bits // 4 + n - 1,
                "memory": 150 + n * bits // 8,
            }
        )
    supers = signature("sketch --super 14", pairs, t, 6, 2, 14, [1, 1, 1, 1, 2], Fraction(0))
    megas = supers | {"signature": "sketch --mega 14", "candidates": supers["pairs"]}
    forms += [
        none | supers | {"bytes": 101, "memory": 198},
        none | megas | {"bytes": 254, "memory": 270},
        none
        | dict.fromkeys(("recall", "precision", "pairs", "candidates"))
        | {"signature": "sketch --simhash", "bytes": 16, "memory": 214},
    ]
    made += [{"scope": "signature"} | {name: form[name] for name in COLUMNS} for form in forms]
    megabytes = ceil((150 + 24 * distinct) * count / (1 << 20))
    reasons = [
        ("k", f"-k {k}: no other was tried"),
        ("t", "-t 0.8: usual for near-duplicates" if t == USUAL else "as was asked for"),
        (
            "template",
            "no --max-df: no shingle is in 20 documents and in 1 % of all"
            if k > LONG_ENOUGH
            else "no --max-df: shingles of fewer than 3 words are common in any language",
        ),
        (
            "signature",
            f"the shingles themselves, exactly: {round(150 + 24 * distinct)} bytes for each of {count}"
            f" documents are {megabytes} MB; up to 4096 MB will do",
        ),
    ]
    if count < FEW:
        said = f"the sample has {count} document{'s' if count != 1 else ''}: what fewer than {FEW} say may be chance"
        reasons.append(("few", said))
    if not any(text.split() for text in texts):
        reasons = [("none", "no document has words, so nothing is known of such texts: this is what is usual")]
    made += [{"scope": "reason", "rule": rule, "because": because} for rule, because in reasons]
    made.append({"scope": "advice", "pipeline": f"shingle -k {k} | simjoin -t {float(t):g}"})
    return [{name: written(value) for name, value in each.items()} for each in made]
