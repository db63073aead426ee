"""Runs of an archive of passages: exactly those that brute force finds, and the bytes of `--against` with a file."""

import random
import shutil
from itertools import count, product
from pathlib import Path

import pytest

from harness import jsonl, run, run_here
from repeats.oracles import in_reference
from repeats.test_against import marks_of, records, some_texts
from shingletools.commands.repeats import item_windows, window_index
from shingletools.commands.repeats import reference_items as items_module
from shingletools.commands.repeats.against_reference import ItemsOnDisk
from shingletools.kernel.winnowing import ALL_BITS, Winnowing


def archive_of(chance: random.Random, items: bytes, k: int, folder: Path) -> bytes:
    """Makes the archive A of several segments, without some documents; gives what is left."""
    shutil.rmtree(folder / "A", ignore_errors=True)
    lines = items.splitlines(keepends=True)
    for start in range(0, len(lines), 4):
        again = lines[max(start - 1, 0) : start + 4]  # the first of them is there already
        run_here(f"simindex add A -k {k}", stdin=b"".join(again), cwd=folder).good()
    gone = chance.sample(lines, chance.randrange(4))
    run_here("simindex drop A --ids -", stdin=b"".join(gone), cwd=folder).good()
    if chance.random() < 0.5:
        run_here("simindex merge A", cwd=folder).good()
    return b"".join(line for line in lines if line not in gone)


@pytest.fixture(params=(False, True), ids=("together", "few"))
def at_once(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Few texts, and few documents of the archive, at a time."""
    if request.param:
        monkeypatch.setattr(ItemsOnDisk, "together", 60)
        monkeypatch.setattr(items_module, "BATCH_ITEMS", 2)
        monkeypatch.setattr(item_windows, "BATCH_ITEMS", 2)
        for limit in ("MAX_WINDOWS", "CACHED_FROM_STRETCHES", "CACHED_ROWS"):
            monkeypatch.setattr(item_windows, limit, 2)


@pytest.mark.usefixtures("at_once")
def test_exactly_the_runs_that_documents_have(tmp_path: Path) -> None:
    chance = random.Random(1)
    for alphabet, (made, k) in product((1, 2, 3), ((1, 1), (2, 2), (2, 5), (4, 4), (5, 5))):
        items, texts = some_texts(chance, alphabet, 10, 14), some_texts(chance, alphabet, 6, 25)
        left = archive_of(chance, jsonl(*records(items)), made, tmp_path)
        (tmp_path / "left").write_bytes(left)
        live = [item if b'"i%d"' % number in left else [] for number, item in enumerate(items)]
        docs = jsonl(*records(texts))
        for least in (k, 1):
            options = "" if least == k else f"--least {least}"
            output = run_here(f"repeats -k {k} {options} --against A", stdin=docs, cwd=tmp_path).out
            expected = [in_reference(text, live, k, least) for text in texts]
            assert [marks_of(line) for line in output.splitlines()] == expected
            assert output == run_here(f"repeats -k {k} --least {least} --against left", stdin=docs, cwd=tmp_path).out


def test_equal_fingerprints_of_different_words(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of three bits, until another seed is tried."""
    chance = random.Random(2)
    for _ in range(40):
        one, two = ("".join(" ".join(words) + "\n" for words in some_texts(chance, 2, 2, 8)).encode() for _ in "ab")
        plain = window_index.Windows(one, 3)
        with monkeypatch.context() as patch:
            calls = count()
            patch.setattr(
                window_index,
                "Winnowing",
                lambda a, b, c, calls=calls: Winnowing(a, b, c, ALL_BITS if next(calls) else 7),
            )
            weak = window_index.Windows(one, 3)
        assert sorted(weak.numbers) == sorted(plain.numbers)
        assert [each.tolist() for each in weak.find_in(two)] == [each.tolist() for each in plain.find_in(two)]


@pytest.mark.usefixtures("at_once")
def test_whatever_becomes_of_documents(tmp_path: Path) -> None:
    """Workers, kernels and pipelines do not change them; more than ten documents are counted, not named."""
    chance = random.Random(3)
    items, texts = some_texts(chance, 2, 18, 25), some_texts(chance, 3, 12, 40)
    (tmp_path / "items").write_bytes(archive_of(chance, jsonl(*records(items)), 4, tmp_path))
    (tmp_path / "docs").write_bytes(jsonl(*records(texts)))
    run_here("canon --offsets docs -o placed", cwd=tmp_path).good()
    run_here("canon items -o words", cwd=tmp_path).good()
    run_here("simindex add B -k 4 words", cwd=tmp_path).good()
    for source, archive, file in (("docs", "A", "items"), ("placed", "B", "words")):
        for options in (
            "",
            "--cut",
            "--drop 1/2",
            "--cut --drop 1/3 --removed gone",
            "--least 3",
            "--share 0.7",
            "--least 2 --share 2/3 --cut",
            "--least 3 --items gone",
            "--share 1/2 --items gone",
        ):
            least = "" if "--least" in options else "--least 6"
            expected = run_here(f"repeats -k 6 {least} --against {file} {options} {source}", cwd=tmp_path).out
            removed = (tmp_path / "gone").read_bytes() if "gone" in options else b""
            words = f"repeats -k 6 --against {archive} {options} {source}"
            assert run_here(words, cwd=tmp_path).out == expected
            assert removed == ((tmp_path / "gone").read_bytes() if "gone" in options else b"")
            assert run_here(words, "-j2", cwd=tmp_path).out == expected
    expected = run_here("repeats --against B placed", cwd=tmp_path).good()
    assert run_here("repeats -k 4 --against B placed", cwd=tmp_path).good() == expected
    assert b'"items":1' in expected
    assert (
        run("repeats", "--against", tmp_path / "B", tmp_path / "placed", env={"SHINGLETOOLS_KERNEL": "numpy"}).good()
        == expected
    )
    assert run_here("shingletools run", "canon --offsets docs | repeats --against B", cwd=tmp_path).good() == expected


def test_messages(tmp_path: Path) -> None:
    docs = jsonl({"id": 1, "text": "a b c d", "via": "canon"})
    run_here("simindex add A -k 3", stdin=docs, cwd=tmp_path).good()
    run_here("simindex add S", stdin=jsonl({"id": 1, "sketch": "0000000a 0000000b"}), cwd=tmp_path).good()
    run_here("simindex add E -k 3", cwd=tmp_path).good()
    (tmp_path / "none").mkdir()
    for options, said in (
        ("-k 2 --against A", "A: the archive was made for -k 3, not for -k 2"),
        ("--against S", "S: the archive keeps no passages; simindex add -k makes one that does"),
        ("--against none", "none: no archive (manifest.json is missing)"),
        ("--against A --against E", "--against: an archive cannot be combined with another reference"),
    ):
        ran = run_here(f"repeats {options}", stdin=docs, cwd=tmp_path)
        assert (ran.status, ran.out, ran.err) == (2, b"", f"repeats: {said}\n")
    other = jsonl({"id": 2, "text": "a b c", "via": "canon stop=en"})
    ran = run_here("repeats --against A", stdin=other + docs, cwd=tmp_path)
    assert (ran.status, ran.err) == (1, 'repeats: -:1: made by "canon stop=en", not by "canon" as --against\n')
    assert run_here("repeats --against E", stdin=other, cwd=tmp_path).records()[0]["repeats"] == []
    bad = jsonl({"id": 3, "text": 1}) + docs
    ran = run_here("repeats --against A", stdin=bad, cwd=tmp_path)
    assert (ran.status, ran.err) == (1, 'repeats: -:1: field "text" is not a string\n')
    said = '"repeats":[{"from":0,"to":4,"words":4,"ids":[1],"items":1}]}\n'
    assert ran.out.decode().endswith(said)
    segment = tmp_path / "A" / "000001.npz"
    segment.write_bytes(segment.read_bytes().replace(b"a b c d", b"a b c e"))
    ran = run_here("repeats --against A", stdin=docs, cwd=tmp_path)
    assert (ran.status, ran.out) == (2, b"")
    assert ran.err.startswith("repeats: A/000001.npz: damaged")
