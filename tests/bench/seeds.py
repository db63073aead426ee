"""How estimates of sketches err by seed where pairs share the same shingles, and how often --interval has the truth.

usage: python tests/bench/seeds.py [SEEDS [PAIRS]]

The first table is of 3,160 pairs with a similarity of 0.9 or more. In a corpus of 80 documents all have the same 200
shingles, their template, and 6 to 11 of their own; there are also as many pairs of the same similarities that share
nothing with each other. It has, by seed, the share of the pairs that simjoin -t 0.9 finds in sketches of 84 components,
how many simjoin --verify misses, and the share whose similarity lies in their --interval. The second has that share of
PAIRS pairs that share nothing with each other, by similarity and shingles, over all seeds.
"""

import random
import sys
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from statistics import mean

import numpy as np

from shingletools.commands.simjoin.join_options import JoinOptions
from shingletools.commands.simjoin.signatures import MINHASHES
from shingletools.commands.sketch.minhash import MinHash
from shingletools.kernel.types import Index
from shingletools.numbers.binomial import interval

N = 84
NEAR = JoinOptions(similarity=Fraction(9, 10))
Pair = tuple[Fraction, list[str], list[str]]  # the similarity, and the shingles of both


def shingles(rng: random.Random, count: int) -> list[str]:
    return [f"{rng.getrandbits(64):016x}" for _ in range(count)]


def agreeing(seed: int, pairs: Sequence[Pair]) -> Index:
    """In how many components the sketches of each pair agree."""
    sketch = MinHash(N, str(seed))
    _, *sides = zip(*pairs, strict=True)
    one, two = (np.array([sketch(" ".join(each)).split() for each in side]) for side in sides)
    found: Index = (one == two).sum(axis=1)
    return found


def covered(found: Index, pairs: Sequence[Pair]) -> float:
    """The share of pairs whose similarity lies in their interval."""
    bounds = [interval(number, N) for number in found.tolist()]
    return mean(low <= pair[0] <= high for (low, high), pair in zip(bounds, pairs, strict=True))


def near_pairs(template: bool, rng: random.Random) -> list[Pair]:
    """Pairs of a template, or of the same sizes with nothing in common."""
    both, found = shingles(rng, 200), []
    for a, b in combinations([shingles(rng, rng.randrange(6, 12)) for _ in range(80)], 2):
        one, two, common = (a, b, both) if template else (shingles(rng, len(each)) for each in (a, b, both))
        found.append((Fraction(200, 200 + len(a) + len(b)), common + one, common + two))
    return found


def by_seed(seeds: int) -> None:
    least, proposed = (MINHASHES.least(each, N) for each in (NEAR, NEAR._replace(verify=True)))
    print("| pairs | recall | missed by --verify | in the interval |\n|---|---|---|---|")
    for name, template in (("of a template", True), ("of their own", False)):
        pairs = near_pairs(template, random.Random(1))
        every = [agreeing(seed, pairs) for seed in range(seeds)]
        recall, inside = [float((found >= least).mean()) for found in every], [covered(found, pairs) for found in every]
        missed = [int((found < proposed).sum()) for found in every]
        print(
            f"| {name} | {min(recall):.2f} to {max(recall):.2f} | {min(missed)} to {max(missed)} "
            f"| {min(inside):.3f} to {max(inside):.3f} |",
            flush=True,
        )


def by_similarity(seeds: int, count: int) -> None:
    print("\n| similarity | shingles | in the interval |\n|---:|---:|---:|")
    rng = random.Random(2)
    for percent in (50, 70, 80, 90, 95):
        for size in (20, 100, 1000):
            common, shares = size * percent // 100, []
            cut = common + (size - common) // 2
            for seed in range(seeds):
                made = [shingles(rng, size) for _ in range(count // seeds)]
                pairs = [(Fraction(common, size), each[:cut], each[:common] + each[cut:]) for each in made]
                shares.append(covered(agreeing(seed, pairs), pairs))
            print(f"| {common / size} | {size} | {mean(shares):.3f} |", flush=True)


if __name__ == "__main__":
    seeds, count = [*map(int, sys.argv[1:]), *(20, 20_000)[len(sys.argv) - 1 :]]
    by_seed(seeds)
    by_similarity(seeds, count)
