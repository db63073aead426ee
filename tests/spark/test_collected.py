"""simgroup and dedup of records: in one task, in many, and in many after one gave up, against the shell."""

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from harness import DOCS, Ran, jsonl, pipe, run
from shingletools.spark import room
from shingletools.spark.collected import Collecting
from spark.packing import parts_of, random_documents

Simspark = Callable[..., Ran]
WAYS = "at once", "in many", "given up"
TOLD = 10  # rejected records that are told


@pytest.fixture
def tried(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Of each attempt in one task whether it was done there."""
    found: list[bool] = []

    work = Collecting.in_one_task

    def watching(*given: Any) -> int | None:
        done = work(*given)
        found.append(done is not None)
        return done

    monkeypatch.setattr(Collecting, "in_one_task", watching)
    return found


def as_in_the_shell(simspark: Simspark, way: str, command: str, folder: Path, *names: str) -> None:
    """What both write, say and reject of some files, and what -v says of groups and documents."""
    files = [folder / name for name in names]
    name = command.split(maxsplit=1)[0]
    there = run(command, "-v", "--all-messages", "--rejects", folder / "bad", *files)
    # A task gives up where it holds more than a quarter of what the input is
    most = room.BASE + sum(path.stat().st_size for path in files) // 4
    size = {"at once": (), "in many": ("--at-once", "0"), "given up": ("--at-once", f"{most}b")}[way]
    inputs = [word for path in files for word in ("--in", path)]
    here = simspark(command, "-v", *size, *inputs, "--rejects", folder / "rejects")
    assert (here.status, here.out) == (there.status, there.out), here.err
    *bad, figures = there.err.replace(f"{name}: {folder}", f"simspark: {name}: file:{folder}").splitlines()
    *told, said = here.err.splitlines()
    for remark in [line for line in bad if line.startswith(f"{name}: the group of ")]:
        bad.remove(remark)
        if way == "at once":  # many tasks do not know which members have no pair with the first
            told.remove(f"simspark: {remark}")
    assert told[:TOLD] == bad[:TOLD]
    assert len(told) == min(len(bad), TOLD + 1)
    assert f"{len(bad)} rejected" in said
    shown = figures.partition(": ")[2].split(", ")
    some = [figure for figure in shown if figure.split()[1] not in ("records", "rejected", "s", "MB/s")]
    assert len(some) >= 2
    assert all(figure in said.split(", ") for figure in some), (said, some)
    kept = folder / "rejects" / f"1-{name}"
    assert (parts_of(kept) if kept.exists() else b"") == (folder / "bad").read_bytes()


def write_pairs(folder: Path) -> None:
    """Some that are none; and documents, some of which no pair has."""
    rng = random.Random(8)
    pairs = [(rng.randrange(900), rng.randrange(900)) for _ in range(900)]
    chain = [(1000 + number, 1001 + number) for number in range(120)]
    records = [{"a": a, "b": f"{b}" if b % 3 else b, "similarity": rng.choice([0.5, 0.9])} for a, b in pairs + chain]
    lines = [jsonl(record) for record in records]
    for place, bad in enumerate([b"{\n", b'{"a":1}\n', b"\n", b'{"a":"\\u0061","b":"a","similarity":1}\n']):
        lines.insert(200 * place, bad)
    (folder / "one").write_bytes(b"".join(lines[:500]))
    (folder / "two").write_bytes(b"".join(lines[500:]))
    documents = jsonl(*({"id": number} for number in [*range(880, 1020), 885, "x"]))
    (folder / "docs").write_bytes(documents + b'{"id":1.5}\n' + jsonl({"id": "y"}))


STAR = " -t 0.7 --star --singletons {}/docs"


@pytest.mark.parametrize(("way", "options"), [(WAYS[0], ""), (WAYS[0], STAR), (WAYS[1], STAR), (WAYS[2], "")])
def test_groups(way: str, options: str, simspark: Simspark, tried: list[bool], tmp_path: Path) -> None:
    write_pairs(tmp_path)
    as_in_the_shell(simspark, way, f"simgroup{options.format(tmp_path)}", tmp_path, "one", "two")
    assert tried == {"at once": [True], "in many": [], "given up": [False]}[way]


KEEP = ["", "--keep longest --annotate", "--keep none", "--keep shortest"]


@pytest.mark.parametrize(
    ("options", "way"), [*((each, "at once") for each in KEEP), *((KEEP[1], way) for way in WAYS[1:])]
)
def test_documents(options: str, way: str, simspark: Simspark, tried: list[bool], tmp_path: Path) -> None:
    documents, groups = random_documents(random.Random(len(options)))
    lines = documents.splitlines(keepends=True)
    for name, data in (
        ("one", b"".join(lines[:99])),
        ("two", b"".join(lines[99:])),
        ("g", groups[0]),
        ("h", groups[1]),
    ):
        (tmp_path / name).write_bytes(data)
    command = f"dedup --groups {tmp_path}/g --groups {tmp_path}/h {options}"
    as_in_the_shell(simspark, way, command, tmp_path, "one", "two")
    assert tried == {"at once": [True], "in many": [], "given up": [False]}[way]


@pytest.mark.parametrize("way", WAYS[:2])
def test_removed(way: str, simspark: Simspark, tmp_path: Path) -> None:
    """Of parts, which a filter makes: also those that are rejected are told with their lines."""
    lines = DOCS.read_bytes().splitlines(keepends=True)
    (tmp_path / "docs").write_bytes(b"".join([*lines[:100], b"{\n", *lines[100:], lines[7]]))
    parts = run("parts --by line", tmp_path / "docs").out
    commands = "parts --by line", "canon", "shingle -k 3", "sketch", "simjoin", "simgroup"
    (tmp_path / "groups").write_bytes(pipe(b"".join(lines), *commands))
    command = f"dedup --groups {tmp_path / 'groups'} --removed {tmp_path}"
    there = run(f"{command}/gone", stdin=parts)
    size = () if way == "at once" else ("--at-once", "0")
    here = simspark(f"parts --by line | {command}/removed", *size, "--in", tmp_path / "docs")
    assert (here.status, here.out) == (there.status, there.out) == (1, there.out)
    assert parts_of(tmp_path / "removed") == (tmp_path / "gone").read_bytes() != b""
    told = here.err.splitlines()
    assert told[0] == f"simspark: parts: file:{tmp_path}/docs:101: not JSON (column 2)"
    causes = [line.partition(": ")[2].partition(": ")[2] for line in there.err.splitlines()]
    again = [line for line in told if line.startswith("simspark: dedup: file:")]
    assert [line.partition("docs:")[2].partition(": ")[2] for line in again] == causes[:TOLD] != []


@pytest.mark.parametrize(
    ("groups", "way"),
    [
        ([b'{"members":[1,2]}\n{"members":[3,"x","y",2,1]}\n', b'{"members":["x"]}\n{'], WAYS[0]),
        ([b'{"members":[1]}\n', b'{"members":"x"}\n{"members":[1]}'], WAYS[0]),
        ([b'{"members":[1]}\n{"members":[4]}\n', b'\n{"members":[1]}\n'], WAYS[0]),
        ([b'{"members":[1]}\n{"members":[4]}\n', b'\n{"members":[1]}\n'], WAYS[1]),
        ([b'{"members":[1]}\n{"a":1,"b":2,"against":true}\n', b"{\n"], WAYS[0]),
    ],
)
def test_what_is_no_group(groups: list[bytes], way: str, simspark: Simspark, tmp_path: Path) -> None:
    """The first such line is told, and that a document is in two groups before what is wrong with a line behind.

    test_dedup.py has what is told of them in many tasks.
    """
    for name, data in zip("gh", groups, strict=True):
        (tmp_path / name).write_bytes(data)
    (tmp_path / "docs").write_bytes(jsonl({"id": 1, "text": ""}) + b"{\n")
    command = f"dedup --groups {tmp_path}/g --groups {tmp_path}/h"
    there = run(command, tmp_path / "docs")
    here = simspark(command, *(() if way == "at once" else ("--at-once", "0")), "--in", tmp_path / "docs")
    assert (here.status, here.out) == (there.status, b"") == (2, b"")
    assert here.err == there.err.replace(f"dedup: {tmp_path}", f"simspark: dedup: file:{tmp_path}")


PIPELINE = ("canon", "shingle -k 3", "sketch", "simjoin -t 0.5", "simgroup")


def test_few_jobs(simspark: Simspark, jobs: Callable[[], int], tmp_path: Path) -> None:
    """Sixteen at most with a join in parts, where documents have copies."""
    lines = DOCS.read_bytes()
    docs, pairs, groups = (tmp_path / name for name in ("docs", "pairs", "groups"))
    docs.write_bytes(lines + lines.replace(b'"id": "', b'"id": "again ').replace(b'"id":"', b'"id":"again '))
    assert docs.read_bytes() != lines + lines
    pairs.write_bytes(pipe(docs.read_bytes(), *PIPELINE[:4]))
    groups.write_bytes(pipe(pairs.read_bytes(), "simgroup"))
    cases = [
        (PIPELINE[:3], "512M", docs, 1),
        (PIPELINE[:4], "512M", docs, 3),
        (PIPELINE[:4], "0", docs, 16),
        (PIPELINE, "512M", docs, 3),
        (["simgroup"], "512M", pairs, 1),
        (["simgroup --star"], "512M", pairs, 1),
        ([f"dedup --groups {groups}"], "512M", docs, 3),
    ]
    for number, (commands, size, source, most) in enumerate(cases):
        ran = simspark(" | ".join(commands), "--at-once", size, "--in", source, "--out", tmp_path / f"{number}")
        assert (ran.status, parts_of(tmp_path / f"{number}")) == (0, pipe(source.read_bytes(), *commands)), ran
        assert 1 <= jobs() <= most, commands
