"""simshow for people: passages in lines and columns, colours, and what a terminal is given."""

import contextlib
import os
import pty
import re
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness import ENVIRONMENT, jsonl, run
from shingletools.commands.simshow.terminal_text import columns, flow, safe
from simshow.samples import PAIR


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
    assert ran.good() == b'1 "2" 0.25: 9 words in 1 passage, 90% of a, 81% of b, longest 5\n'


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
        run("simshow --docs docs", *more, stdin=jsonl(PAIR), cwd=folder).good() for more in ((), ("--full",))
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


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("中文", '"中文"'),
        ("عربي ١", '"عربي ١"'),
        ("é\u202e\x07\u00a0\U000e0001", '"é\\u202e\\u0007\\u00a0\\udb40\\udc01"'),
        ('é\\u0041"', '"é\\\\u0041\\""'),
        ("é" * 300, '"' + "é" * 200 + '"... (300 characters)'),
    ],
)
def test_ids_of_any_script_are_readable(name: str, shown: str, folder: Path) -> None:
    (folder / "docs").write_bytes(jsonl({"id": name, "text": "a"}, {"id": 2, "text": "b"}))
    ran = run("simshow --docs docs --brief", stdin=jsonl({"a": name, "b": 2}), cwd=folder)
    assert ran.good().decode() == f"{shown} 2: 0 words in 0 passages, 0% of a, 0% of b, longest 0\n"


@pytest.mark.parametrize(
    ("a", "b", "shown"),
    [
        ("One is. Three is.", "One is. Two is here. Three is.", "One is. {+Two is here+} Three is"),
        ("one is, three is", "one is three is", "one is, three is"),
        ("one is, three is", "one is two three is", "one is {+two+}, three is"),
        ("one is three is", "one is, two three is", "one is {+two+} three is"),
        ("One is. Four. Three is.", "One is. Two. Three is.", "One is. [-Four-]{+Two+}. Three is"),
    ],
)
def test_new_words_stand_behind_the_signs_that_both_have(a: str, b: str, shown: str, folder: Path) -> None:
    """A sentence more comes behind the end of the one before."""
    (folder / "docs").write_bytes(jsonl({"id": 1, "text": a}, {"id": 2, "text": b}))
    ran = run("simshow --docs docs -k 2", stdin=jsonl({"a": 1, "b": 2}), cwd=folder)
    assert ran.good().decode().splitlines()[2] == f"    >>{shown}<<"


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
