"""Folders of tables and JSON lines: what is removed, and each file written under its name."""

import csv
import gzip
import io
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from harness import Ran, run

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

# The texts of shards in the order of their names; of copies, the first one stays
SHARDS = {
    "0": ["one two three", "four five", "six"],
    "data/10": ["ONE two three!", "seven"],
    "data/9": ["six.", "seven?", "four five"],
    "data/x y/1": ["eight", "nine"],
}
KEPT = {"0": SHARDS["0"], "data/10": ["seven"], "data/9": [], "data/x y/1": ["eight", "nine"]}


def in_csv(texts: list[str]) -> bytes:
    made = io.StringIO()
    csv.writer(made).writerows([["text", "n"], *([text, place] for place, text in enumerate(texts))])
    return made.getvalue().encode()


def in_lines(texts: list[str]) -> bytes:
    return "".join(json.dumps({"text": text}) + "\n" for text in texts).encode()


def in_parquet(texts: list[str]) -> bytes:
    made = io.BytesIO()
    pq.write_table(pa.table({"text": pa.array(texts, pa.string())}), made)
    return made.getvalue()


FORMS: dict[str, tuple[Callable[[list[str]], bytes], Callable[[bytes], bytes]]] = {
    ".jsonl": (in_lines, bytes),
    ".jsonl.zst": (lambda texts: zstd.compress(in_lines(texts)), zstd.decompress),
    ".ndjson.gz": (lambda texts: gzip.compress(in_lines(texts)), gzip.decompress),
    ".csv": (in_csv, bytes),
    ".parquet": (in_parquet, bytes),
}


def texts_in(form: str, data: bytes) -> list[str]:
    """By other readers."""
    if form == ".csv":
        return [row["text"] for row in csv.DictReader(io.StringIO(data.decode()))]
    if form == ".parquet":
        return [row["text"] for row in pq.read_table(io.BytesIO(data)).to_pylist()]
    return [json.loads(line)["text"] for line in data.splitlines()]


def written(folder: Path, form: str) -> Path:
    for name, texts in SHARDS.items():
        path = folder / f"{name}{form}"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(FORMS[form][0](texts))
    (folder / "README.md").write_text("# one two three")
    (folder / ".git").mkdir()
    (folder / ".git" / "x.csv").write_text("text")
    (folder / "meta.json").write_text("{}")
    return folder


def unique(here: Path, *words: str) -> Ran:
    return run("shingletools unique", *words, cwd=here)


@pytest.mark.parametrize("form", FORMS)
def test_each_shard_is_written_under_its_name(form: str, tmp_path: Path) -> None:
    written(tmp_path / "set", form)
    number = ["--number"] if "json" in form or "nd" in form else []
    ran = unique(tmp_path, "set/", "-o", "out", *number)
    assert (ran.status, ran.out) == (0, b""), ran
    assert ran.err.splitlines()[-1].endswith(" 6 kept, 4 removed, 0 left out")
    found = {str(path.relative_to(tmp_path / "out")): path for path in (tmp_path / "out").rglob("*") if path.is_file()}
    assert {name: texts_in(form, FORMS[form][1](path.read_bytes())) for name, path in found.items()} == {
        f"{name}{form}": texts for name, texts in KEPT.items()
    }
    assert os.stat(tmp_path / "out").st_mode == os.stat(tmp_path / "set").st_mode
    names = [f"set/{name}{form}" for name in SHARDS]
    one, two = unique(tmp_path, "set", *number), unique(tmp_path, *names, *number)
    assert (one.status, one.out) == (two.status, two.out)
    if form == ".parquet":
        assert texts_in(form, one.out) == [text for texts in KEPT.values() for text in texts]
    assert unique(tmp_path, "set", "-o", f"all{form}", *number).status == 0
    assert (tmp_path / f"all{form}").is_file()


def test_a_folder_that_is_not_written(tmp_path: Path) -> None:
    """It appears when all files are complete, and takes the place of none."""
    written(tmp_path / "set", ".jsonl")
    for words, message in [
        (["-o", "set"], "dedup: set: is there already, and not empty"),
        (["-o", "no/such"], "dedup: no/such: No such file or directory"),
        (
            ["-o", "out", "--removed", "gone"],
            "shingletools unique: --removed cannot be combined with -o out, which is to be a folder",
        ),
    ]:
        ran = unique(tmp_path, "set", "--number", *words)
        assert (ran.status, ran.err.splitlines()[-1]) == (2, message)
    with (tmp_path / "set" / "data" / "9.jsonl").open("a") as file:
        file.write("no record\n")
    ran = unique(tmp_path, "set", "-o", "out", "--number", "--allow-rejects", "0")
    assert ran.status == 1
    assert "canon: set/./data/9.jsonl:4: not JSON (column 1)" in ran.err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["set"]
    ran = unique(tmp_path, "set", "-o", "out", "--number")
    assert (ran.status, ran.err.splitlines()[-1]) == (1, "shingletools unique: 6 kept, 4 removed, 1 left out")
    assert (tmp_path / "out" / "data" / "9.jsonl").read_bytes() == b""
    for command, message in [
        ("dedup --pairs p --into out a -o b", "dedup: --into cannot be combined with -o"),
        ("dedup --pairs p --into new --lines a d/a", "dedup: --into: two files a, or names outside of the folder"),
        ("dedup --pairs p --into new --lines d/./../a", "dedup: --into: two files , or names outside of the folder"),
        (
            "dedup --pairs p --into new --whole a",
            "dedup: --into writes files with several documents, which --whole does not read",
        ),
    ]:
        (tmp_path / "p").write_text("")
        (tmp_path / "d").mkdir(exist_ok=True)
        for name in ("a", "d/a"):
            (tmp_path / name).write_text("x\n")
        assert run(command, cwd=tmp_path).err == f"{message}\n"
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]


def test_folders_of_other_kinds(tmp_path: Path) -> None:
    """Documents come first; several formats, and a folder without any document, fail."""
    written(tmp_path / "set", ".csv")
    (tmp_path / "set" / "b.jsonl").write_text('{"text":"x"}\n')
    ran = unique(tmp_path, "set")
    assert (ran.status, ran.out) == (2, b"")
    assert "have different formats" in ran.err
    (tmp_path / "set" / "a.txt").write_text("x")
    ran = unique(tmp_path, "set")
    assert ran.out == b"set/README.md\nset/a.txt\n"
    ran = unique(tmp_path, "set", "-o", "out")
    has = "set has a text, set/a.txt, and set/0.csv"
    said = f"-o out: {has}: name the files, or say --recursive for the texts"
    assert (ran.status, ran.err) == (2, f"shingletools unique: {said}\n")
    assert not (tmp_path / "out").exists()
    assert unique(tmp_path, "set", "--recursive", "-o", "out").status == 0
    (tmp_path / "books").mkdir()
    for name in ("a.pdf", "b.docx", "c.epub", "d.epub"):
        (tmp_path / "books" / name).write_bytes(b"x")
    said = (
        "passed over 4 files: 2 in .epub, 1 in .pdf, 1 in .docx; --include GLOB takes files by their names; "
        "pandoc -o FILE.txt FILE makes text of .docx; pdftotext FILE makes text of .pdf; "
        "pandoc -o FILE.txt FILE makes text of .epub"
    )
    assert run("canon --recursive books", cwd=tmp_path).err == f"canon: books: no document: {said}\n"
    assert unique(tmp_path, "books").status == 2
    (tmp_path / "empty").mkdir()
    ran = run("canon --recursive empty", cwd=tmp_path)
    assert (ran.status, ran.err) == (2, "canon: empty: no document\n")
    shown = run("canon --recursive books set", cwd=tmp_path).err.splitlines()
    assert shown[0].startswith("canon: passed over 11 files: 5 in .csv, 2 in .epub, ")
    assert shown[1:] == ["canon: books has no document"]


def test_names_with_line_feeds(tmp_path: Path) -> None:
    (tmp_path / "d").mkdir()
    for name in ("a\nb.txt", "c.txt"):
        (tmp_path / "d" / name).write_text("One two")
    assert unique(tmp_path, "d", "-0").out == b"d/a\nb.txt\0"
    assert "a name with a line feed: -0 ends names with zero bytes" in unique(tmp_path, "d").err
