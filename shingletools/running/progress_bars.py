"""Progress bars: one for each command of a pipeline, each on its own line of the terminal that they share.

The processes of a pipeline do not know each other. They have the process group and the terminal in common. So a small
file in the folder of scratch files, with both in its name, holds the text of each bar. The process that draws holds a
lock, moves the cursor up by as many lines as there are bars, and writes all bars again. A message replaces the first
bar, and the bars follow it. pv(1) with -c does this, too, by cursor positions that it asks the terminal for.

Bars are in the order of the process numbers, which is that of the pipeline, because a shell starts one process after
the other. Which process makes its bar first is chance.
"""

import contextlib
import fcntl
import json
import os
import stat
import time
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, Protocol, cast

from tqdm import tqdm

from shingletools.system import files, messages, signals
from shingletools.system.memory_limit import scratch_folder

MUTEX, FIRST = 0, 1  # bytes of the file that are locked: one while drawing, and one for each bar that exists
LOCK_SECONDS = 0.5  # a stopped process may hold the lock
RETRY_SECONDS = 0.005
REDRAW_SECONDS = 0.1
MAX_TRIES = 10  # to open a file that others remove
MAX_FILE_BYTES = 1 << 16
DEFAULT_COLUMNS = 80  # of a terminal of unknown width


class BarText(NamedTuple):
    """The text of a process's bar."""

    process: int
    text: str


NO_BAR = BarText(0, "")


class TerminalLines:
    """The lines of a terminal that the bars of a process group share; the cursor is below the last one.

    Once it is made, no fault of the terminal or the file fails the run.
    """

    def __init__(self, descriptor: int) -> None:
        """Raises OSError."""
        self.descriptor = descriptor
        terminal = os.fstat(descriptor).st_rdev
        name = f"shingletools-{os.getuid()}-{terminal}-{os.getpgrp()}.bars"
        self.path = os.path.join(scratch_folder(), name)
        self.place = -1
        self.at_end = contextlib.ExitStack()
        self.at_end.enter_context(signals.at_end(self._leave))
        for _ in range(MAX_TRIES):
            self.file = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
            state = os.fstat(self.file)
            if state.st_uid != os.getuid() or not stat.S_ISREG(state.st_mode):
                os.close(self.file)
                raise PermissionError
            try:
                with self._locked():
                    if os.fstat(self.file).st_nlink:
                        self._begin()
                        return
            except OSError:
                self.close()
                os.close(self.file)
                raise
            os.close(self.file)
        raise PermissionError

    def _begin(self) -> None:
        """Takes the line below the other bars. Raises OSError."""
        bars = self._bars() if self._alive() else []
        fcntl.lockf(self.file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, FIRST + len(bars))
        self.place = len(bars)
        self._keep([*bars, BarText(os.getpid(), "")])
        self._write("\n")

    def show(self, text: str) -> None:
        """Shows the bar's new text; does nothing if another process keeps the lock."""
        with self._locked() as locked:
            if locked and self.place >= 0:
                bars = self._bars()
                bars[self.place] = BarText(os.getpid(), text)
                with contextlib.suppress(OSError):  # the folder may be full
                    self._keep(bars)
                self._draw(bars)

    def say(self, message: str) -> None:
        """Writes whole lines above the bars; below them if none of them is active."""
        with self._locked() as locked:
            bars = self._bars() if locked else []
            if bars and (self.place >= 0 or self._alive()):
                self._draw(bars, message)
            else:
                self._write(message)

    def close(self) -> None:
        """Leaves the bar as it is; the last process removes the file."""
        self._leave()
        self.at_end.close()

    def _leave(self) -> None:
        with contextlib.suppress(OSError), self._locked() as locked:
            if self.place >= 0:
                fcntl.lockf(self.file, fcntl.LOCK_UN, 1, FIRST + self.place)
                self.place = -1
            if locked and not self._alive() and os.fstat(self.file).st_nlink:
                os.unlink(self.path)

    @contextlib.contextmanager
    def _locked(self) -> Iterator[bool]:
        """Holds the lock inside, if it is free in time; gives whether it is held."""
        end, locked = time.monotonic() + LOCK_SECONDS, False
        while not locked and time.monotonic() < end:
            try:
                fcntl.lockf(self.file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, MUTEX)
                locked = True
            except OSError:
                time.sleep(RETRY_SECONDS)
        try:
            yield locked
        finally:
            if locked:
                with contextlib.suppress(OSError):
                    fcntl.lockf(self.file, fcntl.LOCK_UN, 1, MUTEX)

    def _bars(self) -> list[BarText]:
        """Returns the bars that the file holds, in the order of their lines.

        If it holds too few, empty bars are added up to the own line.
        """
        held: object = None
        with contextlib.suppress(OSError, ValueError):
            # A longer text of a writer that was killed may follow it
            held, _ = json.JSONDecoder().raw_decode(os.pread(self.file, MAX_FILE_BYTES, 0).decode())
        bars = []
        for each in held if isinstance(held, list) else ():
            match each:
                case [int(process), str(text)]:
                    bars.append(BarText(process, text))
                case _:
                    bars.append(NO_BAR)
        return bars + [NO_BAR] * (self.place + 1 - len(bars))

    def _keep(self, bars: Sequence[BarText]) -> None:
        data = json.dumps(bars).encode()
        os.pwrite(self.file, data, 0)
        os.ftruncate(self.file, len(data))

    def _alive(self) -> bool:
        """Returns whether another process has a bar.

        A bar's lock ends with its process, however that ends, and whatever the file says.
        """
        before, behind = (self.place, FIRST), (0, FIRST + self.place + 1)  # bytes, from where; 0 stands for all
        for count, start in (before, behind) if self.place > 0 else (behind,):
            try:
                fcntl.lockf(self.file, fcntl.LOCK_EX | fcntl.LOCK_NB, count, start)
            except OSError:
                return True
            fcntl.lockf(self.file, fcntl.LOCK_UN, count, start)
        return False

    def _draw(self, bars: Sequence[BarText], message: str = "") -> None:
        width = self.width()
        lines = "".join(f"{text[:width]}\x1b[K\n" for _, text in sorted(bars, key=lambda each: each.process))
        self._write(f"\x1b[{len(bars)}A\r" + (f"\x1b[J{message}" if message else "") + lines)

    def width(self) -> int:
        """Returns the number of columns that a bar may take."""
        columns = 0
        with contextlib.suppress(OSError):  # it may be gone
            columns = os.get_terminal_size(self.descriptor).columns
        return (columns or DEFAULT_COLUMNS) - 1

    def _write(self, text: str) -> None:
        with contextlib.suppress(OSError):
            os.write(self.descriptor, text.encode(errors="backslashreplace"))


class Bar(Protocol):
    """The interface of a bar, as tqdm has it."""

    total: Any  # bytes; None if that is not known

    def update(self, n: float, /) -> object: ...

    def reset(self) -> object: ...

    def set_description(self, desc: str, /) -> object: ...

    def clear(self) -> None: ...

    def refresh(self) -> object: ...

    def close(self) -> None: ...


class SharedBar:
    """A bar on a line of TerminalLines, with the text that tqdm formats."""

    def __init__(self, name: str, total: int | None, lines: TerminalLines) -> None:
        self.name = name
        self.total = total
        self.lines = lines
        self.count = 0.0
        self.begun = time.monotonic()
        self.shown = self.begun - REDRAW_SECONDS
        self.update(0)

    def update(self, n: float, /) -> None:
        """Counts `n` more bytes; shows the bar at most ten times a second."""
        self.count += n
        if time.monotonic() - self.shown >= REDRAW_SECONDS:
            self.refresh()

    def refresh(self) -> None:
        self.shown = time.monotonic()
        self.lines.show(
            tqdm.format_meter(
                int(self.count),
                cast(int, self.total),
                self.shown - self.begun,
                ncols=self.lines.width(),
                prefix=self.name,
                unit="B",
                unit_scale=True,
            )
        )

    def set_description(self, name: str, /) -> None:
        """Makes it the bar of this command."""
        if name != self.name:
            self.name = name
            self.refresh()

    def reset(self) -> None:
        """Starts again at 0."""
        self.count, self.begun = 0.0, time.monotonic()
        self.refresh()

    def clear(self) -> None:
        """Does nothing: messages are written above the bars."""

    def close(self) -> None:
        self.refresh()
        self.lines.close()


def progress_bar(name: str, inputs: Sequence[str]) -> Bar:
    """Returns a bar of the bytes read, on standard error.

    On a terminal, each process of a pipeline has a line of its own.
    """
    tqdm.monitor_interval = 0  # no thread of its own
    total = files.total_size(inputs)
    if os.isatty(2) and os.environ.get("TERM", "dumb") != "dumb":
        with contextlib.suppress(OSError, ValueError):  # then the bar is not shared
            lines = TerminalLines(2)
            try:
                bar = SharedBar(name, total, lines)
            except BaseException:
                lines.close()
                raise
            messages.say_through(lines.say)
            return bar
    return tqdm(desc=name, total=total, unit="B", unit_scale=True, file=messages.StandardError())
