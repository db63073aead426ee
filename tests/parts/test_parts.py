"""parts: nothing is lost between a text and its parts, and the parts are what the manual says."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agreement import filter_of, stage_of
from harness import Record, collect, filtered, jsonl, pipe, run, shell
from shingletools.commands.canon.placed_words import Placer
from shingletools.record.filter_chain import Chain
from shingletools.text.sentences import sentences

UNITS = ("paragraph", "line", "sentence", "heading", "1-words", "3-words", "200-words")
# What may part, and what may be lost; with NUL, and marks that join what stands before them
PIECES = [
    *"aB1.#-=~` \t\n\r\v\f\0\x1c\x1e\x1f\x85\u2028\u2029\u200b\u3000\u0301中文。ไ…!?",
    *'\u02bc\x7f\ufeff\u0e33ーﾞｶꦲ\\"\U0001f600',
]
PIECES += "\r\n|\n\n|# |\n---\n|2.1 A|\n```\n|word |A. |e\u0301|\u00ad\n".split("|")
texts = st.lists(st.sampled_from(PIECES) | st.characters(exclude_categories=["Cs"]), max_size=30).map("".join)
by_unit = pytest.mark.parametrize("unit", UNITS)


def apart(unit: str, documents: list[Record], options: str = "") -> list[bytes]:
    """The lines of parts."""
    made, rejections = filtered(Chain([(filter_of(f"parts --by {unit} {options}"), "id")]), jsonl(*documents))
    assert not rejections
    return made.split(b"\n")[:-1]


def together(lines: list[bytes]) -> list[Record]:
    stage = stage_of("parts --together")
    collector = stage.collector()
    data = b"".join(line + b"\n" for line in lines)
    made = collect(collector, data)
    assert made.rejects == []
    made.add(collector.finish())
    return [json.loads(line) for line in made.output.split(b"\n")[:-1]]


@by_unit
@given(st.lists(texts, max_size=4))
def test_what_is_cut_apart_goes_together_again(unit: str, every: list[str]) -> None:
    documents = [{"id": number, "text": text} for number, text in enumerate(every)]
    lines = apart(unit, documents)
    assert together(lines) == documents
    parts = [json.loads(line) for line in lines]
    assert len({part["id"] for part in parts}) == len(parts)
    for number, text in enumerate(every):
        mine = [part for part in parts if part["of"] == number]
        assert [part["part"] for part in mine] == list(range(1, len(mine) + 1))
        assert [part["id"] for part in mine] == [f"{number}#{part['part']}" for part in mine]
        at = 0
        for part in mine:
            start, end = part["place"]
            assert (text[at:start], text[start:end]) == (part["before"], part["text"])
            assert part["before"].strip() == "" or part["text"] == ""
            assert part["text"].strip() or (len(mine) == 1 and not text.strip())
            at = end
        assert [part.get("behind") for part in mine] == [None] * (len(mine) - 1) + [text[at:]]


def lines_of(text: str) -> list[str]:
    """By Python's own rule, without the separators that it has beyond Unicode's."""
    kept = [character if character not in "\x1c\x1d\x1e" else "\ue000" for character in text]
    at, found = 0, []
    for line in "".join(kept).splitlines():
        found.append(text[at : at + len(line)])
        at += len(line)
        at += 2 if text[at : at + 2] == "\r\n" else 1
    return found


def texts_of(unit: str, text: str) -> list[str]:
    parts = [json.loads(line)["text"] for line in apart(unit, [{"id": 1, "text": text}])]
    return [] if parts == [""] else parts


@given(texts)
def test_lines(text: str) -> None:
    assert texts_of("line", text) == [line for line in lines_of(text) if line.strip()]


@given(texts)
def test_paragraphs(text: str) -> None:
    """Line by line: one goes on if the line before is not blank, and no U+2029 between."""
    expected: list[list[str]] = []
    for block in text.split("\u2029"):
        blank = True
        for line in lines_of(block):
            if line.strip() and blank:
                expected.append([])
            if line.strip():
                expected[-1].append(line)
            blank = not line.strip()
    assert [lines_of(part) for part in texts_of("paragraph", text)] == expected


@given(texts)
def test_sentences(text: str) -> None:
    assert texts_of("sentence", text) == [each.strip() for each in sentences(text) if each.strip()]


@given(st.text("ab.,- \n\t\u00a0é'"), st.integers(1, 4))
def test_words(text: str, number: int) -> None:
    words = text.split()
    groups = [words[at : at + number] for at in range(0, len(words), number)]
    assert [part.split() for part in texts_of(f"{number}-words", text)] == groups


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("你好，世界。", ["你好，", "世界。"]),
        ("「你好」吗 no, really", ["「你好」", "吗 no,", "really"]),
        ("a中b", ["a中", "b"]),
        ("คน ไทย", ["คน", "ไท", "ย"]),
        ("don\u02bct stop now", ["don\u02bct stop", "now"]),
        ("ガ カ\u3099 x", ["ガ カ\u3099", "x"]),
        ("한국 말 셋", ["한국 말", "셋"]),
        ("… – …", ["… –", "…"]),
        ("นำ้ำนน", ["นำ้ำน", "น"]),
        ("ｶﾞｷﾞｸ", ["ｶﾞｷﾞ", "ｸ"]),
        ("ꦲꦤꦕ", ["ꦲꦤ", "ꦕ"]),
        ("co\u00ad\noperate a b", ["co\u00ad\noperate a", "b"]),
    ],
)
def test_two_words_of_any_script(text: str, parts: list[str]) -> None:
    assert texts_of("2-words", text) == parts


@given(texts, st.integers(1, 3))
def test_no_part_begins_inside_a_word_of_canon(text: str, number: int) -> None:
    places = [json.loads(line)["place"] for line in apart(f"{number}-words", [{"id": 1, "text": text}])]
    for place in filter(None, Placer()(text).at.split(" ")):
        start, end = map(int, place.split("-"))
        assert any(begin <= start and end <= stop for begin, stop in places), (place, places)


@pytest.mark.parametrize(
    ("text", "heads"),
    [
        ("before\n# One\ntext\n## Two\n###\n#no\n####### no", ["before", "# One", "## Two", "###"]),
        ("   # yes\n    # no\n#\tyes", ["   # yes", "#\tyes"]),
        ("One\n===\na\n\nTwo\n---\nb\nc\n---\n\n---\nd", ["One", "Two"]),
        ("```sh\n# no\n~~~\n```\n# yes\n~~~\n# no", ["```sh", "# yes"]),
        ("````\n```\n# no\n````\n# yes\n``` a`b\n# yes", ["````", "# yes", "# yes"]),
        (
            "a\n2.1 Title\nb\n2.1. Title\n A.3 no\nA.3 Title\n1.2 ends.\n1.2",
            ["a", "2.1 Title", "2.1. Title", "A.3 Title"],
        ),
        ("1 Title\n\n1. item\n2. item\n\n2. Title\n\nA. Title\n\nA no", ["1 Title", "2. Title", "A. Title"]),
        ("3.1 " + "x" * 101 + "\n3.1 " + "x" * 100, ["3.1 " + "x" * 101, "3.1 " + "x" * 100]),
        ("\n\n# One\r\n\r\n2 Two\r\n\r\na", ["# One", "2 Two"]),
        ("a\u20281.1 b\x851.2 c", ["a", "1.1 b", "1.2 c"]),
    ],
)
def test_headings(text: str, heads: list[str]) -> None:
    """Each part begins with one of them, or the text does."""
    assert [lines_of(part)[0] for part in texts_of("heading", text)] == heads


def test_records() -> None:
    """Every field, and bytes that pass as they came."""
    documents = (
        b'{"lang":"ru", "id":"a#1","n":1.50e1,"text":"\\u0430\\n\\n b\\n","x":[ 1, "]"],"via":"own \\"x\\""}\n'
        b'{"id":7,"text":" "}\n'
    )
    ran = run("parts", "--carry", "x", "--carry", "n", stdin=documents)
    assert ran.good().decode().splitlines() == [
        '{"id":"a#1#1","of":"a#1","part":1,"place":[0,1],"before":"","text":"а",'
        '"n":1.50e1,"x":[ 1, "]"],"via":"own \\"x\\" | parts by=paragraph"}',
        '{"id":"a#1#2","of":"a#1","part":2,"place":[3,5],"before":"\\n\\n","text":" b","behind":"\\n",'
        '"n":1.50e1,"x":[ 1, "]"],"via":"own \\"x\\" | parts by=paragraph"}',
        '{"id":"7#1","of":7,"part":1,"place":[1,1],"before":" ","text":"","behind":"","via":"parts by=paragraph"}',
    ]
    ran = run("parts", "--together", stdin=ran.out)
    assert ran.good().decode().splitlines() == [
        '{"id":"a#1","text":"а\\n\\n b\\n","n":1.50e1,"x":[ 1, "]"],"via":"own \\"x\\""}',
        '{"id":7,"text":" "}',
    ]


def test_other_names_of_fields() -> None:
    stdin = b'{"url\\n":"u","bo\\"dy":"a\\n\\nb"}\n'
    names = ("--id", "url\n", "--text", 'bo"dy')
    ran = run("parts", *names, stdin=stdin)
    assert [(part["url\n"], part["of"], part['bo"dy']) for part in ran.records()] == [
        ("u#1", "u", "a"),
        ("u#2", "u", "b"),
    ]
    assert run("parts", "--together", *names, stdin=ran.out).good() == stdin


def left(document: str, *numbers: int, unit: str = "line") -> str:
    """What is put together of some parts."""
    parts = apart(unit, [{"id": 1, "text": document}])
    (record,) = together([parts[number - 1] for number in numbers])
    return str(record["text"])


def test_what_stands_between_what_is_left() -> None:
    text = "\n\none\n two\n\nthree\r\nfour\n"
    assert left(text, 1, 2, 3, 4) == text
    assert left(text, 1, 3) == "\n\none\n\nthree"
    assert left(text, 2, 4) == " two\r\nfour\n"
    assert left(text, 1, 2) == "\n\none\n two"
    assert left(text, 3) == "three"
    assert left("One. Two.  Three. ", 1, 3, unit="sentence") == "One.  Three. "


def test_parts_that_are_missing_are_counted() -> None:
    lines = apart("line", [{"id": name, "text": "1\n2\n3"} for name in "abcdef"])
    gone = {b'"a#1"', b'"b#2"', b'"c#3"', b'"d#1"', b'"d#2"', b'"d#3"', b'"e#2"', b'"e#3"'}
    some = b"".join(line + b"\n" for line in lines if not any(name in line for name in gone))
    ran = run("parts", "--together", "-v", stdin=some)
    texts = [json.loads(line)["text"] for line in ran.out.splitlines()]
    assert texts == ["2\n3", "1\n3", "1\n2", "1", "1\n2\n3"]
    assert ran.err.split(" MB/s, ")[1] == "10 parts, 5 documents, 4 with parts missing\n"


@pytest.mark.parametrize("jobs", ["-j 1", "-j 2"])
def test_parts_that_are_made_are_counted(jobs: str) -> None:
    ran = run(f"parts --by line -v {jobs}", stdin=jsonl({"id": 1, "text": "1\n2\n3"}, {"id": 2, "text": ""}, {"id": 3}))
    assert ran.err.splitlines()[1].startswith("parts: 2 records, 1 rejected, ")
    assert ran.err.endswith(" MB/s, 4 parts\n")


@pytest.mark.parametrize(
    ("wrong", "cause"),
    [
        ({"of": "a", "part": 2}, 'part 2 of "a" comes after part 2'),
        ({"of": "a", "part": 1}, 'part 1 of "a" comes after part 2'),
        ({"of": 1, "part": 3}, "other parts of 1 came before those of another document"),
        ({"of": "a", "part": 3, "place": "x", "behind": 1}, 'field "behind" is not a string'),
        ({"of": "a", "part": "3"}, 'field "part" is not a number from 1 on'),
        ({"of": "a", "part": 3.0}, 'field "part" is not a number from 1 on'),
        ({"of": "a", "part": True}, 'field "part" is not a number from 1 on'),
        ({"of": "a", "part": -1}, 'field "part" is not a number from 1 on'),
        ({"of": None, "part": 3}, 'field "of" is neither a string nor an integer of 64 bits'),
        ({"part": 3}, 'field "of" is missing'),
    ],
)
def test_bad_parts_leave_no_trace(wrong: Record, cause: str, tmp_path: Path) -> None:
    def part(of: object, number: int, **more: object) -> Record:
        return {"id": f"{of}#{number}", "of": of, "part": number, "place": [0, 1], "before": "", "text": "t", **more}

    before = jsonl(part(1, 1, behind=""), part("a", 1), part("a", 2))
    bad, after = (
        jsonl({"id": "x", "place": [0, 1], "before": "-", "text": "-", **wrong}),
        jsonl(part("a", 3), part(2, 1)),
    )
    for old, new in ((b"", b""), (b" ", b"")):  # as Python writes JSON, and as the command does
        before, bad, after = (lines.replace(old, new) for lines in (before, bad, after))
        ran = run("parts", "--together", "--rejects", "bad", stdin=before + bad + after, cwd=tmp_path)
        assert (ran.status, ran.err) == (1, f"parts: -:4: {cause}\n")
        assert (tmp_path / "bad").read_bytes() == bad
        assert ran.out == run("parts", "--together", stdin=before + after).good()
        assert [json.loads(line)["text"] for line in ran.out.splitlines()] == ["t", "ttt", "t"]


def test_a_part_behind_the_last() -> None:
    lines = apart("line", [{"id": 1, "text": "1\n2"}])
    ran = run("parts", "--together", stdin=b"\n".join([*lines, lines[1].replace(b'"part":2', b'"part":3')]))
    assert (ran.status, ran.err) == (1, "parts: -:3: part 3 of 1 comes after the last, 2\n")
    assert json.loads(ran.out)["text"] == "1\n2"


NO_KIND = "argument --by: not paragraph, line, sentence, heading or a number such as 200-words"


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("parts --by word", f'{NO_KIND}: "word" (see parts --help)'),
        ("parts --by 0-words", f'{NO_KIND}: "0-words" (see parts --help)'),
        ("parts --carry part", 'the id, the text and each --carry need fields of their own, not "part"'),
        ("parts --carry text", 'the id, the text and each --carry need fields of their own, not "text"'),
        ("parts --carry a --carry a", 'the id, the text and each --carry need fields of their own, not "a"'),
        ("parts --id via", 'the id, the text and each --carry need fields of their own, not "via"'),
        ("parts --together --id of", 'the id, the text and each --carry need fields of their own, not "of"'),
        ("parts --together --text id", 'the id, the text and each --carry need fields of their own, not "id"'),
        ("parts --together --by paragraph", "--by cannot be combined with --together, which takes parts as they are"),
        ("parts --together --by line", "--by cannot be combined with --together, which takes parts as they are"),
        ("parts --together --carry a", "--carry cannot be combined with --together, which restores carried fields"),
    ],
)
def test_usage(script: str, message: str) -> None:
    ran = shell(script)
    assert (ran.status, ran.out, ran.err) == (2, b"", f"parts: {message}\n")


def test_a_carried_field_that_stands_twice() -> None:
    ran = run("parts", "--carry", "x", stdin=b'{"id":1,"x":1,"x":2,"text":""}\n')
    message = 'parts: -:1: field "x" occurs twice\nparts: -: not one good record\n'
    assert (ran.status, ran.out, ran.err) == (2, b"", message)


def test_recipes() -> None:
    """Parts that are unlike are not compared; texts that a stage has changed are not called what they were."""
    stdin = jsonl({"id": 1, "text": "A b.\nC d."})
    documents = jsonl({"id": 1, "text": "A b.\nC d.", "via": "own"})
    assert run("parts", "--together", stdin=run("parts --by line", stdin=documents).good()).records() == [
        {"id": 1, "text": "A b.\nC d.", "via": "own"}
    ]
    for by in ("sentence", "1-words"):  # which were cut otherwise before
        parts = run(f"parts --by {by}", stdin=documents)
        assert parts.records()[0]["via"] == f"own | parts/2 by={by}"
        assert run("parts", "--together", stdin=parts.good()).records() == [
            {"id": 1, "text": "A b.\nC d.", "via": "own"}
        ]
    canonical = run("canon", stdin=run("parts --by line", stdin=stdin).good()).good()
    via = "parts by=line | canon/4 | parts together"
    assert run("parts", "--together", stdin=canonical).records() == [{"id": 1, "text": "a b\nc d", "via": via}]


def planted() -> Iterator[Record]:
    """Documents that share the paragraphs s0 to s4 with each other, and have one of their own."""
    for number in range(10):
        own = " ".join(f"own{number}w{word}" for word in range(30))
        shared = [" ".join(f"s{block}w{word}" for word in range(30)) for block in range(5) if (number + block) % 2]
        yield {"id": number, "text": "\n\n".join([*shared, own]) + "\n", "n": number}


@by_unit
def test_canonized_parts_with_places_give_the_original_text(unit: str) -> None:
    """With the fields and the recipe of the document, whatever stages came between; some parts are left out."""
    texts = [
        "Menu: HOME, About\u00a0us.\n\n\n  First own Words,\there!\n\nMenu: home; about us.\n",
        " \n",
        "",
        'Only "THIS".',
    ]
    for via in (None, "canon extract", "parts by=line"):
        more = {"n": 1.50, "at": "noon"} | ({"via": via} if via else {})
        documents = [{"id": number, "text": text, **more} for number, text in enumerate(texts)]
        lines = pipe(jsonl(*documents), f"parts --by {unit} --carry n")
        for stage in (
            "canon --offsets",
            "canon --offsets --stop en | repeats -k 3 --ids",
            "canon --offsets | repeats -k 3",
        ):
            changed = pipe(lines, *stage.split(" | "))
            for kept in (slice(None), slice(1, None), slice(0, None, 2)):
                some = [b"".join(each.splitlines(keepends=True)[kept]) for each in (lines, changed)]
                assert pipe(some[1], "parts --together") == pipe(some[0], "parts --together")
    left = jsonl(json.loads(pipe(lines, "canon --offsets").splitlines()[0]) | {"source": None})
    assert run("parts", "--together", stdin=left).err.startswith('parts: -:1: field "source" is not a string\n')


def test_what_repeats_leaves_out_is_all_that_goes() -> None:
    menu = "Menu: Home, About us."
    documents = jsonl(
        {"id": 1, "text": f"{menu}\n\nOwn Words!\n\n{menu}"}, {"id": 2, "text": f"{menu}\n\nOTHER words."}
    )
    left = pipe(documents, "parts", "canon --offsets", "repeats -k 4 --drop 1/2", "parts --together")
    assert [*map(json.loads, left.splitlines())] == [
        {"id": 1, "text": f"{menu}\n\nOwn Words!"},
        {"id": 2, "text": "OTHER words."},
    ]


def test_repeated_paragraphs_go(tmp_path: Path) -> None:
    """What is to be left is known from the way in which the documents are made."""
    documents = list(planted())
    (tmp_path / "docs").write_bytes(jsonl(*documents))
    script = """
        parts --carry n docs | tee p.jsonl | canon | shingle -k 5 | sketch | simjoin -t 0.9 | simgroup > g
        dedup --groups g p.jsonl | parts --together
        dedup --groups g --keep none --larger-than 4 p.jsonl | parts --together > rare
    """
    seen: set[str] = set()
    expected = []
    for document in documents:
        paragraphs = document["text"].removesuffix("\n").split("\n\n")
        expected.append(document | {"text": "\n\n".join(each for each in paragraphs if each not in seen) + "\n"})
        seen.update(paragraphs)
    assert shell(script, tmp_path).records() == expected
    rare = [json.loads(line)["text"] for line in (tmp_path / "rare").read_bytes().splitlines()]
    assert rare == [document["text"].rpartition("\n\n")[2] for document in documents]


def test_a_chain_of_filters_tells_the_document_of_each_part_that_is_rejected() -> None:
    """What simspark runs: the lines are those of one filter after the other, rejects have the place of their line."""
    good, bad = "0123456789abcdef", "zz"
    texts = [f"{good}\n{bad}\n{good}", None, f"{bad}\n{bad}", good, 7, ""]
    lines = jsonl(*({"id": number, "shingles": text} for number, text in enumerate(texts)))
    filters = [filter_of(way) for way in ("parts --text shingles --by line", "sketch -n 4")]
    made, rejections = filtered(Chain([(each, "id") for each in filters]), lines)
    expected = run("sketch -n 4", stdin=run("parts --text shingles --by line", stdin=lines).out)
    assert made == expected.out
    assert [each[:2] for each in rejections] == [(0, 2), (1, 1), (2, 2), (2, 2), (4, 1)]
    assert filtered(Chain([(filters[1], "id"), (filters[0], "id")]), lines)[1][0][:2] == (0, 1)
