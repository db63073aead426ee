"""The whole job on a stream of documents that nobody stores: which of them to remove, and what that takes.

usage: python tests/bench/hundred_million.py [options] N ... FOLDER

drawn.py in this folder makes N documents from descriptions.jsonl and guide.jsonl of FOLDER (see corpora.py), one in
ten a near copy of another. `shingletools run` makes the pairs of their sketches, and dedup chooses what to remove.
Printed, in Markdown: what each stage takes (see watched.py; the generator is a process of its own), and of so many
copies, evenly spaced: how many of those in a band of similarity have a pair, and how many have one according to theory;
and of so many removed documents, how many have no kept document at the threshold or above. Both are decided by the
shingles of texts that are made again from their numbers.
"""

import argparse
import json
import math
import subprocess
import sys
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from drawn import AT_ONCE, EVERY, Drawn
from measure import table_row
from watched import Taken, Watched

HERE = Path(__file__).parent
K, N, T = 5, 84, Fraction(4, 5)
BANDS = [Fraction(50 + 5 * i, 100) for i in range(11)]
PIPELINE = "canon | shingle -k {k} | sketch {sketch} | simjoin -t 0.8 -S {memory} -T {folder}"


def generator(count: int, seed: int, folder: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, HERE / "drawn.py", str(count), str(seed), folder], stdout=subprocess.PIPE)


def pairs_of(options: argparse.Namespace, count: int, folder: Path, target: Path) -> dict[str, Taken]:
    """Makes the pairs; what the stages take."""
    source = generator(count, options.seed, options.folder)
    pipeline = PIPELINE.format(k=K, sketch=options.sketch, memory=options.memory, folder=folder)
    with target.open("wb") as stdout:
        run = subprocess.Popen(
            ["shingletools", "run", "-j", str(options.jobs), f"{pipeline} -v"], stdin=source.stdout, stdout=stdout
        )
    made, joined = Watched(source), Watched(run)
    assert source.stdout is not None
    source.stdout.close()
    (generated,) = made.end()
    joined.stage()
    sketched, rest = joined.end()
    return {"documents are drawn": generated, "to sketches": sketched, "to pairs": rest}


def removed_of(count: int, pairs: Path, target: Path) -> Taken:
    """Writes the removed documents, which are ids only."""
    dedup = subprocess.Popen(
        ["dedup", "--pairs", pairs, "--removed", target, "-"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL
    )
    watched = Watched(dedup)
    assert dedup.stdin is not None
    for start in range(0, count, AT_ONCE):
        dedup.stdin.write(b"".join([b'{"id":%d}\n' % i for i in range(start, min(start + AT_ONCE, count))]))
    dedup.stdin.close()
    return watched.end()[0]


def pairs_in(path: Path) -> Iterator[tuple[int, int]]:
    with path.open("rb") as lines:
        for line in lines:
            a, _, b = line[5:].partition(b',"b":')
            yield int(a), int(b.partition(b",")[0])


def similarities(drawn: Drawn, pairs: list[tuple[int, int]]) -> Iterator[Fraction]:
    """The exact Jaccard similarity of the shingles of each pair of documents; the words are those that canon makes."""
    for start in range(0, len(pairs), AT_ONCE):
        some = pairs[start : start + AT_ONCE]
        numbers = sorted({number for pair in some for number in pair})
        canon = subprocess.run(["canon"], input=drawn.lines(np.array(numbers)), stdout=subprocess.PIPE, check=True)
        sets = {}
        for number, line in zip(numbers, canon.stdout.splitlines(), strict=True):
            words = json.loads(line)["text"].split(" ")
            sets[number] = {tuple(words[i : i + K]) for i in range(max(1, len(words) - K + 1))}
        for a, b in some:
            yield Fraction(len(sets[a] & sets[b]), len(sets[a] | sets[b]))


def chance(similarity: Fraction, bits: int) -> float:
    """That two sketches are a pair: some of their components agree by chance, as do some of those that a pair needs."""
    p, least = (each + (1 - each) / 2**bits for each in (similarity, T))
    return sum(math.comb(N, i) * float(p) ** i * float(1 - p) ** (N - i) for i in range(math.ceil(least * N), N + 1))


def recall(options: argparse.Namespace, count: int, drawn: Drawn, pairs: Path) -> None:
    """Prints how many planted copies have a pair with their original, band by band."""
    copies = range(EVERY - 1, count, EVERY)
    some = copies[:: max(1, len(copies) // options.checked)]
    originals = {copy: drawn.original(copy) for copy in some}
    found = {b for a, b in pairs_in(pairs) if originals.get(b) == a}
    exact = list(similarities(drawn, [(original, copy) for copy, original in originals.items()]))
    print(f"\n{len(some)} of {len(copies)} copies\n")
    table_row("similarity", "copies", "with a pair", "theory", "deviations")
    table_row("---", *["---:"] * 4)
    for low, high in zip([Fraction(0), *BANDS], [*BANDS, Fraction(2)], strict=True):
        inside = [(copy, each) for copy, each in zip(some, exact, strict=True) if low <= each < high]
        chances = [chance(each, options.bits) for _, each in inside]
        right, deviation = sum(copy in found for copy, _ in inside), math.sqrt(sum(p * (1 - p) for p in chances))
        off = f"{(right - sum(chances)) / deviation:.1f}" if deviation else ""
        name = "1" if low == 1 else f"{float(low):.2f} to {float(high):.2f}"
        table_row(name, len(inside), right, f"{sum(chances):.1f}", off)


def wrong(options: argparse.Namespace, count: int, drawn: Drawn, pairs: Path, gone: Path) -> None:
    """Prints how many removed documents are like none that is kept."""
    removed = np.zeros(count, np.bool_)
    with gone.open("rb") as lines:
        for line in lines:
            removed[json.loads(line)["id"]] = True
    every = np.flatnonzero(removed)
    partners: dict[int, list[int]] = {number: [] for number in every[:: max(1, len(every) // options.checked)].tolist()}
    for pair in pairs_in(pairs):
        for one, other in (pair, pair[::-1]):
            if one in partners and not removed[other]:
                partners[one].append(other)
    alike = [(one, other) for one, others in partners.items() for other in others]
    nearest: dict[int, Fraction] = dict.fromkeys(partners, Fraction(0))
    for (one, _), similarity in zip(alike, similarities(drawn, alike), strict=True):
        nearest[one] = max(nearest[one], similarity)
    below = [T - each for each in nearest.values() if each < T]
    near, far = (sum(each > most for each in below) for most in (Fraction(1, 20), Fraction(1, 10)))
    print(f"\n{len(every)} documents are removed. Of {len(partners)}, {len(below)} have no kept document from 0.8 on,")
    print(f"{near} none from 0.75 on, {far} none from 0.7 on.")


def job(options: argparse.Namespace, count: int) -> None:
    """Prints the tables of a number of documents."""
    with TemporaryDirectory(dir=options.scratch or options.folder) as name:
        folder = Path(name)
        pairs, gone = folder / "pairs.jsonl", folder / "gone.jsonl"
        stages = pairs_of(options, count, folder, pairs)
        stages["to removed ids"] = removed_of(count, pairs, gone)
        table_row(
            f"{count} documents",
            *(f"{field}, {'s' if field in ('wall', 'cpu', 'main') else 'MB'}" for field in Taken._fields),
        )
        table_row("---", *["---:"] * len(Taken._fields))
        for stage, taken in stages.items():
            table_row(stage, *(f"{each:.1f}" for each in taken))
        drawn = Drawn(options.folder, options.seed)
        recall(options, count, drawn, pairs)
        wrong(options, count, drawn, pairs, gone)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("-S", dest="memory", default="2G", help="of simjoin (default 2G)")
    parser.add_argument("-j", dest="jobs", type=int, default=2)
    parser.add_argument("-T", dest="scratch", type=Path, help="for scratch files and pairs (default FOLDER)")
    parser.add_argument("--sketch", default=f"-n {N}", help=f"options of sketch (default -n {N})")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--checked", type=int, default=100_000, help="copies and removed documents to look at")
    parser.add_argument("counts", metavar="N", type=int, nargs="+")
    parser.add_argument("folder", metavar="FOLDER", type=Path)
    options = parser.parse_args()
    words = options.sketch.split()
    options.bits = int(words[words.index("--bits") + 1]) if "--bits" in words else 32
    for count in options.counts:
        job(options, count)


if __name__ == "__main__":
    main()
