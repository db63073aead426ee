"""simshow --docs in the formats that canon reads, and two files without pairs."""

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from harness import jsonl, pipe, run, run_here

TEXTS = (
    "The quick brown fox jumps over the lazy dog today",
    "<p>The quick brown fox jumps</p>over the lazy <b>cat</b> today",
    "Nothing of the kind.",
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "texts").mkdir()
    for name, text in zip(("a.txt", "b.html", "c.TXT"), TEXTS, strict=True):
        (tmp_path / "texts" / name).write_text(text)
    (tmp_path / "docs.csv").write_text("nr;text\n" + "".join(f"x{at};{text}\n" for at, text in enumerate(TEXTS)))
    (tmp_path / "docs.tsv").write_text("\n".join(["text", *TEXTS]))
    (tmp_path / "docs.txt").write_text("\n".join(TEXTS))
    (tmp_path / "docs.json").write_text(json.dumps([{"id": at, "text": text} for at, text in enumerate(TEXTS)]))
    pq.write_table(pa.table({"id": [7, 8, 9], "text": TEXTS}), tmp_path / "docs.parquet")
    return tmp_path


@pytest.mark.parametrize(
    ("options", "files", "names"),
    [
        ("--csv --delimiter ; --id nr", "docs.csv", ["x0", "x1"]),
        ("--tsv", "docs.tsv", [1, 2]),
        ("--lines", "docs.txt", [1, 2]),
        ("--array", "docs.json", [0, 1]),
        ("--parquet", "docs.parquet", [7, 8]),
        ("--whole", "texts/a.txt texts/b.html", ["texts/a.txt", "texts/b.html"]),
        ("--recursive --exclude c*", "texts", ["texts/a.txt", "texts/b.html"]),
    ],
)
def test_what_canon_reads(options: str, files: str, names: list[str | int], folder: Path) -> None:
    """The same as of what `canon --offsets` makes of the same files; of HTML in a folder, of its text."""
    html = "recursive" in options
    made = run_here(f"canon {options} {'--extract' if html else '--offsets'} {files}", cwd=folder).good()
    (folder / "words").write_bytes(pipe(made, "canon --offsets") if html else made)
    id_ = "--id nr" if "nr" in options else ""
    shingled = run_here(f"shingle -k 2 {id_} words", cwd=folder).good()
    (folder / "pairs").write_bytes(run_here(f"simjoin -t 0.2 {id_}", stdin=shingled, cwd=folder).good())
    docs = " ".join(f"--docs {name}" for name in files.split())
    (record,) = run_here(f"simshow --json {options} {docs} pairs", cwd=folder).records()
    (other,) = run_here(f"simshow --json {id_} --docs words pairs", cwd=folder).records()
    if html:  # whose text has other white space in it
        assert [each.pop("shared")[0]["words"] for each in (record, other)] == [9, 9]
    assert record == other
    assert [record["a"], record["b"]] == names
    if html:
        assert record["share_b"] == 0.9  # tags are no words


def test_two_files_are_compared(folder: Path) -> None:
    """Whatever their suffixes; of HTML, the text."""
    (folder / "texts" / "a.txt").rename(folder / "texts" / "a")
    shown = run("simshow texts/a texts/b.html --full", cwd=folder).good()
    assert b">>The quick brown fox jumps over the lazy [-dog-]{+cat+} today<<" in b" ".join(shown.split())
    (record,) = run_here("simshow --json texts/a texts/b.html", cwd=folder).records()
    assert (record["a"], record["b"], record["similarity"]) == ("texts/a", "texts/b.html", None)
    assert run_here("simshow --canon=--stop=en --html page.html texts/a texts/b.html", cwd=folder).good() == b""
    for words, said in (
        ("texts/a", "needs --docs FILE for pairs, --runs for documents of repeats, or two files to compare"),
        ("texts/a texts/a", 'pairs "texts/a" with itself'),
        ("texts/a texts/b.html --least 0.5", "it has no similarity, which --least, --most and --sample need"),
        ("--csv texts/a texts/b.html", "--csv needs --docs: two files are plain text or HTML"),
        ("--include * texts/a texts/b.html", "--include needs --docs: two files are plain text or HTML"),
        ("texts/a texts", "texts is a folder, not a file: shingletools compare compares folders"),
        ("--runs --ris docs.csv", "--ris cannot be combined with --runs"),
        ("--runs --csv docs.csv", "--csv cannot be combined with --runs"),
        ("--runs --arrow docs.csv", "--arrow cannot be combined with --runs"),
        ("--xlsx texts/a texts/b.html", "--xlsx needs --docs: two files are plain text or HTML"),
        ("--lines --docs docs.txt --text a,b", "this format gives each document one text, so --text names one field"),
    ):
        ran = run_here(f"simshow {words}", stdin=b"", cwd=folder)
        assert (ran.status, ran.out, ran.err) == (2, b"", f"simshow: {said}\n")
    (folder / "bytes").write_bytes(b"a\xff")
    ran = run_here("simshow texts/a bytes", cwd=folder)
    last = "simshow: only two files that can be read are compared"
    assert (ran.status, ran.err.splitlines()[1:]) == (2, [last]) and ran.err.startswith("simshow: bytes: not UTF-8")


def test_bad_rows_are_rejected_with_their_lines(folder: Path) -> None:
    (folder / "docs.json").write_text('[{"id": 1, "text": "a b c"},\n 7, {"id": 2, "text": "a b c"}]')
    ran = run_here("simshow --brief --array --docs docs.json", stdin=jsonl({"a": 1, "b": 2}), cwd=folder)
    assert ran.status == 1 and ran.err.startswith("simshow: docs.json:2: ")
    assert ran.out == b"1 2: 3 words in 1 passage, 100% of a, 100% of b, longest 3\n"
