"""Short commands: they write what the pipeline that they print writes in a shell; recipes run."""

import gzip
import json
import os
import re
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

import shingletools
from harness import BIN, DATA, DOCS, ENVIRONMENT, Ran, jsonl, run_here, run_process, shell
from shingletools.running.recipes import RECIPES

TEXTS = ["The cat sat on the mat", "the CAT sat, on the mat!", "Dogs bark", "Something else", "dogs BARK"]
RECORDS = [{"id": number, "text": text} for number, text in enumerate(TEXTS)]
OTHERS = [{"Nr": number, "Text, lang": text} for number, text in enumerate(TEXTS)]
LONG = " ".join(f"w{number}" for number in range(400))


@pytest.fixture
def here(tmp_path: Path) -> Path:
    (tmp_path / "docs.jsonl").write_bytes(jsonl(*RECORDS))
    (tmp_path / "docs.gz").write_bytes(gzip.compress(b" " + jsonl(*RECORDS)))
    (tmp_path / "other.ndjson").write_bytes(jsonl(*OTHERS))
    (tmp_path / "array").write_text("\ufeff " + json.dumps(RECORDS))
    (tmp_path / "table.csv").write_text("id,text\n" + "".join(f'{n},"{text}"\n' for n, text in enumerate(TEXTS)))
    (tmp_path / "named.csv").write_text("Nr,Text\n" + "".join(f'{n},"{text}"\n' for n, text in enumerate(TEXTS)))
    (tmp_path / "semi.csv").write_text("id;text\n" + "".join(f"{n};{text}\n" for n, text in enumerate(TEXTS)))
    (tmp_path / "table.TSV").write_text("id\ttext\n" + "".join(f"{n}\t{text}\n" for n, text in enumerate(TEXTS)))
    (tmp_path / "lines.txt").write_text("".join(f"{text}\n" for text in TEXTS))
    for name in ("-lines.txt", "lines.rst"):
        (tmp_path / name).write_bytes((tmp_path / "lines.txt").read_bytes())
    (tmp_path / "folder").mkdir()
    for number, text in enumerate(TEXTS):
        (tmp_path / "folder" / f"{number}.txt").write_text(text)
    reference = "TY  - JOUR\nTI  - {}\nPY  - 2005\nVL  - 8\nSP  - 9\nER  - \n"
    (tmp_path / "refs").write_text("".join(map(reference.format, TEXTS)))
    (tmp_path / "page.xml").write_text("<p>a")
    (tmp_path / "paper.pdf").write_bytes(b"%PDF-1.7\n\xff")
    for number, text in enumerate(TEXTS):
        (tmp_path / f"{number}.html").write_text(f"<nav class=a{number}></nav><p>{text}")
    return tmp_path


def unique(here: Path, *words: str) -> tuple[Ran, str]:
    """A run that leaves out nothing, and the pipeline that it prints, which a dry run prints, too."""
    ran = run_here("shingletools unique", *words, cwd=here)
    assert ran.status == 0, ran
    first, *lines, last, end = ran.err.split("\n")
    pipeline = "".join(f"{line}\n" for line in lines)
    assert (first, end) == ("shingletools unique: this is the pipeline:", "")
    assert run_here("shingletools unique --dry-run", *words, cwd=here).good().decode() == pipeline
    assert re.fullmatch(r"shingletools unique: \d+ kept, \d+ removed, 0 left out", last)
    return ran, pipeline


def last_line(ran: Ran) -> str:
    return ran.err.splitlines()[-1].removeprefix("shingletools unique: ")


@pytest.mark.parametrize(
    ("words", "read"),
    [
        (["docs.jsonl"], ""),
        (["docs.gz"], ""),
        (["other.ndjson", "--id", "Nr", "--text", '"Text, lang"'], None),
        (["array"], "--array"),
        (["table.csv"], "--csv"),
        (["semi.csv", "--delimiter", ";"], "--csv --delimiter ';'"),
        (["table.TSV", "-t", "0.9", "--keep", "longest"], "--tsv"),
        (["lines.txt"], "--lines"),
        (["refs"], "--ris --symbols --text title,year"),
        (["folder"], "--recursive"),
        (["folder/0.txt", "folder/1.txt"], "--whole"),
        (["--", "-lines.txt"], "--lines"),
        (["lines.rst"], "--lines"),
        (["page.xml", "--whole", "lines.txt"], "--whole"),
        (["0.html", "1.html", "2.html"], "--whole --html"),
    ],
)
def test_it_writes_what_its_pipeline_writes(words: list[str], read: str | None, here: Path) -> None:
    ran, pipeline = unique(here, *words)
    assert read is None or pipeline.startswith(f"canon {read}".strip())
    assert shell(pipeline, here).good() == ran.out
    assert ran.out
    made, _ = unique(here, "-o", "kept", "--removed", "gone", "-j", "2", *words)
    assert made.out == b""
    assert (here / "kept").read_bytes() == ran.out
    assert (here / "gone").read_bytes() or len(words) > 1


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


def test_ids_and_texts_are_named_once(here: Path) -> None:
    ran, _ = unique(here, "other.ndjson", "--id", "Nr", "--text", '"Text, lang"', "--keep", "longest")
    assert [json.loads(line)["Nr"] for line in ran.out.splitlines()] == [1, 2, 3]


def test_options_of_canon_and_dedup(here: Path) -> None:
    """Texts that differ in accents and numbers alone, and dates as people write them."""
    dates = ["31/1/2020", "1/12/2021", "2/2/2019"]
    texts = ["Café No 7 closed today", "Cafe No 8 closed today", "cafe no 9 closed today"]
    lines = [f"{n},{text},{date}\n" for n, (text, date) in enumerate(zip(texts, dates, strict=True))]
    (here / "dates.csv").write_text("".join(["id,text,date\n", *lines]))
    words = "dates.csv --keep max:date -t 1 --as date:%d/%m/%Y"
    for more, left in (("--mask-numbers", 2), ("--drop-numbers", 2), ("--fold-accents", 3)):
        assert len(unique(here, *words.split(), more)[0].out.splitlines()) == left + 1
    ran, _ = unique(here, *words.split(), "--fold-accents", "--mask-numbers")
    assert ran.out.decode() == f"id,text,date\n{lines[1]}"
    assert run_here(f"shingletools unique --report page --fold-accents {words}", cwd=here).status == 0


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


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("unique -", "this command reads the input twice: name files"),
        (
            "unique",
            "name a file or folder, as in: shingletools unique docs.jsonl -o kept.jsonl "
            "(see shingletools unique --help)",
        ),
        ("unique docs.jsonl /dev/null", "/dev/null: not a regular file: this command reads it twice"),
        ("compare", "name two files or folders, or one folder (see shingletools compare --help)"),
        ("unique nowhere", "nowhere: No such file or directory"),
        ("unique docs.jsonl table.csv", "docs.jsonl and table.csv have different formats"),
        ("unique page.xml", "page.xml: its format is not known: say --lines, --whole, --csv or another"),
        (
            "unique --kep first x",
            "unrecognized arguments: --kep; did you mean --keep? (see shingletools unique --help)",
        ),
        ("compare docs.jsonl", "name two files or folders, or one folder (see shingletools compare --help)"),
        ("unique lines.txt 0.html", "lines.txt and 0.html have different formats"),
        ("compare lines.txt page.xml", "page.xml: its format is not known: say --lines, --whole, --csv or another"),
        ("unique docs.jsonl --report docs.jsonl", "--report docs.jsonl: this run reads or writes that file already"),
        ("unique docs.jsonl --report p -o ./p", "--report p: this run reads or writes that file already"),
        ("unique docs.jsonl --report p --removed p", "--report p: this run reads or writes that file already"),
        ("unique docs.jsonl --report p --doubtful p", "--report p: this run reads or writes that file already"),
        ("unique docs.jsonl --doubtful p -o p", "--doubtful p: this run reads or writes that file already"),
        ("compare folder array --html array", "--html array: this run reads or writes that file already"),
        ("unique docs.jsonl --report nowhere/p", "nowhere/p: No such file or directory"),
        ("unique docs.jsonl --report p.txt", "--report p.txt: a page is HTML, which is not .txt"),
        ("compare folder array --html p.CSV", "--html p.CSV: a page is HTML, which is not .csv"),
        ("unique docs.jsonl -o x.csv", "x.csv: the output has the format of the input, which is not .csv"),
        ("unique semi.csv --removed x.md.tsv", "x.md.tsv: the output has the format of the input, which is not .tsv"),
        ("unique paper.pdf", "paper.pdf: this looks like PDF: pdftotext makes text of it"),
        (
            "unique --allow-rejects x",
            'argument --allow-rejects: not a number of records or a share such as 0.1%: "x" '
            "(see shingletools unique --help)",
        ),
        ("recipes x", "unrecognized arguments: x (see shingletools --help)"),
    ],
)
def test_mistakes(command: str, message: str, here: Path) -> None:
    ran = run_here(f"shingletools {command}", cwd=here)
    assert (ran.status, ran.out, ran.err) == (2, b"", f"shingletools {command.split(maxsplit=1)[0]}: {message}\n")


def test_errors_and_statuses_are_those_of_the_commands(here: Path) -> None:
    ran = run_here("shingletools unique other.ndjson", cwd=here)
    assert ran.status == 2
    assert ran.err.splitlines()[3].startswith(
        'canon: other.ndjson:1: field "id" is missing; the record has "Nr", "Text, lang": --id'
    )
    ran = run_here("shingletools unique docs.jsonl --keep best -o kept", cwd=here)
    assert ran.err.splitlines()[-1].startswith("dedup: argument --keep: not first, longest,")
    assert ran.status == 2
    (here / "bad.jsonl").write_bytes(jsonl(RECORDS[0], {"id": 7}, RECORDS[2]))
    for more in ("", " --report page"):
        ran = run_here(f"shingletools unique bad.jsonl -o kept{more}", cwd=here)
        assert ran.status == 1
        assert 'canon: bad.jsonl:2: field "text" is missing' in ran.err.splitlines()
    words = ["unique", "bad.jsonl", "--rejects", "lost", "--allow-rejects", "2"]
    (here / "bad.jsonl").write_bytes(jsonl(RECORDS[0], {"id": 7}, RECORDS[1], RECORDS[0]))
    ran = run_here("shingletools", *words, cwd=here)
    assert (ran.status, ran.out) == (0, jsonl(RECORDS[0], {"id": 7}, RECORDS[0]))
    assert ran.err.splitlines()[1:] == [
        "canon --symbols --allow-rejects 2 -o unique.words bad.jsonl",
        "shingle -k 1 unique.words | simjoin -t 0.75 --copies once --allow-rejects 2 | "
        "simcheck --docs unique.words --allow-rejects 2 | dedup --pairs - --rejects lost --allow-rejects 2 bad.jsonl",
        'canon: bad.jsonl:2: field "text" is missing',
        "simjoin: bad.jsonl:4: id 0 was seen before",
        "dedup: bad.jsonl:4: id 0 was seen before, so the document stays",
        "shingletools unique: 3 kept (2 not compared), 1 removed, 0 left out",
    ]
    assert (here / "lost").read_bytes() == b""
    for more in ("", " --report page"):
        ran = run_here(f"shingletools unique bad.jsonl --allow-rejects 0.1% -o other{more}", cwd=here)
        assert (ran.status, (here / "other").exists()) == (1, False)


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_failed_run_names_the_line_of_the_input(jobs: str, here: Path) -> None:
    """Which is the second one of the scratch file."""
    (here / "bad.jsonl").write_bytes(jsonl(RECORDS[0]) + b"bad\n" + jsonl({"id": 8, "text": "a", "via": "x"}))
    ran = run_here("shingletools unique -j", jobs, "bad.jsonl", cwd=here)
    assert ran.status == 2
    assert ran.err.splitlines()[-1].startswith('simjoin: bad.jsonl:3: made by "x | canon/')
    assert ".words" not in ran.err.partition("canon: bad")[2]


def test_a_bad_row_is_reported_once(tmp_path: Path) -> None:
    """Though canon and dedup both read it, and a report reads it again."""
    (tmp_path / "t.csv").write_bytes(b"id,text\n1,one two\n2\n3,three four\n4\n")
    (tmp_path / "t.jsonl").write_bytes(b'{"id":1,"text":"one two"}\n{"id":2,"text":NaN}\n{"text":"a b"}\n')
    for name, bad in (("t.csv", [3, 5]), ("t.jsonl", [2, 3])):
        for more in ("", "--report page.html"):
            ran = run_here("shingletools unique", *more.split(), name, cwd=tmp_path)
            assert [line.split()[1] for line in ran.err.splitlines() if f" {name}:" in line] == [
                f"{name}:{line}:" for line in bad
            ]
            assert ran.status == 1


HOUSES = ("12 Main Street, Springfield", "13 Main Street, Springfield", "12 Main street Springfield")
NO_COPY, DOUBTFUL = f"{LONG} and this is what only the first one says", f"{LONG} but such words are in no other text"


@pytest.mark.parametrize(
    ("texts", "kept", "said"),
    [
        (HOUSES, [0, 1], "2 kept, 1 removed, 0 left out"),
        (["💔", "🎉", "💔", "", "", "one"], [0, 1, 3, 4, 5], "5 kept, 1 removed, 0 left out"),
        ([LONG, NO_COPY, LONG.removeprefix("w0 ")], [1], "1 kept, 2 removed, 0 left out"),
        (
            [NO_COPY, DOUBTFUL, LONG],
            [0, 1],
            "2 kept (1 doubtful pair: --doubtful FILE or --report FILE), 1 removed, 0 left out",
        ),
    ],
    ids=["houses", "emoji", "copies", "doubtful"],
)
def test_what_has_nothing_of_its_own_goes(texts: list[str], kept: list[int], said: str, tmp_path: Path) -> None:
    """Whatever is removed; in the shell and in Python."""
    records: list[dict[str, Any]] = [{"id": number, "text": text} for number, text in enumerate(texts)]
    (tmp_path / "docs").write_bytes(jsonl(*records))
    ran = run_here("shingletools unique docs", cwd=tmp_path)
    assert (ran.status, ran.out, last_line(ran)) == (0, jsonl(*(records[number] for number in kept)), said)
    for documents in (records, tmp_path / "docs"):
        assert [record["id"] for record in shingletools.unique(documents)] == kept


def test_doubtful_pairs(tmp_path: Path) -> None:
    """They stay and are written, or with --all one of each goes; the page shows them."""
    records: list[dict[str, Any]] = [
        {"id": number, "text": text} for number, text in enumerate([NO_COPY, DOUBTFUL, "one"])
    ]
    (tmp_path / "docs").write_bytes(jsonl(*records))
    ran = run_here("shingletools unique docs --doubtful pairs", cwd=tmp_path)
    assert (ran.out, last_line(ran)) == (jsonl(*records), "3 kept (1 doubtful pair), 0 removed, 0 left out")
    (pair,) = map(json.loads, (tmp_path / "pairs").read_text().splitlines())
    assert (pair["a"], pair["b"], pair["covers"], pair["answer"]) == (0, 1, "none", "doubtful")
    assert pair["own"]["a"] == {"words": 9, "run": 9, "first": "and this is what only"}
    lines = ran.err.partition("\n")[2].rpartition("shingletools unique: ")[0]
    written = (tmp_path / "pairs").read_bytes()
    assert shell(lines, tmp_path).good() == ran.out
    assert (tmp_path / "pairs").read_bytes() == written
    ran = run_here("shingletools unique docs --report page.html", cwd=tmp_path)
    assert (ran.out, last_line(ran)) == (jsonl(*records), "3 kept (1 doubtful pair), 0 removed, 0 left out")
    assert "such words are in no other text" in (tmp_path / "page.html").read_text("utf-8")
    ran = run_here("shingletools unique docs --all --keep longest", cwd=tmp_path)
    (longest,) = [record for record in records[:2] if len(record["text"]) == max(len(NO_COPY), len(DOUBTFUL))]
    assert ran.out == jsonl(longest, records[2])
    assert last_line(ran) == "2 kept, 1 removed (1 doubtful pair: --doubtful FILE or --report FILE), 0 left out"


def test_the_last_line_counts_what_is_left_out(tmp_path: Path) -> None:
    """Bad rows, with and without a page; a document without a text stays, and so does one whose id repeats."""
    (tmp_path / "t.csv").write_bytes(b"id,text\n1,one two\n2\n3,One two!\n3,three\n4,four\n")
    (tmp_path / "t.jsonl").write_bytes(b'{"id":1,"text":"one"}\n{"id":2}\n[]\n{"id":1,"text":"two"}\n')
    for name, said in (
        ("t.csv", "3 kept (1 not compared), 1 removed, 1 left out"),
        ("t.jsonl", "3 kept (2 not compared), 0 removed, 1 left out"),
    ):
        for more in ("", "--report page.html"):
            ran = run_here("shingletools unique", *more.split(), name, cwd=tmp_path)
            assert (ran.status, last_line(ran)) == (1, said)


def test_the_last_line_counts_files_that_are_passed_over(tmp_path: Path) -> None:
    (tmp_path / "texts").mkdir()
    for name in ("a.txt", "b.txt", "c.dat", "d"):
        (tmp_path / "texts" / name).write_text("one text")
    ran = run_here("shingletools unique texts", cwd=tmp_path)
    assert (ran.status, ran.out, last_line(ran)) == (0, b"texts/a.txt\n", "1 kept, 1 removed, 2 left out")


def test_pages_are_compared_without_their_menu(tmp_path: Path) -> None:
    """Forty pages, most words of which are links in a menu that they share."""
    menu = "".join(f"<li><a href='/{at}'>topic{at}</a>" for at in range(160))
    (tmp_path / "site").mkdir()
    for at in range(40):
        page = f"<ul>{menu}</ul><main><p>page{at} says{at} what{at} is{at} here{at}</main>"
        (tmp_path / "site" / f"{at}.html").write_text(page)
    for more, said in (
        ([], "40 kept, 0 removed, 0 left out"),
        (["--recursive", "--html", "main"], "40 kept, 0 removed, 0 left out"),
        (["--html", "all"], "40 kept (780 doubtful pairs: --doubtful FILE or --report FILE), 0 removed, 0 left out"),
    ):
        (tmp_path / "all").touch()  # no page to write
        ran = run_here("shingletools unique site", *more, cwd=tmp_path)
        assert (ran.status, last_line(ran)) == (0, said)
        assert {"--recursive", f"--html{'' if 'all' in more else '=main'}"} < {*ran.err.splitlines()[1].split()}
    two = "site/1.html site/2.html"
    for part, words in (("", 0), ("--pages main", 0), ("--pages all", 160)):
        ran = run_here(f"shingletools compare --json {part} {two}", cwd=tmp_path)
        found = [passage["words"] for line in ran.out.splitlines() for passage in json.loads(line)["shared"]]
        assert (ran.status, found) == (0, [words] * bool(words))


def test_pages_of_which_the_titles_differ_stay(tmp_path: Path) -> None:
    for name, title in ("a.html", "Pump A1"), ("b.html", "Pump B2"), ("c.html", "Pump A1"):
        (tmp_path / name).write_text(f"<title>{title}</title><main>Clean it every month, and oil it in May.</main>")
    ran = run_here("shingletools unique a.html b.html c.html", cwd=tmp_path)
    assert (ran.status, last_line(ran)) == (0, "2 kept, 1 removed, 0 left out")


def test_an_erratum_stays_beside_its_paper(tmp_path: Path) -> None:
    title = "Statins and mortality in older adults: a cohort study"
    paper = f"TY  - JOUR\nTI  - {{}}{title}\nAU  - Smith, J\nPY  - 2015\nER  - \n"
    both = paper.format("") + paper.format("Erratum: ")
    (tmp_path / "refs.ris").write_text(both)
    assert run_here("shingletools unique refs.ris", cwd=tmp_path).out.decode() == both


def test_a_pair_of_other_documents_removes_nothing(here: Path) -> None:
    """Nor does one that says that neither is within the other."""
    pairs: list[dict[str, Any]] = [
        {"a": 0, "b": 9},
        {"a": 8, "b": 9},
        {"a": 0, "b": 3, "similarity": 0.9, "contained": "none"},
    ]
    (here / "pairs").write_bytes(jsonl(*pairs))
    ran = run_here("dedup --pairs pairs docs.jsonl", cwd=here)
    assert (ran.status, ran.out) == (0, (here / "docs.jsonl").read_bytes())
    ran = shell("canon docs.jsonl > words; simcheck --docs words pairs", here)
    assert (ran.status, [json.loads(line)["answer"] for line in ran.out.splitlines()]) == (1, ["different"])
    assert ran.err.splitlines() == [
        "simcheck: pairs:1: no document of --docs has the id 9",
        "simcheck: pairs:2: no document of --docs has the id 8",
    ]


def test_in_python(here: Path) -> None:
    records = [json.loads(line) for line in DOCS.read_bytes().splitlines()]
    expected = run_here("shingletools unique", DOCS, cwd=here).out
    assert b"".join(shingletools.unique(DOCS).lines()) == expected
    assert list(shingletools.unique(records)) == [json.loads(line) for line in expected.splitlines()]
    options = """--id Nr --text '"Text, lang"' --keep longest"""
    assert [record["Nr"] for record in shingletools.unique(OTHERS, options=options)] == [1, 2, 3]
    with pytest.raises(TypeError, match="make a list of them"):
        shingletools.unique(iter(records))


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


def test_messages_name_places_in_the_input_and_scratch_files_as_the_dry_run_does(here: Path) -> None:
    (here / "twice").write_bytes(jsonl(RECORDS[0], RECORDS[0]))
    ran = run_here("shingletools compare docs.jsonl twice --brief -k 1 -m 1", cwd=here)
    assert ran.err == "simjoin: twice:2: id 0 was seen before\n"
    (here / "none").write_bytes(b"{}\n")
    ran = run_here("shingletools compare none docs.jsonl", cwd=here)
    assert ran.err.endswith("canon: compare.a is not written: not one good record\n")
    ran = run_here("shingletools unique twice --report page --allow-rejects 0", cwd=here)
    assert ran.err.endswith("simjoin: unique.pairs is not written: too many bad records\n")


def test_names_of_files_are_read_again(here: Path) -> None:
    ran = shell("shingletools unique --files0-from <(printf 'docs.jsonl\\0')", here)
    assert (ran.status, ran.out) == (2, b"")
    assert "pipe" in ran.err or "regular" in ran.err


def test_text_that_begins_like_json(here: Path) -> None:
    for name, text in (
        ("app.log", "[2026-01-01] up\n[2026-01-02] down\n"),
        ("notes", "[a](b) c\n"),
        ("x.txt", "{} a\n"),
    ):
        (here / name).write_text(text)
        ran = run_here(f"shingletools unique {name}", cwd=here)
        assert (ran.status, ran.out.decode()) == (0, text)


def test_values_that_look_like_options(here: Path) -> None:
    ran = run_here("shingletools unique --removed=-gone --report=-page docs.jsonl", cwd=here)
    assert ran.status == 0, ran.err
    assert (here / "-gone").exists()
    assert (here / "-page").exists()


# A shell makes what it starts in the background ignore interrupts, and so these tests if they run there
HEEDED = ["env", "--default-signal=INT", str(BIN / "shingletools")]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_leaves_no_scratch_file(number: int, here: Path) -> None:
    """It comes while the first command waits for a named pipe, which then ends; so the command ends in any case."""
    os.mkfifo(here / "pipe")
    scratch = here / "scratch"
    scratch.mkdir()
    words = [*HEEDED, "compare", "--lines", "pipe", "lines.txt"]
    env = ENVIRONMENT | {"TMPDIR": str(scratch)}
    with subprocess.Popen(words, cwd=here, env=env, stderr=subprocess.PIPE) as process:
        with (here / "pipe").open("wb"):
            assert len(list(scratch.iterdir())) == 1
            process.send_signal(number)
        _, err = process.communicate()
        assert (process.returncode, err) == (-number, b"")
    assert list(scratch.iterdir()) == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_leaves_no_scratch_file_of_a_report(number: int, here: Path) -> None:
    """It comes while dedup writes more than a pipe holds; what it has written is read then. The report is complete."""
    (here / "large").write_bytes(jsonl(*({"id": at, "text": f"{LONG} {at}"} for at in range(1000))))
    scratch = here / "scratch"
    scratch.mkdir()
    words = [*HEEDED, "unique", "large", "--report", "page", "--threshold", "1"]
    env = ENVIRONMENT | {"TMPDIR": str(scratch)}
    with subprocess.Popen(words, cwd=here, env=env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        assert process.stdout is not None
        assert process.stdout.read(1) == b"{"
        assert len(list(scratch.iterdir())) == 1
        process.send_signal(number)
        process.communicate()
        assert process.returncode == -number
    assert list(scratch.iterdir()) == []
    assert (here / "page").read_text().rstrip().endswith("</html>")


def test_a_missing_scratch_folder(here: Path) -> None:
    ran = run_process("shingletools compare folder folder", cwd=here, env={"TMPDIR": "nowhere"})
    assert (ran.status, ran.err) == (2, "shingletools compare: nowhere: No such file or directory\n")


def test_recipes(tmp_path: Path) -> None:
    """Each is printed, and finds what it is for in a sample."""
    listed = run_here("shingletools recipes", cwd=tmp_path).good().decode()
    names = "near-copies short texts titles citations offers quotations boilerplate code web pages"
    assert " ".join(recipe.name for recipe in RECIPES) == names
    assert listed == "".join(f"{recipe.name}: {recipe.when}\n  {recipe.line}\n" for recipe in RECIPES)
    (tmp_path / "refs.ris").write_text("TY  - JOUR\nTI  - Cats and mats\nER  - \n" * 2)
    os.symlink(DATA / "docs.jsonl", tmp_path / "docs.jsonl")
    for folder, name, text in (
        ("src", "a.py", "def a(b): return b"),
        ("site", "a.html", "<main>A page of five words</main>"),
    ):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / name).write_text(text)
        (tmp_path / folder / f"other-{name}").write_text(
            text.replace("b):", "b) :").replace("<main>", "<nav>x</nav><main>")
        )
    found = {recipe.name: len(shell(recipe.line, tmp_path).good().splitlines()) for recipe in RECIPES}
    assert found == {
        "near-copies": 124,
        "short texts": 160,
        "titles": 274,
        "citations": 1,
        "offers": 288,
        "quotations": 294,
        "boilerplate": 300,
        "code": 1,
        "web pages": 1,
    }


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


def test_a_file_that_is_named_twice_is_refused(tmp_path: Path) -> None:
    (tmp_path / "docs.jsonl").write_bytes(jsonl({"id": 1, "text": "a"}))
    (tmp_path / "link.jsonl").symlink_to("docs.jsonl")
    for second in ("docs.jsonl", "./docs.jsonl", "link.jsonl"):
        ran = run_here("shingletools", "unique", "docs.jsonl", second, cwd=tmp_path)
        assert ran.status == 2
        assert ran.err == f"shingletools unique: {second}: the file was named before\n"


def test_bibtex_and_ris_are_not_written_to_one_file(tmp_path: Path) -> None:
    (tmp_path / "a.bib").write_text("@article{a,title={X y z}}\n")
    (tmp_path / "b.ris").write_text("TY  - JOUR\nTI  - Foo bar\nER  - \n")
    ran = run_here("shingletools", "unique", "a.bib", "b.ris", "-o", "c.ris", cwd=tmp_path)
    assert (ran.status, sorted(path.name for path in tmp_path.iterdir())) == (2, ["a.bib", "b.ris"])
    assert "c.ris: the input has BibTeX and other citations, which are not one format" in ran.err
