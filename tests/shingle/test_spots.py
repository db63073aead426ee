"""shingle --spots: against a definition that goes from each stop word forward, and what is refused."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness import DOCS, jsonl, pipe, run
from shingletools.commands.shingle.fingerprints import Runs

TEXTS = st.lists(st.sampled_from(["the", "of", "cat", "dog", "mat", "rat"]), max_size=25)


def slow_spots(words: list[str], stop: set[str], k: int) -> list[str]:
    found = []
    for place, word in enumerate(words):
        behind = [each for each in words[place + 1 :] if each not in stop][: k - 1]
        if word in stop and len(behind) == k - 1:
            found.append(" ".join([word, *behind]))
    return found


@given(TEXTS, st.integers(2, 5))
def test_the_definition(words: list[str], k: int) -> None:
    assert Runs(k, spots=frozenset(["the", "of"]))(" ".join(words)) == slow_spots(words, {"the", "of"}, k)


@pytest.mark.parametrize("options", ["", "--hash crc32", "--mod 2"])
def test_fingerprints_are_those_of_the_words(options: str, tmp_path: Path) -> None:
    """Of each spot signature that which a text of its words has."""
    (tmp_path / "stop").write_text("# two\nthe\nof\n")
    words = "the cat of the dog sat on the mat of rats that are of the house".split()
    (record,) = run(
        f"shingle -k 3 {options} --spots stop", stdin=jsonl({"id": 1, "text": " ".join(words)}), cwd=tmp_path
    ).records()
    texts = jsonl(*({"id": at, "text": each} for at, each in enumerate(slow_spots(words, {"the", "of"}, 3))))
    single = run(f"shingle -k 3 {options}", stdin=texts, cwd=tmp_path).records()
    assert record["shingles"].split() == [part for each in single for part in each["shingles"].split()]
    assert record["via"].startswith("shingle k=3 spots=stop@")


def test_workers_give_the_same() -> None:
    canonized = pipe(DOCS.read_bytes(), "canon")
    alone, shared = (run(f"shingle -k 4 --spots en -j {jobs}", stdin=canonized).good() for jobs in (1, 2))
    assert alone == shared
    assert alone.count(b"\n") == 300 and b'"shingles":""' not in alone


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--spots none", "--spots: none: No such file or directory (shipped: en, ru, zh; iso:LANG for more)"),
        ("--spots iso:xx", "--spots: iso:xx: no such list"),
        ("--spots en -k 1", "--spots needs -k 2 or more"),
        ("--word-chars -k 1", "--word-chars needs -k 2 or more: all texts share the space"),
        ("--spots empty", "--spots: empty: the list has no words, so no shingle can begin"),
        ("--spots comments", "--spots: comments: the list has no words, so no shingle can begin"),
        ("--spots en --df", "--df cannot be combined with --chars, --word-chars, --longest or --spots"),
        ("--spots en --chars", "argument --chars: not allowed with argument --spots"),
    ],
)
def test_what_is_refused(options: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "empty").write_bytes(b"")
    (tmp_path / "comments").write_bytes(b"# the\n\n")
    ran = run(f"shingle {options}", cwd=tmp_path)
    assert (ran.status, ran.out) == (2, b"")
    assert ran.err.startswith(f"shingle: {message}")


@pytest.mark.parametrize("jobs", [1, 2])
def test_texts_without_stop_words_are_reported(jobs: int) -> None:
    """As they are after canon --stop; those that have some are not."""
    stopped = pipe(DOCS.read_bytes(), "canon --stop en")
    ran = run(f"shingle --spots en -j {jobs}", stdin=stopped)
    why = "no stop word of --spots begins a shingle in them (canon --stop drops stop words)"
    assert (ran.status, ran.err) == (0, f"shingle: 300 of 300 documents are left without shingles: {why}\n")
    assert ran.out.count(b'"shingles":""') == 300
    assert run(f"shingle --spots en -j {jobs}", stdin=pipe(DOCS.read_bytes(), "canon")).good()
    assert run("shingle --spots en").good() == b""
    ran = run("shingle --spots en", stdin=jsonl({"id": 1, "text": ""}))
    assert (ran.status, ran.err) == (0, "")


def test_the_list_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "stop").write_text("the\n")
    for options in ("", "--readable"):
        ran = run(f"shingle --spots stop {options} -o stop", cwd=tmp_path)
        assert (ran.status, ran.err) == (2, "shingle: --output stop: this run reads that file already\n")
