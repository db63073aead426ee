"""The Makefile of the manual, by make itself: what it makes again, and that it goes on from nothing incomplete."""

import os
import shutil
import signal
import subprocess
from functools import cache
from itertools import accumulate
from pathlib import Path

import pytest

from harness import BIN, DATA, DOCS, ENVIRONMENT, Ran, pipe, run, shell, wait_for_the_end_of

MADE = ("docs.canon", "docs.shingles", "docs.sketch", "docs.pairs")
STAGES = ("canon", "shingle -k 10", "sketch -n 84", "simjoin -t 0.8")
NAMES = tuple(stage.partition(" ")[0] for stage in STAGES)
UP_TO_DATE = ["make: 'docs.pairs' is up to date."]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("docs.jsonl", "pipeline.mk"):
        shutil.copy(DATA / name, tmp_path)
    return tmp_path


def make(folder: Path, *argv: str) -> Ran:
    return run("make", "-f", "pipeline.mk", "docs.pairs", *argv, cwd=folder)


def made(ran: Ran) -> list[str]:
    """The commands that ran, without their files."""
    assert (ran.status, ran.err) == (0, "")
    return [line.partition(" -o ")[0].replace(" --allow-rejects 0", "") for line in ran.out.decode().splitlines()]


@cache
def expected() -> list[bytes]:
    """What each stage makes, by the shell."""
    return list(accumulate(STAGES, pipe, initial=DOCS.read_bytes()))[1:]


def left(folder: Path) -> set[str]:
    """What is there in addition to the input."""
    return {path.name for path in folder.iterdir()} - {"docs.jsonl", "pipeline.mk"}


def test_it_is_installed_with_its_tabs(tmp_path: Path) -> None:
    page = (DATA.parents[1] / "man" / "shingletools-reliability.7").read_text()
    (copying,) = (line for line in page.splitlines() if line.startswith("$ cp "))
    shell(copying.removeprefix("$ ").replace("\\-", "-"), tmp_path).good()
    for name in ("pipeline.mk", "day.mk", "day.sh"):
        assert (tmp_path / name).read_bytes() == (DATA / name).read_bytes()
        assert name.endswith(".sh") or b"\n\t$(" in (DATA / name).read_bytes()


def test_what_is_made_again(folder: Path) -> None:
    assert made(make(folder)) == list(STAGES)
    assert [(folder / name).read_bytes() for name in MADE] == expected()
    assert left(folder) == {*MADE, *(f"{name}.how" for name in (*NAMES, "dedup"))}
    assert made(make(folder)) == UP_TO_DATE
    assert make(folder, "-q").status == 0
    for place, name in enumerate(MADE):
        os.utime(folder / name)
        assert made(make(folder)) == (list(STAGES[place + 1 :]) or UP_TO_DATE)
    (folder / "docs.sketch").unlink()
    assert made(make(folder)) == UP_TO_DATE  # as make says of what it needs for nothing else
    os.utime(folder / "docs.jsonl")
    assert made(make(folder)) == list(STAGES)


@pytest.mark.slow
@pytest.mark.parametrize("place", range(len(STAGES)))
def test_a_changed_option(place: int, folder: Path) -> None:
    """Also one with quotes, a dollar and what make itself would read."""
    others = ("canon --delete '\"|[$$#,](x)$$'", "shingle -k 9", "sketch -n 85 --seed '$$HOME %'", "simjoin -t 0.9")
    make(folder)
    before = [(folder / name).read_bytes() for name in MADE]
    change = f"{NAMES[place]}={others[place]}"
    assert make(folder, change, "-q").status == 1
    assert made(make(folder, change)) == [others[place].replace("$$", "$"), *STAGES[place + 1 :]]
    after = [(folder / name).read_bytes() for name in MADE]
    assert (after[:place], after[place] != before[place]) == (before[:place], True)
    assert made(make(folder, change)) == UP_TO_DATE
    assert made(make(folder)) == list(STAGES[place:])
    assert [(folder / name).read_bytes() for name in MADE] == before


@pytest.mark.parametrize("allowed", ["--allow-rejects 0", ""])
def test_a_bad_record(allowed: str, folder: Path) -> None:
    """With no allowance at all it is make that removes the file."""
    (folder / "docs.jsonl").write_bytes(DOCS.read_bytes() + b"bad\n")
    for _ in range(2):
        ran = make(folder, f"allowed={allowed}")
        assert ran.status == 2
        assert "canon: docs.jsonl:301: not JSON (column 1)\n" in ran.err
        assert "docs.canon] Error 1\n" in ran.err
        assert not left(folder) & set(MADE)
    ran = make(folder, "allowed=--allow-rejects 0.34%")
    assert (ran.status, ran.err) == (0, "canon: docs.jsonl:301: not JSON (column 1)\n")
    assert [(folder / name).read_bytes() for name in MADE] == expected()
    for _ in range(2):  # what was made so is not good enough for who allows none
        assert make(folder, f"allowed={allowed}").status == 2


def test_a_stage_that_has_another_bad_record(folder: Path) -> None:
    """An id seen before is one to simjoin only."""
    (folder / "docs.jsonl").write_bytes(DOCS.read_bytes() + b'{"id":"%b","text":"a"}\n' % b"libarpack2")
    for commands in (STAGES, STAGES[3:]):
        ran = make(folder)
        assert (ran.status, ran.out.count(b"\n")) == (2, len(commands))
        assert 'simjoin: docs.sketch:301: id "libarpack2" was seen before\n' in ran.err
        assert "docs.pairs" not in left(folder)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("place", "number", "whom"),
    [
        (place, (signal.SIGINT, signal.SIGKILL)[(place + each) % 2], whom)
        for place in range(len(STAGES))
        for each, whom in enumerate(["make", "the stage", "both"])
    ],
)
def test_an_end_at_each_stage(place: int, number: signal.Signals, whom: str, folder: Path) -> None:
    """A stage that ends itself, make, or both, as it begins; with a bad record that it alone would tell of."""
    (folder / "docs.jsonl").write_bytes(DOCS.read_bytes() + b"bad\n")
    end = {"make": "$PPID", "the stage": "$$", "both": "$PPID $$"}[whom]
    (folder / "bin").mkdir()
    stage = folder / "bin" / NAMES[place]
    stage.write_text(f'#!/bin/sh\nkill -{number.name[3:]} {end}\nexec {BIN}/{NAMES[place]} "$@"\n')
    stage.chmod(0o755)
    allowed = "--allow-rejects 0" if place == 0 else "--allow-rejects 1"
    process = subprocess.Popen(
        ["env", "--default-signal=INT", "make", "-f", "pipeline.mk", "docs.pairs", f"allowed={allowed}"],
        cwd=folder,
        env=ENVIRONMENT | {"PATH": f"{folder / 'bin'}:{ENVIRONMENT['PATH']}"},
        start_new_session=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    assert process.wait(60) != 0
    wait_for_the_end_of(process.pid)
    check_whole(folder, expected())
    if place == 0:
        assert "docs.canon" not in left(folder)
        assert make(folder).status == 2
    shutil.rmtree(folder / "bin")
    assert make(folder, "allowed=--allow-rejects 1").status == 0
    assert [(folder / name).read_bytes() for name in MADE] == expected()


def check_whole(folder: Path, whole: list[bytes]) -> None:
    """What is there is whole, and a stage's file is there only if those before it are."""
    there = [name for name in MADE if (folder / name).exists()]
    assert there == list(MADE[: len(there)])
    assert [(folder / name).read_bytes() for name in there] == whole[: len(there)]
