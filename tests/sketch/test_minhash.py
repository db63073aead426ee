"""sketch: the minima bit for bit, and their statistics."""

import math
import random

import pytest
from blake3 import blake3

from harness import jsonl, run
from shingletools.commands.sketch.minhash import MinHash
from shingletools.kernel.reference_arrays import BLOCK_NUMBERS

MASK = 2**64 - 1

GOLDEN = """
02b0c936 0e95cc72 04f8c2ef 14774e8b 146405f7 23190abf 450a402a 194f5f33 1d8f6a3b 0a85a7a7 07b9c184 05ef6e3b
0d23ab92 0b917530 2800316f 00986c76 0161f5cd 090814b2 2e6f2f33 09b381ab 12fb2217 514d6d21 1f497a3f 30083755
0197e9f9 0a1ec734 1f774a71 279b5b92 0ec4c110 1cc9d48d 04039a54 0448401f 1dcd3c56 0d4c7908 03494407 1e6d8959
01cc40d3 07810f18 2cb4ccad 0a2f9a4e 1095b2ce 0873233f 2c0530c5 2320a3ea 0aee3f47 0cf09218 07aa209b 110b3a34
048e1de5 0224a7e4 0c6349cf 01bd4b4f 1bee565e 0f9091c3 39a7bae9 003bf29a 0b82a402 00a26e94 15126cf5 342ef6ff
1fa49ccf 14d75646 0481a19a 25e9b11c 12161277 14dd63b9 2eeb5868 57c39b43 2052ce8d 2692ff46 124a3626 140c0795
06efdb14 0ae8470a 04dbbbf0 1ab0a2ea 1269d4dd 43d9dac5 0da2e211 0729f2ec 120cc723 1a6a2b87 6aeba469 15b760bd
""".split()


def fmix64(x: int) -> int:
    x = (x ^ x >> 33) * 0xFF51AFD7ED558CCD & MASK
    x = (x ^ x >> 33) * 0xC4CEB9FE1A85EC53 & MASK
    return x ^ x >> 33


def slow_sketch(shingles: list[int], n: int, seed: str = "0") -> str:
    """The definition of sketch(1), in Python's unbounded integers."""
    stream = blake3(b"shingletools minhash " + seed.encode()).digest(8 * n)
    words = []
    for i in range(n):
        a = int.from_bytes(stream[8 * i : 8 * i + 4], "little") | 1
        b = int.from_bytes(stream[8 * i + 4 : 8 * i + 8], "little")
        words.append(min((a * (fmix64(shingle) >> 32) + b) % 2**32 for shingle in shingles))
    return " ".join(f"{word:08x}" for word in words)


def payload(shingles: list[int], digits: int = 16) -> str:
    return " ".join(f"{shingle:0{digits}x}" for shingle in shingles)


def test_golden() -> None:
    text = jsonl({"id": "fixed", "text": "the quick brown fox jumps over the lazy dog and is gone"})
    (record,) = run("sketch", stdin=run("shingle", "-k", "3", stdin=text).good()).records()
    assert record["via"] == "shingle k=3 | sketch n=84"
    assert record["sketch"].split(" ") == GOLDEN
    shingles = run("shingle", "-k", "3", stdin=text).records()[0]["shingles"].split()
    assert record["sketch"] == slow_sketch([int(shingle, 16) for shingle in shingles], 84)


@pytest.mark.parametrize("seed", ["0", "семя b|c"])
@pytest.mark.parametrize("n", [1, 2, 84])
@pytest.mark.parametrize("size", [1, 2, 50, BLOCK_NUMBERS // 100, BLOCK_NUMBERS // 100 + 1])
def test_equals_the_slow_definition(seed: str, n: int, size: int) -> None:
    rng = random.Random(f"{seed} {n} {size}")
    shingles = [rng.getrandbits(64) for _ in range(size)]
    assert MinHash(n, seed)(payload(shingles)) == slow_sketch(shingles, n, seed)


def test_shingles_of_32_bits() -> None:
    shingles = [0, 1, 0xFFFFFFFF, 0x12345678]
    assert MinHash(10, "0")(payload(shingles, 8)) == slow_sketch(shingles, 10)
    assert MinHash(10, "0")(payload(shingles[:1], 8)) == slow_sketch(shingles[:1], 10)


def test_empty() -> None:
    assert run("sketch", stdin=jsonl({"id": 1, "shingles": ""})).records() == [
        {"id": 1, "sketch": "", "via": "sketch n=84"}
    ]


def test_seed_is_in_the_recipe() -> None:
    record = jsonl({"id": 1, "shingles": payload([7])})
    out = run("sketch", "-n2", "--seed", "a b|c", stdin=record).records()
    assert out == [{"id": 1, "sketch": slow_sketch([7], 2, "a b|c"), "via": "sketch n=2 seed=a%20b%7Cc"}]
    assert run("sketch", "--seed", "0", stdin=record).good() == run("sketch", stdin=record).good()


@pytest.mark.parametrize(
    "shingles",
    [
        *("1", "0123456789abcdeg", "0123456789abcde", "01234567  89abcdef", " 01234567", "01234567 ", "01234567\n"),
        *("0123456789abcdef 01234567", "01234567 0123456789abcdef", "０１２３４５６７"),
    ],
)
def test_malformed(shingles: str) -> None:
    ran = run("sketch", stdin=jsonl({"id": 1, "shingles": shingles}))
    assert (ran.status, ran.out) == (2, b"")
    assert ran.err.splitlines() == [
        'sketch: -:1: field "shingles" is not groups of 8 or 16 hex digits',
        "sketch: -: not one good record",
    ]


@pytest.mark.parametrize("bits", [8, 16])
@pytest.mark.parametrize(("size", "jaccard"), [(1, 0), (2, 0), (2, 1 / 3), (5, 0), (200, 0), (200, 0.5), (200, 0.8)])
def test_estimator_of_few_bits(bits: int, size: int, jaccard: float) -> None:
    """Mean and variance within 4 deviations of those of independent components, which agree with c + (1 - c) J.

    So also of sets of one shingle: their lowest bits without the finalizer would agree in all components or in none.
    """
    rng = random.Random(20260102 + bits)
    n, pairs = 84, 800
    sketch = MinHash(n, "0", bits)
    counts = []
    for _ in range(pairs):
        common = round(2 * size * jaccard / (1 + jaccard))
        shared, one, two = (
            [rng.getrandbits(64) for _ in range(count)] for count in (common, size - common, size - common)
        )
        words = zip(sketch(payload(shared + one)).split(), sketch(payload(shared + two)).split(), strict=True)
        counts.append(sum(a == b for a, b in words))
    chance = 0.5**bits
    p = chance + (1 - chance) * common / (2 * size - common)
    variance = n * p * (1 - p)
    assert abs(sum(counts) / pairs - n * p) < 4 * math.sqrt(variance / pairs)
    fourth = variance * (1 + 3 * (n - 2) * p * (1 - p))  # the central moment of a binomial count
    spread = sum((count - n * p) ** 2 for count in counts) / pairs
    assert abs(spread - variance) < 4 * math.sqrt((fourth - variance**2) / pairs)


@pytest.mark.parametrize("jaccard", [0.1, 0.5, 0.8, 0.95])
def test_estimator_is_unbiased_and_as_precise_as_it_says(jaccard: float) -> None:
    """Pairs of random sets of known similarity: the mean error, and the variance against J(1 - J) / n."""
    rng = random.Random(20260101)
    n, pairs, size = 84, 600, 200
    sketch = MinHash(n, "0")
    errors = []
    for _ in range(pairs):
        common = round(2 * size * jaccard / (1 + jaccard))
        exact = common / (2 * size - common)
        shared, one, two = (
            [rng.getrandbits(64) for _ in range(count)] for count in (common, size - common, size - common)
        )
        words = zip(sketch(payload(shared + one)).split(), sketch(payload(shared + two)).split(), strict=True)
        errors.append(sum(a == b for a, b in words) / n - exact)
    ideal = exact * (1 - exact) / n
    assert abs(sum(errors) / pairs) < 3 * math.sqrt(ideal / pairs)
    assert sum(error * error for error in errors) / pairs == pytest.approx(ideal, rel=0.15)
