"""What helps a user find an option or a command: --help, mistyped options, the list of commands, waiting terminals."""

import os
import pty
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from documents import TOP
from harness import BIN, DATA, ENVIRONMENT, program, run, run_here, shell
from shingletools.cli.options import READ_BY_CANON
from shingletools.reading.formats.format_options import FORMATS
from shingletools.record.command_registry import info_of
from shingletools.running import shingletools_command
from shingletools.running.completion import parser_of
from suite import COMMANDS, KEEPERS, PROGRAMS, RUNNERS

SCREEN = 24  # lines


@pytest.mark.parametrize("command", PROGRAMS)
def test_help_shows_each_option_once_under_a_heading_of_a_screen(command: str) -> None:
    parser = parser_of(command)
    sections = re.findall(r"^(\w[^\n]*):\n((?:  .*\n)+)", parser.format_help(), re.MULTILINE)
    assert [heading for heading, _ in sections][-2:] == ["help", "example"]
    assert all(body.count("\n") <= SCREEN for _, body in sections)
    shown = [option for _, body in sections[:-1] for option in re.findall(r"^  (-\S+?)[,\s\[]", body, re.MULTILINE)]
    assert sorted(shown) == sorted(action.option_strings[0] for action in parser._actions if action.option_strings)


@pytest.mark.parametrize("command", [*COMMANDS, *KEEPERS])
def test_the_example_of_each_help_runs(command: str, tmp_path: Path) -> None:
    folder = shutil.copytree(DATA, tmp_path / "data")
    lines = info_of(command).example
    assert "".join(f"  {line}\n" for line in lines) in run(command, "--help").good().decode()
    assert any(re.search(rf"(^|\| ){command}( |$)", line) for line in lines)
    before = {path: path.stat().st_mtime_ns for path in folder.iterdir()}
    out = shell("\n".join(lines).replace("| head -1", "> out; head -1 out"), cwd=folder).good()
    made = {path: path.stat().st_mtime_ns for path in folder.iterdir()}
    assert out or made.keys() > before.keys()
    assert {path: made[path] for path in before} == before


def test_the_list_of_commands() -> None:
    listed = run("shingletools").good().decode()
    assert listed == run("shingletools", "--help").good().decode()
    for command in PROGRAMS:
        described = str(parser_of(command).description).partition(": ")[2]
        assert re.search(rf"^  {command} +{re.escape(described)}$", listed, re.MULTILINE)
    ran = run("shingletools", "--nonsense")
    message = "shingletools: unrecognized arguments: --nonsense (see shingletools --help)\n"
    assert (ran.status, ran.out, ran.err) == (2, b"", message)
    assert "no such command: cannon; did you mean canon? (see" in run("shingletools", "cannon").err
    assert "no such command: runn; did you mean run? (see" in run("shingletools", "runn").err


def test_what_is_installed() -> None:
    facts = run("shingletools", "--version").good().decode()
    first = facts.splitlines()[0]
    assert first.replace("shingletools ", "canon (shingletools) ") == run("canon", "--version").good().decode().strip()
    assert re.search(r"^packages: .*\borjson [\d.]+, .*\btqdm [\d.]+", facts, re.MULTILINE)
    assert re.search(r"^extra html: resiliparse [\d.]+$", facts, re.MULTILINE)
    assert re.search(r"^extra spark: pandas (\S+), pyarrow \S+, pyspark \S+$", facts, re.MULTILINE)
    nothing = run("shingletools", "--version", env={"PATH": str(BIN)})
    assert nothing.good().decode().splitlines()[-1] == "java: not found"


@pytest.mark.parametrize("version", [(3, 11), (3, 13), (3, 14), (4, 0)])
def test_all_extras_for_users_are_listed(version: tuple[int, int], monkeypatch: pytest.MonkeyPatch) -> None:
    project = tomllib.loads((TOP / "pyproject.toml").read_text())["project"]
    monkeypatch.setattr(sys, "version_info", version)
    extras = {"": project["dependencies"], **project["optional-dependencies"]}
    for extra in ("test", "bench", "fuzz"):
        del extras[extra]
    expected = {extra: [re.split("[<>=]", package)[0] for package in packages] for extra, packages in extras.items()}
    if version >= (3, 14):  # which has zstd
        assert expected["zstd"].pop() == "backports.zstd"
    assert shingletools_command.required() == expected
    listed = [line for line in shingletools_command.versions("shingletools").splitlines() if line.startswith("extra ")]
    assert [line.split()[1] for line in listed] == [f"{extra}:" for extra in extras if extra]
    assert ("extra zstd: nothing needed" in listed) == (version >= (3, 14))


@pytest.mark.parametrize(
    ("command", "given", "meant"),
    [
        ("simjoin", "--treshold", "--threshold"),
        ("simjoin", "--treshold=0.8", "--threshold"),
        ("simjoin", "--agree", "--agreeing"),
        ("simjoin", "--buffersize", "--buffer-size"),
        ("simjoin", "--buffer_size", "--buffer-size"),
        ("canon", "--Stem", "--stem"),
        ("canon", "--drop-number", "--drop-numbers"),
        ("canon", "--stopwords", "--stop"),
        ("canon", "--drop", None),  # which begins three
        ("canon", "--field", None),  # too far from --id
        ("canon", "--hlep", "--help"),
        ("simscore", "--trut", "--truth"),  # which is needed, but not what is wrong first
        ("simindex", "--hlep", "--help"),
        ("simspark", "--master_url", "--master"),
        ("canon", "-x", None),
        ("canon", "--", None),
    ],
)
def test_a_mistyped_option(command: str, given: str, meant: str | None) -> None:
    parser = parser_of(command)
    assert parser.option_like(given.partition("=")[0]) == meant
    if given != "--":
        question = f"; did you mean {meant}?" if meant else ""
        ran = run(command, given)
        message = f"{command}: unrecognized arguments: {given}{question} (see {command} --help)\n"
        assert (ran.status, ran.err) == (2, message)


def test_tables_are_read_by_canon() -> None:
    assert {f"--{name}" for name in FORMATS} == {*READ_BY_CANON}
    for command in ("parts", "repeats", "shingle"):
        ran = run(command, "--csv", "table.csv")
        message = "unrecognized arguments: --csv; canon --csv reads it, so canon comes first"
        assert (ran.status, ran.err) == (2, f"{command}: {message} (see {command} --help)\n")


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("simindex ad", 'ACTION: not one of add, list, check, merge, drop, dump: "ad"; did you mean add?'),
        ("simindex x y", 'ACTION: not one of add, list, check, merge, drop, dump: "x"'),
        ("shingle --hash crc", '--hash: not one of rolling, blake3, crc32, md5, sha1: "crc"; did you mean crc32?'),
        ("shingle --hash sha2", '--hash: not one of rolling, blake3, crc32, md5, sha1: "sha2"; did you mean sha1?'),
        ("canon --html=\x1b", '--html: not one of page, main, article: "\\u001b"'),
    ],
)
def test_a_mistyped_choice(command: str, message: str, tmp_path: Path) -> None:
    ran = run_here(command, cwd=tmp_path)
    name = program(command)
    assert (ran.status, ran.out, ran.err) == (2, b"", f"{name}: argument {message} (see {name} --help)\n")


@pytest.mark.parametrize(
    ("command", "missing"),
    [("simindex", "ACTION, DIR"), ("simindex add", "DIR"), ("simspark --in x", "--out, PIPELINE")],
)
def test_arguments_that_are_missing(command: str, missing: str) -> None:
    ran = run(command)
    name = program(command)
    message = f"the following arguments are required: {missing} (see {name} --help)"
    assert (ran.status, ran.out, ran.err) == (2, b"", f"{name}: {message}\n")


@pytest.mark.parametrize("command", RUNNERS)
def test_a_mistyped_option_of_a_runner(command: str) -> None:
    ran = run(command, "--in", "x", "--out", "y", "--chekpoint", "canon")
    message = "unrecognized arguments: --chekpoint; did you mean --checkpoint?"
    assert (ran.status, ran.err) == (2, f"{command}: {message} (see {command} --help)\n")


@pytest.mark.parametrize(
    "command",
    [
        "canon",
        "shingle",
        "sketch",
        "simjoin",
        "simgroup",
        "dedup --groups /dev/null",
        "parts",
        f"simshow --docs {DATA / 'headlines.jsonl'}",
        f"simscore --truth {os.devnull}",
        "simindex add archive",
    ],
)
def test_a_command_that_waits_for_a_terminal_says_so(command: str, tmp_path: Path) -> None:
    terminal, standard_input = pty.openpty()
    name = command.split(maxsplit=1)[0]
    with subprocess.Popen(
        command.split(),
        stdin=standard_input,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env=ENVIRONMENT,
        cwd=tmp_path,
    ) as process:
        os.close(standard_input)
        assert process.stderr is not None
        notice = f"{name}: reads standard input, which is the terminal; Ctrl-D ends it (see {name} --help)\n"
        assert process.stderr.readline().decode() == notice
        os.write(terminal, b"\x04")
        assert (process.stderr.read(), process.wait()) == (b"", 0)
    os.close(terminal)


def test_no_notice_where_nothing_waits(tmp_path: Path) -> None:
    (tmp_path / "docs").write_bytes(b'{"id":1,"text":"a"}\n')
    terminal, standard_input = pty.openpty()
    for words in (["canon", "docs"], ["canon", "--explain", "a"]):
        done = subprocess.run(
            words, stdin=standard_input, capture_output=True, env=ENVIRONMENT, cwd=tmp_path, check=True
        )
        assert done.stderr == b""
    os.close(standard_input)
    os.close(terminal)
