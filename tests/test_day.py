"""A day's work of the manual, as a script and by make: ended at each step and given again, it does the same."""

import json
import shutil
import subprocess
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from harness import BIN, DATA, DOCS, ENVIRONMENT, Ran, run, wait_for_the_end_of

WAYS = {"script": ["sh", "day.sh", "DAY", "archive"], "make": ["make", "-s", "-f", "day.mk", "DAY.new"]}
# The script begins anew whatever is there, and test_make.py ends make at each of the first stages
STEPS = [*((way, name) for way in WAYS for name in ("simjoin", "simindex", "dedup")), ("make", "mv")]
# A step finds what the one before left: the comment says where the archive grew, and at the end
ENDS = [
    *((*step, "before") for step in STEPS),
    *((*step, "behind") for step in STEPS if step[1] in ("simindex", "mv", "dedup")),
]
DAYS = ["monday", "tuesday", "wednesday"]
ByHand = Callable[[int], tuple[bytes, ...]]


def fill(folder: Path) -> Path:
    """Three days: copies within each, copies of the days before, documents of these again, and edited ones."""
    for name in ("day.sh", "day.mk", "pipeline.mk"):
        shutil.copy(DATA / name, folder)
    lines = DOCS.read_bytes().splitlines(keepends=True)
    for number, day in enumerate(DAYS):
        old = [line.replace(b'{"id":"', b'{"id":"%d-' % number) for line in lines[: 50 * number]]
        again = lines[max(100 * number - 30, 0) : 100 * number]
        edited = [
            line.replace(b'"text":"', b'"text":"It has more words than it had: ')
            for line in lines[max(100 * number - 50, 0) : max(100 * number - 30, 0)]
        ]
        (folder / f"{day}.jsonl").write_bytes(b"".join(lines[100 * number : 100 * number + 100] + old + again + edited))
    return folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return fill(tmp_path)


@pytest.fixture(scope="session")
def mondays(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """A folder in which Monday's work is done, to be copied, times of change and all."""

    @cache
    def monday(way: str) -> Path:
        folder = fill(tmp_path_factory.mktemp("monday"))
        work(way, "monday", folder).good()
        return folder

    return monday


def work(way: str, day: str, folder: Path) -> Ran:
    return run(*(word.replace("DAY", day) for word in WAYS[way]), cwd=folder)


def done(folder: Path, days: list[str]) -> tuple[bytes, ...]:
    """What the days left, and what the archive has."""
    return (*((folder / f"{day}.new").read_bytes() for day in days), run("simindex dump archive", cwd=folder).good())


@pytest.fixture(scope="session")
def by_hand(tmp_path_factory: pytest.TempPathFactory) -> ByHand:
    """The same of files alone, of so many days: all joined with those before, without an archive on disk."""
    news, kept = joined_by_hand(fill(tmp_path_factory.mktemp("by-hand")))
    return lambda count: (*news[:count], kept[count - 1])


def joined_by_hand(folder: Path) -> tuple[list[bytes], list[bytes]]:
    """What is new of each day, and what an archive has at its end."""
    kept: list[bytes] = []
    known, news = folder / "known", []
    known.write_bytes(b"")
    for day in DAYS:
        run(f"canon -o x {day}.jsonl", cwd=folder).good()
        run("shingle -o y x", cwd=folder).good()
        run("sketch -o x y", cwd=folder).good()
        run("simjoin -o y x", cwd=folder).good()
        sketches = {each["id"]: each["sketch"] for each in map(json.loads, (folder / "x").read_bytes().splitlines())}
        old = [(line, json.loads(line)) for line in known.read_bytes().splitlines(keepends=True)]
        stay = [line for line, each in old if sketches.get(each["id"], each["sketch"]) == each["sketch"]]
        known.write_bytes(b"".join(stay))
        run(f"simjoin -o pairs --against {known} x", cwd=folder).good()
        news.append(run(f"dedup --pairs y --known pairs {day}.jsonl", cwd=folder).good())
        kept.append(b"".join(stay) + run("dedup --known pairs x", cwd=folder).good())
        known.write_bytes(kept[-1])
    return news, kept


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
def test_three_days(way: str, folder: Path, by_hand: ByHand) -> None:
    for day in DAYS:
        work(way, day, folder).good()
    expected = by_hand(3)
    assert done(folder, DAYS) == expected
    assert all(0 < made.count(b"\n") < 100 for made in expected[:3])
    delivered = b"".join(expected[:3]).splitlines()
    assert len(set(delivered)) == len(delivered)
    assert sum(b"It has more words" in line for line in delivered) > 20
    for day in DAYS:  # again, in no other state
        work(way, day, folder).good()
    assert done(folder, DAYS) == expected


@pytest.mark.slow
@pytest.mark.parametrize("at", ENDS, ids="-".join)
def test_an_end_at_each_step(
    at: tuple[str, str, str], mondays: Callable[[str], Path], by_hand: ByHand, tmp_path: Path
) -> None:
    """Of all processes, as power that is lost, before a step of the second day or behind it, with what it left.

    Given again, the day does the same; so does the third where the archive was grown, or was to grow.
    """
    way, step, when = at
    folder = shutil.copytree(mondays(way), tmp_path / "folder")
    tools = folder / "tools"
    tools.mkdir()
    real = BIN / step if step != "mv" else shutil.which("mv")
    words = ['"$@"', "kill -KILL 0"] if when == "behind" else ["kill -KILL 0", '"$@"']
    (tools / step).write_text(f'#!/bin/sh\nset -- {real} "$@"\n{words[0]}\n{words[1]}\n')
    (tools / step).chmod(0o755)
    process = subprocess.Popen(
        [word.replace("DAY", "tuesday") for word in WAYS[way]],
        cwd=folder,
        start_new_session=True,
        env=ENVIRONMENT | {"PATH": f"{tools}:{ENVIRONMENT['PATH']}"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    assert process.wait(60) < 0
    wait_for_the_end_of(process.pid)
    shutil.rmtree(tools)
    days = DAYS if step == "simindex" else DAYS[:2]
    for day in days[1:]:
        work(way, day, folder).good()
    assert done(folder, days) == by_hand(len(days))


@pytest.mark.slow
def test_a_day_that_is_given_again_later(folder: Path, by_hand: ByHand) -> None:
    """What it added is asked as it was then, not found to repeat itself, nor what came behind it."""
    for day in (*DAYS, "monday", "tuesday"):
        work("script", day, folder).good()
    assert done(folder, DAYS) == by_hand(3)
