"""The commands when files fail them in the middle: what was there stays, what is said is true, nothing is left over.

Calls of the system are made to fail by fault.c.
"""

import errno
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from harness import BIN, ENVIRONMENT, Ran, jsonl, program, run, run_process, shell
from suite import AT_ONCE, DRIVEN, LATE, SCRATCH, WITH_WORKERS, of

pytestmark = pytest.mark.slow
driven = pytest.mark.parametrize("command", DRIVEN)
BEFORE = b"what was here before\n"


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    built = tmp_path_factory.mktemp("fault") / "fault.so"
    source = Path(__file__).with_name("fault.c")
    subprocess.run(["gcc", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", source, "-o", built], check=True)
    return built


@pytest.fixture
def failing(library: Path, tmp_path: Path) -> "Failing":
    return Failing(library, tmp_path)


class Failing:
    """Runs in a folder of their own, in which one function fails from its nth call on."""

    def __init__(self, library: Path, folder: Path) -> None:
        self.library = library
        self.folder = folder

    def __call__(self, script: str, function: str, path: str, nth: int, error: int) -> Ran:
        # Only what the script names last is to fail, so it is exec's
        fault = f"{function} {path} {nth} {error}"
        return shell(f"export LD_PRELOAD={self.library} FAULT='{fault}'; exec {script}", self.folder)

    def left(self) -> list[str]:
        return sorted(os.listdir(self.folder))


@pytest.mark.parametrize(
    ("command", "output"), [*((way, "") for way in (*DRIVEN, *LATE)), *((way, "-o out") for way in DRIVEN)]
)
def test_a_read_error_in_the_middle(
    command: str, output: str, inputs: Path, whole: Callable[[str], bytes], failing: Failing
) -> None:
    """What works record by record has written some, all of them whole; a file named by -o never appears."""
    source = inputs / program(command)
    later = 4 if source.stat().st_size > 1 << 20 else 2  # of reads of 256 KB
    function, nth = ("pread64", 2) if "-j2" in command else ("read", later)
    ran = failing(f"{command} {source} {output}", function, str(source), nth, errno.EIO)
    assert (ran.status, ran.err) == (2, f"{program(command)}: {source}: Input/output error\n")
    assert failing.left() == []
    assert bool(ran.out) == (not output and command in (*AT_ONCE, *LATE, *WITH_WORKERS))
    assert ran.out.endswith(b"\n" * bool(ran.out))
    assert whole(command).startswith(ran.out)


def block(command: str) -> int:
    """Which block of the output is to fail: the second, if it has two."""
    return 1 if of(command).little else 2


@pytest.mark.parametrize(
    ("command", "error"), [*((way, errno.ENOSPC) for way in DRIVEN), ("canon", errno.EIO), ("canon", errno.EDQUOT)]
)
def test_a_write_error_under_o(command: str, error: int, inputs: Path, failing: Failing) -> None:
    (failing.folder / "out").write_bytes(BEFORE)
    ran = failing(
        f"{command} {inputs / program(command)} -o out", "write", f"{failing.folder}/#", block(command), error
    )
    assert (ran.status, ran.out, ran.err) == (2, b"", f"{program(command)}: out: {os.strerror(error)}\n")
    assert (failing.folder / "out").read_bytes() == BEFORE
    assert failing.left() == ["out"]


@driven
def test_a_write_error_on_standard_output(
    command: str, inputs: Path, whole: Callable[[str], bytes], failing: Failing
) -> None:
    source = inputs / program(command)
    ran = failing(f"{command} {source} > redirected", "write", "redirected", block(command), errno.ENOSPC)
    assert (ran.status, ran.err) == (2, f"{program(command)}: standard output: No space left on device\n")
    written = (failing.folder / "redirected").read_bytes()
    assert bool(written) == (block(command) > 1)
    assert whole(command).startswith(written)


COMPLETING = [("fsync", "/#"), ("close", "/#"), ("rename", "out")]


@pytest.mark.parametrize(
    ("command", "function", "path"), [(way, *each) for each in COMPLETING for way in ("canon -j2", "simjoin -S1M")]
)
def test_an_output_that_cannot_be_completed(
    command: str, function: str, path: str, few: Path, failing: Failing
) -> None:
    (failing.folder / "out").write_bytes(BEFORE)
    ran = failing(f"{command} {few / program(command)} -o out", function, path, 1, errno.EIO)
    assert (ran.status, ran.out, ran.err) == (2, b"", f"{program(command)}: out: Input/output error\n")
    assert (failing.folder / "out").read_bytes() == BEFORE
    assert failing.left() == ["out"]


@driven
def test_a_standard_output_that_cannot_be_closed(command: str, few: Path, failing: Failing) -> None:
    """Where a file lies on another machine, that is when one hears that it was not written."""
    ran = failing(f"{command} {few / program(command)} > redirected", "close", "redirected", 1, errno.EDQUOT)
    assert (ran.status, ran.err) == (2, f"{program(command)}: standard output: Disk quota exceeded\n")


@pytest.mark.parametrize(
    ("command", "function"),
    [*((way, "write") for way in DRIVEN), *((way, "close") for way in ("canon -j2", "simjoin -S1M"))],
)
def test_rejects_that_cannot_be_kept(command: str, function: str, few: Path, failing: Failing) -> None:
    """They would be lost, so the run fails."""
    script = f"{command} --rejects kept -o out bad {few / program(command)}"
    (failing.folder / "bad").write_bytes(b"bad\n")
    ran = failing(script, function, "/kept", 1, errno.EIO)
    assert ran.status == 2
    assert ran.err.endswith(f"{program(command)}: kept: Input/output error\n")
    assert failing.left() == ["bad", "kept"]


@pytest.mark.parametrize("command", SCRATCH)
def test_scratch_files_that_cannot_be_written(command: str, inputs: Path, failing: Failing) -> None:
    scratch = failing.folder / "scratch"
    scratch.mkdir()
    script = f"env TMPDIR={scratch} {command} {inputs / program(command)} -o out"
    ran = failing(script, "write", "/scratch/", 2, errno.ENOSPC)
    assert (ran.status, ran.out) == (2, b"")
    assert ran.err == f"{program(command)}: {scratch}: No space left on device\n"
    assert "out" not in failing.left()
    assert list(scratch.iterdir()) == []


@pytest.mark.parametrize(
    ("command", "before", "said"),
    [
        *((way, "export TMPDIR=gone", "gone: No such file or directory") for way in SCRATCH),
        ("simjoin -S1M", "export TMPDIR=file", "file: Not a directory"),
        ("simjoin -S1M", "export TMPDIR=; ulimit -f 0", "/tmp: File too large"),
        ("simjoin -S1M", "export TMPDIR=.; ulimit -f 0", ".: File too large"),
    ],
)
def test_no_other_folder_takes_the_place_of_one_for_scratch_files(
    command: str, before: str, said: str, inputs: Path, tmp_path: Path
) -> None:
    """tempfile looks for one that it can write to, and raises where there is none."""
    (tmp_path / "file").write_bytes((inputs / program(command)).read_bytes())
    ran = run_process("bash", "-c", f"trap '' XFSZ; {before}; {command} file > /dev/full", cwd=tmp_path)
    assert (ran.status, ran.err) == (2, f"{program(command)}: {said}\n")


@pytest.mark.parametrize("command", ["canon", "sketch -j2"])
def test_a_file_that_vanishes(command: str, inputs: Path, whole: Callable[[str], bytes], tmp_path: Path) -> None:
    """It was there at the start, and is gone when its turn comes: all before it comes out, bad records too."""
    source, name = inputs / program(command), program(command)
    start = f"mkfifo first; touch second; {command} --rejects bad first second & "
    # A pipe opens when the command has opened it, too, behind a look at all files
    ran = shell(f"{start} exec 3> first; rm second; (cat {source}; echo bad) >&3; exec 3>&-; wait $!", tmp_path)
    assert ran.status == 2
    assert ran.err.endswith(f": not JSON (column 1)\n{name}: second: No such file or directory\n")
    assert ran.out == whole(name)
    assert (tmp_path / "bad").read_bytes() == b"bad\n"


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("change", ["cut", "rewritten", "moved"])
def test_a_file_that_changes_under_way(change: str, jobs: int, tmp_path: Path) -> None:
    """What comes out is whole lines of the file as it was, and the run fails in words, of no bad record."""
    source = tmp_path / "source"
    record = jsonl({"id": 1, "text": "word " * 2000})
    source.write_bytes(1000 * record)
    os.utime(source, (0, 0))
    command = [str(BIN / "canon"), f"-j{jobs}", str(source)]
    process = subprocess.Popen(command, bufsize=0, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=ENVIRONMENT)
    assert process.stdout is not None
    first = process.stdout.read(1)  # a pipe holds a tenth of the output, so most is yet to be read
    if change == "cut":
        os.truncate(source, 9_000_000)
    else:
        with source.open("r+b") as file:
            file.write(b"#" * 5000 + 999 * record if change == "moved" else b"#" * source.stat().st_size)
    out, err = process.communicate()
    said = {"cut": "cut short", "rewritten": "changed", "moved": "changed"}[change]
    how = " (with -j a file must not change until the end)" if jobs > 1 else ""
    assert process.returncode == 2
    assert err.decode().splitlines()[-1] == f"canon: {source}: {said} while it was read{how}"
    if jobs > 1:
        assert err.count(b"\n") == 1
        assert set((first + out).splitlines()) == set(run("canon", stdin=record).good().splitlines())


def test_an_output_is_there_if_and_only_if_the_run_does_not_fail(few: Path, failing: Failing) -> None:
    """Whichever close is the first that fails: what comes after the output has its name fails no run."""
    documents = (few / "canon").read_bytes()
    (failing.folder / "docs").write_bytes(documents + b"bad\n" + documents)
    script = "shingletools run -o out 'canon docs | shingle -k 2 | sketch | simjoin -t 0.3 | simgroup'"
    for nth in range(1, 100):
        ran = failing(script, "close", f"{failing.folder}/", nth, errno.EIO)
        there = "out" in failing.left()
        assert (ran.status, there) in {(2, False), (1, True)}, (nth, ran)
        if there:
            break
    assert nth > 1
