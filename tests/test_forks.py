"""A command that begins as a fork is given, writes and ends as one that is started."""

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

import forks
from harness import DOCS, ENVIRONMENT, run_process, shell

SCRIPTS = (
    f"canon {DOCS} | shingle -k 10 | sketch -n 84 -j2 | simjoin -t 0.8",
    f"simjoin <(canon < {DOCS} | shingle | sketch)",
    f"canon {DOCS} 2>&1 > out | cat; cat out",
    f"canon {DOCS} | head -1; echo ${{PIPESTATUS[@]}}",
    'umask 027; echo \'{"id":1,"text":"A b"}\' | canon -o out; stat -c %a out',
    "mkdir 'a b'; cd 'a b'; echo bad | canon --rejects '' -; echo bad | canon --rejects 'x y' -; cat 'x y'",
    "canon nonsuch; echo $?; canon --nonsuch; echo $?; canon <&-; echo $?; canon --version >&-; echo $?",
    "SHINGLETOOLS_KERNEL=numpy canon --version; SHINGLETOOLS_KERNEL=none canon; COLUMNS=40 canon --help",
    f"canon -o /dev/fd/7 {DOCS} 7> out; cat out",
    f"ulimit -f 8; trap '' XFSZ; canon {DOCS} -o out",
    "mkfifo p; canon p & sleep 0.3; kill $!; wait $!; echo $?",
    "mkfifo p; (trap '' TERM; exec canon p) & sleep 0.3; kill $!; : > p; wait $!; echo $?",
)


@pytest.mark.parametrize("script", SCRIPTS)
def test_what_is_written(script: str, tmp_path: Path) -> None:
    forked, started = tmp_path / "forked", tmp_path / "started"
    for folder in (forked, started):
        folder.mkdir()
    one, other = shell(script, forked), shell(script, started, by=run_process)
    assert (one.status, one.out, one.err) == (other.status, other.out, other.err)


def children(server: int) -> list[int]:
    return [int(each) for each in Path(f"/proc/{server}/task/{server}/children").read_text().split()]


@pytest.mark.parametrize("whom", ["launcher", "command"])
def test_a_death(whom: str) -> None:
    """Of one is the death of the other; and there are two, so forks are not compared with themselves above."""
    folder, server = forks.started("")
    assert children(server) == []
    process = subprocess.Popen([folder / "canon"], stdin=subprocess.PIPE, env=ENVIRONMENT)
    while not children(server):
        time.sleep(0.01)
    os.kill(process.pid if whom == "launcher" else children(server)[0], signal.SIGKILL)
    assert process.wait(60) == -signal.SIGKILL
    while children(server):
        time.sleep(0.01)
    process.communicate()
