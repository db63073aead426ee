"""What the tests share: running the installed commands as a shell does, and reading what they wrote."""

import contextlib
import json
import os
import subprocess
import sysconfig
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

from shingletools.commands.canon.canonizer import Canonizer, Rules
from shingletools.commands.canon.rules import Rule
from shingletools.commands.canon.stopwords import unless_in
from shingletools.record.collector import Collector
from shingletools.record.command_registry import STAGES
from shingletools.record.events import Event, Lines, ReadFigures, Reject, RemovedLines
from shingletools.record.filter_chain import Chain
from shingletools.record.record_batch import RecordBatch
from shingletools.running import driver, shingletools_command
from shingletools.running.step_events import take_batch

BIN = Path(sysconfig.get_path("scripts"))
DATA = Path(__file__).parent / "data"
DOCS = DATA / "docs.jsonl"
ENVIRONMENT = {"PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}", "LC_ALL": "C.UTF-8", "COLUMNS": "80"}

HERE = frozenset(STAGES)  # commands that may run in the process of the tests

Record = dict[str, Any]


@dataclass(frozen=True)
class Ran:
    """A finished command; pytest shows all of it when an assertion about it fails."""

    argv: tuple[str, ...]
    status: int
    out: bytes
    err: str

    def good(self) -> bytes:
        """The output of a command that had nothing to complain about."""
        assert (self.status, self.err) == (0, ""), self
        return self.out

    def records(self) -> list[Record]:
        return [json.loads(line) for line in self.good().split(b"\n")[:-1]]


def run(*argv: str | Path, stdin: bytes = b"", cwd: Path | None = None, env: dict[str, str] | None = None) -> Ran:
    """A command, in this process if it is one of ours. The first word may be a command with some options."""
    if env is None and program(str(argv[0])) in HERE:
        return run_here(*argv, stdin=stdin, cwd=cwd or Path.cwd())
    return run_process(*argv, stdin=stdin, cwd=cwd, env=env)


def run_process(
    *argv: str | Path, stdin: bytes = b"", cwd: Path | None = None, env: dict[str, str] | None = None
) -> Ran:
    """The same in a process of its own, as a user starts it."""
    words = (*str(argv[0]).split(), *map(str, argv[1:]))
    done = subprocess.run(
        words, input=stdin, capture_output=True, cwd=cwd, env=ENVIRONMENT | (env or {}), timeout=300, check=False
    )
    return Ran(words, done.returncode, done.stdout, done.stderr.decode())


def run_here(*argv: str | Path, stdin: bytes = b"", cwd: Path) -> Ran:
    """The same in this process: it takes milliseconds, not tenths of a second."""
    words = (*str(argv[0]).split(), *map(str, argv[1:]))
    files = [TemporaryFile() for _ in range(3)]
    files[0].write(stdin)
    files[0].seek(0)
    saved = [os.dup(number) for number in range(3)]  # the run closes its standard output, to see whether all arrived
    try:
        for number, file in enumerate(files):
            os.dup2(file.fileno(), number)
        with contextlib.chdir(cwd):
            own = shingletools_command.run if words[0] == "shingletools" else None
            status = driver.main(words[0], words[1:], own)
    finally:
        for number, descriptor in enumerate(saved):
            os.dup2(descriptor, number)
            os.close(descriptor)
    for file in files:
        file.seek(0)
    _, out, err = (file.read() for file in files)
    return Ran(words, status, out, err.decode())


def program(command: str) -> str:
    """The name in its messages."""
    return command.split(maxsplit=1)[0]


def shell(script: str, cwd: Path | None = None) -> Ran:
    """A bash script; its status is that of the last command in a pipeline that failed."""
    return run_process("bash", "-o", "pipefail", "-c", script, cwd=cwd)


def stopping(*words: str) -> Canonizer:
    """A canonizer that drops these words."""
    return Canonizer(Rules(words=(Rule("stop", True, partial(unless_in, frozenset(words))),)))


def jsonl(*records: Record) -> bytes:
    return b"".join(json.dumps(record, ensure_ascii=False).encode() + b"\n" for record in records)


@dataclass
class Made:
    """What a collector made of lines."""

    records: int = 0  # good ones
    rejects: list[tuple[str, int | None, str, bytes]] = field(default_factory=list)
    output: bytes = b""
    removed: bytes = b""

    def add(self, events: Iterable[Event]) -> "Made":
        """Adds what events say. Raises Failed."""
        for event in events:
            match event:
                case Lines(data):
                    self.output += data
                case RemovedLines(data):
                    self.removed += data
                case Reject(file, line, cause, record):
                    self.rejects.append((file, line, cause, record))
                    self.records -= event.late
                case ReadFigures():
                    self.records += event.records
        return self


def collect(collector: Collector, lines: bytes, side: int = 0, file: str = "-") -> Made:
    """Gives lines to a collector. Raises Failed."""
    return Made().add(take_batch(collector, side, RecordBatch(lines, file)))


def finished(collector: Collector) -> bytes:
    """The rest of a collector's output."""
    return Made().add(collector.finish()).output


def filtered(chain: Chain, lines: bytes) -> tuple[bytes, list[tuple[int, int, str, bytes]]]:
    """The lines that filters make of lines, and what they reject: places, numbers of filters, causes and lines."""
    (made,) = chain(RecordBatch(lines))
    return made.lines, [each[:4] for each in made.rejected]


def read_by_definition(collector: Collector) -> None:
    """Keeps the kernel from reading its lines."""
    schema = collector.schema
    vars(collector)["schema"] = lambda *of: schema(*of)._replace(ordinary=False)


def pipe(stdin: bytes, *commands: str) -> bytes:
    """The output of a pipeline in which every command must succeed silently."""
    for command in commands:
        stdin = run(*command.split(), stdin=stdin).good()
    return stdin


def has_open(process: int, folder: Path) -> bool:
    """Whether a process has a file of a folder open, perhaps one without a name."""
    for link in Path(f"/proc/{process}/fd").iterdir():
        with contextlib.suppress(FileNotFoundError):  # closed meanwhile
            if link.readlink().is_relative_to(folder):
                return True
    return False


def wait_for_the_end_of(group: int) -> None:
    """Of all processes that began with one, also those that it left behind."""
    end = time.monotonic() + 60
    while True:
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return
        assert time.monotonic() < end
        time.sleep(0.01)
