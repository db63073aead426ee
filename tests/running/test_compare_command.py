"""What compare finds: it writes what the pipeline that it prints writes in a shell."""

import gzip
from pathlib import Path

from harness import run_here, shell
from running.short_inputs import LONG


def test_compare(here: Path) -> None:
    (here / "a.txt").write_text(f"{LONG} one two three four five six")
    (here / "b.txt").write_text("Zero. One two three, four five seven")
    ran = run_here("shingletools compare a.txt b.txt", cwd=here)
    assert (
        ran.good().decode().startswith('"a.txt" "b.txt" 0.002475: 5 words in 1 passage, 1% of a, 71% of b, longest 5\n')
    )
    (record,) = run_here("shingletools compare --json a.txt b.txt", cwd=here).records()
    assert (record["jaccard"], record["containment"]) == (0.002475, 0.333333)
    assert record["shared"] == [{"a": [len(LONG) + 1, len(LONG) + 24], "b": [6, 30], "words": 5}]
    for words in (
        "a.txt b.txt",
        "folder folder --brief -m 1",
        "-k 2 -m 1 table.csv docs.jsonl",
        "--html page -m 1 folder folder",
    ):
        lines = run_here(f"shingletools compare --dry-run {words}", cwd=here).good().decode()
        ran = run_here(f"shingletools compare {words} -j 2", cwd=here)
        assert ran.good() == shell(lines, here).good()
    assert len(run_here("shingletools compare -k 2 -m 1 --json table.csv docs.jsonl", cwd=here).records()) == 9
    assert b"cat sat" in (here / "page").read_bytes()
    ran = run_here("shingletools compare --brief 0.html 1.html", cwd=here)
    assert ran.good() == b'"0.html" "1.html" 1.0: 6 words in 1 passage, 100% of a, 100% of b, longest 6\n'
    for words, pairs in (("folder 0.html -m 1", 2), ("folder lines.txt -m 1 -k 4", 2), ("0.html folder/0.txt", 1)):
        assert len(run_here(f"shingletools compare --json {words}", cwd=here).records()) == pairs
    for name in ("folder/a.txt", "README_", "k.log.gz", "k.srt", "w.XHTML"):
        text = f"<p>{LONG}" if "w" in name else LONG
        (here / name).write_bytes(gzip.compress(text.encode()) if "gz" in name else text.encode())
    for words in (
        "folder README_",
        "k.log.gz folder",
        "folder k.srt --include a.*",
        "w.XHTML README_",
        "w.XHTML folder",
    ):
        (record,) = run_here(f"shingletools compare --json {words}", cwd=here).records()
        assert record["jaccard"] == 1
    ran = shell("shingletools compare <(cat a.txt) - --brief < b.txt", here)
    assert ran.good().decode().endswith('"-" 0.002475: 5 words in 1 passage, 1% of a, 71% of b, longest 5\n')
    for words, runs in (("a.txt folder/0.txt", "1 run"), ("docs.jsonl docs.jsonl", "5 runs")):
        one, other = words.split()
        ran = run_here(f"shingletools compare {words}", cwd=here)
        message = f"nothing in {one} has {runs} of 5 words in common with {other} (see -k and -m)"
        assert (ran.status, ran.out, ran.err) == (0, b"", f"shingletools compare: {message}\n")


def test_two_inputs_that_are_not_two_alike(here: Path) -> None:
    for words, cause in (
        ("- -", "standard input is one file, not two"),
        *(
            (
                f"{one} {other}",
                f"{one} and {other} have different formats: a folder or HTML can be compared only with folders and "
                "with files of plain text or HTML",
            )
            for one, other in (("table.csv", "folder"), ("folder", "docs.jsonl"), ("0.html", "table.csv"))
        ),
        ("folder -", "-: not a regular file: only these can be compared with folders or HTML"),
        ("/dev/null 0.html", "/dev/null: not a regular file: only these can be compared with folders or HTML"),
    ):
        ran = run_here(f"shingletools compare {words}", cwd=here)
        assert (ran.status, ran.out, ran.err) == (2, b"", f"shingletools compare: {cause}\n")


def test_a_folder_is_compared_with_itself(here: Path) -> None:
    for words in ("folder -k 2 -m 1", "folder -k 2 -m 1 --html p.html"):
        lines = run_here(f"shingletools compare --dry-run {words}", cwd=here).good().decode()
        ran = run_here(f"shingletools compare {words}", cwd=here)
        assert (ran.status, ran.err, ran.out) == (0, "", shell(lines, here).good())
    pairs = run_here("shingletools compare folder -k 2 -m 1 --json", cwd=here).records()
    assert [(pair["a"], pair["b"]) for pair in pairs] == [
        ("folder/0.txt", "folder/1.txt"),
        ("folder/2.txt", "folder/4.txt"),
    ]
    ran = run_here("shingletools compare folder", cwd=here)
    said = "nothing in folder has 5 runs of 5 words in common with another file there (see -k and -m)"
    assert (ran.status, ran.out, ran.err) == (0, b"", f"shingletools compare: {said}\n")


def test_two_texts_end_with_what_only_one_has(here: Path) -> None:
    one = "First a clause of one. The cat sat on the mat and slept; then came (so it is said) the dog."
    (here / "a.txt").write_text(one)
    (here / "b.txt").write_text("THE CAT SAT, on the mat and slept - as ever.")
    lines = run_here("shingletools compare a.txt b.txt", cwd=here).good().decode().splitlines()
    assert lines[lines.index("  only a 0-21, 5 words") :] == [
        "  only a 0-21, 5 words",
        "    [-First a clause of one-]",
        "  only a 57-90, 8 words",
        "    [-then came (so it is said) the dog-]",
        "  only b 36-43, 2 words",
        "    {+as ever+}",
        "  case and punctuation do not count",
        "",
    ]
    (here / "c.txt").write_text(one.upper())
    lines = run_here("shingletools compare a.txt c.txt", cwd=here).good().decode().splitlines()
    assert lines[-2:] == ["  case and punctuation do not count", ""] and not any("only" in line for line in lines)
    pairs = run_here("shingletools compare folder -k 2 -m 1", cwd=here).good()
    assert b"only" not in pairs
