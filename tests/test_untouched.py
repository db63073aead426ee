"""Records pass untouched: a filter changes the payload and via."""

import json

import orjson
import pytest

from agreement import conserved, filter_of
from harness import DOCS, jsonl, pipe, run
from shingletools.commands.shingle.fingerprints import Rolling


@pytest.mark.parametrize("way", ["canon", "canon --stop en", "shingle", "shingle --mod 3", "sketch", "sketch --keep"])
def test_real_records_pass_untouched(way: str) -> None:
    before = {"canon": [], "shingle": ["canon"], "sketch": ["canon", "shingle"]}[way.split(maxsplit=1)[0]]
    odd = b', "price":0.10, "big" : 123456789012345678901234567890,"y":1E5 , "z":[ 1 , "\\u0041"], "x":1,"x":2 }'
    stdin = pipe(DOCS.read_bytes().replace(b"}\n", odd + b"\n"), *before)
    made = run(way, stdin=stdin).good()
    assert stdin.count(odd[:-2]) == made.count(odd[:-2]) == DOCS.read_bytes().count(b"\n")
    stage = filter_of(way)
    for one, two in zip(stdin.splitlines(), made.splitlines(), strict=True):
        conserved(stage, one, two)
        assert one not in made
        old, new = orjson.loads(one), orjson.loads(two)
        assert new["via"].split(" | ") == [*filter(None, old.get("via", "").split(" | ")), stage.recipe]
        assert isinstance(new[stage.produces], str)


@pytest.mark.parametrize("name", ["id", "via", "ba", "b\\u0061"])
def test_a_field_that_stands_twice(name: str) -> None:
    line = b'{"id":1,"x":"a","via":"x","ba":"y","%b":"z"}\n' % name.encode()
    ran = run("canon", "--text", "ba", stdin=line)
    shown = json.dumps(json.loads(f'"{name}"'))
    message = f"canon: -:1: field {shown} occurs twice\ncanon: -: not one good record\n"
    assert (ran.status, ran.out, ran.err) == (2, b"", message)


def test_another_field_may_stand_twice() -> None:
    line = b'{"id":1,"x":"a","text":"y","x":"z"}\n'
    assert run("canon", stdin=line).good() == line[:-2] + b',"via":"canon/4"}\n'


def test_what_is_produced_may_be_there_already() -> None:
    """The new payload takes the first place of the two, and the other is gone."""
    for line, made in (
        (b'{"id":1, "shingles":"old" ,"n": 1,"text" : "a"}', b'{"id":1, "shingles":"%b" ,"n": 1,"via":"shingle k=10"}'),
        (b'{"text" : "a" ,"n":1,"shingles":[1,2] ,"id":1}', b'{"shingles" : "%b" ,"n":1 ,"id":1,"via":"shingle k=10"}'),
    ):
        shingle = Rolling(10)("a").encode()
        assert run("shingle", stdin=line).good() == made % shingle + b"\n"


def test_numbers_of_lines_stand_first() -> None:
    stdin = b'{"n": 0.10, "text":"A"}\n{ }\n \t{"id":"x","text":"B"}\n\xef\xbb\xbf{"text":"C"}\n'
    ran = run("canon", "--number", stdin=stdin)
    assert ran.out.splitlines() == [
        b'{"id":1,"n": 0.10, "text":"a","via":"canon/4"}',
        b' \t{"id":"x","text":"b","via":"canon/4"}',
        b'{"id":4,"text":"c","via":"canon/4"}',
    ]
    assert (ran.status, ran.err) == (1, 'canon: -:2: field "text" is missing\n')


def test_other_commands_reject_what_stands_twice() -> None:
    for command, line, name in (
        ("simjoin", b'{"id":1,"id":2,"sketch":"00000001"}', "id"),
        ("simjoin", b'{"id":1,"sketch":"00000001","sketch":"00000001"}', "sketch"),
        ("simgroup", b'{"a":1,"b":2,"\\u0062":3}', "b"),
        ("dedup --groups /dev/null", b'{"id":1,"id":2}', "id"),
        ("dedup --groups /dev/null --keep longest", b'{"id":1,"text":"a","text":"b"}', "text"),
    ):
        ran = run(command, stdin=line + b"\n" + jsonl({"id": 5, "sketch": "00000001", "a": 1, "b": 3, "text": "t"}))
        assert (ran.status, ran.err) == (1, f'{command.split()[0]}: -:1: field "{name}" occurs twice\n')


def test_what_a_command_does_not_look_at_may_stand_twice() -> None:
    run("simgroup", stdin=b'{"a":1,"b":2,"similarity":0.9,"similarity":0.9}\n').good()
    line = b'{"id":1,"duplicate_of":1,"duplicate_of":1,"text":"a","text":"b"}\n'
    assert run("dedup --groups /dev/null", stdin=line).good() == line
    for command in ("simgroup -t 0.5", "dedup --groups /dev/null --annotate"):
        ran = run(command, stdin=b'{"a":1,"b":2,"similarity":0.9,"similarity":0.9}\n' + line)
        assert "occurs twice" in ran.err, ran
