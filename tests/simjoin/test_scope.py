"""simjoin --within, --across and --best against brute force: all pairs, their labels, and each document's partners."""

import json
import random
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness import Record, jsonl, run
from shingletools.commands.simjoin import nearest
from shingletools.commands.simjoin.join_options import JoinOptions, Scope
from shingletools.commands.simjoin.limits import DEFAULT
from shingletools.commands.simjoin.nearest import binary
from shingletools.commands.simjoin.pair_arrays import Pairs
from simjoin.all_pairs import (
    FIELDS,
    VALUES,
    Document,
    Labels,
    brute_force,
    ends,
    joined,
    kept,
    lines,
    similarity,
    value,
)


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


def corpus(count: int, seed: int = 5) -> tuple[list[list[int]], list[Labels]]:
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
    sets = [{*part} for part in parts]
    for documents, of in ((sets, JoinOptions(Fraction(2, 5))), (parts, JoinOptions(Fraction(1, 2)))):
        records = lines(documents, labels)
        for name, some in (("docs", records), ("new", records[:40]), ("old", records[40:])):
            (tmp_path / name).write_bytes(b"".join(some))
        for options, scope, best in ASKED:
            wanted = of._replace(scope=scope, best=best)
            for files, side in (("docs", None), ("--against old new", 40)):
                command = f"simjoin {of.threshold()} {options} {files}"
                expected = brute_force(documents, wanted, side, labels)
                ran = run(command, cwd=tmp_path)
                assert ran.records() == expected
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
    sets: Sequence[Document] = [{*part} for part in parts]
    for documents in (sets, parts):
        (tmp_path / "docs").write_bytes(b"".join(lines(documents, labels)))
        pairs = ends(brute_force(documents, JoinOptions(Fraction(2, 5))))
        both = {
            (a, b): similarity("jaccard", documents[a], documents[b]) for pair in pairs for a, b in (pair, pair[::-1])
        }
        command = "simjoin -t 0.4 --best 1 --across id --against docs docs"
        for more in ("", "-S1M -j2"):
            found = ends(run(f"{command} {more}", cwd=tmp_path).records())
            assert found == sorted(kept(both, 1, False))
            assert len(found) == len({a for a, _ in pairs} | {b for _, b in pairs}) > 50


def test_archives_are_files(tmp_path: Path) -> None:
    """The values of an archive are in its records; those of files before and behind it are taken as they come."""
    parts, labels = corpus(120)
    records = lines(parts, labels)
    for name, some in (("new", records[:40]), ("old", records[40:80]), ("older", records[80:])):
        (tmp_path / name).write_bytes(b"".join(some))
    run("simindex add A -t 0.4 old", cwd=tmp_path).good()
    for options, scope, best in ASKED:
        expected = brute_force(parts, JoinOptions(Fraction(1, 2), scope=scope, best=best), 40, labels)
        command = f"simjoin -t 0.5 {options}"
        ran = run(f"{command} --against A --against older new", cwd=tmp_path)
        assert ran.records() == expected
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
    parts = [{1}] * 1000
    most = 0
    whole = nearest.Nearest.best

    def best(self: nearest.Nearest, pairs: Pairs) -> Pairs:
        nonlocal most
        most = max(most, len(pairs.a))
        return whole(self, pairs)

    few = replace(DEFAULT, candidates=1 << 12)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(nearest.Nearest, "best", best)
        found = joined(lines(parts), JoinOptions(Fraction(1), best=1), limits=few)
    assert ends(found) == [(0, each) for each in range(1, 1000)]
    assert most < 1 << 14


def test_a_bucket_of_one_site_is_not_compared(tmp_path: Path) -> None:
    """The boilerplate of a site costs no comparison --across sites, and other sites' none --within one."""
    words = " ".join(f"{word:08x}" for word in range(9))
    records = jsonl(*({"id": each, "sketch": f"{words} {each:08x}", "site": each % 2} for each in range(200)))
    (tmp_path / "one").write_bytes(records.replace(b'"site": 1', b'"site": 0'))
    (tmp_path / "two").write_bytes(records)
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
        two = f'{{"id":0,"sketch":"0000000a",{members}}}\n{good}'
        ran = run("simjoin -t 1 --across site", stdin=two.encode())
        assert (ran.status, ran.out, ran.err) == (1, b"", f"simjoin: -:1: {cause}\n")
        archive = tmp_path / f"A{number}"
        run("simindex", "add", archive, "-t", "1", stdin=two.encode()).good()
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
    three = jsonl(*({"id": each, "sketch": "0000000a"} | record for each in range(3)))
    for options in ('--within a"b', "--within é", "".join(f"--within f{each} " for each in range(6)) + "--across id"):
        assert len(run(f"simjoin -t 1 {options}", stdin=three).records()) == 3
