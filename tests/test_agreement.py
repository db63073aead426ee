"""Filters, chains and collectors do with any lines what their definitions do: output, rejects, failures."""

import json
from itertools import product
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from agreement import (
    CHAINS,
    FILTERED,
    IDS,
    MORE,
    PATHS,
    Fields,
    chain_of,
    check_chain,
    check_collector,
    check_lines,
    collected,
    quoted,
    record_lines,
    stage_of,
)
from harness import DOCS, collect, finished, jsonl, run
from shingletools import kernel
from shingletools.commands.dedup.archive_pairs import ArchivePartners
from shingletools.kernel import NAME, arrays
from shingletools.record.collector import CollectorContext
from shingletools.system.errors import Failed


@given(record_lines(FILTERED, more=MORE, most=2))
@example(b'{"price":0.10,"big":123456789012345678901234567890,"y":1E5,"id":1,"text":"A"}')
@example(b'\xef\xbb\xbf{"id":1,"text":"A"}\r')
@example(b'\xef\xbb\xbf\xef\xbb\xbf{"id":1,"text":"A"}')
@example(b'{"x":1,"x":2,"id":1,"text":"A","shingles":""}')
@example(b'{"id":1,"text":"A","id":2}')
@example(b'{"id":1,"shingles":"00000000000000ab","sketch":"00000001","via":"canon/4"}')
@example(b'{"via":"canon/4","sketch":"00000001","id":1,"shingles":"00000000000000ab"}')
def test_filters(data: bytes) -> None:
    check_lines(data)


@pytest.mark.parametrize("pipeline", CHAINS)
@given(data=record_lines(FILTERED, more=MORE, most=4))
@example(b'\n\n{"id":1,"text":"\\u0041 b\\u0000c"}\r\n{"id":2,"text":""}\n{"id":"\\u0061","text":"a"}\n')
@example(b'{"id":1,"text":"a b","shingles":1}\n{"id":1,"text":"a b","shingles":1,"shingles":2}\n{"id":1,"sketch":2}')
@example(b'{"id":1,"text":"a b","sketch":1}\n{"id":1,"text":"a b","sketch":1,"sketch":2}\n{"id":1,"text":1}')
@example(b'{"id":1,"text":"a b","via":""}\n{"via":"x","id":1,"text":"a b"}\n{"via":1,"id":1,"text":"a b"}')
@example(b'{"x":0,"shingles":"0123456789abcdef","via":"x"} \n{"x":0,"shingles":"01234567 89abcdef"}\n\xff\n')
def test_chains(pipeline: str, data: bytes) -> None:
    check_chain(chain_of(pipeline), data)


@pytest.mark.parametrize("pipeline", CHAINS)
def test_real_documents(pipeline: str) -> None:
    check_chain(chain_of(pipeline), DOCS.read_bytes().replace(b'"text"', b'"x":1.0,"words":"a b c d","text"'))


# Lines of which only the payload and via may change, and what becomes of them, byte for byte
UNTOUCHED = [
    ("canon", b'{"id":1,"x":"a","text":"y","x":"z"}', b'{"id":1,"x":"a","text":"y","x":"z",VIA}'),
    (
        "canon",
        b'{"text":"A", "price":0.10 , "big":123456789012345678901234567890,"y":1E5 , "z":[ 1 , "\\u0041"],"id":1 }',
        b'{"text":"a", "price":0.10 , "big":123456789012345678901234567890,"y":1E5 , "z":[ 1 , "\\u0041"],"id":1,VIA }',
    ),
    # The new payload takes the first place of the two, and the other is gone
    (
        "shingle --readable",
        b'{"id":1, "shingles":"old" ,"n": 1,"text" : "a"}',
        b'{"id":1, "shingles":["a"] ,"n": 1,VIA}',
    ),
    (
        "shingle --readable",
        b'{"text" : "a" ,"n":1,"shingles":[1,2] ,"id":1}',
        b'{"shingles" : ["a"] ,"n":1 ,"id":1,VIA}',
    ),
    ("canon --number", b'{"n": 0.10, "text":"A"}', b'{"id":1,"n": 0.10, "text":"a",VIA}'),
    ("canon --number", b' \t{"id":"x","text":"B"}', b' \t{"id":"x","text":"b",VIA}'),
    ("canon --number", b'\xef\xbb\xbf{"text":"C"}', b'{"id":1,"text":"c",VIA}'),
]


@pytest.mark.parametrize(("way", "line", "made"), UNTOUCHED)
def test_all_else_passes_untouched(way: str, line: bytes, made: bytes) -> None:
    via = '"via":"canon/4"' if way.startswith("canon") else '"via":"shingle k=10 readable"'
    assert run(way, stdin=line).good() == made.replace(b"VIA", via.encode()) + b"\n"


@pytest.mark.parametrize(
    ("command", "line", "name"),
    [
        *(
            ("canon --text ba", b'{"id":1,"x":"a","via":"x","ba":"y","%b":"z"}' % name, name.decode())
            for name in (b"id", b"via", b"ba", b"b\\u0061")
        ),
        ("simjoin", b'{"id":1,"id":2,"sketch":"00000001"}', "id"),
        ("simjoin", b'{"id":1,"sketch":"00000001","sketch":"00000001"}', "sketch"),
        ("simgroup", b'{"a":1,"b":2,"\\u0062":3}', "b"),
        ("simgroup -t 0.5", b'{"a":1,"b":2,"similarity":0.9,"similarity":0.9}', "similarity"),
        ("dedup --groups /dev/null", b'{"id":1,"id":2}', "id"),
        ("dedup --groups /dev/null --keep longest", b'{"id":1,"text":"a","text":"b"}', "text"),
        ("dedup --groups /dev/null --annotate", b'{"id":1,"duplicate_of":1,"duplicate_of":1}', "duplicate_of"),
    ],
)
def test_a_field_that_stands_twice(command: str, line: bytes, name: str) -> None:
    """It is bad where a command reads the field, and not elsewhere."""
    good = jsonl({"id": 5, "sketch": "00000001", "a": 1, "b": 3, "similarity": 1, "ba": "t", "text": "t"})
    ran = run(command, stdin=line + b"\n" + good)
    shown = json.dumps(json.loads(f'"{name}"'))
    assert (ran.status, ran.err) == (1, f"{command.split(maxsplit=1)[0]}: -:1: field {shown} occurs twice\n")
    run("simgroup", stdin=b'{"a":1,"b":2,"similarity":0.9,"similarity":0.9}\n').good()
    twice = b'{"id":1,"duplicate_of":1,"duplicate_of":1,"text":"a","text":"b"}\n'
    assert run("dedup --groups /dev/null", stdin=twice).good() == twice


# Members of records whose id is a.b and whose text is b.a.t; the first four are ordinary
WITHIN_A = (
    '"a":{"b":1}',
    '"a" : { "x":0.10 , "b" : "u" ,"c":{"b":2}}',
    '"a.b":3',
    '"a":{"c":[{"b":1}],"b":5}',
    '"a":{"\\u0062":4}',
    '"\\u0061":{"b":1}',
    '"a\\u002eb":"x"',
    '"a":{"b":1,"b":2}',
    '"a":[{"b":1}]',
    '"a":{}',
    '"a":7',
    '"a":{"b":1.0}',
    '"a":{"b":-0}',
    '"a":{"c":1,"c":2,"b":"\\u00e9"}',
    '"a":{"b":{"b":1}}',
    '"a.b":null',
)
WITHIN_B = (
    '"b":{"a":{"t":"A b"}}',
    '"b" :{ "x":[1], "a" : {\t"t" : "A b" , "y":1E5 } }',
    '"b.a.t":"A b"',
    '"b":{"a":{"y":{"t":0.10} ,\r"t":"C"},"t":"Z"}',
    '"b":{"a":{"t":"\\u0041 b"}}',
    '"b":{"a":{"t" : "w" }}',
    '"b":{"a.t":"x"}',
    '"b":{"a":{"t":"x","t":"y"}}',
    '"b":{"a":{"t":"x"},"a":{}}',
    '"b":{"a":[{"t":"A"}]}',
    '"b":{"a":{"t":7}}',
    '"b":{}',
    '"b":{"a":{"\\u0074":"A"}}',
    '"b.a.t":["x"]',
    '"b.a":{"t":"x"}',
    '"t":"x"',
)
BESIDE_THEM = (
    '"via":"x"',
    '"via":""',
    '"x":{"b":1,"b":2}',
    '"shingles":{"q":[0.10]}',
    '"shingles":"y"',
    '"via":1',
    '"":0',
)


def one_of(values: tuple[str, ...]) -> st.SearchStrategy[str]:
    """Most often one of the first, which are ordinary."""
    return st.sampled_from(values[:4]) | st.sampled_from(values[:4]) | st.sampled_from(values)


@st.composite
def objects(draw: st.DrawFn) -> bytes:
    """Records, about half of which are good."""
    beside = st.lists(st.sampled_from(BESIDE_THEM), max_size=2, unique=True)
    every = [draw(one_of(WITHIN_A)), draw(one_of(WITHIN_B)), *draw(beside)]
    if draw(st.integers(0, 4)) == 0:
        every.append(draw(st.sampled_from(WITHIN_A + WITHIN_B)))
    return f"{{{draw(st.sampled_from([',', ' , ', f',{chr(9)}'])).join(draw(st.permutations(every)))}}}".encode()


@pytest.mark.parametrize("pipeline", PATHS)
@given(data=objects())
@example(b'{"a":{"b":1},"b":{"a":{"t":"A b"}}}')
@example(b'{"a.b":1,"b.a.t":"A b","a":{"b":2},"b":{"a":{"t":"C"}}}')
def test_fields_within_objects(pipeline: str, data: bytes) -> None:
    around = b'{"a":{"b":5},"b":{"a":{"t":"w x"}}}'
    check_chain(chain_of(pipeline), data + b"\n" + around[:-1] + b',"via":"x"}', around)


@pytest.mark.parametrize("pipeline", ["canon --text words,text", "canon --text words,text | shingle -k 1"])
def test_joined_texts_of_which_the_first_may_be_parted(pipeline: str) -> None:
    """By a hyphen or white space at its end, of which some is beyond ASCII, as are most letters."""
    ends = ["-", "- ", *"é¿\u00a0\u1680\u169a\u2010\u2014\u2026\u2028\u205f\u2060\u3000\u3001\u65e5\u0301\U0001f600"]
    records = ({"id": number, "words": f"w{end}", "text": "B c"} for number, end in enumerate(ends))
    check_chain(chain_of(pipeline), jsonl(*records))


EIGHT = ("00000001 00000002 00000003", "00000001 00000002 0000000f", "0000000A 0000000b 0000000c", "", "0000000a")
SIXTEEN = (
    "0000000000000001 0000000000000002",
    "0000000000000002 0000000000000001 0000000000000002",
    "00000000ABCDEF00 0000000000000003",
    "00000000abcdef00",
    "",
    "00000001",
)
RECIPES = ("canon | sketch", "canon | sketch", "canon | sketch", "canon | sketch", "other", "é", "\\u00e9")
SKETCHES: Fields = {"id": IDS, "sketch": (*quoted(*EIGHT), "7", '"\\u0030000001"')}
SHINGLES: Fields = {"shingles": (*quoted(*SIXTEEN), "null")}
SHORT: Fields = {"shingles": (*quoted(*EIGHT), "null")}
MADE: Fields = {"via": quoted(*RECIPES)}
WITHIN: Fields = {  # objects, in which is the id
    "of": (
        *(f'{{"x":0.10,"id":{each}}}' for each in IDS),
        *('{"id":1,"id":1}', "[]", "1", "{}", '{"\\u0069d":5}', '{"id":{"id":1}}', '[{"id":7}]', '[{"id":1},{"id":2}]'),
    )
}
PAIRS: Fields = {
    "a": IDS,
    "b": tuple(reversed(IDS)),
    "similarity": tuple(
        "1 1.0 0.857143 0.857142 0.857142857142 0.8571428571428571 8e-1 0 -1 0.8571428571429 0.857142857143"
        ' 2 10 true "1" 1e0 -0'.split()
    ),
}
DOCUMENTS: Fields = {
    "id": IDS,
    "text": (*quoted("", "a", "äö", "中文", "\\n\\n\\n", "\\ud83d\\ude00", "\\u0041b", "😀", "aaa"), "1", "null"),
}


GROUPS = b"""\
{"members":[1,"1",2,"x"]}
{"members":["gone","\\u00e9",-3]}
{"members":[0,"a b","",18446744073709551615]}
"""


SAID = (
    b'{"a":1,"b":2,"similarity":0.5}\n',
    b'{"a":"1","b":1,"similarity":1,"against":true}\n',
    b'{"a":0,"b":"a b"}\n',
    b'{"b":-3,"a":"\\u00e9","similarity":8e-1}\n',
    b'{"a":"new","b":"a b"}\n',
    b'{"a":"1","b":"x","similarity":1.0}\n',
    b'{"a":1,"b":2,"similarity":0.25}\n',
)
LABELS = "meta.l"
LABELLED: Fields = {
    "id": IDS,
    "meta": tuple(
        '{"l":"x"} {"l":1} {"l":"x"} {"l":null} {"l":1.0}'
        ' {"l":[1]} {} {"l":"\\u0078"} {"l":"x","l":1} 1 {"l":1e0}'.split()
    ),
}
SIDED: Fields = {**PAIRS, "against": ("false", "true", "false", "true", "true", "null")}
LISTED: Fields = {"members": ("[1]", '["x","1"]', "[]", '["\\u00e9",2]', "[-3,0]", "[1.0]", "7", '["a b","a b"]')}
WORDS = ("00000000ABCDEF00", "00000000abcdef01", "", "ffffffffffffffff", "1")
# What collects, and the fields of the records of each of its sides; each chunk of scores is a file of its own
COLLECTORS: list[tuple[str, list[list[Fields]]]] = [
    *((f"simjoin {each}", [[SKETCHES, MADE]]) for each in ("-m 2", "-t 1 --forest", "-m 1 -S 100M")),
    *((f"simjoin -m 1 --id {path}", [[WITHIN, SKETCHES, MADE]]) for path in ("of.id", "of[].id")),
    ("dedup --pairs PAIRS --id of.id --text of.x", [[WITHIN]]),
    ("simjoin --against x -m 1", [[SKETCHES, MADE]] * 2),
    *((f"simjoin --verify -m 1{each}", [[SKETCHES, SHINGLES]]) for each in ("", " -S 100M --measure containment")),
    *(("simjoin -t 0.3", [[{"id": IDS}, each, MADE]]) for each in (SHINGLES, SHORT)),
    *(("simjoin -t 0.3 --against x -S 100M", [[{"id": IDS}, each, MADE]] * 2) for each in (SHINGLES, SHORT)),
    ("simjoin -m 1", [[{"id": IDS, "sketch": quoted(*SIXTEEN)}]]),  # supershingles
    ("simjoin", [[{"id": IDS, "simhash": quoted(*WORDS)}]]),
    *(
        (f"simgroup --singletons x {each}", [[PAIRS], [DOCUMENTS]])
        for each in ("", "-t 6/7", "-t 0.857142857142", "-t 0.00000000001", "-t 1", "--star", "--star -t 0.857143")
    ),
    *(
        (f"simscore --truth x {options} {field}", [[found], [{"id": IDS}] if "--docs" in options else [], [truth]])
        for number, options in enumerate(("", "--by 1/7", "--bands 0.857142857142,1", "--docs x", "--docs x --by 0.25"))
        for truth, field in ((PAIRS, ""), (SIDED, ""), (LISTED, ""), (LABELLED, f"--field {LABELS}"))
        for found in ((PAIRS, SIDED, LISTED)[number % 3],)
    ),
    *(
        (f"dedup --groups GROUPS --keep {keep}", [[DOCUMENTS]])
        for keep in (
            *(f"{keep}{mark}" for keep in ("first", "longest", "shortest") for mark in ("", " --annotate")),
            "none",
            "none --larger-than 3",
            "longest --larger-than 3",
            "min:text --as text",
            "max:text --annotate --as text",
            "min:id --removed x --as text",
        )
    ),
    *(
        (f"dedup --groups GROUPS --known KNOWN {options}", [[DOCUMENTS]])
        for options in (
            "",
            "--annotate",
            "--keep longest --removed x",
            "--keep max:duplicate_of --annotate --as text",
            "--keep min:a\\nb --as text",
        )
    ),
    *((f"dedup --pairs PAIRS{options}", [[DOCUMENTS]]) for options in ("", " --annotate --keep shortest")),
]


FEW = settings(max_examples=min(12, settings().max_examples))  # the profile may have fewer


@pytest.fixture(scope="module")
def named(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Files of groups and pairs, by their names in COLLECTORS."""
    folder = tmp_path_factory.mktemp("files")
    pairs = b"".join(line for line in SAID if b"against" not in line)
    for name, data in (("GROUPS", GROUPS), ("KNOWN", b"".join(SAID)), ("PAIRS", pairs)):
        (folder / name).write_bytes(data)
    return {name: str(folder / name) for name in ("GROUPS", "KNOWN", "PAIRS")}


@pytest.mark.parametrize(("command", "sides"), COLLECTORS)
@FEW
@given(data=st.data())
def test_collectors(command: str, sides: list[list[Fields]], named: dict[str, str], data: st.DataObject) -> None:
    words = [named.get(word, word) for word in command.split(" ")]
    chunks = [st.lists(record_lines(*fields), max_size=3) if fields else st.just([]) for fields in sides]
    check_collector(" ".join(words), [data.draw(each) for each in chunks])


def test_another_signature_twice(tmp_path: Path) -> None:
    """A field that may hold a signature is there once at most, even where another one is compared."""
    payloads = {"sketch": EIGHT[0], "simhash": SIXTEEN[3], "shingles": SIXTEEN[0]}
    for compared, payload in payloads.items():
        first = f'{{"id":1,"{compared}":"{payload}"}}\n'
        for doubled, other in payloads.items():
            bad = f'{{"id":2,"{compared}":"{payload}","{doubled}":"{other}","{doubled}":"{other}"}}\n'
            made = [collected("simjoin", [[(first + bad).encode()]], at_once) for at_once in (True, False)]
            assert made[0] == made[1]
            assert [cause for _, _, cause, _ in made[0][0].rejects] == [f'field "{doubled}" occurs twice']
    for command in ("simjoin", "simindex add seen"):  # in one process, as it comes from a filter
        ran = run(
            "shingletools run",
            f"sketch -n 8 | {command}",
            stdin=b'{"id":1,"shingles":"0000000000000001"}\n'
            b'{"id":2,"shingles":"0000000000000002","simhash":"","simhash":""}\n',
            cwd=tmp_path,
        )
        assert (ran.status, ran.err) == (1, f'{command.split()[0]}: -:2: field "simhash" occurs twice\n')


@FEW
@given(st.lists(record_lines({**PAIRS, "against": ("true", "true", "true", "false", "null", '"true"')}), max_size=4))
def test_pairs_of_two_sides(chunks: list[bytes]) -> None:
    """Whatever they hold, they are read in both ways, up to the line that fails the run."""
    found = []
    for at_once in (True, False):
        known = ArchivePartners(arrays.new_ids())
        if not at_once:
            known.schema = known.schema._replace(ordinary=False)
        failed = ""
        pieces = [(f"{number}", chunk) for number, chunk in enumerate(chunks)]
        try:
            known.read("--known", ["pairs"], CollectorContext(read=lambda *_, pieces=pieces: iter(pieces)))
        except Failed as error:
            failed = str(error)
        ids = known.ids if not failed else None
        names = [bytes(each.data) for each in (ids, known.archive)] if ids else []
        found.append((failed, names, [*known.best] if ids else [], [*known.similarity] if ids else []))
    assert found[0] == found[1]


PART = b'{"id":"1#%d","of":%b,"part":%d,"place":[0,1],"before":"-","text":"t"%b}\n'
# What stands in a part, and odd things in its place
ODD_PARTS: dict[bytes, list[bytes]] = {
    b'"t"': [
        *rb'"\u000A" "\u0041" "\/" "\ud800" "\" 1 "\n\"\\\u0000\u001f" "'.split(),
        *(b'"\t"', b'"\xff"', '"é\x7f"'.encode(), b'"\xc3"'),
    ],
    b'"of":1': [b'"of":' + of for of in rb'-0 "\u0031" 1.0 null 01 "\n" 123456789012345678901 "1" -7'.split()],
    b'"part":2': [b'"part":' + part for part in b'0 1 02 2.0 "2" 99999999999999999999 9'.split()],
    b"[0,1]": b"[0,01] [-1,1] [0] null [0,1e999]".split(),
    b',"n":1': [
        *(b',"behind":"b","n":1', b',"n":1,"behind":"b"', b',"n":01', b',"n":1,"part":3', b',"n":1e999'),
        b',"n":1,"t\\u0065xt":"x"',
    ],
    b"}": [b"}}", b"} ", b"}\r", b""],
    b"{": [b" {"],
    b'{"id"': [b'\xef\xbb\xbf{"id"'],
}


@pytest.mark.parametrize(("old", "new"), [(old, new) for old, odd in ODD_PARTS.items() for new in odd])
def test_parts(old: bytes, new: bytes) -> None:
    """One that is odd among ordinary ones, of the same document or the next; also where all others end as it does."""
    for rest, last in product((b',"n":1', b',"n":1,"via":"parts by=line"'), (b"", b',"behind":""')):
        good = [PART % (1, b"1", 1, rest), PART % (2, b"1", 2, rest + last), PART % (1, b'"x"', 1, rest)]
        for place in range(3):
            lines = [*good[:place], good[place].replace(old, new), *good[place + 1 :]]
            check_collector("parts --together", [[b"".join(lines) + PART % (4, b'"x"', 4, rest)]])
            check_collector("parts --together", [[b"".join(lines[:2]), b"".join(lines[:1] + lines[2:])]])
        check_collector("parts --together", [[b"".join(line.replace(old, new) for line in good)]])


def test_a_similarity_counts_as_it_is_written() -> None:
    """Whoever reads it: each stands between a threshold that it reaches and one that it does not."""
    for spelled, reached, missed in (
        ("0.857143", "0.857143", "0.857143000001"),
        ("0.857142857142", "0.857142857142", "6/7"),
        ("0.857142857143", "6/7", "0.8571428571431"),
        ("0.9", "9/10", "0.90000000000000001"),
        ("1.000000000000", "1", None),
        ("0.000000000001", "0.000000000001", "0.0000000000011"),
    ):
        chunk = b'{"a":1,"b":2,"similarity":%b}\n' % spelled.encode()
        for threshold, count in ((reached, 1), (missed, 0)):
            if threshold is not None:
                command = f"simgroup -t {threshold}"
                collector = stage_of(command).collector()
                assert NAME != "c" or kernel.read_columns(chunk, 0, collector.schema(0).fields).rows == 1
                collect(collector, chunk)
                assert finished(collector).count(b"\n") == count
                check_collector(command, [[chunk]])
