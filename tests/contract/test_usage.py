"""What every command promises of its command line, and of what it says other than records."""

import os
from pathlib import Path

import pytest

from harness import jsonl, program, run, run_here
from shingletools import kernel
from suite import ONE_WAY, WAYS, good, of

every_command = pytest.mark.parametrize("command", WAYS)


@every_command
def test_usage(command: str, tmp_path: Path) -> None:
    for argv, message in [
        (["--nonsense"], "unrecognized arguments: --nonsense"),
        (["-j", "0"], 'argument -j/--jobs: not a whole number from 1 to 1024: "0"'),
        (["--rej", "x"], "unrecognized arguments: --rej; did you mean --rejects?"),
        (["-\x1b]0;title\a.jsonl"], r"unrecognized arguments: -\x1b]0;title\x07.jsonl"),
    ]:
        ran = run_here(command, *argv, cwd=tmp_path)
        assert (ran.status, ran.out) == (2, b"")
        assert ran.err == f"{program(command)}: {message} (see {program(command)} --help)\n"


@pytest.mark.parametrize("command", ONE_WAY)
def test_help_and_version(command: str) -> None:
    assert (
        run(command, "--help")
        .good()
        .startswith(f"usage: {program(command)} [OPTIONS] [FILE ...]\n\n{program(command)}: ".encode())
    )
    assert run(command, "-h", "--nonsense").good() == run(command, "--help").good()
    version = run(command, "--version").good().decode()
    assert version == f"{program(command)} (shingletools) 0.1.0, kernel {kernel.NAME}, Unicode 14.0\n"


@every_command
def test_options_may_follow_files(command: str, tmp_path: Path) -> None:
    for name in "ab":
        (tmp_path / name).write_bytes(jsonl(good(command, name)))
    expected = run_here(command, "a", "b", cwd=tmp_path).good()
    assert run_here(command, "a", "-j", "1", "b", "-o", "out", cwd=tmp_path).good() == b""
    assert (tmp_path / "out").read_bytes() == expected
    (tmp_path / "-a").write_bytes(jsonl(good(command, "a")))
    assert run_here(command, "--", "-a", "b", cwd=tmp_path).good() == expected


@every_command
def test_arguments_that_are_not_utf8(command: str) -> None:
    ran = run(command, "--id", os.fsdecode(b"\xff"))
    assert (ran.status, ran.err) == (
        2,
        f"{program(command)}: argument --id: not UTF-8 (see {program(command)} --help)\n",
    )


@pytest.mark.slow
@every_command
def test_progress_and_figures_stay_off_standard_output(command: str, tmp_path: Path) -> None:
    (tmp_path / "docs").write_bytes(jsonl(good(command, 1), good(command, 2)) + b"bad\n")
    quiet = run_here(command, "docs", cwd=tmp_path)
    ran = run_here(command, "--progress", "-v", "docs", cwd=tmp_path)
    assert (ran.status, ran.out) == (1, quiet.out)
    assert "100%" in ran.err
    assert "docs:3: not JSON (column 1)" in ran.err
    assert ran.err.splitlines()[-1].startswith(f"{program(command)}: {2 + of(command).documents} records, 1 rejected, ")
    from_pipe = run_here(command, "--progress", stdin=(tmp_path / "docs").read_bytes(), cwd=tmp_path)
    assert (from_pipe.status, from_pipe.out) == (1, quiet.out)
