"""An archive when calls fail, processes are killed, files are damaged, and several are at it at a time."""

import errno
import gc
import json
import os
import random
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from harness import DOCS, ENVIRONMENT, Ran, jsonl, pipe, run, run_here
from shingletools.archive import checksummed_files, manifest
from shingletools.archive.checksummed_files import hexdigest

ROUNDS = int(os.environ.get("ROUNDS", "2"))
ACTIONS = {
    "add": "simindex add archive new",
    "merge": "simindex merge archive",
    "drop": "simindex drop archive --ids gone",
    "known": "simindex add archive --unless-known new -o known",
    "replace": "simindex add archive --unless-known --replace --as today edited -o known",
}
ERRORS = {"full": errno.ENOSPC, "broken": errno.EIO, "killed": 0}
# Which error it is makes no difference. A kill finds what the call before left: at fsync what it finds at close
FAULTS = [
    ("write", "full"),
    ("fsync", "broken"),
    ("close", "broken"),
    ("replace", "broken"),
    ("unlink", "broken"),
    *((function, "killed") for function in ("write", "fsync", "replace", "unlink")),
]


os_write, os_close = os.write, os.close


def dumped(folder: Path, name: str = "archive") -> bytes:
    return run_here("simindex dump", name, cwd=folder).good()


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An archive of two segments, of which one has dropped documents, and what comes next."""
    folder = tmp_path_factory.mktemp("made")
    lines = pipe(DOCS.read_bytes(), "canon", "shingle -k 4", "sketch").splitlines(keepends=True)
    records = [json.loads(line) for line in lines]
    edited = [one | {"sketch": other["sketch"]} for one, other in zip(records[60:90], records[210:240], strict=True)]
    (folder / "edited").write_bytes(jsonl(*edited) + b"".join(lines[20:50]))
    for name, some in (("one", lines[:80]), ("two", lines[80:200:2]), ("new", lines[81::2]), ("gone", lines[:160:4])):
        (folder / name).write_bytes(b"".join(some))
    run_here("simindex add archive -t 0.3 one", cwd=folder).good()
    run_here("simindex add archive two", cwd=folder).good()
    (folder / "first").write_bytes(b"".join(lines[:9]))
    run_here("simindex drop archive --ids first", cwd=folder).good()
    (folder / "before").write_bytes(dumped(folder))
    for action, command in ACTIONS.items():
        shutil.copytree(folder / "archive", folder / "copy")
        run_here(command.replace("archive", "copy"), cwd=folder).good()
        (folder / f"after-{action}").write_bytes(dumped(folder, "copy"))
        shutil.rmtree(folder / "copy")
    return folder


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")  # what the fork runs starts no threads
@pytest.mark.parametrize("action", [each for each in ACTIONS if each != "known"])  # replace makes its calls, and more
@pytest.mark.parametrize("fault", FAULTS, ids="-".join)
def test_every_call(action: str, fault: tuple[str, str], made: Path, tmp_path: Path) -> None:
    """The state before, or the state after; and the same run, said again, leads there."""
    function, error = fault[0], ERRORS[fault[1]]
    folder = tmp_path / "made"
    before, after = ((made / name).read_bytes() for name in ("before", f"after-{action}"))
    for nth in range(1, 60):
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(made, folder)
        ran = run_failing(ACTIONS[action], folder, function, nth, error)
        assert ran.status in {0, 2, -signal.SIGKILL}
        there = dumped(folder)
        assert there in {before, after}
        assert ran.status != 0 or there == after
        run_here("simindex check archive", cwd=folder).good()
        if ran.status == 2:
            assert ran.err.startswith("simindex: archive")
            assert ran.err.endswith(f": {os.strerror(error)}\n")
        run_here(ACTIONS[action], cwd=folder).good()
        assert dumped(folder) == after
        if ran.status == 0:
            break
    assert ran.status == 0
    assert nth > (function not in {"replace", "unlink"})


@pytest.mark.filterwarnings("error::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("action", ["add", "merge"])
def test_a_segment_that_failed_is_let_alone(
    action: str, made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is not written to once it is closed, nor when it is collected; only the cause is reported."""
    folder = tmp_path / "made"
    before = (made / "before").read_bytes()
    for together in (1, 1 << 20):  # a write in the middle fails, or the last one
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(made, folder)
        with monkeypatch.context() as patch:
            after: list[int] = []
            patch.setattr(checksummed_files, "WRITE_BYTES", together)

            def write(descriptor: int, data: bytes, after: list[int] = after) -> int:
                if descriptor < 0 or os.readlink(f"/proc/self/fd/{descriptor}").endswith(".npz"):
                    after.append(descriptor)
                    del data  # as in the real one, no frame holds it
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
                return os_write(descriptor, data)

            patch.setattr(os, "write", write)
            ran = run_here(ACTIONS[action], cwd=folder)
            gc.collect()
        assert (ran.status, ran.err) == (2, "simindex: archive: No space left on device\n")
        assert -1 not in after
        assert after
        assert dumped(folder) == before


@pytest.mark.parametrize("action", ACTIONS)
def test_what_a_manifest_names_is_on_the_disk(
    action: str, made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each file, then their names in the folder, then the manifest, and at last its own name."""
    folder = tmp_path / "made"
    shutil.copytree(made, folder)
    before = set(os.listdir(folder / "archive"))
    steps: list[str] = []
    fsync, replace = os.fsync, os.replace

    def synced(descriptor: int) -> None:
        steps.append(Path(os.readlink(f"/proc/self/fd/{descriptor}")).name)
        fsync(descriptor)

    def replaced(source: str, target: str) -> None:
        if Path(target).parent.name == "archive":
            steps.append(f"{Path(source).name} becomes {Path(target).name}")
        replace(source, target)

    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(os, "replace", replaced)
    run_here(ACTIONS[action], cwd=folder).good()
    new = set(os.listdir(folder / "archive")) - before
    assert new
    *files, names, manifest, renamed, last = [step for step in steps if step != "known"]
    assert (new <= set(files), names) == (True, "archive")
    assert (renamed, last) == (f"{manifest} becomes manifest.json", "archive")


def run_failing(command: str, folder: Path, function: str, nth: int, error: int) -> Ran:
    """The command in a fork of this process, where a function of `os` fails from the nth call on the archive's files.

    Where the error is 0, the process is killed at that call; a write has written half of its bytes then.
    """
    said = folder / "said"
    child = os.fork()
    if not child:
        setattr(os, function, failing(getattr(os, function), f"{folder}/archive", nth, error))
        ran = run_here(command, cwd=folder)
        said.write_text(ran.err)
        os._exit(ran.status)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return Ran(tuple(command.split()), status, b"", said.read_text() if status > 0 else "")


def failing(real: Callable[..., Any], path: str, nth: int, error: int) -> Callable[..., Any]:
    calls = count(1)

    def function(file: int | str, *rest: Any) -> Any:
        name = os.readlink(f"/proc/self/fd/{file}") if isinstance(file, int) else file
        if not name.startswith(path) or next(calls) < nth:
            return real(file, *rest)
        if not error:
            if real is os_write:
                real(file, rest[0][: len(rest[0]) // 2])
            os.kill(os.getpid(), signal.SIGKILL)
        if real is os_close:  # Linux has closed a descriptor even where it says that something went wrong
            real(file)
        raise OSError(error, os.strerror(error))

    return function


@pytest.mark.slow
@pytest.mark.parametrize("action", ACTIONS)
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])  # what ends a run by SIGINT ends it by SIGTERM
def test_any_moment(action: str, number: signal.Signals, made: Path, tmp_path: Path) -> None:
    folder = tmp_path / "made"
    states = {(made / name).read_bytes() for name in ("before", f"after-{action}")}
    rng = random.Random(number)
    for _ in range(ROUNDS):
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(made, folder)
        words = ["env", "--default-signal=INT", *ACTIONS[action].split()]
        process = subprocess.Popen(words, cwd=folder, env=ENVIRONMENT, stderr=subprocess.PIPE)
        time.sleep(rng.uniform(0.05, 0.5))
        process.send_signal(number)
        process.communicate(timeout=60)
        if number == signal.SIGTERM:
            named = manifest.read(str(folder / "archive"))[0].files()
            assert {*os.listdir(folder / "archive")} == {*named, "manifest.json", "lock"}
        assert dumped(folder) in states
        run_here("simindex check archive", cwd=folder).good()
        run_here(ACTIONS[action], cwd=folder).good()
        assert dumped(folder) == (made / f"after-{action}").read_bytes()


@pytest.mark.slow
def test_writers_and_readers_at_a_time(tmp_path: Path) -> None:
    """Writers that come too early get a message; readers see whole states only, in their order."""
    lines = pipe(DOCS.read_bytes(), "canon", "shingle -k 4", "sketch").splitlines(keepends=True)
    for number in range(6):
        (tmp_path / f"part-{number}").write_bytes(b"".join(lines[number * 30 : number * 30 + 30]))
    run_here("simindex add archive part-0", cwd=tmp_path).good()
    writer = "for n in 1 2 3 4 5; do until simindex add archive part-$n 2>>said; do sleep 0.05; done; done"
    merger = "for n in 1 2 3 4 5; do simindex merge archive 2>>said; sleep 0.1; done; true"
    running = [subprocess.Popen(["bash", "-c", script], cwd=tmp_path, env=ENVIRONMENT) for script in (writer, merger)]
    states = [b"".join(lines[: 30 * number]) for number in range(1, 7)]
    seen = 0
    while any(process.poll() is None for process in running):
        state = states.index(run("simindex", "dump", "archive", cwd=tmp_path).good())
        assert state >= seen
        seen = state
    assert [process.returncode for process in running] == [0, 0]
    assert dumped(tmp_path) == states[-1]
    said = set((tmp_path / "said").read_text().splitlines())
    assert said <= {"simindex: archive: another process is changing the archive"}
    run_here("simindex check archive", cwd=tmp_path).good()


def damaged(content: bytes, rng: random.Random) -> bytes:
    """Another content."""
    way = rng.randrange(5)
    if not content or way == 0:
        return content + rng.randbytes(rng.randrange(1, 100))
    at = rng.randrange(len(content))
    if way == 1:
        return content[:at]
    if way == 2:
        return content[:at] + content[at + 1 :]
    if way == 3:
        return b""
    return content[:at] + bytes([content[at] ^ 1 << rng.randrange(8)]) + content[at + 1 :]


@pytest.mark.parametrize("seed", range(60))
def test_damage(seed: int, made: Path, tmp_path: Path) -> None:
    """It is reported, with the name of the file, or does not change the answer; `check` always reports it."""
    folder, rng = tmp_path / "made", random.Random(seed)
    shutil.copytree(made, folder)
    path = sorted(each for each in (folder / "archive").iterdir() if each.name != "lock")[seed % 6]
    if seed < 12:
        path.unlink()
    else:
        path.write_bytes(damaged(path.read_bytes(), rng))
    shutil.copytree(folder / "archive", folder / "kept")
    asking = "simjoin -t 0.3 --against archive new"
    expected = run_here(asking, cwd=made)
    for command, right in (
        (asking, expected.out),
        ("simindex dump archive", (made / "before").read_bytes()),
        ("simindex add archive -o out new", b""),
        ("simindex merge archive", b""),
    ):
        ran = run_here(command, cwd=folder)
        assert ran.status in {0, 2}
        if ran.status == 0:
            assert ran.out == right
        else:
            assert ran.err.startswith(f"{command.split()[0]}: archive")
            assert path.name in ran.err or "manifest.json" in ran.err or ran.err.endswith("Is a directory\n")
            assert right.startswith(ran.out)
        shutil.rmtree(folder / "archive")
        shutil.copytree(folder / "kept", folder / "archive")
    ran = run_here("simindex check archive", cwd=folder)
    report = json.loads(ran.out)
    assert (ran.status, report["file"]) == (2, f"archive/{path.name}")
    assert ran.err == f"simindex: archive/{path.name}: {report['fault']}\n"


def test_check_tells_of_every_file(made: Path, tmp_path: Path) -> None:
    """Of a segment without its sums, and of those behind it, too."""
    folder = tmp_path / "made"
    shutil.copytree(made, folder)
    run_here("simindex drop archive --ids two", cwd=folder).good()
    files = sorted(each.name for each in (folder / "archive").iterdir())
    segments = "000001.npz 000001.sums.npy 000002.npz 000002.sums.npy 000003.removed.npy 000004.removed.npy"
    assert files == [*segments.split(), "lock", "manifest.json"]
    (folder / "archive" / "000001.sums.npy").unlink()
    with (folder / "archive" / "000001.npz").open("ab") as segment:
        segment.write(b"more")
    with (folder / "archive" / "000002.npz").open("r+b") as segment:
        segment.seek(5000)
        segment.write(b"other")
    (folder / "archive" / "000004.removed.npy").write_bytes(b"")
    size = (made / "archive" / "000001.npz").stat().st_size
    other = "damaged (what it holds is not what was written)"
    ran = run_here("simindex check archive", cwd=folder)
    assert [json.loads(line) for line in ran.out.splitlines()] == [
        {"file": "archive/000001.sums.npy", "fault": "No such file or directory", "segment": 1, "documents": 71},
        {
            "file": "archive/000001.npz",
            "fault": f"damaged ({size + 4} bytes, not {size})",
            "segment": 1,
            "documents": 71,
        },
        {"file": "archive/000002.npz", "fault": other, "segment": 2, "documents": 0},
        {"file": "archive/000004.removed.npy", "fault": other, "segment": 2, "documents": 0},
    ]
    said = "simindex: archive/000001.sums.npy: No such file or directory (files with faults: 4)\n"
    assert (ran.status, ran.err) == (2, said)
    ran = run_here("simindex check archive -o out", cwd=folder)
    assert (ran.status, ran.err, (folder / "out").exists()) == (2, said, False)


def test_another_version(made: Path, tmp_path: Path) -> None:
    folder = tmp_path / "made"
    shutil.copytree(made, folder)
    path = folder / "archive" / "manifest.json"
    for old, new, said in (
        (b'"version":2', b'"version":4', "has another version of the format; this program reads versions 1 to 3"),
        (b'"order":"little"', b'"order":"big"', "written on a machine with another byte order"),
    ):
        body = (made / "archive" / "manifest.json").read_bytes()[len(b'{"sum":"') + 64 + len(b'",') : -1]
        assert old in body
        body = body.replace(old, new)
        path.write_bytes(b'{"sum":"%b",%b\n' % (hexdigest(body).encode(), body))
        ran = run_here("simindex list archive", cwd=folder)
        assert (ran.status, ran.err) == (2, f"simindex: archive/manifest.json: {said}\n")


def test_a_lost_manifest_loses_nothing(made: Path, tmp_path: Path) -> None:
    """Files that no manifest names are removed only where there is a manifest."""
    folder = tmp_path / "made"
    shutil.copytree(made, folder)
    (folder / "archive" / "manifest.json").unlink()
    before = sorted((folder / "archive").iterdir())
    ran = run_here("simindex add archive new", cwd=folder)
    assert (ran.status, ran.err) == (2, "simindex: archive: manifest.json is missing, but 000001.npz is there\n")
    assert sorted((folder / "archive").iterdir()) == before


def test_a_first_run_that_fails_leaves_nothing(made: Path, tmp_path: Path) -> None:
    ran = run_here("simindex add archive", made / "one", "none", cwd=tmp_path)
    assert ran.status == 2
    assert list(tmp_path.iterdir()) == []
