"""turn pairs into groups of near-duplicates"""

import argparse

from shingletools.cli.argument_types import add_repeatable, threshold
from shingletools.commands.simgroup.spec import GroupSpec
from shingletools.record.collector import Collector, CollectorContext
from shingletools.record.command_registry import GROUPS, PAIRS, CommandInfo, Product
from shingletools.record.stage import Stage

COMMAND_INFO = CommandInfo(
    example=("canon docs.jsonl | shingle | simjoin -t 0.8 | simgroup",),
    makes=(Product(GROUPS, "dedup --groups or simshow takes them", ("members",)),),
    takes=(PAIRS,),
    spark=True,
    documents=lambda options: options.singletons,
)


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-t", "--threshold", metavar="T", type=threshold, help="ignore pairs less similar than T")
    parser.add_argument(
        "--star",
        action="store_true",
        help="make groups in which every member has a pair with the first, so that chains break",
    )
    add_repeatable(
        parser, "--singletons", "DOCS", "also write a group of one for each document of DOCS that has no pair"
    )


def build(options: argparse.Namespace) -> Stage:
    against = tuple(options.singletons)
    spec = GroupSpec(id_field=options.id, star=options.star, least=options.threshold, against=against)
    return spec.with_maker(collector_of)


def collector_of(spec: GroupSpec, _: CollectorContext) -> Collector:
    from shingletools.commands.simgroup.group_collector import Groups  # late: --help needs no numpy

    return Groups(spec)
