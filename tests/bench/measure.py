"""What the benches share: a command's cost, as the system accounts it."""

import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import IO, NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1]))


class Figures(NamedTuple):
    wall: float  # seconds
    cpu: float  # seconds, user and system
    peak: float  # MB


def timed(
    argv: Sequence[str], source: Path, target: Path, env: dict[str, str] | None = None, stderr: IO[bytes] | None = None
) -> Figures:
    """One command and all its processes, from file to file; the peak is that of the largest.

    It is started by a small process of its own: the peak that the system tells of a process includes what its parent
    had when it was started.
    """
    from harness import ENVIRONMENT  # late: the small process would load what it has no use for

    reading, writing = os.pipe()
    with source.open("rb") as stdin, target.open("wb") as stdout, os.fdopen(reading) as report:
        starter = [sys.executable, __file__, str(writing), *argv]
        process = subprocess.Popen(
            starter, stdin=stdin, stdout=stdout, stderr=stderr, env=ENVIRONMENT | (env or {}), pass_fds=[writing]
        )
        os.close(writing)
        assert process.wait() == 0, argv
        return Figures(*json.load(report))


def start(report: int, argv: Sequence[str]) -> None:
    """Runs a command and writes its figures to a descriptor."""
    begun = time.monotonic()
    process = subprocess.Popen(argv)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    figures = Figures(time.monotonic() - begun, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)
    os.write(report, json.dumps(figures).encode())
    sys.exit(process.returncode)


def table_row(*cells: object) -> None:
    """Prints a row of a table in Markdown."""
    print("| " + " | ".join(map(str, cells)) + " |", flush=True)


def median(runs: list[Figures]) -> Figures:
    return Figures(*(statistics.median(column) for column in zip(*runs, strict=True)))


if __name__ == "__main__":
    start(int(sys.argv[1]), sys.argv[2:])
