"""The marks of dedup --annotate change no other byte of a document."""

from pathlib import Path

import pytest

from dedup.test_choice import GROUPS
from harness import jsonl, run


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "groups").write_bytes(GROUPS)
    return tmp_path


DEEP = b"[" * 1000 + b"]" * 1000


@pytest.mark.parametrize("keep", ["first", "longest"])
@pytest.mark.parametrize(
    ("line", "marked"),
    [
        (b'{"id":"b","text":"","x":%b}' % DEEP, b'{"id":"b","text":"","x":%b,"duplicate_of":"a"BY}' % DEEP),
        (b' { "text":"" , "id" : "b", "n":1.50e1 } ', b' { "text":"" , "id" : "b", "n":1.50e1,"duplicate_of":"a"BY } '),
        (b'{"id":"b","text":"\\u0061"}\r', b'{"id":"b","text":"\\u0061","duplicate_of":"a"BY}\r'),
        (b'{"id":"\\u0062","text":""}', b'{"id":"\\u0062","text":"","duplicate_of":"a"BY}'),
        (b'{"duplicate_of" :\t{"x":1}, "id":"b","text":""}', b'{"duplicate_of" :\t"a", "id":"b","text":""BY}'),
        (b'{"id":"b","text":"","duplicate\\u005fof":0}', b'{"id":"b","text":"","duplicate\\u005fof":"a"BY}'),
        (b'{"id":"b","text":"","z":1,"z":2}', b'{"id":"b","text":"","z":1,"z":2,"duplicate_of":"a"BY}'),
        (
            b'{"duplicate_by":1, "id":"b","text":"","duplicate_of":2}',
            b'{"duplicate_by":RULE, "id":"b","text":"","duplicate_of":"a"}',
        ),
        (b'{"id":"b","text":"","duplicate_by":[]}', b'{"id":"b","text":"","duplicate_by":RULE,"duplicate_of":"a"}'),
        (b'\xef\xbb\xbf{"id":"b","text":""}', b'{"id":"b","text":"","duplicate_of":"a"BY}'),
    ],
)
def test_a_mark_changes_no_other_byte(keep: str, line: bytes, marked: bytes, folder: Path) -> None:
    first = b'{"id":"a","text":"aa"}\n'
    for end in (b"\n", b""):
        ran = run("dedup", "--groups", "groups", "--keep", keep, "--annotate", stdin=first + line + end, cwd=folder)
        rule = b'{"rule":"%b"}' % keep.encode()
        said = marked.replace(b"BY", b',"duplicate_by":RULE').replace(b"RULE", rule)
        assert ran.good() == first + said + b"\n"


@pytest.mark.parametrize("keep", ["first", "longest"])
@pytest.mark.parametrize(
    ("line", "left"),
    [
        (b'{"id":"a", "duplicate_of":"x", "n": 1e2,"text":"long"}', b'{"id":"a", "n": 1e2,"text":"long"}'),
        (b'{ "duplicate_of":[1, "}"] , "id":"a","text":"long"}', b'{ "id":"a","text":"long"}'),
        (b'{"id":"a","text":"long","duplicate_of":null }', b'{"id":"a","text":"long" }'),
        (b'{"id":"a","text":"long","x":%b,"duplicate_of":1}' % DEEP, b'{"id":"a","text":"long","x":%b}' % DEEP),
        (b'{"duplicate_by":1,"id":"a","duplicate_of":1,"text":"long"}', b'{"id":"a","text":"long"}'),
        (b'{"id":"a","text":"long","duplicate\\u005fby":{"rule":"first"}}', b'{"id":"a","text":"long"}'),
        (b'\xef\xbb\xbf{"id":"a","text":"long"}', b'\xef\xbb\xbf{"id":"a","text":"long"}'),
    ],
)
def test_a_mark_that_goes_takes_no_other_byte(keep: str, line: bytes, left: bytes, folder: Path) -> None:
    second = b'{"id":"b","text":"bb"}\n'
    ran = run("dedup", "--groups", "groups", "--keep", keep, "--annotate", stdin=line + b"\n" + second, cwd=folder)
    assert (
        ran.good()
        == left + b'\n{"id":"b","text":"bb","duplicate_of":"a","duplicate_by":{"rule":"%b"}}\n' % keep.encode()
    )


@pytest.mark.parametrize("keep", ["first", "longest"])
def test_what_is_rejected_is_not_the_one_kept(keep: str, folder: Path) -> None:
    """Else its group would be lost: it is left out, and the others are marked as its duplicates."""
    twice = b'{"id":"a","text":"long","duplicate_of":"x","duplicate_of":"y"}\n'
    argv = ("dedup", "--groups", "groups", "--keep", keep, "--annotate", "--rejects", "bad")
    others = jsonl({"id": "b", "text": "b"}, {"id": "a", "text": ""})
    ran = run(*argv, stdin=twice + others, cwd=folder)
    assert (ran.status, ran.err) == (1, 'dedup: -:1: field "duplicate_of" occurs twice\n')
    assert (folder / "bad").read_bytes() == twice
    assert ran.out == run(*argv, stdin=others, cwd=folder).good()
    assert ran.out.splitlines()[0] == jsonl({"id": "b", "text": "b"}).rstrip()


@pytest.mark.parametrize("keep", ["first", "longest"])
def test_marks_of_an_earlier_run_do_not_stay(keep: str, folder: Path) -> None:
    stdin = jsonl(
        {"id": "a", "text": "", "duplicate_of": "old", "duplicate_by": {"rule": "known"}},
        {"id": "z", "text": "", "duplicate_of": 1},
    )
    argv = ("dedup", "--groups", "groups", "--keep", keep)
    assert run(*argv, stdin=stdin, cwd=folder).good() == stdin
    assert run(*argv, "--annotate", stdin=stdin, cwd=folder).records() == [
        {"id": "a", "text": ""},
        {"id": "z", "text": ""},
    ]
