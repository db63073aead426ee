"""The parser of command lines, which leaves printing and exiting to the driver; the options that all commands have."""

import argparse
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NoReturn

from shingletools import UNICODE, __version__, kernel
from shingletools.cli.argument_types import allowance, count, text
from shingletools.system import errors
from shingletools.system.errors import Failed

MAX_JOBS = 1024
READ_BY_CANON = tuple(
    f"--{name}" for name in "csv tsv parquet arrow xlsx warc array ris csl xml lines whole recursive".split()
)


class Printed(Exception):
    """The text of --help or --version, which is printed instead of a run."""


class Parser(argparse.ArgumentParser):
    """An argument parser for one command line, which raises Failed or Printed instead of printing and exiting.

    It refuses an option that is given twice, unless it is a flag, or has the action append or extend.
    """

    example: Sequence[str] = ()  # lines of a shell at the end of the help
    given: dict[str, argparse.Action]  # the actions of what was given, by their attributes

    def parse(self, argv: Sequence[str]) -> argparse.Namespace:
        """Parses options and files in any order; after --, only files. No file means standard input.

        An optional argument of an option must be joined to it with =, so that the next word may be a file. The
        attribute `given` has the names of the options that were given, even with their defaults.
        """
        cut = argv.index("--") if "--" in argv else len(argv)
        bare = {name: action.const for action in self._actions if action.nargs == "?" for name in action.option_strings}
        given = [f"{word}={bare[word]}" if word in bare else word for word in argv[:cut]]
        # parse_intermixed_args would lose the --
        options: argparse.Namespace = self._take(self.parse_known_intermixed_args, given)
        options.files = [*options.files, *argv[cut + 1 :]] or ["-"]
        options.output = None if options.output == "-" else options.output
        options.given = frozenset(self.given)
        options.carried = None  # the names of fields that records of the input carry: see steps.py
        options.names_of = None  # returns those in files of another side
        return options

    def parse_in_order(self, argv: Sequence[str]) -> argparse.Namespace:
        """Parses like argparse, with our own message about unknown arguments."""
        options: argparse.Namespace = self._take(self.parse_known_args, argv)
        return options

    def _take(self, parse: Callable[..., tuple[Any, list[str]]], *words: Any) -> Any:
        """Parses words with argparse. Raises Failed.

        Unknown arguments are reported before missing ones, since they may be mistyped, with the option that is most
        like the first one.
        """
        self.given = {}
        needed = [action for action in self._actions if action.required]
        for action in needed:
            action.required = False
        options, unknown = parse(*words)
        if unknown:
            word = unknown[0].partition("=")[0]
            first = f"; canon {word} reads it, so canon comes first"
            question = first if word in READ_BY_CANON else did_you_mean(self.option_like(word))
            self.error(f"unrecognized arguments: {' '.join(unknown)}{question}")
        if missing := ["/".join(each.option_strings) or each.metavar for each in needed if each.dest not in self.given]:
            self.error(f"the following arguments are required: {', '.join(map(str, missing))}")
        return options

    def option_like(self, word: str) -> str | None:
        """Returns the long option that is most like a word."""
        options = [option for action in self._actions for option in action.option_strings if option[:2] == "--"]
        found = meant(word.lstrip("-").lower().replace("_", "-"), [option[2:] for option in options])
        return None if found is None else f"--{found}"

    def format_help(self) -> str:
        """Returns the help, in which an optional argument of an option has the = that it needs."""
        self.formatter_class = argparse.HelpFormatter  # as wide as the terminal
        shown = super().format_help()
        for action in self._actions:
            for name in action.option_strings if action.nargs == "?" else ():
                shown = shown.replace(f"{name} [{action.metavar}]", f"{name}[={action.metavar}]")
        example = "".join(f"  {line}\n" for line in self.example)
        return shown + (f"\nexample:\n{example}" if example else "")

    def _get_values(self, action: argparse.Action, arg_strings: list[str]) -> Any:
        """Refuses an option that is given twice; argparse would take the last one."""
        once = action.option_strings and action.nargs != 0 and not isinstance(action, argparse._AppendAction)
        if once and action.dest in self.given:
            raise argparse.ArgumentError(action, "given twice")
        if action.option_strings or arg_strings:  # argparse asks for a positional argument that is not there, too
            self.given[action.dest] = action
        return super()._get_values(action, arg_strings)

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """Raises ArgumentError for a value that is no choice, with the choice that is most like it."""
        if action.choices is not None and value not in action.choices:
            choices = [*map(str, action.choices)]
            question = did_you_mean(meant(str(value), choices))
            raise argparse.ArgumentError(action, f"not one of {', '.join(choices)}: {errors.shown(value)}{question}")

    def error(self, message: str) -> NoReturn:
        raise Failed(f"{errors.printable(message)} (see {self.prog} --help)")


def meant(word: str, names: Sequence[str]) -> str | None:
    """Returns the name that is most like a word, or None.

    One of them is the only one that begins with the other, or the edit distance is a third of the letters or less.

    >>> meant("ad", ["add", "drop"]), meant("hlep", ["help"]), meant("field", ["id"])
    ('add', 'help', None)
    """
    if not word:
        return None
    for near in (
        [name for name in names if name.startswith(word)],
        [name for name in names if word.startswith(name) and len(name) > len("id")],
    ):
        if len(near) == 1:
            return near[0]
    from rapidfuzz.distance import OSA  # late: only mistyped words need it

    found = min(names, key=lambda name: OSA.distance(word, name), default=None)
    return found if found is not None and 3 * OSA.distance(word, found) <= max(len(word), len(found)) else None


def did_you_mean(name: str | None) -> str:
    """Returns the end of a message about a mistyped word."""
    return "" if name is None else f"; did you mean {name}?"


class Help(argparse.Action):
    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> NoReturn:
        raise Printed(parser.format_help())


class Version(argparse.Action):
    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> NoReturn:
        raise Printed("".join(version(f"{parser.prog} (shingletools)")))


def version(name: str) -> list[str]:
    """Returns the versions that decide the output, and why it is slow if it is."""
    absence = kernel.absence()
    first = f"{name} {__version__}, kernel {kernel.NAME}, Unicode {UNICODE}\n"
    return [first, f"{errors.printable(absence)}\n"] if absence else [first]


def make_parser(
    name: str, summary: str, add_options: Callable[[argparse.ArgumentParser], None], example: Sequence[str] = ()
) -> Parser:
    """Makes the parser of a command: its own options, then those that all commands share."""
    parser = Parser(
        prog=name,
        usage="%(prog)s [OPTIONS] [FILE ...]",
        description=f"{name}: {summary}",
        epilog=f"With no FILE, or when FILE is -, read standard input. Exit status: 0 all well, 1 some records were "
        f"rejected, 2 the run failed, 130 interrupted. The manual: man {name}",
        allow_abbrev=False,
        add_help=False,
        # Without a width, each option would load shutil to ask for that of the terminal
        formatter_class=partial(argparse.HelpFormatter, width=80),
    )
    parser.example = example
    jobs = partial(count, most=MAX_JOBS)
    add_options(parser)
    records = parser.add_argument_group("records")
    add = records.add_argument
    add("--id", metavar="NAME", type=text, default="id", help="the field that identifies a document (default id)")
    add("--rejects", metavar="FILE", help="keep the bad records in FILE, as they came")
    bad = records.add_mutually_exclusive_group()
    bad.add_argument("--strict", action="store_true", help="stop at the first bad record")
    add_allowance(bad)
    add("--all-messages", action="store_true", help="report all bad records, not ten of each cause")
    add = parser.add_argument_group("output and work").add_argument
    add("-o", "--output", metavar="FILE", help="write to FILE, which appears only when complete")
    add("-j", "--jobs", metavar="N", type=jobs, default=1, help="work with N workers (default 1)")
    add("--progress", action="store_true", help="show a progress bar on standard error")
    add("-v", "--verbose", action="store_true", help="end with a line of figures on standard error")
    add = parser.add_argument_group("help").add_argument
    add("-h", "--help", action=Help, nargs=0, help="print this help")
    add("--version", action=Version, nargs=0, help="print the versions that decide the output")
    # Without a default, argparse would list it among the required arguments
    parser.add_argument("files", metavar="FILE", nargs="*", default=[], help=argparse.SUPPRESS)
    return parser


def add_allowance(parser: "argparse._ActionsContainer") -> None:
    parser.add_argument(
        "--allow-rejects",
        metavar="N|P%",
        type=allowance,
        help="allow N bad records, or P percent of all: 10, 0.1%%; with more, the file of -o does not appear",
    )
