"""Ids that come again: days of repeats, edits and bad records, as a model of lists and dictionaries has them."""

import json
import random
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from harness import jsonl, run_here
from shingletools.archive.checksummed_files import hexdigest

WAYS = ("", "--replace", "--keep-old")
Doc = dict[str, object]


@dataclass
class Model:
    """An archive as a list of documents, each with the day that added it."""

    least: int
    docs: list[tuple[Doc, int]] = field(default_factory=list)
    days: int = 0

    def add(self, docs: list[Doc], way: str, unless_known: bool) -> tuple[list[Doc], int]:
        """The pairs of a day that is no repetition, and how many records are bad."""
        old = {each["id"]: each for each, _ in self.docs}
        bad = 0
        first: dict[object, Doc] = {}
        for doc in docs:
            there = old.get(doc["id"])
            same = there is not None and (there["sketch"] == doc["sketch"] if unless_known else there == doc)
            if (not way and there is not None and not same) or first.setdefault(doc["id"], doc) != doc:
                bad += 1
        edited = {
            name
            for name, doc in first.items()
            if name in old
            and (old[name]["sketch"] if unless_known else old[name]) != (doc["sketch"] if unless_known else doc)
        }
        if way == "--replace":
            self.docs = [each for each in self.docs if each[0]["id"] not in edited]
        before, pairs = list(self.docs), []
        self.days += 1
        for name, doc in first.items():
            found = [pair for each, _ in before if (pair := self.pair(doc, each))] if unless_known else []
            pairs += found
            if not found and name not in {each["id"] for each, _ in before}:
                self.docs.append((doc, self.days))
        return pairs, bad

    def pair(self, one: Doc, other: Doc) -> Doc | None:
        a, b = str(one["sketch"]).split(), str(other["sketch"]).split()
        agreeing = sum(x == y for x, y in zip(a, b, strict=False))
        if a == b and one["id"] == other["id"]:
            return {"a": one["id"], "b": other["id"], "similarity": 1.0, "against": True}
        if a and b and agreeing >= self.least:
            return {"a": one["id"], "b": other["id"], "similarity": round(agreeing / len(a), 6), "against": True}
        return None


def made_day(rng: random.Random, pool: list[list[int]], seen: dict[int, Doc]) -> list[Doc]:
    """New documents, repeats, edits, other titles, empty texts, and ids that come twice."""
    docs: list[Doc] = []
    for _ in range(rng.randrange(1, 60)):
        name = rng.randrange(150)
        doc = seen.get(name)
        if doc is None or rng.random() < 0.3:
            row = [part if rng.random() < 0.8 else rng.randrange(3) for part in rng.choice(pool)]
            payload = " ".join(f"{part:08x}" for part in row) if rng.random() < 0.9 else ""
            doc = {"id": name, "title": rng.randrange(2), "sketch": payload}
        elif rng.random() < 0.2:
            doc = doc | {"title": rng.randrange(2)}
        docs.append(doc)
        seen.setdefault(name, doc)
    return docs


@pytest.mark.parametrize("unless_known", [True, False])
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("seed", range(2))
def test_days(seed: int, way: str, unless_known: bool, tmp_path: Path) -> None:
    """In one batch or many, merged or not, each day given twice, and all that came before asked at the end."""
    rng = random.Random(seed)
    n = rng.randrange(3, 9)
    least = rng.randrange(2, n + 1)
    pool = [[rng.randrange(3) for _ in range(n)] for _ in range(6)]
    model = Model(least)
    seen: dict[int, Doc] = {}
    for day in range(7):
        docs = made_day(rng, pool, seen)
        (tmp_path / "day").write_bytes(jsonl(*docs))
        pairs, bad = model.add(docs, way, unless_known)
        size = rng.choice(["1K", "3K", "100M"])
        words = ["simindex", "add", "A", "-m", str(least), "-S", size, "--as", f"day {day}", "day", "--all-messages"]
        words += [way] * bool(way) + ["--unless-known"] * unless_known
        for again in range(2):
            ran = run_here(*words, cwd=tmp_path)
            assert (ran.status, ran.err.count("\n")) == ((1 if bad else 0), bad), again
            assert [json.loads(line) for line in ran.out.splitlines()] == pairs
            assert run_here("simindex dump A", cwd=tmp_path).records() == [doc for doc, _ in model.docs]
        if rng.random() < 0.3:
            run_here("simindex merge A", cwd=tmp_path).good()
    run_here("simindex check A", cwd=tmp_path).good()
    asked = [
        pair for doc in seen.values() for each, _ in model.docs if doc["sketch"] and (pair := model.pair(doc, each))
    ]
    (tmp_path / "asked").write_bytes(jsonl(*seen.values()))
    assert run_here("simjoin --against A asked", "-m", str(least), cwd=tmp_path).records() == asked


def doc(name: int, sketch: str) -> Doc:
    return {"id": name, "sketch": " ".join(f"{ord(letter):08x}" for letter in sketch)}


def test_an_older_day_given_again_replaces_nothing_newer(tmp_path: Path) -> None:
    monday, tuesday = jsonl(doc(1, "abcd"), doc(2, "efgh")), jsonl(doc(1, "ijkl"), doc(3, "abcd"))
    add = "simindex add A -m 3 --unless-known --replace --as"
    assert run_here(f"{add} monday", stdin=monday, cwd=tmp_path).good() == b""
    assert run_here(f"{add} tuesday", stdin=tuesday, cwd=tmp_path).good() == b""
    there = run_here("simindex dump A", cwd=tmp_path).good()
    assert there == jsonl(doc(2, "efgh"), doc(1, "ijkl"), doc(3, "abcd"))
    for day, lines in (("monday", monday), ("tuesday", tuesday), ("monday", monday)):
        assert run_here(f"{add} {day}", stdin=lines, cwd=tmp_path).good() == b""
        assert run_here("simindex dump A", cwd=tmp_path).good() == there
    said = run_here(f"{add} wednesday -v", stdin=monday, cwd=tmp_path)
    assert said.err.endswith(", 0 added, 0 there already, 1 replaced, 2 known\n")
    pairs = [{"a": a, "b": b, "similarity": 1.0, "against": True} for a, b in ((1, 3), (2, 2))]
    assert [json.loads(line) for line in said.out.splitlines()] == pairs
    assert run_here("simindex dump A", cwd=tmp_path).good() == jsonl(doc(2, "efgh"), doc(3, "abcd"))


def test_an_archive_of_version_1(tmp_path: Path) -> None:
    """It has no names of additions, and no threshold. It opens, and gets the newer version when it changes."""
    run_here("simindex add A", stdin=jsonl(doc(1, "abcd")), cwd=tmp_path).good()
    path = tmp_path / "A" / "manifest.json"
    body = path.read_bytes()[len(b'{"sum":"') + 64 + len(b'",') : -1]
    for now, then in ((b'"names":[],', b""), (b'"threshold":"-t 0.8",', b""), (b'"version":2', b'"version":1')):
        assert body.count(now) == 1
        body = body.replace(now, then)
    path.write_bytes(b'{"sum":"%b",%b\n' % (hexdigest(body).encode(), body))
    pair = {"a": 1, "b": 1, "similarity": 1.0, "against": True}
    assert run_here("simjoin --against A", stdin=jsonl(doc(1, "abcd")), cwd=tmp_path).records() == [pair]
    ran = run_here("simjoin --against A -t 0.7", stdin=jsonl(doc(1, "abcd")), cwd=tmp_path)
    assert ran.err == "simjoin: A: the archive was made for -m 4 (4 of 4 components), not for -t 0.7 (3)\n"
    add = "simindex add A --unless-known --as monday"
    assert run_here(add, stdin=jsonl(doc(1, "abcd"), doc(2, "efgh")), cwd=tmp_path).records() == [pair]
    assert b'"version":2' in path.read_bytes()
    assert b'"names":[[2,"monday"]]' in path.read_bytes()


def test_dedup_removes_what_comes_again(tmp_path: Path) -> None:
    run_here("simindex add A", stdin=jsonl(doc(1, "abcd")), cwd=tmp_path).good()
    (tmp_path / "day").write_bytes(jsonl(doc(1, "abcd"), doc(2, "efgh")))
    run_here("simindex add A --unless-known -o known day", cwd=tmp_path).good()
    assert run_here("dedup --known known day", cwd=tmp_path).good() == jsonl(doc(2, "efgh"))
    marked = run_here("dedup --annotate --known known day", cwd=tmp_path).records()
    assert marked[0] | {"duplicate_of": 1, "duplicate_by": {"rule": "known", "similarity": 1.0}} == marked[0]
