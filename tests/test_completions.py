"""What shells complete: the table agrees with the parsers; scripts lie where shells look, and work in each shell."""

import contextlib
import json
import shutil
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pexpect
import pytest

from completions import COMPLETED, TABLE, rows, table
from harness import ENVIRONMENT, run

DATA = Path(sysconfig.get_path("data"))
# A shell's folder, and the name of a command's file in it
PLACES = {
    "bash": (DATA / "share/bash-completion/completions", "{}"),
    "zsh": (DATA / "share/zsh/site-functions", "_{}"),
    "fish": (DATA / "share/fish/vendor_completions.d", "{}.fish"),
}
# The command's words are printed as JSON lists would be, so that they differ from what the terminal echoes
PRINTING = """
for command in simjoin canon simindex dedup shingle shingletools; do
    eval "$command() { printf '[\\"%s\\"]\\n' \\"\\$*\\"; }"
done
"""
RC = {
    "bash": f"for file in {PLACES['bash'][0]}/*; do source $file; done\n{PRINTING}",
    "zsh": f"fpath=({PLACES['zsh'][0]} $fpath); autoload -Uz compinit; compinit -u -d dump\n{PRINTING}",
}
START = {"bash": ["bash", "--noprofile", "--rcfile", ".bashrc", "-i"], "zsh": ["zsh", "-d", "-i"]}
LINES = [
    ("simjoin --thres", "--threshold"),
    ("simjoin --measure cosi", "--measure cosine"),
    ("simindex ad", "add"),
    ("simindex -S 3M add arc", "-S 3M add archive/"),
    ("simindex add archive docu", "add archive documents.jsonl"),
    ("simjoin -T arc", "-T archive/"),
    ("canon documents.jsonl docu", "documents.jsonl documents.jsonl"),
    ("canon -- docu", "-- documents.jsonl"),
    ("canon docu", "documents.jsonl"),
    ("dedup --groups docu", "--groups documents.jsonl"),
    ("canon --html docu", "--html documents.jsonl"),  # its argument would stand behind a =
    ("canon --html=ma", "--html=main"),
    ("canon --stop r", "--stop ru"),
    ("canon --stop docu", "--stop documents.jsonl"),
    ("shingle --spots z", "--spots zh"),
    ("dedup --keep lon", "--keep longest"),
    ("shingletools --versi", "--version"),
]


def test_the_table_agrees_with_the_parsers() -> None:
    """If not: python tests/completions.py --refresh."""
    assert TABLE.read_text("utf-8") == table()


@pytest.mark.parametrize("shell", PLACES)
def test_the_scripts_are_installed_where_shells_look(shell: str) -> None:
    """Each has all lines of the shell's script, and all rows of its command."""
    folder, name = PLACES[shell]
    script = TABLE.with_name(f"command.{shell}").read_text("utf-8")
    for command in COMPLETED:
        installed = (folder / name.format(command)).read_text("utf-8").replace("\\'", "'")
        lines = [line for line in script.replace("COMMAND", command).splitlines() if "ROWS" not in line]
        assert [line for line in (*lines, *rows(command)) if line not in installed] == [], command


def there(shell: str) -> str:
    """The shell's path; a test of a shell that is not on the machine is skipped, but for bash's."""
    found = shutil.which(shell, path=ENVIRONMENT["PATH"])
    if found is None:
        assert shell != "bash"
        pytest.skip(f"{shell} is not on this machine")
    return found


@pytest.fixture
def world(tmp_path: Path) -> Path:
    """A folder with what lines may name."""
    (tmp_path / "documents.jsonl").write_bytes(b"")
    (tmp_path / "archive").mkdir()
    (tmp_path / "archival.txt").write_bytes(b"")
    return tmp_path


@contextlib.contextmanager
def terminal(shell: str, folder: Path) -> Iterator[Any]:
    """One in which the shell waits for a line."""
    path = there(shell)
    (folder / (".bashrc" if shell == "bash" else ".zshrc")).write_text(RC[shell])
    environment = ENVIRONMENT | {"TERM": "dumb", "ZDOTDIR": str(folder), "HOME": str(folder)}
    spawned = pexpect.spawn(path, START[shell][1:], env=environment, cwd=str(folder), encoding="utf-8", timeout=60)
    try:
        spawned.sendline("echo rea''dy")
        spawned.expect_exact("ready")
        yield spawned
    finally:
        spawned.close(force=True)


@pytest.mark.parametrize("shell", ["bash", "zsh"])
def test_lines_are_completed_in_a_terminal(shell: str, world: Path) -> None:
    found = []
    with terminal(shell, world) as waiting:
        for line, _ in LINES:
            waiting.send(f"{line}\t\n")
            waiting.expect(r'(\[".*"\])\r')
            found.append((line, json.loads(waiting.match[1])[0].strip().removesuffix("/")))  # zsh leaves it out
    assert found == [(line, completed.removesuffix("/")) for line, completed in LINES]


def test_zsh_shows_the_help(world: Path) -> None:
    with terminal("zsh", world) as waiting:
        waiting.send("simgroup --st\t\t")
        waiting.expect(r"--star +-- make groups in which every member .*--strict +-- stop at the first bad record")


def test_fish_completes_lines_and_shows_the_help(world: Path) -> None:
    path = there("fish")
    environment = {"HOME": str(world), "SCRIPTS": str(PLACES["fish"][0])}
    script = "set -p fish_complete_path $SCRIPTS; for line in $argv; complete -C $line; echo; end"
    lines = [line for line, _ in LINES]
    shown = run(path, "--no-config", "-c", script, *lines, cwd=world, env=environment).good().decode().split("\n\n")
    found = [[each.split("\t") for each in answer.splitlines()] for answer in shown[:-1]]
    assert [[name for name, *_ in each] for each in found] == [[completed.rpartition(" ")[2]] for _, completed in LINES]
    assert found[lines.index("shingletools --versi")] == [["--version", "tell what is installed"]]
