"""simjoin --within, --across and --best against brute force: all pairs, their labels, and each document's partners."""

import json
import random
from collections.abc import Callable, Iterable
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from itertools import combinations, product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness import Record, collect, jsonl, read_by_definition, run
from shingletools.commands.simjoin import nearest
from shingletools.commands.simjoin.join_collector import JoinCollector
from shingletools.commands.simjoin.join_options import JoinOptions, Scope
from shingletools.commands.simjoin.limits import DEFAULT, Limits
from shingletools.commands.simjoin.nearest import binary
from shingletools.commands.simjoin.pair_arrays import Pairs
from shingletools.commands.simjoin.spec import JoinSpec
from shingletools.system.memory_limit import Memory

# As JSON spells them; two that are one value as JSON readers see it are equal
VALUES = ['"a"', '"b"', '"\\u0061"', '"1"', "1", "1.0", "1e0", "10E-1", "true", "false", "null", "0.1", '"\\u0000"']
SMALL = Limits(
    least_share=1600,
    sampled=2,
    splits=3,
    touched=100,
    sizes=3,
    documents=5,
    portion=5,
    candidates=4,
    sorted_in_memory=7,
    sorted_on_disk=10,
    compared=4,
    large=2,
)
ON_DISK = Memory(0, "/tmp")

Ratio = Callable[[list[int], list[int]], Fraction]
Line = str
Pair = tuple[int, int]


def value(spelled: str) -> object:
    read = json.loads(spelled, parse_float=Decimal)
    return type(read), read


def in_common(one: list[int], two: list[int]) -> int:
    return len({*one} & {*two})


# The similarity, of cosine the square
SETS: dict[str, Ratio] = {
    "jaccard": lambda a, b: Fraction(in_common(a, b), len({*a} | {*b})),
    "dice": lambda a, b: Fraction(2 * in_common(a, b), len({*a}) + len({*b})),
    "cosine": lambda a, b: Fraction(in_common(a, b) ** 2, len({*a}) * len({*b})),
    "overlap": lambda a, b: Fraction(in_common(a, b), min(len({*a}), len({*b}))),
}


def agreeing(one: list[int], two: list[int]) -> Fraction:
    return Fraction(sum(map(int.__eq__, one, two)), len(one))


def brute_force(
    parts: list[list[int]], labels: list[dict[str, str]], wanted: JoinOptions, ratio: Ratio, side: int | None = None
) -> list[Pair]:
    """Every pair, one by one; documents from `side` on are those of --against."""
    found: dict[Pair, Fraction] = {}
    for a, b in combinations(range(len(parts)), 2):
        if not parts[a] or not parts[b] or (side is not None and not a < side <= b):
            continue
        alike = ratio(parts[a], parts[b])
        least = wanted.similarity or Fraction(0)
        enough = alike >= (least**2 if wanted.measure == "cosine" else least)
        if wanted.agreeing is not None:
            enough = in_common(parts[a], parts[b]) >= wanted.agreeing
        equal = {field: value(labels[a][field]) == value(labels[b][field]) for field in wanted.scope.fields}
        allowed = all(equal[field] for field in wanted.scope.within) and not any(
            equal[field] for field in wanted.scope.across
        )
        if alike and enough and allowed:
            found[a, b] = alike
    return sorted(found if wanted.best is None else kept(found, wanted.best, side is None))


def kept(found: dict[Pair, Fraction], best: int, both: bool) -> set[Pair]:
    chosen: set[Pair] = set()
    for each in {end for pair in found for end in (pair if both else pair[:1])}:
        own = [(-alike, a + b - each, (a, b)) for (a, b), alike in found.items() if each in ((a, b) if both else (a,))]
        chosen |= {pair for *_, pair in sorted(own)[:best]}
    return chosen


def line(number: int, payload: str, labels: dict[str, str]) -> str:
    """Labels stand before and behind, one in an object."""
    return f'{{"site":{labels["site"]},"id":{number},{payload},"meta":{{"x":1,"lang":{labels["meta.lang"]}}}}}'


def of_sets(parts: list[list[int]], labels: list[dict[str, str]]) -> list[Line]:
    return [
        line(number, f'"shingles":"{" ".join(f"{token:016x}" for token in part)}"', labels[number])
        for number, part in enumerate(parts)
    ]


def of_sketches(parts: list[list[int]], labels: list[dict[str, str]]) -> list[Line]:
    return [
        line(number, f'"sketch":"{" ".join(f"{word:08x}" for word in part)}"', labels[number])
        for number, part in enumerate(parts)
    ]


def joined(
    lines: Iterable[Line], wanted: JoinOptions, side: int | None, memory: Memory | None = None, limits: Limits = DEFAULT
) -> list[Pair]:
    """With a limit of memory, the definition reads all lines, else the kernel those that are ordinary."""
    join = JoinCollector(JoinSpec("id", wanted, () if side is None else ("other",), memory), 2, limits)
    if memory is not None:
        read_by_definition(join)
    for number, each in enumerate(lines):
        collect(join, each.encode() + b"\n", int(side is not None and number >= side))
    lines = [each for written in join.finish() for each in written.output.decode().splitlines()]
    return [(pair["a"], pair["b"]) for pair in map(json.loads, lines)]


FIELDS = ("site", "meta.lang")
SCOPES = [
    Scope(),
    Scope(within=("site",)),
    Scope(across=("site",)),
    Scope(("meta.lang",), ("site",)),
    Scope(FIELDS),
    Scope(across=FIELDS),
]


@st.composite
def documents(draw: st.DrawFn, tokens: int, size: int | None) -> tuple[list[list[int]], list[dict[str, str]]]:
    """Few different values and texts, so that there are copies, ties and equal labels."""
    count = draw(st.integers(1, 14))
    some = st.lists(st.integers(0, tokens), min_size=size or 0, max_size=size or 6)
    pool = draw(st.lists(some, min_size=1, max_size=6))
    parts = [draw(st.sampled_from(pool)) for _ in range(count)]
    values = draw(st.lists(st.sampled_from(VALUES), min_size=1, max_size=4))
    return parts, [{field: draw(st.sampled_from(values)) for field in FIELDS} for _ in range(count)]


@settings(max_examples=40)
@given(st.data(), st.sampled_from(SCOPES), st.none() | st.integers(1, 3), st.none() | st.integers(0, 14))
def test_sets_against_brute_force(data: st.DataObject, scope: Scope, best: int | None, side: int | None) -> None:
    parts, labels = data.draw(documents(8, None))
    measure = data.draw(st.sampled_from([*SETS]))
    shared = data.draw(st.none() | st.integers(1, 3))
    threshold = None if shared else data.draw(st.sampled_from([Fraction(1, 5), Fraction(1, 2), Fraction(4, 5)]))
    wanted = JoinOptions(threshold, shared, measure=measure, scope=scope, best=best)
    expected = brute_force(parts, labels, wanted, SETS[measure], side)
    lines = of_sets(parts, labels)
    for memory, limits in product([None, ON_DISK], [DEFAULT, SMALL]):
        assert joined(lines, wanted, side, memory, limits) == expected


@settings(max_examples=40)
@given(st.data(), st.sampled_from(SCOPES), st.none() | st.integers(1, 3), st.none() | st.integers(0, 14))
def test_sketches_against_brute_force(data: st.DataObject, scope: Scope, best: int | None, side: int | None) -> None:
    parts, labels = data.draw(documents(3, 5))
    wanted = JoinOptions(data.draw(st.sampled_from([Fraction(1, 5), Fraction(3, 5)])), scope=scope, best=best)
    expected = brute_force(parts, labels, wanted, agreeing, side)
    lines = of_sketches(parts, labels)
    for memory, limits in product([None, ON_DISK], [DEFAULT, SMALL]):
        assert joined(lines, wanted, side, memory, limits) == expected


@settings(max_examples=30)
@given(st.data(), st.sampled_from(SCOPES), st.none() | st.integers(0, 14))
def test_a_forest_connects_what_all_pairs_connect(data: st.DataObject, scope: Scope, side: int | None) -> None:
    parts, labels = data.draw(documents(3, 5))
    wanted = JoinOptions(data.draw(st.sampled_from([Fraction(1, 5), Fraction(3, 5)])), scope=scope)
    every = brute_force(parts, labels, wanted, agreeing, side)
    for memory, limits in product([None, ON_DISK], [DEFAULT, SMALL]):
        found = joined(of_sketches(parts, labels), wanted._replace(forest=True), side, memory, limits)
        assert {*found} <= {*every}
        assert connected(found, len(parts)) == connected(every, len(parts))
        assert len(found) < len(parts)


def connected(pairs: list[Pair], count: int) -> list[int]:
    """The first document that each is connected with."""
    first = list(range(count))
    for a, b in pairs:
        least, other = sorted((first[a], first[b]))
        first = [least if each == other else each for each in first]
    return first


@given(
    st.lists(st.tuples(st.integers(0, 2**126 - 1), st.integers(1, 2**126 - 1)), min_size=1, max_size=20),
    st.sampled_from([(31, 1), (62, 2), (126, 5)]),
)
def test_ratios_compare_as_fractions(given_numbers: list[tuple[int, int]], bits_and_words: tuple[int, int]) -> None:
    """Also those that are nearest to each other, and far nearer than floating-point numbers can be."""
    most = 2 ** bits_and_words[0] - 1
    numbers = [(min(a % most, b % most), max(a % most, b % most, 1)) for a, b in given_numbers]
    numbers += [(most - 1, most), (most - 2, most - 1), (most, most), (0, most), (most // 2, most), (1, 2)]
    words = binary(*np.array(numbers, object if most >= 2**62 else np.int64).T)
    assert len(words) == bits_and_words[1]
    by_words = sorted(range(len(numbers)), key=lambda each: [int(word[each]) for word in words])
    fractions = [Fraction(*each) for each in numbers]
    assert [fractions[each] for each in by_words] == sorted(fractions)
    alike = {tuple(int(word[each]) for word in words) for each in range(len(numbers))}
    assert len(alike) == len({*fractions})


def corpus(count: int, seed: int = 5) -> tuple[list[list[int]], list[dict[str, str]]]:
    rng = random.Random(seed)
    pool = [[rng.randrange(40) for _ in range(12)] for _ in range(count // 4)]
    parts = [[rng.randrange(40) if rng.random() < 0.2 else token for token in rng.choice(pool)] for _ in range(count)]
    return parts, [{field: rng.choice(VALUES) for field in FIELDS} for _ in range(count)]


ASKED = [
    ("--across site", Scope(across=("site",)), None),
    ("--within meta.lang", Scope(("meta.lang",)), None),
    ("--best 2", Scope(), 2),
    ("--within meta.lang --across site --best 1", Scope(("meta.lang",), ("site",)), 1),
]


def test_commands_and_kernels(tmp_path: Path) -> None:
    """From files, in one process, with -j and -S: the same bytes, and the pairs that brute force finds."""
    parts, labels = corpus(100)
    texts = [
        (of_sets(parts, labels), JoinOptions(Fraction(2, 5)), SETS["jaccard"]),
        (of_sketches(parts, labels), JoinOptions(Fraction(1, 2)), agreeing),
    ]
    for lines, of, ratio in texts:
        (tmp_path / "docs").write_text("\n".join(lines))
        (tmp_path / "new").write_text("\n".join(lines[:40]))
        (tmp_path / "old").write_text("\n".join(lines[40:]))
        for options, scope, best in ASKED:
            wanted = of._replace(scope=scope, best=best)
            for files, side in (("docs", None), ("--against old new", 40)):
                command = f"simjoin {of.threshold()} {options} {files}"
                expected = brute_force(parts, labels, wanted, ratio, side)
                ran = run(command, cwd=tmp_path)
                assert [(pair["a"], pair["b"]) for pair in ran.records()] == expected
                assert len(expected) > 5
                ways = [run(f"{command} {more}", cwd=tmp_path) for more in ("-j2", "-S1M -j2")]
                ways.append(run("shingletools", "run", command, cwd=tmp_path))
                assert {each.good() for each in ways} == {ran.out}
            numpy = run(f"simjoin {of.threshold()} {options} docs", cwd=tmp_path, env={"SHINGLETOOLS_KERNEL": "numpy"})
            assert numpy.good() == run(f"simjoin {of.threshold()} {options} docs", cwd=tmp_path).good()


def test_the_best_partner_of_each(tmp_path: Path) -> None:
    """A file against itself, --across ids: each document is one a, the last of copies, too."""
    parts, labels = corpus(100)
    parts, labels = [*parts, *parts[:10] * 3], [*labels, *labels[:10] * 3]
    every = JoinOptions(Fraction(2, 5))
    for lines, ratio in ((of_sets(parts, labels), SETS["jaccard"]), (of_sketches(parts, labels), agreeing)):
        (tmp_path / "docs").write_text("\n".join(lines))
        pairs = brute_force(parts, labels, every, ratio)
        both = {(a, b): ratio(parts[a], parts[b]) for pair in pairs for a, b in (pair, pair[::-1])}
        command = "simjoin -t 0.4 --best 1 --across id --against docs docs"
        for more in ("", "-S1M -j2"):
            found = [(each["a"], each["b"]) for each in run(f"{command} {more}", cwd=tmp_path).records()]
            assert found == sorted(kept(both, 1, False))
            assert len(found) == len({a for a, _ in pairs} | {b for _, b in pairs}) > 50


def test_archives_are_files(tmp_path: Path) -> None:
    """The values of an archive are in its records; those of files before and behind it are taken as they come."""
    parts, labels = corpus(120)
    lines = of_sketches(parts, labels)
    for name, part in (("new", lines[:40]), ("old", lines[40:80]), ("older", lines[80:])):
        (tmp_path / name).write_text("".join(f"{each}\n" for each in part))
    run("simindex add A -t 0.4 old", cwd=tmp_path).good()
    for options, scope, best in ASKED:
        expected = brute_force(parts, labels, JoinOptions(Fraction(1, 2), scope=scope, best=best), agreeing, 40)
        command = f"simjoin -t 0.5 {options}"
        ran = run(f"{command} --against A --against older new", cwd=tmp_path)
        assert [(pair["a"], pair["b"]) for pair in ran.records()] == expected
        assert len(expected) > 3
        assert run(f"{command} -S1M --against old --against older new", cwd=tmp_path).good() == ran.out


def test_sketches_propose_and_simhashes(tmp_path: Path) -> None:
    parts, labels = corpus(60)
    texts = [" ".join(f"w{token}" for token in part) for part in parts]
    records: list[Record] = [
        {"id": number, "text": text, "site": json.loads(each["site"])}
        for number, (text, each) in enumerate(zip(texts, labels, strict=True))
    ]
    (tmp_path / "docs").write_bytes(jsonl(*records))
    for form, join in (("sketch -n 84 --keep", "simjoin --verify -t 0.2"), ("sketch --simhash", "simjoin -d 20")):
        pipeline = f"canon docs | shingle -k 1 | {form} | {join}"
        every = run("shingletools", "run", pipeline, cwd=tmp_path).records()
        sites = [value(each["site"]) for each in labels]
        expected = [pair for pair in every if sites[pair["a"]] != sites[pair["b"]]]
        found = run("shingletools", "run", f"{pipeline} --across site", cwd=tmp_path).records()
        assert 10 < len(expected) < len(every)
        assert found == expected
        chosen = kept({(each["a"], each["b"]): Fraction(str(each["similarity"])) for each in every}, 1, True)
        best = run("shingletools", "run", f"{pipeline} --best 1", cwd=tmp_path).records()
        assert {(each["a"], each["b"]) for each in best} == chosen


def test_a_hub_is_cut_before_it_is_held() -> None:
    """All documents are copies: each keeps its first partner, although there are half a million pairs."""
    parts, labels = [[1]] * 1000, [dict.fromkeys(FIELDS, "1")] * 1000
    most = 0
    whole = nearest.Nearest.best

    def best(self: nearest.Nearest, pairs: Pairs) -> Pairs:
        nonlocal most
        most = max(most, len(pairs.a))
        return whole(self, pairs)

    few = replace(DEFAULT, candidates=1 << 12)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(nearest.Nearest, "best", best)
        found = joined(of_sets(parts, labels), JoinOptions(Fraction(1), best=1), None, None, few)
    assert found == [(0, each) for each in range(1, 1000)]
    assert most < 1 << 14


def test_a_bucket_of_one_site_is_not_compared(tmp_path: Path) -> None:
    """The boilerplate of a site costs no comparison --across sites, and other sites' none --within one."""
    words = " ".join(f"{word:08x}" for word in range(9))
    lines = jsonl(*({"id": each, "sketch": f"{words} {each:08x}", "site": each % 2} for each in range(200)))
    (tmp_path / "one").write_bytes(lines.replace(b'"site": 1', b'"site": 0'))
    (tmp_path / "two").write_bytes(lines)
    for options, pairs in (("--across site one", 0), ("--within site two", 9900), ("--across site two", 10000)):
        assert f"{pairs} candidates, {pairs} pairs" in run(f"simjoin -v -t 0.9 {options}", cwd=tmp_path).err


BAD = [
    ('"x":"a"', 'field "site" is missing; the record has "id", "x"'),
    ('"site":["a"]', 'field "site" is a list or an object'),
    ('"site":{"a":1}', 'field "site" is a list or an object'),
    ('"site":1,"site":2', 'field "site" occurs twice'),
]


def test_records_without_a_value(tmp_path: Path) -> None:
    """They are bad records; those of an archive are bad if they would be in a pair, and said once."""
    good = '{"id":1,"sketch":"0000000a","site":null}\n'
    for number, (members, cause) in enumerate(BAD):
        lines = f'{{"id":0,"sketch":"0000000a",{members}}}\n{good}'
        ran = run("simjoin -t 1 --across site", stdin=lines.encode())
        assert (ran.status, ran.out, ran.err) == (1, b"", f"simjoin: -:1: {cause}\n")
        archive = tmp_path / f"A{number}"
        run("simindex", "add", archive, "-t", "1", stdin=lines.encode()).good()
        ask = good.replace("null", "7") + good.replace('"id":1', '"id":2').replace("null", "7")
        ran = run("simjoin", "-t", "1", "--across", "site", "--against", archive, "-v", stdin=ask.encode())
        said, *figures = ran.err.splitlines()
        assert (ran.status, said) == (1, f"simjoin: {archive}: {cause}")
        assert len(figures) == 1
        assert [(pair["a"], pair["b"]) for pair in map(json.loads, ran.out.splitlines())] == [(1, 1), (2, 1)]


def test_what_is_refused() -> None:
    for options, cause in (
        ("--across a --within b --within a", "--within a cannot be combined with --across a: no pair has both"),
        ("--best 3 --forest", "--best cannot be combined with --forest, which leaves out pairs of any similarity"),
        ("--within f " * 9, "--within and --across name 9 fields, but at most 8 are possible"),
    ):
        ran = run(f"simjoin {options}")
        assert (ran.status, ran.out, ran.err) == (2, b"", f"simjoin: {cause}\n")


def test_any_name_of_a_field() -> None:
    """Also names that JSON escapes, the name of the id, and eight of them."""
    record: Record = {'a"b': 1, "é": 2, **{f"f{each}": each for each in range(6)}}
    lines = jsonl(*({"id": each, "sketch": "0000000a"} | record for each in range(3)))
    for options in ('--within a"b', "--within é", "".join(f"--within f{each} " for each in range(6)) + "--across id"):
        assert len(run(f"simjoin -t 1 {options}", stdin=lines).records()) == 3
