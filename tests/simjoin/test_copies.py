"""simjoin --copies once: that removals and groups are those of all pairs."""

import json
import random
from itertools import product
from pathlib import Path

import pytest

from harness import jsonl, run_here
from simjoin.all_pairs import lines


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Documents in the order of the join and in another one; some are in no pair, and some are missing."""
    folder, rng = tmp_path_factory.mktemp("copies"), random.Random(5)
    kinds = [tuple(rng.randrange(4) for _ in range(4)) for _ in range(25)]
    (folder / "sketches").write_bytes(b"".join(lines(rng.choices(kinds, k=90))))
    for pairs, option in (("all", "all"), ("once", "once")):
        run_here(f"simjoin -t 0.5 --copies {option} sketches -o {pairs}", cwd=folder).good()
    documents = [{"id": number, "text": "x" * rng.randrange(3)} for number in range(100)]
    (folder / "docs").write_bytes(jsonl(*documents))
    rng.shuffle(documents)
    (folder / "mixed").write_bytes(jsonl(*documents[:80]))
    return folder


@pytest.mark.parametrize("options", ["", "--keep longest", "--annotate", "--annotate --keep shortest", "-t 0.75"])
def test_removal_is_that_of_all_pairs(options: str, folder: Path) -> None:
    for documents in ("docs", "mixed"):
        command = f"dedup --pairs {{}} {options} -v {documents}"
        every, once = (run_here(command.format(pairs), cwd=folder) for pairs in ("all", "once"))
        assert once.out == every.out != b""
        assert figures(once.err) == figures(every.err)


def figures(summary: str) -> list[str]:
    """Those of the removal; the others are the seconds, and the pairs of documents that are not there."""
    return [part for part in summary.split(", ") if "kept" in part or "removed" in part or "lowest" in part]


def test_pairs_of_two_joins(tmp_path: Path) -> None:
    """What is a copy by one join is none by the other, so its pairs would not be those of its original."""
    (tmp_path / "docs").write_bytes(jsonl(*({"id": name} for name in "cozy")))
    copy, near = {"a": "z", "b": "c", "similarity": 1, "copy": True}, {"a": "y", "b": "o", "similarity": 0.9}
    alone = "pairs of simjoin --copies once must be those of one join only"
    (tmp_path / "one").write_bytes(jsonl(copy))
    (tmp_path / "near").write_bytes(jsonl(near))
    ran = run_here("dedup --pairs one --pairs near docs", cwd=tmp_path)
    assert (ran.status, ran.out, ran.err) == (2, b"", f"dedup: --pairs: {alone}, in one file\n")
    for other in ({**near, "b": "c"}, {**copy, "a": "y"}, {**copy, "a": "c", "b": "y"}):
        (tmp_path / "pairs").write_bytes(jsonl(near, copy, other))
        for command in ("dedup --pairs pairs docs", "simgroup --star pairs"):
            ran = run_here(f"{command}", cwd=tmp_path)
            assert (ran.status, ran.err) == (
                2,
                f"{command.split()[0]}: a document is a copy and in another pair, too; {alone}\n",
            )
    (tmp_path / "pairs").write_bytes(jsonl({**copy, "similarity": 0.5}))
    ran = run_here("dedup --pairs pairs docs", cwd=tmp_path)
    assert (ran.status, ran.err) == (2, "dedup: pairs:1: a copy whose similarity is not 1\n")


@pytest.mark.parametrize("options", ["--copies once", "--best 1"])
def test_different_sets_of_one_key(options: str, tmp_path: Path) -> None:
    """The token 0 adds nothing to a set's key. Sets with and without it alternate."""
    sets = ["0000000000000001 0000000000000002", "0000000000000000 0000000000000001 0000000000000002"]
    (tmp_path / "in").write_bytes(jsonl(*({"id": number, "shingles": sets[number % 2]} for number in range(2000))))
    ran = run_here(f"simjoin -t 0.6 -v {options} in", cwd=tmp_path)
    assert " 1 candidate," in ran.err
    lines = [json.loads(line) for line in ran.out.splitlines()]
    assert len(lines) == 1999 if options == "--copies once" else 1998


@pytest.mark.parametrize("options", ["", "--star", "-t 0.75", "--star -t 0.75"])
def test_groups_are_those_of_all_pairs(options: str, folder: Path) -> None:
    every, once = (run_here(f"simgroup {options} -v {pairs}", cwd=folder) for pairs in ("all", "once"))
    groups = [[json.loads(line)["members"] for line in each.out.splitlines()] for each in (every, once)]
    assert sorted(map(sorted, groups[1])) == sorted(map(sorted, groups[0])) != []
    assert once.err[once.err.index(" group") :] == every.err[every.err.index(" group") :]


def test_what_it_cannot_be_combined_with(folder: Path) -> None:
    (folder / "other").write_bytes(jsonl({"id": 1, "sketch": "00000001"}))
    for option in ("--forest", "--best 1", "--across lang", "--against other"):
        ran = run_here(f"simjoin --copies once {option} sketches", cwd=folder)
        assert (ran.status, ran.out) == (2, b"")
        assert f"--copies once cannot be combined with {option.split()[0]}, " in ran.err


def test_what_needs_all_pairs_says_so(folder: Path) -> None:
    why = "pairs of simjoin --copies once leave out those of copies; "
    for command, needs in (("simscore --truth all once", "simscore"), ("simtune --truth once docs", "--truth")):
        ran = run_here(command, cwd=folder)
        assert (ran.status, ran.out) == (2, b"")
        assert f"{why}{needs} needs all pairs" in ran.err


def test_a_mark_that_is_neither_true_nor_false(folder: Path) -> None:
    for command in ("simgroup", "dedup docs --pairs -"):
        ran = run_here(command, stdin=jsonl({"a": 1, "b": 2, "copy": 1}), cwd=folder)
        assert 'field "copy" is neither true nor false' in ran.err


@pytest.mark.parametrize("command", ["simgroup", "dedup docs --pairs -", "simshow --docs docs -"])
def test_null_is_as_no_member(command: str, folder: Path) -> None:
    """Tables have it for members that some pairs lack; also in lines that only the definition reads."""
    pairs = [json.loads(line) for line in (folder / "once").read_bytes().splitlines()]
    bare = [{"a": pair["a"], "b": pair["b"]} for pair in pairs]
    nulls: dict[str, None] = dict.fromkeys(("copy", "against", "similarity"))
    for some, name in product((pairs, bare), (b"a", b"\\u0061")):
        lines, filled = (
            jsonl(*each).replace(b'"a"', b'"%b"' % name) for each in (some, [nulls | pair for pair in some])
        )
        expected = run_here(*command.split(), stdin=lines, cwd=folder).good()
        assert run_here(*command.split(), stdin=filled, cwd=folder).good() == expected


@pytest.mark.parametrize("command", ["simjoin -t 0.9 --best 1", "simjoin -t 0.9 --copies once"])
def test_copies_cost_no_pairs(command: str, tmp_path: Path) -> None:
    """All pairs of 30,000 copies would be 450 million."""
    (tmp_path / "in").write_bytes(b"".join(b'{"id":%d,"sketch":"00000001"}\n' % number for number in range(30_000)))
    ran = run_here(f"{command} in", cwd=tmp_path)
    assert ran.good().count(b"\n") == 29_999
