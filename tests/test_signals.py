"""Signals wait where a step must not be cut in two, and where it may, they do not."""

import os
import signal
import threading
from collections.abc import Callable

import pytest

from shingletools import streams
from shingletools.signals import ENDING, ended_by_signal, held, let


def asked_to_end() -> None:
    os.kill(os.getpid(), signal.SIGTERM)


@pytest.fixture(autouse=True)
def _handlers() -> object:
    before = {number: signal.signal(number, signal.SIG_DFL) for number in ENDING}
    yield
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


def test_held_until_the_outermost_end() -> None:
    def run(steps: list[str]) -> None:
        with held():
            with held():
                asked_to_end()
                steps.append("inside")
            steps.append("still inside")
        steps.append("after")

    assert steps_of(run) == (128 + signal.SIGTERM, ["inside", "still inside"])


def test_let() -> None:
    def run(steps: list[str]) -> None:
        with held():
            with let():
                asked_to_end()
                steps.append("let")
            steps.append("inside")

    assert steps_of(run) == (128 + signal.SIGTERM, [])


def test_let_raises_what_came_before() -> None:
    def run(steps: list[str]) -> None:
        with held():
            asked_to_end()
            steps.append("inside")
            with let():
                steps.append("let")

    assert steps_of(run) == (128 + signal.SIGTERM, ["inside"])


def test_after_let_it_is_held_again() -> None:
    def run(steps: list[str]) -> None:
        with held():
            with let():
                steps.append("let")
            asked_to_end()
            steps.append("inside")
        steps.append("after")

    assert steps_of(run) == (128 + signal.SIGTERM, ["let", "inside"])


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
        with pytest.raises(OSError, match="reading"), held(), let():
            raise OSError("reading")
        asked_to_end()

    assert steps_of(run) == (128 + signal.SIGTERM, [])


def test_what_came_goes_before_an_error() -> None:
    def run(_: list[str]) -> None:
        with held():
            asked_to_end()
            raise OSError("while it was held")

    assert steps_of(run) == (128 + signal.SIGTERM, [])


def test_what_the_caller_ignores_stays_ignored() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def run(steps: list[str]) -> None:
        os.kill(os.getpid(), signal.SIGINT)
        steps.append("after")

    assert steps_of(run) == (0, ["after"])


def test_a_signal_that_does_not_interrupt_a_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """As one that comes just before: here, one that comes to another thread."""
    monkeypatch.setattr(streams, "PATIENCE", 10)
    reading, writing = os.pipe()

    def run(steps: list[str]) -> None:
        sender = threading.Timer(0.2, lambda: signal.pthread_kill(threading.get_ident(), signal.SIGTERM))
        late = threading.Timer(20, os.close, [writing])
        sender.start()
        late.start()
        try:
            steps.append(f"read {len(streams.read_some(reading, streams.readable(reading)))}")
        finally:
            late.cancel()

    assert steps_of(run) == (128 + signal.SIGTERM, [])
