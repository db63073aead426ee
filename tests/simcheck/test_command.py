"""simcheck as a command: pairs that name documents, copies that are none, doubtful pairs, telling differences."""

import json
from pathlib import Path

import pytest

from harness import DATA, Record, jsonl, pipe, run

TELLING = [json.loads(line) for line in (DATA / "telling.jsonl").read_text("utf-8").splitlines()]
UNSEEN = ("marks",)  # differences in what canon leaves out


def checked(folder: Path, documents: dict[str, str], *options: str, copies: bool = False) -> list[Record]:
    """All pairs of texts that share a third of their words, checked."""
    words = pipe(jsonl(*({"id": name, "text": text} for name, text in documents.items())), "canon --symbols")
    (folder / "words").write_bytes(words)
    pairs = pipe(words, "shingle -k 1", f"simjoin -t 0.3{' --copies once' if copies else ''}")
    return records(run("simcheck", "--docs", folder / "words", *options, stdin=pairs).out)


def records(lines: bytes) -> list[Record]:
    return [json.loads(line) for line in lines.splitlines()]


@pytest.mark.parametrize("turned", [False, True])
def test_what_differs_in_one_telling_thing_is_no_copy(tmp_path: Path, turned: bool) -> None:
    wrong = []
    for each in TELLING:
        if any(each.get(name) for name in UNSEEN):
            continue
        texts = (each["b"], each["a"]) if turned else (each["a"], each["b"])
        found = [pair["covers"] for pair in checked(tmp_path, dict(zip("xy", texts, strict=True)))]
        if (each["answer"] == "kept" and found not in ([], ["none"])) or (
            each["answer"] == "copy" and not each.get("order") and found != ["both"]
        ):
            wrong.append((each, found))
    assert wrong == []


def test_copies_whose_texts_differ_are_none_but_equal_ones_are(tmp_path: Path) -> None:
    """Three orders of the same words have one set of words, so simjoin calls them copies."""
    texts = ["dog bites man", "man bites dog", "man bites dog", "dog bites man", "bites dog man"]
    found = checked(tmp_path, dict(zip("pqrst", texts, strict=True)), copies=True)
    assert [(pair["a"], pair["b"], pair.get("copy", False), pair["covers"]) for pair in found] == [
        ("p", "q", False, "none"),
        ("q", "r", True, "both"),
        ("p", "s", True, "both"),
        ("p", "t", False, "none"),
    ]


def test_doubtful_pairs_are_written_to_a_file_too(tmp_path: Path) -> None:
    documents = {"p": "the red house by the lake", "q": "red house by the lake", "r": "red house by a lake"}
    found = checked(tmp_path, documents, "--doubtful", str(tmp_path / "doubtful"))
    doubtful = [pair for pair in found if pair["answer"] == "doubtful"]
    assert [(pair["a"], pair["b"]) for pair in doubtful] == [("p", "r"), ("q", "r")]
    assert records((tmp_path / "doubtful").read_bytes()) == doubtful
    every = checked(tmp_path, documents, "--all")
    assert {pair["covers"] for pair in every} == {"both"}
    assert [pair["answer"] for pair in every] == [pair["answer"] for pair in found]


def test_a_pair_keeps_its_line_if_a_filter_leaves_out_another(tmp_path: Path) -> None:
    (tmp_path / "words").write_bytes(jsonl({"id": 1, "text": "flat 12"}, {"id": 2, "text": "flat 13"}))
    good = {"id": 1, "a": 1, "b": 2, "text": "x"}
    pairs = jsonl(good, {"id": 2}, good | {"b": 3})
    result = run("shingletools", "run", f"canon | simcheck --docs {tmp_path / 'words'}", stdin=pairs)
    assert result.err.splitlines() == [
        'canon: -:2: field "text" is missing',
        "simcheck: -:3: no document of --docs has the id 3",
    ]


def test_different_pairs_are_dropped(tmp_path: Path) -> None:
    documents = {"p": "the red house 12", "q": "the red house 13", "r": "the red house 12", "s": "the red house"}
    found = checked(tmp_path, documents)
    assert {pair["answer"] for pair in found} == {"copy", "doubtful", "different"}
    assert checked(tmp_path, documents, "--drop-different") == [pair for pair in found if pair["answer"] != "different"]


def test_sides_and_documents_that_are_not_there(tmp_path: Path) -> None:
    for name, text in (("one", "flat 12"), ("other", "flat 13")):
        (tmp_path / name).write_bytes(jsonl({"id": 1, "text": text}))
    pairs = jsonl({"a": 1, "b": 1, "against": True}, {"a": 1, "b": 2, "against": True})
    result = run("simcheck", "--docs", tmp_path / "one", "--against", tmp_path / "other", stdin=pairs)
    (pair,) = records(result.out)
    assert (pair["own"]["a"]["first"], pair["own"]["b"]["first"], pair["answer"]) == ("12", "13", "different")
    assert (result.status, result.err) == (1, "simcheck: -:2: no document of --against has the id 2\n")


def test_documents_of_other_recipes_are_not_compared(tmp_path: Path) -> None:
    (tmp_path / "words").write_bytes(jsonl({"id": 1, "text": "a", "via": "canon"}, {"id": 2, "text": "a"}))
    result = run("simcheck", "--docs", tmp_path / "words", stdin=jsonl({"a": 1, "b": 2}))
    assert result.status == 2
    assert "made by" in result.err
