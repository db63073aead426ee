"""What canon --offsets writes, for those who read it: where words stand in a text."""

import shlex
from typing import NamedTuple

import numpy as np

from shingletools.cli.options import Printed, make_parser
from shingletools.kernel.types import Index
from shingletools.record import wire
from shingletools.record.faces import command_of
from shingletools.record.stage import Command, Filter
from shingletools.system import errors
from shingletools.system.errors import Failed, Rejected

MOST = 10**18  # is no place: numpy gives the largest integer for what is beyond it
TENS = 10 ** np.arange(1, 18)
ELSEWHERE = (  # options that are not about words
    "id", "text", "offsets", "jobs", "output", "rejects", "strict", "progress", "verbose", "explain", "whole", "lines",
    "number", "all_messages", "recursive", "csv", "tsv", "array", "parquet", "warc", "delimiter", "no_header",
    "files0_from", "include", "exclude",
)  # fmt: skip


class Places(NamedTuple):
    """Where each word begins and ends, in code points of the field SOURCE, half open."""

    starts: Index
    ends: Index


def read_places(at: str) -> Places:
    """The places in a field AT, in its order; raises Rejected if it is none.

    >>> read_places("0-3 4-17")
    Places(starts=array([0, 4]), ends=array([ 3, 17]))
    """
    if not at:
        return Places(np.zeros(0, np.int64), np.zeros(0, np.int64))
    letters = at.encode(errors="replace")
    between = letters.translate(None, b"0123456789")
    count = (len(between) + 1) // 2
    if between != b"- " * (count - 1) + b"-":
        raise bad_places()
    values = np.fromstring(letters.replace(b"-", b" "), np.int64, sep=" ")
    if len(values) != 2 * count or values.max() >= MOST:  # a number that is missing is none
        raise bad_places()
    digits = len(values) + int(np.searchsorted(TENS, values, side="right").sum())
    if digits != len(letters) - len(between):
        raise bad_places("without leading zeros")
    starts, ends = values[::2], values[1::2]
    if (starts > ends).any():
        raise bad_places()
    return Places(starts, ends)


def bad_places(wanted: str = "with single blanks between") -> Rejected:
    return Rejected(f'field "{wire.AT}" holds no places (FROM-TO, {wanted})')


def canonizing(options: str) -> Filter:
    """canon --offsets with these options, as a shell would take them; its function makes a wire.Placed of a text.

    Raises Failed, also for options that are about files and how they are read. The function may raise Rejected.

    >>> canonizing("--stop en").function("The Cat")
    Placed(words='cat', at='4-7')
    """
    command: Command = command_of("canon")
    try:
        argv = shlex.split(options)
    except ValueError as error:
        raise Failed(f"canon: {str(error).lower()}") from None
    parser = make_parser("canon", command.__doc__ or "", command.add_options)
    try:
        parsed = parser.parse(argv)
    except Printed:
        raise Failed("canon: --help and --version cannot be given here") from None
    if parsed.files != ["-"]:
        raise Failed(f"canon: no file can be given here: {errors.printable(parsed.files[0])}")
    for option in ELSEWHERE:
        if getattr(parsed, option) != parser.get_default(option):
            raise Failed(f"canon: --{option.replace('_', '-')} cannot be given here")
    parsed.offsets = True
    stage = command.build(parsed).record_by_record
    assert stage is not None
    stage.check_fields(parsed.id)
    return stage
