"""What shells complete on a command line: options, their choices, and files. argcomplete asks and answers."""

import argparse
import os
import re
from collections.abc import Callable
from glob import escape, glob
from typing import Any

from shingletools.cli.options import Parser, make_parser
from shingletools.record.command_registry import COMMANDS, STAGES, command_of
from shingletools.running import compare_command, run_command, shingletools_command, unique_command
from shingletools.text.wordlists import SHIPPED

OWN: dict[str, Callable[[], Parser]] = {
    run_command.NAME: run_command.make_parser,
    unique_command.NAME: unique_command.make_parser,
    compare_command.NAME: compare_command.make_parser,
}


def complete(name: str) -> None:
    """Answers the shell that completes the line of a command, and ends the process."""
    import argcomplete  # late: of the extra completion

    line = os.environ["COMP_LINE"][: int(os.environ["COMP_POINT"])]
    line = line[max(line.rfind(f"{name} "), 0) :]  # zsh gives the whole pipeline
    os.environ |= {"COMP_LINE": line, "COMP_POINT": str(len(line))}
    own = re.match(r"shingletools\s+(\S+)\s", line)
    if own and (own[1] in COMMANDS or f"{name} {own[1]}" in OWN):
        name = own[1] if own[1] in COMMANDS else f"{name} {own[1]}"
        os.environ["_ARGCOMPLETE"] = "2"  # the words up to the options
    parser = parser_of(name)
    parser.given = {}  # argcomplete parses by itself
    for action in parser._actions:
        if action.nargs == "?":  # the argument has to be joined with =
            action.nargs = None if any(f"{option}=" in line for option in action.option_strings) else 0
    takes_any: Any = paths  # not only the library's own completers
    argcomplete.autocomplete(parser, always_complete_options=False, default_completer=takes_any)


def parser_of(name: str) -> Parser:
    """Returns the parser of a command; for `shingletools`, one of its first word."""
    if name == "shingletools":
        parser = Parser(name, add_help=False)
        for option in shingletools_command.OPTIONS:
            parser.add_argument(option, action="store_true")
        parser.add_argument("command", choices=[*shingletools_command.OWN, *COMMANDS])
        return parser
    if name in OWN:
        return OWN[name]()
    command = command_of(name)
    if name not in STAGES:
        made: Parser = command.make_parser()
        return made
    return make_parser(name, command.__doc__, command.add_options, command.COMMAND_INFO.example)


def paths(prefix: str, action: argparse.Action, **_: object) -> list[str]:
    """Returns files and folders whose names begin with a prefix, and the lists that an option may name."""
    found = [path + "/" * os.path.isdir(path) for path in glob(f"{escape(prefix)}*")]
    lists = SHIPPED if action.metavar == "LIST" else ()
    return [*lists, *(path for path in found if action.metavar != "DIR" or path[-1] == "/")]
