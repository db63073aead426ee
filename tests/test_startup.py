"""A command loads what its run needs: what takes long to load is not there where nothing asked for it."""

import bz2
import subprocess
import sys
from functools import cache

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
from suite import COMMANDS, NO_TABLE, of

# What orjson loads, and numpy: the first of them takes as long as Python's own start
JSON = frozenset({"dataclasses", "inspect", "json", "orjson"})
SLOW = JSON.union(
    "blake3 concurrent.futures fractions hashlib importlib.metadata logging multiprocessing numpy pickle".split(),
    "pkgutil random regex resource shutil sqlite3 subprocess tempfile traceback".split(),
)
EXACT = dict.fromkeys(("simjoin", "simcheck"), frozenset({"fractions"}))  # whose default shares are exact numbers
ASCII = {"id": 1, "text": "Don't stop, A-b 42!"}
RUN = """
import sys
from shingletools.running.launch import main
status = main(sys.argv.pop(1))
sys.stderr.write(" ".join(sys.modules))
raise SystemExit(status)
"""


def loaded(code: str, *words: str, stdin: bytes = b"") -> frozenset[str]:
    done = subprocess.run(
        [sys.executable, "-P", "-c", code, *words],
        input=stdin,
        capture_output=True,
        check=False,
        env=ENVIRONMENT | {"SHINGLETOOLS_KERNEL": "c"},
    )
    assert done.returncode == 0, done
    return frozenset(done.stderr.decode().split())


@cache
def by_python() -> frozenset[str]:
    """What Python has loaded before any command begins, as a linked installation makes it do."""
    return loaded("import sys; sys.stderr.write(' '.join(sys.modules))")


def slow(command: str, *options: str, stdin: bytes = b"") -> frozenset[str]:
    """The slow modules that a run of a command loads."""
    return SLOW & loaded(RUN, command, *options, stdin=stdin) - by_python()


@pytest.mark.parametrize("command", COMMANDS)
def test_what_asks_for_no_run_loads_little(command: str) -> None:
    few = EXACT.get(command, frozenset())
    assert slow(command, "--version") == few
    assert slow(command, "--help") == few | {"shutil"}  # which knows how wide the terminal is


@pytest.mark.parametrize(
    ("command", "record", "needed"),
    [
        ("canon", ASCII, set()),
        ("shingle", {"id": 1, "text": "don't stop a b 42"}, set()),
        ("canon -j 2", ASCII, {"pickle"}),
        ("sketch", {"id": 1, "shingles": of("sketch").payload}, {"blake3"}),
    ],
)
def test_a_small_run_loads_what_it_needs(command: str, record: dict[str, object], needed: set[str]) -> None:
    assert slow(*command.split(), stdin=jsonl(record)) == needed


@pytest.mark.parametrize(
    ("command", "options", "record", "spared"),
    [
        ("simjoin", (), {"id": 1, "sketch": "01234567"}, SLOW - JSON - {"fractions", "numpy", "pickle"}),
        ("simgroup", (), {"a": 1, "b": 2, "similarity": 0.9}, SLOW - JSON - {"fractions", "numpy", "pickle"}),
        ("dedup", ("--groups", "/dev/null"), ASCII, {"blake3", "regex", "sqlite3", "subprocess", "tempfile"}),
        ("shingle", ("--max-df", "2", "--df-table", str(NO_TABLE)), ASCII, SLOW - JSON - {"blake3"}),
        ("parts", (), ASCII, SLOW - JSON),
        ("parts", ("--together",), {"of": 1, "part": 1, "before": "", "text": ""}, SLOW - JSON),
    ],
)
def test_a_run_does_without(
    command: str, options: tuple[str, ...], record: dict[str, object], spared: frozenset[str]
) -> None:
    """Where libraries load others, which these are is for them to say."""
    assert slow(command, *options, stdin=jsonl(record)) & spared == set()


@pytest.mark.parametrize(
    ("command", "options", "text", "more"),
    [
        ("canon", (), "Straße", {"pkgutil", "regex"}),
        ("canon", ("--drop-numbers",), "A b", {"regex"}),
        ("shingle", ("--hash", "md5"), "a b", {"hashlib"}),
        ("shingle", ("--hash", "blake3"), "a b", {"blake3"}),
    ],
)
def test_what_is_asked_for_is_loaded(command: str, options: tuple[str, ...], text: str, more: set[str]) -> None:
    """So the list of slow modules sees what it should; `options` must not be lost either."""
    assert more <= slow(command, *options, stdin=jsonl({"id": 1, "text": text}))


def test_plain_files_load_nothing_that_decompresses() -> None:
    modules = {"shingletools.reading.compression_formats", "shingletools.reading.decompression"}
    formats = {"backports.zstd", "bz2", "compression.zstd", "lzma", "zlib", *modules}
    for data, needed in ((jsonl(ASCII), set()), (bz2.compress(jsonl(ASCII)), {"bz2", *modules})):
        assert formats & loaded(RUN, "canon", stdin=data) - by_python() == needed


def test_an_odd_line_loads_json() -> None:
    assert slow("canon", stdin=wire.BOM + jsonl(ASCII)) >= JSON


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
    assert list(vars(stage)) == list(Filter.__annotations__)


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
