"""keep one document of each group, and none that an archive has"""

import argparse

from shingletools.cli.arguments import count, text
from shingletools.commands.dedup.spec import FIRST, LEAST, LONGEST, MOST, NONE, SHORTEST, DedupSpec
from shingletools.record.stage import Stage
from shingletools.system import errors
from shingletools.system.errors import Failed


def kept(argument: str) -> str:
    """The rule that --keep names. Raises ArgumentTypeError."""
    by_value = argument.startswith((LEAST, MOST)) and argument not in (LEAST, MOST)
    if by_value or argument in (FIRST, LONGEST, SHORTEST, NONE):
        return text(argument)
    raise argparse.ArgumentTypeError(
        f"not {FIRST}, {LONGEST}, {SHORTEST}, {NONE}, {LEAST}FIELD or {MOST}FIELD: {errors.shown(argument)}"
    )


def add_options(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add(
        "--groups", metavar="FILE", action="append", default=[], help="a file of groups, from simgroup; may be repeated"
    )
    add("--known", metavar="PAIRS", action="append", default=[],
        help="remove the document a of each pair in PAIRS, from simjoin --against; may be repeated")  # fmt: skip
    add("--keep", metavar="RULE", type=kept, default=FIRST,
        help="which document of a group stays: first, longest, shortest, none, min:FIELD, max:FIELD (default first)",
    )  # fmt: skip
    add("--larger-than", metavar="N", type=count, default=1,
        help="leave groups of at most N documents alone (default 1)")  # fmt: skip
    add("--text", metavar="NAME", type=text, default="text", help="the field whose length counts (default text)")
    add("--removed", metavar="FILE", help="write the removed documents to FILE")
    add("--annotate", action="store_true",
        help='remove nothing, but mark duplicates by the fields "duplicate_of" and "duplicate_by"')  # fmt: skip
    add("--pairs", metavar="PAIRS", action="append", default=[],
        help="take similarities for --annotate from PAIRS, from simjoin; may be repeated")  # fmt: skip
    add("--dry-run", action="store_true", help="write no documents, only the figures of -v")


def build(options: argparse.Namespace) -> Stage:
    for option, name in (("--keep", "keep"), ("--larger-than", "larger_than")):
        if name in options.given and not options.groups and options.known:
            raise Failed(f"{option} needs --groups")
    return DedupSpec(
        options.id, tuple(options.groups), options.keep, options.text, known=tuple(options.known),
        pairs=tuple(options.pairs), removed=options.removed, annotate=options.annotate,
        larger_than=options.larger_than, dry=options.dry_run,
    )  # fmt: skip
