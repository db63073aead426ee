"""canon --delete, --replace, --word and --sentences."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness import jsonl, run
from shingletools.canon import patterns
from shingletools.canon.sentences import sentences
from shingletools.wire import Rejected


def text_of(text: str, *argv: str) -> str:
    (record,) = run("canon", *argv, stdin=jsonl({"id": 1, "text": text})).records()
    words: str = record["text"]
    return words


def test_edits_come_first_and_in_order() -> None:
    assert text_of("Posted: 5 USD", "--delete", "^Posted:", "--replace", r"(\d+) USD=$\1 dollars") == "5 dollars"
    assert text_of("abc", "--replace", "b=x", "--delete", "x", "--replace", "c=d") == "ad"
    assert text_of("abc", "--delete", "x", "--replace", "b=x", "--replace", "c=d") == "axd"
    assert text_of("<p class=x>a</p>", "--html", "--replace", r"(?<=class)=x=y") == "a"
    assert text_of("<!--keep-->", "--html", "--delete", "<!--|-->") == "keep"
    assert text_of("aab", "--delete", "(?x) a # comment") == "b"
    assert text_of("a=b", "--replace", "a\\==c") == "cb"


def test_recipe_of_patterns() -> None:
    argv = ("--delete", r"\d, |x", "--replace", "a b=", "--word", r"\S+")
    (record,) = run("canon", *argv, stdin=jsonl({"id": 1, "text": ""})).records()
    recipe, _, version = record["via"].rpartition(" regex=")
    assert recipe == r"canon delete=%5Cd%2C%20%7Cx replace=a%20b, word=%5CS%2B"
    assert version.startswith("202")


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["--delete", "(a"], '--delete: missing ) at position 2: "(a"'),
        (["--word", "[a"], '--word: unterminated character set at position 2: "[a"'),
        (["--replace", r"(a)=\2"], '--replace: invalid group reference: "\\\\2"'),
        (["--replace", "a=\\"], "--replace: bad escape (end of pattern) at position 1: "),
        (["--replace", r"a=\U00110000"], "--replace: chr() arg not in range(0x110000): "),
        (["--word", ""], "--word needs a pattern"),
        (["--replace", "ab"], 'argument --replace: not REGEX=TEXT: "ab" (see canon --help)'),
    ],
)
def test_patterns_that_are_none(argv: list[str], message: str) -> None:
    ran = run("canon", *argv)
    assert (ran.status, ran.out) == (2, b"")
    assert message in ran.err


@pytest.mark.parametrize("option", ["--delete", "--word"])
def test_a_hostile_text_is_rejected_and_the_others_go_on(option: str, tmp_path: Path) -> None:
    pattern = "(a|aa)+$"
    stdin = jsonl({"id": 1, "text": "aaa"}, {"id": 2, "text": "a" * 200 + "b"}, {"id": 3, "text": "b aa"})
    ran = run("canon", option, pattern, "--rejects", tmp_path / "bad", stdin=stdin)
    cause = f'{option} "{pattern}": more than 10 s, and 1 s for each million characters'
    assert (ran.status, ran.err) == (1, f"canon: -:2: {cause}\n")
    assert [line.split(b",")[0] for line in ran.out.splitlines()] == [b'{"id":1', b'{"id":3']
    assert (tmp_path / "bad").read_bytes() == stdin.splitlines(keepends=True)[1]


def test_the_clock_counts_what_searches_take_of_a_record(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr("time.process_time", lambda: now[0])
    clock = patterns.Clock()
    given = []

    def search(seconds: float) -> None:
        given.append(seconds)
        now[0] += 9

    clock.start("x" * 3_000_000)
    clock.run(search, "--word", "x")
    now[0] += 1000  # spent elsewhere
    clock.run(search, "--word", "x")
    clock.run(search, "--word", "x")
    clock.start("")
    clock.run(search, "--word", "x")
    assert given == [13, 4, 1e-9, 10]

    def greedy(_seconds: float) -> None:
        raise MemoryError

    with pytest.raises(Rejected, match='--word "x": out of memory'):
        clock.run(greedy, "--word", "x")


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("One here. Two there! Three? Four", ["one here", "two there", "three", "four"]),
        ('He said "Stop." Then left. (Really.) Done', ["he said stop", "then left", "really", "done"]),
        ("At 3.14 p.m. it was v1.2, e.g. warm. Yes", ["at 3 14 p m it was v1 2 e g warm", "yes"]),
        ("Wrapped\nline. Next", ["wrapped line", "next"]),
        ("Head\n\nBody\n \nEnd", ["head", "body", "end"]),
        ("一句。两句！三？", ["一 句", "两 句", "三"]),
        ("Что?! Да. «Нет». Ок", ["что", "да", "нет", "ок"]),
        ("यह है। वह है।", ["यह है", "वह है"]),
        ("!!! ... ?", []),
        ("U.S.A. is it", ["u s a is it"]),
    ],
)
def test_sentences(text: str, lines: list[str]) -> None:
    assert text_of(text, "--sentences").split("\n") == (lines or [""])


def test_blocks_part_sentences_and_line_breaks_do_not() -> None:
    page = "<h1>A head</h1><p>One line<br>goes on. <b>Two</b> here</p><td>Cell"
    assert text_of(page, "--html", "--sentences").split("\n") == ["a head", "one line goes on", "two here", "cell"]


@given(st.text("aA.!?。 \n\u2029\"')1,é", max_size=60))
def test_sentences_lose_nothing(text: str) -> None:
    assert "".join(sentences(text)) == text


@pytest.mark.parametrize(
    "unit", [".", ". ", ".)", "!", "?!", "a.", "!1", ".\n", "\n ", ".1", "\u2029", "a. 1 ", ".\u0301"]
)
def test_a_million_times_what_might_end_a_sentence(unit: str) -> None:
    for end in ("", ",", " a"):
        assert "".join(sentences(unit * 1_000_000 + end)) == unit * 1_000_000 + end


def test_sentences_are_words_to_shingle() -> None:
    stdin = jsonl({"id": 1, "text": "One two. Three four."})
    with_lines = run("canon", "--sentences", stdin=stdin).good()
    without = run("canon", stdin=stdin).records()
    (record,) = run("shingle", "-k", "3", stdin=with_lines).records()
    (plain,) = run("shingle", "-k", "3", stdin=jsonl(*without)).records()
    assert record["shingles"] == plain["shingles"]
