"""How many bad records are all right: what every command promises of --allow-rejects."""

import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness import ENVIRONMENT, jsonl, program, run
from shingletools.cli.argument_types import allowance
from suite import DRIVEN, ON_DISK, WAYS, good, of

driven = pytest.mark.parametrize("command", DRIVEN)
BAD = b"bad\n"


@pytest.mark.parametrize("command", [*DRIVEN, *(way for way in WAYS if of(way).documents)])
def test_at_most_so_many(command: str, tmp_path: Path) -> None:
    """The bytes, what is said and what is kept are the same, whatever is allowed; only the status tells."""
    each = of(command)
    (tmp_path / "docs").write_bytes(BAD + jsonl(good(command, 1), good(command, 2)) + BAD)
    read = 4 + each.documents
    plain = run(command, "docs", cwd=tmp_path)
    assert plain.status == 1
    few, exact, enough = (f"{number / read * 100:.9f}%" for number in (1.9, 2.00001, 3))
    for allowed, status in [("0", 1), ("1", 1), ("2", 0), ("999999999999", 0), (few, 1), (exact, 0), (enough, 0)]:
        ran = run(command, "--allow-rejects", allowed, "--rejects", "bad", "docs", cwd=tmp_path)
        assert (ran.status, ran.out, ran.err) == (status, plain.out, plain.err), allowed
        assert (tmp_path / "bad").read_bytes() == 2 * BAD


@driven
def test_a_file_with_more_bad_records_does_not_appear(command: str, tmp_path: Path) -> None:
    (tmp_path / "docs").write_bytes(BAD + jsonl(good(command, 1), good(command, 2)))
    name = program(command)
    plain = run(command, "docs", "-o", "out", cwd=tmp_path)
    assert (plain.status, plain.err) == (1, f"{name}: docs:1: not JSON (column 1)\n")
    made = (tmp_path / "out").read_bytes()
    (tmp_path / "out").write_bytes(b"old")
    ran = run(command, "docs", "-o", "out", "--allow-rejects=0", "--rejects", "kept", "-v", cwd=tmp_path)
    *said, figures = [line for line in ran.err.splitlines() if not line.startswith(ON_DISK)]
    assert (ran.status, said) == (1, [*plain.err.splitlines(), f"{name}: out is left as it was: too many bad records"])
    assert " records, 1 rejected, " in figures
    assert (tmp_path / "out").read_bytes() == b"old"
    assert (tmp_path / "kept").read_bytes() == BAD
    assert sorted(path.name for path in tmp_path.iterdir()) == ["docs", "kept", "out"]
    ran = run(command, "docs", "-o", "out", "--allow-rejects=1", cwd=tmp_path)
    assert (ran.status, ran.err, (tmp_path / "out").read_bytes()) == (0, plain.err, made)


def test_a_second_file_does_not_appear_either(tmp_path: Path) -> None:
    (tmp_path / "docs").write_bytes(jsonl({"id": 1}) + BAD)
    command = "dedup --groups /dev/null --allow-rejects 49.9% -o out --removed gone docs"
    assert run(command, cwd=tmp_path).status == 1
    assert [path.name for path in tmp_path.iterdir()] == ["docs"]
    assert run(command.replace("49.9", "50"), cwd=tmp_path).status == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["docs", "gone", "out"]


def test_what_is_no_file_is_written() -> None:
    ran = run("canon", "--allow-rejects=0", "-o", "/dev/stdout", stdin=BAD + b'{"id":1,"text":"A"}\n')
    assert (ran.status, ran.out) == (1, b'{"id":1,"text":"a","via":"canon/4"}\n')
    ran = run("canon", "--allow-rejects=0", "-o", "/dev/null", stdin=BAD)
    assert (ran.status, ran.err) == (2, "canon: -:1: not JSON (column 1)\ncanon: -: not one good record\n")


def test_records_that_turn_out_to_be_bad_at_the_end(tmp_path: Path) -> None:
    """Are counted once: the pairs are three, and all bad, which fails the run unless it is allowed."""
    stdin = jsonl(*({"a": 1, "b": number} for number in (2, 3, 4)))
    (tmp_path / "docs").write_bytes(jsonl({"id": 1, "text": "a"}))
    command = f"simshow --json --docs {tmp_path / 'docs'} --allow-rejects"
    bad = run(command.removesuffix(" --allow-rejects"), "-v", stdin=stdin).err.splitlines()[-1]
    assert bad.startswith("simshow: 1 record, 3 rejected, ")
    for allowed, status in [("75%", 0), ("74.999999999999999%", 2), ("3", 0), ("2", 2)]:
        assert run(command, allowed, stdin=stdin).status == status


@pytest.mark.parametrize("command", ["canon", "canon -j2"])
def test_a_reader_that_goes_away(command: str, tmp_path: Path) -> None:
    """The status is that of what was read by then."""
    (tmp_path / "docs").write_bytes(BAD + 200_000 * jsonl(good(command, 1)))
    for allowed, status in [("0", 1), ("1", 0), ("50%", 0)]:
        words = [*command.split(), "docs", "--allow-rejects", allowed]
        with subprocess.Popen(
            words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=tmp_path, env=ENVIRONMENT
        ) as process:
            assert process.stdout is not None
            os.read(process.stdout.fileno(), 1)
            process.stdout.close()
            assert process.wait() == status


@driven
def test_usage(command: str, tmp_path: Path) -> None:
    name = program(command)
    for argument in ("", "-1", "1.5", "x", "%", "100.1%", "1e2%", "1/2%", " 1", "٣", "1" * 19, "0.%"):
        ran = run(command, f"--allow-rejects={argument}", cwd=tmp_path)
        assert (ran.status, ran.out) == (2, b"")
        assert ran.err.startswith(f"{name}: argument --allow-rejects: not a number of records or a share such as 0.1%")
    ran = run(command, "--strict", "--allow-rejects", "1", cwd=tmp_path)
    message = f"{name}: argument --allow-rejects: not allowed with argument --strict (see {name} --help)\n"
    assert (ran.status, ran.err) == (2, message)


@given(st.integers(0, 10**6), st.integers(0, 6), st.integers(0, 10**12), st.integers(0, 10**12))
def test_a_share_is_exact(digits: int, places: int, rejected: int, more: int) -> None:
    """Compared as whole numbers; doubles would not do."""
    digits = min(digits, 100 * 10**places)
    written = f"{digits // 10**places}.{digits % 10**places:0{places}}%" if places else f"{digits}%"
    read = rejected + more
    assert allowance(written).holds(rejected, read) == (rejected * 100 * 10**places <= digits * read)


def test_a_share_that_doubles_get_wrong() -> None:
    allowed = allowance("0.1%")
    assert allowed.holds(10**15, 10**18)
    assert not allowed.holds(10**15 + 1, 10**18)
    assert allowance(".3%").holds(3, 1000)
    assert allowance("0%").holds(0, 0)
