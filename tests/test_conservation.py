"""Nothing is lost: what goes in comes out, or is rejected; of each group one document stays."""

import json
import random
from pathlib import Path

import pytest

from harness import DOCS, run

BAD = (
    b"",
    b"{",
    b"[]",
    b'"text"',
    b'{"id":"no text"}',
    b'{"text":"no id"}',
    b'{"id":1.5,"text":"a"}',
    b'{"id":"x","text":3}',
    b'{"id":"x","text":"\xff"}',
    b'{"id":"x","text":"a","via":7}',
    b"\x00",
    b'{"id":"x","text":"\\ud800"}',
)


@pytest.fixture
def mixed(tmp_path: Path) -> tuple[list[bytes], list[bytes]]:
    """Documents in random order with bad ones among them: the input's lines, and the bad of them."""
    rng = random.Random(6)
    lines = [*DOCS.read_bytes().splitlines(), *BAD * 20]
    rng.shuffle(lines)
    (tmp_path / "docs").write_bytes(b"\n".join(lines) + b"\n")
    return lines, [line for line in lines if line in BAD]


@pytest.mark.slow
@pytest.mark.parametrize("jobs", ["1", "2"])
@pytest.mark.parametrize("keep", ["first", "longest"])
def test_the_whole_job(jobs: str, keep: str, mixed: tuple[list[bytes], list[bytes]], tmp_path: Path) -> None:
    lines, bad = mixed
    ran = run("canon", "--all-messages", "-j", jobs, "--rejects", "bad", "-o", "canon", "docs", cwd=tmp_path)
    assert ran.status == 1
    assert ran.err.count("\n") == len(bad)
    assert (tmp_path / "bad").read_bytes().split(b"\n")[:-1] == bad
    good = [line for line in lines if line not in BAD]
    canon = (tmp_path / "canon").read_bytes().splitlines()
    assert [json.loads(line)["id"] for line in canon] == [json.loads(line)["id"] for line in good]
    for command, source, target in (("shingle", "canon", "shingles"), ("sketch", "shingles", "sketches")):
        run(command, "-j", jobs, "-o", target, source, cwd=tmp_path).good()
        assert (tmp_path / target).read_bytes().count(b"\n") == len(good)
    run("simjoin -t 0.8 -o pairs sketches", cwd=tmp_path).good()
    run("simgroup -o groups pairs", cwd=tmp_path).good()

    ran = run(f"dedup --groups groups --keep {keep} --removed gone --rejects bad -o kept docs", cwd=tmp_path)
    kept, gone, rejected = ((tmp_path / name).read_bytes().split(b"\n")[:-1] for name in ("kept", "gone", "bad"))
    assert ran.status == 1
    assert sorted([*kept, *gone, *rejected]) == sorted(lines)
    for part in (kept, gone, rejected):  # each in the order of the input
        places = iter(lines)
        assert all(line in places for line in part)
    remaining = {json.loads(line)["id"] for line in kept}
    removed = {json.loads(line)["id"] for line in gone}
    groups = [json.loads(line)["members"] for line in (tmp_path / "groups").read_bytes().splitlines()]
    assert len(groups) > 50
    assert all(len(remaining.intersection(members)) == 1 for members in groups)
    assert removed < {member for members in groups for member in members}
