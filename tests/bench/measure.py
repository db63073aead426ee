"""What the benches share: a command's cost, as the system accounts it."""

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1]))
from harness import ENVIRONMENT


class Figures(NamedTuple):
    wall: float  # seconds
    cpu: float  # seconds, user and system
    peak: float  # MB


def timed(argv: Sequence[str], source: Path, target: Path) -> Figures:
    """One command as a process of its own, from file to file."""
    start = time.monotonic()
    with source.open("rb") as stdin, target.open("wb") as stdout:
        process = subprocess.Popen(argv, stdin=stdin, stdout=stdout, env=ENVIRONMENT)
        _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, argv
    return Figures(time.monotonic() - start, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def median(runs: list[Figures]) -> Figures:
    return Figures(*(statistics.median(column) for column in zip(*runs, strict=True)))
