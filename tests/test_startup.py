"""A command loads what takes long only where its run needs it; what is deferred, and what a Stage is."""

import subprocess
import sys
from pathlib import Path

import pytest

from harness import ENVIRONMENT, jsonl
from shingletools.cli.options import make_parser
from shingletools.commands.canon.canonizer import Canonizer, Rules
from shingletools.commands.canon.folding import fold
from shingletools.commands.canon.rules import Rule
from shingletools.commands.canon.word_splitting import cut, wherever
from shingletools.record import wire
from shingletools.record.stage import Filter
from shingletools.system import lazy_imports
from suite import COMMANDS, of

SLOW = frozenset("blake3 concurrent.futures multiprocessing numpy orjson pyarrow regex sqlite3 subprocess".split())
ASCII = {"id": 1, "text": "Don't stop, A-b 42!"}
RUN = """
import sys
from shingletools.running.launch import main
status = main(sys.argv.pop(1))
sys.stderr.write(" ".join(sys.modules))
raise SystemExit(status)
"""


def slow(command: str, *options: str, stdin: bytes = b"") -> frozenset[str]:
    """The slow modules that a run of a command loads."""
    done = subprocess.run(
        [sys.executable, "-P", "-c", RUN, command, *options],
        input=stdin,
        capture_output=True,
        check=False,
        env=ENVIRONMENT | {"SHINGLETOOLS_KERNEL": "c"},
    )
    assert done.returncode == 0, done
    return SLOW & frozenset(done.stderr.decode().split())


@pytest.mark.parametrize("command", COMMANDS)
def test_what_asks_for_no_run_loads_little(command: str) -> None:
    assert slow(command, "--version") == slow(command, "--help") == set()


@pytest.mark.parametrize(
    ("command", "record", "needed"),
    [
        ("canon", ASCII, set()),
        ("shingle", {"id": 1, "text": "don't stop a b 42"}, set()),
        ("sketch", {"id": 1, "shingles": of("sketch").payload}, {"blake3"}),
        ("canon", {"id": 1, "text": "Straße"}, {"regex"}),
        ("simjoin", {"id": 1, "sketch": "01234567"}, {"numpy", "orjson"}),
    ],
)
def test_a_small_run_loads_what_it_needs(command: str, record: dict[str, object], needed: set[str]) -> None:
    """The last but one shows that the list of slow modules sees what it should."""
    assert slow(command, stdin=jsonl(record)) == needed


@pytest.mark.parametrize(
    ("words", "openings"),
    [("canon docs.jsonl", 1), ("shingletools unique docs.jsonl", 2), ("canon docs.jsonl docs.jsonl", 2)],
)
def test_a_look_at_the_first_record_is_the_beginning_of_the_run(words: str, openings: int, tmp_path: Path) -> None:
    (tmp_path / "docs.jsonl").write_bytes(jsonl(ASCII))
    script = """
import os, sys
opened = []
sys.addaudithook(lambda event, about: opened.append(about[0]) if event == "open" else None)
from shingletools.running.launch import main
runner = "shingletools.running.shingletools_command" if sys.argv[1] == "shingletools" else ""
status = main(sys.argv.pop(1), runner)
print(opened.count("docs.jsonl"), file=sys.stderr)
raise SystemExit(status)
"""
    done = subprocess.run(
        [sys.executable, "-P", "-c", script, *words.split()], cwd=tmp_path, capture_output=True, check=False
    )
    assert (done.returncode, done.stderr.split()[-1]) == (0, str(openings).encode())


def test_the_patterns_agree_with_what_is_known_of_ascii() -> None:
    """Of each character `wherever` says what the patterns make of it between two letters, or alone."""
    for character in map(chr, range(128)):
        known = wherever(character, fold(character))
        inside, alone = cut(f"a{fold(character)}b"), cut(fold(character))
        if known == "'":
            assert (character in "'`", inside, alone) == (True, ["a'b"], [])
        elif known in ("+", "#"):
            assert (character, inside, alone, cut(f"a{known}")) == (known, ["a", "b"], [], [f"a{known}"])
        elif known == " ":
            assert (inside, alone) == (["a", "b"], [])
        else:
            assert (inside, alone) == ([f"a{known}b"], [known])


def test_what_is_deferred_is_made_once() -> None:
    made = []

    def make() -> str:
        made.append(1)
        return "word"

    word = lazy_imports.lazy(make)
    assert made == []
    assert [word.upper(), word.title(), word.upper()] == ["WORD", "Word", "WORD"]
    assert made == [1]
    with pytest.raises(AttributeError, match="nothing"):
        _ = word.nothing  # type: ignore[attr-defined]
    assert vars(wire)["orjson"] is lazy_imports.module("orjson")
    with pytest.raises(AttributeError, match="__path__"):
        _ = lazy_imports.__path__


def test_a_module_that_is_not_there() -> None:
    missing = lazy_imports.module("shingletools.nothing")
    for _ in range(2):
        with pytest.raises(ModuleNotFoundError):
            _ = missing.anything


def test_a_stage_is_frozen() -> None:
    stage = Filter("text", "text", "canon", str.upper)
    for field in ("consumes", "reads", "nothing"):
        with pytest.raises(AttributeError, match=f"Filter is frozen: {field} cannot be set"):
            setattr(stage, field, "other")
    assert [*vars(stage)] == [*Filter.__annotations__, "read", "adds"]


def test_a_stage_has_the_fields_that_its_class_names() -> None:
    """No more, none twice, and all that have no default; what is left out has it."""
    for values, named in (
        (("text",) * 3, {}),
        (("text",) * 4, {"recipe": "canon"}),
        (("text",) * 4, {"none": 1}),
        (("text", "text", "canon", str.upper, True), {}),
    ):
        with pytest.raises(TypeError, match=r"^Filter has no \[.*\] and needs \[.*\]$"):
            Filter(*values, **named)
    given = Filter("text", "text", "canon", function=str.upper, keep=True)
    assert (given.function, given.keep, given.reads, given.format) == (str.upper, True, (), None)


def test_canonizers_share_no_limit_that_counts() -> None:
    """The budget of rules without patterns is one for all; nothing is ever taken from it."""
    one, other = Rules(), Rules(words=(Rule("upper", True, str.upper),))
    assert one.budget is other.budget
    assert (Canonizer(one)("A b"), Canonizer(other)("A b")) == ("a b", "A B")


def test_help_is_as_wide_as_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    def add_options(parser: object) -> None:
        pass

    widths = []
    for columns in (60, 140):
        monkeypatch.setenv("COLUMNS", str(columns))
        lines = make_parser("canon", "some words", add_options).format_help().split("\n")
        widths.append(max(map(len, lines)))
        assert columns - 20 < widths[-1] < columns
    assert widths[0] < widths[1]
