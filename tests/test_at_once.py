"""Collectors that take lines at once give what they give line by line, by the definition: output, rejects, failures."""

import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from targets import stage_of

from harness import collect, read_by_definition, run
from shingletools import kernel
from shingletools.commands.dedup.archive_pairs import ArchivePartners
from shingletools.kernel import NAME, arrays
from shingletools.reading.streams import Chunk
from shingletools.record.collector import Written
from shingletools.running.collecting import collect_chunk
from shingletools.system.errors import Failed

IDS = (
    *r'1 2 -3 "1" "x" "é" "\u00e9" 0 -0 "\"\\" "" "\ud800"'.split(),
    *'123456789012345678 18446744073709551615 123456789012345678901 1.0 null [1] "a b"'.split(" ", 6),
)
EIGHT = ("00000001 00000002 00000003", "00000001 00000002 0000000f", "0000000A 0000000b 0000000c", "", "0000000a")
SIXTEEN = (
    "0000000000000001 0000000000000002",
    "0000000000000002 0000000000000001 0000000000000002",
    "00000000ABCDEF00 0000000000000003",
    "00000000abcdef00",
    "",
    "00000001",
)
VIA = ("canon | sketch", "canon | sketch", "canon | sketch", "canon | sketch", "other", "é", "\\u00e9")
Fields = dict[str, tuple[str, ...]]


def quoted(*texts: str) -> tuple[str, ...]:
    return tuple(f'"{text}"' for text in texts)


SKETCHES: Fields = {"id": IDS, "sketch": (*quoted(*EIGHT), "7", '"\\u0030000001"')}
SHINGLES: Fields = {"shingles": (*quoted(*SIXTEEN), "null")}
SHORT: Fields = {"shingles": (*quoted(*EIGHT), "null")}
MADE: Fields = {"via": quoted(*VIA)}
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


def rarely(draw: st.DrawFn) -> bool:
    return draw(st.integers(0, 19)) == 19


@st.composite
def lines(draw: st.DrawFn, *fields: Fields) -> bytes:
    """Records, most of them ordinary."""
    made = []
    for _ in range(draw(st.integers(0, 12))):
        members = []
        for name, values in (each for group in fields for each in group.items()):
            if not rarely(draw):
                value = draw(st.sampled_from(values[:5] if draw(st.booleans()) else values))
                spelled = f'"\\u{ord(name[0]):04x}{name[1:]}"' if rarely(draw) else f'"{name}"'
                members.append(f"{spelled}:{value}")
        if rarely(draw):
            members.append(draw(st.sampled_from(['"x":[{"id":1}, "}"]', '"duplicate_of":1', '"duplicate_of":null'])))
        if members and rarely(draw):
            members.append(draw(st.sampled_from(members)))
        line = "{" + draw(st.sampled_from([",", " , "])).join(draw(st.permutations(members))) + "}"
        if rarely(draw):
            line = draw(st.sampled_from([line[:-1], "\ufeff" + line, line + "\r", " " + line, "", line + "x"]))
        made.append(line.encode())
    return b"\n".join(made) + b"\n" * draw(st.integers(0, 1))


def collected(command: str, sides: tuple[list[bytes], ...], at_once: bool) -> tuple[object, ...]:
    """Whatever a run has to say of some chunks for each side."""
    stage = stage_of(command)
    collector = stage.collector()
    if not at_once:
        read_by_definition(collector)
    rejects: list[tuple[str, int | None, str, bytes]] = []
    written: list[Written] = []
    good = 0
    for side, chunks in enumerate(sides):
        for number, data in enumerate(chunks):
            chunk = Chunk(f"{side}.{number}", 1, 1, data)
            outcome, failed = collect_chunk(collector, False, side, chunk)
            rejects += outcome.rejects
            written.append(outcome.written)
            good += outcome.records
            if failed is not None:
                return rejects, good, str(failed), Written(*map(b"".join, zip(*written, strict=True)))
    written += collector.finish()
    together = Written(*map(b"".join, zip(*written, strict=True))) if written else Written()
    return rejects, good, together, collector.summary()


def check(command: str, *sides: list[bytes]) -> None:
    assert collected(command, sides, at_once=True) == collected(command, sides, at_once=False)


FEW = settings(max_examples=min(20, settings().max_examples))  # the profile may have fewer


@pytest.mark.parametrize(
    "command", ["simjoin -m 2", "simjoin -t 1 --forest", "simjoin -m 1 -S 100M", "simjoin --against x -m 1"]
)
@FEW
@given(st.lists(lines(SKETCHES, MADE), max_size=2), st.lists(lines(SKETCHES, MADE), max_size=2))
def test_sketches(command: str, one: list[bytes], two: list[bytes]) -> None:
    check(command, *([one, two] if "against" in command else [one + two]))


def test_another_signature_twice(tmp_path: Path) -> None:
    """A field that may hold a signature is there once at most, even where another one is compared."""
    payloads = {"sketch": EIGHT[0], "simhash": SIXTEEN[3], "shingles": SIXTEEN[0]}
    for compared, payload in payloads.items():
        first = f'{{"id":1,"{compared}":"{payload}"}}\n'
        for doubled, other in payloads.items():
            bad = f'{{"id":2,"{compared}":"{payload}","{doubled}":"{other}","{doubled}":"{other}"}}\n'
            made = [collected("simjoin", ([(first + bad).encode()],), at_once) for at_once in (True, False)]
            assert made[0] == made[1]
            assert [cause for _, _, cause, _ in made[0][0]] == [f'field "{doubled}" occurs twice']  # type: ignore[attr-defined]
    for command in ("simjoin", "simindex add seen"):  # in one process, as it comes from a filter
        ran = run(
            "shingletools run",
            f"sketch -n 8 | {command}",
            stdin=b'{"id":1,"shingles":"0000000000000001"}\n'
            b'{"id":2,"shingles":"0000000000000002","simhash":"","simhash":""}\n',
            cwd=tmp_path,
        )
        assert (ran.status, ran.err) == (1, f'{command.split()[0]}: -:2: field "simhash" occurs twice\n')


@pytest.mark.parametrize("command", ["simjoin --verify -m 1", "simjoin --verify -m 1 -S 100M --measure containment"])
@FEW
@given(st.lists(lines(SKETCHES, SHINGLES), max_size=3))
def test_verified(command: str, chunks: list[bytes]) -> None:
    check(command, chunks)


@pytest.mark.parametrize("shingles", [SHINGLES, SHORT])
@pytest.mark.parametrize("command", ["simjoin -t 0.3", "simjoin -t 0.3 --against x -S 100M"])
@FEW
@given(st.data())
def test_shingles(shingles: Fields, command: str, data: st.DataObject) -> None:
    chunks = st.lists(lines({"id": IDS}, shingles, MADE), max_size=2)
    check(command, *(data.draw(chunks) for _ in range(1 + ("against" in command))))


@pytest.mark.parametrize("field", ["sketch", "simhash"])
@FEW
@given(st.data())
def test_words_of_16_digits(field: str, data: st.DataObject) -> None:
    """One of a simhash, many of supershingles."""
    words = SIXTEEN if field == "sketch" else ("00000000ABCDEF00", "00000000abcdef01", "", "ffffffffffffffff", "1")
    chunks = data.draw(st.lists(lines({"id": IDS, field: quoted(*words)}), max_size=3))
    check("simjoin -m 1" if field == "sketch" else "simjoin", chunks)


@pytest.mark.parametrize(
    "options", ["", "-t 6/7", "-t 0.857142857142", "-t 0.00000000001", "-t 1", "--star", "--star -t 0.857143"]
)
@FEW
@given(st.lists(lines(PAIRS), max_size=3), st.lists(lines(DOCUMENTS), max_size=2))
def test_groups(options: str, pairs: list[bytes], documents: list[bytes]) -> None:
    check(f"simgroup --singletons x {options}", pairs, documents)


@pytest.mark.parametrize(
    "options",
    [
        *(f"--keep {keep} {mark}" for keep in ("first", "longest", "shortest") for mark in ("", "--annotate")),
        "--keep none",
        "--keep none --larger-than 3",
        "--keep longest --larger-than 3",
        "--keep min:text --as text",
        "--keep max:text --annotate --as text",
        "--keep min:id --removed x --as text",
        "--known KNOWN",
        "--known KNOWN --annotate",
        "--known KNOWN --keep longest --removed x",
        "--known KNOWN --keep max:duplicate_of --annotate --as text",
        "--known KNOWN --keep min:a\\nb --as text",
        "--pairs KNOWN",
        "--pairs KNOWN --annotate --keep shortest",
    ],
)
@settings(max_examples=min(12, settings().max_examples))
@given(st.lists(lines(DOCUMENTS), max_size=3))
def test_choices(options: str, chunks: list[bytes]) -> None:
    with tempfile.NamedTemporaryFile() as file, tempfile.NamedTemporaryFile() as known:
        file.write(GROUPS)
        file.flush()
        known.write(b"".join(line for line in SAID if b"against" not in line or "--known" in options))
        known.flush()
        groups = "" if "--pairs" in options else f"--groups {file.name} "
        check(f"dedup {groups}{options.replace('KNOWN', known.name)}", chunks)


@FEW
@given(st.lists(lines({**PAIRS, "against": ("true", "true", "true", "false", "null", '"true"')}), max_size=4))
def test_pairs_of_two_sides(chunks: list[bytes]) -> None:
    """Whatever they hold, they are read in both ways, up to the line that fails the run."""
    found = []
    for at_once in (True, False):
        known = ArchivePartners(arrays.new_ids())
        if not at_once:
            known.schema = known.schema._replace(ordinary=False)
        failed = ""
        try:
            for number, chunk in enumerate(chunks):
                known.take_chunk(chunk, f"{number}")
        except Failed as error:
            failed = str(error)
        ids = known.ids if not failed else None
        names = [bytes(each.data) for each in (ids, known.archive)] if ids else []
        found.append((failed, names, [*known.best] if ids else [], [*known.similarity] if ids else []))
    assert found[0] == found[1]


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


@pytest.mark.parametrize("options", ["", "--by 1/7", "--bands 0.857142857142,1", "--docs x", "--docs x --by 0.25"])
@pytest.mark.parametrize("truth", [PAIRS, SIDED, LISTED, LABELLED], ids=["pairs", "two sides", "groups", "labels"])
@settings(max_examples=min(8, settings().max_examples))
@given(st.data())
def test_scores(options: str, truth: Fields, data: st.DataObject) -> None:
    """A chunk here is a file of its own, so that each has a first line, which is taken by itself."""
    found = st.lists(st.one_of(lines(PAIRS), lines(SIDED), lines(LISTED)), max_size=2)
    field = f" --field {LABELS}" if truth is LABELLED else ""
    docs = data.draw(st.lists(lines({"id": IDS}), max_size=2)) if "--docs" in options else []
    check(f"simscore --truth x {options}{field}", data.draw(found), docs, data.draw(st.lists(lines(truth), max_size=2)))


PART = b'{"id":"1#%d","of":%b,"part":%d,"place":[0,1],"before":"-","text":"t"%b}\n'


@pytest.mark.parametrize(
    ("old", "new"),
    [
        *(
            (b'"t"', text)
            for text in (
                rb'"\u000A"',
                rb'"\u0041"',
                rb'"\/"',
                rb'"\ud800"',
                rb'"\"',
                b'"\t"',
                b"1",
                b'"\xff"',
                rb'"\n\"\\\u0000\u001f"',
                '"é\x7f"'.encode(),
                b'"',
                b'"\xc3"',
            )
        ),
        *(
            (b'"of":1', of)
            for of in (
                b'"of":-0',
                rb'"of":"\u0031"',
                b'"of":1.0',
                b'"of":null',
                b'"of":01',
                rb'"of":"\n"',
                b'"of":123456789012345678901',
                b'"of":"1"',
                b'"of":-7',
            )
        ),
        *(
            (b'"part":2', part)
            for part in (
                b'"part":0',
                b'"part":1',
                b'"part":02',
                b'"part":2.0',
                b'"part":"2"',
                b'"part":99999999999999999999',
                b'"part":9',
            )
        ),
        *((b"[0,1]", place) for place in (b"[0,01]", b"[-1,1]", b"[0]", b"null", b"[0,1e999]")),
        (b',"n":1', b',"behind":"b","n":1'),
        (b',"n":1', b',"n":1,"behind":"b"'),
        (b',"n":1', b',"n":01'),
        (b',"n":1', b',"n":1,"part":3'),
        (b',"n":1', b',"n":1e999'),
        (b',"n":1', b',"n":1,"t\\u0065xt":"x"'),
        (b"}", b"}}"),
        (b"}", b"} "),
        (b"}", b"}\r"),
        (b"{", b" {"),
        (b'{"id"', b'\xef\xbb\xbf{"id"'),
        (b"}", b""),
    ],
)
@pytest.mark.parametrize("last", [False, True])
def test_parts(old: bytes, new: bytes, last: bool) -> None:
    """One that is odd among ordinary ones, of the same document or the next; also where all others end as it does."""
    for rest in (b',"n":1', b',"n":1,"via":"parts by=line"'):
        ends = rest + b',"behind":""' if last else rest
        good = [PART % (1, b"1", 1, rest), PART % (2, b"1", 2, ends), PART % (1, b'"x"', 1, rest)]
        for place in range(3):
            lines = [*good[:place], good[place].replace(old, new), *good[place + 1 :]]
            check("parts --together", [b"".join(lines) + PART % (4, b'"x"', 4, rest)])
            check("parts --together", [b"".join(lines[:2]), b"".join(lines[:1] + lines[2:])])
        check("parts --together", [b"".join(line.replace(old, new) for line in good)])


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
                assert b"".join(part.output for part in collector.finish()).count(b"\n") == count
                check(command, [chunk])
