"""The table of what shells complete, made from the commands' parsers; with --refresh it is written anew.

It lies in the source tree, not made when the package is built: the parsers need all that the commands need, which a
build does without.
"""

import argparse
import sys

from documents import TOP
from harness import parser_of
from shingletools.commands.dedup.spec import FIRST, LONGEST, NONE, SHORTEST
from shingletools.record.command_registry import COMMANDS
from shingletools.running import run_command, shingletools_command
from shingletools.text.wordlists import SHIPPED
from suite import LISTERS, PROGRAMS, SHORT

TABLE = TOP / "shingletools" / "cli" / "completions" / "options.tsv"
COMPLETED = (*PROGRAMS, *LISTERS)
# What an argument may be, by its name in the help
KINDS = {
    **{name: ["<file>"] for name in ("FILE", "PAIRS", "DOCS", "PATH")},
    "DIR": ["<dir>"],
    "LIST": [*SHIPPED, "<file>"],
    "RULE": [FIRST, LONGEST, SHORTEST, NONE],
}


def parser_for(command: str) -> argparse.ArgumentParser:
    """The command's, also if it has none itself."""
    if command not in LISTERS:
        return parser_of(command)
    parser = argparse.ArgumentParser(prog=command, add_help=False)
    short, long, version, check = shingletools_command.OPTIONS
    parser.add_argument(short, long, action="store_true", help="list the commands")
    parser.add_argument(version, action="store_true", help="tell what is installed")
    parser.add_argument(check, action="store_true", help="compare the C kernel with its definition")
    choices = [*shingletools_command.OWN, *COMMANDS]
    parser.add_argument("command", metavar="COMMAND", choices=choices, help="what to run")
    for name in (run_command.NAME, *SHORT):
        own = {word for action in parser._actions for word in action.option_strings or [action.dest]}
        for action in parser_of(name)._actions:
            if not own & {*(action.option_strings or [action.dest])}:
                parser._add_action(action)
    return parser


def rows(command: str) -> list[str]:
    """Options, or a place among the other arguments; the argument's name, and what it may be, or -; the help.

    The name has = before it if it must stand after one, and * if the option may be repeated.
    """
    made, place = [], 0
    for action in parser_for(command)._actions:
        name, options = str(action.metavar or action.dest), " ".join(action.option_strings)
        words = KINDS.get(name, list(map(str, action.choices or ())))
        mark = "=" if action.nargs == "?" else "*" if isinstance(action, argparse._AppendAction) else ""
        text = (action.help or "").replace("%%", "%")
        if not options:
            place += 1
            options = "*" if action.nargs == "*" else str(place)
            text = "the input" if text == argparse.SUPPRESS else text
        if options[0] == "-" or words:
            made.append(f"{options}\t{'-' if action.nargs == 0 else ' '.join([mark + name, *words])}\t{text}")
    return made


def table() -> str:
    """A line for each row, which begins with the commands that have it."""
    having: dict[str, list[str]] = {}
    for command in COMPLETED:
        for row in rows(command):
            having.setdefault(row, []).append(command)
    return "".join(f"{' '.join(commands)}\t{row}\n" for row, commands in having.items())


if __name__ == "__main__" and sys.argv[1:] == ["--refresh"]:
    TABLE.write_text(table(), "utf-8")
