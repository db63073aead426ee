"""sketch --weights: weighted min-hashes against their definition in decimals, and against exact similarities."""

import json
import random
from decimal import Decimal, localcontext
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness import jsonl, pipe, run
from shingletools.commands.sketch.minhash import MinHash
from shingletools.commands.sketch.weighted_signatures import WeightedMinHash
from shingletools.kernel import weighted_minhash_times
from shingletools.kernel.weighted_minhash_times import waiting_times, weighted_minhash
from shingletools.numbers.inverse_document_frequency import UNIT
from shingletools.reading.shingle_weights import Weights, read_weights

MASK = (1 << 64) - 1


def payload_of(shingles: list[int]) -> str:
    return " ".join(f"{each:016x}" for each in shingles)


def high_half(value: int) -> int:
    """Of MurmurHash3's finalizer."""
    value = (value ^ value >> 33) * 0xFF51AFD7ED558CCD & MASK
    value = (value ^ value >> 33) * 0xC4CEB9FE1A85EC53 & MASK
    return (value ^ value >> 33) >> 32


def slow_sketch(n: int, weights: dict[int, int]) -> str:
    """Each shingle's time to 50 digits, the first of them by sorting."""
    plain = MinHash(n, "0")
    functions = zip(np.frombuffer(plain.a, np.uint32).tolist(), np.frombuffer(plain.b, np.uint32).tolist(), strict=True)
    components = []
    with localcontext(prec=50):
        for a, b in functions:
            times = []
            for shingle, weight in weights.items():
                value = (a * high_half(shingle) + b) % 2**32
                left = 1 - (2 * Decimal(value) + 1) / 2**33
                times += [(-left.ln() / weight, value)] if weight else []
            components += [f"{min(times)[1]:08x}"] if times else []
    return " ".join(components)


@given(st.dictionaries(st.integers(0, MASK), st.integers(0, UNIT << 16), min_size=1, max_size=12))
def test_the_definition(weights: dict[int, int]) -> None:
    if max(weights.values()) == 0:
        weights[5] = UNIT
    sketch = WeightedMinHash(6, "0", Weights(weights))
    assert sketch(payload_of([*weights, *weights])) == slow_sketch(6, weights)


@given(st.sets(st.integers(0, MASK), min_size=1, max_size=300), st.integers(1, UNIT << 16))
def test_equal_weights_make_the_plain_sketch(shingles: set[int], weight: int) -> None:
    weighted = WeightedMinHash(84, "x", Weights({next(iter(shingles)): weight}))
    assert weighted(payload_of([*shingles])) == MinHash(84, "x")(payload_of([*shingles]))


@pytest.mark.parametrize("shared", [3, 30, 300])
def test_agreement_is_the_generalized_jaccard(shared: int) -> None:
    """Of 40,000 components, within four and a half standard deviations: two sets that share the heavy, or the light."""
    rng = random.Random(shared)
    a, b = ([rng.getrandbits(64) for _ in range(count)] for count in (40, 70))
    both = [rng.getrandbits(64) for _ in range(shared)]
    for heavy in (both, a):
        weights = {each: rng.randrange(1, 50) * UNIT // 10 for each in [*a, *b, *both]}
        weights |= {each: 20 * weights[each] for each in heavy}
        sketch = WeightedMinHash(40_000, "0", Weights(weights))
        one, two = (np.array(sketch(payload_of(each + both)).split()) for each in (a, b))
        total = sum(weights.values())
        expected = sum(weights[each] for each in both) / total
        assert abs((one == two).mean() - expected) < 4.5 * (expected * (1 - expected) / 40_000) ** 0.5
        plain = shared / (shared + 110)
        assert abs(expected - plain) > 0.02  # so the plain sketch would fail


def test_blocks_do_not_change_the_sketch(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    shingles = rng.integers(0, 1 << 63, 3000).astype(np.uint64)
    weights = rng.integers(1, UNIT * 12, 3000).astype(np.float64)
    a, b = (rng.integers(0, 1 << 32, 50).astype(np.uint32) | np.uint32(1) for _ in range(2))
    whole = weighted_minhash(shingles, weights, a, b)
    monkeypatch.setattr(weighted_minhash_times, "BLOCK_HASHES", 50 * 7)
    assert (weighted_minhash(shingles, weights, a, b) == whole).all()


def test_waits_are_logarithms() -> None:
    """Within 4 units in the last place, from the least hash to the greatest."""
    edges = [0, 1, 2, 2**31 - 1, 2**31, 2**32 - 2, 2**32 - 1]
    hashes = np.array(
        edges + [random.Random(1).getrandbits(each) for each in range(1, 33) for _ in range(50)], np.uint32
    )
    with localcontext(prec=50):
        exact = [-(1 - (2 * Decimal(each) + 1) / 2**33).ln() * 2**33 for each in hashes.tolist()]
    for value, expected in zip(waiting_times(hashes).tolist(), exact, strict=True):
        assert abs(Decimal(value) - expected) <= 4 * Decimal(np.spacing(value))


def test_weights_of_a_table(tmp_path: Path) -> None:
    """A shingle that weighs nothing does not count; one that the table does not have counts as its heaviest."""
    table = [{"shingle": f"{each:016x}", "weight": weight} for each, weight in [(1, 0), (2, 0.5), (3, 4)]]
    (tmp_path / "df").write_bytes(jsonl(*table))
    records = jsonl({"id": 1, "shingles": payload_of([1])}, {"id": 2, "shingles": payload_of([1, 2, 3, 9])})
    argv = "sketch", "-n", "5", "--weights", "df"
    one, two = run(*argv, stdin=records, cwd=tmp_path).records()
    assert one["sketch"] == ""
    assert two["sketch"] == slow_sketch(5, {2: UNIT // 2, 3: 4 * UNIT, 9: 4 * UNIT})
    assert two["via"].startswith("sketch n=5 weights=df@")
    assert run(*argv, "-j", "2", stdin=records, cwd=tmp_path).out == run(*argv, stdin=records, cwd=tmp_path).out


def test_supershingles_and_joins(tmp_path: Path) -> None:
    """Texts that differ in words of no weight are one; --verify, which knows no weights, is refused."""
    words = [*(f"w{each}" for each in range(60)), "the", "a"]
    texts = [{"id": 1, "text": " ".join(words)}, {"id": 2, "text": " ".join(reversed(words[:60]))}]
    df = [json.loads(line) for line in pipe(jsonl(*texts), "shingle -k 1 --df").splitlines()]
    rare = {"the": 0, "a": 0}
    (tmp_path / "df").write_bytes(jsonl(*({**line, "weight": rare.get(line["words"], 3)} for line in df)))
    shingled = pipe(jsonl(*texts), "shingle -k 1")
    for options in ("", " --super 14", " --mega 14"):
        sketched = run(f"sketch --weights df{options}", stdin=shingled, cwd=tmp_path).good()
        (pair,) = map(json.loads, run("simjoin", stdin=sketched).good().splitlines())
        assert (pair["a"], pair["b"], pair["similarity"]) == (1, 2, 1.0)
    kept = run("sketch --weights df --keep", stdin=shingled, cwd=tmp_path).good()
    ran = run("simjoin", "--verify", stdin=kept)
    assert (ran.status, ran.out) == (2, b"")
    assert ran.err.endswith("--verify cannot be combined with weighted sketches, because it does not weigh shingles\n")


@pytest.mark.parametrize("options", ["", "--simhash", "--top 3"])
def test_what_weighs_nothing_is_like_nothing(options: str, tmp_path: Path) -> None:
    """Texts that are template alone: else all of them would be alike."""
    (tmp_path / "df").write_bytes(jsonl(*({"shingle": f"{each:016x}", "weight": each // 3} for each in (1, 2, 3))))
    records = jsonl(*({"id": each, "shingles": payload_of([each])} for each in (1, 2, 3)))
    made = run(f"sketch --weights df {options}", stdin=records, cwd=tmp_path).records()
    field = "simhash" if "simhash" in options else "sketch"
    assert [bool(record[field]) for record in made] == [False, False, True]


def test_a_table_says_what_it_is_of(tmp_path: Path) -> None:
    """With its first line it is known whether it is whole, and of which records."""
    texts = jsonl({"id": 1, "text": "a b c"}, {"id": 2, "text": "b c d"})
    table = pipe(texts, "shingle -k 1 --df --header")
    lines = table.splitlines(keepends=True)
    (tmp_path / "df").write_bytes(table)
    (tmp_path / "cut").write_bytes(b"".join(lines[:-1]))
    (tmp_path / "twice").write_bytes(lines[1].replace(b'"weight":', b'"weight":1,"weight":'))
    shingled = pipe(texts, "shingle -k 1")
    assert run("sketch --weights df", stdin=shingled, cwd=tmp_path).status == 0
    ran = run("sketch --weights df", stdin=pipe(texts, "shingle -k 2"), cwd=tmp_path)
    assert ran.status == 2 and ran.out == b""
    assert ran.err.splitlines()[0] == 'sketch: -:1: made by "shingle k=2", not by "shingle k=1" as the table'
    for name, message in [
        ("cut", "cut:4: the table ends here; its first line says 4 shingles"),
        ("twice", 'twice:1: field "weight" occurs twice'),
    ]:
        ran = run(f"sketch --weights {name}", stdin=shingled, cwd=tmp_path)
        assert (ran.status, ran.out, ran.err) == (2, b"", f"sketch: {message}\n")


def test_digits_of_a_table_and_of_records(tmp_path: Path) -> None:
    """Else a table of other fingerprints would know no shingle, and all would weigh the same."""
    (tmp_path / "crc").write_bytes(jsonl({"shingle": "000000ff", "weight": 2}))
    (tmp_path / "wide").write_bytes(jsonl({"shingle": "00000000000000ff", "weight": 2}))
    (tmp_path / "both").write_bytes(jsonl({"shingle": "000000ff", "weight": 2}, {"shingle": 16 * "0", "weight": 2}))
    records = jsonl({"id": 1, "shingles": "000000ff"}, {"id": 2, "shingles": "00000000000000ff"})
    for options in (
        "--weights {}",
        "--simhash --weights {}",
        "--top 3 --weights {}",
        "--lexicon {} --idf 1,3 --least 1",
    ):
        for name, good, place, digits, other in [("crc", 1, 2, 8, 16), ("wide", 2, 1, 16, 8)]:
            ran = run("sketch", *options.format(name).split(), stdin=records, cwd=tmp_path)
            (made,) = (json.loads(line) for line in ran.out.splitlines())
            cause = f'field "shingles" is groups of {other} hex digits, but the table has shingles of {digits}'
            assert (ran.status, ran.err, made["id"]) == (1, f"sketch: -:{place}: {cause}\n", good)
    ran = run("sketch --weights both", stdin=records, cwd=tmp_path)
    message = 'sketch: both:2: field "shingle" is not a group of 8 hex digits\n'
    assert (ran.status, ran.out, ran.err) == (2, b"", message)


@pytest.mark.parametrize("kernel", ["c", "numpy"])
@pytest.mark.parametrize(
    ("weight", "units"),
    [
        ("0", 0),
        ("65536", 65536 * UNIT),
        ("65536.0", 65536 * UNIT),
        ("1", UNIT),
        ("0.5", UNIT // 2),
        ("7.228819", 473748),
        ("0.00000762939453125", 0),
        ("0.000022888183594", 2),
        ("0.0000228881835937", 1),
        ("1e1", 10 * UNIT),
        ("2.50e-1", UNIT // 4),
        ("0.000007629395", 1),
        ("3.14159265358979323846", 205887),
        ("-0.0", 0),
        ("-1", None),
        ("65536.1", None),
        ("1e300", None),
        ("true", None),
        ("null", None),
        ('"1"', None),
        ("[1]", None),
    ],
)
def test_weights_as_they_are_written(weight: str, units: int | None, kernel: str, tmp_path: Path) -> None:
    """By the kernel, whose first line is the definition's, and by the definition."""
    path = tmp_path / "df"
    ordinary = jsonl({"shingle": f"{9:016x}", "weight": 1})
    path.write_bytes(ordinary + f'{{"shingle":"{5:016x}","weight":{weight}}}\n'.encode() + ordinary)
    module = "shingletools.reading.shingle_weights"
    code = f"from {module} import read_weights; print(read_weights('df').weights.weights.tolist())"
    ran = run("python3", "-P", "-c", code, cwd=tmp_path, env={"SHINGLETOOLS_KERNEL": kernel})
    if units is None:
        assert ran.err.splitlines()[-1].endswith('Failed: df:2: field "weight" is not a number from 0 to 65536')
    else:
        assert ran.good().decode() == f"[{units}, {UNIT}]\n"


def test_the_last_line_of_a_shingle_counts(tmp_path: Path) -> None:
    weights = [(5, 1), (3, 2), (5, 4), (4, 1), (3, 8), (3, 0.5)]
    (tmp_path / "df").write_bytes(jsonl(*({"shingle": f"{each:016x}", "weight": weight} for each, weight in weights)))
    read = read_weights(str(tmp_path / "df")).weights
    assert read.shingles.tolist() == [3, 4, 5]
    assert read.weights.tolist() == [UNIT // 2, UNIT, 4 * UNIT]
    assert read.heaviest == 4 * UNIT
