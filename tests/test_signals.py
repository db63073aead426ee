"""Signals wait where a step must not be cut in two, and where it may, they do not."""

import os
import signal
from collections.abc import Callable

import pytest

from shingletools.signals import Ended, ended_by_signal, held, let


def asked_to_end() -> None:
    os.kill(os.getpid(), signal.SIGTERM)


@pytest.fixture(autouse=True)
def _handlers() -> object:
    before = {number: signal.signal(number, signal.SIG_DFL) for number in (signal.SIGTERM, signal.SIGINT)}
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


def test_let_raises_what_came_before_and_holds_again_afterwards() -> None:
    def early(steps: list[str]) -> None:
        with held():
            asked_to_end()
            steps.append("inside")
            with let():
                steps.append("let")

    def late(steps: list[str]) -> None:
        with held():
            with let():
                steps.append("let")
            asked_to_end()
            steps.append("inside")
        steps.append("after")

    assert steps_of(early) == (128 + signal.SIGTERM, ["inside"])
    assert steps_of(late) == (128 + signal.SIGTERM, ["let", "inside"])


def test_nothing_is_held_after_an_error() -> None:
    def run(_: list[str]) -> None:
        with pytest.raises(OSError, match="reading"), held(), let():
            raise OSError("reading")
        asked_to_end()

    assert steps_of(run) == (128 + signal.SIGTERM, [])


def test_what_came_goes_before_an_error() -> None:
    with pytest.raises(Ended):
        signal_and_fail()


def signal_and_fail() -> None:
    from shingletools import signals

    signal.signal(signal.SIGTERM, signals._handle)
    with held():
        asked_to_end()
        raise OSError("while it was held")


def test_what_the_caller_ignores_stays_ignored() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def run(steps: list[str]) -> None:
        os.kill(os.getpid(), signal.SIGINT)
        steps.append("after")

    assert steps_of(run) == (0, ["after"])
