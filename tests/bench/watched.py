"""What a process and all that it starts take, from time to time while they run, as /proc tells it."""

import os
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

TICKS = os.sysconf("SC_CLK_TCK")
PAUSE = 0.2  # seconds


class Taken(NamedTuple):
    """Of a stage."""

    wall: float  # seconds
    cpu: float  # seconds, user and system
    main: float  # seconds of these in the main thread of the first process
    peak: float  # MB of memory, all processes together; what they share counts once
    disk: float  # MB of scratch files at most, which have no names
    read: float  # MB from disk
    written: float  # MB to disk, or to its cache


class Watched:
    """A process that is watched until it ends. A stage ends where `stage` is called; the last one with the process."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process
        self.begun = time.monotonic()
        self.last: tuple[float, ...] = (0.0,) * 4  # cpu, main, read, written so far
        self.before: tuple[float, ...] = self.last
        self.peak = self.disk = 0.0
        self.stages: list[Taken] = []
        self.lock = threading.Lock()
        self.thread = threading.Thread(target=self._watch)
        self.thread.start()

    def stage(self) -> None:
        """Ends a stage."""
        with self.lock:
            self._look()
            now = time.monotonic()
            cpu, main, *files = (after - before for after, before in zip(self.last, self.before, strict=True))
            self.stages.append(Taken(now - self.begun, cpu, main, self.peak, self.disk, *files))
            self.begun, self.before, self.peak, self.disk = now, self.last, 0.0, 0.0

    def end(self) -> list[Taken]:
        """Waits until the process ends; what its stages took."""
        self.thread.join()
        self.process.wait()
        self.stage()
        return self.stages

    def _watch(self) -> None:
        while os.waitid(os.P_PID, self.process.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG) is None:
            with self.lock:
                self._look()
            time.sleep(PAUSE)
        with self.lock:
            self._look()

    def _look(self) -> None:
        several = list(tree(self.process.pid))
        seen, peak = [0.0] * 4, 0.0
        files: dict[int, float] = {}
        for folder in several:
            with suppress(OSError, IndexError):
                seen[0] += seconds(folder, 4)  # with children that have ended
                if folder == several[0]:
                    seen[1] = seconds(folder / "task" / folder.name, 2)
                some = dict(line.split(": ") for line in (folder / "io").read_text().splitlines())
                seen[2] += int(some["read_bytes"]) / 1e6
                seen[3] += int(some["write_bytes"]) / 1e6
                for descriptor in (folder / "fd").iterdir():
                    about = descriptor.stat()
                    if not about.st_nlink:
                        files[about.st_ino] = about.st_blocks * 512 / 1e6
                peak += int((folder / "smaps_rollup").read_text().partition("Pss:")[2].split()[0]) / 1e3
        self.last = tuple(map(max, self.last, seen))
        self.peak, self.disk = max(self.peak, peak), max(self.disk, sum(files.values()))


def seconds(folder: Path, fields: int) -> float:
    """Processor time of a process or thread, user and system; from four fields, with that of its children."""
    return sum(map(int, (folder / "stat").read_text().rpartition(")")[2].split()[11 : 11 + fields])) / TICKS


def tree(process: int) -> Iterator[Path]:
    """The folders in /proc of a process and of all that it started and that still run."""
    folder = Path("/proc", str(process))
    yield folder
    with suppress(OSError):
        for task in (folder / "task").iterdir():
            for child in (task / "children").read_text().split():
                yield from tree(int(child))
