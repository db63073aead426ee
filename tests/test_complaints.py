"""What is said of bad records: how many messages, which hints, and the status where nothing is good."""

import json
from functools import cache
from pathlib import Path

import pytest

from harness import DATA, Record, jsonl, parser_of, pipe, program, run, run_here, shell
from shingletools.record.faces import STAGES, face_of, kinds
from shingletools.running.complaints import CAUSES, SHOWN, Complaints, cause_of
from shingletools.system.errors import Failed

GOOD = jsonl({"id": "good", "text": "A word"})
ALL = "(--all-messages shows all)"


def said(*causes: str, every: bool = False) -> list[str]:
    messages: list[str] = []
    complaints = Complaints("canon", messages.append, every)
    for number, cause in enumerate(causes, 1):
        complaints.add(("f", number, cause, b"x"))
    complaints.close()
    return messages


def test_ten_of_one_cause_and_how_many_more() -> None:
    causes = [f'id "{number}" was seen before' for number in range(25)]
    every = [f"f:{number}: {cause}" for number, cause in enumerate(causes, 1)]
    assert said(*causes) == [*every[:SHOWN], f"15 more like {every[0]} {ALL}"]
    assert said(*causes, every=True) == every
    assert said(*causes[:SHOWN]) == every[:SHOWN]


def test_each_distinct_problem_is_seen() -> None:
    """However late it comes, and in the order in which they come."""
    causes = [*(["not JSON (column 1)"] * 30), 'field "id" is missing', 'field "text" is missing', "not UTF-8 (byte 7)"]
    assert [message.partition(" ")[2] for message in said(*causes)] == [
        *(["not JSON (column 1)"] * SHOWN), *causes[30:-1],
        "not UTF-8 (byte 7); iconv -f ENCODING -t UTF-8 makes UTF-8 of it", f"more like f:1: not JSON (column 1) {ALL}",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("not JSON (column 1)", "not JSON (column 22)", True),
        ("not JSON (column 1)", "not JSON (empty line)", False),
        ("not JSON (column 1)", "not JSON (lone surrogate, column 1)", False),
        ('id "a" was seen before', "id -7 was seen before", True),
        (f'id "{"a" * 200}"... (999 characters) was seen before', 'id "a\\"b" was seen before', True),
        ('pairs "a" with itself', "pairs 7 with itself", True),
        ('part 3 of "a" comes after 4', 'part 1 of "b" comes after 9', True),
        ('field "a" is missing', 'field "b" is missing', False),
        ('field "a.1" is missing', 'field "a.2" is missing', False),
        ('field "a" is missing', 'field "a" is not a string', False),
        ('made by "canon", not by "x" as the table', 'made by "parts", not by "x" as the table', False),
        ('--replace "a": more than 9', '--replace "b": more than 9', False),
    ],
)  # fmt: skip
def test_what_one_cause_is(one: str, other: str, same: bool) -> None:
    assert (cause_of(one) == cause_of(other)) is same


def test_causes_without_end() -> None:
    """As many are told apart as memory is taken for; the others are of one kind."""
    causes = [f'made by "{number}", not by "canon" as the table' for number in range(CAUSES + 50)]
    every = [f"f:{number}: {cause}" for number, cause in enumerate(causes, 1)]
    assert said(*causes) == [*every[: CAUSES + SHOWN], f"40 more of other causes {ALL}"]


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_messages_counts_and_status_of_a_run(jobs: str, tmp_path: Path) -> None:
    lines = [GOOD, *(b"x" * number + b"\n" for number in range(1, 40)), b"{}\n", *([b'{"id":1}\n'] * 12)]
    (tmp_path / "docs").write_bytes(b"".join(lines))
    command = ["canon", "-v", "-j", jobs, "--rejects", "bad", "docs"]
    every = [f"canon: docs:{number}: not JSON (column 1)" for number in range(2, 41)]
    fields = ['canon: docs:41: field "id" is missing']
    texts = [f'canon: docs:{number}: field "text" is missing' for number in range(42, 54)]
    ran = run(*command, cwd=tmp_path)
    *messages, figures = ran.err.splitlines()
    assert (ran.status, ran.out) == (1, run("canon", stdin=GOOD).out)
    assert figures.startswith("canon: 1 records, 52 rejected, ")
    assert messages == [
        *every[:10], *fields, *texts[:10],
        f"canon: 29 more like docs:2: not JSON (column 1) {ALL}",
        f'canon: 2 more like docs:42: field "text" is missing {ALL}',
    ]  # fmt: skip
    assert (tmp_path / "bad").read_bytes() == b"".join(lines[1:])
    ran = run(*command, "--all-messages", cwd=tmp_path)
    assert (ran.status, ran.err.splitlines()[:-1]) == (1, every + fields + texts)


def test_a_run_that_fails_says_how_many_there_were() -> None:
    records = [{"id": number, "sketch": "01234567", "via": via} for number, via in enumerate("ab")]
    ran = run("simjoin", stdin=15 * b"x\n" + jsonl(*records))
    assert ran.status == 2
    assert ran.err.splitlines()[10:] == [
        f"simjoin: 5 more like -:1: not JSON (column 1) {ALL}",
        'simjoin: -:17: made by "b", but the records before by "a"; "via" is the field of recipes: rename yours',
    ]


UTF_16 = "UTF-16: iconv -f UTF-16 -t UTF-8 makes UTF-8 of it"
ZIP = "a zip archive, as office documents are: unpack or convert it"
ARRAY = "a JSON array: canon --array reads it, and jq -c '.[]' writes each element on a line"
TABLE = "the header of a table: canon --csv or --tsv reads it"
NO_JSON = "not JSON (column 1)"
FILES = [
    ("canon", b"%PDF-1.7\n%\xe2\xe3\n", NO_JSON, "PDF: pdftotext makes text of it"),
    ("canon", b"PK\x03\x04\x14\0\n", NO_JSON, ZIP),
    ("canon", b"PAR1\x15\x04\n", NO_JSON, "Parquet: canon --parquet and simspark read it"),
    ("canon", b"WARC/1.0\r\n", NO_JSON, "WARC: canon --warc reads it"),
    ("canon", GOOD.decode().encode("utf-16"), "not UTF-8 (byte 1)", UTF_16),
    ("canon", GOOD.decode().encode("utf-16-le"), "not JSON (column 2)", UTF_16),
    ("canon", GOOD.decode().encode("utf-16-be"), NO_JSON, UTF_16),
    ("canon", b"<!DOCTYPE html>\n", NO_JSON, "HTML or XML: see --whole and --html"),
    ("shingle", b"<!DOCTYPE html>\n", NO_JSON, "HTML or XML"),
    ("canon", b"[\n" + GOOD + b"]\n", "not JSON (column 2)", ARRAY),
    ("canon", b'[{"id":1}]\n', "not a JSON object", ARRAY),
    ("canon", b'{\n "id": 1\n}\n', "not JSON (column 2)",
     "a record on several lines: jq -c . writes each on one"),
    ("canon", b'\xef\xbb\xbf[{"id":1}]\n', "not a JSON object", ARRAY),
    ("canon", b"id,text\r\n1,a\r\n", NO_JSON, TABLE),
    ("canon", b"id\ttext\n1\ta\n", NO_JSON, TABLE),
    ("canon", b"id;text\n1;a\n", NO_JSON, "the header of a table: canon --csv --delimiter ';' reads it"),
    ("canon", b"It was a dark and stormy night.\n", NO_JSON, "plain text: see --lines and --whole"),
    ("canon", b"\x04\x22\x4d\x18\x64\x40\n", NO_JSON, "lz4: lz4 -dc decompresses it"),
    ("canon", b"bad\n", NO_JSON, None),
    ("shingle", b"It was a dark and stormy night.\n", NO_JSON, "plain text: canon --lines reads it"),
]  # fmt: skip


@pytest.mark.parametrize(("command", "content", "cause", "looks"), FILES)
def test_a_file_of_another_format(command: str, content: bytes, cause: str, looks: str | None, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(content)
    expected = f"{command}: file:1: {cause}" + ("" if looks is None else f"; this looks like {looks}")
    ran = run_here(command, "file", cwd=tmp_path)
    assert ran.err.splitlines()[0] == expected
    assert ran.err.count("looks like") == (looks is not None)
    assert run_here(command, "--strict", "file", cwd=tmp_path).err == expected + "\n"


@pytest.mark.parametrize("options", ["", "--lines", "--csv"])
def test_an_encoding_is_told_once(options: str, tmp_path: Path) -> None:
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
    ("--csv", b'{"id":1,"text":"a"}\n', "canon reads them without --csv"),
    ("--tsv", b'{"id":1,"text":"a"}\n', "canon reads them without --tsv"),
    ("--array", b'{"id":1,"text":"a"}\n', "canon reads them without --array"),
    ("--parquet", b'{"id":1,"text":"a"}\n', "canon reads them without --parquet"),
    ("--warc", b'{"id":1,"text":"a"}\n', "canon reads them without --warc"),
    ("--csv", b'[{"id":1,"text":"a"}]\n', "a JSON array: canon --array reads it"),
    ("--array", b"PAR1\x15\x04", "Parquet: canon --parquet and simspark read it"),
    ("--parquet", b"WARC/1.0\r\n", "WARC: canon --warc reads it"),
    ("--warc", b"WARC/x\r\n", "file:1: not WARC, or damaged"),
    ("--csv", b"id;text\n1;a\n", "; --csv --delimiter ';' splits columns at semicolons"),
    ("--csv", b"nr;body\n1;a\n", "; --csv --delimiter ';' splits columns at semicolons"),
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
        for coding in ("utf-16", "utf-16-le", "utf-16-be")
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
            ("--csv", "id,text\n1,café\n"),
            ("--csv", "id,text,é\n1,a,b\n"),
            ("--tsv", "id\ttext\n1\té\n"),
            ("--lines", "café\n"),
            ("--array", '[{"id":1,"text":"é"}]'),
            ("--id id", '{"id":1,"text":"é"}\n'),
        )
    ),
    ("--lines", "café".encode("utf-16"), f"this looks like {UTF_16}"),
    ("--whole", b"caf\xe9", "not UTF-8 (byte 4); iconv -f ENCODING -t UTF-8 makes UTF-8 of it"),
    ("--whole", b"\xff\xfea\0", f"not UTF-8 (byte 1); this looks like {UTF_16}"),
    ("--whole --html", b"PK\x03\x04\xff", f"not UTF-8 (byte 5); this looks like {ZIP}"),
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


def test_the_iconv_that_is_named_makes_a_page_that_is_read(tmp_path: Path) -> None:
    (tmp_path / "page").write_bytes(PAGE)
    made = shell("iconv -f ISO-8859-1 -t UTF-8 page > utf8; canon --whole --html utf8", tmp_path)
    assert made.records()[0]["text"] == "café"


@pytest.mark.parametrize(
    ("option", "given", "message"),
    [
        ("--groups", "pairs", 'field "members" is missing; these are pairs: simgroup or simshow takes them'),
        ("--groups", "docs", 'field "members" is missing; these are documents, not groups: simjoin makes pairs of them,'
         " and simgroup groups of pairs"),
        ("--known", "groups", 'field "a" is missing; these are groups: dedup --groups or simshow takes them'),
        ("--known", "docs", 'field "a" is missing; these are documents, not pairs: simjoin makes pairs of them'),
        ("--known", "array", "not a JSON object; this looks like a JSON array: canon --array reads it, and jq -c '.[]'"
         " writes each element on a line"),
    ],
)  # fmt: skip
def test_other_records_than_those_that_decide_what_goes(option: str, given: str, message: str, tmp_path: Path) -> None:
    (tmp_path / given).write_bytes(b'[{"a":1,"b":2}]\n' if given == "array" else made()[given])
    ran = run_here("dedup", option, given, stdin=DOC, cwd=tmp_path)
    assert (ran.status, ran.out, ran.err) == (2, b"", f"dedup: {given}:1: {message}\n")


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
        "docs": DOC, "canon": canon, "shingle": shingles, "sketch": pipe(shingles, "sketch -n1"),
        "pairs": jsonl({"a": 1, "b": 2, "similarity": 1.0}),
        "groups": jsonl({"group": 1, "size": 2, "members": [1, 2]}),
        "df": pipe(canon, "shingle --df"), "parts": pipe(DOC, "parts"),
        "by url": pipe(jsonl({"url": "u", "text": "A word"}), "canon --id url"),
        "nameless canon": jsonl({"text": "a word", "via": "canon/3"}),
        "nameless": jsonl({"text": "A word"}),
        "other": jsonl({"url": "u", "body": "b", "n": 1.5}), "named": jsonl({"id": 1, "title": "t", "body": "b"}),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("command", "given", "message"),
    [
        ("sketch", "docs", 'field "shingles" is missing; these are documents: canon and shingle come before sketch'),
        ("sketch", "canon", 'field "shingles" is missing; these are records of canon: shingle comes next'),
        ("sketch", "parts", 'field "shingles" is missing; these are records of parts: canon comes next'),
        ("sketch", "sketch", 'field "shingles" is missing; these are records of sketch: simjoin comes next'),
        ("simjoin", "canon", 'field "sketch" is missing; these are records of canon: shingle comes next'),
        ("simjoin", "docs",
         'field "sketch" is missing; these are documents: canon, shingle and sketch come before simjoin'),
        ("simjoin --verify", "sketch", 'field "shingles" is missing; sketch --keep leaves it'),
        ("simjoin", "pairs", 'field "id" is missing; these are pairs: simgroup or simshow takes them'),
        ("shingle", "shingle", 'field "text" is missing; these are records of shingle: sketch or simjoin comes next'),
        ("simgroup", "sketch", 'field "a" is missing; these are records of sketch: simjoin comes next'),
        ("simgroup", "docs", 'field "a" is missing; these are documents, not pairs: simjoin makes pairs of them'),
        ("simgroup", "groups", 'field "a" is missing; these are groups: dedup --groups or simshow takes them'),
        ("canon", "df",
         'field "id" is missing; these are document frequencies: shingle --df-table or sketch --weights takes them'),
        ("canon", "other", 'field "id" is missing; the record has "url", "body": --id NAME says which is meant;'
         " --number numbers the records"),
        ("canon", "nameless", 'field "id" is missing; --number numbers the records'),
        ("shingle", "nameless", 'field "id" is missing'),
        ("simscore --truth f", "docs",
         'field "a" is missing; these are documents, not pairs: simjoin makes pairs of them, and with --field, --truth'
         " takes documents"),
        ("simtune", "by url", 'field "id" is missing; the record has "url": --id NAME says which is meant'),
        ("simtune", "named",
         'field "text" is missing; the record has "title", "body": --text NAME says which is meant'),
        ("simtune", "shingle", 'field "text" is missing; these are records of shingle: sketch or simjoin comes next'),
        ("sketch", "by url", 'field "id" is missing; the record has "url": --id NAME says which is meant'),
        ("sketch", "nameless canon", 'field "id" is missing; these are records of canon: shingle comes next'),
        ("canon --text Title", "named", 'field "Title" is missing; the record has "title", "id", "body"'),
        ("canon --id Nr", "named", 'field "Nr" is missing; the record has "id", "title", "body"'),
        ("canon --id URL", "other", 'field "URL" is missing; the record has "url", "body", "n"'),
        ("dedup --known f --id URL", "by url", 'field "URL" is missing; the record has "url", "text"'),
        ("simtune --id URL", "by url", 'field "URL" is missing; the record has "url", "text"'),
        ("simtune --text Text", "canon", 'field "Text" is missing; the record has "text", "id"'),
        ("simtune --field lable", "canon", 'field "lable" is missing; the record has "id", "text"'),
        ("sketch --id URL", "by url", 'field "URL" is missing; the record has "url", "text"'),
        ("shingle --text body", "shingle",
         'field "body" is missing; these are records of shingle: sketch or simjoin comes next'),
        ("canon", "named", 'field "text" is missing; the record has "title", "body": --text NAME says which is meant'),
    ],
)  # fmt: skip
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
            f"{cause}; {hint}", f"29 more like {cause} (--all-messages shows all)", "docs: not one good record",
        ]  # fmt: skip


def test_documents_beside_others_whose_ids_have_another_name(tmp_path: Path) -> None:
    hint = '1: field "id" is missing; the record has "url": --id NAME says which is meant'
    stages = ["canon --id url", "shingle --id url", "sketch --id url"]
    (tmp_path / "pairs").write_bytes(made()["pairs"])
    pipe(made()["docs"], "canon", "shingle", "sketch", f"simindex add {tmp_path}/A")
    for number in range(len(stages) + 1):
        (tmp_path / "by-url").write_bytes(pipe(jsonl({"url": "u", "text": "A word"}), *stages[:number]))
        for command in ("simgroup --singletons by-url pairs", "simindex drop A --ids by-url"):
            ran = run_here(command, cwd=tmp_path)
            assert ran.err.splitlines()[0].endswith(f"by-url:{hint}")


def test_marked_documents_whose_ids_have_another_name(tmp_path: Path) -> None:
    """Of dedup --annotate, those that stay and those that would go."""
    documents = [{"nr": number, "text": "The cat sat on the mat"} for number in (1, 2)]
    marked = pipe(jsonl(*documents), "canon --id nr", "shingle --id nr", "sketch --id nr --keep")
    (tmp_path / "docs").write_bytes(jsonl(*documents))
    (tmp_path / "pairs").write_bytes(pipe(marked, "simjoin --id nr"))
    marking = "dedup --annotate --id nr --pairs pairs docs"
    (tmp_path / "marked").write_bytes(run_here(marking, cwd=tmp_path).good())
    ran = run_here("simshow --docs docs --brief marked", cwd=tmp_path)
    hint = 'the record has "nr": --id NAME says which is meant'
    assert ran.err.splitlines()[:2] == [
        f'simshow: marked:1: field "a" is missing; {hint}', 'simshow: marked:2: field "id" is missing',
    ]  # fmt: skip
    assert run_here("simshow --id nr -k 2 --docs docs --brief marked", cwd=tmp_path).good()


def test_hints_know_every_command() -> None:
    """But simspark, whose stages have names of their own."""
    made = {each.name for each in kinds()}
    for command in STAGES:
        face = face_of(command)
        assert set(face.takes) <= made
        assert face.takes
        assert face.text == ("--text" in parser_of(command)._option_string_actions)


@pytest.mark.parametrize(
    ("files", "options", "status", "blamed"),
    [
        (("good", "empty"), (), 0, ()),
        (("mixed",), (), 1, ()),
        (("bad",), (), 2, ("bad",)),
        (("good", "bad", "worse"), (), 2, ("bad", "worse")),
        (("good", "bad"), ("--allow-rejects", "2"), 0, ()),
        (("good", "bad"), ("--allow-rejects", "1"), 2, ("bad",)),
        (("mixed",), ("--allow-rejects", "0"), 1, ()),
        (("page", "\udcff"), ("--whole",), 1, ()),
        (("\udcff",), ("--whole",), 2, ("",)),
    ],
)
def test_a_file_of_which_nothing_could_be_read(
    files: tuple[str, ...], options: tuple[str, ...], status: int, blamed: tuple[str, ...], tmp_path: Path
) -> None:
    contents = {"good": GOOD, "empty": b"", "mixed": b"x\n" + GOOD, "bad": b"x\ny\n", "worse": b"z", "page": b"A"}
    for name in files:
        (tmp_path / name).write_bytes(contents.get(name, b"\xff"))
    (tmp_path / "out").write_bytes(b"old")
    for jobs in ("1", "2"):
        ran = run("canon", *options, "-j", jobs, "-o", "out", *files, cwd=tmp_path)
        assert ran.status == status
        said = [line for line in ran.err.splitlines() if line.endswith("not one good record")]
        reasons = [f"canon: {name}: not one" if name else "canon: not one" for name in blamed]
        reasons += ["canon: out is left as it was: not one"] if blamed else []
        assert said == [f"{reason} good record" for reason in reasons]
        unplaced = blamed or "too many" in ran.err
        assert ((tmp_path / "out").read_bytes() == b"old") is bool(unplaced)
        (tmp_path / "out").write_bytes(b"old")


def test_ids_that_were_there_before_could_be_read(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).write_bytes(jsonl({"id": 1, "sketch": "01234567"}))
    ran = run("simjoin", "one", "two", cwd=tmp_path)
    assert (ran.status, ran.err) == (1, "simjoin: two:1: id 1 was seen before\n")


def test_an_archive_is_not_made(tmp_path: Path) -> None:
    ran = run("simindex", "add", "archive", stdin=b"x\n", cwd=tmp_path)
    assert (ran.status, list(tmp_path.iterdir())) == (2, [])
    assert ran.err.splitlines()[1:] == [
        "simindex: -: not one good record", "simindex: archive is not written: not one good record"
    ]  # fmt: skip


def test_hints_say_nothing_of_what_a_terminal_obeys(tmp_path: Path) -> None:
    record = json.dumps({"id": 1, "\x1b[2J": "x"})
    ran = run_here("canon", stdin=record.encode() + b"\n", cwd=tmp_path)
    assert r'the record has "\u001b[2J"' in ran.err
    assert "\x1b" not in ran.err


def test_the_sample_documents_have_no_hint() -> None:
    assert run("canon", DATA / "docs.jsonl").good()


def begun(*lines: bytes, command: str = "canon", every: bool = False) -> tuple[list[str], str]:
    """What is said of bad lines of a file, and with which message the run stops."""
    said: list[str] = []
    complaints = Complaints(command, said.append, every, stops=True)
    try:
        for number, line in enumerate(lines, 1):
            complaints.add(("f", number, "not JSON (column 1)", line))
    except Failed as error:
        complaints.close()
        return said, str(error)
    complaints.close()
    return said, ""


HEADER = "f:1: not JSON (column 1); this looks like the header of a table: canon --csv or --tsv reads it"


def test_a_file_of_another_kind_ends_the_run_after_a_megabyte() -> None:
    """However it is cut up, and be it one long line; without a hint, or with all messages, it is read to its end."""
    row = b"7,some text" * 100
    enough = -(-((1 << 20) - len(b"id,text\n")) // (len(row) + 1)) + 1
    assert begun(b"id,text", *[row] * (enough - 2)) == (
        [HEADER, f"{enough - 2} more like f:1: not JSON (column 1) (--all-messages shows all)"], "",
    )  # fmt: skip
    assert begun(b"id,text", *[row] * (enough - 1)) == ([], HEADER)
    assert begun(b"PAR1" + b"\xff" * (1 << 20))[1].startswith("f:1: not JSON (column 1); this looks like Parquet")
    assert begun(b"x", *[row] * 2 * enough)[1] == ""
    assert begun(b"id,text", *[row] * 2 * enough, every=True)[1] == ""


def test_one_good_record_is_enough_to_go_on(tmp_path: Path) -> None:
    rows = [b"id,text\n", *[b"7,some text" * 99 + b"\n"] * 970]  # more than a megabyte
    (tmp_path / "file").write_bytes(rows[0] + jsonl({"id": 1, "text": "a"}) + b"".join(rows[1:]))
    ran = run_here("canon file", cwd=tmp_path)
    assert (ran.status, ran.out.count(b"\n")) == (1, 1)
    assert ran.err.splitlines()[1].startswith("canon: file:3: ")
    (tmp_path / "file").write_bytes(b"".join(rows) + jsonl({"id": 1, "text": "a"}))
    for options in ("", "-j2 "):
        ran = run("canon", *options.split(), "file", cwd=tmp_path)
        assert (ran.status, ran.out, ran.err) == (2, b"", f"canon: {HEADER.replace('f:1', 'file:1')}\n")
    assert run_here("canon --allow-rejects 100% file", cwd=tmp_path).status == 0


def test_a_stage_that_is_left_out_ends_the_run_after_a_megabyte(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"".join(jsonl({"id": n, "text": "word " * 200}) for n in range(1200)))
    for command, said in (
        ("simjoin", 'field "sketch" is missing; these are documents: canon, shingle and sketch come before simjoin'),
        ("simgroup", 'field "a" is missing; these are documents, not pairs: simjoin makes pairs of them'),
    ):
        ran = run_here(f"{command} file", cwd=tmp_path)
        assert (ran.status, ran.out, ran.err) == (2, b"", f"{command}: file:1: {said}\n")


@pytest.mark.parametrize(
    ("command", "lines"),
    [
        ("simtune --field label --truth {} {}", [{"id": 1, "text": "a b"}, {"id": 2, "text": "a c"}]),
        ("simtune --field label --truth {} {}", [{"id": 1, "label": "a"}, {"id": 2, "label": "a"}]),
        ("simscore --field label --truth {} {}", [{"id": 1, "label": "a"}, {"id": 2, "label": "a"}]),
        ("simscore --truth {} {}", [{"a": 1, "b": 2, "same": True}, {"a": 1, "b": 3, "same": True}]),
        ("dedup --pairs {} {}", [{"a": 1, "b": 2}, {"a": 1, "b": 3}]),
        ("dedup --pairs {} {}", [{"id": 1, "a": 1}, {"id": 2, "a": 2}]),
        ("simshow --docs {} {}", [{"id": 1, "text": "a"}, {"id": 2, "text": "a"}]),
        ("simjoin --against {} {}", [{"id": 1, "sketch": "00000001"}, {"id": 1, "sketch": "00000001"}]),
        ("simjoin --against {} {}", [{"id": 1, "text": "a"}, {"id": 2, "text": "b"}]),
    ],
)  # fmt: skip
def test_a_file_that_is_read_for_two_ends_is_judged_for_each(command: str, lines: list[Record], tmp_path: Path) -> None:
    """As if it were two files of the same content, but what is said of both need not be said twice."""
    for name in ("one", "two"):
        (tmp_path / name).write_bytes(jsonl(*lines))
    one, two = (run_here(command.format("one", other), cwd=tmp_path) for other in ("one", "two"))
    assert (one.status, one.out) == (two.status, two.out)
    said, expected = (dict.fromkeys(ran.err.replace("two", "one").splitlines()) for ran in (one, two))
    assert [*said] == [*expected]
