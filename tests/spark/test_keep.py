"""What a run with --keep leaves is where a longer one begins, and nothing else."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from harness import DOCS, Ran, pipe
from spark.packing import parts_of

Simspark = Callable[..., Ran]
PIPELINE = ("canon", "shingle -k 3", "sketch", "simjoin -t 0.5")
BAD = b'{"id":1\n'


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    path = tmp_path / "docs"
    lines = DOCS.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines[:100], BAD, *lines[100:], b'{"id":"late"}\n']))
    return path


@pytest.fixture
def kept(simspark: Simspark, docs: Path, tmp_path: Path) -> Callable[..., str]:
    """Runs commands with --keep; what is said of stages of an earlier run. What comes out is the shell's."""
    number = iter(range(100))

    def kept(*commands: str, status: int = 1) -> str:
        out, rejects = (tmp_path / f"{name}{next(number)}" for name in ("out", "bad"))
        ran = simspark(" | ".join(commands), "--keep", tmp_path / "kept", "--in", docs, "--out", out,
                       "--rejects", rejects, "-v")  # fmt: skip
        *told, figures = ran.err.splitlines()
        assert ran.status == status, ran
        good = b"".join(line + b"\n" for line in docs.read_bytes().splitlines() if b'"text"' in line)
        assert parts_of(out) == pipe(good, *commands)
        if status:
            assert told == [f"simspark: canon: file:{docs}:101: not JSON (column 8)",
                            f'simspark: canon: file:{docs}:302: field "text" is missing']  # fmt: skip
            assert b"".join(path.read_bytes() for path in (rejects / "1-canon").glob("part-*")).startswith(BAD)
        return ", ".join(figure for figure in figures.split(", ") if "earlier run" in figure)

    return kept


def test_longer_and_longer(kept: Callable[..., str]) -> None:
    assert kept(*PIPELINE[:1]) == ""
    assert kept(*PIPELINE[:1]) == "lines of an earlier run are used"
    assert kept(*PIPELINE[:3]) == "lines of an earlier run are used"  # of the first
    assert kept(*PIPELINE) == "lines of an earlier run are used"
    assert kept(*PIPELINE[:3], "simjoin -t 0.9", "simgroup") == "lines of an earlier run are used"
    assert kept("canon", "shingle -k 4") == "lines of an earlier run are used"
    assert kept("canon --stop en", "shingle") == ""


def test_against_others(simspark: Simspark, docs: Path, tmp_path: Path) -> None:
    """Only the input goes on from what was kept of it."""
    lines = pipe(DOCS.read_bytes(), *PIPELINE[:3])
    (tmp_path / "old").write_bytes(lines)
    docs.write_bytes(DOCS.read_bytes())
    join = f"simjoin -t 0.5 --against {tmp_path / 'old'}"
    expected = pipe(lines, join)
    for commands, there in ((PIPELINE[:3], 0), ((*PIPELINE[:3], join), 1), ((*PIPELINE[:3], join), 1)):
        out = tmp_path / f"out{len(list(tmp_path.iterdir()))}"
        ran = simspark(" | ".join(commands), "--keep", tmp_path / "kept", "--in", docs, "--out", out, "-v")
        assert (ran.status, ran.err.count("of an earlier run are used")) == (0, there)
    assert parts_of(out) == expected


def test_other_input(kept: Callable[..., str], docs: Path) -> None:
    kept(*PIPELINE)
    assert kept(*PIPELINE) == "lines of an earlier run are used"
    os.utime(docs, (1, 1))
    assert kept(*PIPELINE) == ""
    docs.write_bytes(DOCS.read_bytes())
    assert kept(*PIPELINE, status=0) == ""
