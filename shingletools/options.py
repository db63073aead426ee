"""The command line: a parser that leaves printing and exiting to the driver, and the options every command has."""

import argparse
import os
import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from shingletools import UNICODE, __version__, errors, kernel
from shingletools.errors import Failed

if TYPE_CHECKING:
    from fractions import Fraction

MOST_JOBS = 1024
ALL = 100  # percent


class Printed(Exception):
    """A text that was asked for instead of a run."""


class Allowance(NamedTuple):
    """How many bad records are all right: so many, or so many of a hundred that were read."""

    most: "Fraction"
    percent: bool

    def holds(self, rejected: int, read: int) -> bool:
        """Whether so many rejected records, of so many that were read, are all right."""
        return rejected * ALL <= self.most * read if self.percent else rejected <= self.most


class Parser(argparse.ArgumentParser):
    """An argument parser that neither prints nor exits: it raises Failed or Printed. It reads one command line.

    No argument is lost: an option that is given twice adds up, which flags do by nature and others by the action append
    or extend, or is refused.
    """

    def __init__(self, *args: Any, **named: Any) -> None:
        super().__init__(*args, **named)
        self._given: set[argparse.Action] = set()

    def parse(self, argv: Sequence[str]) -> argparse.Namespace:
        """Options and files in any order; after --, only files. No file means standard input.

        An argument that an option may have is joined to it by =, so that the next word may be a file.
        """
        cut = argv.index("--") if "--" in argv else len(argv)
        bare = {name: action.const for action in self._actions if action.nargs == "?" for name in action.option_strings}
        given = [f"{word}={bare[word]}" if word in bare else word for word in argv[:cut]]
        options = self.parse_intermixed_args(given)  # which itself would lose the --
        options.files = [*options.files, *argv[cut + 1 :]] or ["-"]
        options.output = None if options.output == "-" else options.output
        return options

    def format_help(self) -> str:
        """The help; an argument that an option may have stands behind the = with which it must be given."""
        self.formatter_class = argparse.HelpFormatter  # as wide as the terminal
        shown = super().format_help()
        for action in self._actions:
            for name in action.option_strings if action.nargs == "?" else ():
                shown = shown.replace(f"{name} [{action.metavar}]", f"{name}[={action.metavar}]")
        return shown

    def _get_values(self, action: argparse.Action, arg_strings: list[str]) -> Any:
        """An option's argument, once; argparse would let the last of several count."""
        if action.option_strings and action.nargs != 0 and not isinstance(action, argparse._AppendAction):
            if action in self._given:
                raise argparse.ArgumentError(action, "given twice")
            self._given.add(action)
        return super()._get_values(action, arg_strings)

    def error(self, message: str) -> NoReturn:
        raise Failed(f"{errors.printable(message)} (see {self.prog} --help)")


class Help(argparse.Action):
    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> NoReturn:
        raise Printed(parser.format_help())


class Version(argparse.Action):
    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> NoReturn:
        raise Printed(f"{parser.prog} (shingletools) {__version__}, kernel {kernel.NAME}, Unicode {UNICODE}\n")


def make_parser(name: str, summary: str, add_options: Callable[[argparse.ArgumentParser], None]) -> Parser:
    """A command's own options first, then those that all commands share."""
    parser = Parser(
        prog=name, usage="%(prog)s [OPTIONS] [FILE ...]", description=f"{name}: {summary}",
        epilog=f"FILE - is standard input, and so is none. Exit status: 0 all well, 1 some records were rejected, "
        f"2 the run failed, 130 interrupted. The manual: man {name}", allow_abbrev=False, add_help=False,
        # Each option that is added makes one, which would load shutil to ask how wide the terminal is
        formatter_class=partial(argparse.HelpFormatter, width=80),
    )  # fmt: skip
    jobs = partial(count, most=MOST_JOBS)
    add_options(parser)
    parser.add_argument(
        "--id", metavar="NAME", type=text, default="id", help="the field that names a document (default id)"
    )
    parser.add_argument("--rejects", metavar="FILE", help="keep the bad records in FILE, as they came")
    bad = parser.add_mutually_exclusive_group()
    bad.add_argument("--strict", action="store_true", help="stop at the first bad record")
    add_allowance(bad)
    parser.add_argument("-o", "--output", metavar="FILE", help="write to FILE, which appears only when complete")
    parser.add_argument("-j", "--jobs", metavar="N", type=jobs, default=1, help="work with N workers (default 1)")
    parser.add_argument("--progress", action="store_true", help="show a progress bar on standard error")
    parser.add_argument("-v", "--verbose", action="store_true", help="end with a line of figures on standard error")
    parser.add_argument("-h", "--help", action=Help, nargs=0, help="print this help")
    parser.add_argument("--version", action=Version, nargs=0, help="print the versions that decide the output")
    parser.add_argument("files", metavar="FILE", nargs="*", help=argparse.SUPPRESS)
    return parser


def add_allowance(parser: "argparse._ActionsContainer") -> None:
    parser.add_argument("--allow-rejects", metavar="N|P%", type=allowance,
        help="N bad records, or P percent of all, are all right: 10, 0.1%%; with more the file of -o does not appear"
    )  # fmt: skip


def count(text: str, most: int = 10**6, least: int = 1) -> int:
    """An option's argument that counts something: a whole number."""
    if not re.fullmatch("[0-9]{1,9}", text) or not least <= int(text) <= most:
        raise argparse.ArgumentTypeError(f"not a whole number from {least} to {most}: {errors.shown(text)}")
    return int(text)


def allowance(argument: str) -> Allowance:
    """An exact number of records, or an exact share of them with a percent sign, at most 100%."""
    if match := re.fullmatch(r"([0-9]{1,18})|([0-9]{0,18}\.?[0-9]{1,18})%", argument, re.ASCII):
        from fractions import Fraction  # as in `threshold`

        allowed = Allowance(Fraction(match[1] or match[2]), percent=match[1] is None)
        if not allowed.percent or allowed.most <= ALL:
            return allowed
    raise argparse.ArgumentTypeError(f"not a number of records or a share such as 0.1%: {errors.shown(argument)}")


def size(argument: str) -> int:
    """Bytes, as sort(1) takes them: a number with b, K, M, G, T, or % of all memory; K if none is said."""
    match = re.fullmatch("([0-9]{1,9})([bKMGT%]?)", argument)
    if not match:
        raise argparse.ArgumentTypeError(f"not a size such as 500M, 2G or 50%: {errors.shown(argument)}")
    number, unit = int(match[1]), match[2] or "K"
    if unit == "%":
        return number * os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 100
    return int(number * 1024 ** "bKMGT".index(unit))


def text(argument: str) -> str:
    """An option's argument that goes into records or recipes, and so must be UTF-8."""
    try:
        argument.encode()
    except UnicodeEncodeError:
        raise argparse.ArgumentTypeError("not UTF-8") from None
    return argument


def threshold(argument: str) -> "Fraction":
    """An exact number above 0 and at most 1."""
    from fractions import Fraction  # and decimal, which most commands do not need

    if re.fullmatch(r"[0-9]{0,18}\.?[0-9]{1,18}|[0-9]{1,18}/[0-9]{1,18}", argument, re.ASCII):
        try:
            value = Fraction(argument)
        except ZeroDivisionError:
            value = Fraction(0)
        if 0 < value <= 1:
            return value
    raise argparse.ArgumentTypeError(
        f"not a number above 0 and at most 1, such as 0.8 or 4/5, of at most 18 digits: {errors.shown(argument)}"
    )
