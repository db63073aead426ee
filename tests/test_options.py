"""Options given twice: over all options of all commands."""

import argparse
import itertools
import re
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import cast

import pytest

from harness import DOCS, jsonl, pipe, run, run_here
from shingletools.cli.argument_types import memory_within
from shingletools.cli.options import Printed
from shingletools.commands.simindex import command as simindex
from shingletools.commands.simindex.spec import IndexSpec
from shingletools.record.stage import Command
from shingletools.running.completion import parser_of
from shingletools.system.errors import Failed
from suite import PROGRAMS, RUNNERS, SUITE

ADDING_UP = {each.name: each.repeated for each in SUITE} | {
    "simindex": frozenset({"--ids"}),
    "simspark": frozenset({"--in", "--conf"}),
}
NEEDED = {each.name: each.needed for each in SUITE} | {
    "simindex": ("add", "archive"),
    "simspark": ("--in=i", "--out=o", "pipeline"),
}
NOTHING = {"shingle": {"--hash", "--mod"}}  # options whose default is said to do nothing
ARGUMENTS = tuple(
    "1 2 8 16 0.5 1,2 1,3 a=b c=d zh page main first longest line sentence jaccard dice md5 sha1 always never number "
    "text all once".split()
)


def actions_of(command: str) -> list[argparse.Action]:
    return [action for action in parser_of(command)._actions if action.option_strings]


def parse(command: str, *argv: str) -> argparse.Namespace:
    given = {word.partition("=")[0] for word in argv}
    needed = () if {"--runs", "--merge"} & given else NEEDED[command]  # in whose place these stand
    words = [*argv, *(word for word in needed if word.partition("=")[0] not in given)]
    return parser_of(command).parse_in_order(words) if command in RUNNERS else parser_of(command).parse(words)


def argument_for(command: str, option: str, other_than: str = "") -> str:
    """One that the option takes."""
    for argument in ARGUMENTS:
        if argument != other_than:
            try:
                parse(command, f"{option}={argument}" if option.startswith("--") else f"{option}{argument}")
            except Failed:
                continue
            return argument
    raise AssertionError(option)


@pytest.mark.parametrize("command", PROGRAMS)
def test_every_option_twice(command: str) -> None:
    """Adds up or is refused, however the option is spelled; a flag given twice means what it means once."""
    for action in actions_of(command):
        check_twice(command, action)


def check_twice(command: str, action: argparse.Action) -> None:
    first, last = action.option_strings[0], action.option_strings[-1]
    if action.nargs == 0:
        for words in ([first], [first, last]):
            if first in ("-h", "--version"):
                with pytest.raises(Printed):
                    parse(command, *words)
            else:
                assert getattr(parse(command, *words), action.dest) is True
        return
    one = argument_for(command, last)
    other = one if action.choices and len(list(action.choices)) == 1 else argument_for(command, last, one)
    if last in ADDING_UP[command]:
        given = [getattr(parse(command, f"{last}={argument}"), action.dest) for argument in (one, other)]
        assert getattr(parse(command, f"{last}={one}", f"{last}={other}"), action.dest) == given[0] + given[1]
        assert "may be repeated" in (action.help or "")
        return
    assert "may be repeated" not in (action.help or "")
    for argument in (one, other):
        with pytest.raises(Failed) as error:
            parse(
                command,
                *(word for option in (first, last) for word in (option, argument) if action.nargs != "?"),
                *(f"{last}={word}" for word in (one, argument) if action.nargs == "?"),
            )
        assert str(error.value) == f"argument {'/'.join(action.option_strings)}: given twice (see {command} --help)"


SCRATCH = [
    command
    for command in PROGRAMS
    if any("-T" in action.option_strings for action in actions_of(command)) and command != "repeats"  # which has some
]


@pytest.mark.parametrize("command", SCRATCH)
def test_a_folder_for_scratch_files_needs_some(command: str, tmp_path: Path) -> None:
    ran = run_here(command, *NEEDED[command], "-T", "x", cwd=tmp_path)
    assert (ran.status, ran.out) == (2, b"")
    assert re.match(rf"{command}: (-T says where -S puts its scratch|--temporary-directory needs --df)", ran.err)


@pytest.mark.parametrize(("size", "limit"), [("", 1 << 29), ("-S 0", 0), ("-S 1b", 1), ("-S 2M", 2 << 20)])
def test_no_memory_is_a_limit_too(size: str, limit: int) -> None:
    """Where there is a limit by default."""
    options = parse("simindex", *size.split())
    assert cast(IndexSpec, simindex.build(options)).size == limit
    assert memory_within(parse("shingle", *size.split()), 1 << 29).size == limit


@cache
def recipe_of(command: str, *words: str) -> str | None:
    """What a filter with these options appends to via; None if they do not go together."""
    try:
        options = parse(command, *words)
        stage = cast(Command, import_module(f"shingletools.commands.{command}.command")).build(options)
    except Failed:
        return None
    return str(getattr(stage, "recipe", "none"))


def words_for(command: str, table: Path) -> list[list[list[str]]]:
    """Each option of a filter, in several ways if it has an argument, with the others that it needs."""
    found = []
    more = {"--top": [f"--weights={table}"], "--lexicons": [f"--lexicon={table}"]}
    for action in actions_of(command):
        name = action.option_strings[-1]
        given = [name] if action.nargs in (0, "?") else []
        given += [f"{name}={argument}" for argument in (*ARGUMENTS, str(action.default), table) if action.nargs != 0]
        ways = [
            [word, *more.get(name, [])]
            for word in dict.fromkeys(given)
            if name not in ("--help", "--version", "--explain")
        ]
        found.append([words for words in ways if recipe_of(command, *words) is not None][:5])
    return [ways for ways in found if ways]


@pytest.mark.parametrize("command", ["parts", "shingle", "sketch"])
def test_no_option_of_a_filter_is_ignored(command: str, tmp_path: Path) -> None:
    """Where its arguments make different recipes, they do so with any other option, or are refused there.

    So is the default, where all others are, unless it is said to do nothing.
    """
    table = tmp_path / "table"
    table.write_text('{"words":"a","shingle":"00000000000000ff","df":1,"weight":2}\n')
    defaults = {f"{action.option_strings[-1]}={action.default}" for action in actions_of(command)}
    tried = 0
    for one, other in itertools.permutations(words_for(command, table), 2):
        alone = {recipe_of(command, *words) for words in one}
        if len(alone) < min(len(one), 2):
            continue
        for extra in other:
            recipes = [recipe_of(command, *words, *(each for each in extra if each not in words)) for words in one]
            made = [recipe for recipe in recipes if recipe is not None]
            assert len(set(made)) > 1 or len(made) < 2, (one, extra, made)
            taken = [words[0] for words, recipe in zip(one, recipes, strict=True) if recipe is not None]
            if len(one) > 1 and one[0][0].partition("=")[0] not in NOTHING.get(command, ()):
                assert len(taken) != 1 or taken[0] not in defaults, (taken, extra)
            tried += 1
    assert tried > 10


def test_no_option_overwrites_what_another_says() -> None:
    for command in PROGRAMS:
        fields = [action.dest for action in actions_of(command) if action.option_strings != ["--replace"]]
        assert len(fields) == len(set(fields))


def test_a_usage_error(tmp_path: Path) -> None:
    ran = run("simjoin", "-t", "0.8", "--threshold=0.8", "-o", tmp_path / "out")
    message = "simjoin: argument -t/--threshold: given twice (see simjoin --help)\n"
    assert (ran.status, ran.out, ran.err, list(tmp_path.iterdir())) == (2, b"", message, [])
    ran = run("canon", "--html", "--html=main")
    assert (ran.status, ran.err) == (2, "canon: argument --html: given twice (see canon --help)\n")
    ran = run("simspark", "--in", "x", "--out", "y", "canon | shingle -k 2 -k 3")
    assert (ran.status, ran.err) == (2, "simspark: shingle: argument -k: given twice (see shingle --help)\n")
    ran = run("simspark", "--in", "x", "--out", "y", "--conf", "a=1", "--conf", "a=2", "canon")
    assert (ran.status, ran.err) == (2, 'simspark: argument --conf: "a": given twice (see simspark --help)\n')


def test_against_several_files(tmp_path: Path) -> None:
    lines = pipe(DOCS.read_bytes(), "canon", "shingle", "sketch").splitlines(keepends=True)
    for number, name in enumerate(("new", "one", "two", "three")):
        (tmp_path / name).write_bytes(b"".join(lines[number::4]))
    (tmp_path / "old").write_bytes(b"".join((tmp_path / name).read_bytes() for name in ("one", "two", "three")))
    expected = run("simjoin", "-t0.5", "--against", tmp_path / "old", tmp_path / "new").good()
    assert expected.count(b"\n") > 20
    several = [word for name in ("one", "two", "three") for word in ("--against", tmp_path / name)]
    for option in ("-j1", "-S1M"):
        assert run("simjoin", "-t0.5", option, tmp_path / "new", *several).good() == expected
    ran = run("simjoin", "--all-messages", *several, "--against", "one", tmp_path / "new", cwd=tmp_path)
    assert ran.status == 1
    assert ran.err.count("was seen before") == ran.err.count("simjoin: one:") == len(lines[1::4])
    ran = run("simjoin", "--against", "-", "--against", "-", tmp_path / "new")
    assert (ran.status, ran.err) == (2, "simjoin: standard input can be read only once: name a FILE\n")


def test_singletons_of_several_files(tmp_path: Path) -> None:
    (tmp_path / "one").write_bytes(jsonl({"id": 3}, {"id": 1}))
    (tmp_path / "two").write_bytes(jsonl({"id": 4}, {"id": 3}, {"id": 2}))
    ran = run(
        "simgroup", "--singletons", tmp_path / "one", "--singletons", tmp_path / "two", stdin=jsonl({"a": 1, "b": 2})
    )
    assert [record["members"] for record in ran.records()] == [[1, 2], [3], [4]]


@pytest.mark.parametrize("keep", ["first", "longest"])
def test_groups_of_several_files(keep: str, tmp_path: Path) -> None:
    (tmp_path / "one").write_bytes(jsonl({"members": [1, 2]}, {"members": [3, 4]}))
    (tmp_path / "two").write_bytes(jsonl({"members": [5, 6]}, {"members": [7, 8]}))
    stdin = jsonl(*({"id": number, "text": "x"} for number in range(1, 10)))
    files = ["--groups", "one", "--groups", "two"]
    ran = run("dedup", "--keep", keep, *files, stdin=stdin, cwd=tmp_path)
    assert [record["id"] for record in ran.records()] == [1, 3, 5, 7, 9]
    (tmp_path / "more").write_bytes(jsonl({"members": [9]}, {"members": [10, 4]}))
    ran = run("dedup", *files, "--groups", "more", stdin=stdin, cwd=tmp_path)
    assert (ran.status, ran.out, ran.err) == (2, b"", "dedup: more:2: id 4 is in two groups\n")
    ran = run("dedup", "--groups", "-", "--groups", "-", DOCS)
    assert (ran.status, ran.err) == (2, "dedup: standard input can be read only once: name a FILE\n")
