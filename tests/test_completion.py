"""What shells complete by argcomplete, as the manual says to turn it on."""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pexpect
import pytest

from documents import TOP
from harness import ENVIRONMENT, run
from suite import LISTERS, PROGRAMS

PAGE = (TOP / "man/shingletools.7").read_text().replace("\\-", "-").replace("\\e\n", "\\\n")
ON = PAGE.partition("eval")[1] + PAGE.partition("eval")[2].partition(".Ed")[0]
NAMES = [*PROGRAMS, *LISTERS]
START = {"bash": ["--noprofile", "--rcfile", ".bashrc", "-i"], "zsh": ["-d", "-i"]}
LINES = [
    ("simjoin --thres", "--threshold"),
    ("simjoin --measure cosi", "cosine"),
    ("simindex ad", "add"),
    ("simindex -S 3M add arc", "archive/"),
    ("simindex add archive docu", "documents.jsonl"),
    ("simjoin -T arc", "archive/"),
    ("canon documents.jsonl docu", "documents.jsonl"),
    ("canon -- docu", "documents.jsonl"),
    ("canon --html docu", "documents.jsonl"),  # its argument would stand behind a =
    ("canon --html=main docu", "documents.jsonl"),
    ("canon --stop r", "ru"),
    ("canon --stop docu", "documents.jsonl"),
    ("canon documents.jsonl | simindex ad", "add"),
    ("shingletools --versi", "--version"),
    ("shingletools simj", "simjoin"),
    ("shingletools run --buf", "--buffer-size"),
    ("shingletools dedup --gro", "--groups"),
]


def test_the_page_names_all_commands() -> None:
    assert {*NAMES} <= {*re.findall(r"\w+", ON)}


@pytest.fixture
def world(tmp_path: Path) -> Path:
    """A folder with what lines may name."""
    (tmp_path / "documents.jsonl").write_bytes(b"")
    (tmp_path / "archive").mkdir()
    (tmp_path / "archival.txt").write_bytes(b"")
    return tmp_path


def there(shell: str) -> str:
    """Returns the shell's path; a test of a shell that is not on the machine is skipped, but for bash's."""
    found = shutil.which(shell, path=ENVIRONMENT["PATH"])
    if found is None:
        assert shell != "bash"
        pytest.skip(f"{shell} is not on this machine")
    return found


def completed(shell: str, folder: Path) -> Iterator[str]:
    """Yields the lines as the shell completes them in a terminal."""
    (folder / ".bashrc").write_text(f"PS1=\n{ON}")
    (folder / ".zshrc").write_text(f"PS1=; autoload -Uz compinit; compinit -u -d dump\n{ON}")
    environment = ENVIRONMENT | {"TERM": "dumb", "ZDOTDIR": str(folder), "HOME": str(folder)}
    waiting = pexpect.spawn(there(shell), START[shell], env=environment, cwd=str(folder), encoding="utf-8", timeout=60)
    try:
        waiting.sendline("echo rea''dy")
        waiting.expect_exact("ready")
        for line, _ in LINES:
            waiting.send(f"{line}\t\x01echo '[\x05]'\n")  # ctrl-a and ctrl-e: the beginning and the end of the line
            waiting.expect(r"\n\[(.*)\]\r")
            yield waiting.match[1]
    finally:
        waiting.close(force=True)


@pytest.mark.parametrize("shell", START)
def test_lines_are_completed_in_a_terminal(shell: str, world: Path) -> None:
    expected = [line.rpartition(" ")[0] + f" {word}" for line, word in LINES]
    # zsh leaves out the last slash
    found = [line.rstrip(" /") for line in completed(shell, world)]
    assert found == [line.rstrip("/") for line in expected]


def test_fish_completes_lines_and_shows_the_help(world: Path) -> None:
    path = there("fish")
    script = (
        f"for command in {' '.join(NAMES)}; register-python-argcomplete --shell fish $command | source; end;"
        "for line in $argv; complete -C $line; echo; end"
    )
    lines = [line for line, _ in LINES]
    shown = run(path, "--no-config", "-c", script, *lines, cwd=world).good().decode().split("\n\n")
    found = [[each.split("\t") for each in answer.splitlines()] for answer in shown[:-1]]
    assert [[name for name, *_ in each] for each in found] == [[word] for _, word in LINES]
    assert found[2][0][1] == "one of add, list, check, merge, drop, dump"
