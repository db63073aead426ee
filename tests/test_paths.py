"""Fields within objects, named by a path: meta.url. What counts as one, over all commands, and the bytes around it."""

import json
import re
import shlex
from functools import cache
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import shingletools
from agreement import chain_of, check_chain
from harness import Ran, Record, jsonl, pipe, program, run, run_here
from shingletools.running.completion import parser_of
from suite import SUITE, Command, good, of

ID, TEXT = "meta.id", "body.of.text"
IDENTIFIED = [way for each in SUITE if each.identity == "id" for way in each.ways]
HINT = re.compile("; the record has .*")


def takes_text(each: Command) -> bool:
    return each.field == "text" and "--text" in parser_of(each.name)._option_string_actions


def with_paths(way: str) -> str:
    return f"{way} --id {ID} --text {TEXT}" if takes_text(of(way)) else f"{way} --id {ID}"


def nested(way: str, record: Record) -> Record:
    """The same record with its id, and its text, within objects, among others."""
    rest = record.copy()
    made: Record = {"meta": {"x": 1.5, "id": rest.pop("id")} if "id" in rest else {"x": 1.5}, "text": [None]}
    if takes_text(of(way)):
        made["body"] = {"of": {"text": rest.pop("text"), "id": None} if "text" in rest else {}, "text": 7}
    return made | rest


@cache
def of_two(way: str) -> Ran:
    """Two records whose ids have the usual name."""
    rest = {of(way).field: of(way).payload}
    return run_here(way, stdin=jsonl(*({"id": identity, **rest} for identity in "xy")), cwd=Path.cwd())


def unnamed(record: Record, *names: str) -> Record:
    """A pipeline that is advised names the fields; without them it is the same."""
    made = record.copy()
    for option, name in zip(("--id", "--text"), names, strict=False):
        if "pipeline" in made:
            made["pipeline"] = made["pipeline"].replace(f" {option} {shlex.quote(name)}", "")
    return made


def flat(way: str, record: Record) -> Record:
    """What `nested` made, or a new record with the whole names, as it was."""
    made = unnamed(record, ID, TEXT)
    if ID in made:
        made["id"] = made.pop(ID)
    else:
        meta = made.pop("meta", {})
        assert meta.pop("x", 1.5) == 1.5
        made |= meta
    made.pop("named", None)
    if TEXT in made:
        made["text"] = made.pop(TEXT)
    elif takes_text(of(way)) and "body" in made:
        body = made.pop("body")
        assert made.pop("text") == [None]
        assert body.pop("text") == 7
        text = body.pop("of")
        text.pop("id", None)
        made |= text
        assert body == {}
    elif made.get("text") == [None]:
        del made["text"]
    return made


@pytest.mark.parametrize("way", IDENTIFIED)
def test_what_is_nested_counts_as_what_is_not(way: str, tmp_path: Path) -> None:
    """The same output but for the places of fields; bad records are bad for the same reasons, in other names.

    Which fields the record has instead, a hint says; those of the one have other names than those of the other.
    """
    each = of(way)
    records = [good(way, identity) for identity in (1, "é", 'x\n"y', 2, "x", 1)]
    records += [{"id": None, **good(way, 1)}, {each.field: each.payload}, {"id": 3}, {"id": 4, each.field: None}]
    records[6]["id"] = None
    deep = [nested(way, record) for record in records]
    one = run(way, "--rejects", tmp_path / "one", stdin=jsonl(*records))
    two = run(with_paths(way), "--rejects", tmp_path / "two", stdin=jsonl(*deep))
    names = {'"id"': f'"{ID}"', '"text"': f'"{TEXT}"' if takes_text(each) else '"text"'}
    said = one.err
    for name, path in names.items():
        said = said.replace(f"field {name}", f"field {path}")
    assert (two.status, HINT.sub("", two.err)) == (one.status, HINT.sub("", said))
    bad = (tmp_path / "two").read_bytes().splitlines()
    assert [flat(way, json.loads(line)) for line in bad] == [
        flat(way, nested(way, json.loads(line))) for line in (tmp_path / "one").read_bytes().splitlines()
    ]
    assert [flat(way, json.loads(line)) for line in two.out.splitlines()] == (
        [json.loads(line) for line in one.out.splitlines()]
    )


def test_groups_of_one(tmp_path: Path) -> None:
    (tmp_path / "docs").write_bytes(jsonl({"meta": {"id": 1}}, {"meta": {"id": 2}}, {"meta.id": 5, "meta": {"id": 1}}))
    ran = run("simgroup", "--id", ID, "--singletons", tmp_path / "docs", stdin=jsonl({"a": 1, "b": 3}))
    assert [record["members"] for record in ran.records()] == [[1, 3], [2], [5]]


@pytest.mark.parametrize("marks", [False, True])
def test_shown_documents(marks: bool, tmp_path: Path) -> None:
    """Pairs, and records of dedup --annotate, of which the id is within an object."""
    lines = [{"id": name, "text": "A word or two of it all, and more"} for name in (1, 2)]
    if marks:
        lines[1]["duplicate_of"] = 1
    (tmp_path / "flat").write_bytes(jsonl(*lines))
    (tmp_path / "deep").write_bytes(jsonl(*(nested("canon", line) for line in lines)))
    stdin = {name: (tmp_path / name).read_bytes() if marks else jsonl({"a": 1, "b": 2}) for name in ("flat", "deep")}
    one = run("simshow --json --docs", tmp_path / "flat", stdin=stdin["flat"]).good()
    two = run("simshow --json --docs", tmp_path / "deep", "--id", ID, "--text", TEXT, stdin=stdin["deep"]).good()
    assert one == two
    assert one.count(b"\n") == 1


@pytest.mark.parametrize("keep", ["first", "longest"])
def test_marks_of_duplicates(keep: str, tmp_path: Path) -> None:
    (tmp_path / "groups").write_bytes(jsonl({"members": [1, 2]}))
    lines = b'{"meta":{"id":1},"b":{"t":"a"}}\n{ "meta":{"id":2} , "b":{ "t":"aa" } }\n'
    ran = run(f"dedup --id meta.id --text b.t --keep {keep} --annotate --groups {tmp_path / 'groups'}", stdin=lines)
    one, two = lines.splitlines()
    marks = b',"duplicate_of":%d,"duplicate_by":{"rule":"' + keep.encode() + b'"}'
    one, two = (one, two[:-2] + marks % 1 + b" }") if keep == "first" else (one[:-1] + marks % 2 + b"}", two)
    assert ran.good() == one + b"\n" + two + b"\n"
    ran = run("dedup --annotate --id duplicate_of.x --groups", tmp_path / "groups", stdin=lines)
    assert (ran.status, ran.err) == (2, 'dedup: --annotate needs the field "duplicate_of" for itself\n')


def test_parts_of_documents() -> None:
    """What is made anew has the whole name, dots and all, where the same options find it."""
    line = b'{"m":{"u":"x","n":[1.0]},"b":{"t":"A b.\\n\\nC d."},"m.k":{"u" : 2},"m.k.u":0.10}\n'
    options = "--id m.u --text b.t"
    parts = run(f"parts {options} --carry m.n --carry m.k.u --carry no.such", stdin=line).good()
    assert parts == (
        b'{"m.u":"x#1","of":"x","part":1,"place":[0,4],"before":"","b.t":"A b.","m.n":[1.0],"m.k.u":0.10,'
        b'"named":"--id m.u --text b.t","via":"parts by=paragraph"}\n'
        b'{"m.u":"x#2","of":"x","part":2,"place":[6,10],"before":"\\n\\n","b.t":"C d.","behind":"","m.n":[1.0],'
        b'"m.k.u":0.10,"named":"--id m.u --text b.t","via":"parts by=paragraph"}\n'
    )
    whole = run(f"parts --together {options}", stdin=parts).good()
    assert whole == b'{"m.u":"x","b.t":"A b.\\n\\nC d.","m.n":[1.0],"m.k.u":0.10}\n'
    words = pipe(parts, f"canon {options}", f"shingle -k 1 {options}", "sketch --id m.u", "simjoin --id m.u -t 0.001")
    assert words == b""
    ran = run(f"parts --carry m.n {options}", stdin=line.replace(b'"n"', b'"n":1,"n"'))
    assert (ran.status, ran.err) == (2, 'parts: -:1: field "m.n" occurs twice\nparts: -: not one good record\n')


def test_numbers_for_records_without_an_id() -> None:
    stdin = b'{"m":{"u":"x"},"text":"A"}\n{"m":{"v":1},"text":"B"}\n{"m.u":9,"text":"C"}\n'
    assert run("canon --number --id m.u", stdin=stdin).good().splitlines() == [
        b'{"m":{"u":"x"},"text":"a","named":"--id m.u --text text","via":"canon/4"}',
        b'{"m.u":2,"m":{"v":1},"text":"b","named":"--id m.u --text text","via":"canon/4"}',
        b'{"m.u":9,"text":"c","named":"--id m.u --text text","via":"canon/4"}',
    ]
    made = b'{"m.u":1,"b.t":"a b","named":"--id m.u --text b.t","via":"canon/4"}\n'
    assert run("canon --lines --id m.u --text b.t", stdin=b"A b\n").good() == made


CANON, SHINGLE = "canon --id m.u --text b.t", "shingle -k 2 --readable --id m.u --text b.t"
PLACED = f"{CANON} --offsets"
# Lines, and what is made of them, byte for byte
LINES = {
    CANON: [
        (
            b'{"m":{"u":1.0,"u ":3},"b":{"t":"A"},"m.u":1}',
            b'{"m":{"u":1.0,"u ":3},"b":{"t":"a"},"m.u":1,NAMED,"via":"canon/4"}',
        ),
        (
            b' { "m" : {"a":[{"u":2}],"u" : 1 } , "b":{"t" :"A \\u0041" , "t.":0.10} ,"via":"x" } \r',
            b' { "m" : {"a":[{"u":2}],"u" : 1 } , "b":{"t" :"a a" , "t.":0.10} ,"via":"x | canon/4",NAMED } \r',
        ),
        (
            b'{"via":"","b":{"x":{"t":1},"t":"A"},"m":{"m":{"u":2},"u":"1"},"e":1E5}',
            b'{"via":"canon/4","b":{"x":{"t":1},"t":"a"},"m":{"m":{"u":2},"u":"1"},"e":1E5,NAMED}',
        ),
        (b'{"m":{"u":1},"b":{"t":"N"},"b.t":"Y"}', b'{"m":{"u":1},"b":{"t":"N"},"b.t":"y",NAMED,"via":"canon/4"}'),
        (
            b'{"m":{"u":1,"x":1,"x":2},"b":{"t":"A"},"z":{"t":1,"t":2}}',
            b'{"m":{"u":1,"x":1,"x":2},"b":{"t":"a"},"z":{"t":1,"t":2},NAMED,"via":"canon/4"}',
        ),
        (
            b'{"m.u":1,"m":{"u":2,"u":3},"b.t":"A","b":7,"b":8}',
            b'{"m.u":1,"m":{"u":2,"u":3},"b.t":"a","b":7,"b":8,NAMED,"via":"canon/4"}',
        ),
        (
            b'{"\\u006d":{"\\u0075":1},"b\\u002et":"A"}',
            b'{"\\u006d":{"\\u0075":1},"b\\u002et":"a",NAMED,"via":"canon/4"}',
        ),
    ],
    SHINGLE: [
        (
            b'{"m":{"u":1},"b":{"t":"a b"},"x":1}',
            b'{"m":{"u":1},"b":{},"x":1,"shingles":["a b"],"via":"shingle k=2 readable"}',
        ),
        (
            b'{"m":{"u":1},"b":{ "t" : "a b" } ,"via":"x"}',
            b'{"m":{"u":1},"b":{  } ,"via":"x | shingle k=2 readable","shingles":["a b"]}',
        ),
        (
            b'{"m":{"u":1},"b":{ "t" : "a b" , "y" : 2 }}',
            b'{"m":{"u":1},"b":{ "y" : 2 },"shingles":["a b"],"via":"shingle k=2 readable"}',
        ),
        (
            b'{"b":{"w":1 , "t":"a b" , "y":2},"m":{"u":1}}',
            b'{"b":{"w":1 , "y":2},"m":{"u":1},"shingles":["a b"],"via":"shingle k=2 readable"}',
        ),
        (
            b'{"b":{"w":1 ,\t"t":"a b" },"m":{"u":1}}',
            b'{"b":{"w":1 },"m":{"u":1},"shingles":["a b"],"via":"shingle k=2 readable"}',
        ),
        (
            b'{"shingles":{"z":[1]},"b":{"t":"a b"},"m":{"u":1}}',
            b'{"shingles":["a b"],"b":{},"m":{"u":1},"via":"shingle k=2 readable"}',
        ),
        (
            b'{"b":{"t":"a b"},"m":{"u":1},"via":"x","shingles":"y"}',
            b'{"b":{},"m":{"u":1},"via":"x | shingle k=2 readable","shingles":["a b"]}',
        ),
        (
            b'{"b.t":"a b","b":{"t":1},"m":{"u":1}}',
            b'{"shingles":["a b"],"b":{"t":1},"m":{"u":1},"via":"shingle k=2 readable"}',
        ),
    ],
    PLACED: [
        (
            b'{"b":{"t":"A \\u0042"},"m":{"u":1},"at":7}',
            b'{"b":{"t":"a b"},"m":{"u":1},"at":"0-1 2-3","source":"A \\u0042",NAMED,"via":"canon/4"}',
        ),
        (
            b'{"b":{"t":"A B","at":1},"m":{"u":1}}',
            b'{"b":{"t":"a b","at":1},"m":{"u":1},"source":"A B","at":"0-1 2-3",NAMED,"via":"canon/4"}',
        ),
    ],
}


@pytest.mark.parametrize(("way", "line", "made"), [(way, *each) for way, lines in LINES.items() for each in lines])
def test_all_other_bytes_stay(way: str, line: bytes, made: bytes) -> None:
    """Also between ordinary lines, which the kernel does."""
    made = made.replace(b"NAMED", b'"named":"--id m.u --text b.t"')
    assert run(way, stdin=line).good() == made + b"\n"
    check_chain(chain_of(way), line, b'{"m":{"u":5},"b":{"t":"w"},"via":"x"}')


REJECTED = [
    (b'{"m":[{"u":1}]}', 'field "m.u" is missing'),
    (b'{"m":"u"}', 'field "m.u" is missing'),
    (b'{"m":null}', 'field "m.u" is missing'),
    (b'{"m":{}}', 'field "m.u" is missing'),
    (b'{"u":1}', 'field "m.u" is missing'),
    (b'{"m":{"m":{"u":1}}}', 'field "m.u" is missing'),
    (b'{"m":{"u":{"":1}}}', 'field "m.u" is neither a string nor an integer of 64 bits'),
    (b'{"m":{"u":1},"m.u":null}', 'field "m.u" is neither a string nor an integer of 64 bits'),
    (b'{"m":{"u":99999999999999999999}}', 'field "m.u" is neither a string nor an integer of 64 bits'),
    (b'{"m":{"u":1,"u":1}}', 'field "m.u" occurs twice'),
    (b'{"m":{"u":1,"x":2,"\\u0075":1}}', 'field "m.u" occurs twice'),
    (b'{"m":{"u":1},"m":{"u":1}}', 'field "m" occurs twice'),
    (b'{"m":{"u":1},"\\u006d":7}', 'field "m" occurs twice'),
    (b'{"m.u":1,"m":{"u":1},"m\\u002eu":1}', 'field "m.u" occurs twice'),
]


@pytest.mark.parametrize("way", IDENTIFIED)
def test_bad_paths(way: str, tmp_path: Path) -> None:
    each = of(way)
    bad = [line[:-1] + b"," + jsonl({each.field: each.payload})[1:] for line, _ in REJECTED]
    (tmp_path / "docs").write_bytes(jsonl({"m": {"u": 1}, each.field: each.payload}) + b"".join(bad))
    ran = run_here(way, "--id", "m.u", "docs", "--rejects", "bad", "--all-messages", cwd=tmp_path)
    assert ran.status == 1
    for number, (said, (_, cause)) in enumerate(zip(ran.err.splitlines(), REJECTED, strict=True), 2):
        assert said.partition("; the record has ")[0] == f"{program(way)}: docs:{number}: {cause}"
    assert (tmp_path / "bad").read_bytes() == b"".join(bad)


def test_a_field_within_one_that_is_overwritten() -> None:
    """Else an id, or words, would be lost; by their whole names they are not."""
    for command, line, field in [
        ("shingle --id shingles.x", b'{"shingles":{"x":1},"text":"a"}', "shingles.x"),
        ("shingle --text shingles.x", b'{"id":1,"shingles":{"x":"a"}}', "shingles.x"),
        ("canon --offsets --text at.x", b'{"id":1,"at":{"x":"a"}}', "at.x"),
        ("canon --offsets --id source.at", b'{"source":{"at":1},"text":"a"}', "source.at"),
    ]:
        ran = run(command, stdin=line)
        assert (ran.status, ran.out) == (2, b"")
        assert ran.err.splitlines()[0] == f'{program(command)}: -:1: field "{field}" is within one that is overwritten'
    made = run("shingle --readable --id shingles.x", stdin=b'{"shingles.x":1,"text":"a","shingles":0}').good()
    assert made == b'{"shingles.x":1,"shingles":["a"],"via":"shingle k=10 readable"}\n'


@pytest.mark.parametrize(
    ("name", "record"),
    [
        (".", {"": {"": "x"}}),
        ("..", {"": {"": {"": "x"}}}),
        ("a.", {"a": {"": "x"}}),
        (".a", {"": {"a": "x"}}),
        ("a..b", {"a": {"": {"b": "x"}}}),
        ("", {"": "x"}),
        ("a", {"a": "x"}),
        (".", {".": "x", "": {"": 1.5}}),
        ('a".b\\', {'a"': {"b\\": "x"}}),
        ("é.中", {"é": {"中": "x"}}),
        ("a.\n", {"a": {"\n": "x"}}),
        ("a.b.c", {"a.b": {"c": 1.5}, "a": {"b": {"c": "x"}, "b.c": 1.5}}),
        ("a\\u002eb", {"a\\u002eb": "x"}),
        (".".join("ab" * 250), {}),
        ("a" * 5000 + ".b", {"a" * 5000: {"b": "x"}}),
        ("0.1", {"0": {"1": "x"}}),
        ("a b. ", {"a b": {" ": "x"}}),
    ],
)
@pytest.mark.parametrize("way", IDENTIFIED)
def test_odd_names(way: str, name: str, record: Record, tmp_path: Path) -> None:
    """Dots at the ends, empty names, what JSON escapes, hundreds of objects."""
    each = of(way)
    if not record:
        for letter in reversed(name.split(".")):
            record = {letter: record or "x"}
    rest = {each.field: each.payload}
    expected = of_two(way)
    for ascii_only in (False, True):
        lines = [json.dumps(record | rest, ensure_ascii=ascii_only).encode() + b"\n"]
        lines.append(json.dumps({name: "y", **rest}, ensure_ascii=ascii_only).encode() + b"\n")
        ran = run_here(way, "--id", name, stdin=b"".join(lines), cwd=tmp_path)
        assert (ran.status, ran.err) == (0, "")
        if each.produces is None and each.gives is not None:
            assert [unnamed(record, name) for record in ran.records()] == expected.records()
            assert ran.out == expected.out or b'"pipeline"' in ran.out
        else:
            assert ran.out.count(b"\n") == expected.out.count(b"\n")


def test_a_text_is_found_however_deep() -> None:
    """To 1024 levels, as deep as is read; the kernel looks into sixty."""
    for levels in (1, 2, 59, 60, 61, 300, 1023):
        path = ".".join(["a"] * levels + ["t"])
        line = b'{"id":1,"a":' + b'{"a":' * (levels - 1) + b'{"t":"A B"}' + b"}" * levels + b"\n"
        made = line.replace(b"A B", b"a b")[:-2] + b',"named":"--id id --text %b","via":"canon/4"}\n' % path.encode()
        assert run("canon", "--text", path, stdin=line).good() == made


CONTENT = "messages[].content"
# The messages of a chat, and its text, or why it has none
CHATS: list[tuple[object, str]] = [
    ([{"role": "user", "content": "One, two"}, {"role": "assistant", "content": "three"}], "One, two\nthree"),
    ([{"content": "One"}, {"role": "tool"}, {"content": None}, {"content": ""}, 7, ["x"], {"content": "2"}], "One\n2"),
    ([{"content": "co-"}, {"content": "op"}], "co-\n\nop"),
    ([{"content": ']}\\"[{'}, {"x": [[]], "content": "é\ud7ff中"}], ']}\\"[{\né\ud7ff中'),
    ([{"content": ""}], ""),
    ([], f'!field "{CONTENT}" is missing'),
    ("content", f'!field "{CONTENT}" is missing'),
    ({"content": "x"}, f'!field "{CONTENT}" is missing'),
    ([[{"content": "x"}]], f'!field "{CONTENT}" is missing'),
    ([{"content": "x"}, {"content": 7}], f'!field "{CONTENT}" is not a string'),
    ([{"content": ["x"]}], f'!field "{CONTENT}" is not a string'),
]


def test_texts_in_lists(tmp_path: Path) -> None:
    """The text of all values stands in the field text, and each other byte is as it came."""
    lines = [json.dumps({"id": number, "messages": each}, indent=1) for number, (each, _) in enumerate(CHATS)]
    (tmp_path / "chats").write_text("".join(line.replace("\n", "\t") + "\n" for line in lines))
    flat = [{"id": number, "text": text} for number, (_, text) in enumerate(CHATS) if text[:1] != "!"]
    words = [record["text"] for record in run("canon", stdin=jsonl(*flat)).records()]
    for way in (
        f"canon --text {CONTENT}",
        f"canon --text no.such,{CONTENT}",
        f"shingletools run 'canon --text {CONTENT}'",
    ):
        ran = run(*shlex.split(way), "--all-messages" if way.startswith("canon") else "-v", "chats", cwd=tmp_path)
        made = ran.out.splitlines()
        assert [json.loads(line)["text"] for line in made] == words
        assert made[0].startswith((tmp_path / "chats").read_bytes().splitlines()[0][:-2])
        if "no.such" not in way:
            causes = [text[1:] for _, text in CHATS if text[:1] == "!"]
            assert all(cause in line for cause, line in zip(causes, ran.err.splitlines(), strict=False))


def test_a_member_of_an_element_that_occurs_twice() -> None:
    for line, field in [
        (b'{"id":1,"messages":[{"content":"x","content":"y"}]}', CONTENT),
        (b'{"id":1,"messages":[],"messages":[{"content":"y"}]}', "messages"),
        (b'{"id":1,"messages":[{"content":"x"},{"c\\u006fntent":"x","content":"y"}]}', CONTENT),
    ]:
        ran = run(f"canon --text {CONTENT}", stdin=line)
        assert ran.err.splitlines()[0] == f'canon: -:1: field "{field}" occurs twice'
    whole = b'{"id":1,"messages[].content":"X","messages":[{"content":"y"}]}\n'
    assert run(f"canon --text {CONTENT}", stdin=whole).records()[0]["text"] == "x"


def test_ids_and_labels_in_lists(tmp_path: Path) -> None:
    """One value is an id, or a label; of several, nobody knows which is meant."""
    labels: list[object] = [["de"], ["de", None], [None, "en"], [], ["de", "en"], "de"]
    records = [{"of": [{"x": 1}, {"id": number}], "in": each, "text": "a b"} for number, each in enumerate(labels)]
    records.append({"of": [{"id": 7}, {"id": 8}], "in": ["de"], "text": "a b"})
    run("canon --id of[].id -o words", stdin=jsonl(*records), cwd=tmp_path)
    shingles = run("shingle -k 1 --id of[].id words", cwd=tmp_path).good()
    ran = run("simjoin --id of[].id --within in[] -t 1", stdin=shingles)
    assert [(pair["a"], pair["b"]) for pair in map(json.loads, ran.out.splitlines())] == [(0, 1)]
    assert ran.err.count('field "in[]" is missing') == 2
    assert ran.err.count('field "in[]" is a list or an object') == 1
    assert 'field "of[].id" has several values, or a list' in run("canon --id of[].id", stdin=jsonl(records[-1])).err
    ran = run("shingle --id id --text of[].id", stdin=jsonl({"id": 1, "of": [{"id": "a b"}, {"id": "c"}]}))
    assert 'field "of[].id" has several values' in ran.err


def test_a_record_that_has_chats(tmp_path: Path) -> None:
    """The hint names their texts; from there on, Parquet, arrays and Python read what JSON lines have."""
    chats = [
        [{"role": "user", "content": each}, {"role": "assistant", "content": f"{each} and more"}] for each in "abac"
    ]
    records = [{"id": number, "messages": each} for number, each in enumerate(chats)]
    hint = 'the record has "messages[].role", "messages[].content": --text NAME says which is meant'
    hint = f'field "text" is missing; {hint}'
    assert run("canon", stdin=jsonl(records[0])).err.splitlines()[0] == f"canon: -:1: {hint}"
    (tmp_path / "a.jsonl").write_bytes(jsonl(*records))
    (tmp_path / "a.json").write_text(json.dumps(records))
    pq.write_table(pa.Table.from_pylist(records), tmp_path / "a.parquet")
    for name in ("a.jsonl", "a.json", "a.parquet"):
        run("shingletools", "unique", "--text", CONTENT, name, "-o", f"kept {name}", cwd=tmp_path)
    kept = [records[0], records[1], records[3]]
    assert [json.loads(line) for line in (tmp_path / "kept a.jsonl").read_text().splitlines()] == kept
    assert json.loads((tmp_path / "kept a.json").read_text()) == kept
    assert pq.read_table(tmp_path / "kept a.parquet").to_pylist() == kept
    assert list(shingletools.unique(records, options=f"--text '{CONTENT}'")) == kept
