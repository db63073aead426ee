"""What short commands have in common: mistakes, scratch files, signals; recipes run."""

import os
import signal
import subprocess
from pathlib import Path

import pytest

from harness import BIN, DATA, ENVIRONMENT, jsonl, run_here, run_process, shell
from running.short_inputs import CATS, LONG
from shingletools.running.recipes import RECIPES


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


def test_messages_name_places_in_the_input_and_scratch_files_as_the_dry_run_does(here: Path) -> None:
    (here / "twice").write_bytes(jsonl(CATS[0], CATS[0]))
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
