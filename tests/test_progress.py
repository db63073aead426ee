"""Bars of several commands on one terminal: each keeps a line of its own, and messages stand above them."""

import contextlib
import os
import re
import resource
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pexpect
import pyte
import pytest

from harness import DOCS, ENVIRONMENT, run, run_here
from shingletools.running import progress_bars
from shingletools.system import messages

ROWS, COLUMNS = 24, 90
PIPELINE = "canon --progress docs | shingle --progress | sketch --progress | simjoin --progress > pairs"
NAMES = ("canon", "shingle", "sketch", "simjoin")


def in_terminal(script: str, folder: Path, rows: int = ROWS) -> str:
    """All that a terminal is given by a shell script; a pipeline is a process group, as people's shells make one."""
    environment = ENVIRONMENT | {"TERM": "xterm", "TMPDIR": str(folder)}
    terminal = pexpect.spawn(
        "bash",
        ["-c", f"set -m; {script}"],
        env=environment,
        cwd=str(folder),
        encoding="utf-8",
        timeout=120,
        dimensions=(rows, COLUMNS),
    )
    given = str(terminal.read())
    terminal.close()
    return given


def screens(given: str, rows: int = ROWS) -> list[list[str]]:
    """What the terminal shows after each line that it is given."""
    screen = pyte.HistoryScreen(COLUMNS, rows)
    stream = pyte.Stream(screen)
    shown = []
    for line in given.splitlines(keepends=True):
        stream.feed(line)
        shown.append([row.rstrip() for row in screen.display])
    return shown


def bars(shown: list[str], name: str) -> list[str]:
    return [row for row in shown if re.match(rf"{name}: +[0-9.]+[kM%B]", row)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "docs").write_bytes(DOCS.read_bytes())
    return tmp_path


@pytest.mark.parametrize("rows", [ROWS, 5])  # with five, the screen scrolls
def test_each_command_has_a_line_of_its_own(rows: int, folder: Path) -> None:
    every = screens(in_terminal(PIPELINE, folder, rows), rows)
    for shown in every:
        for name in NAMES:
            assert len(bars(shown, name)) <= 1, shown
    assert [len(bars(every[-1], name)) for name in NAMES] == [1, 1, 1, 1]
    names = [row.partition(":")[0] for row in every[-1] if row]
    assert [each for each in names if each in NAMES] == list(NAMES)  # in the order of the pipeline
    assert [row for row in every[-1] if row.startswith("canon: 100%|")]
    plain = run("bash", "-c", PIPELINE.replace(" --progress", "").replace("> pairs", ""), cwd=folder).good()
    assert (folder / "pairs").read_bytes() == plain
    assert sorted(path.name for path in folder.iterdir()) == ["docs", "pairs"]


def test_messages_stand_above_the_bars(folder: Path) -> None:
    """Those of bad records, of runs that end, and of runs that fail, while others go on."""
    (folder / "docs").write_bytes(b"bad\n" + DOCS.read_bytes())
    script = PIPELINE.replace("shingle --progress", "shingle -v --progress")
    shown = screens(in_terminal(f"{script}; echo the end", folder))[-1]
    rows = [row for row in shown if row]
    message = next(row for row in rows if row.startswith("canon: docs:1: not JSON (column 1)"))
    figures = next(row for row in rows if row.startswith("shingle: 300 records, 0 rejected, "))
    first = min(rows.index(bars(rows, name)[0]) for name in NAMES)
    assert rows.index(message) < first
    # The figures come when shingle ends: who has ended before may have its bar above them
    wide = figures + rows[rows.index(figures) + 1]  # than the terminal
    assert wide.replace(" ", "").endswith(",0leftwithoutshingles")
    assert [len(bars(rows, name)) for name in NAMES] == [1, 1, 1, 1]
    assert rows[-1] == "the end"


def test_pipelines_one_after_the_other(folder: Path) -> None:
    """In a script they have one process group; the bars of the first stay."""
    script = f"set +m; {PIPELINE}; echo between; {PIPELINE}"
    rows = [row for row in screens(in_terminal(script, folder))[-1] if row]
    assert rows.index("between") == len(NAMES)
    for part in (rows[: len(NAMES)], rows[len(NAMES) + 1 :]):
        assert [len(bars(part, name)) for name in NAMES] == [1, 1, 1, 1]
    assert list(folder.glob("*.bars")) == []


def test_a_command_that_is_killed_leaves_its_line(folder: Path) -> None:
    """The others go on, and the last of them clears up."""
    script = "mkfifo in; sh -c 'echo $$ > pid; exec shingle --progress in > /dev/null' & exec 5> in; "
    script += "until [ -s pid ] && ls *.bars > /dev/null 2>&1; do sleep 0.01; done; kill -KILL $(cat pid); wait; "
    script += f"exec 5>&-; {PIPELINE}"
    rows = [row for row in screens(in_terminal(f"set +m; {script}", folder))[-1] if row]
    assert [len(bars(rows, name)) for name in ("canon", "sketch", "simjoin")] == [1, 1, 1]
    assert len(bars(rows, "shingle")) == 2
    assert list(folder.glob("*.bars")) == []


def test_a_run_that_is_interrupted_clears_up(folder: Path) -> None:
    environment = ENVIRONMENT | {"TERM": "xterm", "TMPDIR": str(folder)}
    # What starts the tests may ignore SIGINT, which all below it inherit
    terminal = pexpect.spawn(
        "env",
        ["--default-signal=INT", "canon", "--progress"],
        env=environment,
        cwd=str(folder),
        encoding="utf-8",
        timeout=60,
    )
    terminal.expect_exact("canon: reads standard input")
    terminal.expect_exact("canon: 0.00B")
    terminal.kill(signal.SIGINT)
    terminal.expect(pexpect.EOF)
    terminal.close()
    assert terminal.signalstatus == signal.SIGINT
    assert list(folder.glob("*.bars")) == []


def test_a_terminal_that_cannot_move_and_a_folder_that_is_not_there(folder: Path) -> None:
    """The bar is alone, as where standard error is a file."""
    for setting in ("TERM=dumb", "TMPDIR=/nowhere"):
        given = in_terminal(f"{setting} canon --progress docs > out", folder)
        assert "canon: 100%" in given
        assert "\x1b[1A" not in given
    ran = run_here("canon", "--progress", "docs", cwd=folder)
    assert "canon: 100%" in ran.err
    assert "\x1b" not in ran.err


@pytest.fixture
def terminal() -> Iterator[tuple[int, int]]:
    """Its master and its slave; a test may close the former."""
    master, slave = os.openpty()
    yield master, slave
    for descriptor in (master, slave):
        with contextlib.suppress(OSError):
            os.close(descriptor)


def with_trouble(
    folder: Path, terminal: tuple[int, int], trouble: Callable[[], object], limit: int = resource.RLIM_INFINITY
) -> tuple[int, bytes]:
    """Status and output of a run whose bar has trouble once it is there; it may write files of so many bytes."""
    master, slave = terminal
    running = subprocess.Popen(
        ["prlimit", f"--fsize={limit if limit >= 0 else 'unlimited'}", "canon", "--progress"],
        cwd=folder,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=slave,
        start_new_session=True,
        env=ENVIRONMENT | {"TERM": "xterm", "TMPDIR": str(folder)},
    )
    given = b""
    while b"canon: " not in given:
        given += os.read(master, 1 << 16)
    trouble()
    out, _ = running.communicate(b"bad\n" + DOCS.read_bytes(), timeout=120)
    return running.returncode, out


def test_a_terminal_that_is_gone(folder: Path, terminal: tuple[int, int]) -> None:
    assert with_trouble(folder, terminal, lambda: os.close(terminal[0])) == (1, run("canon", DOCS).good())
    assert list(folder.glob("*.bars")) == []


@pytest.mark.parametrize(
    "content", [b'[[1,"canon: 0.', b"[]", b"[[1]]", b'[[1,""],["",1],2]', b'{"a":1}', b"7", b"\xff", b""]
)
def test_a_file_of_bars_that_is_damaged(content: bytes, folder: Path, terminal: tuple[int, int]) -> None:
    def trouble() -> None:
        (path,) = folder.glob("*.bars")
        path.write_bytes(content)

    assert with_trouble(folder, terminal, trouble) == (1, run("canon", DOCS).good())
    given = os.read(terminal[0], 1 << 16).decode()
    assert "canon: -:1: not JSON (column 1)" in given
    assert re.search(r"canon: [0-9.]+kB \[", given.rpartition("not JSON")[2])
    assert list(folder.glob("*.bars")) == []


@pytest.mark.parametrize("limit", [0, 20])  # bytes: for none of the file, and for no text in it
def test_a_full_folder_of_scratch_files(limit: int, folder: Path, terminal: tuple[int, int]) -> None:
    assert with_trouble(folder, terminal, lambda: None, limit) == (1, run("canon", DOCS).good())
    given = os.read(terminal[0], 1 << 16).decode()
    assert "canon: -:1: not JSON (column 1)" in given
    assert re.search(r"canon: [0-9.]+kB \[", given)
    assert list(folder.glob("*.bars")) == []


def test_what_was_longer_before_is_behind_what_is_held(
    folder: Path, terminal: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As it is where a process is killed between writing and cutting off."""
    monkeypatch.setenv("TMPDIR", str(folder))
    lines = progress_bars.TerminalLines(terminal[1])
    lines.show("x" * 50)
    monkeypatch.setattr(os, "ftruncate", lambda *_: None)
    lines.show("short")
    assert Path(lines.path).read_bytes() == b'[[%d, "short"]]' % os.getpid() + b"x" * 42 + b'"]]'
    given = ""
    while "short" not in given:  # a terminal gives what it was given a moment later
        given += os.read(terminal[0], 1 << 16).decode()
    lines.say("message\n")
    assert os.read(terminal[0], 1 << 16).decode().replace("\r", "") == "\x1b[1A\x1b[Jmessage\nshort\x1b[K\n"
    lines.close()
    os.close(lines.file)


def test_a_damaged_file_does_not_hide_who_has_a_bar(
    folder: Path, terminal: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody removes the file before the last of them is gone."""
    monkeypatch.setenv("TMPDIR", str(folder))
    lines = progress_bars.TerminalLines(terminal[1])
    path = Path(lines.path)
    path.write_bytes(b"[")
    holds = "import fcntl, sys; file = open(sys.argv[1], 'r+b'); fcntl.lockf(file, fcntl.LOCK_EX, 1, int(sys.argv[2]))"
    other = subprocess.Popen(
        [sys.executable, "-c", f"{holds}; print(flush=True); input()", path, str(progress_bars.FIRST + 1)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert other.stdout is not None
    assert other.stdout.readline() == b"\n"
    lines.close()
    assert path.exists()
    other.communicate(b"\n")
    lines.close()
    assert not path.exists()
    os.close(lines.file)


def test_a_bar_that_cannot_be_made_leaves_nothing(
    folder: Path, terminal: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise ValueError

    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(progress_bars.SharedBar, "refresh", fail)
    through = messages._Saying.through
    saved = os.dup(2)
    os.dup2(terminal[1], 2)
    try:
        bar = progress_bars.progress_bar("canon", [str(DOCS)])
        assert not isinstance(bar, progress_bars.SharedBar)
        bar.close()
    finally:
        os.dup2(saved, 2)
        os.close(saved)
    assert messages._Saying.through == through
    assert list(folder.glob("*.bars")) == []
