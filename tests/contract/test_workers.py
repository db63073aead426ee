"""What every command promises of larger inputs: the same bytes with any number of workers, in any environment."""

import os
from dataclasses import replace
from pathlib import Path
from unittest.mock import ANY

import pytest

from harness import DOCS, jsonl, program, run_process, shell
from shingletools.system.interruptible_reads import READ_BYTES
from suite import FILTERS, SUITE, inputs


@pytest.fixture(scope="session")
def stages() -> dict[str, bytes]:
    """Input of each command, larger than a few blocks, with bad records in it."""
    records = DOCS.read_bytes().splitlines()
    text = b"".join(line.replace(b'{"id":"', b'{"id":"%d-' % copy) + b"\n" for copy in range(8) for line in records)
    assert len(text) > 5 * READ_BYTES
    return {name: data.replace(b':"3-', b'="3-') for name, data in inputs(text).items()}


@pytest.mark.slow
@pytest.mark.parametrize(
    "command",
    [*(way for each in SUITE if each.produces for way in each.ways), "simjoin -S1M", "dedup --groups /dev/null"],
)
def test_any_number_of_workers_and_any_environment_give_the_same_bytes(
    command: str, stages: dict[str, bytes], tmp_path: Path
) -> None:
    alone = run_process(command, "--rejects", tmp_path / "1", stdin=stages[program(command)])
    assert alone.status == 1
    environment = {"LC_ALL": "C", "PYTHONHASHSEED": "1", "PYTHONIOENCODING": "latin-1", "PYTHONUTF8": "0"}
    ran = run_process(command, stdin=stages[program(command)], env=environment)
    assert (ran.status, ran.out, ran.err) == (1, alone.out, alone.err)
    (tmp_path / "file").write_bytes(stages[program(command)])
    sources = [("2", "/dev/stdin < file"), ("5", "file"), ("2", "- < file"), ("5", "/dev/fd/3 3< file")]
    several = 4 if command == "canon" else 2 if program(command) in FILTERS else 1  # others take no workers
    for jobs, source in sources[:several]:
        ran = shell(f"{command} -j {jobs} --rejects {jobs} {source}", tmp_path)
        name = source.partition(" ")[0]
        assert (ran.status, ran.out, ran.err.replace(f" {name}:", " -:")) == (1, alone.out, alone.err)
        assert (tmp_path / jobs).read_bytes() == (tmp_path / "1").read_bytes()


@pytest.mark.slow
@pytest.mark.parametrize("jobs", ["2", "3"])
def test_records_larger_than_any_pipe_go_through_workers(jobs: str, tmp_path: Path) -> None:
    """Good ones and bad ones, so that both sides have much to say at the same time."""
    words = " ".join(map(str, range(500_000)))
    records = [{"id": i, "text": words[: 1 + 3_000_000 // (1 + i % 5)]} for i in range(12)]
    lines = b"".join(b"".join([jsonl(record), b"bad " * 600_000, b"\n"]) for record in records)
    alone = run_process("canon", "--rejects", tmp_path / "1", stdin=lines)
    assert (alone.status, alone.out.count(b"\n")) == (1, 12)
    ran = run_process("canon", "-j", jobs, "--rejects", tmp_path / "2", stdin=lines)
    assert (ran.status, ran.out, ran.err) == (1, alone.out, alone.err)
    assert (tmp_path / "2").read_bytes() == (tmp_path / "1").read_bytes()


@pytest.mark.slow
@pytest.mark.parametrize("strict", ["", "--strict"])
def test_any_number_of_workers_reads_files_of_all_kinds(strict: str, tmp_path: Path) -> None:
    """Longer than what a worker takes at once, empty, without a last line feed, a pipe, with holes."""
    good = b'{"id":1,"text":"%b"}\n' % (b"word " * 100)
    (tmp_path / "long").write_bytes((good * 3000 + b"bad\n") * 3)
    (tmp_path / "empty").touch()
    (tmp_path / "endless").write_bytes(good + b"{")
    with (tmp_path / "sparse").open("wb") as file:
        file.write(good)
        file.truncate(3_000_000)
    os.mkfifo(tmp_path / "pipe")
    command = f"canon {strict} --rejects bad empty pipe long endless long sparse"
    runs = []
    for jobs in (1, 2, 5):
        ran = shell(f"(cat empty; head -3000 long) > pipe & {command} -j {jobs}", tmp_path)
        runs.append((ran.status, ran.out, ran.err, (tmp_path / "bad").read_bytes()))
    assert runs[1:] == runs[:1] * 2
    status, _, errors, rejects = runs[0]
    assert (status, errors.splitlines()[0]) == (2 if strict else 1, "canon: long:3001: not JSON (column 1)")
    assert len(errors.splitlines()) == rejects.count(b"\n") == (1 if strict else 3 + 1 + 3 + 1)


@pytest.mark.slow
@pytest.mark.parametrize("way", ["--lines", "--number", "--whole"])
def test_numbers_and_names_do_not_depend_on_workers(way: str, tmp_path: Path) -> None:
    for name in "abc":
        lines = [b'{"text":"%b %d"}\n' % (name.encode(), i) for i in range(8000)]
        (tmp_path / name).write_bytes(b"".join(lines))
    alone = run_process("canon", way, "a", "b", "c", cwd=tmp_path)
    identities = [record["id"] for record in alone.records()]
    assert identities == (["a", "b", "c"] if way == "--whole" else list(range(1, 24001)))
    assert run_process("canon", way, "-j", "3", "a", "b", "c", cwd=tmp_path) == replace(alone, argv=ANY)
