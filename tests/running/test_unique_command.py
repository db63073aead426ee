"""What unique keeps, removes and says: it writes what the pipeline that it prints writes in a shell."""

import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

import shingletools
from harness import DOCS, Ran, jsonl, run_here, shell
from running.short_inputs import CATS, LONG, OTHERS
from shingletools.record.field_names import DEFAULT_NAMES, Names
from shingletools.running import short_run, unique_command
from shingletools.running.steps import Step


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
        (["docs.jsonl", "-S", "1K"], ""),
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


@pytest.mark.parametrize(("words", "limit"), [([], 1 << 30), (["-S", "5M"], 5 << 20)])
def test_joins_and_checks_within_a_limit(
    words: list[str], limit: int, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(here)
    sizes: dict[str, object] = {}

    def run_steps(
        _shown: object, make: Callable[[Callable[[], Names]], Sequence[Step]], *_: object, **__: object
    ) -> Any:
        sizes.update({step.name: vars(step.options).get("buffer_size") for step in make(lambda: DEFAULT_NAMES)})
        return 0, None

    monkeypatch.setattr(short_run, "run_steps", run_steps)
    unique_command.run("shingletools unique", [*words, "docs.jsonl"], set())
    assert sizes == {"canon": None, "shingle": None, "simjoin": limit, "simcheck": limit, "dedup": None}


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


def test_errors_and_statuses_are_those_of_the_commands(here: Path) -> None:
    ran = run_here("shingletools unique other.ndjson", cwd=here)
    assert ran.status == 2
    assert ran.err.splitlines()[3].startswith(
        'canon: other.ndjson:1: field "id" is missing; the record has "Nr", "Text, lang": --id'
    )
    ran = run_here("shingletools unique docs.jsonl --keep best -o kept", cwd=here)
    assert ran.err.splitlines()[-1].startswith("dedup: argument --keep: not first, longest,")
    assert ran.status == 2
    (here / "bad.jsonl").write_bytes(jsonl(CATS[0], {"id": 7}, CATS[2]))
    for more in ("", " --report page"):
        ran = run_here(f"shingletools unique bad.jsonl -o kept{more}", cwd=here)
        assert ran.status == 1
        assert 'canon: bad.jsonl:2: field "text" is missing' in ran.err.splitlines()
    words = ["unique", "bad.jsonl", "--rejects", "lost", "--allow-rejects", "2"]
    (here / "bad.jsonl").write_bytes(jsonl(CATS[0], {"id": 7}, CATS[1], CATS[0]))
    ran = run_here("shingletools", *words, cwd=here)
    assert (ran.status, ran.out) == (0, jsonl(CATS[0], {"id": 7}, CATS[0]))
    assert ran.err.splitlines()[1:] == [
        "canon --symbols --allow-rejects 2 --rejects lost -o unique.words bad.jsonl",
        "shingle -k 1 unique.words | simjoin -t 0.75 --copies once --allow-rejects 2 | "
        "simcheck --docs unique.words --allow-rejects 2 | dedup --pairs - --rejects lost --allow-rejects 2 bad.jsonl",
        'canon: bad.jsonl:2: field "text" is missing',
        "simjoin: bad.jsonl:4: id 0 was seen before",
        "dedup: bad.jsonl:4: id 0 was seen before, so the document stays",
        "shingletools unique: 3 kept (2 not compared), 1 removed, 0 left out",
    ]
    assert (here / "lost").read_bytes() == b""
    for more in ("", " --report page"):
        ran = run_here(f"shingletools unique bad.jsonl --allow-rejects 0.1% --rejects lost -o other{more}", cwd=here)
        assert (ran.status, (here / "other").exists()) == (1, False)
        assert (here / "lost").read_bytes() == jsonl({"id": 7})


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_failed_run_names_the_line_of_the_input(jobs: str, here: Path) -> None:
    """Which is the second one of the scratch file."""
    (here / "bad.jsonl").write_bytes(jsonl(CATS[0]) + b"bad\n" + jsonl({"id": 8, "text": "a", "via": "x"}))
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
        # What unique(1) says does not tell: case, ss, punctuation, brackets, hyphens, bullets, "the" in four words
        (
            ["• He left the Polish Straße (co-op)?", "he left Polish STRASSE, co op."],
            [0],
            "1 kept, 1 removed, 0 left out",
        ),
        (["5 mW", "5 MW", "10 Mb", "10 MB"], [0, 1, 2, 3], "4 kept, 0 removed, 0 left out"),
        (
            [NO_COPY, DOUBTFUL, LONG],
            [0, 1],
            "2 kept (1 doubtful pair: --doubtful FILE or --report FILE), 1 removed, 0 left out",
        ),
    ],
    ids=["houses", "emoji", "copies", "no telling", "units", "doubtful"],
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
    assert last_line(ran) == "2 kept, 1 removed (1 doubtful pair), 0 left out"


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
