"""Which near-duplicates each signature finds, against the exact join of shingle sets.

usage: python tests/bench/signatures.py K DOCS.jsonl [NAME ...]

The truth is the Jaccard similarity of the sets of shingles of K words. For each signature: the pairs found, the share
found of the pairs in each band of true similarity (recall), and how many of those found are 0.5, and 0.8, similar
(precision); of all signatures, or those of these names. Pairs of texts without K words are not counted. Needs some
gigabytes for a corpus of 100 MB. `python tests/bench quality` does the same with planted copies, and tells how sure the
shares are.
"""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).parent))
from measure import table_row, timed
from staged import pairs_of

LEAST = "0.3"
BANDS = [(0.3, 0.5), (0.5, 0.6), (0.6, 0.7), (0.7, 0.8), (0.8, 0.9), (0.9, 1.0), (1.0, 1.1)]
HEADS = [*(f"{low} to {high}" for low, high in BANDS[:-1]), "1"]

# name: a pipeline; {k} is the truth's, {seed} that of hash functions, {words} a table of words, {language} a list of
# stop words, {segment} how texts become words if a language has no spaces. Megashingles with -m 1 find what
# supershingles with -m 2 find
SIGNATURES = {
    "84 minima, t 0.8": "canon | shingle -k {k} | sketch -n 84 --seed {seed} | simjoin -t 0.8",
    "84 minima, t 0.6": "canon | shingle -k {k} | sketch -n 84 --seed {seed} | simjoin -t 0.6",
    "84 of 8 bits, t 0.8": "canon | shingle -k {k} | sketch -n 84 --bits 8 --seed {seed} | simjoin -t 0.8",
    "256 minima, t 0.8": "canon | shingle -k {k} | sketch -n 256 --seed {seed} | simjoin -t 0.8",
    "84 and --verify": "canon | shingle -k {k} | sketch -n 84 --seed {seed} --keep | simjoin --verify -t 0.8",
    "84, t 0.5, recall .9": "canon | shingle -k {k} | sketch -n 84 --seed {seed} | simjoin -t 0.5 --recall 0.9",
    "super 14, m 2": "canon | shingle -k {k} | sketch --super 14 --seed {seed} | simjoin -m 2",
    "simhash, k 1, d 3": "canon | shingle -k 1 | sketch --simhash | simjoin -d 3",
    "simhash, k 3, d 3": "canon | shingle -k 3 | sketch --simhash | simjoin -d 3",
    "simhash, k 3, d 6": "canon | shingle -k 3 | sketch --simhash | simjoin -d 6",
    "I-Match": "canon | shingle -k 1 | sketch --lexicon {words} | simjoin",
    "I-Match, 9 lexicons": "canon | shingle -k 1 | sketch --lexicon {words} --lexicons 9 --seed {seed} | simjoin",
    "6 heaviest words": "canon | shingle -k 1 | sketch --top 6 --weights {words} | simjoin",
    "spots, k 4, t 0.8": (
        "canon{segment} | shingle -k 4 --spots {language} | sketch -n 84 --seed {seed} | simjoin -t 0.8"
    ),
    "--longest 3": "canon --sentences | shingle --longest 3 | simjoin -t 1",
    "--mod 8": "canon | shingle -k {k} --mod 8 | simjoin -t 0.8",
}


def pipeline(signature: str, k: int | str, seed: int = 0, language: str = "en") -> str:
    """A signature's, with its parameters; the table of words is left to whoever makes it."""
    segment = " --segment zh" if language == "zh" else ""
    return SIGNATURES[signature].format(k=k, seed=seed, words="{words}", language=language, segment=segment)


def main(k: str, docs: Path, names: list[str]) -> None:
    with TemporaryDirectory() as folder:
        canon, sentences, words, shingled, sketched, found = (Path(folder, str(number)) for number in range(6))
        timed(["canon"], docs, canon)
        timed(["canon", "--sentences"], docs, sentences)
        timed(["shingle", "-k", "1", "--df"], canon, words)
        timed(["shingle", "-k", k], canon, shingled)
        timed(["simjoin", "-t", LEAST], shingled, found)
        truth = dict(pairs_of(found))
        bands = [sum(low <= value < high for value in truth.values()) for low, high in BANDS]
        table_row("signature", "pairs", *HEADS, ">= 0.5", ">= 0.8", "CPU s")
        table_row(*["---"] * (len(BANDS) + 5))
        table_row("all pairs", len(truth), *bands, "", "", "")
        for name in names or SIGNATURES:
            _, shingle, *sketch, join = pipeline(name, k).format(words=words).split(" | ")
            source = sentences if "longest" in shingle else canon
            seconds = timed(shingle.split(), source, shingled).cpu
            if sketch:
                seconds += timed(sketch[0].split(), shingled, sketched).cpu
            seconds += timed(join.split(), sketched if sketch else shingled, found).cpu
            hit = [truth.get(pair, 0.0) for pair, _ in pairs_of(found)]
            shares = [
                f"{sum(low <= value < high for value in hit) / number:.3f}" if number else "-"
                for (low, high), number in zip(BANDS, bands, strict=True)
            ]
            right = [sum(value >= least for value in hit) / len(hit) if hit else 1 for least in (0.5, 0.8)]
            table_row(name, len(hit), *shares, *(f"{share:.3f}" for share in right), f"{seconds:.1f}")


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), sys.argv[3:])
