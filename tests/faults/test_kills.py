"""Signals at random moments: a run is whole or nothing, and nothing of it is left.

ROUNDS in the environment says how often each signal is sent to each command (default 4).
"""

import os
import random
import signal
import subprocess
import time
from pathlib import Path

import pytest

from harness import ENVIRONMENT, program, run, wait_for_the_end_of
from suite import KILLED

pytestmark = pytest.mark.slow
ROUNDS = int(os.environ.get("ROUNDS", "4"))
BEFORE = b"what was here before\n"


@pytest.mark.parametrize("command", KILLED)
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_any_moment(command: str, number: signal.Signals, inputs: Path, tmp_path: Path) -> None:
    (tmp_path / "scratch").mkdir()
    begun = time.monotonic()
    expected = run(command, inputs / program(command), cwd=tmp_path).good()
    usual = time.monotonic() - begun
    rng = random.Random(number)
    ended = 0
    for _ in range(ROUNDS):
        (tmp_path / "out").write_bytes(BEFORE)
        words = ["env", "--default-signal=INT", *command.split(), str(inputs / program(command)), "-o", "out"]
        process = subprocess.Popen(words, cwd=tmp_path, env=ENVIRONMENT, start_new_session=True, stderr=subprocess.PIPE)
        wait_for_the_start_of(process)
        time.sleep(rng.uniform(0, 0.7) * usual)
        process.send_signal(number)
        _, said = process.communicate(timeout=60)
        left = sorted(path.name for path in tmp_path.iterdir())
        if process.returncode == 0:
            usual *= 0.7  # the machine has less else to do than before
            assert (tmp_path / "out").read_bytes() == expected
        else:
            ended += 1
            assert process.returncode == -number or process.returncode == 128 + number
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
    assert ended


def wait_for_the_start_of(process: "subprocess.Popen[bytes]") -> None:
    """Python's own is not ours; it is over when something is done with TERM."""
    term = 1 << (signal.SIGTERM - 1)
    end = time.monotonic() + 60
    while process.poll() is None:
        status = Path(f"/proc/{process.pid}/status").read_text()
        masks = dict(line.split(":", 1) for line in status.splitlines())
        if (int(masks.get("SigCgt", "0"), 16) | int(masks.get("SigBlk", "0"), 16)) & term:
            return
        assert time.monotonic() < end
        time.sleep(0.001)
