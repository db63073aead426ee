"""dedup --pairs: what it promises, on graphs of every kind, in files of every form."""

import json
import tempfile
from fractions import Fraction
from itertools import permutations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness import DOCS, Record, jsonl, run, run_here, shell
from shingletools.commands.dedup.decisions_by_pairs import least_double

Edge = tuple[int, int]
COUNT = 14
GRAPHS = {
    "path": [(n, n + 1) for n in range(COUNT - 1)],
    "star": [(0, n) for n in range(1, COUNT)],
    "late star": [(COUNT - 1, n) for n in range(COUNT - 1)],
    "clique": [(a, b) for b in range(COUNT) for a in range(b)],
    "circle": [(n, (n + 1) % COUNT) for n in range(COUNT)],
    "two sides": [(a, b) for a in range(COUNT // 2) for b in range(COUNT // 2, COUNT)],
}
edges = st.lists(st.tuples(st.integers(0, COUNT - 1), st.integers(0, COUNT - 1)), max_size=40).map(
    lambda found: [edge for edge in found if edge[0] != edge[1]]
)
graphs = st.one_of(edges, st.sampled_from(list(GRAPHS.values())))
rules = st.sampled_from(["first", "longest", "shortest", "min:n", "max:n"])


@given(graphs, st.data(), rules, st.booleans())
def test_what_is_promised(some: list[Edge], data: st.DataObject, rule: str, known: bool) -> None:
    """Whatever is removed has a pair with one that is kept, which it names; no two that are kept are a pair."""
    order = data.draw(st.permutations(range(COUNT)))
    similar = st.sampled_from([0.5, 0.75, 1.0])
    pairs: list[Record] = [
        {"a": a, "b": b, "similarity": data.draw(similar)}
        for edge in data.draw(st.permutations(some + some[: len(some) // 3]))
        for a, b in [data.draw(st.permutations(edge))]
    ]
    documents = [
        {"id": n, "text": "x" * data.draw(st.integers(0, 3)), "n": data.draw(st.integers(0, 3))} for n in order
    ]
    archived = [{"a": n, "b": "old", "against": True} for n in order[:3] * known]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for file, records in (("pairs", pairs), ("known", archived), ("docs", documents)):
            (folder / file).write_bytes(jsonl(*records))
        command = f"dedup --pairs pairs --keep {rule}{' --known known' * known}"
        left, marked = (
            [json.loads(line) for line in run_here(f"{command} {option} docs", cwd=folder).out.splitlines()]
            for option in ("--removed gone", "--annotate")
        )
        kept = [record["id"] for record in left]
        gone = [json.loads(line)["id"] for line in (folder / "gone").open("rb")]
    of_archive = set(order[:3] * known)
    assert sorted(kept + gone) == list(range(COUNT))
    assert of_archive <= set(gone)
    similarity: dict[frozenset[int], float] = {}
    for pair in pairs:
        both = frozenset((pair["a"], pair["b"]))
        similarity[both] = max(pair["similarity"], similarity.get(both, 0))
    assert not any(frozenset(two) in similarity for two in permutations(kept, 2))
    assert [record["id"] for record in marked if "duplicate_of" not in record] == kept
    for record in marked:
        if record["id"] in set(gone) - of_archive:
            alike = {other: similarity.get(frozenset((record["id"], other))) or 0 for other in kept}
            assert alike[record["duplicate_of"]] == max(alike.values()) > 0
            assert record["duplicate_by"] == {"rule": rule, "similarity": max(alike.values())}


@pytest.mark.parametrize("keep", ["first", "shortest", "max:text"])
def test_a_hub(keep: str, tmp_path: Path) -> None:
    """The first of a hundred thousand is like all others, which are like nothing else; and the last is."""
    count = 100_000
    (tmp_path / "docs").write_bytes(b"".join(b'{"id":%d,"text":""}\n' % n for n in range(count)))
    for hub, removed in ((0, count - 1), (count - 1, 1)):
        lines = (b'{"a":%d,"b":%d,"similarity":0.9}\n' % (hub, n) for n in range(count) if n != hub)
        (tmp_path / "pairs").write_bytes(b"".join(lines))
        ran = run_here(f"dedup --pairs pairs --keep {keep} -v --dry-run docs", cwd=tmp_path)
        assert f"{count - removed} kept, {removed} removed ({removed} by --keep {keep}), lowest" in ran.err


@pytest.mark.parametrize(
    ("pair", "cause"),
    [
        ({"a": 1, "b": 1}, "pairs 1 with itself"),
        ({"a": "é", "b": "é", "similarity": 1.0}, 'pairs "é" with itself'),
        ({"a": 1, "b": 2}, 'field "similarity" is missing'),
        ({"a": 1, "b": 2, "similarity": None}, 'field "similarity" is missing'),
        ({"a": 1, "b": 2, "similarity": "1"}, 'field "similarity" is not a number'),
        ({"members": [1, 2]}, 'field "a" is missing; these are groups: dedup --groups or simshow takes them'),
    ],
)
@pytest.mark.parametrize("spelled", ["a", "\\u0061"], ids=["at once", "by line"])
def test_what_is_no_pair(pair: Record, cause: str, spelled: str, tmp_path: Path) -> None:
    lines = jsonl({"a": 5, "b": 6, "similarity": 1}, pair, {"a": 1, "b": 1})
    (tmp_path / "pairs").write_bytes(lines.replace(b'"a"', f'"{spelled}"'.encode()))
    ran = run_here("dedup --pairs pairs -t 0.5", stdin=jsonl({"id": 1}), cwd=tmp_path)
    assert (ran.status, ran.out, ran.err) == (2, b"", f"dedup: pairs:2: {cause}\n")


@given(st.one_of(st.fractions(0, 1), st.decimals(0, 1, places=15).map(Fraction)).filter(bool))
def test_thresholds_are_exact(least: Fraction) -> None:
    """Of neighbouring doubles, the first that prints as a number of at least so much."""
    found = least_double(least)
    assert Fraction(repr(found)) >= least
    for digits in (6, 12, 15):
        above = -(-(least * 10**digits) // 1)
        assert float(f"{above}e-{digits}") >= found
        assert float(f"{above - 1}e-{digits}") < found


def test_the_pipeline(tmp_path: Path) -> None:
    """From a pipe; with groups of the same pairs, more is removed."""
    script = f"""canon {DOCS} | shingle -k 10 | simjoin -t 0.8 | tee pairs |
            dedup --pairs - --removed gone {DOCS} > kept
        simgroup pairs | dedup --groups - {DOCS} | wc -l"""
    assert shell(script, tmp_path).good() == b"224\n"
    kept, gone = ({json.loads(line)["id"] for line in (tmp_path / name).open("rb")} for name in ("kept", "gone"))
    pairs = [{pair["a"], pair["b"]} for pair in map(json.loads, (tmp_path / "pairs").open("rb"))]
    assert (len(kept), len(gone)) == (227, 73)
    assert not any(pair <= kept for pair in pairs)
    assert all(any(name in pair and pair & kept for pair in pairs) for name in gone)


def test_pairs_of_other_documents(tmp_path: Path) -> None:
    """They are counted; where all are, a message says so."""
    (tmp_path / "pairs").write_bytes(jsonl({"a": 1, "b": 9}, {"a": 8, "b": 9}, {"a": 1, "b": 2}, {"a": 2, "b": 1}))
    ran = run_here("dedup --pairs pairs -v", stdin=jsonl({"id": 1}, {"id": 2}), cwd=tmp_path)
    assert (ran.out, ran.err.partition("MB/s, ")[2]) == (
        b'{"id": 1}\n',
        "1 kept, 1 removed (1 by --keep first), 2 pairs of other documents\n",
    )
    ran = run_here("dedup --pairs pairs", stdin=jsonl({"id": "1"}), cwd=tmp_path)
    same = 'are their ids the same? --id names their field; 1 and "1" are two ids'
    assert ran.err == f"dedup: --pairs names no document of the input: {same}\n"
    assert run_here("dedup --pairs pairs -v --keep longest", cwd=tmp_path).err.endswith("4 pairs of other documents\n")


@pytest.mark.parametrize("options", ["", "--keep max:n --annotate", "--keep longest --removed gone"])
def test_both_kernels(options: str, tmp_path: Path) -> None:
    records = [{"id": n % 60, "text": "x" * (n % 7), "n": n % 5} for n in range(61)]
    (tmp_path / "docs").write_bytes(jsonl(*records))
    some = ({"a": n, "b": (n * n + 1) % 70, "similarity": n / 70} for n in range(60) if n != (n * n + 1) % 70)
    (tmp_path / "pairs").write_bytes(jsonl(*some))
    argv = f"dedup --pairs pairs {options} docs"
    here = run_here(argv, cwd=tmp_path)
    assert (here.status, here.err) == (0, "dedup: docs:61: id 0 was seen before, so the document stays\n")
    there = run(argv, cwd=tmp_path, env={"SHINGLETOOLS_KERNEL": "numpy"})
    assert (there.status, there.out, there.err) == (here.status, here.out, here.err)
