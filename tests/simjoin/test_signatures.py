"""simjoin on supershingles, megashingles and simhashes, with -t, -m and -d."""

import json
import math
import random
from fractions import Fraction
from functools import cache
from itertools import combinations
from math import comb
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness import DOCS, Record, jsonl, pipe, run, run_here
from shingletools.commands.simjoin.signature import Signature
from shingletools.commands.simjoin.signatures import (
    BYTES,
    LONG_SHINGLES,
    MINHASHES,
    SHORT_SHINGLES,
    SHORTS,
    SIGNATURES,
    SIMHASHES,
    SUPERSHINGLES,
    signature_of,
)
from shingletools.numbers.binomial import agreement, estimated, interval, is_rare, proposed

WORDS = {2: "01 ab", 4: "0123 abcd", 8: "0123abcd 0123abcd", 16: "0123456789abcdef 0123456789abcdef"}
KINDS: dict[tuple[str, int], Signature] = {
    ("sketch", 2): BYTES,
    ("sketch", 4): SHORTS,
    ("sketch", 8): MINHASHES,
    ("sketch", 16): SUPERSHINGLES,
    ("simhash", 16): SIMHASHES,
    ("shingles", 8): SHORT_SHINGLES,
    ("shingles", 16): LONG_SHINGLES,
}


@given(st.permutations(list(KINDS)), st.integers(0, 5))
def test_of_several_signatures_the_first_kind_counts(order: list[tuple[str, int]], number: int) -> None:
    """A sketch, else a simhash, else shingles, in whatever order they stand; each kind is in the list of all."""
    record: Record = {"id": 1} | {field: WORDS[digits] for field, digits in order[:number]}
    digits = dict(order[:number])
    field = next((field for field in ("sketch", "simhash", "shingles") if field in digits), None)
    expected = KINDS[field, digits[field]] if field else MINHASHES
    assert signature_of(record) is expected
    assert expected in SIGNATURES


@pytest.mark.parametrize("field", ["sketch", "simhash", "shingles"])
@pytest.mark.parametrize("payload", [None, 1, [], "", "x", "0123abc", "0123456789abcdef0", "0123abcd0123", " "])
def test_what_is_wrong_in_a_field_is_that_field_s(field: str, payload: object) -> None:
    assert signature_of({"id": 1, field: payload}).field == field


@cache
def shingles() -> bytes:
    return pipe(DOCS.read_bytes(), "canon", "shingle -k 4")


def planted(components: int, digits: int, rng: random.Random) -> list[Record]:
    """Sketches of which many agree with another in many components."""
    records: list[list[str]] = []
    for _ in range(120):
        words = list(rng.choice(records)) if records and rng.random() < 0.7 else [""] * components
        words = [word if word and rng.random() < 0.8 else f"{rng.getrandbits(4 * digits):0{digits}x}" for word in words]
        records.append(words)
    return [{"id": i, "sketch": " ".join(words)} for i, words in enumerate(records)]


def agreeing(one: Record, two: Record) -> int:
    return sum(a == b for a, b in zip(one["sketch"].split(), two["sketch"].split(), strict=True))


@pytest.mark.slow
@pytest.mark.parametrize(("components", "digits"), [(6, 16), (15, 16), (6, 8), (1, 16), (1, 8)])
def test_agreeing_components_against_brute_force(components: int, digits: int, tmp_path: Path) -> None:
    records = planted(components, digits, random.Random(components))
    stdin = jsonl(*records)
    for least in range(1, components + 1):
        expected = [
            {"a": a["id"], "b": b["id"], "similarity": round(agreeing(a, b) / components, 6)}
            for a, b in combinations(records, 2)
            if agreeing(a, b) >= least
        ]
        for words in (("-m", str(least)), ("-t", f"{least}/{components}")):
            assert run_here("simjoin", *words, stdin=stdin, cwd=tmp_path).records() == expected


def simhashes(rng: random.Random) -> list[Record]:
    words = [rng.getrandbits(64)]
    for _ in range(150):
        word = rng.choice(words)
        for bit in rng.sample(range(64), rng.randrange(8)):
            word ^= 1 << bit
        words.append(word if rng.random() < 0.8 else rng.getrandbits(64))
    return [{"id": i, "simhash": f"{word:016x}"} for i, word in enumerate(words)]


@pytest.mark.parametrize(
    ("argv", "most"),
    [
        ((), 3),
        (("-d", "0"), 0),
        (("-d", "3"), 3),
        (("-d", "12"), 12),
        (("-t", "61/64"), 3),
        (("-t", "0.95"), 3),
        (("-d", "63"), 63),
    ],
)
def test_distances_against_brute_force(argv: tuple[str, ...], most: int) -> None:
    records = simhashes(random.Random(5))
    expected = [
        {"a": a["id"], "b": b["id"], "similarity": round((64 - distance) / 64, 6), "distance": distance}
        for a, b in combinations(records, 2)
        if (distance := (int(a["simhash"], 16) ^ int(b["simhash"], 16)).bit_count()) <= most
    ]
    assert expected
    assert run("simjoin", *argv, stdin=jsonl(*records)).records() == expected


def test_two_supershingles_are_one_megashingle() -> None:
    """At least two of six agree exactly where at least one of their fifteen pairs does."""
    by_super = run("simjoin", "-m", "2", stdin=pipe(shingles(), "sketch --super 14")).records()
    by_mega = run("simjoin", "-m", "1", stdin=pipe(shingles(), "sketch --mega 14")).records()
    assert [(pair["a"], pair["b"]) for pair in by_super] == [(pair["a"], pair["b"]) for pair in by_mega]
    agree = [round(pair["similarity"] * 6) for pair in by_super]
    assert [round(pair["similarity"] * 15) for pair in by_mega] == [comb(number, 2) for number in agree]
    assert len(agree) > 40


# P(two of six supershingles of 14 agree) = sum over i >= 2 of C(6, i) p^i (1 - p)^(6 - i) with p = r^14
CHANCES = {0.80: 0.0258, 0.85: 0.1198, 0.90: 0.4151, 0.95: 0.8786, 0.97: 0.9785}


@pytest.mark.parametrize("resemblance", CHANCES)
def test_chance_of_a_megashingle(resemblance: float) -> None:
    """Over 300 pairs of sets of exactly this resemblance, within four standard errors."""
    rng = np.random.default_rng(round(resemblance * 100))
    union, pairs = 400, 300
    shared = round(Fraction(str(resemblance)) * union)
    records = []
    for i in range(pairs):
        words = [f"{word:016x}" for word in rng.integers(0, 2**63, union)]
        only = (union - shared) // 2
        records.append({"id": 2 * i, "shingles": " ".join(words[: shared + only])})
        records.append({"id": 2 * i + 1, "shingles": " ".join(words[:shared] + words[shared + only :])})
    found = run("simjoin", "-m", "1", stdin=pipe(jsonl(*records), "sketch --mega 14")).records()
    assert all(pair["b"] == pair["a"] + 1 for pair in found)
    chance = CHANCES[resemblance]
    assert abs(len(found) / pairs - chance) <= 4 * (chance * (1 - chance) / pairs) ** 0.5


def test_an_empty_signature_is_like_no_other() -> None:
    for field, word in (("sketch", "0" * 16), ("simhash", "0" * 16)):
        stdin = jsonl({"id": 1, field: ""}, {"id": 2, field: word}, {"id": 3, field: ""}, {"id": 4, field: word})
        assert [(pair["a"], pair["b"]) for pair in run("simjoin", "-t", "0.8", stdin=stdin).records()] == [(2, 4)]
    assert run("simjoin", stdin=jsonl({"id": 1, "simhash": ""}, {"id": 2, "simhash": ""})).good() == b""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("stages", "option"),
    [
        (["sketch"], "-t 0.8"),
        (["sketch --bits 8"], "-t 0.8"),
        (["sketch --keep", "simjoin --verify"], "-t 0.8"),
        (["sketch --super 14"], "-m 2"),
        (["sketch --seed mega=14 --super 7 -n 42"], "-m 2"),
        (["sketch --mega 14"], "-m 1"),
        (["sketch --mega 14 -n 56"], "-m 1"),  # six components of 16 digits, as of supershingles
        (["sketch --simhash"], "-d 3"),
        ([], "-t 0.8"),
    ],
)
def test_each_signature_has_its_default(stages: list[str], option: str) -> None:
    *stages, join = [*stages, "simjoin"] if "simjoin" not in "".join(stages) else stages
    stdin = pipe(shingles(), *stages) if stages else shingles()
    said = run(*join.split(), *option.split(), stdin=stdin).good()
    assert said
    ran = run(*join.split(), "-v", stdin=stdin)
    assert ran.out == said
    assert f", default {option}, " in ran.err
    assert "default" not in run(*join.split(), *option.split(), "-v", stdin=stdin).err


@pytest.mark.parametrize("via", [{}, {"via": "canon | mine super=2 mega=3"}, {"via": ""}])
def test_words_that_nothing_names_have_no_default(via: Record) -> None:
    words = " ".join(f"{number:016x}" for number in range(6))
    stdin = jsonl(*({"id": number, "sketch": words} | via for number in range(2)))
    ran = run("simjoin", stdin=stdin)
    assert (ran.status, ran.out) == (2, b"")
    assert ran.err == (
        "simjoin: -:1: the recipe does not say whether these are supershingles or megashingles: "
        "give -m 2 for supershingles, -m 1 for megashingles\n"
    )
    for option in ("-m 2", "-m 1", "-t 0.5"):
        assert len(run("simjoin", *option.split(), stdin=stdin).records()) == 1


@pytest.mark.parametrize(
    ("argv", "records", "message"),
    [
        (
            ["-m", "2"],
            [{"simhash": "0" * 16}],
            "-:1: -m counts the components of sketches, but the records have simhashes",
        ),
        (["-d", "2"], [{"sketch": "0" * 8}], "-:1: -d counts the bits of simhashes, but the records have sketches"),
        (["-m", "3"], [{"sketch": "0" * 16 + " " + "0" * 16}], "-:1: -m 3: the sketches have 2 components"),
        (
            ["-m", "1"],
            [{"sketch": "0" * 16}, {"sketch": "0" * 8}],
            "-:2: a sketch of 1 components of 8 hex digits, "
            "but the records before have a sketch of 1 components of 16 hex digits",
        ),
        (
            ["-m", "1"],
            [{"sketch": "0" * 16}, {"simhash": "0" * 16}],
            "-:2: a simhash, but the records before have a sketch of 1 components of 16 hex digits",
        ),
        (["-d", "64"], [], 'argument -d/--distance: not a whole number from 0 to 63: "64" (see simjoin --help)'),
        (["-m", "0"], [], 'argument -m/--agreeing: not a whole number from 1 to 1000000: "0" (see simjoin --help)'),
        (
            ["-m", "1", "-t", "1"],
            [],
            "argument -t/--threshold: not allowed with argument -m/--agreeing (see simjoin --help)",
        ),
    ],
)
def test_what_does_not_go_together(argv: list[str], records: list[Record], message: str) -> None:
    ran = run("simjoin", *argv, stdin=jsonl(*({"id": i} | record for i, record in enumerate(records))))
    assert (ran.status, ran.out, ran.err) == (2, b"", f"simjoin: {message}\n")


@pytest.mark.parametrize("value", ["0" * 15, "0" * 17, "0" * 16 + " " + "0" * 16, "g" * 16])
def test_bad_simhashes(value: str) -> None:
    ran = run("simjoin", stdin=jsonl({"id": 1, "simhash": value}))
    message = 'simjoin: -:1: field "simhash" is not a group of 16 hex digits\nsimjoin: -: not one good record\n'
    assert (ran.status, ran.err) == (2, message)


def test_a_sketch_counts_where_a_record_has_both() -> None:
    stdin = jsonl(*({"id": i, "sketch": "0" * 8, "simhash": f"{i:016x}"} for i in range(2)))
    assert json.loads(run("simjoin", stdin=stdin).good()) == {"a": 0, "b": 1, "similarity": 1.0}


def chance_of_as_many(agreeing: int, n: int, similarity: Fraction) -> Fraction:
    """That as many agree or more, exactly."""
    rest = 1 - similarity
    return sum((comb(n, i) * similarity**i * rest ** (n - i) for i in range(agreeing, n + 1)), Fraction(0))


@pytest.mark.parametrize(
    ("agreeing", "n"),
    [(0, 5), (1, 5), (5, 5), (68, 84), (84, 84), (83, 84), (1, 84), (150, 200), (205, 256), (34, 42), (1, 7)],
)
def test_interval_is_that_of_clopper_and_pearson(agreeing: int, n: int) -> None:
    """Exact sums of binomial terms, in fractions, on both sides of each bound."""
    low, high = interval(agreeing, n)
    step, tail = Fraction(1, 10**6), Fraction(1, 40)
    if agreeing:
        assert chance_of_as_many(agreeing, n, low) <= tail < chance_of_as_many(agreeing, n, low + step)
    else:
        assert low == 0
    if agreeing < n:
        beyond = n - agreeing
        assert chance_of_as_many(beyond, n, 1 - high) <= tail < chance_of_as_many(beyond, n, 1 - high + step)
    else:
        assert high == 1


@pytest.mark.parametrize(("agreeing", "n"), [(1, 1000), (700, 1000), (3000, 4000), (3999, 4000), (7, 20_000)])
def test_intervals_of_many_components(agreeing: int, n: int) -> None:
    """Quantiles of the beta distribution, by SciPy."""
    from scipy.stats import beta  # takes a second, which each collection of tests would take

    low, high = interval(agreeing, n)
    exact = beta.ppf(0.025, agreeing, n - agreeing + 1), beta.ppf(0.975, agreeing + 1, n - agreeing)
    assert 0 <= exact[0] - float(low) < 1.1e-6
    assert 0 <= float(high) - exact[1] < 1.1e-6


@given(n=st.integers(1, 40), data=st.data())
def test_what_is_rare_is_exact(n: int, data: st.DataObject) -> None:
    """Chances of few digits, which may meet the level."""
    least, whole = data.draw(st.integers(1, n)), data.draw(st.sampled_from([10, 40, 2**10]))
    yes = data.draw(st.integers(0, min(whole * least // n, whole - 1)))
    tail = chance_of_as_many(least, n, Fraction(yes, whole))
    assert is_rare(least, n, yes, whole) == (tail <= Fraction(1, 40))


@given(st.fractions(0, 1, max_denominator=100).filter(bool), st.integers(1, 300))
def test_what_proposes_a_pair_is_three_deviations_below(t: Fraction, n: int) -> None:
    """The first number of components, from 1 on, that is so near: the variance is n t (1 - t)."""
    assert proposed(t, n) == next(m for m in range(1, n + 1) if m >= t * n or (t * n - m) ** 2 <= 9 * n * t * (1 - t))


def test_a_tie_is_rare() -> None:
    assert is_rare(1, 1, 1, 40)
    assert not is_rare(1, 1, 11, 400)


BITS = [(2, 8), (4, 16)]  # digits of a group, and bits


@pytest.mark.parametrize(("digits", "bits"), BITS)
@pytest.mark.parametrize("threshold", ["1/100", "0.3", "0.8", "0.8123", "1"])
def test_agreement_by_chance_is_taken_out(digits: int, bits: int, threshold: str, tmp_path: Path) -> None:
    """Against all pairs: those with (a/n - c) / (1 - c) >= t, which are written with just that, rounded."""
    records = planted(84, digits, random.Random(digits))
    c, expected = Fraction(1, 2**bits), []
    for one, two in combinations(records, 2):
        estimate = (Fraction(agreeing(one, two), 84) - c) / (1 - c)
        if estimate >= Fraction(threshold):
            expected.append({"a": one["id"], "b": two["id"], "similarity": float(round(estimate, 6))})
    for option in ([], ["-S1M"]):
        assert run_here("simjoin", "-t", threshold, *option, stdin=jsonl(*records), cwd=tmp_path).records() == expected
    assert expected or threshold == "1"


@pytest.mark.parametrize(("digits", "bits"), BITS)
def test_no_similarity_is_below_0(digits: int, bits: int) -> None:
    """Of one component in 1000, which agrees by chance more often, and of none."""
    words = [f"{number:0{digits}x}" for number in range(200)]
    stdin = jsonl({"id": 1, "sketch": " ".join(words)}, {"id": 2, "sketch": " ".join([*words[1:], words[199]])})
    assert run("simjoin", "-m", "1", stdin=stdin).records() == [
        {"a": 1, "b": 2, "similarity": max(0.0, round((1 / 200 - 2.0**-bits) / (1 - 2.0**-bits), 6))}
    ]
    assert estimated(Fraction(1, 1000), Fraction(1, 256)) == 0


@given(st.fractions(0, 1), st.sampled_from([Fraction(0), Fraction(1, 256), Fraction(1, 65536)]))
def test_agreement_and_estimate_are_inverse(similarity: Fraction, chance: Fraction) -> None:
    assert estimated(agreement(similarity, chance), chance) == similarity


@pytest.mark.parametrize("words", ["sketch --bits 8", "sketch --bits 16"])
def test_intervals_and_dice_of_few_bits(words: str) -> None:
    c = Fraction(1, 2 ** int(words[-2:]))
    sketches = pipe(shingles(), words)
    pairs = run("simjoin", "-t", "0.5", "--interval", stdin=sketches).records()
    assert len(pairs) > 40
    for pair in pairs:
        agreed = round(84 * (c + (1 - c) * Fraction(pair["similarity"])))
        bounds = [max((bound - c) / (1 - c), Fraction(0)) for bound in interval(agreed, 84)]
        assert (pair["low"], pair["high"]) == (
            math.floor(bounds[0] * 10**6) / 10**6,
            math.ceil(bounds[1] * 10**6) / 10**6,
        )
    by_dice = run("simjoin", "-t", "2/3", "--measure", "dice", stdin=sketches).records()  # 2 J / (1 + J), J from 0.5
    assert [(pair["a"], pair["b"]) for pair in by_dice] == [(pair["a"], pair["b"]) for pair in pairs]
    for dice, pair in zip(by_dice, pairs, strict=True):
        assert dice["similarity"] == pytest.approx(2 * pair["similarity"] / (1 + pair["similarity"]), abs=2e-6)


@pytest.mark.parametrize("bits", [8, 16])
def test_few_bits_propose_what_shingles_decide(bits: int) -> None:
    exact = set(run("simjoin", "-t", "0.5", stdin=shingles()).out.splitlines())
    sketches = pipe(shingles(), f"sketch --keep --bits {bits}")
    found = run("simjoin", "--verify", "-t", "0.5", stdin=sketches).out.splitlines()
    assert set(found) <= exact
    assert len(found) >= 0.99 * len(exact) > 40


def test_bits_do_not_mix() -> None:
    lines = [pipe(shingles(), f"sketch --bits {bits}").splitlines(keepends=True)[0] for bits in (8, 16, 32)]
    for one, two in combinations(lines, 2):
        ran = run("simjoin", stdin=one + two)
        assert (ran.status, ran.out) == (2, b"")
        assert "made by" in ran.err
    stdin = jsonl({"id": 1, "sketch": "00 00"}, {"id": 2, "sketch": "0000 0000"})
    assert run("simjoin", stdin=stdin).err == (
        "simjoin: -:2: a sketch of 2 components of 4 hex digits, "
        "but the records before have a sketch of 2 components of 2 hex digits\n"
    )


def test_interval_in_pairs() -> None:
    sketches = pipe(shingles(), "sketch")
    pairs = run("simjoin", "--interval", stdin=sketches).records()
    plain = run("simjoin", stdin=sketches).records()
    assert [{key: pair[key] for key in ("a", "b", "similarity")} for pair in pairs] == plain
    for pair in pairs:
        assert (pair["low"], pair["high"]) == tuple(map(float, interval(round(84 * pair["similarity"]), 84)))
    for record in ({"simhash": "0" * 16}, {"sketch": "0" * 16}):
        ran = run("simjoin", "--interval", stdin=jsonl({"id": 1} | record))
        assert ran.status == 2
        assert ran.err.startswith("simjoin: -:1: --interval")


@pytest.mark.parametrize(
    ("sketch", "minhashes"),
    [
        (" | sketch n=1", True),
        (" | sketch n=1 bits=16", True),
        (" | sketch/2 n=1 seed=a%20b", True),
        (" | mine form=1", True),
        ("", True),
        (" | sketch form=1", False),
        (" | sketch/2 n=1 form=1", False),
        (" | sketch n=1 super=1", False),
    ],
)
@pytest.mark.parametrize("option", ["--interval", "--measure dice", "--verify"])
def test_what_only_minhashes_can_tell(sketch: str, minhashes: bool, option: str, tmp_path: Path) -> None:
    """Components of their width are others if the recipe of sketch has more parts than theirs, or less."""
    record = {"sketch": "0" * 8, "shingles": "0" * 16, "via": f"canon | shingle k=1{sketch}"}
    ran = run_here("simjoin", *option.split(), stdin=jsonl(record | {"id": 1}, record | {"id": 2}), cwd=tmp_path)
    if minhashes:
        assert len(ran.records()) == 1
    else:
        message = f"{option} needs min-hashes, but the recipe says that the components are others"
        assert (ran.status, ran.out, ran.err) == (2, b"", f"simjoin: -:1: {message}\n")


def test_only_rejected_records_with_words() -> None:
    ran = run("simjoin", stdin=jsonl({"id": 1, "sketch": ""}, {"id": 1, "sketch": "0" * 8}))
    assert (ran.status, ran.out, ran.err) == (1, b"", "simjoin: -:2: id 1 was seen before\n")
