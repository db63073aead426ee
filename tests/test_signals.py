"""Signals wait where a step must not be cut in two, and where it may, they do not."""

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from tempfile import TemporaryFile

import pytest

from shingletools.system import signals, waiting
from shingletools.system.serving import Messages
from shingletools.system.signals import ENDING, ended_by_signal, held, hold_imports, settling


def asked_to_end() -> None:
    os.kill(os.getpid(), signal.SIGTERM)


@pytest.fixture(autouse=True)
def _handlers(monkeypatch: pytest.MonkeyPatch) -> object:
    """The process of the tests is no run before and after."""
    before = {number: signal.signal(number, signal.SIG_DFL) for number in ENDING}
    monkeypatch.setattr(sys, "unraisablehook", sys.unraisablehook)
    yield
    signals.forget()
    for number, handler in before.items():
        signal.signal(number, handler)


def steps_of(run: Callable[[list[str]], None]) -> tuple[int, list[str]]:
    """The status that a run ends with, and how far it came."""
    steps: list[str] = []

    def wrapped() -> int:
        run(steps)
        return 0

    return ended_by_signal(wrapped), steps


def test_at_once() -> None:
    def run(steps: list[str]) -> None:
        asked_to_end()
        steps.append("after")

    assert steps_of(run) == (128 + signal.SIGTERM, [])


def test_in_a_finalizer() -> None:
    """What is raised there, Python only tells."""

    class Ending:
        def __del__(self) -> None:
            asked_to_end()

    def run(steps: list[str]) -> None:
        Ending()
        steps.append("behind it")
        time.sleep(60)
        steps.append("after")

    assert steps_of(run) == (128 + signal.SIGTERM, ["behind it"])


def test_held_until_the_outermost_end() -> None:
    def run(steps: list[str]) -> None:
        with held():
            with held():
                asked_to_end()
                steps.append("inside")
            steps.append("still inside")
        steps.append("after")

    assert steps_of(run) == (128 + signal.SIGTERM, ["inside", "still inside"])


def test_imports_are_held(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """By whoever: here by a module that is imported, as compiled ones do."""
    (tmp_path / "inner_module.py").write_text(
        "import os, signal\nos.kill(os.getpid(), signal.SIGTERM)\nloaded = True\n"
    )
    (tmp_path / "outer_module.py").write_text("from inner_module import loaded\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr("builtins.__import__", __import__)  # and back again
    hold_imports()

    def run(steps: list[str]) -> None:
        try:
            import outer_module  # type: ignore[import-not-found]
        finally:
            steps.append(f"loaded {sys.modules['outer_module'].loaded}")
        steps.append(f"after {outer_module}")

    assert steps_of(run) == (128 + signal.SIGTERM, ["loaded True"])


def test_a_signal_while_a_message_is_pickled(monkeypatch: pytest.MonkeyPatch) -> None:
    """What pickle imports for it fails by no exception of ours, which pickle would call an error of its own."""
    load = __import__

    def interrupted(name: str, *more: object) -> object:
        if name == "functools":
            asked_to_end()
        return load(name, *more)  # type: ignore[arg-type]

    monkeypatch.setattr("builtins.__import__", interrupted)
    hold_imports()

    def run(_steps: list[str]) -> None:
        with TemporaryFile() as store, TemporaryFile() as pipe:
            Messages(pipe, [store.fileno()]).send(partial(len))

    assert steps_of(run) == (128 + signal.SIGTERM, [])


def test_tidying_up_is_not_cut_in_two() -> None:
    """A second Ctrl-C comes while the first still ends the run, a third when it has ended."""

    def run(steps: list[str]) -> None:
        try:
            asked_to_end()
        finally:
            asked_to_end()
            steps.append("tidy")

    assert steps_of(run) == (128 + signal.SIGTERM, ["tidy"])
    asked_to_end()


def test_nothing_is_held_after_an_error() -> None:
    def run(_: list[str]) -> None:
        with pytest.raises(OSError, match="starting"), held():
            raise OSError("starting")
        asked_to_end()

    assert steps_of(run) == (128 + signal.SIGTERM, [])


def test_what_came_goes_before_an_error() -> None:
    def run(_: list[str]) -> None:
        with held():
            asked_to_end()
            raise OSError("while it was held")

    assert steps_of(run) == (128 + signal.SIGTERM, [])


def test_a_signal_after_the_output_has_its_place_comes_too_late() -> None:
    def run(steps: list[str]) -> None:
        with settling(0):
            asked_to_end()
            steps.append("in its place")
        asked_to_end()
        steps.append("after")

    assert steps_of(run) == (0, ["in its place", "after"])


def test_a_signal_before_the_output_has_its_place_comes_in_time() -> None:
    def run(_: list[str]) -> None:
        with settling(0):
            asked_to_end()
            raise OSError("the disk is full")

    assert steps_of(run) == (128 + signal.SIGTERM, [])


@pytest.mark.parametrize("status", [0, 128 + signal.SIGTERM])
def test_a_signal_while_signals_are_switched_off(status: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the last milliseconds it neither changes how the run ended nor shows as a traceback."""
    switch = signal.signal
    late = []

    def switched(number: int, handler: object) -> object:
        if handler is signal.SIG_IGN:
            asked_to_end()
            late.append(number)
        return switch(number, handler)  # type: ignore[arg-type]

    monkeypatch.setattr(signal, "signal", switched)
    assert steps_of(lambda _: asked_to_end() if status else None) == (status, [])
    assert late == list(ENDING)


LONG_CALL = """
    import hashlib, sys
    from shingletools import kernel
    from shingletools.system import signals

    def run():
        signals.watch(kernel.watcher)
        with signals.tracing() as traces:
            for name in ("one", "two", "three"):
                open(name, "w").close()
                traces.add(name)
        with signals.tracing() as traces:
            traces.remove("two")
        if "settled" in sys.argv:
            with signals.settling(3):
                pass
        print("begun", flush=True)
        if "lock" in sys.argv:
            sum(range(10**14))  # and has Python's lock
        else:
            hashlib.pbkdf2_hmac("sha256", b"", b"", 2**31 - 1)

    sys.exit(signals.ended_by_signal(run))
"""


@pytest.mark.parametrize(
    ("kernel", "options", "status", "left"),
    [
        ("c", [], 128 + signal.SIGTERM, ["two"]),
        ("numpy", [], 128 + signal.SIGTERM, ["two"]),
        ("c", ["lock"], 128 + signal.SIGTERM, ["two"]),
        ("c", ["settled"], 3, ["one", "three", "two"]),
        ("numpy", ["settled"], 3, ["one", "three", "two"]),
    ],
)
def test_a_long_call_of_a_library(
    kernel: str, options: list[str], status: int, left: list[str], tmp_path: Path
) -> None:
    """It is ended, though it would take days; what the run must not leave is removed, but if it is settled nothing."""
    words = [sys.executable, "-c", textwrap.dedent(LONG_CALL), *options]
    environment = os.environ | {"SHINGLETOOLS_KERNEL": kernel}
    pipe = subprocess.PIPE
    with subprocess.Popen(words, cwd=tmp_path, env=environment, stdout=pipe, stderr=pipe) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"begun\n"
        time.sleep(0.2)  # until it is in its call; before that, the signal is an exception
        process.send_signal(signal.SIGTERM)
        assert process.communicate(timeout=60) == (b"", b"")
    assert process.returncode == status
    assert sorted(path.name for path in tmp_path.iterdir()) == left


def test_what_the_caller_ignores_stays_ignored() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def run(steps: list[str]) -> None:
        os.kill(os.getpid(), signal.SIGINT)
        steps.append("after")

    assert steps_of(run) == (0, ["after"])


def test_a_signal_that_does_not_interrupt_a_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """As one that comes just before: here, one that comes to another thread."""
    monkeypatch.setattr(waiting, "PATIENCE", 10)
    reading, writing = os.pipe()

    def run(steps: list[str]) -> None:
        sender = threading.Timer(0.2, lambda: signal.pthread_kill(threading.get_ident(), signal.SIGTERM))
        late = threading.Timer(20, os.close, [writing])
        sender.start()
        late.start()
        try:
            steps.append(f"read {len(waiting.read_some(reading, waiting.readable(reading)))}")
        finally:
            late.cancel()

    assert steps_of(run) == (128 + signal.SIGTERM, [])
