"""simjoin --against archives of simindex: the shell's bytes, in one task."""

import json
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from harness import DOCS, Ran, Record, jsonl, pipe, run, run_here
from shingletools.archive.archive_reader import open_archive
from shingletools.spark.pipeline import parse
from shingletools.system.errors import Failed
from spark.packing import rejects_of

Simspark = Callable[..., Ran]
IN_PARTS = ("--at-once", "0")


def as_in_the_shell(simspark: Simspark, options: str, folder: Path, *names: str) -> Ran:
    """What both write, say and reject of some files of a folder; the shell's."""
    there = run(f"simjoin -v --all-messages --rejects bad {options}", *names, cwd=folder)
    inputs = [word for name in names for word in ("--in", folder / name)]
    in_folder = options.replace("--against ", f"--against {folder}/")
    here = simspark(f"simjoin {in_folder}", "-v", *inputs, "--rejects", folder / "rejects")
    assert (here.status, here.out) == (there.status, there.out), here.err
    if there.status == 2:
        cause = there.err.splitlines()[-1].rpartition(": ")[2]
        assert cause in here.err
        return there
    *bad, _ = there.err.splitlines()
    assert f"{len(bad)} rejected" in here.err.splitlines()[-1]
    kept = folder / "rejects" / "1-simjoin"
    lines = [line + b"\n" for _, line in rejects_of(kept)] if kept.exists() else []
    assert sorted(lines) == sorted((folder / "bad").read_bytes().splitlines(keepends=True))
    return there


def write_archives(folder: Path, way: str, least: str) -> None:
    """`new`, `far` and `near`, and the archives A and B, which share documents with them and each other."""
    lines = pipe(DOCS.read_bytes(), "canon", "shingle -k 3", way).splitlines(keepends=True)
    rng = random.Random(len(way))
    field = json.loads(lines[0]).keys() & {"sketch", "simhash"}
    for place in range(0, 300, 37):  # some without a signature
        record = json.loads(lines[place]) | dict.fromkeys(field, "")
        lines[place] = jsonl(record)
    some: dict[str, list[bytes]] = {
        name: rng.sample(lines, count)
        for name, count in [("new", 120), ("far", 90), ("near", 90), ("a", 110), ("b", 110), ("gone", 40)]
    }
    some["new"].insert(50, b"{\n")
    some["far"].insert(9, jsonl({"id": 1.5}))
    for name, records in some.items():
        (folder / name).write_bytes(b"".join(records))
    for archive, source in (("A", "a"), ("B", "b")):
        for part in (some[source][:60], some[source][60:]):
            run_here(f"simindex add {archive} {least}", stdin=b"".join(part), cwd=folder).good()
        run_here(f"simindex drop {archive} --ids gone", cwd=folder)


FOUR = ("sketch", "-t 0.4", "-t 0.4 --interval --against far --against A --against near --against B")


@pytest.mark.parametrize("case", [FOUR, ("sketch --simhash", "-d 14", "-d 12 --against near --against B --against A")])
def test_files_and_archives(case: tuple[str, str, str], simspark: Simspark, tmp_path: Path) -> None:
    signature, least, options = case
    write_archives(tmp_path, signature, least)
    ran = as_in_the_shell(simspark, options, tmp_path, "new")
    assert ran.status == 1
    assert ran.out.count(b'"against":true') > 20
    assert "was seen before" in ran.err or options.count("--against") == 1


ONE = "00000001 00000002 00000003 00000004"


ASKED: list[tuple[list[Record], str, str, int]] = [
    ([{"id": 7, "sketch": ONE, "via": "other"}], "-t 0.5", "-t 0.5 --against A", 2),
    ([{"id": 7, "sketch": ONE, "via": "x"}], "-t 0.8", "-t 1 --against A --against A", 1),
]


@pytest.mark.parametrize("case", ASKED)
def test_what_an_archive_is_asked(case: tuple[list[Record], str, str, int], simspark: Simspark, tmp_path: Path) -> None:
    """Recipes that differ; and repeated ids of archives of which one has nothing new."""
    new, least, options, status = case
    old: list[Record] = [{"id": 7, "sketch": ONE, "via": "x"}, {"id": "e", "sketch": "", "via": "x"}]
    run_here(f"simindex add A {least}", stdin=jsonl(*old), cwd=tmp_path).good()
    (tmp_path / "new").write_bytes(jsonl(*new))
    ran = as_in_the_shell(simspark, options, tmp_path, "new")
    assert ran.status == status


def test_many_tasks_refuse_archives(simspark: Simspark, tmp_path: Path) -> None:
    run_here("simindex add A", stdin=jsonl({"id": 1, "sketch": ONE}), cwd=tmp_path).good()
    (tmp_path / "new").write_bytes(jsonl({"id": 2, "sketch": ONE}))
    ran = simspark(f"simjoin --against {tmp_path / 'A'}", *IN_PARTS, "--in", tmp_path / "new")
    why = "--forest and archives of --against need more memory than --at-once gives to one task"
    assert (ran.status, ran.err) == (2, f"simspark: simjoin: {why}\n")


def test_no_groups_of_two_sides(tmp_path: Path) -> None:
    run_here("simindex add A", stdin=jsonl({"id": 1, "sketch": ONE}), cwd=tmp_path).good()
    with pytest.raises(Failed, match="simgroup: pairs of simjoin --against make no groups"):
        parse(f"simjoin --against {tmp_path / 'A'} | simgroup")


def test_the_rows_with_signatures(tmp_path: Path) -> None:
    records = [{"id": number, "sketch": ONE if number % 3 else ""} for number in range(10)]
    for some in (records[:4], records[4:9], records[9:]):
        run_here("simindex add A", stdin=jsonl(*some), cwd=tmp_path).good()
    archive = open_archive(str(tmp_path / "A"))
    rows = archive.live_rows(1, 10)
    assert archive.signed(rows).tolist() == [number % 3 > 0 for number in range(1, 10)]
    archive.close()
