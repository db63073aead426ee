"""simscore where documents, labels or judgements are missing, and pairs of two sides."""

import json
from pathlib import Path

import pytest

from harness import jsonl, run_here
from simscore.test_command import PAIRS, counts, ran, total


def test_documents_that_are_not_there(tmp_path: Path) -> None:
    """Labels that name them are reported; in a group, the others count. Their found pairs are left out and counted."""
    docs = jsonl({"id": 1}, {"id": 2}, {"id": 3}, {"id": 1}, {"id": "other"})
    truth = {
        "pairs": jsonl({"a": 1, "b": 2}, {"a": 1, "b": "1"}),
        "groups": jsonl({"members": [7, 1, 2, "x", 3]}, {"members": ["other"]}),
    }
    found = jsonl({"a": 1, "b": 2}, {"a": 1, "b": 9}, {"a": 8, "b": 9}, {"a": 2, "b": 1})
    done = ran(tmp_path, "-v --docs docs --truth pairs --truth groups --rejects bad", found, docs=docs, **truth)
    *said, figures = done.err.splitlines()
    assert (done.status, said) == (
        1,
        [
            'simscore: pairs:2: no document of --docs has the id "1"',
            "simscore: groups:1: no document of --docs has the id 7",
        ],
    )
    assert (tmp_path / "bad").read_bytes() == truth["pairs"].splitlines(True)[1] + truth["groups"].splitlines(True)[0]
    assert counts(done) == (4, 2, 1, 3, 1)
    assert figures.endswith(
        "1 pair found, 3 true, 1 both, 4 documents, 0 without a label, 1 pair repeated, 2 outside --docs,"
        " 2 labels of unknown documents"
    )
    labels = jsonl({"id": 1, "l": 1}, {"id": 5, "l": 1}, {"id": 2, "l": 1})
    done = ran(tmp_path, "--docs docs --truth labels --field l", found, labels=labels)
    assert (done.status, done.err) == (1, "simscore: labels:2: no document of --docs has the id 5\n")
    assert counts(done) == (4, 2, 1, 1, 1)


def test_without_docs_those_are_there_that_are_named(tmp_path: Path) -> None:
    done = ran(tmp_path, "-v --truth t", t=jsonl({"a": 1, "b": 2}, {"a": 5, "b": 6}))
    assert counts(done) == (5, 0, 2, 2, 1)
    assert "5 documents, 1 without a label" in done.err


@pytest.mark.parametrize(
    ("truth", "reported"),
    [
        (jsonl({"a": "1", "b": "2"}), True),
        (jsonl({"members": [7, 8]}), True),
        (b"", True),
        (jsonl({"a": 2, "b": 7}), False),
        (jsonl({"members": [2]}), False),
    ],
)
def test_a_truth_that_decides_nothing_of_the_input_is_reported(truth: bytes, reported: bool, tmp_path: Path) -> None:
    done = ran(tmp_path, "--truth t", t=truth)
    said = 'simscore: --truth labels no document of the input: are their ids the same? 1 and "1" are two ids\n'
    assert (done.status, done.err) == (0, said if reported else "")
    assert (total(done)["found"], total(done)["right"]) == (2, 0)
    assert ran(tmp_path, "--truth t", b"", t=truth).good()


def test_labels_that_are_null_are_reported(tmp_path: Path) -> None:
    truth = jsonl({"id": 1, "topic": None}, {"id": 2, "topic": None})
    done = ran(tmp_path, "--truth t --field topic", t=truth)
    assert (done.status, done.err.partition(": are")[0]) == (0, "simscore: --truth labels no document of the input")


@pytest.mark.parametrize("options", ["", "--table", "--allow-rejects 0", "-o out"])
@pytest.mark.parametrize(("found", "truth"), [("good", "bad"), ("good bad", "good"), ("good", "good --truth bad")])
def test_nothing_is_scored_where_a_file_has_no_good_record(
    found: str, truth: str, options: str, tmp_path: Path
) -> None:
    for name, content in {"good": PAIRS, "bad": b"x\n{}\n"}.items():
        (tmp_path / name).write_bytes(content)
    done = run_here(f"simscore --truth {truth} {options} {found}", cwd=tmp_path)
    assert (done.status, done.out, (tmp_path / "out").exists()) == (2, b"", False)
    assert "simscore: bad: not one good record" in done.err.splitlines()
    assert ("simscore: out is not written: not one good record" in done.err) == ("out" in options)
    allowed = run_here(f"simscore --truth {truth} --allow-rejects 2 {found}", cwd=tmp_path)
    assert (allowed.status, allowed.out.count(b"\n")) == (0, 1)


def test_pairs_of_two_sides(tmp_path: Path) -> None:
    """b is another document than that of the same id in the input, in every figure; --docs does not know it."""
    found = jsonl(
        {"a": 1, "b": 1, "against": True},
        {"a": 1, "b": 2},
        {"a": 1, "b": 2, "against": True},
        {"a": 2, "b": 1, "against": True},
        {"a": 1, "b": 2, "against": False},
        {"a": 1, "b": 2, "against": True},
    )
    truth = jsonl({"a": 1, "b": 1, "against": True}, {"a": 2, "b": 1})
    for options, documents in (("", 4), ("--docs docs", 5)):
        done = ran(tmp_path, f"--truth t {options}", found, t=truth, docs=jsonl({"id": 1}, {"id": 2}, {"id": 3}))
        assert (done.status, done.err) == (0, "")
        assert counts(done) == (documents, 0, 4, 2, 2)


@pytest.mark.parametrize("options", ["", "--docs docs", "--bands 0,0.5"])
def test_only_judged_pairs_count(options: str, tmp_path: Path) -> None:
    """Against sets: of the pairs that are found, those that were judged, and of these the ones judged the same."""
    pairs = [(a, b) for a in range(8) for b in range(a)]
    found = [pair for n, pair in enumerate(pairs) if n % 3]
    judged = {pair: n % 2 for n, pair in enumerate(pairs) if n % 5 < 2}
    within = [pair for pair in judged if not options.startswith("--docs") or max(pair) < 7]
    (tmp_path / "docs").write_bytes(jsonl(*({"id": n} for n in range(7))))
    truth = jsonl(*({"a": b, "b": a, "label": label} for (a, b), label in judged.items()))
    inputs = jsonl(*({"a": a, "b": b, "similarity": (a * b % 10) / 10} for a, b in found))
    done = ran(tmp_path, f"--judged --truth truth {options}", inputs, truth=truth)
    hits = [pair for pair in found if pair in within]
    right = sum(judged[pair] for pair in hits)
    documents = {name for pair in within for name in pair}
    assert counts(done)[0] == len(documents)
    assert counts(done)[2:] == (len(hits), sum(judged[pair] for pair in within), right)
    if "bands" in options:
        bands = [json.loads(line) for line in done.out.splitlines() if b'"band"' in line]
        assert sum(each["found"] for each in bands) == len(hits)
    for wrong, said in (
        ("--field l --judged", "--judged needs a truth of pairs, and cannot be combined with --field"),
        ("--judged --truth groups", "--judged needs a truth of pairs, not of groups"),
    ):
        failed = ran(tmp_path, f"--truth truth {wrong}", inputs, groups=jsonl({"members": [0, 1]}))
        assert (failed.status, failed.err) == (2, f"simscore: {said}\n")
