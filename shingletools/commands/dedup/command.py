"""remove near-duplicates by their pairs, and what an archive has"""

import argparse

from shingletools.cli.arguments import count, text, threshold
from shingletools.commands.dedup.spec import FIRST, LEAST, LONGEST, MOST, NONE, SHORTEST, DedupSpec
from shingletools.record.stage import Collector, Means, Stage
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
    add("--pairs", metavar="PAIRS", action="append", default=[],
        help="remove every document that has a pair with one that is kept; pairs from simjoin; may be repeated",
    )  # fmt: skip
    add("-t", "--threshold", metavar="T", type=threshold, help="leave out pairs of --pairs less similar than T")
    add("--keep", metavar="RULE", type=kept, default=FIRST,
        help="which document is preferred: first, longest, shortest, min:FIELD, max:FIELD; or none (default first)",
    )  # fmt: skip
    add("--text", metavar="NAME", type=text, default="text", help="the field whose length counts (default text)")
    add("--known", metavar="PAIRS", action="append", default=[],
        help="remove the document a of each pair in PAIRS, from simjoin --against; may be repeated")  # fmt: skip
    add("--groups", metavar="FILE", action="append", default=[],
        help="in place of --pairs: keep one document of each group in FILE; may be repeated")  # fmt: skip
    add("--larger-than", metavar="N", type=count, help="leave groups of at most N different documents alone")
    add("--of", metavar="FIELD", type=text, default="of",
        help="the field by which --larger-than tells documents from each other; parts have of (default of)",
    )  # fmt: skip
    add("--removed", metavar="FILE", help="write the removed documents to FILE")
    add("--annotate", action="store_true",
        help='remove nothing, but mark duplicates by the fields "duplicate_of" and "duplicate_by"')  # fmt: skip
    add("--dry-run", action="store_true", help="write no documents, only the figures of -v")


def build(options: argparse.Namespace) -> Stage:
    if "keep" in options.given and not options.groups and not options.pairs and options.known:
        raise Failed("--keep needs --pairs or --groups")
    if "of" in options.given and options.larger_than is None:
        raise Failed("--of needs --larger-than, which counts its values")
    return DedupSpec(
        options.id, tuple(options.pairs), tuple(options.groups), tuple(options.known), options.keep,
        options.threshold, options.larger_than, options.of, options.text, options.removed, options.annotate,
        options.dry_run,
    ).made_by(collector_of)  # fmt: skip


def collector_of(spec: DedupSpec, means: Means) -> Collector:
    from shingletools.commands.dedup.choice import chooser  # numpy, which --help does not need

    return chooser(spec, means.given)
