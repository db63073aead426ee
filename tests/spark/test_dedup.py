"""dedup on Spark by what an archive has, by values and by pairs, and only said: against the shell."""

import json
import random
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest

from harness import Ran, Record, jsonl, run
from shingletools.spark import graph
from spark.packing import parts_of, rejects_of

Simspark = Callable[..., Ran]
IN_PARTS = ("--at-once", "0")
GIVEN = "--groups g --groups h --known k --known l"
OPTIONS = [
    GIVEN,
    f"{GIVEN} --annotate",
    f"{GIVEN} --annotate --keep max:meta.n",
    f"{GIVEN} --annotate --keep min:count",
    f"{GIVEN} --keep none --removed gone",
    "--known l --known k --removed gone",
    "--groups g --keep min:n --as text --annotate",
    "--groups g --groups h --keep max:n --as text --removed gone",
    f"{GIVEN} --keep longest --annotate",
    f"{GIVEN} --keep shortest --removed gone --id meta.id",
    "--pairs p --pairs q --annotate",
    "--pairs q --pairs p --known k --keep longest -t 0.4 --removed gone",
    "--pairs p --known l --known k --keep max:n --as text --annotate",
    "--groups g --groups h --known k --larger-than 2 --of of --annotate",
]


def write_files(folder: Path, rng: random.Random) -> None:
    """Documents `one` and `two`, groups `g` and `h`, and pairs with an archive, `k` and `l`."""
    ids = [f"{number} é" if number % 3 else number for number in range(300)]
    lines = []
    for each in rng.sample(ids, 270):
        value = rng.choice([rng.randrange(5), rng.choice("aé語"), 0.5, 1e99, None, [1], 9007199254740993])
        record = {
            "id": each,
            "text": "é" * rng.randrange(5),
            "n": value,
            "meta": {"n": rng.random(), "id": each},
            "count": rng.choice(["9", " 10", "-.5", 9, "9.0", ""]),
        }
        if rng.random() < 0.1:
            record["duplicate_of"] = 1
        if rng.random() < 0.1:
            del record["n"]
        if rng.random() < 0.8:
            record["of"] = rng.choice([1, 1.0, "1", None, rng.randrange(9)])
        lines.append(jsonl(record))
        if rng.random() < 0.05:
            lines.append(rng.choice([b"{\n", b'{"id":1.5}\n', lines[-1], b'{"id":"a","n":1,"n":2,"text":""}\n']))
    (folder / "one").write_bytes(b"".join(lines[:100]))
    (folder / "two").write_bytes(b"".join(lines[100:]))
    some = rng.sample(ids, 200)
    members = [some[place : place + 4] for place in range(0, 200, 4)]
    (folder / "g").write_bytes(jsonl(*({"members": each} for each in members[::2])))
    (folder / "h").write_bytes(jsonl(*({"members": each} for each in members[1::2])))
    known = [
        {"a": rng.choice(ids), "b": f"old {rng.randrange(40)}", "similarity": round(rng.random(), 1)} for _ in range(60)
    ]
    known += [{"a": rng.choice(ids), "b": rng.choice(ids), "against": True} for _ in range(9)]
    pairs = [(*rng.sample([*ids, "none"], 2), round(rng.random(), 1)) for _ in range(300)]
    pairs += [(b, a, similarity) for a, b, similarity in pairs[:9]]
    lines = [jsonl({"a": a, "b": b, "similarity": similarity}) for a, b, similarity in pairs]
    (folder / "p").write_bytes(b"".join(lines[:200]))
    (folder / "q").write_bytes(b"".join(lines[200:]).replace(b'"a"', b'"\\u0061"', 5))
    (folder / "k").write_bytes(jsonl(*known[::2]))
    (folder / "l").write_bytes(jsonl(*known[1::2]).replace(b'"b"', b'"\\u0062"', 7))


def in_folder(options: str, folder: Path) -> str:
    """With the paths of files."""
    words = options.split(" ")
    files = {"--pairs", "--groups", "--known", "--removed"}
    return " ".join(
        f"{folder}/{word}" if before in files else word for before, word in zip(["", *words], words, strict=False)
    )


IN_TASKS = OPTIONS[2], OPTIONS[4], OPTIONS[9], OPTIONS[11], OPTIONS[13]


@pytest.mark.parametrize(("options", "way"), [(OPTIONS[0], ()), *((each, IN_PARTS) for each in IN_TASKS)])
def test_as_in_the_shell(options: str, way: tuple[str, ...], simspark: Simspark, tmp_path: Path) -> None:
    write_files(tmp_path, random.Random(options))
    there = run(f"dedup -v --all-messages --rejects bad {options}", "one", "two", cwd=tmp_path)
    command = f"dedup {in_folder(options, tmp_path).replace('/gone', '/went')}"
    rejects = tmp_path / "rejects"
    here = simspark(command, "-v", *way, "--in", tmp_path / "one", "--in", tmp_path / "two", "--rejects", rejects)
    assert (here.status, here.out) == (there.status, there.out) == (1, there.out), here.err
    bad = (tmp_path / "bad").read_bytes().splitlines(keepends=True)
    written = there.out.count(b"\n")
    assert here.err.splitlines()[-1].split(", ")[1:3] == [f"{len(bad)} rejected", f"{written} written"]
    kept = sorted(line + b"\n" for _, line in rejects_of(rejects / "1-dedup"))
    assert kept == sorted(bad)
    if "gone" in options:
        assert parts_of(tmp_path / "went") == (tmp_path / "gone").read_bytes() != b""


@pytest.mark.parametrize("options", ["", "--as number"])
def test_values_in_doubt(options: str, simspark: Simspark, tmp_path: Path) -> None:
    (tmp_path / "one").write_bytes(jsonl({"id": 1, "n": "9/1/2024"}, {"id": 2, "n": "10"}, {"id": 3, "n": "a"}))
    (tmp_path / "g").write_bytes(jsonl({"members": [1, 2]}))
    command = f"dedup --keep min:n {options} --groups"
    there = run(f"{command} g", "one", cwd=tmp_path)
    here = simspark(f"{command} {tmp_path}/g", *IN_PARTS, "--in", tmp_path / "one")
    assert (here.status, here.out, here.err) == (there.status, there.out, f"simspark: {there.err}")
    assert here.status == 2


@pytest.mark.parametrize(("bad", "way"), [(True, ()), (False, IN_PARTS)])
def test_only_said(bad: bool, way: tuple[str, ...], simspark: Simspark, tmp_path: Path) -> None:
    """Nothing is written, neither documents nor bad records."""
    write_files(tmp_path, random.Random(1))
    if not bad:
        group = json.loads((tmp_path / "g").read_bytes().split(b"\n")[0])
        (tmp_path / "one").write_bytes(jsonl({"id": group["members"][0], "text": ""}, {"id": "x", "text": ""}))
        (tmp_path / "two").write_bytes(b"")
    options = "--groups g --removed gone --dry-run"
    there = run(f"dedup {options}", "one", "two", cwd=tmp_path)
    here = simspark(
        f"dedup {in_folder(options, tmp_path)}",
        *way,
        "--in",
        tmp_path / "one",
        "--in",
        tmp_path / "two",
        "--rejects",
        tmp_path / "rejects",
    )
    assert (here.status, there.status) == (int(bad), int(bad))
    figures, said = there.err.splitlines()[-1], here.err.splitlines()[-1]
    assert said.split(", ")[2] == figures.split(", ")[-2]
    assert not any((tmp_path / name).exists() for name in ("out", "gone", "rejects"))


@pytest.mark.parametrize(
    "case",
    [
        ({"k": [{"a": 1, "b": 2}, {"a": 1, "b": 2, "against": False}]}, "--known k", IN_PARTS),
        ({"g": [{"members": [1]}, {"members": [1]}]}, "--groups g", IN_PARTS),
        ({"g": [{"members": "x"}]}, "--groups g", IN_PARTS),
        ({"k": [{"a": 1, "b": 2}, {"a": 1, "b": 2, "similarity": "x"}]}, "--known k", ()),
        ({"g": [{"members": [1]}, {"members": [1]}], "k": [{}]}, "--known k --groups g", ()),
    ],
)
def test_what_fails_the_run(
    case: tuple[dict[str, list[Record]], str, tuple[str, ...]], simspark: Simspark, tmp_path: Path
) -> None:
    files, options, way = case
    for name, records in {**files, "docs": [{"id": 1, "text": ""}]}.items():
        (tmp_path / name).write_bytes(jsonl(*records))
    there = run(f"dedup {options}", "docs", cwd=tmp_path)
    here = simspark(f"dedup {in_folder(options, tmp_path)}", *way, "--in", tmp_path / "docs")
    assert (here.status, here.out) == (there.status, there.out) == (2, b"")
    assert here.err.rpartition(": ")[2] == there.err.rpartition(": ")[2]


@pytest.mark.parametrize("most", [120, 1 << 20])
def test_pairs_in_rounds(most: int, simspark: Simspark, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of small tasks, with pairs that say who may go, and circles of these; and what removal by pairs promises."""
    monkeypatch.setattr(graph, "TASK_PAIRS", most)
    rng = random.Random(27)
    ids = [number if number % 3 else f"{number} \u00e9" for number in range(220)]
    docs = [{"id": each, "text": "a" * rng.randrange(4), "n": rng.choice([1, 2.5, "7", None])} for each in ids]
    pairs = [(*rng.sample([*ids, "outside"], 2), rng.choice([0.4, 0.5, 0.75, 1])) for _ in range(300)]
    pairs += [(b, a, similarity) for a, b, similarity in pairs[:20]]
    (tmp_path / "docs").write_bytes(jsonl(*docs))
    pairs += [(*pair, 1) for pair in pairwise([*rng.sample(ids, 9)] * 2)]  # in a circle
    either, sides = {"covers": "both"}, [{"covers": "a"}, {"contained": "b"}, {"covers": "none"}]
    said = [rng.choice([{}, either, *sides]) for _ in pairs[17:]] + [sides[0]] * 17
    records = [
        {"a": a, "b": b, "similarity": similarity, **by} for (a, b, similarity), by in zip(pairs, said, strict=True)
    ]
    (tmp_path / "pairs").write_bytes(jsonl(*records))
    known = ({"a": each, "b": "old", "similarity": 0.5, "against": True} for each in ids[::20])
    (tmp_path / "known").write_bytes(jsonl(*known))
    command = f"dedup --annotate --keep max:n --pairs {tmp_path}/pairs --known {tmp_path}/known"
    there = run(command, tmp_path / "docs").good()
    assert simspark(command, *IN_PARTS, "--in", tmp_path / "docs").good() == there
    assert there.count(b"duplicate_of") > 50
    stay = {each["id"] for each in map(json.loads, there.splitlines()) if "duplicate_of" not in each}
    assert not any(a in stay and b in stay for (a, b, _), by in zip(pairs, said, strict=True) if by in ({}, either))
