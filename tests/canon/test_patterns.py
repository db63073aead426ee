"""canon --delete, --replace, --word and --sentences."""

from pathlib import Path

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from harness import jsonl, run, run_here, run_process
from shingletools.commands.canon import user_patterns
from shingletools.system.errors import Rejected
from shingletools.text.sentences import sentences


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
    assert recipe == r"canon/4 delete=%5Cd%2C%20%7Cx replace=a%20b, word=%5CS%2B"
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
        (["--replace", r"(?P<n>a)=\g<m>"], "--replace: unknown group"),
        (["--replace", r"a=\ud800"], '--replace: lone surrogate: "\\\\ud800"'),
        (["--delete", "(?ua)a"], "--delete: ASCII, LOCALE and UNICODE flags are mutually incompatible"),
        (["--word", "(?L)a"], '--word: (?L) makes the output depend on the locale: "(?L)a"'),
        (["--delete", "(((((a{9999}){9999}){9999}){9999}){9999})"], "--delete: out of memory: "),
        (["--replace", "ab"], 'argument --replace: not REGEX=TEXT: "ab" (see canon --help)'),
    ],
)
def test_patterns_that_are_none(argv: list[str], message: str) -> None:
    ran = run("canon", *argv)
    assert (ran.status, ran.out) == (2, b"")
    assert message in ran.err


@pytest.mark.parametrize("option", ["--delete", "--word"])
def test_a_hostile_text_is_rejected_and_the_others_go_on(
    option: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(user_patterns, "RECORD_SECONDS", 0.5)
    pattern = "(a|aa)+$"
    stdin = jsonl({"id": 1, "text": "aaa"}, {"id": 2, "text": "a" * 200 + "b"}, {"id": 3, "text": "b aa"})
    ran = run_here("canon", option, pattern, "--rejects", tmp_path / "bad", stdin=stdin, cwd=tmp_path)
    cause = f'{option} "{pattern}": more than 0.5 s, and 1 s for each million characters'
    assert (ran.status, ran.err) == (1, f"canon: -:2: {cause}\n")
    assert [line.split(b",")[0] for line in ran.out.splitlines()] == [b'{"id": 1', b'{"id": 3']
    assert (tmp_path / "bad").read_bytes() == stdin.splitlines(keepends=True)[1]


def test_the_budget_counts_what_searches_take_of_a_record(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr("time.process_time", lambda: now[0])
    budget = user_patterns.Budget()
    given = []

    def search(seconds: float) -> None:
        given.append(seconds)
        now[0] += 9

    budget.start("x" * 3_000_000)
    budget.run(search, "--word", "x")
    now[0] += 1000  # spent elsewhere
    budget.run(search, "--word", "x")
    budget.run(search, "--word", "x")
    budget.start("")
    budget.run(search, "--word", "x")
    assert given == [13, 4, 1e-9, 10]

    def greedy(_seconds: float) -> None:
        raise MemoryError

    with pytest.raises(Rejected, match='--word "x": out of memory'):
        budget.run(greedy, "--word", "x")


LONGER = "makes the text longer than 10 times its length and 1000000 characters"
PATTERNS = ("(a)|(b)", "(?P<x>a+)(b)?", "", "(?=(.*))", r"a\Kb", "(?r)(a|b)*", "((a)b)+", "(?|(a)|(b)b)", ".")
PARTS = ("\\1", "\\g<0>", "\\g<1>", "x", "\\\\", "\\n", "\\N{DIGIT ONE}", "\U000f0001", "\\x00")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("option", "argument", "cause"),
    [
        ("--delete", "(?R)", "out of memory"),
        ("--replace", "(?=(.*))=\\1", LONGER),
        ("--replace", f"=\\0{'x' * 50}", LONGER),
        ("--replace", "(?s)(.+)=" + 20 * r"\1", LONGER),
        ("--replace", "(?s).+=" + 20 * r"\g<0>", LONGER),
    ],
    ids=["recursion", "quadratic", "literal", "group", "match"],
)
def test_what_would_fill_the_memory_is_rejected(option: str, argument: str, cause: str) -> None:
    text = "" if option == "--delete" else "a" * 200_000
    pattern = argument.rpartition("=")[0] if option == "--replace" else argument
    stdin = jsonl({"id": 1, "text": text}, {"id": 2, "text": 1})
    ran = run_process("canon", option, argument, "-j2" if option == "--delete" else "-j1", stdin=stdin)
    assert ran.err.splitlines() == [
        f'canon: -:1: {option} "{pattern}": {cause}'.replace("\\", "\\\\"),
        'canon: -:2: field "text" is not a string',
        "canon: -: not one good record",
    ]
    assert (ran.status, ran.out) == (2, b"")


def test_texts_do_not_grow_from_rule_to_rule() -> None:
    argv = 20 * ["--replace", r"(?s)(.+)=\1\1\1\1"]
    ran = run("canon", *argv, stdin=jsonl({"id": 1, "text": "a"}))
    cause = f'canon: -:1: --replace "(?s)(.+)": {LONGER}\ncanon: -: not one good record\n'
    assert (ran.status, ran.out, ran.err) == (2, b"", cause)


@given(st.text("ab<>", max_size=30), st.sampled_from(PATTERNS), st.lists(st.sampled_from(PARTS)), st.integers(0, 200))
def test_what_is_counted_is_what_comes_out(text: str, pattern: str, parts: list[str], most: int) -> None:
    template = "".join(parts)
    compiled = regex.compile(pattern)
    if not compiled.groups and "1" in template:
        return
    expected = compiled.sub(template, text)
    budget = user_patterns.Budget()
    budget.left, budget.most = 10, most
    assert len(expected) <= user_patterns.Replace("--replace", pattern, template, budget).most(text)
    for uncounted in (0, 1 << 27):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(user_patterns, "UNCOUNTED_CHARS", uncounted)
            replace = user_patterns.Replace("--replace", pattern, template, budget)
            if len(expected) <= most:
                assert replace(text) == expected
            else:
                with pytest.raises(Rejected, match="longer than"):
                    replace(text)


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("One here. Two there! Three? Four", ["one here", "two there", "three", "four"]),
        ('He said "Stop." Then left. (Really.) Done', ["he said stop", "then left", "really", "done"]),
        ("བཀྲ་ཤིས།བདེ་ལེགས། །ཨ་ ༎ཨ༑ ཀ", ["བཀྲ ཤིས", "བདེ ལེགས", "ཨ", "ཨ", "ཀ"]),
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


@pytest.mark.slow
@pytest.mark.parametrize(
    "unit", [".", ". ", ".)", "!", "?!", "a.", "!1", ".\n", "\n ", ".1", "\u2029", "a. 1 ", ".\u0301"]
)
def test_fifty_thousand_times_what_might_end_a_sentence(unit: str) -> None:
    for end in ("", ",", " a"):
        assert "".join(sentences(unit * 50_000 + end)) == unit * 50_000 + end


def test_sentences_are_words_to_shingle() -> None:
    stdin = jsonl({"id": 1, "text": "One two. Three four."})
    with_lines = run("canon", "--sentences", stdin=stdin).good()
    without = run("canon", stdin=stdin).records()
    (record,) = run("shingle", "-k", "3", stdin=with_lines).records()
    (plain,) = run("shingle", "-k", "3", stdin=jsonl(*without)).records()
    assert record["shingles"] == plain["shingles"]
