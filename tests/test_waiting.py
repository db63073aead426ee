"""Standard input that does not wait, as a shell's job may leave it: whatever reads it waits itself."""

import fcntl
import os
import select
import struct
import subprocess
import termios
import time
from pathlib import Path

import pytest

from harness import DOCS, ENVIRONMENT, pipe, run
from shingletools.system import interruptible_reads


def fed_slowly(command: str, content: bytes, folder: Path) -> tuple[int, bytes, bytes]:
    """Status and both streams of a run that finds nothing to read in the middle of its input."""
    assert len(content) < select.PIPE_BUF * 16  # what a pipe holds
    reading, writing = os.pipe()
    os.set_blocking(reading, False)
    os.write(writing, content[: len(content) // 2])
    running = subprocess.Popen(
        command.split(), stdin=reading, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=folder, env=ENVIRONMENT
    )
    end = time.monotonic() + 60
    while struct.unpack("i", fcntl.ioctl(reading, termios.FIONREAD, bytes(4)))[0] and running.poll() is None:
        assert time.monotonic() < end
        time.sleep(0.01)
    time.sleep(0.05)  # in which it reads again, or waits
    os.close(reading)
    try:
        os.write(writing, content[len(content) // 2 :])
    except BrokenPipeError:  # it has ended, and its status says so
        pass
    finally:
        os.close(writing)
    return running.wait(60), *running.communicate(timeout=60)


@pytest.mark.parametrize(
    "command", ["canon", "shingle --df-table - --max-df 30 words", "dedup --known - words", "canon --files0-from -"]
)
def test_all_that_comes_is_read(command: str, tmp_path: Path) -> None:
    docs = b"".join(DOCS.read_bytes().splitlines(keepends=True)[:8])
    words = pipe(docs, "canon")
    (tmp_path / "docs").write_bytes(docs)
    (tmp_path / "words").write_bytes(words)
    given = docs
    if "df-table" in command:
        given = pipe(words, "shingle --df --header")
    elif "known" in command:
        given = b'{"a":"libk5crypto3","b":"other","against":true}\n' * 9
    elif "files0" in command:
        given = b"docs\0"
    expected = run(*command.split(), stdin=given, cwd=tmp_path).good()
    assert expected
    assert fed_slowly(command, given, tmp_path) == (0, expected, b"")


def test_what_another_process_took_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    reading, writing = os.pipe()
    os.set_blocking(reading, False)
    os.write(writing, b"one")
    read = os.read
    refused: list[bytes] = []

    def contested(descriptor: int, size: int) -> bytes:
        if not refused:
            refused.append(read(descriptor, size))
            os.write(writing, b"two")
            os.close(writing)
            raise BlockingIOError
        return read(descriptor, size)

    monkeypatch.setattr(os, "read", contested)
    assert (list(interruptible_reads.blocks_of(reading)), refused) == ([b"two"], [b"one"])
    os.close(reading)
