"""keep one document of each group"""

import argparse

from shingletools.dedup.spec import FIRST, LONGEST, SHORTEST, DedupSpec
from shingletools.options import text
from shingletools.stage import Stage


def add_options(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--groups", metavar="FILE", action="append", required=True, help="the groups, from simgroup; may be repeated")
    add("--keep", choices=[FIRST, LONGEST, SHORTEST], default=FIRST,
        help="which document of a group stays (default first)")  # fmt: skip
    add("--text", metavar="NAME", type=text, default="text", help="the field whose length counts (default text)")
    add("--removed", metavar="FILE", help="keep the documents that go in FILE")
    add("--annotate", action="store_true", help='let all documents pass, those that would go with "duplicate_of"')


def build(options: argparse.Namespace) -> Stage:
    groups = tuple(options.groups)
    return DedupSpec(options.id, groups, options.keep, options.text, removed=options.removed, annotate=options.annotate)
