"""Work in several processes: answers in order, whatever their size, and errors where the answer is requested."""

import io
import os
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from shingletools.kernel import NAME
from shingletools.reading.streams import Span
from shingletools.record.record_batch import RecordBatch
from shingletools.system.errors import Failed
from shingletools.system.files import State
from shingletools.system.worker_loop import LARGE_MESSAGE_BYTES, Messages, ProcessEnded
from shingletools.system.workers import InTurn, Worker, in_processes, in_threads


@pytest.mark.parametrize("jobs", [1, 2, 3, 7])
@pytest.mark.parametrize("count", [0, 1, 5, 50])
def test_answers_are_in_order(jobs: int, count: int) -> None:
    items = list(map(str, range(count)))
    assert list(in_processes(int, items, jobs)) == list(in_threads(int, items, jobs)) == list(range(count))


@pytest.mark.parametrize("threaded", [False, True])
def test_calls_in_turn(threaded: bool) -> None:
    """In a thread or here, they are in order, and what one raises comes at the latest when they are waited for."""
    done: list[int] = []
    in_turn = InTurn(threaded)
    for number in range(50):
        in_turn.call(partial(done.append, number), small=number % 3 == 0)
    in_turn.wait()
    assert done == [*range(50)]
    with pytest.raises(ZeroDivisionError):
        in_turn.call(partial(divmod, 1, 0), small=False)
        in_turn.wait()


@pytest.mark.slow
def test_both_sides_may_say_more_than_a_pipe_holds() -> None:
    items = [(b"%d" % size * size)[:size] for size in (200_000, 1, 3_000_000, 2 * LARGE_MESSAGE_BYTES, 5, 70_000)]
    for jobs in (1, 2):
        assert list(in_processes(bytes.upper, items, jobs)) == items


@pytest.mark.parametrize("jobs", [1, 2])
def test_bytes_are_lent_until_the_next_answer_but_one(jobs: int) -> None:
    sizes = [
        3,
        0,
        70_000,
        1,
        300_000,
        *[5] * 9,
        LARGE_MESSAGE_BYTES + 1,
        200_000,
        LARGE_MESSAGE_BYTES - 1000,
        0,
        2_000_000,
        9,
    ]
    items = [bytes([number]) * size for number, size in enumerate(sizes, 1)]
    answers = in_processes(RecordBatch, items, jobs)
    last = RecordBatch()
    for item, before in zip(items, [b"", *items], strict=False):
        made = next(answers)
        assert (bytes(made.lines), bytes(last.lines)) == (item, before)
        last = made
        assert isinstance(made.lines, memoryview) == (len(item) < LARGE_MESSAGE_BYTES)
    assert list(answers) == []


def test_a_store_that_has_less_than_was_said(tmp_path: Path) -> None:
    for size in (0, 5000):
        (tmp_path / "store").write_bytes(bytes(size))
        with (tmp_path / "store").open("r+b") as store, pytest.raises(ProcessEnded):
            Messages(io.BytesIO(), [store.fileno()], lends=True).lend(store.fileno(), size + 1)


@pytest.mark.skipif(sys.platform != "linux" or NAME != "c", reason="only the compiled kernel can ask glibc")
def test_memory_that_is_kept_needs_no_page_faults() -> None:
    script = (
        "import resource; from shingletools import kernel; {}\n"
        "for _ in range(20): [b'x' * (1 << 20) for _ in range(8)]\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt)"
    )
    kept, given_back = (
        int(subprocess.run([sys.executable, "-P", "-c", script.format(ask)], capture_output=True, check=True).stdout)
        for ask in ("kernel.keep_memory()", "")
    )
    assert kept < given_back / 5


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere no worker is a copy of the process")
@pytest.mark.parametrize("closed", ["", "<&-", "2>&-", "<&- 2>&-"])
@pytest.mark.parametrize("claimed", ["claimed", ""])
def test_a_worker_has_nothing_of_the_process_that_starts_it(claimed: str, closed: str, tmp_path: Path) -> None:
    """Neither its handlers nor its descriptors, whether it is a copy, as in a command's process, or not."""
    (tmp_path / "script").write_text("""if True:
        import os, signal, sys
        from shingletools.system import signals, workers
        ASK = ["os.getppid()", "len(os.listdir('/proc/self/fd')) < 12",
               "int(signal.getsignal(15))", "list(map(int, sorted(signal.pthread_sigmask(0, []))))",
               "__import__('shingletools.system.signals').system.signals.ours()"]
        if sys.argv[2]:
            signals.claim()
        files = [open(sys.executable) for _ in range(50)]
        parent, *others = workers.in_processes(eval, ["(signal := __import__('signal'), "
            "os := __import__('os')) and " + ask for ask in ASK], 3)
        print(parent == os.getpid(), "subprocess" in sys.modules, *others, file=open(sys.argv[1], "w"))
    """)
    command = f'exec "{sys.executable}" -P script report "{claimed}" {closed}'
    subprocess.run(command, shell=True, cwd=tmp_path, check=True, env=os.environ | {"OPENBLAS_NUM_THREADS": "1"})
    assert (tmp_path / "report").read_text() == f"True {not claimed} True 0 [1, 2, 3, 15] False\n"


@pytest.mark.parametrize("jobs", [1, 2])
def test_what_the_function_raises(jobs: int) -> None:
    answers = in_processes(int, ["1", "x", "3"], jobs)
    assert next(answers) == 1
    with pytest.raises(ValueError, match="invalid literal") as error:
        next(answers)
    assert "in serve" in error.value.__notes__[0]


def test_a_worker_that_ends() -> None:
    with pytest.raises(Failed, match=r"^a worker process died \(status 3\)$"):
        list(in_processes(os._exit, [3], 1))


def test_a_file_that_a_worker_cannot_read(tmp_path: Path) -> None:
    with pytest.raises(Failed, match=r"^gone: No such file or directory"):
        list(in_processes(Span.batch, [Span("gone", str(tmp_path / "gone"), 0, 1, State(0, 0, 1, 0))], 1))


def test_what_cannot_be_sent() -> None:
    with pytest.raises(AttributeError, match="pickle"):
        list(in_processes(lambda item: item, [1], 1))


def test_a_worker_that_nobody_listens_to(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PYTHONUNBUFFERED", raising=False)
    worker = Worker(abs)
    assert worker.answer() is None
    assert worker.process.stdout
    worker.process.stdout.close()
    worker.ask(1)
    assert worker.process.wait(timeout=60) == 0
    worker.end()
    assert capfd.readouterr().err == ""
