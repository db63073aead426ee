"""shingle --max-df, --min-df without a table: the input is counted first, then read once more."""

import json
import os
import time
from collections import Counter
from contextlib import closing
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import cast
from unittest.mock import patch

import pytest
from blake3 import blake3

from harness import jsonl, pipe, run, run_here
from shingle.tabled import LIMITS, K, canonical, payloads, shingles, within
from shingletools import kernel
from shingletools.commands.shingle.command import build
from shingletools.commands.shingle.two_pass_filter import ShingleCounting
from shingletools.record.events import ReadFigures
from shingletools.record.filter_chain import Chain
from shingletools.record.stage import Filter
from shingletools.running import driver
from shingletools.running.completion import parser_of
from shingletools.running.step_events import run_filters
from shingletools.system.errors import Failed

LINE_FEED = b"\n"


@pytest.mark.parametrize(("limits", "least", "most"), LIMITS, ids=[each[0] for each in LIMITS])
def test_files_that_are_counted_first(limits: str, least: Fraction, most: Fraction, folder: Path) -> None:
    made = run_here(f"shingle -k {K} {limits} docs", cwd=folder).good()
    assert payloads(made) == within(least, most)
    via = json.loads(made.splitlines()[0])["via"]
    by_table = run_here(f"shingle -k {K} {limits} --df-table df docs", cwd=folder).records()[0]["via"]
    assert via.rpartition(" ")[0] == by_table.rpartition(" ")[0]
    assert via.rpartition(" ")[2] == f"counted=docs@{blake3((folder / 'docs').read_bytes()).hexdigest()[:16]}"


@pytest.mark.parametrize("kernels", ["numpy", "c"] if kernel.NAME == "c" else ["numpy"])
def test_files_that_are_counted_on_disk(kernels: str, folder: Path) -> None:
    command = f"shingle -k {K} --max-df 2 docs"
    made = run(command, cwd=folder).good()
    (folder / "scratch").mkdir()
    for more in ("-S 1b -T scratch", "-j2"):
        assert run(f"{command} {more}", cwd=folder, env={"SHINGLETOOLS_KERNEL": kernels}).good() == made
    assert not list((folder / "scratch").iterdir())


@pytest.mark.parametrize("how", ["--chars", "--word-chars", "--longest 2", "--hash crc32", "--mod 2", "--key-file key"])
def test_all_kinds_of_shingles_are_counted(how: str, folder: Path) -> None:
    (folder / "key").write_bytes(b"sixteen bytes or more")
    command = f"shingle -k {K} {how}"
    whole = payloads(run_here(f"{command} docs", cwd=folder).good())
    df = Counter(each for every in whole for each in set(every))
    made = payloads(run_here(f"{command} --max-df 2 docs", cwd=folder).good())
    assert made == [[each for each in every if df[each] <= 2] for every in whole]


def test_of_several_files_all_are_counted_and_bad_records_are_not(tmp_path: Path) -> None:
    good = [{"id": number, "text": text} for number, text in enumerate(["a", "b a a", "a b", "\u00e9"])]
    (tmp_path / "one").write_bytes(jsonl(*good[:2], {"text": "b"}, {"id": 8, "text": "b", "via": 1}, {"id": 9}))
    (tmp_path / "two").write_bytes(b"b\n" + jsonl(*good[2:]) + b'{"id":7,"text":"b","text":"b"}\n')
    ran = run("shingle -k 1 --max-df 2 --rejects bad one two", cwd=tmp_path)
    whole = payloads(pipe(jsonl(*good), "shingle -k 1"))
    assert (ran.status, payloads(ran.out)) == (1, [[], whole[1][:1], whole[2][1:], whole[3]])
    both = (tmp_path / "one").read_bytes() + (tmp_path / "two").read_bytes()
    via = f"shingle k=1 max-df=2 counted=2%20files@{blake3(both).hexdigest()[:16]}"
    assert {json.loads(line)["via"] for line in ran.out.splitlines()} == {via}
    ran = run("shingle -k 1 --max-df 50% --rejects bad one two", cwd=tmp_path)
    assert {json.loads(line)["via"] for line in ran.out.splitlines()} == {via}


def test_limits_that_leave_nothing_are_reported(tmp_path: Path) -> None:
    """Where nearly all documents have words, but no shingle is left; not where one in fifty has some."""
    texts = [*(f"w{number} x" for number in range(49)), "y z"]
    (tmp_path / "docs").write_bytes(jsonl(*({"id": number, "text": text} for number, text in enumerate(texts))))
    for options, counted, limits in [
        ("--min-df 51", "50 of 50", "--min-df"),
        ("--min-df 10% --max-df 48", "50 of 50", "--min-df and --max-df"),
        ("--min-df 49 -j 2", "", ""),
        ("--max-df 50 --mod 1000000", "50 of 50", "--mod and --max-df"),
    ]:
        ran = run("shingle -k 1", *options.split(), "docs", cwd=tmp_path)
        said = f"shingle: {counted} documents are left without shingles: {limits} left out all that they have\n"
        assert (ran.status, ran.err) == (0, said if counted else "")
        empty = [json.loads(line)["shingles"] for line in ran.out.splitlines()].count("")
        assert empty == (50 if counted else 1), options


def test_lines_of_one_file_do_not_run_into_those_of_the_next(tmp_path: Path) -> None:
    texts = ["a", "b a", "b"]
    lines = [jsonl({"id": number, "text": text}).removesuffix(b"\n") for number, text in enumerate(texts)]
    for name, line in zip("xyz", lines, strict=True):
        (tmp_path / name).write_bytes(line)
    made = run_here("shingle -k 1 --max-df 1 x y z", cwd=tmp_path).out
    whole = payloads(pipe(b"\n".join(lines), "shingle -k 1"))
    assert payloads(made) == [[], [], []]
    label = f"counted=3%20files@{blake3(LINE_FEED.join(lines)).hexdigest()[:16]}"
    assert json.loads(made.splitlines()[0])["via"] == f"shingle k=1 max-df=1 {label}"
    # As many files, whose bytes in a row are the same, but not their lines
    (tmp_path / "x").write_bytes(lines[0] + lines[1][:5])
    (tmp_path / "y").write_bytes(lines[1][5:])
    ran = run_here("shingle -k 1 --max-df 1 x y z", cwd=tmp_path)
    assert (ran.status, payloads(ran.out)) == (2, [whole[2]])  # x and y have no good record
    assert json.loads(ran.out)["via"] != json.loads(made.splitlines()[0])["via"]


@pytest.mark.parametrize("change", ["grew", "cut short", "changed", "replaced"])
@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("when", ["counting", "between", "filtering"])
def test_a_file_that_changes_before_it_was_read_twice(change: str, jobs: int, when: str, tmp_path: Path) -> None:
    path = tmp_path / "docs"
    path.write_bytes(jsonl(*({"id": number, "text": "a b"} for number in range(9))))
    choosing = ShingleCounting.filter

    def change_it() -> None:
        before = path.read_bytes()
        if change == "replaced":
            path.rename(tmp_path / "old")
        time.sleep(0.02)  # the clock of a file system may go by steps
        path.write_bytes({"grew": before * 2, "cut short": before[:99], "changed": before[::-1]}.get(change, before))

    def change_and_choose(counting: ShingleCounting) -> Filter:
        if when == "between":
            change_it()
        return choosing(counting)

    options = parser_of("shingle").parse(["-k1", "--max-df", "2", f"-j{jobs}", str(path)])
    step = cast(Filter, build(options)), "id"
    with (
        patch.object(ShingleCounting, "filter", change_and_choose),
        closing(run_filters(Chain([step]), options.files, jobs)) as results,
        pytest.raises(Failed) as error,
    ):
        assert next(results) == (0, ReadFigures(again=path.stat().st_size))
        if when == "counting":
            change_it()
        result = next(results)
        if when == "filtering":
            assert isinstance(result, tuple)
            assert isinstance(result[1], ReadFigures)
            assert result[1].records == 9
            change_it()
        list(results)
    assert str(error.value).startswith(f"{path}: {change} while it was read")


def test_files_are_counted_when_all_else_is_checked(tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    docs.write_bytes(jsonl({"id": 1, "text": "a"}))
    with patch.object(ShingleCounting, "take") as take:
        for options, why in (
            ("-o no/folder", "no/folder: No such file or directory"),
            ("--rejects docs", "--rejects docs: this run reads or writes that file already"),
            ("--id shingles", 'the id, the payload and via need fields of their own, not "shingles", "text", "via"'),
        ):
            ran = run_here(f"shingle --max-df 2 docs {options}", cwd=tmp_path)
            assert (ran.status, ran.out, ran.err) == (2, b"", f"shingle: {why}\n")
    take.assert_not_called()


def test_progress_is_that_of_both_readings(tmp_path: Path) -> None:
    content = jsonl(*({"id": number, "text": "a b"} for number in range(300)))
    (tmp_path / "docs").write_bytes(content)
    shown = {}
    for limit in ("", "--max-df 2"):
        ran = run_here(f"shingle {limit} --progress docs docs", cwd=tmp_path)
        assert ran.status == 0
        shown[limit] = ran.err.rpartition("100%")[2]
        assert f"{len(content) * (4 if limit else 2) / 1000:.1f}k/" in shown[limit], shown


def test_the_time_of_counting_is_reported(tmp_path: Path) -> None:
    (tmp_path / "docs").write_bytes(jsonl({"id": 1, "text": "a"}))
    clock = iter(range(10, 100, 10))
    fake = SimpleNamespace(monotonic=lambda: next(clock))
    with patch.object(driver, "time", fake), patch.object(ShingleCounting, "take", lambda *_: next(clock)):
        ran = run_here("shingle --max-df 2 -v docs", cwd=tmp_path)
    assert ran.err.startswith("shingle: 1 record, 0 rejected, 20.00 s in "), ran


def test_what_cannot_be_read_twice(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    by_name = "not a regular file: --max-df and --min-df without --df-table read it twice"
    for files, message in (
        ("", "--max-df and --min-df without --df-table read the input twice: name files"),
        ("-", "--max-df and --min-df without --df-table read the input twice: name files"),
        ("pipe", f"pipe: {by_name}"),
        (".", f".: {by_name}"),
        ("none", "none: No such file or directory"),
    ):
        ran = run(f"shingle --max-df 2 {files}", cwd=tmp_path)
        assert (ran.status, ran.out, ran.err) == (2, b"", f"shingle: {message}\n")


def test_texts_that_have_few_shingles_are_counted(tmp_path: Path) -> None:
    texts = ["", "a", "a b", "a b c", "b a c d", "a b"]
    (tmp_path / "docs").write_bytes(jsonl(*({"id": n, "text": text} for n, text in enumerate(texts)), {"id": 9}))
    ran = run("shingle -k 3 --max-df 1 -v docs", cwd=tmp_path)
    assert ran.err.endswith(", 3 shorter than k, 2 left without shingles\n")
    assert payloads(ran.out)[2] == payloads(ran.out)[5] == []
    ran = run("shingle -k 3 --readable -v docs", cwd=tmp_path)
    assert ran.err.endswith(", 3 shorter than k, 0 left without shingles\n")


def test_a_table_of_no_documents_is_of_any(tmp_path: Path) -> None:
    (tmp_path / "df").write_bytes(run(f"shingle -k {K} --df --header").good())
    made = pipe(canonical(), f"shingle -k {K} --max-df 1 --df-table {tmp_path / 'df'}")
    assert payloads(made) == shingles()
    ran = run(f"shingle -k {K} --min-df 1 --df-table {tmp_path / 'df'}", stdin=canonical())
    said = "300 of 300 documents are left without shingles: --min-df left out all that they have"
    assert (ran.status, ran.err) == (0, f"shingle: {said}\n")
    assert not any(payloads(ran.out))
