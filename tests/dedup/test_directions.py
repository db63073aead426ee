"""dedup --pairs that say which document may go: who stays, by rules on sets; what is promised, and what fails."""

import json
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness import Record, collect, jsonl, pipe, read_by_definition, run
from shingletools.commands.dedup.dedup_collector import DedupCollector
from shingletools.commands.dedup.spec import FIRST, LONGEST, DedupSpec
from shingletools.record.collector import ONE_PROCESS

COUNT = 9
SIDES = ("a", "b", "both", "none")
Pair = tuple[int, int, str, float]  # the last document may be missing; who may go; a similarity
documents = st.integers(0, COUNT)
pairs = st.lists(
    st.tuples(documents, documents, st.sampled_from(SIDES), st.sampled_from([0.5, 0.75, 1])).filter(
        lambda pair: pair[0] != pair[1]
    ),
    max_size=25,
)


def before(order: Sequence[int], some: Sequence[Pair]) -> dict[int, set[int]]:
    """For each document, those that come before it."""
    found: dict[int, set[int]] = {name: set() for name in order}
    for a, b, side, _ in some:
        if a in found and b in found:
            later = {"a": a, "b": b, "both": max(a, b, key=order.index), "none": None}[side]
            if later is not None:
                found[later].add(a + b - later)
    return found


def staying(order: Sequence[int], ahead: Mapping[int, set[int]]) -> set[int]:
    """The rules, one document at a time, the last one first: what results is the same in any order."""
    stay, gone = set[int](), set[int]()
    while left := [name for name in order if name not in stay | gone]:
        if goes := [name for name in left if ahead[name] & stay]:
            gone.add(goes[-1])
        else:
            stay.add(([name for name in left if ahead[name] <= gone] or left[:1])[-1])
    return stay


def partner(name: int, order: Sequence[int], some: Sequence[Pair], stay: set[int]) -> tuple[int, float]:
    """The most similar of those that stay and cover a document; of equals the most preferred."""
    covering = [(b, similarity) for a, b, side, similarity in some if a == name and side in ("a", "both")]
    covering += [(a, similarity) for a, b, side, similarity in some if b == name and side in ("b", "both")]
    return min((each for each in covering if each[0] in stay), key=lambda each: (-each[1], order.index(each[0])))


def record(pair: Pair, place: int) -> Record:
    """Says by one field or another who may go; covers comes before contained."""
    a, b, side, similarity = pair
    said: Record = {"a": a, "b": b, "similarity": similarity}
    if side == "both" and place % 2:
        return said
    if side == "none" or place % 3:
        return {**said, "covers": side} if place % 5 else {**said, "contained": SIDES[place % 4], "covers": side}
    return {**said, "contained": side}


@pytest.mark.parametrize("ordinary", [True, False])
@given(pairs, st.permutations(range(COUNT)), st.booleans())
def test_who_stays(ordinary: bool, some: list[Pair], names: list[int], longest: bool) -> None:
    records = [{"id": name, "text": "x" * (name % 4)} for name in names]
    order = sorted(names, key=lambda name: -(name % 4)) if longest else names
    ahead = before(order, some)
    stay = staying(order, ahead)
    with tempfile.NamedTemporaryFile() as file:
        file.write(jsonl(*map(record, some, range(len(some)))))
        file.flush()
        for annotate in (False, True):
            spec = DedupSpec("id", pairs=(file.name,), keep=LONGEST if longest else FIRST, annotate=annotate)
            dedup = DedupCollector(spec, ONE_PROCESS)
            if not ordinary:
                read_by_definition(dedup)
            first, second = collect(dedup, jsonl(*records[:4])), collect(dedup, jsonl(*records[4:]))
            output = [*map(json.loads, (first.output + second.add(dedup.finish()).output).splitlines())]
            kept = [each for each in output if "duplicate_of" not in each]
            assert [each["id"] for each in kept] == [name for name in names if name in stay]
            for each in output if annotate else ():
                if "duplicate_of" in each:
                    found = each["duplicate_of"], each["duplicate_by"]["similarity"]
                    assert found == partner(each["id"], order, some, stay)
        doubtful = [pair for pair in some if pair[2] == "none" and {*pair[:2]} <= stay]
        assert (" doubtful pair" in dedup.summary()[-1]) == bool(doubtful)
        assert not doubtful or dedup.summary()[-1] == f"{len(doubtful)} doubtful pair{'s' * (len(doubtful) != 1)}"
    # What is promised
    for a, b, side, _ in some:
        assert side != "both" or not {a, b} <= stay
    assert all(ahead[name] & stay for name in set(names) - stay)
    if not in_circle(ahead):
        assert not any(ahead[name] & stay for name in stay)


def in_circle(ahead: Mapping[int, set[int]]) -> bool:
    """Whether documents come before each other."""
    left = dict(ahead)
    while free := [name for name, others in left.items() if not others & left.keys()]:
        for name in free:
            del left[name]
    return bool(left)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "docs").write_bytes(jsonl(*({"id": name, "text": name * 2} for name in "abcd")))
    return tmp_path


def test_one_side_alone(folder: Path) -> None:
    """The covered one goes, although it is first."""
    (folder / "pairs").write_bytes(jsonl({"a": "a", "b": "b", "covers": "a"}, {"a": "b", "b": "c", "covers": "both"}))
    ran = run("dedup", "-v", "--pairs", "pairs", "--removed", "gone", "docs", cwd=folder)
    assert ran.out == jsonl({"id": "b", "text": "bb"}, {"id": "d", "text": "dd"})
    assert (folder / "gone").read_bytes() == jsonl({"id": "a", "text": "aa"}, {"id": "c", "text": "cc"})
    assert ran.err.endswith(", 0 pairs of other documents\n")


@pytest.mark.parametrize("spelled", ['"covers":"a"', '"covers": "\\u0061"', '"c\\u006fvers":"a"', '"contained":"a"'])
def test_spellings(spelled: str, folder: Path) -> None:
    (folder / "pairs").write_bytes(b'{"a":"a","b":"b",%b}\n' % spelled.encode())
    assert [each["id"] for each in run("dedup --pairs pairs docs", cwd=folder).records()] == ["b", "c", "d"]


@pytest.mark.parametrize("answer", ["copy", "doubtful", "different", 7, None, [1]])
def test_doubtful_pairs(answer: object, folder: Path) -> None:
    """Those that differ, or that name a document that goes or is missing, are not counted."""
    (folder / "pairs").write_text(
        "".join(
            json.dumps(each) + "\n"
            for each in (
                {"a": "a", "b": "b", "covers": "none", "answer": answer},
                {"a": "c", "b": "d", "covers": "both", "answer": "copy"},
                {"a": "a", "b": "d", "covers": "none"},
                {"a": "a", "b": "x", "covers": "none"},
                {"a": "a", "b": "c", "covers": "none", "similarity": 0.4, "answer": "doubtful"},
            )
        )
    )
    ran = run("dedup", "-v", "--pairs", "pairs", "docs", cwd=folder)
    assert [json.loads(line)["id"] for line in ran.out.splitlines()] == ["a", "b", "c"]
    doubtful = "1 doubtful pair" if answer == "different" else "2 doubtful pairs"
    assert ran.err.endswith(f", 1 pair of other documents, {doubtful}\n")


def test_copies(folder: Path) -> None:
    """A copy has its original's pairs; a copy pair that says covers is an ordinary pair."""
    copies = [
        {"a": "a", "b": "b", "similarity": 1, "copy": True},
        {"a": "c", "b": "a", "similarity": 0.9, "covers": "b"},
    ]
    (folder / "pairs").write_bytes(jsonl(*copies))
    assert [each["id"] for each in run("dedup --pairs pairs docs", cwd=folder).records()] == ["c", "d"]
    (folder / "pairs").write_bytes(jsonl({**copies[0], "covers": "none"}, copies[1]))
    assert [each["id"] for each in run("dedup --pairs pairs docs", cwd=folder).records()] == ["b", "c", "d"]


@pytest.mark.parametrize("value", ['"c"', "null", "7", '["a"]', '{"a":1}', '"different"', '""'])
@pytest.mark.parametrize("field", ["covers", "contained"])
def test_bad_values(field: str, value: str, folder: Path) -> None:
    (folder / "pairs").write_text(f'{{"a":"a","b":"b","covers":"a"}}\n{{"a":"c","b":"d","{field}":{value}}}\n')
    ran = run("dedup --pairs pairs docs", cwd=folder)
    cause = f'field "{field}" is not a, b, both or none'
    assert (ran.status, ran.out, ran.err) == (2, b"", f"dedup: pairs:2: {cause}\n")


@pytest.mark.parametrize("side", SIDES)
def test_known(side: str, folder: Path) -> None:
    """A document goes only for one of the archive that covers it, and names the most similar of those."""
    pair = {"a": "a", "b": "old", "against": True, "similarity": 0.5}
    (folder / "pairs").write_bytes(
        jsonl({**pair, "b": "older", "similarity": 1, "covers": "b"}, {**pair, "covers": side})
    )
    output = run("dedup --known pairs --annotate docs", cwd=folder).good()
    assert output.count(b'"duplicate_of":"old","duplicate_by":{"rule":"known","similarity":0.5}') == (
        side in ("a", "both")
    )
    assert output.count(b"duplicate_of") == (side in ("a", "both"))


@pytest.mark.parametrize("command", ["simgroup", "simgroup --star -t 0.5", "simscore --truth pairs"])
def test_others_take_such_pairs(command: str, folder: Path) -> None:
    plain = {"a": "a", "b": "b", "similarity": 0.5}
    said = {**plain, "covers": "none", "contained": "a", "answer": "doubtful", "words": ["x"]}
    (folder / "pairs").write_bytes(jsonl(plain))
    results = []
    for each in (plain, said):
        (folder / "given").write_bytes(jsonl(each))
        results.append(run(*command.split(), "given", cwd=folder).good())
    assert results[0] == results[1] != b""


@settings(max_examples=20)
@given(st.lists(st.sets(st.sampled_from("abcdefgh"), min_size=2), min_size=2, max_size=7))
def test_contained_ones_go(texts: list[set[str]]) -> None:
    """Of simjoin --measure containment, whole: whatever goes is within what stays, and nothing that stays is."""
    docs = jsonl(*({"id": place, "text": " ".join(sorted(text))} for place, text in enumerate(texts)))
    with tempfile.TemporaryDirectory() as name:
        (Path(name) / "docs").write_bytes(docs)
        made = pipe(docs, "canon", "shingle -k 1", "simjoin --measure containment -t 1")
        (Path(name) / "pairs").write_bytes(made)
        kept = [each["id"] for each in run("dedup --keep shortest --pairs pairs docs", cwd=Path(name)).records()]
    stay = [texts[place] for place in kept]
    assert all(any(text <= other for other in stay) for text in texts)
    assert not any(one is not other and one <= other for one in stay for other in stay)
