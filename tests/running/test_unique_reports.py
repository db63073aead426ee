"""The page of unique --report: the lines that make it, and what it shows."""

import json
import os
import re
from pathlib import Path

import pytest

from harness import jsonl, run_here, run_process, shell
from running.short_inputs import TEXTS


def test_a_report_shows_no_different_pairs(here: Path) -> None:
    """Without a report, there is no output: that comes later, since it may replace files that the report reads."""
    texts = ["a b c d e f g 1", "a b c d e f g 2", "a b c d e f g 1", "a b c d e f h 1"]
    (here / "d").write_bytes(jsonl(*({"id": number, "text": text} for number, text in enumerate(texts))))
    paper = "TY  - JOUR\nTI  - {}Statins and mortality in older adults\nPY  - 2001\nVL  - 8\nSP  - {}\nER  - \n"
    refs = [("", 9), ("", 9), ("Reply: ", 147)]
    (here / "r.ris").write_text("".join(paper.format(*ref) for ref in refs))
    for name in ("d", "r.ris"):
        ran = run_here(f"shingletools unique {name} --report /dev/full -o kept", cwd=here)
        assert (ran.status, ran.err.splitlines()[-1]) == (2, "simshow: /dev/full: No space left on device")
        assert not (here / "kept").exists()
        ran = run_here(f"shingletools unique {name} --report page -o {name}", cwd=here)
        page = (here / "page").read_text()
        assert "copy" in page and 'answer\\":\\"different' not in page


def test_a_report_of_pages_shows_their_text(here: Path) -> None:
    """Which changes nothing in what is kept: of files, a folder and files that a list names."""
    (here / "names").write_bytes(b"0.html\x001.html\x002.html\0")
    for name, text in (("7.html", "<p>Dogs &amp; <b>cats</b> sleep"), ("8.txt", "Dogs & cats sleep")):
        (here / "folder" / name).write_text(text)
    for words, shown in (
        ("0.html 1.html 2.html", "The cat sat on the mat"),
        ("folder -t 1 --mask-numbers", "Dogs & cats sleep"),
        ("--files0-from names --recursive", "The cat sat on the mat"),
    ):
        ran = run_here(f"shingletools unique --report r.htm {words}", cwd=here)
        assert ran.status == 0 and ran.out == run_here(f"shingletools unique {words}", cwd=here).out
        texts = re.findall(r'"[^"]*(?:sat|sleep)[^"]*"', (here / "r.htm").read_text().replace("\\u0026", "&"))
        assert json.dumps(shown) in texts
        assert "<b>" not in "".join(texts)


def test_a_report(here: Path) -> None:
    """The lines that make it are printed, and no scratch file is left."""
    scratch = here / "scratch"
    scratch.mkdir()
    words = ["unique", "table.csv", "--report", "it's.html", "-o", "kept", "--dry-run"]
    lines = run_here("shingletools", *words, cwd=here).good().decode()
    ran = run_process("shingletools", *words[:-1], cwd=here, env={"TMPDIR": str(scratch)})
    assert (ran.status, ran.out) == (0, b"")
    page, kept = (here / "it's.html").read_bytes(), (here / "kept").read_bytes()
    assert ran.err.partition("\n")[2] == f"{lines}shingletools unique: 3 kept, 2 removed, 0 left out\n"
    assert list(scratch.iterdir()) == []
    shell(lines, here).good()
    assert (here / "it's.html").read_bytes() == page
    assert (here / "kept").read_bytes() == kept
    assert kept.splitlines() == [b"id,text", b'0,"The cat sat on the mat"', b'2,"Dogs bark"', b'3,"Something else"']
    assert b"the CAT sat" in page
    ran = run_here("shingletools unique folder --report folder/r.html", cwd=here)
    assert ran.out.decode().split() == [f"folder/{number}.txt" for number in (0, 2, 3)]
    ran = run_here("shingletools unique docs.jsonl --report r.html", cwd=here)
    assert [json.loads(line)["id"] for line in ran.out.splitlines()] == [0, 2, 3]


@pytest.mark.parametrize(
    "words",
    [
        "docs.jsonl --keep longest",
        "table.csv --keep max:id",
        "named.csv --id Nr --text Text --keep longest",
        "lines.txt --keep longest",
        "array --keep shortest",
        "folder --keep newest",
        "refs --removed gone",
    ],
)
def test_a_report_shows_what_is_kept(words: str, here: Path) -> None:
    """Of dedup's output and of the page, the same documents are kept."""
    os.utime(here / "folder/0.txt", (0, 0))
    kept = run_here(f"shingletools unique {words} --report page", cwd=here).out.decode()
    found = re.search(r'id="lists">(.*)</script>', (here / "page").read_text("utf-8"))
    assert found is not None
    lists = json.loads(found[1])
    stay = [lists["names"][group["members"][0]] for group in lists["groups"]]
    assert sorted(stay) != sorted(lists["names"])
    texts = [TEXTS[int(re.sub(r"\D", "", name)) - ("lines" in words) - ("refs" in words)] for name in stay]
    assert texts
    for text in TEXTS[:3] + TEXTS[4:]:
        name = f"folder/{TEXTS.index(text)}.txt"
        assert ((name if "folder" in words else text) in kept) is (text in texts)


@pytest.mark.parametrize(("allowed", "status"), [("1", 0), ("0", 1)])
def test_bad_records_that_are_allowed_are_so_for_a_report(allowed: str, status: int, tmp_path: Path) -> None:
    (tmp_path / "docs").write_bytes(jsonl(*({"id": name, "text": "the cat sat on"} for name in (1, 1, 2))))
    ran = run_here(f"shingletools unique --allow-rejects {allowed} --report page docs", cwd=tmp_path)
    assert (ran.status > 0) == status
    assert (tmp_path / "page").exists() is not bool(status)
