"""simshow: where words come from, with places from canon or without."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness import Record, jsonl, run, run_here, shell
from shingletools.commands.simshow.documents import Reader, Vocabulary, canon_with, checked
from shingletools.record.word_offsets import read_places
from shingletools.system.errors import Failed, Rejected
from simshow.samples import PAIR, TWO


def test_words_of_canon_with_offsets(folder: Path) -> None:
    """The words are those of the record, whatever they are; the originals are only shown."""
    one = {"id": 1, "text": "x y z", "source": "Ex, <b>Why</b> Zed", "at": "0-2 7-10 15-18", "via": "canon/4 --html"}
    two = {"id": 2, "text": "w x y z", "source": "W...xyz", "at": "0-1 4-5 5-6 6-7", "via": "canon/4 --html"}
    (folder / "docs").write_bytes(jsonl(one, two))
    (record,) = run("simshow --docs docs --json -k 3", stdin=jsonl({"a": 1, "b": 2}), cwd=folder).records()
    assert record["shared"] == [{"a": [0, 18], "b": [4, 7], "words": 3}]
    assert (record["similarity"], record["jaccard"]) == (None, 0.5)


def test_context_and_differences_where_places_go_back(folder: Path) -> None:
    """What stands between pieces is shown once, and the words around a passage are those next to its place."""
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
        ("0-1 ٠-3", "holds no places"),
        ("0-1 2-9999999999999999999", "holds no places"),
    ],
)
def test_places_that_are_none(at: str, cause: str, folder: Path) -> None:
    with pytest.raises(Rejected, match=cause):
        checked(read_places(at), 2, 3)
    (folder / "docs").write_bytes(jsonl({"id": 1, "text": "a b", "source": "a b", "at": at, "via": "canon/4"}, TWO))
    ran = run_here("simshow --docs docs --json", stdin=jsonl(PAIR), cwd=folder)
    assert (ran.status, ran.out) == (2, b"")
    assert ran.err.startswith('simshow: docs:1: field "at" ' + cause)
    assert ran.err.endswith("\nsimshow: -:1: the document 1 of --docs was rejected\nsimshow: -: not one good record\n")


@pytest.mark.parametrize("via", [{}, {"via": "canon/4"}, {"via": "web"}])
@pytest.mark.parametrize(
    "own",
    [
        {"at": "2026-11-23T10:00:00Z"},
        {"at": "2026-11-23T10:00:00Z", "source": "web"},
        {"at": "2026-11-23", "source": "web"},
        {"at": "0-1 2-3"},
        {"at": "", "source": "web"},
        {"at": None, "source": "web"},
        {"at": 5, "source": "web"},
        {"at": "0-1", "source": 5},
        {"source": "web"},
    ],
)
def test_documents_with_fields_of_their_own(own: Record, via: Record, folder: Path) -> None:
    """They are shown as they are without these fields."""
    command = "simshow --docs docs --json -k 2"
    plain = [{"id": 1, "text": "The cat sat", **via}, {"id": 2, "text": "a cat sat", **via}]
    shown = []
    for more in ({}, own):
        (folder / "docs").write_bytes(jsonl(*({**document, **more} for document in plain)))
        shown.append(run(command, stdin=jsonl({"a": 1, "b": 2}), cwd=folder).good())
    assert shown[0] == shown[1]
    assert b'"shared":[{"a":[4,11],"b":[2,9],"words":2}]' in shown[0]


@pytest.mark.parametrize("at", ["0-1", "0-1 2-9", "9-10 11-12", "10-12 in the morning"])
def test_places_that_do_not_fit_are_no_places_without_canon(at: str, folder: Path) -> None:
    (folder / "docs").write_bytes(jsonl(*({"id": name, "text": "a b", "source": "web", "at": at} for name in (1, 2))))
    (record,) = run("simshow --docs docs --json -k 2", stdin=jsonl({"a": 1, "b": 2}), cwd=folder).records()
    assert record["shared"] == [{"a": [0, 3], "b": [0, 3], "words": 2}]


def test_columns_of_a_table_with_fields_of_their_own(folder: Path) -> None:
    (folder / "t.csv").write_bytes(b"id,at,source,text\n1,10:00,web,The cat sat\n2,10:01,app,a cat sat\n")
    (folder / "pairs").write_bytes(jsonl({"a": "1", "b": "2"}))
    made = shell("canon --csv t.csv > docs && simshow --docs docs --json -k 2 pairs", folder)
    assert made.records()[0]["words"] == 2


def placed(options: str, text: str) -> tuple[list[str], str, list[int], list[int]]:
    read = Reader(["text"], canon_with(options), Vocabulary())
    shown = read(0, {"text": text})
    words = [read.vocabulary.spelled[word] for word in shown.words]
    return words, shown.source, shown.starts.tolist(), shown.ends.tolist()


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
        ("--html", "<p>One <b>t</b>wo</p>", ["One", "two"]),
        ("--html=main --stem en", "<nav>no</nav><main>cats<p>B&amp;A</main>", ["cats", "B", "A"]),
        ("--html=article --delete r", "<article><p>Brush &eacute;</article>", ["Bush", "é"]),
        ("--delete x+", "one xx two", ["one", "two"]),
    ],
)
def test_words_of_plain_documents(options: str, text: str, words: list[str] | None) -> None:
    """As canon makes them, and where they are."""
    found, source, starts, ends = placed(options, text)
    (record,) = run(f"canon {options}", stdin=jsonl({"id": 1, "text": text})).records()
    assert " ".join(found) == record["text"]
    assert all(0 <= start < end <= len(source) for start, end in zip(starts, ends, strict=True))
    if words is not None:
        assert [source[start:end] for start, end in zip(starts, ends, strict=True)] == words


@given(st.text(max_size=40))
def test_words_of_any_plain_text(text: str) -> None:
    found, _, starts, ends = placed("", text)
    assert starts == sorted(starts)
    for start, end in zip(starts, ends, strict=True):
        assert 0 <= start < end <= len(text)
    assert len(found) == len(starts)


@pytest.mark.parametrize(
    ("options", "cause"),
    [
        ("--nonsense", "--canon: unrecognized arguments: --nonsense (see canon --help)"),
        ("'", "--canon: no closing quotation"),
        ("--lines", "--canon: --lines cannot be given here"),
        ("--text body", "--canon: --text cannot be given here"),
        ("--id name", "--canon: --id cannot be given here"),
        ("--offsets", "--canon: --offsets cannot be given here"),
        ("file", "--canon: no file can be given here: file"),
        ("--help", "--canon: --help and --version cannot be given here"),
    ],
)
def test_options_of_canon_that_cannot_be_had(options: str, cause: str, folder: Path) -> None:
    with pytest.raises(Failed, match=re.escape(cause)):
        canon_with(options)
    ran = run_here("simshow", "--docs", "docs", f"--canon={options}", stdin=jsonl(PAIR), cwd=folder)
    assert (ran.status, ran.out, ran.err) == (2, b"", f"simshow: {cause}\n")


PLACED = {"text": "a b", "source": "a b", "at": "0-1 2-3"}


@pytest.mark.parametrize(
    ("documents", "options", "here", "before"),
    [
        ([{**PLACED, "via": "canon/4"}, {**PLACED, "via": "canon/4 stop=en"}], "", '"canon/4 stop=en"', '"canon/4"'),
        ([{**PLACED, "via": "x"}, PLACED], "", "an unnamed recipe", '"x"'),
        ([PLACED, {"text": "a b"}], "", '"canon/4"', "an unnamed recipe"),
        ([{"text": "a b"}, {"text": "a b", "via": "own"}], "", '"own | canon/4"', '"canon/4"'),
        (
            [{**PLACED, "via": "canon/4"}, {"text": "a b"}],
            "--canon=--drop-numbers",
            '"canon/4 drop-numbers"',
            '"canon/4"',
        ),
        ([{**PLACED, "via": "canon/4"}, {"text": "a b"}], "", None, None),
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
        if here is None or before is None:
            assert (ran.status, ran.err) == (0, "")
        else:
            own = re.search('"(x|own)', here + before)
            hint = '; "via" is the field of recipes: rename yours' if own else ""
            said = f"simshow: {place}: made by {here}, but the records before by {before}{hint}\n"
            assert (ran.status, ran.out, ran.err) == (2, b"", said)
