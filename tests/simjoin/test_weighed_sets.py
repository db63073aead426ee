"""simjoin --weights: against brute force in fractions, whatever the way."""

import json
import math
from collections.abc import Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness import jsonl, run
from shingletools import kernel
from shingletools.commands.simjoin.factory import TableFactory
from shingletools.commands.simjoin.join import Join
from shingletools.commands.simjoin.join_options import JoinOptions
from shingletools.commands.simjoin.signatures import LONG_SHINGLES
from shingletools.kernel import reference_arrays
from shingletools.kernel.types import TokenSets, TokenWeights
from shingletools.numbers import inverse_document_frequency
from shingletools.numbers.inverse_document_frequency import UNIT
from shingletools.reading.shingle_weights import Weights
from shingletools.spark.pipeline import parse
from shingletools.system.errors import Failed
from simjoin.all_pairs import RATIOS, brute_force, ends, found_by

MEASURES = [*RATIOS]
HEAVY = 1 << 32  # the heaviest weight of a table, in units
Sets = Sequence[set[int]]
sets = st.lists(st.sets(st.integers(0, 9), max_size=6), min_size=2, max_size=8)
LIGHT = [0, 1, 2, 3, 5, 7]
weights = st.sampled_from([LIGHT, [*LIGHT, HEAVY - 1, HEAVY], [*LIGHT, 99_991, 1 << 17]]).flatmap(
    lambda some: st.lists(st.sampled_from(some), min_size=10, max_size=10)
)
thresholds = st.fractions(Fraction(1, 12), 1, max_denominator=12) | st.just(Fraction("0.8123456789"))


def square(weight: int, heaviest: int) -> int:
    """As simjoin(1) defines it, given weights in units."""
    of_weight, of_heaviest, step = Fraction(weight, UNIT) ** 2, Fraction(heaviest, UNIT) ** 2, Fraction(1, 1 << 32)
    while of_heaviest > step * 2**32:
        step *= 2
    return max(math.floor(of_weight / step + Fraction(1, 2)), 1) if weight else 0


def units(weight: Sequence[int], measure: str, heaviest: int = 0) -> Sequence[int]:
    """Weights as a measure has them."""
    return [square(each, heaviest or max(weight)) for each in weight] if measure == "cosine" else weight


def record(number: int, tokens: set[int]) -> dict[str, object]:
    return {
        "id": number,
        "odd": number % 2,
        "shingles": " ".join(f"{token:016x}" for token in sorted(tokens, reverse=True)),
    }


@given(sets, weights, st.sampled_from(MEASURES), thresholds, st.integers(0, 8))
def test_the_join_is_exact(every: list[set[int]], weight: list[int], measure: str, t: Fraction, cross: int) -> None:
    every = [each for each in every if each]
    if not every:
        return
    wanted = JoinOptions(similarity=t, measure=measure, weights="table")
    factory = TableFactory(LONG_SHINGLES, wanted, Weights(dict(enumerate(weight))))
    data = np.array([token for each in every for token in sorted(each)], np.uint64)
    factory.count([[data.view(np.uint8)]], len(every))
    sizes = 8 * np.array(list(map(len, every)))
    for side in (None, min(cross, len(every))):
        join = Join(factory.table([(data.view(np.uint8), sizes)]), side)
        found = [(a, b) for block in found_by(join) for a, b in zip(block.a.tolist(), block.b.tolist(), strict=True)]
        assert found == ends(brute_force(every, JoinOptions(t, measure=measure), side, (), units(weight, measure)))


@given(sets, weights, st.lists(st.integers(0, 2 * HEAVY), min_size=64, max_size=64))
def test_both_kernels(every: list[set[int]], weight: list[int], least: list[int]) -> None:
    if kernel.NAME != "c":
        pytest.skip("there is only one kernel")
    from shingletools.kernel import compiled_arrays

    tokens = np.array([token for each in every for token in sorted(each)], np.uint64)
    each = np.array(weight)[tokens.astype(np.int64)] if len(tokens) else np.empty(0, np.int64)
    totals = np.array([sum(weight[token] for token in tokens) for tokens in every])
    weighed = TokenWeights(TokenSets.of(tokens, np.array(list(map(len, every)))), each, totals)
    left, right = np.array(list(product(range(len(every)), repeat=2))).T
    bounds = np.array(least[: len(left)])
    common = [sum(weight[token] for token in every[a] & every[b]) for a, b in zip(left, right, strict=True)]
    wanted = [found if found >= bound else 0 for found, bound in zip(common, bounds.tolist(), strict=True)]
    for kernels in (compiled_arrays, reference_arrays):
        assert kernels.common_weights(weighed, left, right, bounds).tolist() == wanted


@pytest.mark.parametrize("name", ["c", "numpy"] if kernel.NAME == "c" else ["numpy"])
@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("more", ["", "-j2", "-S 1M", "-S 1M -j2"])
def test_all_ways_write_the_same(name: str, measure: str, more: str, tmp_path: Path) -> None:
    """Weights of halves, so that thresholds are reached exactly. A shingle is not in the table; some weigh nothing."""
    rng = np.random.default_rng(5)
    every = [{*rng.integers(0, 40, rng.integers(1, 9)).tolist()} for _ in range(300)]
    weight = [each % 9 for each in range(39)] + [8]
    lines = [{"shingle": f"{token:016x}", "weight": weight[token] / 2} for token in range(39)]
    (tmp_path / "table").write_bytes(jsonl(*lines))
    (tmp_path / "sets").write_bytes(jsonl(*(record(number, each) for number, each in enumerate(every))))
    command = f"simjoin --weights table --measure {measure} -t 2/3 sets {more}"
    found = run(command, cwd=tmp_path, env={"SHINGLETOOLS_KERNEL": name}).records()
    assert found == brute_force(every, JoinOptions(Fraction(2, 3), measure=measure), None, (), units(weight, measure))
    assert any(each["similarity"] == 0.666667 for each in found)


@given(st.integers(0, HEAVY), st.integers(0, HEAVY))
def test_squares(one: int, two: int) -> None:
    weight, heaviest = sorted((one, two))
    assert inverse_document_frequency.square(heaviest, weight) == square(weight, heaviest)


def counted(documents: int, number: int) -> int:
    """log2((documents + 1) / number), to six digits, in units."""
    with localcontext(prec=40):
        log = (Decimal(documents + 1) / number).ln() / Decimal(2).ln()
    return round(float(round(log, 6)) * UNIT)


@pytest.mark.parametrize("measure", ["jaccard", "cosine"])
@pytest.mark.parametrize("more", ["", "-S 1M", "-j2"])
def test_counted_weights(measure: str, more: str, tmp_path: Path) -> None:
    command = f"simjoin --weights counted -t 0.6 --measure {measure} {more}"
    rng = np.random.default_rng(6)
    every = [{*(rng.integers(0, 30, rng.integers(1, 8)) ** 2 // 30).tolist()} for _ in range(200)]
    df = [sum(token in each for each in every) for token in range(30)]
    weight: Sequence[int] = [counted(len(every), each) if each else 0 for each in df]
    (tmp_path / "sets").write_bytes(jsonl(*(record(number, each) for number, each in enumerate(every))))
    (tmp_path / "first").write_bytes(jsonl(*(record(number, each) for number, each in enumerate(every[:80]))))
    (tmp_path / "rest").write_bytes(jsonl(*(record(number, each) for number, each in enumerate(every[80:], 80))))
    asked = JoinOptions(Fraction(3, 5), measure=measure)
    weight = units(weight, measure, counted(len(every), 1))
    wanted = brute_force(every, asked, None, (), weight)
    found = run(f"{command} sets", cwd=tmp_path).records()
    assert found == wanted
    assert found != run(f"simjoin -t 0.6 --measure {measure} sets", cwd=tmp_path).records()
    scoped = run(f"{command} --across odd sets", cwd=tmp_path).records()
    assert scoped == [each for each in wanted if (each["a"] + each["b"]) % 2]
    forest = run(f"{command} --forest sets", cwd=tmp_path).records()
    assert 0 < len(forest) < len(every)
    assert {(each["a"], each["b"]) for each in forest} < {(each["a"], each["b"]) for each in wanted}
    crossed = run(f"{command} --against rest first", cwd=tmp_path).records()
    assert crossed == brute_force(every, asked, 80, (), weight)
    best = run(f"{command} --against rest --best 1 first", cwd=tmp_path).records()
    assert best == brute_force(every, asked._replace(best=1), 80, (), weight)


@pytest.mark.parametrize("measure", ["jaccard", "cosine"])
def test_copies_of_nothing_but_common_shingles_are_found(measure: str) -> None:
    stdin = jsonl(record(1, {1, 2}), record(2, {2, 1}))
    found = run(f"simjoin --weights counted --measure {measure}", stdin=stdin).records()
    assert found == [{"a": 1, "b": 2, "similarity": 1.0}]


def test_one_process_as_processes(tmp_path: Path) -> None:
    texts = [{"id": number, "text": f"a b c d {number % 7} e {number % 3} f"} for number in range(60)]
    (tmp_path / "docs").write_bytes(jsonl(*texts))
    steps = "canon docs", "shingle -k 2 --df -o table", "shingle -k 2", "simjoin --weights table -t 0.7"
    run(f"{steps[0]} -o words", cwd=tmp_path).good()
    run(f"{steps[1]} words", cwd=tmp_path).good()
    run(f"{steps[2]} words -o sets", cwd=tmp_path).good()
    made = run(f"{steps[3]} sets", cwd=tmp_path).good()
    assert made
    fused = run("shingletools", "run", " | ".join((steps[0], *steps[2:])), cwd=tmp_path)
    assert fused.good() == made


def test_what_cannot_be_weighed() -> None:
    ran = run("simjoin --weights counted -m 2", stdin=jsonl(record(1, {1})))
    why = "-m counts shingles, and cannot be combined with --weights; give -t"
    assert (ran.status, ran.err) == (2, f"simjoin: -:1: {why}\n")


@pytest.mark.parametrize("field", ["sketch", "simhash"])
def test_sketches_cannot_be_weighed(field: str) -> None:
    ran = run("simjoin --weights counted", stdin=jsonl({"id": 1, field: "0123456789abcdef"}))
    why = "--weights needs shingles"
    assert (ran.status, ran.err) == (2, f"simjoin: -:1: {why}\n")


def test_tables_that_do_not_fit(tmp_path: Path) -> None:
    (tmp_path / "words").write_bytes(jsonl({"id": 1, "text": "a b", "via": "mine"}))
    run("shingle -k 1 --df --header words -o table", cwd=tmp_path).good()
    run("shingle -k 1 words -o right", cwd=tmp_path).good()
    run("shingle -k 2 words -o wrong", cwd=tmp_path).good()
    run("shingle -k 1 --hash crc32 words -o short", cwd=tmp_path).good()
    label = json.loads(run("sketch --simhash --weights table right", cwd=tmp_path).good())["via"].split("weights=")[1]
    assert run("simjoin --weights table right", cwd=tmp_path).good() == b""
    for name, why in (
        ("wrong", 'made by "mine | shingle k=1", the records by "mine | shingle k=2"'),
        ("short", "shingles of 16 hex digits, but the records have 8"),
    ):
        ran = run(f"simjoin --weights table {name}", cwd=tmp_path)
        assert (ran.status, ran.err) == (2, f"simjoin: {name}:1: --weights {label}: {why}\n")


def test_spark_refuses() -> None:
    with pytest.raises(Failed, match=r"^simjoin: --weights needs one process; run it in the shell$"):
        parse("shingle | simjoin --weights counted")
