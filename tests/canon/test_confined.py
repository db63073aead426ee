"""A function in a process of its own, with limits."""

import json
import pickle
import signal
import sys
import textwrap
import zipfile
from pathlib import Path
from typing import Any

import pytest

import shingletools
from harness import run
from shingletools.commands.canon.limited_process import LimitedProcess, LimitExceeded

ENOUGH = 60.0, 1 << 28  # seconds, bytes


@pytest.fixture
def confined() -> LimitedProcess[str, Any]:
    """What it is asked is worked out in the other process."""
    return LimitedProcess(eval)


@pytest.mark.parametrize(
    ("task", "seconds"),
    [
        ("sum(1 for _ in iter(int, 1))", 0.1),  # has no end
        ("len(bytearray(1 << 40))", 60.0),
        # a C function that returns NULL and sets no exception, as parsers do that are refused memory
        ("(_ for _ in ()).throw(SystemError('returned NULL without setting an exception'))", 60.0),
        ("__import__('os').kill(__import__('os').getpid(), 11)", 60.0),
    ],
)
def test_another_process_takes_the_place_of_one_that_took_too_much(
    task: str, seconds: float, confined: LimitedProcess[str, Any]
) -> None:
    for _ in range(2):
        assert confined("'é' * 100_000", *ENOUGH) == "é" * 100_000
        with pytest.raises(LimitExceeded):
            confined(task, seconds, 1 << 28)


def test_a_process_that_ended_while_it_had_nothing_to_do(confined: LimitedProcess[str, Any]) -> None:
    assert confined("1", *ENOUGH) == 1
    assert confined.worker is not None
    confined.worker.process.kill()
    confined.worker.process.wait()
    assert confined("2", *ENOUGH) == 2


def test_limits_that_are_there_already(tmp_path: Path) -> None:
    """Are not raised, and come back after each call."""
    script = """
        import resource
        from shingletools.commands.canon.limited_process import LimitedProcess
        resource.setrlimit(resource.RLIMIT_DATA, (1 << 27, 1 << 28))
        confined = LimitedProcess(eval)
        for memory in (1 << 26, 1 << 30):
            print(confined("__import__('resource').getrlimit(2)", 9.0, memory))
        print(resource.getrlimit(resource.RLIMIT_DATA))
    """
    ran = run(sys.executable, "-c", textwrap.dedent(script), cwd=tmp_path)
    both = 1 << 27, 1 << 28
    first, *rest = ran.good().decode().splitlines()
    soft, hard = json.loads(first.translate(str.maketrans("()", "[]")))
    assert 0 < soft - (1 << 26) < 1 << 25  # what the process holds before its first call does not count
    assert (hard, rest) == (1 << 28, [str(both), str(both)])


def test_modules_are_found_where_ours_are(tmp_path: Path) -> None:
    """As in an archive that Spark has sent."""
    package = Path(shingletools.__file__).parent
    with zipfile.ZipFile(tmp_path / "sent.zip", "w") as sent:
        for path in package.rglob("*.py"):
            sent.write(path, Path("shingletools", path.relative_to(package)))
    script = """
        import sys
        sys.path.insert(0, "sent.zip")
        from shingletools.commands.canon.limited_process import LimitedProcess
        print(LimitedProcess(eval)("__import__('shingletools').__file__", 9.0, 1 << 28))
    """
    ran = run(sys.executable, "-c", textwrap.dedent(script), cwd=tmp_path)
    assert ran.good() == b"sent.zip/shingletools/__init__.py\n"


def test_what_the_function_raises(confined: LimitedProcess[str, Any]) -> None:
    with pytest.raises(ZeroDivisionError):
        confined("1 // 0", *ENOUGH)
    assert confined("2 + 2", *ENOUGH) == 4


def test_limits_are_of_one_call(confined: LimitedProcess[str, Any]) -> None:
    third = """(lambda clock: (lambda start: next(1 for now in iter(clock, None) if now > start + 0.3))(clock()))(
        __import__("time").process_time
    )"""
    for _ in range(4):
        assert confined(third, 1.0, 1 << 28) == 1
        assert confined("len(bytearray(1 << 27))", ENOUGH[0], 1 << 28) == 1 << 27
    assert confined("len(bytearray(1 << 29))", ENOUGH[0], 1 << 30) == 1 << 29


def test_a_copy_has_a_process_of_its_own(confined: LimitedProcess[str, Any]) -> None:
    pid = "__import__('os').getpid()"
    assert confined(pid, *ENOUGH) == confined(pid, *ENOUGH)
    assert pickle.loads(pickle.dumps(confined))(pid, *ENOUGH) != confined(pid, *ENOUGH)


def test_the_process_ends_with_who_asks(confined: LimitedProcess[str, Any]) -> None:
    copy = pickle.loads(pickle.dumps(confined))
    assert copy("1", *ENOUGH) == 1
    process = copy.worker.process
    del copy
    assert process.poll() == -signal.SIGKILL
