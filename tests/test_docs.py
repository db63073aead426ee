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

import pytest

import shingletools
from documents import DOCUMENTS, TOP, blocks, on_a_cluster, output, steps
from harness import DATA, ENVIRONMENT, jsonl, parser_of, run
from suite import COMMANDS, KEEPERS, PROGRAMS, RUNNERS

MAN = TOP / "man"
PAGES = sorted(MAN.iterdir())


@pytest.mark.slow
@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda document: document.name)
def test_examples(document: Path, tmp_path: Path) -> None:
    """But those of simspark, which are in tests/spark."""
    folder = shutil.copytree(DATA, tmp_path / "data")
    examples = [step for _, block in blocks(document) if not on_a_cluster(block) for step in steps(block)]
    assert len(examples) >= (0 if document.stem == "simspark" else 2)
    for command, expected in examples:
        assert output(command, folder) == expected, command


# Defaults that something else decides: the kind of signature, another option
BY_CASE = {(command, option): default for command, options, default in [
    ("simjoin", ("-t", "--threshold"), "default 0.8 for min-hashes and shingles"),
    ("simjoin", ("-m", "--agreeing"), "default 2 for supershingles, 1 for megashingles"),
    ("simjoin", ("-d", "--distance"), "default 3 for simhashes"),
    ("simspark", ("--at-once",), "default 512M, or 1G where the master is local"),
    ("simspark", ("--checkpoint",), "default beside --out"),
    ("simspark", ("--master",), "default local[*]"),
] for option in options}  # fmt: skip
BY_CASE |= {("simindex", option): default for (command, option), default in BY_CASE.items() if command == "simjoin"}
BY_CASE |= {("simindex", option): "default 0.8 for min-hashes" for option in ("-t", "--threshold")}
BY_CASE |= {("simindex", option): "default 512M" for option in ("-S", "--buffer-size")}


def documented(page: str, section: str) -> dict[str, tuple[str, str]]:
    """Each option of a page: its argument and what is said of it."""
    text = (MAN / page).read_text("utf-8").split(f"\n.Sh {section}\n")[1].split("\n.Sh ")[0]
    options = {}
    for item in text.split("\n.It ")[1:]:
        head, _, body = item.partition("\n")
        for flag, argument in re.findall(r"Fl (\S+)(?:(?: Ns Oo = Ns)? Ar (\S+))?", head):
            options[f"-{flag}"] = (argument, body.replace("\\-", "-"))
    return options


@pytest.mark.parametrize("command", PROGRAMS)
def test_options_in_manual_and_parser_agree(command: str) -> None:
    own, common = documented(f"{command}.1", "OPTIONS"), documented("shingletools.7", "COMMON OPTIONS")
    if command in RUNNERS:
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


@pytest.mark.parametrize("command", [*COMMANDS, *KEEPERS])
def test_every_page_names_the_options_that_all_commands_share(command: str) -> None:
    text = (MAN / f"{command}.1").read_text("utf-8")
    described = text.split("\n.Sh OPTIONS\n")[1].split("\n.Sh ")[0]
    for option in documented("shingletools.7", "COMMON OPTIONS"):
        assert re.search(rf"\.Fl {re.escape(option[1:])}\b", described), option


@pytest.mark.parametrize("command", PROGRAMS)
def test_page_has_what_a_reader_looks_for(command: str) -> None:
    text = (MAN / f"{command}.1").read_text("utf-8")
    sections = re.findall(r"^\.Sh (.*)", text, re.MULTILINE)
    assert sections[:4] == ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS"]
    assert {"EXIT STATUS", "EXAMPLES", "SEE ALSO"} <= set(sections)
    summary = re.search(r"^\.Nd (.*)", text, re.MULTILINE)
    assert summary
    assert f"{command}: {summary[1]}" == parser_of(command).description


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_page_renders_without_a_warning_and_as_typed(page: Path) -> None:
    command = ["man", "--warnings", "-E", "UTF-8", "-P", "cat", "-l", str(page)]
    environment = ENVIRONMENT | {"MANWIDTH": "200", "MAN_KEEP_FORMATTING": "", "GROFF_NO_SGR": "1"}
    done = subprocess.run(command, env=environment, capture_output=True, check=True, text=True)
    assert done.stderr == ""
    shown = [line.strip() for line in re.sub(".\b", "", done.stdout).split("\n")]
    for _, block in blocks(page):
        for line in block:
            assert line.expandtabs().strip() in shown


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


def test_table_of_standard_deviations() -> None:
    for (row, column), shown in table("sketch.1", '.Bl -column "N').items():
        n, j = int(row.removeprefix("N = ")), float(column.removeprefix("J = "))
        assert shown == round(math.sqrt(j * (1 - j) / n), 3)


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


def test_readme_shows_the_two_commands_before_anything_else_runs() -> None:
    readme = (TOP / "README.md").read_text("utf-8")
    setup, test = re.findall(r"^```sh\n(.*?)\n```$", readme, re.MULTILINE | re.DOTALL)[:2]
    assert setup.endswith("canon | shingle -k 10 | sketch -n 84 | simjoin -t 0.8")
    assert test.endswith("pytest -n auto")
    assert readme.index(test) < 2500


def test_top_level_holds_nothing_else() -> None:
    listed = run("git", "-C", TOP, "ls-files").good().decode().split("\n")
    top = {name.partition("/")[0] for name in listed if name and not name.startswith(".")}
    assert top == {"bin", "shingletools", "man", "tests", "pyproject.toml", "README.md"}


def test_page_on_tests_names_every_step_and_place() -> None:
    page, steps = ((TOP / name).read_text("utf-8") for name in ("tests/README.md", ".ci/run"))
    for step in sorted(path.name for path in (TOP / ".ci").iterdir()):
        assert f"`.ci/{step}" in page
        assert step == "run" or f".ci/{step}" in steps
    for path in sorted((TOP / "tests").iterdir()):
        if path.name.startswith("test_") or (path.is_dir() and any(path.glob("*.py"))):
            assert f"`{path.name}{'/' * path.is_dir()}`" in page


MODULES = [
    name
    for _, name, _ in pkgutil.walk_packages(shingletools.__path__, "shingletools.")
    if not name.startswith("shingletools.spark.")
]  # which are in tests/spark


@pytest.mark.parametrize("name", MODULES)
def test_docstrings(name: str) -> None:
    results = doctest.testmod(importlib.import_module(name))
    assert results.failed == 0
