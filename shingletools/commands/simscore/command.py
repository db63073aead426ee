"""score pairs or groups against labels"""

import argparse
from itertools import pairwise
from typing import TYPE_CHECKING

from shingletools.cli.argument_types import add_repeatable, fraction, no_number, text, threshold
from shingletools.commands.simscore.spec import MOST_BANDS, MergeSpec, ScoreSpec
from shingletools.reading.formats.truth_tables import add_table_options, table_of
from shingletools.record.collector import Collector, CollectorContext
from shingletools.record.command_registry import FIGURES, GROUPS, PAIRS, CommandInfo, Product
from shingletools.record.field_names import names_of
from shingletools.record.stage import Stage
from shingletools.system.errors import Failed, shown

if TYPE_CHECKING:
    from fractions import Fraction

COMMAND_INFO = CommandInfo(
    example=(
        "canon docs.jsonl | shingle | tee docs.shingles | simjoin > exact.pairs",
        "sketch docs.shingles | simjoin | simscore --table --truth exact.pairs",
    ),
    makes=(Product(FIGURES, "simscore and simtune write them for people", ("scope",)),),
    takes=("parts", "canon", "shingle", "sketch", PAIRS, GROUPS),
    documents=lambda options: options.docs or (() if options.field is None or table_of(options) else options.truth),
)


def bands(argument: str) -> "tuple[Fraction, ...]":
    """Returns the numbers at which bands begin: from 0 to 1, rising."""
    edges = []
    for part in argument.split(","):
        if (edge := fraction(part)) is None:
            raise no_number("from 0 to 1", part)
        edges.append(edge)
    if len(edges) > MOST_BANDS or any(one >= two for one, two in pairwise(edges)):
        raise argparse.ArgumentTypeError(f"not at most {MOST_BANDS} rising numbers: {shown(argument)}")
    return tuple(edges)


def width(argument: str) -> "Fraction":
    """Returns the width of a band."""
    value = threshold(argument)
    if value * MOST_BANDS < 1:
        raise argparse.ArgumentTypeError(f"makes more than {MOST_BANDS} bands: {shown(argument)}")
    return value


def add_options(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    truth = "what belongs together: pairs or groups, or documents with --field"
    needed = parser.add_mutually_exclusive_group()
    add_repeatable(needed, "--truth", "FILE", truth)
    needed.add_argument(
        "--merge", metavar="FILE", help="compare the labels of pairs with those in FILE, and write what differs"
    )
    add(
        "--field",
        metavar="LABEL",
        type=text,
        help="FILE of --truth holds documents; those with equal values in LABEL belong together",
    )
    add_table_options(parser)
    add("--judged", action="store_true", help="score only pairs of the input that the pairs of --truth judge")
    add_repeatable(parser, "--docs", "FILE", "a file of all documents")
    by = parser.add_mutually_exclusive_group()
    by.add_argument("--bands", metavar="T,...", type=bands, help="score by bands of similarity that begin at T,...")
    by.add_argument("--by", metavar="W", type=width, help="score by bands of similarity from 0 on, each W wide")
    add("--table", action="store_true", help="write a table for people, not records")


def build(options: argparse.Namespace) -> Stage:
    if options.merge is not None:
        for name in ("field", "csv", "tsv", "judged", "docs", "bands", "by", "table"):
            if name in options.given:
                raise Failed(f"--{name} cannot be combined with --merge")
        return MergeSpec(id_field=options.id, merged=options.merge).with_maker(merging)
    if not options.truth:
        raise Failed("needs --truth FILE or --merge FILE")
    edges = options.bands or ()
    if options.by is not None:
        edges = tuple(number * options.by for number in range(int(-(-1 // options.by))))
    return ScoreSpec(
        id_field=options.id,
        truth=tuple(options.truth),
        docs=tuple(options.docs),
        label=options.field,
        edges=edges,
        cut=options.by is not None,
        table=options.table,
        judged=options.judged,
        form=table_of(options),
        truth_id=None if table_of(options) else names_of(options, options.truth).id,
    ).with_maker(collector_of)


def collector_of(spec: ScoreSpec, _: CollectorContext) -> Collector:
    from shingletools.commands.simscore.score_collector import ScoreCollector  # late: --help needs no numpy

    return ScoreCollector(spec)


def merging(spec: MergeSpec, _: CollectorContext) -> Collector:
    from shingletools.commands.simscore.label_merging import LabelMerging  # late: as above

    return LabelMerging(spec)
