"""shingle --df, --header, --merge, -S, and --max-df, --min-df with a table: against brute force."""

import json
import math
import tempfile
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from blake3 import blake3
from hypothesis import given
from hypothesis import strategies as st

from agreement import chain_of, check_chain
from harness import DOCS, Record, filtered, jsonl, pipe, run, run_here
from shingle.tabled import LIMITS, K, canonical, frequencies, payloads, shingles, texts, within
from shingletools import kernel
from shingletools.commands.shingle import string_counts
from shingletools.commands.shingle.frequency_filter import read_table
from shingletools.commands.shingle.frequency_limits import FrequencyLimit

HEADER = b'{"documents":2,"shingles":2,"min_df":1,"via":"shingle k=2"}\n'
GOOD = b'{"words":"a b","shingle":"00000000000000ff","df":2,"weight":0.0}\n'


def test_header(folder: Path) -> None:
    header, _, lines = (folder / "df").read_bytes().partition(b"\n")
    assert json.loads(header) == {
        "documents": len(texts()),
        "shingles": len(frequencies()),
        "min_df": 1,
        "via": f"canon/4 | shingle k={K}",
    }
    assert lines == run(f"shingle -k {K} --df docs", cwd=folder).good()
    assert run("shingle --df --header").records() == [
        {"documents": 0, "shingles": 0, "min_df": 1, "via": "shingle k=10"}
    ]


@pytest.mark.parametrize("least", ["2", "7", "1%", "2.01%"])
def test_a_table_of_common_shingles(least: str, folder: Path) -> None:
    share = Fraction(least[:-1]) * len(texts()) / 100 if least.endswith("%") else int(least)
    header, *lines = run(f"shingle -k {K} --df --header --min-df {least} docs", cwd=folder).records()
    assert {line["words"]: line["df"] for line in lines} == {w: df for w, df in frequencies().items() if df >= share}
    assert (header["shingles"], header["min_df"]) == (len(lines), math.ceil(share))


@pytest.mark.parametrize("how", ["", "--mod 3", "--hash crc32", "--mod 2 --min-df 2"])
def test_a_table_on_disk_is_the_one_in_memory(how: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(string_counts, "MIN_MEMORY_BYTES", 5000)
    monkeypatch.setattr(string_counts, "MERGED_RUNS", 3)
    command = f"shingle -k {K} --df --header {how} docs"
    in_memory = run_here(command, cwd=folder).good()
    header, *lines = [json.loads(line) for line in in_memory.splitlines()]
    assert header["shingles"] == len(lines) > 100
    assert run_here(f"{command} -S 1b", cwd=folder).good() == in_memory


def test_scratch_files_that_cannot_be(folder: Path) -> None:
    ran = run(f"shingle -k {K} --df -S 1b -T none docs", cwd=folder)
    assert (ran.status, ran.out, ran.err) == (2, b"", "shingle: none: No such file or directory\n")


def parts(folder: Path, number: int) -> Iterator[str]:
    lines = canonical().splitlines(keepends=True)
    for part in range(number):
        table = run(f"shingle -k {K} --df --header", stdin=b"".join(lines[part::number])).good()
        (folder / f"part{part}").write_bytes(table)
        yield f"part{part}"


@pytest.mark.parametrize("more", ["", "-S 1b", "--min-df 3"])
def test_merged(more: str, folder: Path) -> None:
    (folder / "none").write_bytes(run(f"shingle -k {K} --df --header").good())
    names = ["none", *parts(folder, 3)]
    merged = run(f"shingle -k {K} --df --merge {more} {' '.join(names)}", cwd=folder).good()
    assert merged == run(f"shingle -k {K} --df --header {more} docs", cwd=folder).good()


@pytest.mark.parametrize(("limits", "least", "most"), LIMITS, ids=[each[0] for each in LIMITS])
def test_within(limits: str, least: Fraction, most: Fraction, folder: Path) -> None:
    whole, expected = shingles(), within(least, most)
    command = f"shingle -k {K} {limits} --df-table df docs"
    made = run(command, cwd=folder).good()
    assert payloads(made) == expected
    emptied = sum(1 for every, kept in zip(whole, expected, strict=True) if every and not kept)
    brief = sum(1 for text in texts() if 0 < len(text) < K)
    for other in ("numpy", "c") if kernel.NAME == "c" else ("numpy",):
        ran = run(f"{command} -v -j2", cwd=folder, env={"SHINGLETOOLS_KERNEL": other})
        assert (ran.status, ran.out) == (0, made)
        assert ran.err.endswith(f" MB/s, {brief} shorter than k, {emptied} left without shingles\n")


@pytest.mark.parametrize("how", ["--hash crc32", "--hash md5", "--mod 2", "--key-file key"])
def test_other_fingerprints(how: str, folder: Path) -> None:
    (folder / "key").write_bytes(b"sixteen bytes or more")
    command = f"shingle -k {K} {how}"
    (folder / "df").write_bytes(run(f"{command} --df --header docs", cwd=folder).good())
    common = {line["shingle"] for line in map(json.loads, (folder / "df").open()) if line.get("df", 0) > 2}
    whole = payloads(run(f"{command} docs", cwd=folder).good())
    made = run(f"{command} --max-df 2 --df-table df docs", cwd=folder)
    assert payloads(made.good()) == [[each for each in every if each not in common] for every in whole]


def test_recipe(folder: Path) -> None:
    label = f"df@{blake3((folder / 'df').read_bytes()).hexdigest()[:16]}"
    first = run(f"shingle -k {K} --min-df 0.5% --max-df 1.99% --df-table df docs", cwd=folder).records()[0]
    assert first["via"] == f"canon/4 | shingle k={K} min-df=2 max-df=5 df-table={label}"


def test_a_table_of_common_shingles_is_enough(folder: Path) -> None:
    (folder / "common").write_bytes(run(f"shingle -k {K} --df --header --min-df 4 docs", cwd=folder).good())
    for limits in ("--max-df 3", "--max-df 9", "--min-df 4", "--min-df 4 --max-df 5"):
        made = [run(f"shingle -k {K} {limits} --df-table {name} docs", cwd=folder).good() for name in ("df", "common")]
        assert payloads(made[0]) == payloads(made[1])
    for limits, needed in (("--max-df 2", 3), ("--min-df 3", 3), ("--min-df 2 --max-df 9", 2)):
        ran = run(f"shingle -k {K} {limits} --df-table common docs", cwd=folder)
        message = f"the table lacks shingles in fewer than 4 documents, but the limits need all in {needed} or more"
        assert (ran.status, ran.out, ran.err) == (2, b"", f"shingle: common:1: {message}\n")


def test_in_a_chain(folder: Path) -> None:
    pipeline = f"canon | shingle -k {K} --max-df 3 --df-table {folder / 'df'} | sketch -n 3"
    shell = pipe(DOCS.read_bytes(), *map(str.strip, pipeline.split("|")))
    assert filtered(chain_of(pipeline), DOCS.read_bytes()) == (shell, [])
    assert b'"sketch":"",' in shell
    check_chain(chain_of(pipeline), DOCS.read_bytes())
    check_chain(chain_of(pipeline.replace("canon", "canon --stem en", 1)), DOCS.read_bytes())


def test_records_that_were_made_otherwise(folder: Path) -> None:
    lines = canonical().splitlines(keepends=True)
    escaped = lines[1].replace(b'"via":"canon/4"', b'"via":"c\\u0061non/4"')
    others = [
        (lines[2].replace(b'"via":"canon/4"', b'"via":"canon/4 stop=en"'), '"canon/4 stop=en"'),
        (lines[3].replace(b',"via":"canon/4"', b""), "an unnamed recipe"),
        (lines[4].replace(b'"via":"canon/4"', b'"via":"parts | canon/4"'), '"parts | canon/4"'),
    ]
    stdin = b"".join([lines[0], escaped, *(line for line, _ in others), lines[5]])
    for command in (f"shingle -k {K} --max-df 3 --df-table df", f"shingle -k {K} --hash md5 --max-df 3 --df-table md5"):
        table = command.split(" --max-df")[0]
        (folder / "md5").write_bytes(run(f"{table} --df --header docs", cwd=folder).good())
        ran = run(command, stdin=stdin, cwd=folder)
        assert ran.status == 1
        assert ran.err.splitlines() == [
            f'shingle: -:{place}: made by {via}, not by "canon/4" as the table'
            for place, (_, via) in enumerate(others, 3)
        ]
        good = run(command, stdin=lines[0] + lines[1] + lines[5], cwd=folder).good()
        assert [json.loads(line)["shingles"] for line in ran.out.splitlines()] == [
            json.loads(line)["shingles"] for line in good.splitlines()
        ]


def test_texts_without_a_recipe(tmp_path: Path) -> None:
    records: list[Record] = [{"id": 1, "text": "a b c", "via": ""}, {"id": 2, "text": "a b d"}, {"id": 3, "text": ""}]
    (tmp_path / "df").write_bytes(run("shingle -k 2 --df --header", stdin=jsonl(*records)).good())
    ran = run("shingle -k 2 --max-df 1 --df-table df", "-v", stdin=jsonl(*records), cwd=tmp_path)
    whole = payloads(pipe(jsonl(*records), "shingle -k 2"))
    assert payloads(ran.out) == [whole[0][1:], whole[1][1:], []]
    assert ran.err.endswith(", 0 shorter than k, 0 left without shingles\n")


def test_texts_that_have_little() -> None:
    stdin = jsonl(*({"id": number, "text": text} for number, text in enumerate(["", " ", "a", "a b", "a b c", "b"])))
    for options in ("", "--hash md5", "--readable", "-j2"):
        ran = run("shingle -k 3 -v", *options.split(), stdin=stdin)
        assert ran.err.endswith(", 3 shorter than k, 0 left without shingles\n")
    whole = payloads(pipe(stdin, "shingle -k 3"))
    sampled = payloads(pipe(stdin, "shingle -k 3 --mod 2"))
    emptied = sum(1 for every, kept in zip(whole, sampled, strict=True) if every and not kept)
    assert run("shingle -k 3 --mod 2 -v", stdin=stdin).err.endswith(f", {emptied} left without shingles\n")


@pytest.mark.parametrize(
    ("table", "line", "cause"),
    [
        (b"\n", 1, "not JSON (empty line)"),
        (GOOD, 1, "a table of frequencies begins with a line that shingle --df --header writes"),
        (
            HEADER.replace(b'"documents":2', b'"documents":-1'),
            1,
            'field "documents" is not a whole number from 0 to 9223372036854775807',
        ),
        (
            HEADER.replace(b"2,", b"true,", 1),
            1,
            'field "documents" is not a whole number from 0 to 9223372036854775807',
        ),
        (
            HEADER.replace(b'"min_df":1', b'"min_df":0'),
            1,
            'field "min_df" is not a whole number from 1 to 9223372036854775807',
        ),
        (HEADER.replace(b'"shingle k=2"', b"2"), 1, 'field "via" is not a string'),
        (HEADER.replace(b"k=2", b"k=3"), 1, 'a table of "shingle k=3", not of "shingle k=2"'),
        (HEADER, 1, "the table ends here; its first line says 2 shingles"),
        (HEADER + GOOD, 2, "the table ends here; its first line says 2 shingles"),
        (HEADER + GOOD + GOOD[:30], 3, "not JSON (column 26)"),
        (HEADER + 3 * GOOD, 4, "one line more than the 2 that the first line says"),
        (HEADER + GOOD + HEADER, 3, 'field "shingle" is missing'),
        (HEADER + GOOD.replace(b"ff", b"fg"), 2, 'field "shingle" is not a group of 16 hex digits'),
        (HEADER + GOOD.replace(b"00000000000000ff", b"000000ff"), 2, 'field "shingle" is not a group of 16 hex digits'),
        (HEADER + GOOD.replace(b'"df":2', b'"df":3'), 2, 'field "df" is not a whole number from 1 to 2'),
        (HEADER + GOOD.replace(b'"df":2', b'"df":2.0'), 2, 'field "df" is not a whole number from 1 to 2'),
    ],
)
def test_tables_that_are_none(table: bytes, line: int, cause: str, tmp_path: Path) -> None:
    (tmp_path / "df").write_bytes(table)
    ran = run_here("shingle -k 2 --max-df 1 --df-table df", stdin=jsonl({"id": 1, "text": "a"}), cwd=tmp_path)
    assert (ran.status, ran.out, ran.err) == (2, b"", f"shingle: df:{line}: {cause}\n")


@pytest.mark.parametrize(
    ("command", "option"),
    [
        ("shingle -k 2 --max-df 1", "--df-table"),
        ("sketch --simhash", "--weights"),
        ("sketch", "--lexicon"),
    ],
)
def test_empty_tables(command: str, option: str, tmp_path: Path) -> None:
    ran = run_here(f"{command} {option} /dev/null", stdin=b"", cwd=tmp_path)
    assert (ran.status, ran.out) == (2, b"")
    assert ran.err == f"{command.split(maxsplit=1)[0]}: {option}: /dev/null: the file is empty\n"


SECOND = GOOD.replace(b"a b", b"c d")


@pytest.mark.parametrize(
    ("tables", "message"),
    [
        ([GOOD], "one:1: a table of frequencies begins with a line that shingle --df --header writes"),
        ([HEADER.replace(b"k=2", b"k=5")], 'one:1: a table of "shingle k=5", not of "shingle k=2"'),
        (
            [HEADER.replace(b'"min_df":1', b'"min_df":2')],
            "one:1: the table lacks shingles in fewer than 2 documents, and cannot be merged",
        ),
        ([HEADER + GOOD], "one:2: the table ends here; its first line says 2 shingles"),
        ([HEADER + GOOD, HEADER], "one:2: the table ends here; its first line says 2 shingles"),
        ([HEADER], "one:1: the table ends here; its first line says 2 shingles"),
        (
            [HEADER + GOOD + SECOND + SECOND],
            "one:4: a table of frequencies begins with a line that shingle --df --header writes",
        ),
        ([HEADER + SECOND + GOOD], 'one:3: field "words" is not in ascending order'),
        ([HEADER + GOOD + GOOD], 'one:3: field "words" is not in ascending order'),
        ([HEADER + GOOD.replace(b"a b", b"a  b")], 'one:2: field "words" is not a shingle of at most 2 words'),
        ([HEADER + GOOD.replace(b"a b", b"a b c")], 'one:2: field "words" is not a shingle of at most 2 words'),
        ([HEADER + GOOD.replace(b'"df":2', b'"df":3')], 'one:2: field "df" is not a whole number from 1 to 2'),
        (
            [HEADER + GOOD + SECOND, HEADER.replace(b'"shingle k', b'"canon | shingle k')],
            'two:1: made by "canon", but the records before by an unnamed recipe',
        ),
    ],
)
def test_tables_that_cannot_be_merged(tables: list[bytes], message: str, tmp_path: Path) -> None:
    names = ["one", "two"][: len(tables)]
    for name, table in zip(names, tables, strict=True):
        (tmp_path / name).write_bytes(table)
    ran = run_here("shingle -k 2 --df --merge", *names, cwd=tmp_path)
    assert (ran.status, ran.out, ran.err) == (2, b"", f"shingle: {message}\n")


def test_a_line_that_is_no_json_is_missing_in_what_is_merged(tmp_path: Path) -> None:
    (tmp_path / "one").write_bytes(HEADER + GOOD + GOOD[:30])
    ran = run_here("shingle -k 2 --df --merge one", cwd=tmp_path)
    messages = [
        "shingle: one:2: the table ends here; its first line says 2 shingles",
        "shingle: one:3: not JSON (column 26)",
    ]
    assert (ran.status, ran.out, sorted(ran.err.splitlines())) == (2, b"", messages)


def test_a_table_says_one_recipe() -> None:
    stdin = jsonl({"id": 1, "text": "a", "via": "x"}, {"id": 2, "text": "a"})
    ran = run("shingle --df --header", stdin=stdin)
    said = 'made by an unnamed recipe, but the records before by "x"; "via" is the field of recipes: rename yours'
    assert (ran.status, ran.out, ran.err) == (2, b"", f"shingle: -:2: {said}\n")
    assert run("shingle --df", stdin=stdin).records()[0]["df"] == 2


def test_weights_of_a_table_with_a_header(folder: Path) -> None:
    (folder / "plain").write_bytes((folder / "df").read_bytes().partition(b"\n")[2])
    shingled = pipe(canonical(), f"shingle -k {K}")
    hashes = [
        [record["simhash"] for record in run(f"sketch --simhash --weights {n}", stdin=shingled, cwd=folder).records()]
        for n in ("df", "plain")
    ]
    assert hashes[0] == hashes[1]
    (folder / "df").write_bytes(HEADER)
    ran = run("sketch --simhash --weights df", cwd=folder)
    assert (ran.status, ran.err) == (2, "sketch: df:1: the table ends here; its first line says 2 shingles\n")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--df-table x", "--df-table needs --max-df or --min-df"),
        ("--max-df 2 --df-table none", "--df-table: none: No such file or directory"),
        ("--max-df 2 --df", "--df cannot be combined with --max-df or --df-table"),
        ("--max-df 5 --min-df 6 x", "--min-df 6 and --max-df 5 leave no shingle: the first must not be greater"),
        (
            "--max-df 5 --min-df 6 --df-table x",
            "--min-df 6 and --max-df 5 leave no shingle: the first must not be greater",
        ),
        (
            "--max-df 0.5% --min-df 2% x",
            "--min-df 2% and --max-df 0.5% leave no shingle: the first must not be greater",
        ),
        ("--header", "--header needs --df"),
        ("--merge", "--merge needs --df"),
        *(
            (f"{short} {more}", f"--{name} needs --df, or --max-df or --min-df without --df-table")
            for short, name in (("-S 1M", "buffer-size"), ("-T x", "temporary-directory"))
            for more in ("", "--max-df 1 --df-table x")
        ),
        ("--df -T x", "-T says where -S puts its scratch files, so it needs -S"),
        ("--readable --max-df 1 --df-table x", "--readable cannot be combined with --max-df or --min-df"),
        ("--readable --min-df 1 x", "--readable cannot be combined with --max-df or --min-df"),
        *(
            (
                f"--max-df {wrong} --df-table x",
                "argument --max-df: neither a number from 1 nor a percentage such as 0.5%: "
                f'"{wrong}" (see shingle --help)',
            )
            for wrong in ("0", "0%", "100.1%", "-1", "1/2", "%")
        ),
    ],
)
def test_usage(options: str, message: str, tmp_path: Path) -> None:
    ran = run_here(f"shingle {options}", cwd=tmp_path)
    assert (ran.status, ran.out, ran.err) == (2, b"", f"shingle: {message}\n")


def test_files_that_are_read_already(folder: Path) -> None:
    for options, what in (("-o df", "--output df"), ("--rejects df", "--rejects df")):
        before = (folder / "df").read_bytes()
        ran = run(f"shingle -k {K} --max-df 2 --df-table df docs {options}", cwd=folder)
        assert (ran.status, what in ran.err, (folder / "df").read_bytes()) == (2, True, before)


SPELLINGS = (
    '{{"words":"a b","shingle":"{:016x}","df":{},"weight":0.5}}',
    '{{"df": 7, "df": 1, "words": [], "shingle": "{:016x}", "df": {} }}\r',
    '{{"\\u0073hingle":"{:016x}","df":{}}}',
    '{{"df":0,"shingle":"0","\\u0073hingle":"{:016x}","d\\u0066":{},"more":{{"df":-1}}}}',
)


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(1, 9), st.sampled_from(SPELLINGS))))
def test_tables_that_are_spelled_in_other_ways(lines: list[tuple[int, int, str]]) -> None:
    """Ordinary lines are read at once, others by the definition, in any order; of several the greatest counts."""
    header = {"documents": 9, "shingles": len(lines), "min_df": 1, "via": "shingle k=2"}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "df")
        each_line = "".join(f"{how.format(0xABC0 + fingerprint, df)}\n" for fingerprint, df, how in lines)
        path.write_bytes(jsonl(header) + each_line.encode())
        chosen = read_table(str(path), "shingle k=2", 16, FrequencyLimit(3), FrequencyLimit(6))
    greatest = {each: max(df for other, df, _ in lines if other == each) for each, _, _ in lines}
    kept = chosen.listing.keeps(np.arange(0xABC0, 0xABC6, dtype=np.uint64)).tolist()
    assert kept == [3 <= greatest.get(each, 0) <= 6 for each in range(6)]
