"""Signals that ask a run to end: an exception in the main thread, or the end of the process if that is too busy.

A run is *under way*, then *ending* (a signal was taken; later ones say nothing new) or *settled* (its output is in its
place; a signal comes too late, and only hurries the process). In between, a step that must not be cut in two *holds*
signals for a moment: an import, a process that is started, a file that gets its name. Python calls its handlers between
steps of its own only, so a thread watches, too: where the main one does not end the run in time, because it is in a
long call of a library, that thread removes what the run must not leave behind, and ends the process.
"""

import builtins
import contextlib
import fcntl
import importlib
import os
import signal
import sys
import time
from _thread import allocate_lock, get_ident, start_new_thread
from collections.abc import Callable, Iterator
from types import FrameType, ModuleType
from typing import Any, Protocol, cast

FROM_OUTSIDE = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)  # mostly to all processes of a terminal
ENDING = (*FROM_OUTSIDE, signal.SIGXCPU)
PATIENCE = 0.15  # seconds that the main thread has to end a run
MOMENT = 0.001  # seconds, longer than the hook of what is unraisable takes
AGAIN = 5.0  # seconds after which another signal ends a run that has all the time it needs


class Ended(BaseException):
    """One of ENDING came; like KeyboardInterrupt, this must pass every handler but the last."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


class Watcher(Protocol):
    """A thread that ends the process where the main one does not; the compiled kernel has one, too."""

    def watch(self, descriptor: int, asking: int, patience: float, again: float, /) -> bool:
        """Starts it, and says whether it could be; the numbers of signals come from the descriptor.

        asking: its bits are the numbers of those that ask for an end; patience: seconds from the first of these to the
        end, or if below 0 there is none before the first that comes `again` so many seconds later.
        """

    def watch_patience(self, seconds: float, /) -> None: ...

    def watch_acquire(self) -> None:
        """Takes the lock: whoever has it decides what is left of the run."""

    def watch_release(self) -> None: ...

    def watch_traces(self, paths: list[bytes], /) -> None:
        """With the lock: the files that must not be left if the run ends early."""

    def watch_settle(self, status: int, /) -> None:
        """With the lock: the output has its place, so the process can only end with this status."""


class PythonWatcher:
    """The definition. It waits for as long as the main thread has Python's own lock, as some long calls do."""

    def __init__(self) -> None:
        self.lock = allocate_lock()
        self.patience = 0.0
        self.paths: list[bytes] = []
        self.status: int | None = None  # once the run is settled

    def watch_acquire(self) -> None:
        self.lock.acquire()

    def watch_release(self) -> None:
        self.lock.release()

    def watch(self, descriptor: int, asking: int, patience: float, again: float, /) -> bool:
        self.patience, self.status, self.paths = patience, None, []
        try:
            start_new_thread(self._watch, (descriptor, asking, again))
        except RuntimeError:  # no more threads are allowed
            return False
        return True

    def watch_patience(self, seconds: float, /) -> None:
        self.patience = seconds

    def watch_traces(self, paths: list[bytes], /) -> None:
        self.paths = paths

    def watch_settle(self, status: int, /) -> None:
        self.status = status

    def _watch(self, descriptor: int, asking: int, again: float) -> None:
        def next_signal() -> int:
            while not asking >> (number := os.read(descriptor, 1)[0]) & 1:
                pass
            return number

        signal.pthread_sigmask(signal.SIG_BLOCK, ENDING)  # they are to interrupt the main thread
        first, begun = next_signal(), time.monotonic()
        time.sleep(max(self.patience, 0))
        while self.patience < 0 and time.monotonic() < begun + again:
            next_signal()
        with self.lock:
            if self.status is None:
                for path in self.paths:
                    with contextlib.suppress(OSError):
                        os.unlink(path)
            os._exit(128 + first if self.status is None else self.status)


class _State:
    """Of the run that this process is. Python runs handlers in the main thread only, whichever a signal comes to."""

    handled = False  # by us; not where a program runs a pipeline, perhaps in several threads
    main = get_ident()
    holding = 0  # steps of the main thread
    pending: int | None = None  # the signal that came while a step was held
    ending = False
    settled = False
    watcher: Watcher = PythonWatcher()
    watched = False  # by a thread
    locked = 0  # by steps of the main thread


_traces: set[str] = set()


def _handle(number: int, _frame: FrameType | None) -> None:
    if _State.ending or _State.settled:
        return
    if _State.holding:
        _State.pending = _State.pending or number
    else:
        _State.ending = True
        raise Ended(number)


def _let_go() -> None:
    """The end of a step; raises the signal that came meanwhile."""
    _State.holding -= 1
    if not _State.holding and _State.pending is not None and not _State.settled:
        number, _State.pending = _State.pending, None
        _State.ending = True
        raise Ended(number)


@contextlib.contextmanager
def _interrupted_later() -> Iterator[None]:
    """The same for Ctrl-C in a program that runs a pipeline, whose own handler is called afterwards."""
    came: list[tuple[int, FrameType | None]] = []
    handler = signal.getsignal(signal.SIGINT)
    try:
        if callable(handler):
            signal.signal(signal.SIGINT, lambda number, frame: came.append((number, frame)))
    except ValueError:  # not the main thread
        handler = None
    try:
        yield
    finally:
        if callable(handler):
            signal.signal(signal.SIGINT, handler)
            for each in came:
                handler(*each)


@contextlib.contextmanager
def held() -> Iterator[None]:
    """A signal that comes meanwhile is raised afterwards; only for what takes a moment.

    Signals meet the main thread only, so others hold nothing.
    """
    if not _State.handled:
        with _interrupted_later():
            yield
        return
    if get_ident() != _State.main:
        yield
        return
    _State.holding += 1
    try:
        yield
    finally:
        _let_go()


def load(module: str) -> ModuleType:
    """A module, by its name."""
    with held():
        return importlib.import_module(module)


def hold_imports() -> None:
    """From now on, a signal waits until what is being imported is there.

    Compiled modules do not expect an exception while they are loaded: orjson was seen to crash. Libraries import when
    they are first called, so this is done where Python does it, and not at each of the places.
    """
    load = builtins.__import__

    def held_import(*arguments: Any, **named: Any) -> Any:
        with held():
            return load(*arguments, **named)

    builtins.__import__ = held_import


@contextlib.contextmanager
def _deciding() -> Iterator[None]:
    """A step that changes what is left of the run."""
    with held():
        if not _State.locked:
            _State.watcher.watch_acquire()
        _State.locked += 1
        try:
            yield
        finally:
            _State.locked -= 1
            if not _State.locked:
                _State.watcher.watch_release()


@contextlib.contextmanager
def tracing() -> Iterator[set[str]]:
    """A step that changes which files must not be left if the run ends early; it is given the set of their names.

    Where we handle no signals, nothing but the step itself removes files.
    """
    if not _State.handled:
        yield set()
        return
    with _deciding():
        try:
            yield _traces
        finally:
            _State.watcher.watch_traces([os.fsencode(os.path.abspath(path)) for path in _traces])


@contextlib.contextmanager
def settling(status: int) -> Iterator[None]:
    """The step in which the output gets its place; after it, the run can only end with this status."""
    with _deciding():
        yield
        _State.settled = True
        _State.watcher.watch_settle(status)


def _raise_again(number: int) -> None:
    time.sleep(MOMENT)
    signal.pthread_kill(_State.main, number)


def _unraisable(fault: "sys.UnraisableHookArgs") -> None:
    """A finalizer or a callback of the garbage collector cannot be ended: Python tells what they raise, and goes on.

    So a signal that came there comes again, behind it.
    """
    if isinstance(fault.exc_value, Ended):
        _State.ending = False
        with contextlib.suppress(RuntimeError):  # no more threads are allowed, and the watcher ends the process
            start_new_thread(_raise_again, (fault.exc_value.number,))
    else:
        sys.__unraisablehook__(fault)


def take_time() -> None:
    """From now on the run tidies up, however long that takes; another signal after a while ends it all the same."""
    _State.watcher.watch_patience(-1)


def watch(watcher: object) -> None:
    """Lets a watcher end the process where the main thread does not; ours, if the kernel has none.

    Once in a process. Raises OSError where there are no descriptors left.
    """
    asking = sum(1 << number for number in ENDING if signal.getsignal(number) is _handle)
    if not asking:
        return
    ends = os.pipe()
    try:
        # 0 to 2 may be closed, and are to stay so
        reading, writing = (fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 3) for end in ends)
    finally:
        for end in ends:
            os.close(end)
    os.set_blocking(writing, False)
    _State.watcher = cast(Watcher, watcher) or _State.watcher
    _State.watched = _State.watcher.watch(reading, asking, PATIENCE, AGAIN)
    if _State.watched:
        signal.set_wakeup_fd(writing, warn_on_full_buffer=False)  # each signal's number is written there as it comes


def alone(threads: int) -> bool:
    """Whether so many threads of this process are a run's: the main one, which asks, and the watcher."""
    return _State.handled and get_ident() == _State.main and threads == 1 + _State.watched


def forget() -> None:
    """In a copy of a run's process: signals mean to it what they mean to a new one."""
    signal.set_wakeup_fd(-1)
    for number in ENDING:
        if signal.getsignal(number) is _handle:
            signal.signal(number, signal.SIG_DFL)
    _State.handled = False


def ended_by_signal(run: Callable[[], int]) -> int:
    """The exit status of a run, or 128 and the number of the signal that ended it; after it, signals do nothing."""
    _State.main = get_ident()
    _State.ending = _State.settled = False
    _State.handled = True
    _State.pending = None
    sys.unraisablehook = _unraisable
    try:
        for number in ENDING:
            if signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
                signal.signal(number, _handle)  # what the caller ignores, as nohup does, stays ignored
        status = run()
        with settling(status):
            pass
    except KeyboardInterrupt:  # before Ctrl-C had our handler
        status = 128 + signal.SIGINT
    except Ended as end:
        status = 128 + end.number
    for number in ENDING:
        signal.signal(number, signal.SIG_IGN)  # Python ends in many steps
    for path in _traces:  # of a step that the signal came before
        with contextlib.suppress(OSError):
            os.unlink(path)
    return status
