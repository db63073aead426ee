"""A progress bar of the bytes read, on standard error.

The commands of a pipeline share a terminal. One at a time shows its bar there: the one that has locked the terminal,
which lasts until its process ends. A command that reads a pipe, whose length it does not know, gives way at first.
"""

import fcntl
import os
import time
from collections.abc import Sequence
from typing import Any

from tqdm import tqdm

from shingletools.record.events import Event, Progress, ReadFigures
from shingletools.system import files, messages

ERASE_LINE = "\r\x1b[K"
REDRAW_SECONDS = 0.1
GIVES_WAY_SECONDS = 1  # of a command that reads a pipe


class ProgressBar(tqdm):  # type: ignore[type-arg]  # it goes over nothing
    """A bar that is not drawn while another process shows its own on the same terminal."""

    monitor_interval = 0  # no thread of its own
    shown = -1  # the percent of the work that is shown
    begun = drawn = 0.0  # when the work began, and when it was shown last
    made = time.monotonic()

    def begin(self, steps: str) -> None:
        """Shows the names of the steps that are at work."""
        if self.desc != steps:
            self.set_description_str(steps)

    def take(self, step: str, event: Event) -> None:
        """Shows what an event of a step says of the bytes that are read, or of the work behind the reading."""
        if isinstance(event, Progress):
            self.show_work(step, *event)
        elif isinstance(event, ReadFigures):
            self.update(event.size + event.again)

    def show_work(self, name: str, share: float, candidates: int) -> None:
        """Shows the share of the work behind the reading that is done, the time left, and the candidates so far."""
        percent, now = int(100 * share), time.monotonic()
        if percent == self.shown and share < 1 and now < self.drawn + REDRAW_SECONDS:
            return
        self.begun = self.begun or now
        left = f", {self.format_interval((now - self.begun) * (1 - share) / share)} left" if 0 < share < 1 else ""
        self.shown, self.drawn = percent, now
        self.set_description_str(
            f"{name}, {candidates:,} candidates" + (f", {percent} % done{left}" if percent else "")
        )

    def has_terminal(self) -> bool:
        """Returns whether this process may draw; it may where standard error cannot be locked, such as in a pipe."""
        if not os.isatty(2):
            return True
        try:
            fcntl.lockf(2, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except (BlockingIOError, PermissionError):
            return False
        except OSError:
            return True
        return True

    def display(self, *arguments: Any, **named: Any) -> None:
        if self.has_terminal():
            super().display(*arguments, **named)
            if self.total is None and os.isatty(2) and time.monotonic() < self.made + GIVES_WAY_SECONDS:
                fcntl.lockf(2, fcntl.LOCK_UN)

    def clear(self, *arguments: Any, **named: Any) -> None:
        """Clears the line for a message, whoever has drawn there."""
        if os.isatty(2) and os.environ.get("TERM", "dumb") != "dumb":
            self.fp.write(ERASE_LINE)
        else:
            super().clear(*arguments, **named)

    def close(self) -> None:
        self.disable = self.disable or not self.has_terminal()
        super().close()


def progress_bar(name: str, inputs: Sequence[str]) -> ProgressBar:
    """Returns a bar of the bytes of these files."""
    columns = os.get_terminal_size(2).columns if os.isatty(2) else 0  # 0 if they are not known
    return ProgressBar(
        desc=name,
        total=files.total_size(inputs),
        unit="B",
        unit_scale=True,
        file=messages.StandardError(),
        ncols=columns - 1 if columns else None,
    )
