"""keep one document of each group"""

import argparse

from shingletools.dedup.spec import FIRST, LONGEST, NONE, SHORTEST, DedupSpec
from shingletools.options import count, text
from shingletools.stage import Stage


def add_options(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--groups", metavar="FILE", action="append", required=True, help="the groups, from simgroup; may be repeated")
    add("--keep", choices=[FIRST, LONGEST, SHORTEST, NONE], default=FIRST,
        help="which document of a group stays (default first)")  # fmt: skip
    add("--larger-than", metavar="N", type=count, default=1,
        help="leave groups of at most N documents alone (default 1)")  # fmt: skip
    add("--text", metavar="NAME", type=text, default="text", help="the field whose length counts (default text)")
    add("--removed", metavar="FILE", help="keep the documents that go in FILE")
    add("--annotate", action="store_true", help='let all documents pass, those that would go with "duplicate_of"')


def build(options: argparse.Namespace) -> Stage:
    return DedupSpec(
        options.id, tuple(options.groups), options.keep, options.text, removed=options.removed,
        annotate=options.annotate, larger_than=options.larger_than,
    )  # fmt: skip
