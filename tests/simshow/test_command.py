"""simshow as people run it: what names documents, where words come from, what comes out, what is rejected."""

import contextlib
import gc
import json
import os
import pty
import re
import subprocess
import tracemalloc
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness import DOCS, ENVIRONMENT, Record, jsonl, pipe, run, run_here
from shingletools.errors import Failed, Rejected
from shingletools.places import read_places
from shingletools.simshow.chosen import sample
from shingletools.simshow.collector import PARTS, Show
from shingletools.simshow.documents import Reader, checked
from shingletools.simshow.holding import Allowed, Held
from shingletools.simshow.spec import ShowSpec
from shingletools.simshow.terminal import columns, flow, safe

ONE: Record = {"id": 1, "text": "The quick brown fox, it jumps over a lazy dog."}
TWO: Record = {"id": "2", "text": "So THE QUICK-BROWN fox, he jumps over a lazy dog!"}
THREE = {"id": 3, "text": "Nothing of the kind."}
PAIR = {"a": 1, "b": "2", "similarity": 0.25}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "docs").write_bytes(jsonl(ONE, TWO, THREE))
    return tmp_path


@pytest.fixture(scope="module")
def pairs() -> bytes:
    """Of the sample documents, with the exact Jaccard of their shingles of 10 words."""
    return pipe(DOCS.read_bytes(), "canon", "shingle -k 10", "simjoin -t 0.3")


def test_a_record_of_a_pair(folder: Path) -> None:
    (record,) = run("simshow --docs docs --json -k 4", stdin=jsonl(PAIR), cwd=folder).records()
    assert record == {
        "a": 1, "b": "2", "similarity": 0.25, "shared": [{"a": [0, 45], "b": [3, 48], "words": 9}], "words": 9,
        "share_a": 0.9, "share_b": 0.818182, "longest": 5, "jaccard": 0.25, "containment": 0.428571,
    }  # fmt: skip
    assert ONE["text"][0:45] == "The quick brown fox, it jumps over a lazy dog"
    assert TWO["text"][3:48] == "THE QUICK-BROWN fox, he jumps over a lazy dog"


def test_resemblance_is_what_simjoin_found(pairs: bytes) -> None:
    """Which has it from other fingerprints, and by other means."""
    records = run("simshow", "-k", "10", "--json", "--docs", DOCS, stdin=pairs).records()
    assert len(records) > 200
    assert [record["jaccard"] for record in records] == [record["similarity"] for record in records]
    assert [(each["a"], each["b"]) for each in records] == [
        (each["a"], each["b"]) for each in map(json.loads, pairs.splitlines())
    ]


def test_other_sides_give_the_mirror_image(pairs: bytes) -> None:
    turned = jsonl(*({**each, "a": each["b"], "b": each["a"]} for each in map(json.loads, pairs.splitlines())))
    one, two = (run("simshow", "--json", "--docs", DOCS, stdin=each).records() for each in (pairs, turned))
    for here, there in zip(one, two, strict=True):
        passages = [{**each, "a": each["b"], "b": each["a"]} for each in there["shared"]]
        sides = {"a": there["b"], "b": there["a"], "share_a": there["share_b"], "share_b": there["share_a"]}
        assert here == {**there, **sides, "shared": sorted(passages, key=lambda each: list(each["a"]))}


def test_words_of_canon_with_offsets(folder: Path) -> None:
    """The words are those of the record, whatever they are; the originals are only shown."""
    one = {"id": 1, "text": "x y z", "source": "Ex, <b>Why</b> Zed", "at": "0-2 7-10 15-18", "via": "canon --html"}
    two = {"id": 2, "text": "w x y z", "source": "W...xyz", "at": "0-1 4-5 5-6 6-7", "via": "canon --html"}
    (folder / "docs").write_bytes(jsonl(one, two))
    (record,) = run("simshow --docs docs --json -k 3", stdin=jsonl({"a": 1, "b": 2}), cwd=folder).records()
    assert record["shared"] == [{"a": [0, 18], "b": [4, 7], "words": 3}]
    assert (record["similarity"], record["jaccard"]) == (None, 0.5)


TABLE = "<table><tr><td>cell one two three four</td></tr>foo bar baz qux</table>"


def test_words_that_stand_in_another_order(folder: Path) -> None:
    """As a browser moves what stands in a table before it: a place is from the first letter to the last."""
    plain = "foo bar baz qux cell one two three four"
    (folder / "docs").write_bytes(jsonl({"id": 1, "text": TABLE}, {"id": 2, "text": plain}))
    command = "simshow --docs docs --canon=--html"
    (record,) = run(f"{command} --json", stdin=jsonl({"a": 1, "b": 2}), cwd=folder).records()
    place = [TABLE.index("cell"), TABLE.index("qux") + len("qux")]
    assert record["shared"] == [{"a": place, "b": [0, len(plain)], "words": 9}]
    shown = run(f"{command} --context 2", stdin=jsonl({"a": 1, "b": 2}), cwd=folder).good().decode()
    assert TABLE[slice(*place)] in shown.replace("\n    ", " ")


def test_context_and_differences_where_places_go_back(folder: Path) -> None:
    """What stands between pieces is shown once, and the words around a passage are those beside its place."""
    source = "D E A B C F"
    at = " ".join(f"{source.index(word)}-{source.index(word) + 1}" for word in "ABCDEF")
    one = {"id": 1, "text": "a b c d e f", "source": source, "at": at}
    two = {"id": 2, "text": "b x c d", "source": "b x c d", "at": "0-1 2-3 4-5 6-7"}
    (folder / "docs").write_bytes(jsonl(one, two))
    stdin = jsonl({"a": 1, "b": 2}, {"a": 2, "b": 1})
    here, there = run("simshow --docs docs --json -k 1", stdin=stdin, cwd=folder).records()
    assert here["shared"] == [{"a": [0, 9], "b": [0, 7], "words": 3}]
    assert there["shared"] == [{"a": [0, 7], "b": [0, 9], "words": 3}]
    shown = run("simshow --docs docs -k 1 --context 1", stdin=stdin, cwd=folder).good().decode()
    assert ">>D E A B {+x+} C<< F" in shown


@pytest.mark.parametrize(
    ("at", "cause"),
    [
        ("0-1", "has places for 1 words, of 2"),
        ("0-1 2-3 4-5", "has places for 3 words, of 2"),
        ("0-1 2-4", "has a place that is not in the original"),
        ("0-1 3-2", "holds no places"),
        ("0-1  2-3", "holds no places"),
        ("0-1 2-3 ", "holds no places"),
        ("0-1 2:3", "holds no places"),
        ("0-1 -3", "holds no places"),
        ("٠-1 2-3", "holds no places"),
        ("0-1 2-9999999999999999999", "holds no places"),
    ],
)
def test_places_that_are_none(at: str, cause: str, folder: Path) -> None:
    with pytest.raises(Rejected, match=cause):
        checked(read_places(at), 2, 3)
    (folder / "docs").write_bytes(jsonl({"id": 1, "text": "a b", "source": "a b", "at": at}, TWO))
    ran = run_here("simshow --docs docs --json", stdin=jsonl(PAIR), cwd=folder)
    assert (ran.status, ran.out) == (1, b"")
    assert ran.err.startswith('simshow: docs:1: field "at" ' + cause)
    assert ran.err.endswith("\nsimshow: -:1: the document 1 of --docs was rejected\n")


def placed(options: str, text: str) -> tuple[list[str], list[int], list[int]]:
    read = Reader("text", options)
    shown = read(0, {"text": text})
    return [read.vocabulary.spelled[word] for word in shown.words], shown.starts.tolist(), shown.ends.tolist()


@pytest.mark.parametrize(
    ("options", "text", "words"),
    [
        ("", "The Cat's “whiskers”", ["The", "Cat's", "whiskers"]),
        ("", "near-duplicate (Texts)", ["near", "duplicate", "Texts"]),
        ("", "STRASSE Straße ﬁne ½x", None),
        ("", "中文字 abc", ["中", "文", "字", "abc"]),
        ("--stop en", "the cat and a dog", ["cat", "dog"]),
        ("--fold-accents", "Éclair été", ["Éclair", "été"]),
        ("--drop-numbers", "1 cat, 22 dogs", ["cat", "dogs"]),
        ("--stem en", "running dogs", None),
        ("--html", "<p>One <b>t</b>wo</p>", ["One", "t</b>wo"]),
        ("--delete x+", "one xx two", ["one", "two"]),
    ],
)
def test_words_of_plain_documents(options: str, text: str, words: list[str] | None) -> None:
    """As canon makes them, and where they are."""
    found, starts, ends = placed(options, text)
    (record,) = run(f"canon {options}", stdin=jsonl({"id": 1, "text": text})).records()
    assert " ".join(found) == record["text"]
    assert all(0 <= start < end <= len(text) for start, end in zip(starts, ends, strict=True))
    if words is not None:
        assert [text[start:end] for start, end in zip(starts, ends, strict=True)] == words


@given(st.text(max_size=40))
def test_words_of_any_plain_text(text: str) -> None:
    found, starts, ends = placed("", text)
    assert starts == sorted(starts)
    for start, end in zip(starts, ends, strict=True):
        assert 0 <= start < end <= len(text)
    assert len(found) == len(starts)


@pytest.mark.parametrize(
    ("options", "cause"),
    [
        ("--nonsense", "--canon: unrecognized arguments: --nonsense (see canon --help)"),
        ("'", "--canon: no closing quotation"),
        ("--lines", "--canon: no place for --lines here"),
        ("--text body", "--canon: no place for --text here"),
        ("--id name", "--canon: no place for --id here"),
        ("--offsets", "--canon: no place for --offsets here"),
        ("file", "--canon: no place for a file here: file"),
        ("--help", "--canon: no place for --help and --version here"),
    ],
)
def test_options_of_canon_that_cannot_be_had(options: str, cause: str, folder: Path) -> None:
    with pytest.raises(Failed, match=re.escape(cause)):
        Reader("text", options)
    ran = run_here("simshow", "--docs", "docs", f"--canon={options}", stdin=jsonl(PAIR), cwd=folder)
    assert (ran.status, ran.out, ran.err) == (2, b"", f"simshow: {cause}\n")


@pytest.mark.parametrize("name", ["a", "b", "similarity", "members", "duplicate_of", "duplicate_by"])
def test_ids_in_fields_of_pairs(name: str, folder: Path) -> None:
    ran = run_here(f"simshow --docs docs --id {name}", stdin=jsonl(PAIR), cwd=folder)
    said = f'simshow: the id needs a field of its own, for "{name}" is one of pairs and groups\n'
    assert (ran.status, ran.out, ran.err) == (2, b"", said)


def test_groups_and_documents_that_are_marked(folder: Path) -> None:
    group = {"group": 1, "size": 3, "members": [1, "2", 3]}
    records = run("simshow --docs docs --json", stdin=jsonl(group), cwd=folder).records()
    assert [(each["a"], each["b"], each["words"]) for each in records] == [(1, "2", 5), (1, 3, 0)]
    marked = [ONE, {**TWO, "duplicate_of": 1}, THREE]
    records = run("simshow --docs docs --json", stdin=jsonl(*marked), cwd=folder).records()
    assert [(each["a"], each["b"], each["words"]) for each in records] == [(1, "2", 5)]


def test_documents_that_are_marked_for_either_reason(folder: Path) -> None:
    """Ids of an archive are looked for on its side, and never among those of the input."""
    (folder / "old").write_bytes(jsonl({"id": 1, "text": "over a lazy dog that sleeps"}))
    known = {**ONE, "duplicate_of": 1, "duplicate_by": {"rule": "known", "similarity": 0.5}}
    grouped = {**TWO, "duplicate_of": 1, "duplicate_by": {"rule": "first", "similarity": 0.25}}
    for sides, pair in (("--docs docs", (1, "2", 0.25)), ("--docs docs --against old", (1, 1, 0.5))):
        records = run_here(f"simshow {sides} --json -k 4", stdin=jsonl(known, grouped, THREE), cwd=folder).records()
        assert [(each["a"], each["b"], each["similarity"]) for each in records] == [pair]


def test_two_sides(folder: Path) -> None:
    """Of which each has ids of its own."""
    (folder / "old").write_bytes(jsonl({"id": 1, "text": "over a lazy dog that sleeps"}))
    pair = jsonl({"a": 1, "b": 1, "similarity": 1})
    (record,) = run("simshow --docs docs --against old --json -k 4", stdin=pair, cwd=folder).records()
    assert record["shared"] == [{"a": [30, 45], "b": [0, 15], "words": 4}]
    ran = run("simshow --docs docs --against old", stdin=jsonl(PAIR), cwd=folder)
    assert (ran.status, ran.err) == (1, 'simshow: -:1: no document of --against has the id "2"\n')
    several = "simshow --docs docs --docs old --json"
    assert run(several, stdin=jsonl(PAIR), cwd=folder).err == "simshow: old:1: id 1 was seen before\n"
    assert run(several, stdin=jsonl({"a": 3, "b": "2"}), cwd=folder).status == 0  # nobody named the other


@pytest.mark.parametrize("options", ["", "-S 1b"])
def test_records_whose_documents_are_not_there(options: str, folder: Path) -> None:
    """They are rejected as they came, with their places, once all documents were read; all others come out."""
    lost: list[Record] = [{"a": 1, "b": 9}, {"group": 1, "members": [1, "2", "x" * 300]}]
    stdin = jsonl(PAIR, lost[0], PAIR, lost[1])
    ran = run(f"simshow {options} --docs docs --json --rejects bad -v", stdin=stdin, cwd=folder)
    first, second, figures = ran.err.splitlines()
    assert (ran.status, ran.out.count(b"\n")) == (1, 2)
    assert first == "simshow: -:2: no document of --docs has the id 9"
    assert second == f'simshow: -:4: no document of --docs has the id "{"x" * 200}"... (300 characters)'
    assert figures.startswith("simshow: 5 records, 2 rejected, ")
    assert figures.endswith(" 2 pairs, 2 documents, 2 passages, 10 words in them")
    assert (folder / "bad").read_bytes() == jsonl(*lost)
    ran = run(f"simshow {options} --docs docs --json --strict", stdin=stdin, cwd=folder)
    assert (ran.status, ran.out.count(b"\n"), ran.err) == (2, 1, first + "\n")


def test_bad_documents(folder: Path) -> None:
    """Of those that nobody names, only the id is asked."""
    (folder / "docs").write_bytes(jsonl(ONE, TWO, {"id": 4}, {"id": 3, "text": 7}, {"text": "a"}, ONE))
    ran = run("simshow --docs docs --json", stdin=jsonl(PAIR), cwd=folder)
    said = 'simshow: docs:5: field "id" is missing\nsimshow: docs:6: id 1 was seen before\n'
    assert (ran.status, ran.out.count(b"\n"), ran.err) == (1, 1, said)


def test_a_document_that_is_bad(folder: Path) -> None:
    """It is there: that is not denied; and a good one of the same id may follow."""
    bad = {"id": 1, "text": 7}
    (folder / "docs").write_bytes(jsonl(bad, TWO))
    stdin = jsonl(PAIR, {"a": "2", "b": 9})
    ran = run_here("simshow --docs docs --json", stdin=stdin, cwd=folder)
    assert (ran.status, ran.out, ran.err.splitlines()) == (1, b"", [
        'simshow: docs:1: field "text" is not a string',
        "simshow: -:1: the document 1 of --docs was rejected",
        "simshow: -:2: no document of --docs has the id 9",
    ])  # fmt: skip
    (folder / "docs").write_bytes(jsonl(bad, TWO, ONE))
    ran = run_here("simshow --docs docs --json", stdin=jsonl(PAIR), cwd=folder)
    assert (ran.status, ran.err) == (1, 'simshow: docs:1: field "text" is not a string\n')
    assert json.loads(ran.out)["words"] == 5
    (folder / "old").write_bytes(jsonl({"id": "2", "text": None}))
    ran = run_here("simshow --docs docs --against old --json", stdin=jsonl(PAIR), cwd=folder)
    assert ran.err.splitlines()[-1] == 'simshow: -:1: the document "2" of --against was rejected'


PLACED = {"text": "a b", "source": "a b", "at": "0-1 2-3"}


@pytest.mark.parametrize(
    ("documents", "options", "here", "before"),
    [
        ([{**PLACED, "via": "canon"}, {**PLACED, "via": "canon stop=en"}], "", '"canon stop=en"', '"canon"'),
        ([{**PLACED, "via": "x"}, PLACED], "", "an unnamed recipe", '"x"'),
        ([PLACED, {"text": "a b"}], "", '"canon"', "an unnamed recipe"),
        ([{"text": "a b"}, {"text": "a b", "via": "own"}], "", '"own | canon"', '"canon"'),
        ([{**PLACED, "via": "canon"}, {"text": "a b"}], "--canon=--drop-numbers", '"canon drop-numbers"', '"canon"'),
        ([{**PLACED, "via": "canon"}, {"text": "a b"}], "", None, None),
        ([{"text": "a b", "via": "own"}, {"text": "b", "via": "own"}], "--canon=--drop-numbers", None, None),
    ],
)
def test_words_of_differing_recipes(
    documents: list[Record], options: str, here: str | None, before: str | None, folder: Path
) -> None:
    """They are not compared, as simjoin compares none; those of documents that nobody names may be any."""
    one, two = ({"id": name, **each} for name, each in zip((1, "2"), documents, strict=True))
    other = {"id": 3, **PLACED, "via": "other"}
    for docs, more, option, place in [
        ([one, other, two], [], "--docs", "docs:3"),
        ([one, other], [two], "--docs", "more:1"),
        ([one, other], [other, two], "--against", "more:2"),
    ]:
        (folder / "docs").write_bytes(jsonl(*docs))
        (folder / "more").write_bytes(jsonl(*more))
        ran = run_here(f"simshow --docs docs {option} more --json {options}", stdin=jsonl(PAIR), cwd=folder)
        if here is None:
            assert (ran.status, ran.err) == (0, "")
        else:
            said = f"simshow: {place}: made by {here}, but the records before by {before}\n"
            assert (ran.status, ran.out, ran.err) == (2, b"", said)


@pytest.mark.parametrize("size", ["1b", "1K", "100K"])
def test_in_little_memory_it_is_the_same(size: str, pairs: bytes) -> None:
    for form in ("--json",), ("--template", "3"):
        command = ("simshow", *form, "--docs", DOCS)
        assert run(*command, "-S", size, stdin=pairs).good() == run(*command, stdin=pairs).good()


@pytest.mark.parametrize("size", [1, 1 << 16, 1 << 20])
def test_texts_that_are_ready_are_bounded(size: int, tmp_path: Path) -> None:
    """By memory that Python counts: what grows with the texts is in a file; but two texts are compared."""
    lines = [
        jsonl({"id": name, "text": " ".join(f"w{(name * word) % 999}" for word in range(900))}) for name in range(60)
    ]
    peaks = []
    for allowed in (None, size):
        show = Show(ShowSpec("id", ["docs"], size=allowed, folder=str(tmp_path)))
        for name in range(59):
            pair = {"a": name, "b": name + 1}
            show.take(pair, jsonl(pair), 0)
        for line in lines:
            show.take(json.loads(line), line, 1)
        gc.collect()
        tracemalloc.start()
        for _ in show.finish():
            assert len(show.texts) <= 2 or show.ready <= size // PARTS or allowed is None
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] <= max(size, 1 << 20) < 5 << 20 < peaks[0]


def test_what_is_held_is_bounded(tmp_path: Path) -> None:
    held: Held[int] = Held(Allowed(100, str(tmp_path)))
    for number in range(50):
        held.add(number * number, 30)
        assert len(held.here) <= 3
    for number in (0, 49, 7, 7, 8, 0):
        assert held[number] == number * number
        assert len(held.here) <= 3
    assert list(held) == [number * number for number in range(50)]
    assert list(tmp_path.iterdir()) == []


def test_ranges_of_similarity(folder: Path) -> None:
    stdin = jsonl(*({"a": 1, "b": 3, "similarity": value} for value in (0.5, 0.81, 0.8, 1, 0.1 + 0.2)))
    for options, expected in [
        ("--least 0.8", [0.81, 0.8, 1]), ("--least 4/5 --most 0.8", [0.8]), ("--most 0.3", []),
        ("--most 0.5", [0.5, 0.30000000000000004]), ("--sample 2", [0.5, 0.81]),
            ("--sample 9", [0.5, 0.81, 0.8, 1, 0.30000000000000004]), ("--sample 1 --least 0.8", [0.81]),
    ]:  # fmt: skip
        records = run(f"simshow --docs docs --json {options}", stdin=stdin, cwd=folder).records()
        assert [each["similarity"] for each in records] == expected


@pytest.mark.parametrize("options", ["--least 0.1", "--most 1", "--sample 2"])
def test_what_says_no_similarity_is_not_chosen_by_it(options: str, folder: Path) -> None:
    """Pairs without one, groups, and documents that are marked; documents that are kept name no pair."""
    (folder / "docs").write_bytes(jsonl(ONE, {**TWO, "duplicate_of": 1}, THREE))
    stdin = jsonl({"a": 1, "b": 3}, PAIR, {"group": 1, "members": [1, "2"]}, ONE, {**TWO, "duplicate_of": 1})
    ran = run_here(f"simshow --docs docs --brief {options}", stdin=stdin, cwd=folder)
    cause = "it says no similarity, by which --least, --most and --sample choose"
    assert (ran.status, ran.out.count(b"\n")) == (1, 1)
    assert ran.err.splitlines() == [f"simshow: -:{line}: {cause}" for line in (1, 3, 5)]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        *((f"{form} {option}", f"{option} cannot be combined with {form}")
          for form in ("--json", "--brief", "--html page") for option in ("--color always", "--context 3", "--whole")),
        ("--json --template 2", "--template cannot be combined with --json"),
        ("--brief --template 2", "--template cannot be combined with --brief"),
        ("--side-by-side --context 0", "--context cannot be combined with --side-by-side"),
        ("--html page -o out", "--output cannot be combined with --html"),
        ("--least 0.9 --most 0.8", "--least cannot be combined with a --most below it"),
        ("--limit 10", "--limit is of the page that --html writes"),
    ],
)  # fmt: skip
def test_options_that_change_nothing_together(options: str, message: str, folder: Path) -> None:
    ran = run_here(f"simshow --docs docs {options}", stdin=jsonl(PAIR), cwd=folder)
    message = re.sub("(--context|--html) (3|page)", r"\1", message)
    assert (ran.status, ran.out, ran.err) == (2, b"", f"simshow: {message}\n")
    assert {path.name for path in folder.iterdir()} == {"docs"}


@pytest.mark.parametrize("options", ["--json --color never", "--html page --template 2", "--least 0.8 --most 0.8",
                                     "--side-by-side --whole --color always", "--brief -o out"])  # fmt: skip
def test_options_that_go_together(options: str, folder: Path) -> None:
    assert run_here(f"simshow --docs docs {options}", stdin=jsonl(PAIR), cwd=folder).status == 0


@pytest.mark.parametrize("options", ["--json", "--brief", "--least 0.5", "--sample 2", "--html page"])
@pytest.mark.parametrize("value", ["0.5", "\x1b[2J", True, [0.5], {"x": 1}, 1.000001, -0.1, 10**18, 1e300])
def test_similarities_that_are_none(value: object, options: str, folder: Path) -> None:
    """Whether some are chosen by them or not."""
    bad = jsonl({**PAIR, "similarity": value})
    ran = run_here(f"simshow --docs docs --rejects bad {options}", stdin=bad, cwd=folder)
    assert (ran.status, ran.out) == (1, b"")
    assert ran.err == 'simshow: -:1: field "similarity" is not a number from 0 to 1\n'
    assert (folder / "bad").read_bytes() == bad


@pytest.mark.parametrize("value", [0, 1, 0.0, -0.0, 0.125, 1e-320, None])
def test_similarities_pass_as_they_are(value: object, folder: Path) -> None:
    (record,) = run_here("simshow --docs docs --json", stdin=jsonl({**PAIR, "similarity": value}), cwd=folder).records()
    assert record["similarity"] == value


FORTIETHS = st.integers(0, 40).map(lambda number: number / 40)
EXTREME = st.sampled_from([1.7e308, 1e308, -1e308, -1.7e308, 1e300, 1.0, 0.0])
TINY = st.sampled_from([0.0, 5e-324, 1e-323, 1e-310, 1e-300])


@pytest.mark.filterwarnings("error")
@given(st.one_of(*(st.lists(each, min_size=1) for each in (FORTIETHS, EXTREME, TINY))), st.integers(1, 30))
def test_a_sample_is_spread_over_the_range(values: list[float], count: int) -> None:
    """As many as asked for; one of each part of the range that has one, so the least and the greatest part too."""
    found = sample(values, count).tolist()
    assert found == sorted(set(found))
    assert len(found) == min(count, len(values))
    if count < len(values) and max(values) > min(values):
        low, width = Fraction(min(values)), Fraction(max(values)) - Fraction(min(values))

        def part(value: float) -> int:
            return min(int((Fraction(value) - low) * count / width), count - 1)

        assert len({part(values[place]) for place in found}) >= len({part(value) for value in values}) - 1


def test_for_people(folder: Path) -> None:
    ran = run("simshow --docs docs -k 4 --context 1", stdin=jsonl(PAIR, {"a": 1, "b": 3}), cwd=folder)
    assert ran.good().decode() == (
        '1 "2" 0.25: 9 words in 1 passage, 90% of a, 81% of b, longest 5\n'
        "  1: a 0-45, b 3-48, 9 words\n"
        "    >>The quick brown fox, [-it-]{+he+} jumps over a lazy dog<<\n"
        "\n"
        "1 3: 0 words in 0 passages, 0% of a, 0% of b, longest 0\n"
        "\n"
    )
    ran = run("simshow --docs docs -k 4 --side-by-side", stdin=jsonl(PAIR), cwd=folder, env={"COLUMNS": "50"})
    assert ran.good().decode().splitlines()[2:-1] == [
        "    The quick brown fox,  | THE QUICK-BROWN fox,",
        "    [-it-] jumps over a   | {+he+} jumps over a",
        "    lazy dog              | lazy dog",
    ]
    ran = run("simshow --docs docs --brief", stdin=jsonl(PAIR), cwd=folder)
    assert ran.good() == b'1 "2" 0.25: 5 words in 1 passage, 50% of a, 45% of b, longest 5\n'


def test_colours(folder: Path) -> None:
    command = "simshow --docs docs -k 4 --color"
    coloured = run(f"{command} always", stdin=jsonl(PAIR), cwd=folder, env={"NO_COLOR": "1"}).good().decode()
    assert "\x1b[31m[-it-]\x1b[0m\x1b[32m{+he+}\x1b[0m" in coloured
    plain = run(f"{command} never", stdin=jsonl(PAIR), cwd=folder).good().decode()
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == plain
    assert run(f"{command} auto", stdin=jsonl(PAIR), cwd=folder).good().decode() == plain  # to no terminal


def to_terminal(command: str, folder: Path, **environment: str) -> bytes:
    """What a terminal gets of a run over the pair."""
    (folder / "pairs").write_bytes(jsonl(PAIR))
    main, terminal = pty.openpty()
    try:
        with subprocess.Popen(
            [*command.split(), "-k4", "pairs"],
            cwd=folder,
            env=ENVIRONMENT | {"TERM": "xterm"} | environment,
            stdout=terminal,
        ) as ran:
            os.close(terminal)
            got = b""
            with contextlib.suppress(OSError):  # EIO, when nobody writes to the terminal any more
                while more := os.read(main, 4096):
                    got += more
        assert ran.returncode == 0
        return got
    finally:
        os.close(main)


@pytest.mark.parametrize(
    ("options", "environment", "coloured"),
    [
        ("", {}, True),
        ("--color auto", {"NO_COLOR": ""}, True),
        ("--color auto", {"NO_COLOR": "1"}, False),
        ("--color auto", {"TERM": "dumb"}, False),
        ("--color always", {"TERM": "dumb", "NO_COLOR": "1"}, True),
        ("--color never", {}, False),
        ("-o /dev/null", {}, None),
    ],
)
def test_colours_on_a_terminal(options: str, environment: dict[str, str], coloured: bool | None, folder: Path) -> None:
    got = to_terminal(f"simshow --docs docs {options}", folder, **environment)
    if coloured is None:
        assert got == b""
    else:
        assert b"[-it-]" in got and (b"\x1b[31m[-it-]\x1b[0m" in got) == coloured == (b"\x1b" in got)


def test_long_stretches(folder: Path) -> None:
    text = " ".join(f"word{number}" for number in range(200))
    (folder / "docs").write_bytes(jsonl({"id": 1, "text": text}, {"id": "2", "text": text + " more"}))
    short, whole = (
        run("simshow --docs docs", *more, stdin=jsonl(PAIR), cwd=folder).good() for more in ((), ("--whole",))
    )
    assert b"characters ...]" in b" ".join(short.split())
    assert text.encode() in b" ".join(whole.replace(b"<<", b"").replace(b">>", b"").split())


HOSTILE = "one two three \x1b[2J\x1b]0;x\x07 \u202efour\u202c five\r six\x00 \u200bseven \x9b31m eight"


@pytest.mark.parametrize("options", [(), ("--side-by-side",), ("--brief",)])
def test_no_terminal_obeys_a_text(options: tuple[str, ...], folder: Path) -> None:
    name = "x\x1b[2J\u202e"
    (folder / "docs").write_bytes(jsonl({"id": name, "text": HOSTILE}, {"id": 2, "text": HOSTILE + " nine"}))
    stdin = jsonl({"a": name, "b": 2})
    out = run("simshow --docs docs --color never", *options, stdin=stdin, cwd=folder).good().decode()
    assert all(character.isprintable() or character == "\n" for character in out)


@given(st.lists(st.tuples(st.text(max_size=30), st.sampled_from(["", "31"])), max_size=6), st.integers(2, 30))
def test_lines_are_as_wide_as_they_may_be(spans: list[tuple[str, str]], width: int) -> None:
    """Nothing is lost but white space; no line is wider, whatever the characters."""
    lines = flow(spans, width)
    for line in lines:
        assert columns("".join(text for text, _ in line)) <= width
    given_text = "".join(safe(text) for text, _ in spans)
    assert "".join(text for line in lines for text, _ in line).replace(" ", "") == given_text.replace(" ", "")


def test_columns_of_wide_characters() -> None:
    assert [columns(text) for text in ("abc", "中文", "e\u0301", "한글", "🙂")] == [3, 4, 1, 4, 2]


def lists_of(page: bytes) -> Record:
    """What the page says of all pairs and groups."""
    found = re.search(rb'<script type="application/json" id="lists">(.*?)</script>', page)
    assert found
    lists: Record = json.loads(found[1])
    return lists


def test_a_page_of_pairs(folder: Path) -> None:
    """And of the groups that they make; no records are written."""
    ran = run_here("simshow --docs docs --html page.html", stdin=jsonl(PAIR), cwd=folder)
    assert (ran.status, ran.out, ran.err) == (0, b"", "")
    lists = lists_of((folder / "page.html").read_bytes())
    assert (lists["names"], lists["figures"]["pairs"], lists["figures"]["groups"]) == (["1", "2"], 1, 1)
    shared = json.loads(run_here("simshow --docs docs --json", stdin=jsonl(PAIR), cwd=folder).out)
    assert lists["pairs"]["shared"] == [shared["words"]]
    assert lists["pairs"]["longest"] == [shared["longest"]]


def test_a_page_of_groups(folder: Path) -> None:
    group = {"group": "two", "members": [1, "2"]}
    run_here("simshow --docs docs --html page.html", stdin=jsonl(group), cwd=folder)
    lists = lists_of((folder / "page.html").read_bytes())
    assert [(each["name"], each["members"], each["density"]) for each in lists["groups"]] == [("two", [0, 1], None)]


def test_a_page_of_two_sides_with_the_same_ids(folder: Path) -> None:
    pair = {"a": 1, "b": 1, "similarity": 0.5}
    run_here("simshow --docs docs --against docs --html page.html", stdin=jsonl(pair), cwd=folder)
    lists = lists_of((folder / "page.html").read_bytes())
    assert (lists["names"], lists["figures"]["documents"]) == (["1", "1 (--against)"], 2)


def test_a_page_of_ids_that_look_alike(folder: Path) -> None:
    """Each side has its documents, and 1 is not "1": pairs or groups, they are as many as they are."""
    words = "one two three four five"
    (folder / "docs").write_bytes(jsonl({"id": "1 (--against)", "text": words + " a"}, {"id": 7, "text": words}))
    (folder / "old").write_bytes(jsonl({"id": 1, "text": words + " b"}, {"id": "1", "text": words + " c d"}))
    command = "simshow --docs docs --against old --html page.html"
    for stdin in (
        jsonl(*({"a": "1 (--against)", "b": name, "similarity": 0.5} for name in (1, "1"))),
        jsonl({"group": 9, "members": ["1 (--against)", 1, "1"]}),
    ):
        ran = run_here(command, stdin=stdin, cwd=folder)
        lists = lists_of((folder / "page.html").read_bytes())
        assert (ran.status, lists["words"]) == (0, [6, 6, 7])
        assert lists["names"] == ['"1 (--against)"', "1 (--against)", '"1" (--against)']
        assert (lists["figures"]["documents"], lists["pairs"]["a"], lists["pairs"]["b"]) == (3, [0, 0], [1, 2])
        assert [group["members"] for group in lists["groups"]] == [[0, 1, 2]]
    run_here("simshow --docs old --html page.html", stdin=jsonl({"a": 1, "b": "1"}), cwd=folder)
    lists = lists_of((folder / "page.html").read_bytes())
    assert (lists["names"], lists["words"], lists["pairs"]["b"]) == (["1", '"1"'], [6, 7], [1])


def test_a_page_that_is_too_small(folder: Path) -> None:
    ran = run_here("simshow --docs docs --html page.html --limit 10b", stdin=jsonl(PAIR), cwd=folder)
    lists = lists_of((folder / "page.html").read_bytes())
    assert (ran.status, lists["left"]["pairs"], lists["figures"]["pairs"], lists["names"]) == (0, 1, 1, [])


def test_a_document_with_itself(folder: Path) -> None:
    """Is no pair, unless the sides differ."""
    ran = run_here("simshow --docs docs --json", stdin=jsonl({"a": 1, "b": 1}), cwd=folder)
    assert (ran.status, ran.out, ran.err) == (1, b"", "simshow: -:1: pairs 1 with itself\n")
    ran = run_here("simshow --docs docs --against docs --brief", stdin=jsonl({"a": 1, "b": 1}), cwd=folder)
    assert (ran.status, ran.out.count(b"100% of a, 100% of b")) == (0, 1)
