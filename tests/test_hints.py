"""Hints in messages about bad records: what kind of file or record it is, and which option or command is meant."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from harness import DATA, jsonl, pipe, program, run, run_here, shell
from shingletools.record.command_registry import STAGES, info_of, record_kinds
from shingletools.running.completion import parser_of
from test_complaints import ALL, GOOD

UTF_16 = "UTF-16: --encoding utf-16-le or utf-16-be reads it"
ZIP = "a zip archive, as office documents are: canon --xlsx reads XLSX; unpack others, or save them as text"
ARRAY = "a JSON array: canon --array reads it, and jq -c '.[]' writes each element on a line"
TABLE = "the header of a table: canon --csv or --tsv reads it"
CITATIONS = "citations: canon --ris reads them"
MAIL = "mail: make a record of each message, as Python's module mailbox reads them"
BY_URL = b'"named":"--id url --text text",'
RETURNS = "lines that end in carriage returns alone: tr '\\r' '\\n' makes line feeds of them"
NO_JSON = "not JSON (column 1)"
FILES = [
    ("canon", b"%PDF-1.7\n%\xe2\xe3\n", NO_JSON, "PDF: pdftotext makes text of it"),
    ("canon", b"PK\x03\x04\x14\0\n", NO_JSON, ZIP),
    ("canon", b"PAR1\x15\x04\n", NO_JSON, "Parquet: canon --parquet and simspark read it"),
    ("canon", b"WARC/1.0\r\n", NO_JSON, "WARC: canon --warc reads it"),
    ("canon", GOOD.decode().encode("utf-16-le"), "not JSON (column 2)", UTF_16.replace("--", "canon --")),
    ("canon", GOOD.decode().encode("utf-16-be"), NO_JSON, UTF_16.replace("--", "canon --")),
    ("canon", b"<!DOCTYPE html>\n", NO_JSON, "HTML or XML: see --whole and --html"),
    ("shingle", b"<!DOCTYPE html>\n", NO_JSON, "HTML or XML"),
    ("canon", b"[\n" + GOOD + b"]\n", "not JSON (column 2)", ARRAY),
    ("canon", b'[{"id":1}]\n', "not a JSON object", ARRAY),
    ("canon", b'{\n "id": 1\n}\n', "not JSON (column 2)", "a record on several lines: jq -c . writes each on one"),
    ("canon", b'\xef\xbb\xbf[{"id":1}]\n', "not a JSON object", ARRAY),
    ("canon", b"id,text\r\n1,a\r\n", NO_JSON, TABLE),
    ("canon", b"id\ttext\n1\ta\n", NO_JSON, TABLE),
    ("canon", b"id;text\n1;a\n", NO_JSON, "the header of a table: canon --csv --delimiter ';' reads it"),
    ("canon", b"It was a dark and stormy night.\n", NO_JSON, "plain text: see --lines and --whole"),
    ("canon", b"\x04\x22\x4d\x18\x64\x40\n", NO_JSON, "lz4: lz4 -dc decompresses it"),
    ("dedup --pairs /dev/null", b"id;text\n", NO_JSON, "the header of a table: --csv --delimiter ';' reads it"),
    ("dedup --pairs /dev/null", b"PAR1\x15\x04\n", NO_JSON, "Parquet: --parquet and simspark read it"),
    ("canon", b"TY  - JOUR\n", NO_JSON, CITATIONS),
    ("canon", b"PMID- 7\n", NO_JSON, CITATIONS),
    ("canon", b"From MAILER-DAEMON Sat Jan  1 00:00:00 2000\n", NO_JSON, MAIL),
    ("canon", b"\xd0\xcf\x11\xe0\n", "not UTF-8 (byte 1)", "an old office document: save it as text or CSV"),
    *(
        ("canon", line, f"not JSON (column {column})", "plain text: see --lines and --whole")
        for line, column in (
            (b"2026-01-01 12:00:01 INFO up\n", 5),
            (b"Jan  1 00:00:01 host sshd[7]: up\n", 1),
            (b"[    0.000] Linux version\n", 13),
            (b'127.0.0.1 - - [10/Oct/2000:13:55:36] "GET /"\n', 6),
        )
    ),
    ("canon", b"# Moby-Dick\n\n", NO_JSON, None),
    ("canon", b"# It's dark\n", NO_JSON, "plain text: see --lines and --whole"),
    ("canon", b"<p>a\n", NO_JSON, "HTML or XML: see --whole and --html"),
    ("canon", b'INFO {"id":1}\n', NO_JSON, None),
    ("canon", b"bad\n", NO_JSON, None),
    ("shingle", b"It was a dark and stormy night.\n", NO_JSON, "plain text: canon --lines reads it"),
    ("canon", GOOD.replace(b"\n", b"\r") * 2, f"not JSON (column {len(GOOD) + 1})", RETURNS),
    ("simgroup", b"id,text\r1,a\r", NO_JSON, RETURNS),
    ("canon", b"first line\rcaf\xe9\r", "not UTF-8 (byte 15)", RETURNS),
    ("canon", b"It was\r\n", NO_JSON, "plain text: see --lines and --whole"),
]


@pytest.mark.parametrize(("command", "content", "cause", "looks"), FILES)
def test_a_file_of_another_format(command: str, content: bytes, cause: str, looks: str | None, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(content)
    expected = f"{program(command)}: file:1: {cause}" + ("" if looks is None else f"; this looks like {looks}")
    ran = run_here(command, "file", cwd=tmp_path)
    assert ran.err.splitlines()[0] == expected
    assert ran.err.count("looks like") == (looks is not None)
    assert run_here(command, "--strict", "file", cwd=tmp_path).err == expected + "\n"


@pytest.mark.parametrize("options", ["", "--lines", "--csv"])
def test_an_encoding_is_named_once(options: str, tmp_path: Path) -> None:
    """And not behind what says that the file is of another format."""
    (tmp_path / "latin").write_bytes(b"id,text\n" * (options == "--csv") + 3 * b"1,\xe9\n")
    assert run_here(f"canon {options} latin", cwd=tmp_path).err.count("iconv") == 1
    (tmp_path / "pdf").write_bytes(b"%PDF-1.7\n" + 3 * b"\xe9\n")
    ran = run_here(f"canon {options} pdf latin", cwd=tmp_path)
    if not options:
        assert ran.err.splitlines()[0].endswith("; this looks like PDF: pdftotext makes text of it")
        assert [line[:13] for line in ran.err.splitlines() if "iconv" in line] == ["canon: latin:"]


PAGE = b"<!doctype html><meta charset='ISO-8859-1'><p>caf\xe9"
READ_AS = [  # what another option should read, or none
    ("--csv", b'{"id":1,"text":"a"}\n', "leave out --csv"),
    ("--tsv", b'{"id":1,"text":"a"}\n', "leave out --tsv"),
    ("--array", b'{"id":1,"text":"a"}\n', "leave out --array"),
    (
        "--array",
        b'{"n":1,"docs":[{"id":1,"text":"a"}]}',
        "an object with an array: jq -c '.docs[]' writes each element on a line",
    ),
    ("--parquet", b'{"id":1,"text":"a"}\n', "leave out --parquet"),
    ("--warc", b'{"id":1,"text":"a"}\n', "leave out --warc"),
    ("--csv", b'[{"id":1,"text":"a"}]\n', "a JSON array: --array reads it"),
    ("--array", b"PAR1\x15\x04", "Parquet: --parquet and simspark read it"),
    ("--parquet", b"WARC/1.0\r\n", "WARC: --warc reads it"),
    ("--warc", b"WARC/x\r\n", "file:1: not WARC, or damaged"),
    ("--csv", b"id;text\n1;a\n", "; --csv --delimiter ';' splits columns at semicolons"),
    (
        "--csv",
        b"nr;body\n1;a\n",
        "; --csv --delimiter ';' splits columns at semicolons, and --text NAME says which is meant",
    ),
    ("--csv", b'"id"\t"text"\n1\ta\n', "; --tsv splits columns at tabs"),
    ("--tsv", b"id,text\n1,a\n", "; --csv splits columns at commas"),
    ("--csv --no-header --id 1 --text 2", b"1|a\n", "; --csv --delimiter '|' splits columns at bars"),
    *(
        (
            options,
            b"sep=;\r\nid;text\r\n1;a\r\n",
            "; sep=; is a line for Excel, and the header comes after it: tail -n +2 FILE | canon --csv --delimiter ';'",
        )
        for options in ("--csv", "--csv --delimiter ;", "--tsv")
    ),
    (
        "--csv",
        b"sep=\t\nid\ttext\n",
        "sep= and a tab is a line for Excel, and the header comes after it: tail -n +2 FILE | canon --tsv",
    ),
    ("--csv", b"body,lang\na,en\n", "; --text NAME says which is meant"),
    ("--csv", b"id,body\n1,a\n", '"id", "body"; --text NAME says which is meant'),
    ("--csv --no-header --id 1 --text 3", b"1,a\n", 'no column "3" among "1", "2"'),
    ("--whole", PAGE, "not UTF-8 (byte 49); iconv -f ISO-8859-1 -t UTF-8 makes UTF-8 of it"),
    ("--whole --html", PAGE, "not UTF-8 (byte 49); iconv -f ISO-8859-1 -t UTF-8 makes UTF-8 of it"),
    *(
        (option, text.encode(coding), f"; this looks like {UTF_16}")
        for coding in ("utf-16-le", "utf-16-be")
        for option, text in (
            ("--csv", "id,text\n1,a\n"),
            ("--csv", "id;text\n1;a\n"),
            ("--tsv", "id\ttext\n1\ta\n"),
            ("--array", '[\n{"id":1,"text":"a"}]'),
        )
    ),
    *(
        (option, text.encode("cp1252"), "; iconv -f ENCODING -t UTF-8 makes UTF-8 of it")
        for option, text in (
            ("--ris", "TY  - JOUR\nTI  - café\nER  -\n"),
            ("--ris", "@a{b, title={café}}\n@c{d, title={é}}\n"),
            ("--csv", "id,text\n1,café\n"),
            ("--csv", "id,text,é\n1,a,b\n"),
            ("--tsv", "id\ttext\n1\té\n"),
            ("--lines", "café\n"),
            ("--array", '[{"id":1,"text":"é"}]'),
            ("--id id", '{"id":1,"text":"é"}\n'),
        )
    ),
    ("--csv", b"id,text\r1,a\r", f"carriage return without quotes); this looks like {RETURNS}"),
    ("--csv --no-header --id 1 --text 2", b"1,a\r2,b\r", f"without quotes); this looks like {RETURNS}"),
    ("--csv --no-header --id 1 --text 2", b'"1","a"\r"2","b"\r', f"without quotes); this looks like {RETURNS}"),
    ("--tsv --no-header --id 1 --text 2", b"1\ta\r2\tb\r", f"within a line); this looks like {RETURNS}"),
    ("--tsv", b"id\ttext\r1\ta\r", f"not TSV (a carriage return within a line); this looks like {RETURNS}"),
    ("--whole", b"caf\xe9", "not UTF-8 (byte 4); iconv -f ENCODING -t UTF-8 makes UTF-8 of it"),
    ("--whole --html", b"PK\x03\x04\xff", f"not UTF-8 (byte 5); this looks like {ZIP.replace('canon --', '--')}"),
    ("--html article", b"", "article: no such file; --html=article, with =, takes this part of a page"),
    ("--html=main page", b"", "page: No such file or directory"),
    ("--lines", b"a\xff\x01\x02", ":1: not UTF-8 (byte 2)"),
    ("--whole", b"a\xff\x01\x02", ": not UTF-8 (byte 2)"),
    (
        "--files0-from",
        b"",
        "the names stand on lines, but each must end with a zero byte: tr '\\n' '\\0' converts them",
    ),
]


@pytest.mark.parametrize(("options", "content", "said"), READ_AS)
def test_a_file_that_is_not_what_the_options_say(options: str, content: bytes, said: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(content)
    (tmp_path / "names").write_bytes(b"file\nnames\n")
    names = ["names"] if options == "--files0-from" else ["file"]
    ran = run_here("canon", *options.split(), *names, cwd=tmp_path)
    assert (ran.status, ran.out) == (2, b"")
    assert ran.err.splitlines()[0].endswith(said)


def test_lines_that_carriage_returns_end(tmp_path: Path) -> None:
    """They are one document, and a message says so; but not if lines have carriage returns inside."""
    (tmp_path / "mac").write_bytes(b"One\rtwo\r")
    (tmp_path / "log").write_bytes(b"10 %\r20 %\ndone\n")
    ran = run_here("canon --lines mac log", cwd=tmp_path)
    assert (ran.status, ran.err) == (0, f"canon: mac: is one line; it looks like {RETURNS}\n")
    assert [json.loads(line)["text"] for line in ran.out.splitlines()] == ["one two", "10 20", "done"]
    (tmp_path / "list").write_bytes(b"the\rof\r")
    assert run_here("canon --stop list mac", cwd=tmp_path).err == (
        f"canon: list:1: a carriage return within a line; this looks like {RETURNS}\n"
    )


def test_names_beyond_ascii_are_shown_as_they_are(tmp_path: Path) -> None:
    """But no character that a terminal obeys or hides: controls, DEL, marks of direction, of joining."""
    hidden = "\x1b\x7f\x9b\u202e\u200d\U000e0001"
    escaped = r"\u001b\u007f\u009b\u202e\u200d\udb40\udc01"
    (tmp_path / "docs").write_bytes(jsonl({f"ид{hidden}": "é", "текст": "a"}))
    assert run_here("canon docs", cwd=tmp_path).err.splitlines()[0] == (
        f'canon: docs:1: field "id" is missing; the record has "ид{escaped}", "текст": --id NAME says which is meant; '
        "--number numbers the records"
    )
    assert run("simgroup", stdin=jsonl({"a": "é\x7f", "b": "é\x7f"})).err.splitlines()[0] == (
        r'simgroup: -:1: pairs "é\u007f" with itself'
    )
    (tmp_path / "файл\x1b").write_bytes(b"[]\n")
    assert run_here("canon", "файл\x1b", cwd=tmp_path).err.startswith(r"canon: файл\x1b:1: not a JSON object")


def test_the_iconv_that_is_named_makes_a_page_that_is_read(tmp_path: Path) -> None:
    (tmp_path / "page").write_bytes(PAGE)
    made = shell("iconv -f ISO-8859-1 -t UTF-8 page > utf8; canon --whole --html utf8", tmp_path)
    assert made.records()[0]["text"] == "café"


@pytest.mark.parametrize(
    ("option", "given", "message"),
    [
        (
            "--groups",
            "pairs",
            'field "members" is missing; these are pairs: simgroup, simshow or dedup --pairs takes them',
        ),
        (
            "--groups",
            "docs",
            'field "members" is missing; these are documents, not groups: simjoin makes pairs of them,'
            " and simgroup groups of pairs",
        ),
        ("--known", "groups", 'field "a" is missing; these are groups: dedup --groups or simshow takes them'),
        ("--known", "docs", 'field "a" is missing; these are documents, not pairs: simjoin makes pairs of them'),
        (
            "--known",
            "array",
            "not a JSON object; this looks like a JSON array: canon --array reads it, and jq -c '.[]'"
            " writes each element on a line",
        ),
    ],
)
def test_other_records_than_those_that_decide_what_goes(option: str, given: str, message: str, tmp_path: Path) -> None:
    (tmp_path / given).write_bytes(b'[{"a":1,"b":2}]\n' if given == "array" else made()[given])
    ran = run_here("dedup", option, given, stdin=DOC, cwd=tmp_path)
    assert (ran.status, ran.out, ran.err) == (2, b"", f"dedup: {given}:1: {message}\n")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (b'{"id":2,"x":NaN}', "not JSON (NaN: write null)"),
        (b'{"id":2,"x":[Infinity]}', "not JSON (Infinity: write null)"),
        (b'{"id":2,"x":-Infinity}', "not JSON (-Infinity: write null)"),
        ('{"id":"é","x":NaN}'.encode(), "not JSON (NaN: write null)"),
        (
            b'{"id":2,"text":"a"} {"id":3,"text":"a"}',
            "not JSON (column 21); several records on one line: jq -c . writes each on one",
        ),
        (b'{"id":2,"text":NULL}', "not JSON (column 16)"),
        (b'{"id":2,{"text":"a"}}', "not JSON (column 9)"),
    ],
)
def test_what_is_at_the_column(line: bytes, said: str) -> None:
    for before in (b"", GOOD):
        ran = run("canon", stdin=before + line + b"\n" + GOOD.replace(b"1", b"9"))
        assert ran.err == f"canon: -:{1 + bool(before)}: {said}\n"


@pytest.mark.parametrize(
    ("command", "table", "said"),
    [
        ("simscore --truth t pairs", b"a,b", "with --csv or --tsv, columns of --truth are separated by commas or tabs"),
        ("simgroup t", b"a;b;similarity", "pairs are read as JSON lines, such as simjoin writes"),
        ("dedup --pairs t docs", b"a\tb", "pairs are read as JSON lines, such as simjoin writes"),
        (
            "simtune --truth t docs",
            b"a,b,label",
            "with --csv or --tsv, columns of --truth are separated by commas or tabs",
        ),
        ("simtune t", b"id,text", "--csv or --tsv reads documents, and simtune --csv or --tsv the files of --truth"),
        ("canon t", b"a,b", "--csv or --tsv reads it"),
        ("canon t", b"id;text", "--csv --delimiter ';' reads it"),
        ("simshow --docs t pairs", b"id,text", "--csv or --tsv reads it"),
    ],
)
def test_a_table_gets_the_options_of_the_command(command: str, table: bytes, said: str, tmp_path: Path) -> None:
    (tmp_path / "t").write_bytes(table + b"\n")
    for name in ("docs", "pairs"):
        (tmp_path / name).write_bytes(made()[name])
    assert f"t:1: not JSON (column 1); this looks like the header of a table: {said}\n" in run_here(
        command, cwd=tmp_path
    ).err.replace("canon --", "--")


def test_simscore_names_no_delimiter_that_it_does_not_take(tmp_path: Path) -> None:
    (tmp_path / "pairs").write_bytes(made()["pairs"])
    for header, hint in (("a;b", ""), ("sep=,", ""), ("a\tb", "; --tsv splits columns at tabs")):
        (tmp_path / "t").write_text(f"{header}\n")
        ran = run_here("simscore --csv --truth t pairs", cwd=tmp_path)
        names = header.replace("\t", "\\t").split(",")
        there = ", ".join(f'"{name}"' for name in names)
        assert ran.err == f'simscore: t:1: no column "a" among {there}{hint}\n'


def test_a_hint_is_given_once_and_never_hidden(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(GOOD + 20 * b"x\n")
    (tmp_path / "b").write_bytes(b"%PDF-1.4\n" + 5 * b"x\n")
    (tmp_path / "c").write_bytes(b"%PDF-1.4\n")
    ran = run_here("canon", "a", "b", "c", cwd=tmp_path)
    assert ran.err.splitlines()[10:] == [
        "canon: b:1: not JSON (column 1); this looks like PDF: pdftotext makes text of it",
        f"canon: 16 more like a:2: not JSON (column 1) {ALL}",
        "canon: b: not one good record",
        "canon: c: not one good record",
    ]


DOC = jsonl({"id": 1, "text": "A word or two of it"})


@cache
def made() -> dict[str, bytes]:
    """Records of each stage, and others."""
    canon = pipe(DOC, "canon")
    shingles = pipe(canon, "shingle")
    return {
        "docs": DOC,
        "canon": canon,
        "shingle": shingles,
        "sketch": pipe(shingles, "sketch -n1"),
        "pairs": jsonl({"a": 1, "b": 2, "similarity": 1.0}),
        "groups": jsonl({"group": 1, "size": 2, "members": [1, 2]}),
        "df": pipe(canon, "shingle --df"),
        "parts": pipe(DOC, "parts"),
        "by url": pipe(jsonl({"url": "u", "text": "A word"}), "canon --id url").replace(BY_URL, b""),
        "nameless canon": jsonl({"text": "a word", "via": "canon/4"}),
        "nameless": jsonl({"text": "A word"}),
        "nested": jsonl({"meta": {"url": "u"}, "text": "A word"}),
        "other": jsonl({"url": "u", "body": "b", "n": 1.5}),
        "named": jsonl({"id": 1, "title": "t", "body": "b"}),
    }


@pytest.mark.parametrize(
    ("command", "given", "message"),
    [
        ("sketch", "docs", 'field "shingles" is missing; these are documents: canon and shingle come before sketch'),
        ("sketch", "canon", 'field "shingles" is missing; these are records of canon: shingle comes next'),
        ("sketch", "parts", 'field "shingles" is missing; these are records of parts: canon comes next'),
        ("sketch", "sketch", 'field "shingles" is missing; these are records of sketch: simjoin comes next'),
        ("simjoin", "canon", 'field "sketch" is missing; these are records of canon: shingle comes next'),
        (
            "simjoin",
            "docs",
            'field "sketch" is missing; these are documents: canon, shingle and sketch come before simjoin',
        ),
        ("simjoin --verify", "sketch", 'field "shingles" is missing; sketch --keep leaves it'),
        ("simjoin", "pairs", 'field "id" is missing; these are pairs: simgroup, simshow or dedup --pairs takes them'),
        ("shingle", "shingle", 'field "text" is missing; these are records of shingle: sketch or simjoin comes next'),
        ("simgroup", "sketch", 'field "a" is missing; these are records of sketch: simjoin comes next'),
        ("simgroup", "docs", 'field "a" is missing; these are documents, not pairs: simjoin makes pairs of them'),
        ("simgroup", "groups", 'field "a" is missing; these are groups: dedup --groups or simshow takes them'),
        (
            "canon",
            "df",
            'field "id" is missing; these are document frequencies: shingle --df-table or sketch --weights takes them',
        ),
        (
            "canon",
            "other",
            'field "id" is missing; the record has "url", "body": --id NAME says which is meant;'
            " --number numbers the records",
        ),
        ("canon", "nameless", 'field "id" is missing; --number numbers the records'),
        ("shingle", "nameless", 'field "id" is missing'),
        (
            "simscore --truth f",
            "docs",
            'field "a" is missing; these are documents, not pairs: simjoin makes pairs of them, and with --field,'
            " --truth takes documents",
        ),
        ("simtune", "by url", 'field "id" is missing; the record has "url": --id NAME says which is meant'),
        (
            "simtune",
            "named",
            'field "text" is missing; the record has "title", "body": --text NAME says which is meant',
        ),
        ("simtune", "shingle", 'field "text" is missing; these are records of shingle: sketch or simjoin comes next'),
        ("sketch", "by url", 'field "id" is missing; the record has "url": --id NAME says which is meant'),
        ("sketch", "nameless canon", 'field "id" is missing; these are records of canon: shingle comes next'),
        ("canon --text Title", "named", 'field "Title" is missing; the record has "title", "id", "body"'),
        ("canon --id url", "nested", 'field "url" is missing; the record has "text", "meta.url"'),
        ("simtune", "nested", 'field "id" is missing; the record has "meta.url": --id NAME says which is meant'),
        ("canon --id Nr", "named", 'field "Nr" is missing; the record has "id", "title", "body"'),
        ("canon --id URL", "other", 'field "URL" is missing; the record has "url", "body", "n"'),
        ("dedup --known f --id URL", "by url", 'field "URL" is missing; the record has "url", "text"'),
        ("simtune --id URL", "by url", 'field "URL" is missing; the record has "url", "text"'),
        ("simtune --text Text", "canon", 'field "Text" is missing; the record has "text", "id"'),
        ("simtune --field lable", "canon", 'field "lable" is missing; the record has "id", "text"'),
        ("sketch --id URL", "by url", 'field "URL" is missing; the record has "url", "text"'),
        (
            "shingle --text body",
            "shingle",
            'field "body" is missing; these are records of shingle: sketch or simjoin comes next',
        ),
        ("canon", "named", 'field "text" is missing; the record has "title", "body": --text NAME says which is meant'),
    ],
)
def test_records_of_another_stage_or_with_other_fields(command: str, given: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(made()["pairs"])
    ran = run_here(command, stdin=2 * made()[given], cwd=tmp_path)
    assert ran.err.splitlines()[0] == f"{program(command)}: -:1: {message}"
    assert ";" not in message or ran.err.count(message.partition("; ")[2]) == 1
    assert ran.status == 2


def test_documents_beside_pairs_have_hints_too(tmp_path: Path) -> None:
    (tmp_path / "docs").write_bytes(made()["named"])
    ran = run_here("simshow", "--docs", "docs", stdin=made()["pairs"], cwd=tmp_path)
    hint = 'the record has "title", "body": --text NAME says which is meant'
    assert ran.err.splitlines()[0] == f'simshow: docs:1: field "text" is missing; {hint}'


def test_a_file_without_a_field_before_files_that_are_good(tmp_path: Path) -> None:
    """One message with a hint, though others have it: labels of simtune, and an input among several."""
    records = [{"id": number, "text": f"a {number}", "title": "b"} for number in range(30)]
    (tmp_path / "docs").write_bytes(jsonl(*records))
    (tmp_path / "labelled").write_bytes(jsonl(*(each | {"label": "c"} for each in records)))
    cause = 'docs:1: field "label" is missing'
    hint = 'the record has "id", "text", "title"'
    for command in ("simtune --truth docs --field label labelled", "canon --text label docs labelled"):
        ran = run_here(command, cwd=tmp_path)
        assert ran.status == 2
        assert ran.err.replace(f"{program(command)}: ", "").splitlines() == [
            f"{cause}; {hint}",
            f"29 more like {cause} (--all-messages shows all)",
            "docs: not one good record",
        ]


def test_documents_beside_others_whose_ids_have_another_name(tmp_path: Path) -> None:
    hint = '1: field "id" is missing; the record has "url": --id NAME says which is meant'
    stages = ["canon --id url", "shingle --id url", "sketch --id url"]
    (tmp_path / "pairs").write_bytes(made()["pairs"])
    pipe(made()["docs"], "canon", "shingle", "sketch", f"simindex add {tmp_path}/A")
    for number in range(len(stages) + 1):
        made_by_url = pipe(jsonl({"url": "u", "text": "A word"}), *stages[:number]).replace(BY_URL, b"")
        (tmp_path / "by-url").write_bytes(made_by_url)
        for command in ("simgroup --singletons by-url pairs", "simindex drop A --ids by-url"):
            ran = run_here(command, cwd=tmp_path)
            assert ran.err.splitlines()[0].endswith(f"by-url:{hint}")


def test_marked_documents_whose_ids_have_another_name(tmp_path: Path) -> None:
    """Of dedup --annotate, those that stay and those that would go."""
    documents = [{"nr": number, "text": "The cat sat on the mat, and a dog saw it"} for number in (1, 2)]
    marked = pipe(jsonl(*documents), "canon --id nr", "shingle --id nr", "sketch --id nr --keep")
    (tmp_path / "docs").write_bytes(jsonl(*documents))
    (tmp_path / "pairs").write_bytes(pipe(marked, "simjoin --id nr"))
    marking = "dedup --annotate --id nr --pairs pairs docs"
    (tmp_path / "marked").write_bytes(run_here(marking, cwd=tmp_path).good())
    ran = run_here("simshow --docs docs --brief marked", cwd=tmp_path)
    hint = 'the record has "nr": --id NAME says which is meant'
    assert ran.err.splitlines()[:2] == [
        f'simshow: marked:1: field "a" is missing; {hint}',
        'simshow: marked:2: field "id" is missing',
    ]
    assert run_here("simshow --id nr -k 2 --docs docs --brief marked", cwd=tmp_path).good()


def test_hints_know_every_command() -> None:
    """But simspark, whose stages have names of their own."""
    made = {each.name for each in record_kinds()}
    for command in STAGES:
        info = info_of(command)
        assert set(info.takes) <= made
        assert info.takes
        assert info.text == ("--text" in parser_of(command)._option_string_actions)


def test_hints_say_nothing_of_what_a_terminal_obeys(tmp_path: Path) -> None:
    record = json.dumps({"id": 1, "\x1b[2J": "x"})
    ran = run_here("canon", stdin=record.encode() + b"\n", cwd=tmp_path)
    assert r'the record has "\u001b[2J"' in ran.err
    assert "\x1b" not in ran.err


def test_the_sample_documents_have_no_hint() -> None:
    assert run("canon", DATA / "docs.jsonl").good()


@pytest.mark.parametrize("way", ["", "-j 2"])
def test_texts_that_are_shorter_than_k(way: str, tmp_path: Path) -> None:
    """Said once, in the shell and in one process; not of half of the documents, nor of a few."""
    texts = [
        f"an {number} of few words" if number % 3 else f"{number} or a text of ten words and more it is"
        for number in range(30)
    ]
    (tmp_path / "docs").write_bytes(jsonl(*({"id": number, "text": text} for number, text in enumerate(texts))))
    said = "20 of 30 documents are shorter than -k 10, and are compared as a whole: a smaller -k compares parts of them"
    assert run_here(f"shingle {way} docs", cwd=tmp_path).err == f"shingle: {said}\n"
    ran = run("shingletools", "run", *way.split(), "canon | shingle | sketch | simjoin", "docs", cwd=tmp_path)
    assert (ran.status, ran.err) == (0, f"shingle: {said}\n")
    for some, options in (
        (texts[:9], ""),
        (texts[::3] * 2 + texts[1:6:4], ""),
        (texts, "-k 5"),
        (texts, "--longest 3"),
    ):
        lines = jsonl(*({"id": number, "text": text} for number, text in enumerate(some)))
        assert run_here(f"shingle {way} {options}", stdin=lines, cwd=tmp_path).err == ""


def test_no_pair_at_all(tmp_path: Path) -> None:
    """Said by dedup, in the shell and in one process; not of a few documents, nor beside an archive."""
    (tmp_path / "docs").write_bytes(jsonl(*({"id": number, "text": "a"} for number in range(10))))
    (tmp_path / "few").write_bytes(jsonl(*({"id": number, "text": "a"} for number in range(9))))
    (tmp_path / "pairs").write_bytes(b"")
    said = "dedup: --pairs has no pair, so no document goes\n"
    command = "dedup --pairs pairs"
    ran = run_here(f"{command} docs", cwd=tmp_path)
    assert (ran.status, ran.out, ran.err) == (0, (tmp_path / "docs").read_bytes(), said)
    assert run("shingletools", "run", f"{command} docs", cwd=tmp_path).err == said
    assert run_here(f"{command} few", cwd=tmp_path).err == ""
    assert run_here(f"{command} --known pairs docs", cwd=tmp_path).err == ""
    assert run_here("dedup --pairs /dev/null docs", cwd=tmp_path).err == ""  # where none are expected
    (tmp_path / "pairs").write_bytes(jsonl({"a": 1, "b": 2, "similarity": 0.5}))
    assert run_here(f"{command} docs", cwd=tmp_path).err == ""


@pytest.mark.parametrize("option", ["--pairs", "--groups"])
def test_pairs_of_other_shards(option: str, tmp_path: Path) -> None:
    """Said if most pairs of a shard have their other document elsewhere; groups say nothing."""
    (tmp_path / "shard").write_bytes(jsonl(*({"id": number, "text": ""} for number in range(0, 20, 2))))
    groups = [[0, 1], [2, 3], [4, 6], [5, 7]]
    (tmp_path / "pairs").write_bytes(jsonl(*({"a": a, "b": b} for a, b in groups)))
    (tmp_path / "groups").write_bytes(jsonl(*({"members": group} for group in groups)))
    command = f"dedup {option} {option[2:]}"
    said = (
        "dedup: --pairs: 2 pairs have one document in the input, and 1 have both: the pairs cover files that are not "
        "given, and a document stays if all that it resembles is there; name these, too\n"
    )
    ran = run_here(f"{command} shard", cwd=tmp_path)
    assert (ran.status, ran.err) == (0, "" if option == "--groups" else said)
    assert [json.loads(line)["id"] for line in ran.out.splitlines()] == [0, 2, 4, *range(8, 20, 2)]
    (tmp_path / "other").write_bytes(jsonl({"id": 1, "text": ""}))
    assert run_here(f"{command} shard other", cwd=tmp_path).err == ""


def test_files_that_use_the_same_ids(tmp_path: Path) -> None:
    """The advice makes all documents come through."""
    documents = [{"id": number, "shingles": f"{number:016x}"} for number in range(3)]
    for name in ("a", "b"):
        (tmp_path / name).write_bytes(jsonl(*documents))
    ran = run_here("simjoin a b", cwd=tmp_path)
    rename = "jq -c '.id = \"\\(input_filename) \\(.id)\"'"
    advice = f"; if several files use the same ids, {rename} FILE... makes them differ"
    messages = [f"simjoin: b:{n}: id {n - 1} was seen before{advice * (n == 2)}" for n in (1, 2, 3)]
    assert (ran.status, ran.err.splitlines()) == (1, messages)
    made = shell(f"{rename} a b > all", tmp_path)
    assert made.status == 0
    pairs = run_here("simjoin all", cwd=tmp_path).records()
    assert [(each["a"], each["b"]) for each in pairs] == [(f"a {number}", f"b {number}") for number in range(3)]


@pytest.mark.parametrize("field", ["Nr", "meta.id", "it's a name"])
def test_how_ids_are_renamed_in_other_fields(field: str, tmp_path: Path) -> None:
    """The field is the one that --id names, and is found again by jq."""
    value: Any = {field: 1, "shingles": ""} if field != "meta.id" else {"meta": {"id": 1}, "shingles": ""}
    for name in ("a", "b"):
        first = {"meta": {"id": f"first {name}"}, "Nr": name, "it's a name": name, "shingles": ""}
        (tmp_path / name).write_bytes(jsonl(first, value))
    ran = run("simjoin --id", field, "a", "b", cwd=tmp_path)
    cause, advice, rename = ran.err.partition("; if several files use the same ids, ")
    assert (ran.status, cause, bool(advice)) == (1, "simjoin: b:2: id 1 was seen before", True)
    made = shell(f"{rename.partition(' FILE...')[0]} a b > all", tmp_path)
    assert made.status == 0
    assert run("simjoin --id", field, "all", "-o", "out", cwd=tmp_path).status == 0


def test_no_advice_about_ids_that_jq_cannot_rename(tmp_path: Path) -> None:
    """Within one file, or on standard input."""
    twice = jsonl(*({"id": number, "shingles": ""} for number in (2, 1, 1)))
    (tmp_path / "a").write_bytes(twice)
    for options in ("a", "-"):
        ran = run(f"simjoin {options}", stdin=twice, cwd=tmp_path)
        assert (ran.status, ran.err) == (1, f"simjoin: {options}:3: id 1 was seen before\n")
    for name in ("t.csv", "u.csv"):
        (tmp_path / name).write_text(f"id,text\n2,x\n{name},a\n{name},b\n")
    pairs = "canon --csv --number --id row t.csv u.csv | shingle -k 1 | simjoin --id row"
    made = shell(f"{pairs} | dedup --pairs - --csv --number --id row t.csv u.csv", tmp_path)
    assert made.good().decode() == "id,text\n2,x\nt.csv,a\nt.csv,b\n"


@pytest.mark.parametrize(
    ("texts", "count"),
    [
        (r"one two three four five six\none two three four five seven\n", 2),
        (r"a b c\n", 0),
        (r"a b\na b c d e f g h i j\n", 0),
    ],
)
def test_few_texts_that_are_all_too_short(texts: str, count: int, tmp_path: Path) -> None:
    """Otherwise a first try with two texts would find nothing, and say nothing."""
    said = f"shingle: {count} of {count} documents are shorter than -k 10, and are compared as a whole"
    ran = shell(f"printf '{texts}' | canon --lines | shingle | simjoin", tmp_path)
    assert (ran.status, ran.out, ran.err.rpartition(":")[0]) == (0, b"", said if count else "")


@pytest.mark.parametrize("way", ["", "-j 2"])
def test_texts_that_canon_did_not_make(way: str, tmp_path: Path) -> None:
    """Said once by shingle as the first command, unless words are as canon's, or the units are no words."""
    documents = [{"id": number, "text": f"The cat, and {number} more words than ten are here"} for number in range(10)]
    (tmp_path / "raw").write_bytes(jsonl(*documents))
    (tmp_path / "plain").write_bytes(jsonl(*(each | {"text": str(each["text"])[8:]} for each in documents)))
    (tmp_path / "few").write_bytes(jsonl(*documents[1:]))
    (tmp_path / "canon").write_bytes(pipe((tmp_path / "raw").read_bytes(), "canon"))
    (tmp_path / "canon-kept").write_bytes(jsonl(*(each | {"via": "web | canon/4"} for each in documents)))
    said = '"Cat", "cat" and "cat," are three words here, because via names no canon, which makes one of them'
    command = f"shingle {way} -k 5"
    assert run_here(f"{command} raw plain", cwd=tmp_path).err == f"shingle: {said}\n"
    ran = run("shingletools", "run", *way.split(), "shingle -k 5 | sketch | simjoin", "raw", cwd=tmp_path)
    assert (ran.status, ran.err) == (0, f"shingle: {said}\n")
    assert run("shingletools", "run", *way.split(), "canon | shingle -k 5", "raw", cwd=tmp_path).err == ""
    for name in ("plain", "few", "canon", "canon-kept"):
        assert run_here(f"{command} {name}", cwd=tmp_path).err == ""
    for option in ("-k 5 --chars", "-k 2 --word-chars", "--longest 3", "-k 5 --readable"):
        assert run_here(f"shingle {way} {option} raw", cwd=tmp_path).err == ""


@pytest.mark.parametrize(("repeats", "is_said"), [(1400, True), (2000, False), (20000, False), (50000, False)])
def test_workers_do_not_decide_about_advice(repeats: int, is_said: bool, tmp_path: Path) -> None:
    """A chunk and a span of large records differ in size, so only what both have is looked at."""
    (tmp_path / "raw").write_bytes(jsonl(*({"id": number, "text": "The Cat, sat. " * repeats} for number in range(14))))
    for way in ("-j 1", "-j 2"):
        assert ("three words here" in run(f"shingle {way} raw", cwd=tmp_path).err) is is_said
