"""Which near-duplicates each signature finds, against the exact join of shingle sets.

usage: python tests/bench/signatures.py K DOCS.jsonl

The truth is the Jaccard similarity of the sets of shingles of K words. For each signature: the pairs found, the share
found of the pairs in each band of true similarity (recall), and how many of those found are 0.5, and 0.8, similar
(precision). Pairs of texts without K words are not counted. Needs some gigabytes for a corpus of 100 MB.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).parent))
from measure import table_row, timed

LEAST = "0.5"
BANDS = [(0.5, 0.6), (0.6, 0.7), (0.7, 0.8), (0.8, 0.9), (0.9, 1.0), (1.0, 1.1)]

# name: how the shingles are made (of canonized texts), the sketches, the pairs; {k} is the truth's
SIGNATURES = {
    "84 minima, t 0.8": ("shingle -k {k}", "sketch -n 84", "simjoin -t 0.8"),
    "84 minima, t 0.6": ("shingle -k {k}", "sketch -n 84", "simjoin -t 0.6"),
    "256 minima, t 0.8": ("shingle -k {k}", "sketch -n 256", "simjoin -t 0.8"),
    "84 and --verify": ("shingle -k {k}", "sketch -n 84 --keep", "simjoin --verify -t 0.8"),
    "84, t 0.5, recall .9": ("shingle -k {k}", "sketch -n 84", "simjoin -t 0.5 --recall 0.9"),
    "super 14, m 2": ("shingle -k {k}", "sketch --super 14", "simjoin -m 2"),
    "simhash, k 1, d 3": ("shingle -k 1", "sketch --simhash", "simjoin -d 3"),
    "simhash, k 3, d 3": ("shingle -k 3", "sketch --simhash", "simjoin -d 3"),
    "simhash, k 3, d 6": ("shingle -k 3", "sketch --simhash", "simjoin -d 6"),
    "--longest 3": ("shingle --longest 3", "cat", "simjoin -t 1"),
    "--mod 8": ("shingle -k {k} --mod 8", "cat", "simjoin -t 0.8"),
}

Pair = tuple[str, str]


def pairs(path: Path) -> Iterator[tuple[Pair, float]]:
    with path.open("rb") as lines:
        for line in lines:
            pair = json.loads(line)
            yield (pair["a"], pair["b"]), pair["similarity"]


def main(k: str, docs: Path) -> None:
    with TemporaryDirectory() as folder:
        canon, sentences, shingled, sketched, found = (Path(folder, str(number)) for number in range(5))
        timed(["canon"], docs, canon)
        timed(["canon", "--sentences"], docs, sentences)
        timed(["shingle", "-k", k], canon, shingled)
        timed(["simjoin", "-t", LEAST], shingled, found)
        truth = dict(pairs(found))
        bands = [sum(low <= value < high for value in truth.values()) for low, high in BANDS]
        ranges = (f"{low} to {high}" for low, high in BANDS[:-1])
        table_row("signature", "pairs", *ranges, "1", ">= 0.5", ">= 0.8", "CPU s")
        table_row(*["---"] * (len(BANDS) + 5))
        table_row("all pairs", len(truth), *bands, "", "", "")
        for name, (shingle, sketch, join) in SIGNATURES.items():
            source = sentences if "longest" in shingle else canon
            seconds = timed(shingle.format(k=k).split(), source, shingled).cpu
            seconds += timed(sketch.split(), shingled, sketched).cpu
            seconds += timed(join.split(), sketched, found).cpu
            hit = [truth.get(pair, 0.0) for pair, _ in pairs(found)]
            shares = [
                f"{sum(low <= value < high for value in hit) / number:.3f}" if number else "-"
                for (low, high), number in zip(BANDS, bands, strict=True)
            ]
            right = [sum(value >= least for value in hit) / len(hit) if hit else 1 for least in (0.5, 0.8)]
            table_row(name, len(hit), *shares, *(f"{share:.3f}" for share in right), f"{seconds:.1f}")


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
