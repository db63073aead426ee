"""The guides for people who change the package keep their word, and the tests know every command."""

import tomllib

from documents import TOP
from harness import program
from suite import COMMANDS, PROGRAMS, SUITE, WAYS


def test_every_command_is_in_the_suite_and_in_the_matrix_of_the_contract() -> None:
    """In a process of their own they are run by their launchers, in the tests' process by the name of their room."""
    launchers = sorted(path.name for path in (TOP / "bin").iterdir())
    scripts = tomllib.loads((TOP / "pyproject.toml").read_text())["tool"]["setuptools"]["script-files"]
    assert sorted(PROGRAMS) == launchers == sorted(script.removeprefix("bin/") for script in scripts)
    assert {program(way) for way in WAYS} == set(COMMANDS)
    assert all(program(way) == each.name for each in SUITE for way in (*each.ways, *each.by_id, *each.killed))
