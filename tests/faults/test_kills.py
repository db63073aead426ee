"""Signals at random moments: a run is whole or nothing, and nothing of it is left.

ROUNDS in the environment says how often each signal is sent to each command (default 2).
"""

import os
import random
import signal
import subprocess
import time
from collections.abc import Callable
from functools import cache
from itertools import count
from pathlib import Path

import pytest

from harness import ENVIRONMENT, program, run_process, wait_for_the_end_of
from suite import KILLED

pytestmark = pytest.mark.slow
ROUNDS = int(os.environ.get("ROUNDS", "2"))
BEFORE = b"what was here before\n"


@pytest.fixture(scope="session")
def usual(inputs: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], tuple[bytes, float]]:
    """What a command makes of its input, and in how many seconds; run once."""

    @cache
    def run_once(command: str) -> tuple[bytes, float]:
        folder = tmp_path_factory.mktemp("usual")
        (folder / "scratch").mkdir()
        begun = time.monotonic()
        made = run_process(command, inputs / program(command), cwd=folder).good()
        return made, time.monotonic() - begun

    return run_once


@pytest.mark.parametrize(
    ("number", "command"),
    [
        *((signal.SIGTERM, way) for way in KILLED),
        *((signal.SIGKILL, way) for way in KILLED if way.startswith(("canon", "dedup", "simjoin -S"))),
    ],
)
def test_any_moment(
    number: signal.Signals, command: str, inputs: Path, usual: Callable[[str], tuple[bytes, float]], tmp_path: Path
) -> None:
    """What ends a run by SIGTERM ends it by SIGINT, too, but for the start of Python, which then shows a traceback.

    SIGKILL may leave the output under another name, if it comes between two calls that replace a file.
    """
    (tmp_path / "scratch").mkdir()
    expected, seconds = usual(command)
    rng = random.Random(number)
    ended = 0
    for round_ in count(1):
        (tmp_path / "out").write_bytes(BEFORE)
        words = [*command.split(), str(inputs / program(command)), "-o", "out"]
        process = subprocess.Popen(words, cwd=tmp_path, env=ENVIRONMENT, start_new_session=True, stderr=subprocess.PIPE)
        time.sleep(rng.uniform(0, 0.7) * seconds)
        process.send_signal(number)
        _, said = process.communicate(timeout=60)
        left = sorted(path.name for path in tmp_path.iterdir())
        if process.returncode == 0:
            seconds *= 0.7  # the machine has less else to do than before
            assert (tmp_path / "out").read_bytes() == expected
        else:
            ended += 1
            assert process.returncode == -number, said
            assert (tmp_path / "out").read_bytes() in {BEFORE, expected}  # it may come after the renaming
        if number == signal.SIGKILL:
            left = [name for name in left if not name.startswith(".shingletools.")]
        else:
            assert said == b""
        assert list((tmp_path / "scratch").iterdir()) == []  # these files have no names
        assert left == ["out", "scratch"]
        wait_for_the_end_of(process.pid)
        for leftover in tmp_path.glob(".shingletools.*"):
            leftover.unlink()
        if ended and round_ >= ROUNDS:  # the sooner it ends by itself, the sooner comes the next signal
            break
