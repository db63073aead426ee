"""A function in a process of its own, with limits."""

import pickle
import signal
from typing import Any

import pytest

from shingletools.canon.confined import Confined, TooMuch

ENOUGH = 60.0, 1 << 28  # seconds, bytes


@pytest.fixture
def confined() -> Confined[str, Any]:
    """What it is asked is worked out in the other process."""
    return Confined(eval)


@pytest.mark.parametrize(
    ("task", "seconds"),
    [
        ("sum(1 for _ in iter(int, 1))", 0.1),  # has no end
        ("len(bytearray(1 << 40))", 60.0),
        ("__import__('os').kill(__import__('os').getpid(), 11)", 60.0),
    ],
)
def test_another_process_takes_the_place_of_one_that_took_too_much(
    task: str, seconds: float, confined: Confined[str, Any]
) -> None:
    for _ in range(2):
        assert confined("'é' * 100_000", *ENOUGH) == "é" * 100_000
        with pytest.raises(TooMuch):
            confined(task, seconds, 1 << 28)


def test_what_the_function_raises(confined: Confined[str, Any]) -> None:
    with pytest.raises(ZeroDivisionError):
        confined("1 // 0", *ENOUGH)
    assert confined("2 + 2", *ENOUGH) == 4


def test_limits_are_of_one_call(confined: Confined[str, Any]) -> None:
    for _ in range(4):
        assert confined("[sum(range(2_000_000)), len(bytearray(1 << 27))][1]", 1.0, 1 << 28) == 1 << 27
    assert confined("len(bytearray(1 << 29))", 1.0, 1 << 30) == 1 << 29


def test_a_copy_has_a_process_of_its_own(confined: Confined[str, Any]) -> None:
    pid = "__import__('os').getpid()"
    assert confined(pid, *ENOUGH) == confined(pid, *ENOUGH)
    assert pickle.loads(pickle.dumps(confined))(pid, *ENOUGH) != confined(pid, *ENOUGH)


def test_the_process_ends_with_who_asks(confined: Confined[str, Any]) -> None:
    copy = pickle.loads(pickle.dumps(confined))
    assert copy("1", *ENOUGH) == 1
    process = copy.worker.process
    del copy
    assert process.poll() == -signal.SIGKILL
