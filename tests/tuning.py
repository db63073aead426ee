"""What simtune says, and what its pipelines find; of a few texts also by brute force: sets, fractions, all pairs."""

import json
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from math import log2, sqrt
from pathlib import Path

from harness import Record, jsonl, run, run_here, shell

FEW = 100  # documents
LONGEST = 1 << 16  # words of a text that are compared


def advised(folder: Path, options: str = "", docs: bytes = b"") -> tuple[str, list[str], list[Record]]:
    """The pipeline, its reasons, and all records."""
    records = run_here(f"simtune {options}", stdin=docs, cwd=folder).records()
    return records[-1]["pipeline"], [each["because"] for each in records if each["scope"] == "reason"], records


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


def cosines(sets: Sequence[set[str]]) -> dict[tuple[int, int], float]:
    weights = squares(sets)
    wholes = [sum(weights[word] for word in each) for each in sets]
    return {
        (i, j): sum(weights[word] for word in sets[i] & sets[j]) / sqrt(wholes[i] * wholes[j])
        for i, j in combinations(range(len(sets)), 2)
        if sets[i] & sets[j]
    }


def shingles(texts: Sequence[str], options: str) -> list[list[int]]:
    """The fingerprints that shingle makes of each text."""
    if not texts:
        return []
    texts = [" ".join(text.split()[:LONGEST]) for text in texts]
    made = run(f"shingle {options}", stdin=jsonl(*({"id": i, "text": text} for i, text in enumerate(texts))))
    return [[int(group, 16) for group in record["shingles"].split()] for record in made.records()]


def few_findings(texts: Sequence[str], k: int) -> list[Record]:
    """Of so few texts that nothing tells what chance would find: what is usual, with runs of k words."""
    sets = [set(each) for each in shingles(texts, f"-k {k}")]
    lengths = [len(text.split()) for text in texts]
    count, t = len(texts), Fraction(3, 4)
    alike = [Fraction(len(a & b), len(a | b)) for a, b in combinations(sets, 2) if a and b]
    pairs = sum(each >= t for each in alike)
    shingles_of_all = sum(map(len, sets))
    found: Record = {
        "scope": "form",
        "shingle": f"-k {k}",
        "simjoin": "",
        "threshold": 0.75,
        "pairs": pairs,
        "false": None,
    }
    found |= {"bytes": 150 * count + 24 * shingles_of_all}
    equal = sum(each == 1 for each in alike)
    shown = f"shingle -k {k} and simjoin -t 0.75 finds {pairs} pair{'s' if pairs != 1 else ''}, {equal} of them clear"
    clear = "a pair is clear if its texts are equal, or much more alike than either is to others"
    reasons = [f"{shown}; nothing else that was tried finds a tenth more; {clear}"]
    if not pairs:
        reasons = [f"these texts have no near-copies that a sample of {count} shows; this pipeline would find them"]
    if count < FEW:
        reasons.append(f"the sample has fewer than {FEW} documents, so all this may be chance")
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
        found,
        *({"scope": "reason", "because": because} for because in reasons),
    ]
    return [*made, {"scope": "advice", "pipeline": f"shingle -k {k} | simjoin -t 0.75"}]
