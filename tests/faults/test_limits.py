"""The commands under limits of the system, and with streams closed: all of the output, or none, and nothing is left."""

import os
from pathlib import Path

import pytest

from harness import program, run_here, shell
from shingletools.running import driver, launch
from shingletools.system import signals
from suite import ONE_WAY, SCRATCH

# Descriptors, KB of memory, of data and of stack, and streams; of each some with which a run begins, and does not end.
# With 8 MB of data and less, Python 3.11 was seen to unwind for ever, for lack of an int
LIMITS = (
    "ulimit -n 5",
    "ulimit -n 6",
    "ulimit -n 7",
    "ulimit -n 9",
    "ulimit -v 30000",
    "ulimit -v 60000",
    "ulimit -v 80000",
    "ulimit -v 120000",
    "ulimit -d 12000",
    "ulimit -d 80000",
    "ulimit -s 200",
    "exec <&-",
    "exec >&-",
    "exec 2>&-",
    "exec <&- >&-",
    "exec <&- 2>&-",
    "exec <&- >&- 2>&-",
)
WAYS = [*dict.fromkeys([*ONE_WAY, *SCRATCH]), "canon -j2", "simjoin -j2"]
EACH_ONCE = [(WAYS[n % len(WAYS)], LIMITS[n % len(LIMITS)]) for n in range(max(len(WAYS), len(LIMITS)))]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "limit"), [*EACH_ONCE, *(("simjoin", f"ulimit -v {size}000") for size in (40, 70, 80, 90, 100))]
)
def test_a_run_under_a_limit(command: str, limit: str, few: Path, tmp_path: Path) -> None:
    source = few / program(command)
    (tmp_path / "scratch").mkdir()
    ran = shell(f"export TMPDIR=scratch; {limit}; exec {command} {source} -o out", tmp_path)
    assert ran.status in {0, 2}  # not 1, with which OpenBLAS ends the process
    assert "Traceback" not in ran.err
    assert "Exception ignored" not in ran.err
    assert list((tmp_path / "scratch").iterdir()) == []
    if ran.status == 0:
        assert (tmp_path / "out").read_bytes() == run_here(command, source, cwd=tmp_path).good()
    else:
        assert os.listdir(tmp_path) == ["scratch"]


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (OSError(24, "Too many open files", "numpy.py"), "numpy.py: Too many open files"),
        (ImportError("libx.so: failed to map segment"), "libx.so: failed to map segment"),
        (MemoryError(), "out of memory"),
    ],
)
def test_what_cannot_be_loaded_is_reported_in_a_line(
    error: Exception, said: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def refuse(*_: object) -> int:
        raise error

    def advise(*_: object) -> int:
        """As numpy does."""
        try:
            refuse()
        except ImportError as cause:
            raise ImportError("\n\nIMPORTANT: PLEASE READ THIS\n\n") from cause
        return 0

    for each in (refuse, advise):
        monkeypatch.setattr(driver, "run", each)
        assert driver.main("canon", []) == 2
        assert capfd.readouterr().err == f"canon: {said}\n"
    monkeypatch.setattr(signals, "claim", refuse)
    assert launch.main("canon") == 2
    assert capfd.readouterr().err == f"canon: cannot start: {error!r}\n"
