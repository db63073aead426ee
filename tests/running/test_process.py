"""Pipelines in Python leave the process as it was: memory, output, handlers, interrupts."""

import contextlib
import csv
import os
import signal
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

import shingletools
from running.results import RECORDS
from shingletools import Failed, run, unique


def test_the_process_stays_as_it_was(tmp_path: Path) -> None:
    """Its parser of CSV has the limit that it had, and no other thread creates a file with another mask meanwhile."""
    limit, before = csv.field_size_limit(), os.umask(0o027)
    table, kept = tmp_path / "t.csv", tmp_path / "kept.csv"
    table.write_text(f"id,text\n1,{'a' * (limit + 1)}\n")
    try:
        with patch.object(os, "umask", side_effect=AssertionError):
            assert [len(each["text"]) for each in run("canon --csv", table)] == [limit + 1]
            list(run(f"canon --csv --rejects '{tmp_path}/bad'", table))
            options = f"--csv --removed '{kept}'"
            assert [*unique(table, [], options=options).lines()] == table.read_bytes().splitlines(keepends=True)
        assert csv.field_size_limit() == limit
        assert [stat.S_IMODE(path.stat().st_mode) for path in (kept, tmp_path / "bad")] == [0o640] * 2
    finally:
        os.umask(before)


SMALL_RUNS = """
import contextlib, ctypes, gc, os, sys
from shingletools import Failed, Pipeline

class Mallinfo2(ctypes.Structure):
    _fields_ = [(name, ctypes.c_size_t) for name in
                "arena ordblks smblks hblks hblkhd usmblks fsmblks uordblks fordblks keepcost".split()]

mallinfo2 = ctypes.CDLL(None).mallinfo2
mallinfo2.restype = Mallinfo2
pipeline = Pipeline("canon | shingle -k 2 | sketch -n 8 | simjoin")
documents = [{"id": number, "text": "The cat sat on the mat"} for number in range(3)]

def held():
    gc.collect()
    info = mallinfo2()
    return info.uordblks + info.hblkhd, sys.getallocatedblocks(), len(os.listdir("/proc/self/fd"))

def some(count):
    for number in range(count):
        assert len(list(pipeline(documents))) == 3
        if not number % 10:
            next(pipeline(documents))
            with contextlib.suppress(Failed):
                list(pipeline([{"id": 1}]))

some(300)  # what is imported late and what is remembered once
before = held()
some(1500)
print(*(now - then for now, then in zip(held(), before)))
"""


def test_small_runs_leave_nothing() -> None:
    """What is allocated is flat over runs that finish, fail or are left; in a process that has nothing else.

    Counted by the allocators: resident memory also says what they keep for later, which differs by megabytes.
    """
    ran = subprocess.run([sys.executable, "-P", "-c", SMALL_RUNS], capture_output=True, text=True, check=True)
    allocated, blocks, files = map(int, ran.stdout.split())
    assert allocated < 150_000  # 100 bytes a run
    assert blocks < 750
    assert files == 0


def test_nothing_is_written_and_no_handler_set(capfd: pytest.CaptureFixture[str]) -> None:
    before = {number: signal.getsignal(number) for number in signal.valid_signals()}
    list(run("canon | shingle -v", [*RECORDS, {"id": 1}, b"bad"], jobs=2))
    with contextlib.suppress(Failed):
        list(run("canon", "nowhere"))
    assert {number: signal.getsignal(number) for number in signal.valid_signals()} == before
    assert capfd.readouterr() == ("", "")


def test_importing_it_is_cheap() -> None:
    code = (
        "import shingletools, sys; print(*(name for name in sys.modules if name.startswith('shingletools.')), "
        "'numpy' in sys.modules, 'orjson' in sys.modules, len(dir(shingletools)) > 5)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd="/")
    assert done.stdout == "False False True\n"
    assert all(getattr(shingletools, name) for name in shingletools.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = shingletools.nothing


SLOWLY = """
import itertools, os, shingletools, time
def many():
    for number in itertools.count():
        if number == 6000:  # workers have begun: Popen itself may leave a process that an interrupt meets
            print("under way\\n", end="", flush=True)  # in one piece
        yield {"id": number, "text": f"The cat sat on mat {number}, and a dog came by, and the cat went away"}
def opened():
    found = {os.path.realpath(f"/proc/self/fd/{number}") for number in os.listdir("/proc/self/fd")}
    return {each for each in found if "/fd/" not in each or "pipe" in each}  # without that of the list itself
left = opened()
for record in shingletools.run("canon | shingle -k 2 | simjoin", many(), jobs=JOBS):
    pass
"""
# IPython itself may fail to format an interrupt, depending on where it falls
UNFORMATTED = "Unexpected exception formatting exception. Falling back to standard exception\n"
INTERRUPTED_WHILE_WORKERS_START = """
import signal
def pages():
    for number in range(200):  # which are large enough for a process of their own
        yield {"id": number, "text": f"<p>The cat sat on mat {number}, and a dog came by" * 1000}
def followed_by_an_interrupt(function):
    def call(*arguments, **named):
        result = function(*arguments, **named)
        signal.raise_signal(signal.SIGINT)
        return result
    return call
for name in ("memfd_create", "pipe"):
    function = getattr(os, name)
    for command, jobs in (("canon | shingle -k 2 | simjoin", 2), ("canon --html", 1)):
        came = False
        setattr(os, name, followed_by_an_interrupt(function))
        try:
            for _ in shingletools.run(command, pages(), jobs=jobs):
                pass
        except KeyboardInterrupt:
            came = True
        setattr(os, name, function)
        assert came, (name, command)
"""
AFTER = """
import gc, sys
if "get_ipython" in globals():  # IPython keeps the interrupt, whose frames hold what workers lent
    shell = get_ipython()
    sys.last_traceback = sys.last_value = shell.InteractiveTB.tb = shell.last_execution_result = None
gc.collect()
children = open(f"/proc/self/task/{os.getpid()}/children").read()
print(len(list(shingletools.run("canon", [{"id": 1, "text": "a"}]))), opened() - left,
      [children])
"""


def test_ctrl_c_while_workers_start() -> None:
    before = SLOWLY.partition("for record in")[0]
    code = f"{before}\n{INTERRUPTED_WHILE_WORKERS_START}\n{AFTER}"
    ran = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == "1 set() ['']\n"


@pytest.mark.slow
def test_ctrl_c_in_a_notebook(tmp_path: Path) -> None:
    """In a real kernel: the cell ends as any other does, nothing stays open, no worker lives, the next cell runs."""
    from jupyter_client.manager import start_new_kernel  # a start that only this test pays for

    own = ["--HistoryManager.enabled=False", f"--ipython-dir={tmp_path}"]  # its history is a file that comes and goes
    manager, client = start_new_kernel(kernel_name="python3", extra_arguments=own)
    try:
        for jobs in (1, 2):
            said: list[str] = []

            def hear(message: dict[str, Any], said: list[str] = said) -> None:
                # only standard output: what IPython says of an interrupt that it cannot format goes to both streams
                if message["msg_type"] == "stream" and message["content"]["name"] == "stdout":
                    said.append(message["content"]["text"])
                    if "under way" in message["content"]["text"]:
                        manager.interrupt_kernel()

            code = SLOWLY.replace("JOBS", str(jobs))
            # Jupyter would refuse cells that come soon after one that fails
            reply = client.execute_interactive(
                code, output_hook=hear, timeout=60, allow_stdin=False, stop_on_error=False
            )
            assert (reply["content"]["status"], reply["content"].get("ename")) == ("error", "KeyboardInterrupt")
            reply = client.execute_interactive(AFTER, output_hook=hear, timeout=60, allow_stdin=False)
            assert reply["content"]["status"] == "ok", reply
            assert "".join(said).replace(UNFORMATTED, "") == "under way\n1 set() ['']\n"
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
