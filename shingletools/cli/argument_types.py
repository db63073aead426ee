"""Types of arguments: they check an argument, and return its value."""

import argparse
import contextlib
import os
import re
import shlex
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from shingletools.system import errors
from shingletools.system.errors import Failed

if TYPE_CHECKING:
    from fractions import Fraction

    from shingletools.system.memory_limit import Memory

MAX_PERCENT = 100


class Allowance(NamedTuple):
    """The most bad records that a run allows: a number, or a percentage of the records read."""

    most: "Fraction"
    percent: bool

    def holds(self, rejected: int, read: int) -> bool:
        """Returns whether so many rejected records are allowed."""
        return rejected * MAX_PERCENT <= self.most * read if self.percent else rejected <= self.most


def count(text: str, most: int = 10**6, least: int = 1) -> int:
    """Returns a whole number. Raises ArgumentTypeError, as all types do."""
    if not re.fullmatch("[0-9]{1,9}", text) or not least <= int(text) <= most:
        raise argparse.ArgumentTypeError(f"not a whole number from {least} to {most}: {errors.shown(text)}")
    return int(text)


def allowance(argument: str) -> Allowance:
    """Returns an allowance: a number of records, or an exact percentage of at most 100%."""
    if match := re.fullmatch(r"([0-9]{1,18})|([0-9]{0,18}\.?[0-9]{1,18})%", argument, re.ASCII):
        from fractions import Fraction  # late: as in `fraction`

        allowed = Allowance(Fraction(match[1] or match[2]), percent=match[1] is None)
        if not allowed.percent or allowed.most <= MAX_PERCENT:
            return allowed
    raise argparse.ArgumentTypeError(f"not a number of records or a share such as 0.1%: {errors.shown(argument)}")


def size(argument: str) -> int:
    """Returns a number of bytes. As in sort(1), its unit is b, K, M, G, T or % of all memory, K if there is none."""
    match = re.fullmatch("([0-9]{1,9})([bKMGT%]?)", argument)
    if not match:
        raise argparse.ArgumentTypeError(f"not a size such as 500M, 2G or 50%: {errors.shown(argument)}")
    number, unit = int(match[1]), match[2] or "K"
    if unit == "%":
        return number * os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 100
    return int(number * 1024 ** "bKMGT".index(unit))


def add_repeatable(
    parser: "argparse._ActionsContainer",
    name: str,
    metavar: str,
    does: str,
    kind: Callable[[str], object] = str,
    **others: Any,
) -> None:
    """Adds an option that may be repeated. Its value is the list of all arguments. does: its help."""
    does = f"{does}; may be repeated"
    parser.add_argument(name, metavar=metavar, action="append", default=[], type=kind, help=does, **others)


def add_size(parser: "argparse._ActionsContainer", does: str) -> None:
    """Adds the option -S. does: its help."""
    parser.add_argument("-S", "--buffer-size", metavar="SIZE", type=size, help=does)


def add_memory(parser: "argparse._ActionsContainer", does: str, default: str = "") -> None:
    """Adds the options -S and -T, which `memory_of` reads. does, default: the start and the end of the help of -S."""
    add_size(parser, f"{does}, with SIZE of memory: 500M, 2G, 50%%{default}")
    parser.add_argument(
        "-T", "--temporary-directory", metavar="DIR", help="where -S puts its scratch files (default TMPDIR or /tmp)"
    )


def memory_of(options: argparse.Namespace) -> "Memory | None":
    """Returns the limit of memory that -S and -T say, None without -S. Raises Failed for -T without -S."""
    if options.buffer_size is not None:
        return memory_within(options, options.buffer_size)
    if options.temporary_directory is not None:
        raise Failed("-T says where -S puts its scratch files, so it needs -S")
    return None


def memory_within(options: argparse.Namespace, default: int) -> "Memory":
    """Returns the limit of memory that -S and -T say. default: its bytes without -S."""
    from shingletools.system.memory_limit import Memory, scratch_folder  # late: few runs need it

    limit = default if options.buffer_size is None else options.buffer_size
    return Memory(limit, scratch_folder(options.temporary_directory), options.jobs)


def text(argument: str) -> str:
    """Returns an argument that will be in records or recipes. It must be UTF-8."""
    try:
        argument.encode()
    except UnicodeEncodeError:
        raise argparse.ArgumentTypeError("not UTF-8") from None
    return argument


def names(argument: str) -> tuple[str, ...]:
    """Splits names of fields at commas. Among several, a name that has a comma is in quotes, as in CSV.

    Raises ArgumentTypeError.

    >>> names("title, author"), names('"a, b",c'), names('a "b"')
    (('title', 'author'), ('a, b', 'c'), ('a "b"',))
    """
    if "," not in text(argument):
        return (argument,)
    import csv  # late: few arguments need it

    try:
        (found,) = csv.reader([argument], skipinitialspace=True, strict=True)
    except csv.Error:
        found = [""]
    if "" in found:
        raise argparse.ArgumentTypeError(f"not NAME,...: {errors.shown(argument)}")
    if twice := [name for place, name in enumerate(found) if name in found[:place]]:
        raise argparse.ArgumentTypeError(f"{errors.shown(twice[0])}: given twice")
    return tuple(found)


def quoted(name: str) -> str:
    """Returns a name as `names` reads it: in quotes if it has a comma."""
    return '"' + name.replace('"', '""') + '"' if "," in name else name


def option(name: str, value: str) -> str:
    """Returns an option for the shell. A value that looks like an option is joined to it with =.

    >>> option("--id", "my id"), option("--id", "-x")
    ("--id 'my id'", '--id=-x')
    """
    return f"{name}{'=' if value.startswith('-') else ' '}{shlex.quote(value)}"


def one_name(argument: str) -> str:
    """Returns the name of one field, for options that take several in other commands. Raises ArgumentTypeError."""
    if len(found := names(argument)) > 1:
        raise argparse.ArgumentTypeError(f"not one field: {errors.shown(argument)}; canon makes one text of several")
    return found[0]


def threshold(argument: str) -> "Fraction":
    """Returns an exact number above 0 and at most 1."""
    value = fraction(argument)
    if value:
        return value
    raise no_number("above 0 and at most 1", argument)


def fraction(argument: str) -> "Fraction | None":
    """Returns an exact number from 0 to 1, which is written as a decimal or a fraction; None for anything else."""
    from fractions import Fraction  # late: it loads decimal, which most commands do not need

    if re.fullmatch(r"[0-9]{0,18}\.?[0-9]{1,18}|[0-9]{1,18}/[0-9]{1,18}", argument, re.ASCII):
        with contextlib.suppress(ZeroDivisionError):
            value = Fraction(argument)
            return value if value <= 1 else None
    return None


def no_number(span: str, argument: str) -> argparse.ArgumentTypeError:
    """Returns the error for an argument that is no number in a range. span: the range in words."""
    return argparse.ArgumentTypeError(
        f"not a number {span}, such as 0.8 or 4/5, of at most 18 digits: {errors.shown(argument)}"
    )
