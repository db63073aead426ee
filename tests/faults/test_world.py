"""The commands when the world fails them: readers that leave, full disks, closed streams, signals, dead workers."""

import os
import signal
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from harness import ENVIRONMENT, has_open, jsonl, program, run_process, shell
from shingletools.running import driver
from shingletools.running.pipeline import PipelineRun
from suite import DRIVEN, FILTERS, SCRATCH, WAYS

pytestmark = pytest.mark.slow
driven = pytest.mark.parametrize("command", DRIVEN)


@driven
def test_a_reader_that_goes_away(command: str, inputs: Path) -> None:
    ran = shell(f"{command} {program(command)} | head -1; exit ${{PIPESTATUS[0]}}", inputs)
    assert ran.good().count(b"\n") == 1


@driven
def test_a_reader_that_goes_away_after_a_bad_record(command: str, inputs: Path) -> None:
    ran = shell(f"(echo bad; cat {program(command)}) | {command} | head -1; exit ${{PIPESTATUS[1]}}", inputs)
    assert (ran.status, ran.err) == (1, f"{program(command)}: -:1: not JSON (column 1)\n")


@pytest.mark.parametrize(
    ("command", "options"), [*((way, "") for way in DRIVEN), ("canon", "--help"), ("canon", "--version")]
)
def test_a_full_disk(command: str, options: str, few: Path) -> None:
    ran = shell(f"{command} {options} {program(command)} > /dev/full", few)
    assert (ran.status, ran.err) == (2, f"{program(command)}: standard output: No space left on device\n")


@driven
def test_a_full_disk_under_named_files(command: str, few: Path) -> None:
    ran = shell(f"{command} {program(command)} -o /dev/full", few)
    assert (ran.status, ran.out, ran.err) == (2, b"", f"{program(command)}: /dev/full: No space left on device\n")
    ran = shell(f"echo bad | {command} --rejects /dev/full", few)
    assert (ran.status, ran.out, ran.err) == (2, b"", f"{program(command)}: /dev/full: No space left on device\n")


@pytest.mark.parametrize("command", ["canon", "dedup --groups /dev/null", "simjoin -S1M"])
def test_a_full_disk_leaves_no_file(command: str, inputs: Path, tmp_path: Path) -> None:
    """A limit on the size of files stands for a disk that fills up on the way."""
    ran = shell(f"ulimit -f 8; trap '' XFSZ; {command} {inputs / program(command)} -o out", tmp_path)
    failed = "/tmp" if command in SCRATCH else "out"
    assert (ran.status, ran.out, ran.err) == (2, b"", f"{program(command)}: {failed}: File too large\n")
    assert list(tmp_path.iterdir()) == []


@driven
def test_closed_streams(command: str, few: Path, tmp_path: Path) -> None:
    expected = run_process(command, few / program(command)).good()
    for option in ("--help", "--version"):
        ran = shell(f"{command} {option} >&-", few)
        assert (ran.status, ran.out, ran.err) == (2, b"", f"{program(command)}: standard output: closed\n")
    ran = shell(f"{command} <&-", few)
    assert (ran.status, ran.out, ran.err) == (2, b"", f"{program(command)}: standard input: closed\n")
    ran = shell(f"{command} {program(command)} >&-", few)
    assert (ran.status, ran.out, ran.err) == (2, b"", f"{program(command)}: standard output: closed\n")
    assert shell(f"{command} {program(command)} <&-", few).good() == expected
    assert shell(f"{command} {few / program(command)} -o out <&- >&- 2>&-", tmp_path).good() == b""
    assert (tmp_path / "out").read_bytes() == expected
    for errors in ("2>&-", "--progress 2>/dev/full", "2>/dev/full", "--progress 2>&-"):
        ran = shell(f"(echo bad; cat {program(command)}) | {command} - {errors}", few)
        assert (ran.status, ran.out) == (1, expected)


class Running:
    """A command in a process group of its own, as a shell would start it, that waits for more input."""

    def __init__(self, folder: Path, *argv: str, stdin: bytes) -> None:
        # A job that a script put into the background ignores Ctrl-C, under nohup SIGHUP, and so would what it starts
        words = ["env", "--default-signal=INT,HUP,QUIT,XCPU", *argv[0].split(), *argv[1:]]
        self.process = subprocess.Popen(
            words,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=folder,
            env=ENVIRONMENT,
            start_new_session=True,
        )
        assert self.process.stdin is not None
        self.process.stdin.write(stdin)
        self.process.stdin.flush()

    def has_open(self, folder: Path) -> bool:
        return has_open(self.process.pid, folder)

    def children(self) -> list[int]:
        return children_of(self.process.pid)

    def group_is_gone(self) -> bool:
        try:
            os.killpg(self.process.pid, 0)
        except ProcessLookupError:
            return True
        return False

    def end(self) -> tuple[int, bytes]:
        """Status and standard error, with the input still open."""
        assert self.process.stdout is not None
        assert self.process.stderr is not None
        status = self.process.wait(timeout=60)
        self.process.stdout.close()
        error = self.process.stderr.read()
        assert self.process.stdin is not None
        with suppress(BrokenPipeError):
            self.process.stdin.close()
        return status, error


def children_of(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text("ascii").split()]


def wait_until(condition: Callable[[], object]) -> None:
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


# Each command by Ctrl-C, and some by all signals
SENT = [
    *((way, signal.SIGINT, "1") for way in WAYS),
    *((name, signal.SIGINT, "2") for name in FILTERS),
    *(
        ("canon", number, jobs)
        for number in (signal.SIGTERM, signal.SIGQUIT, signal.SIGHUP, signal.SIGXCPU)
        for jobs in "12"
    ),
    *(("simjoin -S1M", number, "1") for number in (signal.SIGTERM, signal.SIGQUIT)),
]


@pytest.mark.parametrize(("command", "number", "jobs"), SENT)
def test_signals(command: str, number: int, jobs: str, inputs: Path, tmp_path: Path) -> None:
    """Ctrl-C goes to the whole process group, as from a terminal; nothing is left of the run, and nothing said."""
    some = (inputs / program(command)).read_bytes()[:60000]
    running = Running(tmp_path, command, "-j", jobs, "-o", "out", stdin=some)
    wait_until(lambda: running.has_open(tmp_path))  # the output, so the run is under way
    if jobs == "2" and command in FILTERS:
        wait_until(running.children)
    if number == signal.SIGINT:
        os.killpg(running.process.pid, number)
    else:
        running.process.send_signal(number)
    assert running.end() == (-number, b"")
    assert list(tmp_path.iterdir()) == []
    wait_until(running.group_is_gone)


def test_no_parser_outlives_a_run(tmp_path: Path) -> None:
    """Nor the worker of -j whose page it parses, which is killed."""
    page = b'{"id":1,"text":"' + b"<fieldset>" * 500_000 + b'"}\n'
    running = Running(tmp_path, "canon --html", "-j", "2", "-o", "out", stdin=page)

    def parsers() -> list[int]:
        return [child for worker in running.children() for child in children_of(worker)]

    wait_until(parsers)
    running.process.send_signal(signal.SIGTERM)
    assert running.end() == (-signal.SIGTERM, b"")
    wait_until(running.group_is_gone)


@driven
def test_hang_up_is_ignored_under_nohup(
    command: str, inputs: Path, whole: Callable[[str], bytes], tmp_path: Path
) -> None:
    data = (inputs / program(command)).read_bytes()
    script = f"trap '' HUP; exec {command} -o out"
    process = subprocess.Popen(["sh", "-c", script], stdin=subprocess.PIPE, cwd=tmp_path, env=ENVIRONMENT)
    assert process.stdin is not None
    process.stdin.write(data[:60000])
    process.stdin.flush()
    wait_until(lambda: has_open(process.pid, tmp_path))  # as in test_signals
    process.send_signal(signal.SIGHUP)
    process.communicate(data[60000:], timeout=60)
    assert process.returncode == 0
    assert (tmp_path / "out").read_bytes() == whole(command)


@pytest.mark.parametrize(
    ("command", "number"), [*((name, signal.SIGKILL) for name in FILTERS), ("canon", signal.SIGXCPU)]
)
def test_a_worker_killed(command: str, number: signal.Signals, inputs: Path, tmp_path: Path) -> None:
    """For lack of memory, or for having had all the processor time that `ulimit -t` gives."""
    data = (inputs / program(command)).read_bytes()
    running = Running(tmp_path, command, "-j", "2", "-o", "out", stdin=data[:60000])
    wait_until(lambda: len(running.children()) == 2)
    for child in running.children():
        os.kill(child, number)
    assert running.process.stdin is not None
    with suppress(BrokenPipeError):
        running.process.stdin.write(data)
        running.process.stdin.close()
    assert running.end() == (2, f"{program(command)}: a worker process died ({signal.strsignal(number)})\n".encode())
    assert list(tmp_path.iterdir()) == []
    wait_until(running.group_is_gone)


@pytest.mark.parametrize(
    ("limit", "cause"),
    [
        ("ulimit -n 60", "cannot start a worker process: Too many open files"),
        ("ulimit -f 100; trap '' XFSZ", "memory shared with a worker: File too large"),
    ],
)
def test_workers_that_lack_what_they_need(limit: str, cause: str, inputs: Path) -> None:
    ran = shell(f"{limit}; exec canon -j 20 canon", inputs)
    assert (ran.status, ran.out, ran.err) == (2, b"", f"canon: {cause}\n")


@pytest.mark.parametrize("command", ["canon"])
def test_workers_do_not_outlive_a_killed_run(command: str, inputs: Path, tmp_path: Path) -> None:
    running = Running(tmp_path, command, "-j", "2", "-o", "out", stdin=(inputs / program(command)).read_bytes()[:60000])
    wait_until(running.children)
    running.process.kill()
    running.process.wait()
    wait_until(running.group_is_gone)


def test_modules_of_the_current_folder_are_not_run(few: Path, tmp_path: Path) -> None:
    for module in ("queue", "pickle", "shingletools", "numpy"):
        (tmp_path / f"{module}.py").write_text("raise SystemExit('not this one')")
    expected = run_process("sketch", few / "sketch").good()
    assert run_process("sketch", "-j2", few / "sketch", cwd=tmp_path).good() == expected


@pytest.mark.parametrize("command", ["canon", "canon -j2", "simjoin -S1M", "simgroup"])
def test_two_runs_may_write_one_file(command: str, inputs: Path, whole: Callable[[str], bytes], tmp_path: Path) -> None:
    start = f"{command} {inputs / program(command)} -o out"
    assert shell(f"{start} & one=$!; {start} & wait $one && wait $!", tmp_path).good() == b""
    assert (tmp_path / "out").read_bytes() == whole(command)
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_records_flow_on_as_they_come(tmp_path: Path) -> None:
    """The first record is out before the second is in: a filter may stand behind `tail -f`."""
    running = Running(tmp_path, "canon", stdin=jsonl({"id": 1, "text": "One"}))
    assert running.process.stdout is not None
    assert running.process.stdout.readline() == b'{"id": 1, "text": "one","via":"canon/4"}\n'
    assert running.process.stdin is not None
    running.process.stdin.close()
    assert running.end() == (0, b"")


def test_a_fault_of_ours_is_a_failed_run(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    def broken(*_: object) -> int:
        raise ZeroDivisionError

    monkeypatch.setattr(driver, "run", broken)
    assert driver.main("canon", []) == 2
    assert "ZeroDivisionError" in capfd.readouterr().err


def test_memory_that_runs_out_is_a_failed_run(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def greedy(*_: object) -> int:
        raise MemoryError

    monkeypatch.setattr(driver, "run", greedy)
    assert driver.main("canon", []) == 2
    assert capfd.readouterr().err == "canon: out of memory\n"
    monkeypatch.undo()
    monkeypatch.setattr(PipelineRun, "begin", greedy)
    for command, hint in (
        (["canon"], ""),
        (["simjoin", "-t", "0.5"], ": try a -S SIZE, such as 500M"),
        (["simjoin", "-t", "0.5", "-S", "2G"], ": try a lower -S SIZE, such as 500M"),
    ):
        assert driver.main(command[0], command[1:]) == 2
        assert capfd.readouterr().err == f"{command[0]}: out of memory{hint}\n"
