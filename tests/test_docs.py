"""README and man pages keep their word: examples, options, the commands' own help, rendering."""

import argparse
import doctest
import importlib
import math
import pkgutil
import re
import shutil
import subprocess
import sysconfig
from fractions import Fraction
from pathlib import Path
from xml.etree import ElementTree

import pytest

import shingletools
from documents import DOCUMENTS, PYTHON, TOP, blocks, on_a_cluster, output, steps
from harness import DATA, ENVIRONMENT, jsonl, run, run_here
from picture import PICTURE, drawn, picture
from shingletools.record.command_registry import STAGES
from shingletools.running import run_command
from shingletools.running.completion import parser_of
from shingletools.running.steps import split
from suite import COMMANDS, KEEPERS, PROGRAMS, RUNNERS, SHORT

MAN = TOP / "man"
PAGES = sorted(MAN.iterdir())
XREF = re.compile(r"\bXr (\S+) (\d)")  # a page that a page names


@pytest.mark.slow
@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda document: document.name)
def test_examples(document: Path, tmp_path: Path) -> None:
    """But those of simspark, which are in tests/spark. The pages on clusters and on changes have none."""
    folder = shutil.copytree(DATA, tmp_path / "data")
    examples = [step for _, block in blocks(document) if not on_a_cluster(block) for step in steps(block)]
    assert len(examples) >= (0 if document.stem in ("simspark", "shingletools-clusters", "shingletools-news") else 2)
    for command, expected in examples:
        assert output(command, folder) == expected, command
        if piped := in_one_process(command):
            text, lines = piped
            ran = run_here("shingletools", "run", text, cwd=folder)
            shown = [*ran.out.decode().splitlines()[:lines], *ran.err.splitlines()]
            assert sorted(shown) == sorted(expected), command


def in_one_process(command: str) -> tuple[str, int | None] | None:
    """A pipeline that `shingletools run` can run, and how many lines of its output are shown."""
    if command.startswith(PYTHON):
        return None
    *steps, last = split(command.partition(" #")[0])
    head = re.fullmatch(r" head -(\d+) *", last)
    text = "|".join(steps if head else [*steps, last])
    words = [each.split() for each in split(text)]
    shell = any(set(word) & set("<>;&$`*(){}") for command in words for word in command)
    if shell or len(words) < 2 or any(command[0] not in STAGES or "-v" in command for command in words):
        return None
    return text, int(head[1]) if head else None


# Defaults that something else decides: the kind of signature, another option
BY_CASE = {
    (command, option): default
    for command, options, default in [
        ("simjoin", ("-t", "--threshold"), "default 0.8 for min-hashes and shingles"),
        ("simjoin", ("-m", "--agreeing"), "default 2 for supershingles, 1 for megashingles"),
        ("simjoin", ("-d", "--distance"), "default 3 for simhashes"),
        ("sketch", ("-n",), "default 84"),
        ("sketch", ("--lexicons",), "default 1"),
        ("sketch", ("--least",), "default 5"),
        ("sketch", ("--idf",), "default a quarter to three quarters of the heaviest"),
        ("shingletools compare", ("-m",), "default 1 for two texts, else 5"),
        ("simspark", ("--at-once",), "default 512M, or 1G where the master is local"),
        ("simspark", ("--checkpoint",), "default beside --out"),
        ("simspark", ("--master",), "default local[*]"),
    ]
    for option in options
}
BY_CASE |= {("simindex", option): default for (command, option), default in BY_CASE.items() if command == "simjoin"}
BY_CASE |= {("simindex", option): "default 0.8 for min-hashes" for option in ("-t", "--threshold")}
BY_CASE |= {("shingletools unique", option): "default 1G" for option in ("-S", "--buffer-size")}
BY_CASE |= {
    (command, option): "default 512M" for command in ("simindex", "repeats") for option in ("-S", "--buffer-size")
}


def page_of(command: str) -> str:
    return f"{command.replace(' ', '-')}.1"


def documented(page: str, section: str) -> dict[str, tuple[str, str]]:
    """Each option of a page: its argument and what is said of it."""
    text = (MAN / page).read_text("utf-8").split(f"\n.Sh {section}\n")[1].split("\n.Sh ")[0]
    options = {}
    for item in text.split("\n.It ")[1:]:
        head, _, body = item.partition("\n")
        for flag, argument in re.findall(r"Fl (\S+)(?:(?: Ns Oo = Ns)? Ar (\S+))?", head):
            options[f"-{flag}"] = (argument, body.replace("\\-", "-"))
    return options


@pytest.mark.parametrize("command", [*PROGRAMS, run_command.NAME, *SHORT])
def test_options_in_manual_and_parser_agree(command: str) -> None:
    own, common = documented(page_of(command), "OPTIONS"), documented("shingletools.7", "COMMON OPTIONS")
    if command in (*RUNNERS, run_command.NAME, *SHORT):
        common = {}
    assert not set(own) & set(common)
    manual = own | common
    actions = {option: action for action in parser_of(command)._actions for option in action.option_strings}
    assert set(manual) == set(actions)
    for option, action in actions.items():
        argument, body = manual[option]
        expected = "" if action.nargs == 0 else action.metavar or "NAME"
        assert argument == expected, option
        for choice in action.choices or []:
            assert choice in body, (option, choice)
        if action.default not in (None, False, [], argparse.SUPPRESS):
            default = f"{float(action.default):g}" if isinstance(action.default, Fraction) else action.default
            default = ",".join(default) if isinstance(default, tuple) else default
            assert re.search(rf"default (\.\w\w )?{default}\b", body.replace("\n", " ")), option
            assert f"(default {default})" in (action.help or ""), option
        elif (command, option) in BY_CASE:
            default = BY_CASE[command, option]
            assert default in body
            assert f"({default})" in (action.help or "")
        else:
            assert "default" not in body, option
        assert "(else " not in f"{action.help} {body}" and ".Pq else" not in body, option


@pytest.mark.parametrize("command", COMMANDS)
def test_help_shows_arguments_as_they_are_given(command: str) -> None:
    """Behind = where there need not be one, since what comes behind a space is a file."""
    parser = parser_of(command)
    shown = parser.format_help()
    for action in parser._actions:
        for option in action.option_strings[-1:]:
            argument = action.metavar or "{" if action.nargs != 0 else ""
            behind = f"[={argument}]" if action.nargs == "?" else f" {argument}"
            assert f"{option}{behind}" in shown


# Each page says in the same words where the options that all commands share, and the exit status, are described
ALIKE = [
    r"\nWith no\n\.Ar FILE No or Cm .*?\nstandard input is read\.\n.*?\n\.Fl [^\n]* -version \.\n",
    r"\n\.Sh EXIT STATUS\n0 if .*?\n\.Xr shingletools 7 \.\n",
]


@pytest.mark.parametrize("command", (*COMMANDS, *KEEPERS))
def test_every_page_names_the_options_that_all_commands_share(command: str) -> None:
    page, first = ((MAN / f"{name}.1").read_text("utf-8") for name in (command, COMMANDS[0]))
    found = [re.search(each, page, re.DOTALL) for each in ALIKE]
    assert [each and each[0] for each in found] == [each[0] for each in re.finditer("|".join(ALIKE), first, re.DOTALL)]
    named = re.findall(r"^\.Fl (.*) \.$", found[0][0] if found[0] else "", re.MULTILINE)
    assert {f"-{option}" for option in named[0].split(" , ")} == set(documented("shingletools.7", "COMMON OPTIONS"))


@pytest.mark.parametrize("command", [*PROGRAMS, run_command.NAME, *SHORT])
def test_page_has_what_a_reader_looks_for(command: str) -> None:
    text = (MAN / page_of(command)).read_text("utf-8")
    sections = re.findall(r"^\.Sh (.*)", text, re.MULTILINE)
    assert sections[:4] == ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS"]
    assert {"EXIT STATUS", "SEE ALSO"} <= set(sections)
    description = text.split("\n.Sh DESCRIPTION\n")[1].split("\n.Sh ")[0]
    assert len(re.findall(r"^\$ ", description, re.MULTILINE)) >= 2
    summary = re.search(r"^\.Nd (.*)", text, re.MULTILINE)
    assert summary
    assert f"{command}: {summary[1]}" == parser_of(command).description


def see_also(page: Path) -> set[str]:
    """The pages that the last section names, as file names."""
    return {".".join(name) for name in XREF.findall(page.read_text("utf-8").split("\n.Sh SEE ALSO\n")[1])}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_references_lead_somewhere(page: Path) -> None:
    """To pages of this package, and to sections of the same page and of others."""
    text = page.read_text("utf-8")
    here = {page.name for page in PAGES}
    named = {".".join(name) for name in XREF.findall(text)}
    assert {name for name in named if name.startswith("shingletools") or name[:-2] in PROGRAMS} <= here
    sections = set(re.findall(r"^\.S[hs] (.*)", text, re.MULTILINE))
    assert set(re.findall(r"^\.(?:.* )?Sx (.*?)(?: [.,:;])?$", text, re.MULTILINE)) <= sections
    for section, *other in re.findall(r"\b([A-Z][A-Z ,]+[A-Z]) in\n\.Xr (\S+) (\d)", text):
        assert re.search(rf"^\.Sh {section}$", (MAN / ".".join(other)).read_text("utf-8"), re.MULTILINE), section
    assert page.name == "shingletools.7" or "shingletools.7" in see_also(page)


def test_the_overview_and_the_readme_name_every_page() -> None:
    assert see_also(MAN / "shingletools.7") == {page.name for page in PAGES} - {"shingletools.7"}
    table = (TOP / "README.md").read_text("utf-8").split("\n## Read on\n")[1]
    assert sorted(re.findall(r"`man ([\w-]+)`", table)) == sorted(page.stem for page in PAGES)


def rendered(page: Path, width: int) -> tuple[str, str]:
    """What man shows in a terminal of this width, and its warnings."""
    command = ["man", "--warnings", "-E", "UTF-8", "-P", "cat", "-l", str(page)]
    environment = ENVIRONMENT | {"MANWIDTH": str(width), "MAN_KEEP_FORMATTING": "", "GROFF_NO_SGR": "1"}
    done = subprocess.run(command, env=environment, capture_output=True, check=True, text=True)
    return re.sub(".\b", "", done.stdout), done.stderr


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_page_renders_without_a_warning_and_as_typed(page: Path) -> None:
    text, warnings = rendered(page, 200)
    assert warnings == ""
    shown = [line.strip() for line in text.split("\n")]
    for _, block in blocks(page):
        for line in block:
            assert line.expandtabs().strip() in shown


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_no_column_goes_on_at_the_edge_of_a_terminal(page: Path) -> None:
    """As the last column of a list does, a word on each line, if it is too long for the terminal."""
    assert not re.findall(r"^ {70}.*", rendered(page, 80)[0], re.MULTILINE)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_page_is_installed_where_man_finds_it(page: Path) -> None:
    done = subprocess.run(["man", "-w", page.suffix[1:], page.stem], env=ENVIRONMENT, capture_output=True, check=True)
    found = Path(done.stdout.decode().strip())
    assert found.is_relative_to(Path(sysconfig.get_path("data")) / "share" / "man")
    assert found.read_bytes() == page.read_bytes()


def table(page: str, marker: str) -> dict[tuple[str, str], float]:
    """The numbers of a column list, by its row's and column's heads."""
    lines = (MAN / page).read_text("utf-8").split(marker)[1].split(".El")[0].split("\n")
    rows = [re.split(r" ?Ta ", line.removeprefix(".It ")) for line in lines if line.startswith(".It ")]
    return {(row[0], head): float(cell) for row in rows[1:] for head, cell in zip(rows[0][1:], row[1:], strict=True)}


def said(name: str) -> set[str]:
    """The words of a row's name, without numbers and what these are of."""
    return set(re.findall(r"[A-Za-z-]{2,}", re.sub(r"=\w+", "", name.replace("\\-", "-"))))


@pytest.mark.parametrize("page", DOCUMENTS, ids=lambda page: page.name)
def test_no_line_of_prose_is_long(page: Path) -> None:
    """Neither in the README, apart from tables and pictures, nor in the source of a page; examples may be long."""
    lines = page.read_text("utf-8").split("\n")
    shown = {at for start, block in blocks(page) for at in range(start, start + len(block))}
    prose = (line for at, line in enumerate(lines) if at not in shown and not line.startswith((".", "|", "![")))
    assert [line for line in prose if len(line) > 120] == []


@pytest.mark.slow
def test_every_row_of_a_comparison_has_a_command(tmp_path: Path) -> None:
    """Under ROWS AND COMMANDS is a name with the words of the row's name; but for other programs. All commands run."""
    page = (MAN / "shingletools-evidence.7").read_text("utf-8").partition("\n.Sh PLANTED COPIES\n")[2]
    compared, _, named = page.partition("\n.Sh ROWS AND COMMANDS\n")
    rows = set(re.findall(r"^\.It (?!Ta|gaoya|rensa|datasketch)(.*?) Ta ", compared, re.MULTILINE))
    commands = dict(re.findall(r"^\.It (.*) Ta (.*)", named.replace("\\-", "-"), re.MULTILINE))
    assert len(rows) > 45
    parts = {part for row in rows for part in row.split(", and ")}
    assert [part for part in parts if not any(said(part) <= said(each) for each in commands)] == []
    words, table = tmp_path / "words", tmp_path / "table"
    words.write_bytes(run("canon", DATA / "docs.jsonl").good())
    table.write_bytes(run("shingle", "-k", "1", "--df", words).good())
    for command in commands.values():
        file = DATA / "docs.jsonl" if command.startswith("canon") else words
        assert run("shingletools", "run", command, file, cwd=tmp_path).status == 0, command


def test_table_of_standard_deviations() -> None:
    for (row, column), shown in table("sketch.1", '.Bl -column "N').items():
        n, j = int(row.removeprefix("N = ")), float(column.removeprefix("J = "))
        assert shown == round(math.sqrt(j * (1 - j) / n), 3)


def test_table_of_pairs_that_sketches_find() -> None:
    for (row, column), shown in table("shingletools-evidence.7", '.Bl -column "256 minima').items():
        n, j = int(row.split()[0]), Fraction(column)
        least = math.ceil(Fraction(4, 5) * n)
        found = sum(math.comb(n, agree) * j**agree * (1 - j) ** (n - agree) for agree in range(least, n + 1))
        assert shown == round(float(found), 3), (row, column)


def test_table_of_one_changed_word() -> None:
    """The similarities are those of real shingles."""
    for (row, column), shown in table("shingletools.7", '.Bl -column "w').items():
        words = [f"w{i}" for i in range(int(row.removeprefix("w = ")))]
        changed = words.copy()
        changed[len(words) // 2] = "another"
        k = column.removeprefix("k = ")
        texts = jsonl(*({"id": i, "text": " ".join(text)} for i, text in enumerate((words, changed))))
        one, two = (set(record["shingles"].split()) for record in run("shingle", "-k", k, stdin=texts).records())
        assert shown == round(len(one & two) / len(one | two), 2), (row, column)


def test_readme_begins_with_the_pipeline_and_has_the_tests_second() -> None:
    readme = (TOP / "README.md").read_text("utf-8")
    setup, test = re.findall(r"^```sh\n(.*?)\n```$", readme, re.MULTILINE | re.DOTALL)[:2]
    assert setup.endswith("canon | shingle -k 10 | sketch -n 84 | simjoin -t 0.8")
    assert test.endswith("pytest -n auto")
    assert readme.index(setup) < 300
    assert readme.count("\n") <= 120


@pytest.mark.slow
def test_every_job_of_the_readme_runs(tmp_path: Path) -> None:
    """On files of the names that the table has."""
    jobs = (TOP / "README.md").read_text("utf-8").partition("\n## Jobs\n")[2].partition("\n## ")[0]
    commands = [each.replace("\\|", "|") for each in re.findall(r"^\| .* \| `(.*)` \|$", jobs, re.MULTILINE)]
    assert len(commands) >= 16
    documents = (DATA / "docs.jsonl").read_bytes().splitlines(keepends=True)
    names = {name for command in commands for name in re.findall(r"\b\w+\.jsonl\b", command)} - {"clean.jsonl"}
    names |= {"shop1.jsonl", "shop2.jsonl"}
    for place, name in enumerate(sorted(names)):
        (tmp_path / name).write_bytes(b"".join(documents[place * 36 : place * 36 + 36]))
    for name, text in [
        ("app.log", "12:00 disk 1 is full\n12:01 disk 1 is full\n"),
        ("refs.ris", "TY  - JOUR\nTI  - On wings\nER  - \n"),
        ("essays/one.txt", "we measured the wings of forty dragonflies in a field near the river"),
        ("sources/two.txt", "they say that we measured the wings of forty dragonflies in a field"),
        *((f"src/{name}.py", f"# {name}\n{Path(__file__).read_text()}") for name in "ab"),
        *((f"site/{name}.html", (DATA / "page.html").read_text()) for name in "ab"),
    ]:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    for command in commands:
        if command.startswith("shingletools.run("):
            assert output(f">>> import shingletools; len(list({command}))", tmp_path) != ["0"]
        elif not command.startswith("simspark "):
            ran = run("bash", "-euo", "pipefail", "-c", command, cwd=tmp_path)
            assert ran.status == 0, (command, ran.err)
            assert ran.out or " -o clean" in command, command


def test_the_picture_of_the_readme_is_what_the_commands_show() -> None:
    assert PICTURE.read_text("utf-8") == picture()
    assert f"]({PICTURE.relative_to(TOP)})\n" in (TOP / "README.md").read_text("utf-8")


def test_a_picture_has_what_a_terminal_shows_where_it_shows_it() -> None:
    root = ElementTree.fromstring(drawn(["$ cat a", "  <b> \x1b[31mred & \x1b[0m c"]))
    texts = [each for each in root if each.tag.endswith("text")]
    assert [(each.text, each.get("class"), each.get("x")) for each in texts] == [
        ("$ cat a", "prompt", "16"),
        ("<b>", "c0", "30.4"),
        ("red &", "c31", "59.2"),
        ("c", "c0", "109.6"),
    ]
    assert [each.get("textLength") for each in texts] == ["50.4", "21.6", "36", "7.2"]


def test_top_level_holds_nothing_else() -> None:
    listed = run("git", "-C", TOP, "ls-files").good().decode().split("\n")
    top = {name.partition("/")[0] for name in listed if name and not name.startswith(".")}
    assert top == {"bin", "shingletools", "man", "tests", "pyproject.toml", "README.md"}


def test_page_on_tests_names_every_step_and_place() -> None:
    """Each step is one of `.ci/run`, or of a step."""
    page = (TOP / "tests" / "README.md").read_text("utf-8")
    scripts = {path.name: path.read_text("utf-8") for path in (TOP / ".ci").iterdir()}
    for step in sorted(scripts):
        assert f"`.ci/{step}" in page
        callers = [name for name, script in scripts.items() if name != step and re.search(rf"\.ci/{step}\b", script)]
        assert step == "run" or callers
    for path in sorted((TOP / "tests").iterdir()):
        if path.name.startswith("test_") or (path.is_dir() and any(path.glob("*.py"))):
            assert f"`{path.name}{'/' * path.is_dir()}`" in page


MODULES = [
    name
    for _, name, _ in pkgutil.walk_packages(shingletools.__path__, "shingletools.")
    if not name.startswith("shingletools.spark.")
]  # which are in tests/spark


def test_docstrings() -> None:
    failed = {name: doctest.testmod(importlib.import_module(name)).failed for name in MODULES}
    assert {name: number for name, number in failed.items() if number} == {}
