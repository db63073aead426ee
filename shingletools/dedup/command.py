"""keep one document of each group"""

import argparse

from shingletools.dedup.choice import ByLength, First, Job
from shingletools.filter import Stage
from shingletools.options import text
from shingletools.wire import Failed


def add_options(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--groups", metavar="FILE", action="append", required=True, help="the groups, from simgroup; may be repeated")
    add("--keep", choices=["first", "longest", "shortest"], default="first",
        help="which document of a group stays (default first)")  # fmt: skip
    add("--text", metavar="NAME", type=text, default="text", help="the field whose length counts (default text)")
    add("--removed", metavar="FILE", help="keep the documents that go in FILE")
    add("--annotate", action="store_true", help='let all documents pass, those that would go with "duplicate_of"')


def job_of(options: argparse.Namespace) -> Job:
    if options.annotate and options.removed is not None:
        raise Failed("--annotate removes nothing that --removed could keep")
    return Job(options.id, tuple(options.groups), options.removed, options.annotate)


def build(options: argparse.Namespace) -> Stage:
    job = job_of(options)
    if options.keep == "first":
        return First(job)
    return ByLength(job, options.text, 1 if options.keep == "longest" else -1)
