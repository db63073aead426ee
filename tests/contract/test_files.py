"""What every command promises of files: those that it reads, replaces, must not touch, or cannot have."""

import errno
import os
import stat
from pathlib import Path
from unittest.mock import patch

import pytest

from harness import jsonl, program, run_here, run_process, shell
from suite import DRIVEN, good

driven = pytest.mark.parametrize("command", DRIVEN)


@driven
def test_file_that_is_not_there(command: str, tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(jsonl(good(command, 1)))
    for name, cause in [("none\n", "none\\n: No such file or directory"), (".", None)]:
        own = program(command) in ("canon", "dedup")
        recursive = f".: is a folder; {'' if own else 'canon '}--recursive reads the files in it"
        ran = run_here(command, "a", name, "-o", "out", cwd=tmp_path)
        assert (ran.status, ran.out, ran.err) == (2, b"", f"{program(command)}: {cause or recursive}\n")
        assert [path.name for path in tmp_path.iterdir()] == ["a"]


@driven
def test_output_replaces_its_own_input_and_keeps_its_mode(command: str, tmp_path: Path) -> None:
    path = tmp_path / "docs"
    path.write_bytes(jsonl(good(command, 1), good(command, 2)))
    path.chmod(0o640)
    (tmp_path / "link").symlink_to("docs")
    expected = run_here(command, path, cwd=tmp_path).good()
    assert run_here(command, path, "-o", tmp_path / "link", cwd=tmp_path).good() == b""
    assert path.read_bytes() == expected
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert (tmp_path / "link").is_symlink()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["docs", "link"]


@driven
def test_a_new_output_gets_the_mode_the_shell_would_give(command: str, tmp_path: Path) -> None:
    assert shell(f"umask 027; {command} -o out </dev/null", tmp_path).good() == b""
    assert stat.S_IMODE((tmp_path / "out").stat().st_mode) == 0o640


def test_a_mode_that_cannot_be_kept_leaves_no_file(tmp_path: Path) -> None:
    """Some file systems refuse to set it."""
    (tmp_path / "out").write_bytes(b"before")
    with patch.object(os, "fchmod", side_effect=OSError(errno.EPERM, os.strerror(errno.EPERM))):
        ran = run_here("canon -o out", cwd=tmp_path)
    assert (ran.status, ran.out, ran.err) == (2, b"", "canon: out: Operation not permitted\n")
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


@pytest.mark.slow
@driven
def test_output_to_what_is_no_file(command: str, tmp_path: Path) -> None:
    (tmp_path / "docs").write_bytes(jsonl(good(command, 1), good(command, 2)))
    expected = run_here(command, "docs", cwd=tmp_path).good()
    assert run_process(command, tmp_path / "docs", "-o", "/dev/stdout").good() == expected
    assert run_here(command, "docs", "-o", "-", cwd=tmp_path).good() == expected
    assert [path.name for path in tmp_path.iterdir()] == ["docs"]
    assert shell(f"mkfifo pipe; {command} docs -o pipe & cat pipe; wait $!", tmp_path).good() == expected
    assert shell(f"{command} docs -o >(cat)", tmp_path).good() == expected
    ran = run_here(command, "docs", "-o", tmp_path / "no" / "folder", cwd=tmp_path)
    assert (ran.status, ran.err) == (2, f"{program(command)}: {tmp_path}/no/folder: No such file or directory\n")


@pytest.mark.slow
@driven
@pytest.mark.parametrize("rejects", ["docs", "./docs", "out", "link"])
def test_rejects_never_overwrite_what_the_run_reads_or_writes(command: str, rejects: str, tmp_path: Path) -> None:
    content = jsonl(good(command, 1))
    (tmp_path / "docs").write_bytes(content)
    (tmp_path / "link").symlink_to("docs")
    ran = run_here(command, "docs", "-o", "out", "--rejects", rejects, cwd=tmp_path)
    message = f"{program(command)}: --rejects {rejects}: this run reads or writes that file already\n"
    assert (ran.status, ran.err) == (2, message)
    assert (tmp_path / "docs").read_bytes() == content


@driven
def test_rejects_never_overwrite_a_redirected_stream(command: str, tmp_path: Path) -> None:
    content = b"bad\n" + jsonl(good(command, 1))
    (tmp_path / "docs").write_bytes(content)
    message = "this run reads or writes that file already"
    for script in (f"{command} --rejects docs < docs", f"{command} --rejects out docs > out"):
        ran = shell(script, tmp_path)
        assert ran.status == 2
        assert message in ran.err
        assert (tmp_path / "docs").read_bytes() == content
    if command == "canon":
        ran = run_process("canon", "--stop", "docs", "--rejects", "docs", stdin=content, cwd=tmp_path)
        assert (ran.status, (tmp_path / "docs").read_bytes()) == (2, content)


@driven
def test_rejects_and_messages_do_not_share_a_file(command: str, tmp_path: Path) -> None:
    ran = shell(f"echo bad | {command} --rejects out 2> out || cat out", tmp_path)
    assert ran.good().decode() == f"{program(command)}: --rejects out: this run reads or writes that file already\n"
    ran = run_here(command, "--rejects", "-", stdin=b"bad\n", cwd=tmp_path)
    message = f"{program(command)}: --rejects -: needs the name of a file (standard output carries records only)\n"
    assert (ran.status, ran.err) == (2, message)


@driven
def test_a_run_that_cannot_write_leaves_the_rejects_of_the_one_before(command: str, tmp_path: Path) -> None:
    (tmp_path / "bad").write_bytes(b"old")
    assert run_here(command, "-o", "no/folder", "--rejects", "bad", cwd=tmp_path).status == 2
    assert (tmp_path / "bad").read_bytes() == b"old"


@pytest.mark.slow
@driven
@pytest.mark.parametrize("script", ["{0} docs >> docs", "{0} < docs >> docs", "{0} docs -o /dev/stdout >> docs"])
def test_no_command_feeds_itself(command: str, script: str, tmp_path: Path) -> None:
    content = jsonl(good(command, 1), good(command, 2))
    (tmp_path / "docs").write_bytes(content)
    ran = shell(script.format(command), tmp_path)
    name = "-" if "<" in script else "docs"
    message = f"{program(command)}: {name}: input file is output file (-o may name its own input)\n"
    assert (ran.status, ran.err) == (2, message)
    assert (tmp_path / "docs").read_bytes() == content


@pytest.mark.slow
@driven
def test_output_to_a_redirected_stream_keeps_what_is_there(command: str, tmp_path: Path) -> None:
    (tmp_path / "docs").write_bytes(jsonl(good(command, 1), good(command, 2)))
    expected = run_here(command, "docs", cwd=tmp_path).good()
    for name, number in (("/dev/stdout", 1), ("/dev/stderr", 2), ("out", 1)):
        assert shell(f"(echo header; {command} docs -o {name}) {number}> out 1>&{number}", tmp_path).good() == b""
        assert (tmp_path / "out").read_bytes() == b"header\n" + expected


@driven
def test_output_needs_a_name(command: str, tmp_path: Path) -> None:
    ran = run_here(command, "-o", "new/", cwd=tmp_path)
    assert (ran.status, ran.err) == (2, f"{program(command)}: new/: not the name of a file\n")
    ran = run_here(command, "-o", "", cwd=tmp_path)
    assert (ran.status, ran.err) == (2, f"{program(command)}: the name of the output: not the name of a file\n")


@driven
def test_names_that_are_not_utf8(command: str, tmp_path: Path) -> None:
    name = os.fsdecode(b"caf\xe9")
    (tmp_path / name).write_bytes(jsonl(good(command, 1)) + b"bad\n")
    ran = run_here(command, name, "-o", os.fsdecode(b"out\xe9"), cwd=tmp_path)
    assert (ran.status, ran.err) == (1, f"{program(command)}: caf\\udce9:2: not JSON (column 1)\n")
    assert (tmp_path / os.fsdecode(b"out\xe9")).exists()


@pytest.mark.parametrize("command", ["canon --stop /dev/zero", "shingle --key-file /dev/urandom"])
def test_a_device_without_an_end(command: str) -> None:
    _, *_, option, device = command.split()
    ran = run_process(command)
    assert (ran.status, ran.out) == (2, b"")
    assert ran.err.startswith(f"{program(command)}: {option}: {device}: a device, with more than 1048576 bytes")


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("canon /dev/zero", "/dev/zero"),
        ("canon -j2 /dev/zero", "/dev/zero"),
        ("simjoin --against /dev/zero", "/dev/zero"),
        ("simgroup --singletons /dev/zero", "/dev/zero"),
        ("dedup --groups /dev/zero", "--groups: /dev/zero"),
        ("shingle --max-df 2 --df-table /dev/zero", "--df-table: /dev/zero"),
        ("sketch --simhash --weights /dev/zero", "--weights: /dev/zero"),
    ],
)
def test_a_device_whose_line_has_no_end(command: str, said: str) -> None:
    ran = run_process(command)
    message = f"{program(command)}: {said}: a device, with a line of more than 1048576 bytes\n"
    assert (ran.status, ran.out, ran.err) == (2, b"", message)


def test_an_empty_device() -> None:
    assert run_process("canon --stop /dev/null", stdin=jsonl({"id": 1, "text": "a"})).records()[0]["text"] == "a"
