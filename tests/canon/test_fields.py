"""canon --text NAME,...: several fields as one text, as if a program had joined them."""

import csv
import io
import json
from functools import partial
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import shingletools
from harness import Record, run
from shingletools.cli.argument_types import names, quoted

spelled = partial(json.dumps, ensure_ascii=False)
FIELDS = ("title", "a.b", "x, y", 'né "\\', "meta.body")
TEXT = 'title,a.b,"x, y","né ""\\", meta.body'
RECORDS: list[Record] = [
    {"id": 1, "title": "The CAT", "a.b": "A dot", "x, y": "One, two", 'né "\\': "“é”", "meta": {"body": "<p>Deep"}},
    {"id": 2, "n": 1.50, "a": {"b": "within"}, "title": None, "x, y": ""},
    {"title": "no\nlines", "text": "old", "id": "3", "via": "own"},
    {"id": 4, "text": {"x": ["}"]}, "title": ""},
    {"id": 5, "title": "&amp; 😀", "meta": [], 'né "\\': "cat"},
]
BAD: list[tuple[Record, str]] = [
    ({"id": 6, "title": None, "meta": {}}, f"fields {', '.join(map(spelled, FIELDS))} are missing"),
    ({"id": 7, "title": "a", "a.b": 7}, 'field "a.b" is not a string'),
    ({"id": 8, "title": "a", "meta": {"body": ["b"]}}, 'field "meta.body" is not a string'),
    ({"title": "a"}, 'field "id" is missing'),
]


def lines(*records: Record) -> bytes:
    return b"".join(json.dumps(each, ensure_ascii=False, separators=(",", ":")).encode() + b"\n" for each in records)


def value(record: Record, field: str) -> object:
    """As JSON and the manual have it, without the package."""
    if field in record:
        return record[field]
    first, _, rest = field.partition(".")
    inner = record.get(first)
    return value(inner, rest) if rest and isinstance(inner, dict) else None


def has(record: Record, field: str) -> bool:
    first, _, rest = field.partition(".")
    inner = record.get(first)
    return field in record or (isinstance(inner, dict) and rest in inner)


def joined(record: Record, fields: tuple[str, ...] = FIELDS) -> bytes:
    """The record with the text in one field, in the place of that or behind all others."""
    text = "\n".join(str(each) for field in fields if (each := value(record, field)))
    return lines(record | {"text": text})


@pytest.mark.parametrize("text", [TEXT, "title,a.b,meta.body"])  # a name that JSON escapes is not for the kernel
@pytest.mark.parametrize(
    "options", ["", "--offsets", "--extract", "--html", "--stop en --sentences", "--html=main --extract"]
)
def test_they_are_as_one_field_made_by_hand(options: str, text: str) -> None:
    by_hand = run(f"canon {options}", stdin=b"".join(joined(each, names(text)) for each in RECORDS)).good()
    given = lines(*RECORDS)
    assert run(f"canon {options}", "--text", text, stdin=given).good() == by_hand
    assert run(f"canon {options} -j 2", "--text", text, stdin=given).good() == by_hand


@pytest.mark.parametrize("hyphen", ["-", "\u2010", "\xad"])
@pytest.mark.parametrize("blanks", ["", " ", "\t\n", "\xa0", "\u2005", "\u205f", "\u1680", "\u3000"])
def test_no_word_goes_on_in_another_field(hyphen: str, blanks: str) -> None:
    """Within a field, a hyphen at the end of a line parts a word, as before."""
    title = f"An inter{hyphen}\nnational inter{hyphen}{blanks}"
    record: Record = {"id": 1, "title": title, "none": "", "body": "national law"}
    stdin = lines(record, record | {"id": 2, "title": f"“An inter{hyphen}”{blanks}"}, {"id": 3, "title": title})
    made = run("canon --join-hyphens --text title,none,body", stdin=stdin).records()
    assert [each["text"] for each in made] == [
        "an international inter national law",
        "an inter national law",
        "an international inter",
    ]
    placed = run("canon --offsets --join-hyphens --text title,none,body", stdin=stdin).records()[0]
    words = [placed["source"][slice(*map(int, place.split("-")))] for place in placed["at"].split()]
    assert words == ["An", f"inter{hyphen}\nnational", "inter", "national", "law"]
    assert placed["source"].replace("\n\n", "\n").replace(title, "") == "\nnational law"


def test_bytes_that_are_not_read_stay() -> None:
    line = b' {"id" : 1,"title":"\\u0041 b" ,"n":1.50, "n":2, "body":"C" } '
    made = b' {"id" : 1,"title":"\\u0041 b" ,"n":1.50, "n":2, "body":"C","text":"a b c","via":"canon/4" } \n'
    assert run("canon --text title,body", stdin=line).good() == made


def test_what_is_rejected(tmp_path: Path) -> None:
    """With the record as it came; one that has none of the fields has a hint, and the others no message."""
    good, bad = lines(RECORDS[0]), [lines(record) for record, _ in BAD]
    bad.append(b'{"id":9,"title":"a","title":"b"}\n')
    causes = [*(cause for _, cause in BAD), 'field "title" occurs twice']
    ran = run("canon --rejects", tmp_path / "bad", "--text", TEXT, stdin=good + b"".join(bad))
    assert (ran.status, ran.out) == (1, run("canon", stdin=joined(RECORDS[0])).good())
    assert (tmp_path / "bad").read_bytes() == b"".join(bad)
    said = [line.partition("; ")[0] for line in ran.err.splitlines()]
    assert said == [f"canon: -:{place}: {cause}" for place, cause in enumerate(causes, 2)]
    ran = run("canon --text titel,autor", stdin=lines(*({"id": number, "title": "a"} for number in range(30))))
    hinted = 'canon: -:1: fields "titel", "autor" are missing; the record has "id", "title"\ncanon: 29 more like'
    assert (ran.status, ran.err.count("\n"), ran.err.startswith(hinted)) == (2, 3, True)


@pytest.mark.parametrize("text", ["title,a.b,meta.body,nobody", f"{TEXT},nobody"])  # the second is not for the kernel
def test_a_field_that_no_good_record_has(text: str, tmp_path: Path) -> None:
    """It may be mistyped; -v says how many have each."""
    good, bad = RECORDS * 20, [{"title": "no id", "nobody": "text"}]
    (tmp_path / "docs").write_bytes(lines(*good, *bad))
    canon = f"canon --text '{text}' -v"
    ran = run("canon -v --text", text, tmp_path / "docs")
    *said, figures = ran.err.splitlines()
    assert (ran.status, said[-1:]) == (1, ['canon: no good record has field "nobody"'])
    counts = {field: sum(has(each, field) for each in good) for field in names(text)}
    assert figures.endswith("".join(f", {count} with {spelled(field)}" for field, count in counts.items()))
    for argv in (["canon", "--text", text, "-v", "-j", "2"], ["shingletools", "run", f"{canon} | shingle -k 2"]):
        again = run(*argv, tmp_path / "docs").err.splitlines()
        assert again[: len(said)] == said
        assert again[len(said)].endswith(figures.partition(" MB/s")[2])
    result = shingletools.run(f"canon --text '{text}' | shingle -k 2", tmp_path / "docs")
    assert len(list(result)) > 0
    assert said == result.messages
    (tmp_path / "docs").write_bytes(lines(*bad))
    assert "no good record has" not in run("canon --text", text, tmp_path / "docs").err


def test_tables(tmp_path: Path) -> None:
    """CSV, TSV and Parquet, in which null is missing; a column that is not there is an error."""
    rows: list[Record] = [
        {"id": "a", "title": "The, Cat", "by": "", "body": "sat"},
        {"id": "b", "title": "", "by": "X", "body": "y"},
    ]
    expected = run("canon", stdin=b"".join(joined(row, ("body", "title", "by")) for row in rows)).good()
    for option, dialect in (("--csv", "excel"), ("--tsv", "excel-tab")):
        table = io.StringIO(newline="")
        writer = csv.DictWriter(table, list(rows[0]), dialect=dialect)
        writer.writerows([{name: name for name in rows[0]}, *rows])
        stdin = table.getvalue().replace("\r", "").encode()
        assert run(f"canon {option} --text body,title,by", stdin=stdin).good() == expected
        ran = run(f"canon {option} --text body,titel", stdin=stdin)
        assert (ran.status, ran.err) == (2, 'canon: -:1: no column "titel" among "id", "title", "by", "body"\n')
    stdin = b"1\tA\tB\n"
    assert run("canon --tsv --no-header --id 1 --text 3,2", stdin=stdin).records()[0]["text"] == "b a"
    rows[0]["by"] = None
    columns = pa.Table.from_pylist(rows).set_column(1, "title", pa.array([row["title"].encode() for row in rows]))
    pq.write_table(columns, tmp_path / "table")
    expected = run("canon", stdin=b"".join(joined(row, ("body", "title", "by")) for row in rows)).good()
    assert run("canon --parquet --text body,title,by", tmp_path / "table").good() == expected
    assert run("canon --array --number --text body,title,by", stdin=json.dumps(rows).encode()).records() == [
        json.loads(line) for line in expected.splitlines()
    ]


def test_pipelines_in_the_shell_in_one_process_and_in_python(tmp_path: Path) -> None:
    """Lines go on to other filters as from the shell, and a join reads the columns that the fields need."""
    (tmp_path / "docs").write_bytes(lines(*RECORDS[:2], *(record for record, _ in BAD), RECORDS[1] | {"id": 10}))
    canon = f"canon --text '{TEXT}'"
    rest = "shingle -k 2 | simjoin -t 0.5"
    shell = run("canon", "--text", TEXT, tmp_path / "docs")
    for command in rest.split(" | "):
        shell = run(command, stdin=shell.out)
    assert [(pair["a"], pair["b"]) for pair in shell.records()] == [(2, 10)]
    ran = run("shingletools", "run", f"{canon} | {rest}", tmp_path / "docs")
    assert (ran.status, ran.out) == (1, shell.out)
    table = pa.table({"id": [1, 2], "title": ["The cat", None], "body": ["sat down", "The cat sat down"], "n": [1, 2]})
    pairs = shingletools.run(f"canon --text title,body | {rest}", table)
    assert [pair["similarity"] for pair in pairs] == [1.0]
    with pytest.raises(shingletools.Failed, match='no column "by" among "id", "title", "body", "n"'):
        list(shingletools.run(f"canon --text title,by | {rest}", table))


def test_simshow_shows_the_same_text(tmp_path: Path) -> None:
    """Of original documents, and of those that canon --offsets made."""
    records: list[Record] = [
        {"id": name, "title": title, "by": None, "body": "the cat sat on the mat again"}
        for name, title in (("a", "One"), ("b", "Two"))
    ]
    for name, content in (
        ("docs", lines(*records)),
        ("hand", b"".join(joined(record, ("title", "body")) for record in records)),
        ("placed", run("canon --offsets --text title,by,body", stdin=lines(*records)).good()),
    ):
        (tmp_path / name).write_bytes(content)
    stdin = lines({"a": "a", "b": "b", "similarity": 0.9})
    for form in ("--json", "--brief", "--color never"):
        expected = run(f"simshow {form} --docs", tmp_path / "hand", stdin=stdin).good()
        for name in ("docs", "placed"):
            assert run(f"simshow {form} --text title,by,body --docs", tmp_path / name, stdin=stdin).good() == expected
    assert b"the cat sat on the mat again" in expected


@pytest.mark.parametrize(
    ("command", "message"),
    [
        *(
            (f"canon {option} --text a,b", f"{option} gives each document one text, so --text names one field")
            for option in ("--lines", "--whole", "--recursive", "--warc")
        ),
        ("canon --text id,b", 'the id, the payload and via need fields of their own, not "id", "b", "text", "via"'),
        (
            "canon --offsets --text at,b",
            "the id, the text, source, at and via need fields of their own, "
            'not "id", "at", "b", "text", "via", "source"',
        ),
        (
            "canon --id text --text a,b",
            'the id, the payload and via need fields of their own, not "text", "a", "b", "via", "named"',
        ),
        *(
            (
                f"{command} --text a,b",
                f'argument --text: not one field: "a,b"; canon makes one text of several (see {command} --help)',
            )
            for command in ("shingle", "repeats", "parts", "simtune", "dedup", "simindex")
        ),
        ("simshow --runs --text a,b", "--runs shows words that canon made, so --text names one field"),
        *(
            (f"canon --text {wrong}", f"argument --text: not NAME,...: {json.dumps(wrong)} (see canon --help)")
            for wrong in ("a,", ",", 'a,"b', 'a,"b"c')
        ),
        *(
            (f"{option} b,a,c,b,a", f'argument {option.split()[1]}: "b": given twice (see {option.split()[0]} --help)')
            for option in ("canon --text", "shingle --text", "simshow --text", "simshow --show")
        ),
        ('canon --text a,"a"', 'argument --text: "a": given twice (see canon --help)'),
    ],
)
def test_what_is_refused(command: str, message: str) -> None:
    ran = run(*command.split())
    assert (ran.status, ran.out, ran.err) == (2, b"", f"{ran.argv[0]}: {message}\n")


def test_names_between_commas() -> None:
    assert names(TEXT) == FIELDS
    for name in ("a", "", 'a"b', '"a"', " a", "a, b", '"a", b', ","):
        assert names(quoted(name)) == (name,)
    assert names("a, b ,b") == ("a", "b ", "b")
