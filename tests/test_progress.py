"""Progress bars: one command of a pipeline at a time shows its bar on the terminal."""

import contextlib
import os
import re
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pexpect
import pyte
import pytest

from harness import DOCS, ENVIRONMENT, run, run_here

ROWS, COLUMNS = 24, 90
PIPELINE = "canon --progress docs | shingle --progress | sketch --progress | simjoin --progress > pairs"
NAMES = ("canon", "shingle", "sketch", "simjoin")


def in_terminal(script: str, folder: Path) -> list[list[str]]:
    """What a terminal shows after each line that a shell script writes to it."""
    terminal = pexpect.spawn(
        "bash",
        ["-c", script],
        env=ENVIRONMENT | {"TERM": "xterm"},
        cwd=str(folder),
        encoding="utf-8",
        timeout=120,
        dimensions=(ROWS, COLUMNS),
    )
    given = str(terminal.read())
    terminal.close()
    screen = pyte.HistoryScreen(COLUMNS, ROWS)
    stream = pyte.Stream(screen)
    shown = []
    for line in re.split(r"(?<=[\r\n])", given):
        stream.feed(line)
        shown.append([row.rstrip() for row in screen.display if row.strip()])
    return shown


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "docs").write_bytes(DOCS.read_bytes())
    return tmp_path


def test_bars_do_not_overwrite_each_other(folder: Path) -> None:
    every = in_terminal(f"{PIPELINE}; echo the end", folder)
    for row in every[-1][:-1]:
        assert re.fullmatch(rf"({'|'.join(NAMES)})(, [\d,]+ candidates, 100 % done)?: .*\[.*\]", row), row
    names = [re.split("[:,]", row)[0] for row in every[-1][:-1]]
    assert names
    assert len({*names}) == len(names)
    assert every[-1][-1] == "the end"
    plain = run("bash", "-c", PIPELINE.replace(" --progress", "").replace("> pairs", ""), cwd=folder).good()
    assert (folder / "pairs").read_bytes() == plain
    assert sorted(path.name for path in folder.iterdir()) == ["docs", "pairs"]


def test_messages_have_lines_of_their_own(folder: Path) -> None:
    (folder / "docs").write_bytes(b"bad\n" + DOCS.read_bytes())
    rows = in_terminal(f"{PIPELINE}; echo the end", folder)[-1]
    assert sum(row.startswith("canon: docs:1: not JSON (column 1)") for row in rows) == 1
    assert rows[-1] == "the end"


def test_a_join_shows_its_work(folder: Path) -> None:
    """Of bands, the percentage and the time left; sets have one band, and show their candidates."""
    sketches = run("bash", "-c", "canon docs | shingle -k 2 | sketch -n 84", cwd=folder).good()
    (folder / "sketches").write_bytes(sketches)
    shown = in_terminal("simjoin --progress -t 0.05 sketches > pairs", folder)
    done = [
        int(found[1]) for rows in shown for row in rows if (found := re.search(r"candidates, (\d+) % done, \d", row))
    ]
    assert len({*done}) > 3
    assert done == sorted(done)
    shown = in_terminal("canon docs | shingle -k 2 | simjoin --progress -t 0.1 > pairs", folder)
    assert re.match(r"simjoin, [1-9][\d,]* candidates, 100 % done: [\d.]+[kM]B", shown[-1][-1])


@pytest.fixture
def terminal() -> Iterator[tuple[int, int]]:
    """Its master and its slave; a test may close the former."""
    master, slave = os.openpty()
    yield master, slave
    for descriptor in (master, slave):
        with contextlib.suppress(OSError):
            os.close(descriptor)


def test_a_terminal_that_is_gone(terminal: tuple[int, int]) -> None:
    running = subprocess.Popen(
        ["canon", "--progress"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=terminal[1], env=ENVIRONMENT
    )
    given = b""
    while b"canon: " not in given:
        given += os.read(terminal[0], 1 << 16)
    os.close(terminal[0])
    out, _ = running.communicate(b"bad\n" + DOCS.read_bytes(), timeout=120)
    assert (running.returncode, out) == (1, run("canon", DOCS).good())


def test_a_run_that_is_interrupted(folder: Path) -> None:
    # What starts the tests may ignore SIGINT, which all below it inherit
    words = ["--default-signal=INT", "canon", "--progress"]
    terminal = pexpect.spawn("env", words, env=ENVIRONMENT, cwd=str(folder), encoding="utf-8", timeout=60)
    terminal.expect_exact("canon: reads standard input")
    terminal.expect_exact("canon: 0.00B")
    terminal.kill(signal.SIGINT)
    terminal.expect(pexpect.EOF)
    terminal.close()
    assert terminal.signalstatus == signal.SIGINT


def test_a_file_gets_no_escapes(folder: Path) -> None:
    ran = run_here("canon", "--progress", "docs", cwd=folder)
    assert "canon: 100%" in ran.err
    assert "\x1b" not in ran.err
