"""Hints about files of another format than the options say, given once."""

import json
from pathlib import Path

import pytest

from harness import DATA, jsonl, program, run, run_here, shell
from test_complaints import ALL, GOOD

UTF_16 = "UTF-16: --encoding utf-16-le or utf-16-be reads it"
ZIP = "a zip archive, as office documents are: canon --xlsx reads XLSX; unpack others, or save them as text"
ARRAY = "a JSON array: canon --array reads it, and jq -c '.[]' writes each element on a line"
TABLE = "the header of a table: canon --csv or --tsv reads it"
CITATIONS = "citations: canon --ris reads them"
MAIL = "mail: make a record of each message, as Python's module mailbox reads them"
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


def test_hints_say_nothing_of_what_a_terminal_obeys(tmp_path: Path) -> None:
    record = json.dumps({"id": 1, "\x1b[2J": "x"})
    ran = run_here("canon", stdin=record.encode() + b"\n", cwd=tmp_path)
    assert r'the record has "\u001b[2J"' in ran.err
    assert "\x1b" not in ran.err


def test_the_sample_documents_have_no_hint() -> None:
    assert run("canon", DATA / "docs.jsonl").good()
