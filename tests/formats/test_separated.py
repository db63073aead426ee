"""Rows of CSV and TSV as documents."""

import csv
import io
import json
import os
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness import Ran, jsonl, run, run_here, run_process, shell
from shingletools.reading.formats import table_rows
from shingletools.reading.formats.table_rows import MAX_ROW_BYTES, Dialect, RowsOfFile
from shingletools.reading.streams import Blocks

FORMAT = Dialect(",", True, True, ("id", "text"))
TEXT = "--text NAME says which is meant"
# Prints the peak memory of a command in KB; that of a child of pytest may be pytest's own
PEAK = """
import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)


def as_blocks(blocks: Iterable[bytes]) -> Blocks:
    return Blocks((block for block in blocks), "file", "nothing")


def rows_of(blocks: list[bytes], form: Dialect = FORMAT) -> list[tuple[int | None, bytes, str]]:
    return [
        (document.line, document.record, document.cause)
        for _, made in RowsOfFile(form, "file", as_blocks(blocks)).documents()
        for document in made
    ]


def canon(folder: Path, content: bytes, *options: str) -> Ran:
    (folder / "docs").write_bytes(content)
    return run_here("canon", "--rejects", "bad", *options, "docs", cwd=folder)


def test_rows_become_records_of_strings(tmp_path: Path) -> None:
    content = '\ufeffid,lang,text\r\n1,en,"The ""Cat"""\r\n2,,"two\nlines, one text"\r\n3,ru,5" disk'.encode()
    assert canon(tmp_path, content, "--csv").records() == [
        {"id": "1", "lang": "en", "text": "the cat", "via": "canon/4"},
        {"id": "2", "lang": "", "text": "two lines one text", "via": "canon/4"},
        {"id": "3", "lang": "ru", "text": "5 disk", "via": "canon/4"},
    ]


def test_bad_rows_are_reported_by_the_line_at_which_they_begin_and_kept_as_they_came(tmp_path: Path) -> None:
    bad = [b"1,short", b"2,a,b,c", b'3,"a\nb"c,d', b"4,\xff,d", b"", b"5,\r6,d", b'7,"open,\n8,b,d']
    good = b"9,fine,d"
    content = b"\n".join([b"id,text,x", good, *bad[:3], good, *bad[3:]])
    ran = canon(tmp_path, content, "--csv")
    assert ran.out.count(b"\n") == 2
    assert ran.status == 1
    assert ran.err.split("\n") == [
        "canon: docs:3: 2 columns, but the header has 3",
        "canon: docs:4: 4 columns, but the header has 3",
        "canon: docs:5: not CSV (text after a closing quote, or a carriage return without quotes)",
        "canon: docs:8: not UTF-8 (byte 3); iconv -f ENCODING -t UTF-8 makes UTF-8 of it",
        "canon: docs:10: not CSV (text after a closing quote, or a carriage return without quotes)",
        "canon: docs:11: a quoted value has no end",
        "",
    ]
    kept = [row for row in bad if row]  # a blank line is no row
    assert (tmp_path / "bad").read_bytes() == b"\n".join([*kept[:2], b'3,"a\nb"c,d', *kept[3:], b""])


@pytest.mark.parametrize("delimiter", [",", "\t"])
@pytest.mark.parametrize(("names", "row"), [(["id", "text"], ["7", "a b"]), (["text"], ["a b"])])
def test_blank_lines_are_no_rows(delimiter: str, names: list[str], row: list[str], tmp_path: Path) -> None:
    """As Python's csv has it, also before the header; but in TSV of one column, they are empty values."""
    lines = ["", *[delimiter.join(each) for each in (names, row)], "", "", delimiter.join(row).replace("7", "8"), ""]
    for end in ("\n", "\r\n"):
        content = end.join(lines)
        expected = [each["text"] for each in csv.DictReader(io.StringIO(content.lstrip()), delimiter=delimiter)]
        if delimiter == "\t" and len(names) == 1:
            expected[1:1] = ["", ""]
        ran = canon(tmp_path, content.encode(), "--csv" if delimiter == "," else "--tsv")
        assert [record["text"] for record in ran.records()] == expected
        command = ("shingletools", "unique", "--csv" if delimiter == "," else "--tsv", "docs")
        stays = run_here(*command, cwd=tmp_path).out.decode()
        assert stays.split(end)[:2] == [delimiter.join(each) for each in (names, row)]


def test_tsv_with_line_breaks_in_quotes_gets_a_hint(tmp_path: Path) -> None:
    content = b'id\ttext\n1\t"one\ntwo"\n2\t"three\nfour"\n'
    ran = canon(tmp_path, content, "--tsv")
    assert ran.err.splitlines() == [
        "canon: docs:3: 1 column, but the header has 2; "
        "--csv --delimiter $'\\t' reads values that have line breaks in quotes",
        "canon: docs:5: 1 column, but the header has 2",
    ]
    assert [each["text"] for each in canon(tmp_path, content, "--csv", "--delimiter", "\t").records()] == [
        "one two",
        "three four",
    ]
    assert "--delimiter" not in canon(tmp_path, b"id\ttext\n1\tone\ntwo\n", "--tsv").err


def test_tabs_part_values_and_quotes_are_text(tmp_path: Path) -> None:
    ran = canon(
        tmp_path, b'1\tsay "yes\r\n2\tsay \\t no\n3\ta\tb\n', "--tsv", "--no-header", "--id", "1", "--text", "2"
    )
    assert ran.out == b"".join(
        b'{"1":"%d","2":"%b","named":"--id 1 --text 2","via":"canon/4"}\n' % each
        for each in ((1, b"say yes"), (2, b"say t no"))
    )
    assert (ran.status, ran.err) == (1, "canon: docs:3: 3 columns, but the first row has 2\n")


def test_another_character_may_part_values(tmp_path: Path) -> None:
    ran = canon(tmp_path, b'url;body.text\nu;"a;b, c"\n', *"--csv --delimiter ; --id url --text body.text".split())
    assert ran.records() == [{"url": "u", "body.text": "a b c", "named": "--id url --text body.text", "via": "canon/4"}]


def test_columns_of_one_name_get_distinct_names(tmp_path: Path) -> None:
    ran = canon(tmp_path, b"id,x,text,x,x_2,,\n1,a,b,c,d,e,f\n", "--csv")
    assert ran.out == b'{"id":"1","x":"a","text":"b","x_3":"c","x_2":"d","":"e","_2":"f","via":"canon/4"}\n'
    assert (ran.status, ran.err) == (0, "")


def test_rows_without_an_id_get_their_number_in_the_whole_input(tmp_path: Path) -> None:
    (tmp_path / "more").write_bytes(b"text\nc\n")
    ran = canon(tmp_path, b"text\na\nb,x\n\n", "--csv", "--number", "more")
    assert [(record["id"], record["text"]) for record in map(json.loads, ran.out.splitlines())] == [
        (1, "c"),
        (2, "a"),
    ]
    assert ran.err == "canon: docs:3: 2 columns, but the header has 1\n"
    assert canon(tmp_path, b"text\na\nb,x\n\n", "--csv", "more").out == ran.out
    both = canon(tmp_path, b"text,id\na,x\n", "--csv", "more").records()
    assert [each["id"] for each in both] == [1, "x"]  # each table has its own, or numbers


@pytest.mark.parametrize(
    ("content", "options", "said"),
    [
        (b"a,b\n1,2\n", "--csv", f'docs:1: no column "text" among "a", "b"; {TEXT}'),
        (b"a,b\n1,2\n", "--csv --id c", 'docs:1: no column "c" among "a", "b"'),
        (b"\n1,2\n", "--csv", f'docs:2: no column "text" among "1", "2"; {TEXT}'),
        (b"id,text,id\n", "--csv", 'docs:1: two columns "id"'),
        (b'id,"text\n', "--csv", "docs:1: a quoted value has no end"),
        (b"id,text,\xe9\n", "--csv", "docs:1: not UTF-8 (byte 9); iconv -f ENCODING -t UTF-8 makes UTF-8 of it"),
        (b"1,2\n", "--csv --no-header", "--no-header: --id and --text must be numbers of columns, from 1"),
        (b"1,2\n", "--csv --no-header --id 1 --text 3", 'docs:1: no column "3" among "1", "2"'),
        (b"", "--csv --tsv", "argument --tsv: not allowed with argument --csv (see canon --help)"),
        (b"", "--delimiter ;", "--delimiter needs --csv"),
        (b"", "--tsv --delimiter ;", "--delimiter needs --csv"),
        (b"", "--no-header", "--no-header needs --csv or --tsv"),
        (b"", "--csv --delimiter ;;", '--delimiter: not one ASCII character that can separate values: ";;"'),
        (b"", '--csv --delimiter "', '--delimiter: not one ASCII character that can separate values: "\\""'),
        (b"", "--lines --number", "--number cannot be combined with --lines, which gives ids of its own"),
        (b"", "--warc --number", "--number cannot be combined with --warc, which gives ids of its own"),
    ],
)
def test_what_cannot_be_read_ends_the_run(content: bytes, options: str, said: str, tmp_path: Path) -> None:
    ran = canon(tmp_path, content, *options.split())
    assert (ran.status, ran.out, ran.err) == (2, b"", f"canon: {said}\n")


@pytest.mark.parametrize("line", [b'2,"' + b"a" * 300, b'2,"\n' + b"a\n" * 150, b"2,\xc3\xa9" + b"a" * 96])
def test_a_row_that_does_not_end_is_not_held_for_ever(
    line: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table_rows.own_parser()  # whose limit this process keeps
    monkeypatch.setattr(table_rows, "MAX_ROW_BYTES", 99)
    ran = canon(tmp_path, b"id,text\n1,a\n" + line, "--csv")
    within = " (a quote without an end?)" if b"\n" in line else ""
    assert ran.status == 2
    assert ran.err in (
        f"canon: docs:3: a row of more than 99 bytes{within}\n",
        "canon: docs:3: a row of more than 99 bytes (a quote without an end?)\n",
    )


@pytest.mark.parametrize("options", ["--csv", "--tsv"])
def test_a_file_without_line_feeds_that_is_too_long_for_a_row(
    options: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table_rows.own_parser()  # as above
    monkeypatch.setattr(table_rows, "MAX_ROW_BYTES", 99)
    said = "looks like lines that end in carriage returns alone: tr '\\r' '\\n' makes line feeds of them"
    ran = canon(tmp_path, b"id,text\r" + b"1,some words\r" * 9, options)
    assert (ran.status, ran.err) == (2, f"canon: docs:1: a row of more than 99 bytes; this {said}\n")


@pytest.mark.slow
def test_a_quote_without_an_end_takes_no_more_memory_than_a_row_may(tmp_path: Path) -> None:
    (tmp_path / "docs").write_bytes(b'id,text\n1,"' + b"line, of text\n" * (3 * MAX_ROW_BYTES // 14))
    ran = shell("ulimit -v 1000000; canon --csv docs", tmp_path)
    message = f"canon: docs:2: a row of more than {MAX_ROW_BYTES} bytes (a quote without an end?)\n"
    assert (ran.status, ran.out, ran.err) == (2, b"", message)


@pytest.mark.slow
@pytest.mark.parametrize("options", ["", "-j 2"])
@pytest.mark.parametrize("words", ["some words of a text ", "с\u0301 é ", "some \U0001f600 words", "line\n"])
def test_a_long_value_takes_ten_times_its_size(words: str, options: str, tmp_path: Path) -> None:
    """And 50 MB, as shingletools(7) says, whatever its characters are and however short its lines."""
    size = 16_000_000
    value = words.encode() * (size // len(words.encode()))
    (tmp_path / "docs").write_bytes(b'id,text\n1,"%b"\n' % value)
    ran = run_process(sys.executable, "-c", PEAK, "canon", "--csv", *options.split(), "docs", cwd=tmp_path)
    assert int(ran.good()) < 50_000 + 10 * size // 1024


@settings(max_examples=60)
@given(st.lists(st.tuples(TEXTS, TEXTS), max_size=6), st.integers(1, 40), st.sampled_from([",", ";", "\t"]))
def test_what_another_writer_writes_is_read_however_it_comes(
    rows: list[tuple[str, str]], size: int, delimiter: str
) -> None:
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter=delimiter)
    writer.writerows([("id", "text"), *rows])
    data = text.getvalue().encode()
    found = rows_of([data[at : at + size] for at in range(0, len(data), size)], FORMAT._replace(delimiter=delimiter))
    assert [cause for *_, cause in found if cause] == []
    assert [json.loads(record) for _, record, _ in found] == [{"id": one, "text": two} for one, two in rows]


@settings(max_examples=60)
@given(st.text(st.sampled_from('a",\n\r\té'), max_size=30), st.integers(1, 5))
def test_any_cut_of_the_input_gives_the_same_documents(text: str, size: int) -> None:
    data = b"id,text\n" + text.encode()
    assert rows_of([data[at : at + size] for at in range(0, len(data), size)]) == rows_of([data])


def test_rows_flow_on_as_they_come() -> None:
    """The second block is not asked for before the documents of the first are there."""
    reads, writes = os.pipe()
    os.write(writes, b"id,text\n1,a\n2,b")
    documents = RowsOfFile(FORMAT, "file", as_blocks(iter(lambda: os.read(reads, 99), b""))).documents()
    assert [document.raw for document in next(documents)[1]] == [b"1,a"]
    os.close(writes)
    assert [document.raw for _, made in documents for document in made] == [b"2,b"]
    os.close(reads)


@pytest.mark.slow
@pytest.mark.parametrize("way", ["--csv", "--csv --number", "--array"])
def test_any_number_of_workers_gives_the_same_bytes(way: str, tmp_path: Path) -> None:
    text = io.StringIO(newline="")
    rows = [(str(number), f"some words\n{number}" * (number % 50)) for number in range(5000)]
    csv.writer(text).writerows([("id", "text"), *rows])
    data = text.getvalue().encode() + b'1,"x"y\n1,2,3\n5,good'
    if way == "--array":
        elements = [line.rstrip() for line in jsonl(*({"id": one, "text": two} for one, two in rows)).splitlines()]
        data = b"[" + b",\n ".join([*elements, b"{", b"5", b'{"id":1,\n"text":"a"}'])
    (tmp_path / "docs").write_bytes(data)
    runs = []
    for jobs in "13":
        ran = run("canon", *way.split(), "-j", jobs, "--rejects", jobs, "docs", cwd=tmp_path)
        runs.append((ran.status, ran.out, ran.err, (tmp_path / jobs).read_bytes()))
    assert runs[0] == runs[1]
    assert (runs[0][0], runs[0][1].count(b"\n")) == (1, 5001 - (way == "--array"))
