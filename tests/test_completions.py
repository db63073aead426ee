"""What shells complete: the files agree with the parsers, lie where shells look, and work in each shell."""

import json
import shutil
import sysconfig
from pathlib import Path

import pexpect
import pytest

from completions import COMPLETED, FOLDER, NAMES, scripts
from harness import ENVIRONMENT, run

PLACES = {
    "bash": "share/bash-completion/completions", "zsh": "share/zsh/site-functions",
    "fish": "share/fish/vendor_completions.d",
}  # fmt: skip
# The command's words are printed as JSON lists would be, so that they can be told from what the terminal echoes
PRINTING = """
for command in simjoin canon simindex dedup shingle shingletools; do
    eval "$command() { printf '[\\"%s\\"]\\n' \\"\\$*\\"; }"
done
"""
RC = {
    "bash": f"for file in {FOLDER}/bash/*; do source $file; done\n{PRINTING}",
    "zsh": f"fpath=({FOLDER}/zsh $fpath); autoload -Uz compinit; compinit -u -d dump\n{PRINTING}",
}
START = {"bash": ["bash", "--noprofile", "--rcfile", ".bashrc", "-i"], "zsh": ["zsh", "-d", "-i"]}
LINES = [
    ("simjoin --thres", "--threshold"),
    ("simjoin --measure cosi", "--measure cosine"),
    ("simindex ad", "add"),
    ("canon docu", "documents.jsonl"),
    ("dedup --groups docu", "--groups documents.jsonl"),
    ("canon --html docu", "--html documents.jsonl"),  # its argument would stand behind a =
    ("canon --html=ma", "--html=main"),
    ("canon --stop r", "--stop ru"),
    ("canon --stop docu", "--stop documents.jsonl"),
    ("shingle --spots z", "--spots zh"),
    ("dedup --keep lon", "--keep longest"),
    ("shingletools --ver", "--version"),
]


def test_the_scripts_agree_with_the_parsers() -> None:
    """If not: python tests/completions.py --refresh."""
    expected = scripts()
    assert sorted(expected) == sorted(path for path in FOLDER.rglob("*") if path.is_file())
    assert len(expected) == 3 * len(COMPLETED)
    assert [path for path, script in expected.items() if path.read_text("utf-8") != script] == []


@pytest.mark.parametrize("shell", NAMES)
def test_the_scripts_are_installed_where_shells_look(shell: str) -> None:
    for command in COMPLETED:
        name = NAMES[shell].format(command)
        installed = Path(sysconfig.get_path("data"), PLACES[shell], name)
        assert installed.read_bytes() == (FOLDER / shell / name).read_bytes()


def there(shell: str) -> str:
    """The shell's path; a test of a shell that is not on the machine is skipped, but for bash's."""
    found = shutil.which(shell, path=ENVIRONMENT["PATH"])
    if found is None:
        assert shell != "bash"
        pytest.skip(f"{shell} is not on this machine")
    return found


@pytest.mark.parametrize(("line", "completed"), LINES)
@pytest.mark.parametrize("shell", ["bash", "zsh"])
def test_a_line_is_completed_in_a_terminal(shell: str, line: str, completed: str, tmp_path: Path) -> None:
    path = there(shell)
    (tmp_path / "documents.jsonl").write_bytes(b"")
    (tmp_path / (".bashrc" if shell == "bash" else ".zshrc")).write_text(RC[shell])
    environment = ENVIRONMENT | {"TERM": "dumb", "ZDOTDIR": str(tmp_path), "HOME": str(tmp_path)}
    terminal = pexpect.spawn(path, START[shell][1:], env=environment, cwd=str(tmp_path), encoding="utf-8", timeout=60)
    try:
        terminal.sendline("echo rea''dy")
        terminal.expect_exact("ready")
        terminal.send(f"{line}\t\n")
        terminal.expect(r'(\[".*"\])\r')
        assert terminal.match is not None
        assert json.loads(terminal.match[1])[0].strip() == completed
    finally:
        terminal.close(force=True)


@pytest.mark.parametrize(("line", "completed"), LINES)
def test_a_line_is_completed_by_fish(line: str, completed: str, tmp_path: Path) -> None:
    path = there("fish")
    (tmp_path / "documents.jsonl").write_bytes(b"")
    environment = {"HOME": str(tmp_path), "LINE": line, "SCRIPTS": str(FOLDER / "fish")}
    script = "set -p fish_complete_path $SCRIPTS; complete -C $LINE"
    found = run(path, "--no-config", "-c", script, cwd=tmp_path, env=environment).good().decode().splitlines()
    assert [each.partition("\t")[0] for each in found] == [completed.rpartition(" ")[2]]
