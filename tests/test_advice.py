"""Advice about good input: texts too short for -k, ids that repeat, pairs of other documents."""

import json
from pathlib import Path
from typing import Any

import pytest

from harness import jsonl, pipe, run, run_here, shell


@pytest.mark.parametrize("way", ["", "-j 2"])
def test_texts_that_are_shorter_than_k(way: str, tmp_path: Path) -> None:
    """Said once, in the shell and in one process; not of half of the documents, nor of a few."""
    texts = [
        f"an {number} of few words" if number % 3 else f"{number} or a text of ten words and more it is"
        for number in range(30)
    ]
    (tmp_path / "docs").write_bytes(jsonl(*({"id": number, "text": text} for number, text in enumerate(texts))))
    said = "20 of 30 documents are shorter than -k 10, and are compared as a whole: a smaller -k compares parts of them"
    assert run_here(f"shingle {way} docs", cwd=tmp_path).err == f"shingle: {said}\n"
    ran = run("shingletools", "run", *way.split(), "canon | shingle | sketch | simjoin", "docs", cwd=tmp_path)
    assert (ran.status, ran.err) == (0, f"shingle: {said}\n")
    for some, options in (
        (texts[:9], ""),
        (texts[::3] * 2 + texts[1:6:4], ""),
        (texts, "-k 5"),
        (texts, "--longest 3"),
    ):
        lines = jsonl(*({"id": number, "text": text} for number, text in enumerate(some)))
        assert run_here(f"shingle {way} {options}", stdin=lines, cwd=tmp_path).err == ""


def test_no_pair_at_all(tmp_path: Path) -> None:
    """Said by dedup, in the shell and in one process; not of a few documents, nor beside an archive."""
    (tmp_path / "docs").write_bytes(jsonl(*({"id": number, "text": "a"} for number in range(10))))
    (tmp_path / "few").write_bytes(jsonl(*({"id": number, "text": "a"} for number in range(9))))
    (tmp_path / "pairs").write_bytes(b"")
    said = "dedup: --pairs has no pair, so no document goes\n"
    command = "dedup --pairs pairs"
    ran = run_here(f"{command} docs", cwd=tmp_path)
    assert (ran.status, ran.out, ran.err) == (0, (tmp_path / "docs").read_bytes(), said)
    assert run("shingletools", "run", f"{command} docs", cwd=tmp_path).err == said
    assert run_here(f"{command} few", cwd=tmp_path).err == ""
    assert run_here(f"{command} --known pairs docs", cwd=tmp_path).err == ""
    assert run_here("dedup --pairs /dev/null docs", cwd=tmp_path).err == ""  # where none are expected
    (tmp_path / "pairs").write_bytes(jsonl({"a": 1, "b": 2, "similarity": 0.5}))
    assert run_here(f"{command} docs", cwd=tmp_path).err == ""


@pytest.mark.parametrize("option", ["--pairs", "--groups"])
def test_pairs_of_other_shards(option: str, tmp_path: Path) -> None:
    """Said if most pairs of a shard have their other document elsewhere; groups say nothing."""
    (tmp_path / "shard").write_bytes(jsonl(*({"id": number, "text": ""} for number in range(0, 20, 2))))
    groups = [[0, 1], [2, 3], [4, 6], [5, 7]]
    (tmp_path / "pairs").write_bytes(jsonl(*({"a": a, "b": b} for a, b in groups)))
    (tmp_path / "groups").write_bytes(jsonl(*({"members": group} for group in groups)))
    command = f"dedup {option} {option[2:]}"
    said = (
        "dedup: --pairs: 2 pairs have one document in the input, and 1 have both: the pairs cover files that are not "
        "given, and a document stays if all that it resembles is there; name these, too\n"
    )
    ran = run_here(f"{command} shard", cwd=tmp_path)
    assert (ran.status, ran.err) == (0, "" if option == "--groups" else said)
    assert [json.loads(line)["id"] for line in ran.out.splitlines()] == [0, 2, 4, *range(8, 20, 2)]
    (tmp_path / "other").write_bytes(jsonl({"id": 1, "text": ""}))
    assert run_here(f"{command} shard other", cwd=tmp_path).err == ""


def test_files_that_use_the_same_ids(tmp_path: Path) -> None:
    """The advice makes all documents come through."""
    documents = [{"id": number, "shingles": f"{number:016x}"} for number in range(3)]
    for name in ("a", "b"):
        (tmp_path / name).write_bytes(jsonl(*documents))
    ran = run_here("simjoin a b", cwd=tmp_path)
    rename = "jq -c '.id = \"\\(input_filename) \\(.id)\"'"
    advice = f"; if several files use the same ids, {rename} FILE... makes them differ"
    messages = [f"simjoin: b:{n}: id {n - 1} was seen before{advice * (n == 2)}" for n in (1, 2, 3)]
    assert (ran.status, ran.err.splitlines()) == (1, messages)
    made = shell(f"{rename} a b > all", tmp_path)
    assert made.status == 0
    pairs = run_here("simjoin all", cwd=tmp_path).records()
    assert [(each["a"], each["b"]) for each in pairs] == [(f"a {number}", f"b {number}") for number in range(3)]


@pytest.mark.parametrize("field", ["Nr", "meta.id", "it's a name"])
def test_how_ids_are_renamed_in_other_fields(field: str, tmp_path: Path) -> None:
    """The field is the one that --id names, and is found again by jq."""
    value: Any = {field: 1, "shingles": ""} if field != "meta.id" else {"meta": {"id": 1}, "shingles": ""}
    for name in ("a", "b"):
        first = {"meta": {"id": f"first {name}"}, "Nr": name, "it's a name": name, "shingles": ""}
        (tmp_path / name).write_bytes(jsonl(first, value))
    ran = run("simjoin --id", field, "a", "b", cwd=tmp_path)
    cause, advice, rename = ran.err.partition("; if several files use the same ids, ")
    assert (ran.status, cause, bool(advice)) == (1, "simjoin: b:2: id 1 was seen before", True)
    made = shell(f"{rename.partition(' FILE...')[0]} a b > all", tmp_path)
    assert made.status == 0
    assert run("simjoin --id", field, "all", "-o", "out", cwd=tmp_path).status == 0


def test_no_advice_about_ids_that_jq_cannot_rename(tmp_path: Path) -> None:
    """Within one file, or on standard input."""
    twice = jsonl(*({"id": number, "shingles": ""} for number in (2, 1, 1)))
    (tmp_path / "a").write_bytes(twice)
    for options in ("a", "-"):
        ran = run(f"simjoin {options}", stdin=twice, cwd=tmp_path)
        assert (ran.status, ran.err) == (1, f"simjoin: {options}:3: id 1 was seen before\n")
    for name in ("t.csv", "u.csv"):
        (tmp_path / name).write_text(f"id,text\n2,x\n{name},a\n{name},b\n")
    pairs = "canon --csv --number --id row t.csv u.csv | shingle -k 1 | simjoin --id row"
    made = shell(f"{pairs} | dedup --pairs - --csv --number --id row t.csv u.csv", tmp_path)
    assert made.good().decode() == "id,text\n2,x\nt.csv,a\nt.csv,b\n"


@pytest.mark.parametrize(
    ("texts", "count"),
    [
        (r"one two three four five six\none two three four five seven\n", 2),
        (r"a b c\n", 0),
        (r"a b\na b c d e f g h i j\n", 0),
    ],
)
def test_few_texts_that_are_all_too_short(texts: str, count: int, tmp_path: Path) -> None:
    """Otherwise a first try with two texts would find nothing, and say nothing."""
    said = f"shingle: {count} of {count} documents are shorter than -k 10, and are compared as a whole"
    ran = shell(f"printf '{texts}' | canon --lines | shingle | simjoin", tmp_path)
    assert (ran.status, ran.out, ran.err.rpartition(":")[0]) == (0, b"", said if count else "")


@pytest.mark.parametrize("way", ["", "-j 2"])
def test_texts_that_canon_did_not_make(way: str, tmp_path: Path) -> None:
    """Said once by shingle as the first command, unless words are as canon's, or the units are no words."""
    documents = [{"id": number, "text": f"The cat, and {number} more words than ten are here"} for number in range(10)]
    (tmp_path / "raw").write_bytes(jsonl(*documents))
    (tmp_path / "plain").write_bytes(jsonl(*(each | {"text": str(each["text"])[8:]} for each in documents)))
    (tmp_path / "few").write_bytes(jsonl(*documents[1:]))
    (tmp_path / "canon").write_bytes(pipe((tmp_path / "raw").read_bytes(), "canon"))
    (tmp_path / "canon-kept").write_bytes(jsonl(*(each | {"via": "web | canon/4"} for each in documents)))
    said = '"Cat", "cat" and "cat," are three words here, because via names no canon, which makes one of them'
    command = f"shingle {way} -k 5"
    assert run_here(f"{command} raw plain", cwd=tmp_path).err == f"shingle: {said}\n"
    ran = run("shingletools", "run", *way.split(), "shingle -k 5 | sketch | simjoin", "raw", cwd=tmp_path)
    assert (ran.status, ran.err) == (0, f"shingle: {said}\n")
    assert run("shingletools", "run", *way.split(), "canon | shingle -k 5", "raw", cwd=tmp_path).err == ""
    for name in ("plain", "few", "canon", "canon-kept"):
        assert run_here(f"{command} {name}", cwd=tmp_path).err == ""
    for option in ("-k 5 --chars", "-k 2 --word-chars", "--longest 3", "-k 5 --readable"):
        assert run_here(f"shingle {way} {option} raw", cwd=tmp_path).err == ""


@pytest.mark.parametrize(("repeats", "is_said"), [(1400, True), (2000, False), (20000, False), (50000, False)])
def test_workers_do_not_decide_about_advice(repeats: int, is_said: bool, tmp_path: Path) -> None:
    """A chunk and a span of large records differ in size, so only what both have is looked at."""
    (tmp_path / "raw").write_bytes(jsonl(*({"id": number, "text": "The Cat, sat. " * repeats} for number in range(14))))
    for way in ("-j 1", "-j 2"):
        assert ("three words here" in run(f"shingle {way} raw", cwd=tmp_path).err) is is_said
