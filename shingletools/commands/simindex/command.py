"""keep sketches or passages in an archive on disk, and look them up without reading all of it"""

import argparse
import os
from functools import partial

from shingletools.cli.argument_types import add_repeatable, add_size, count, one_name, text, threshold
from shingletools.commands.simindex.spec import ACTIONS, ADD, BAD, DEFAULT_BYTES, DROP, KEEP_OLD, REPLACE, IndexSpec
from shingletools.commands.simjoin.join_options import JoinOptions, add_thresholds
from shingletools.record.collector import Collector, CollectorContext
from shingletools.record.command_registry import CommandInfo
from shingletools.record.stage import Stage
from shingletools.system.errors import Failed, printable

COMMAND_INFO = CommandInfo(
    example=("canon docs.jsonl | shingle | sketch | simindex add archive --unless-known",),
    takes=("sketch",),
    after="canon, shingle and sketch",
    text=True,
    documents=lambda options: options.files if options.action == ADD else options.ids,
)


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.usage = "%(prog)s ACTION DIR [OPTIONS] [FILE ...]"
    parser.add_argument("action", metavar="ACTION", choices=ACTIONS, help=f"one of {', '.join(ACTIONS)}")
    parser.add_argument("archive", metavar="DIR", help="the folder of the archive")
    add_thresholds(
        parser,
        threshold,
        "add: the least similarity that queries can ask for (default 0.8 for min-hashes)",
        "the same, as a number of components (default 2 for supershingles, 1 for megashingles)",
        "the same, as a number of differing bits (default 3 for simhashes)",
    )
    parser.add_argument(
        "-k",
        metavar="K",
        type=count,
        help="add: keep documents, in which repeats --against finds passages of K words or more",
    )
    parser.add_argument(
        "--text",
        metavar="NAME",
        type=one_name,
        default="text",
        help="add -k: the field that holds the words (default text)",
    )
    parser.add_argument(
        "--unless-known",
        action="store_true",
        help="add: leave out documents that repeat one of the archive, and write their pairs",
    )
    other = parser.add_mutually_exclusive_group()
    flag = partial(other.add_argument, action="store_true")
    flag("--replace", help="add: let a record replace a different one of the archive with the same id")
    flag("--keep-old", help="add: keep the archive's record, and leave out a different one with the same id")
    parser.add_argument(
        "--as",
        dest="named",
        metavar="NAME",
        type=text,
        help="add: the name of this addition, such as the date; given again, it is the same addition",
    )
    add_repeatable(parser, "--ids", "FILE", "drop: a file of records with the ids to drop")
    add_size(parser, "add: memory for new records (default 512M)")


def build(options: argparse.Namespace) -> Stage:
    wanted = JoinOptions(options.threshold, options.agreeing, options.distance)
    action = options.action
    for option, asked, of in (
        ("-t, -m or -d", wanted.threshold(), ADD),
        ("-k", options.k, ADD),
        ("--text", "text" in options.given, ADD),
        ("--unless-known", options.unless_known, ADD),
        ("--replace", options.replace, ADD),
        ("--keep-old", options.keep_old, ADD),
        ("--as", options.named is not None, ADD),
        ("-S", options.buffer_size is not None, ADD),
        ("--ids", options.ids, DROP),
    ):
        if asked and action != of:
            raise Failed(f"{action} cannot be combined with {option}, only {of} can")
    if action != ADD:
        if options.files != ["-"]:
            raise Failed(f"{action} reads no FILE (see simindex --help)")
        options.files = options.ids
    if action == DROP and not options.ids:
        raise Failed("drop needs --ids (see simindex --help)")
    for written in (options.output, options.rejects):
        if written and os.path.realpath(os.path.dirname(written) or ".") == os.path.realpath(options.archive):
            raise Failed(f"{printable(written)}: cannot be written into the archive's folder")
    if "text" in options.given and options.k is None:
        raise Failed("--text needs -k")
    edited = REPLACE if options.replace else KEEP_OLD if options.keep_old else BAD
    size = DEFAULT_BYTES if options.buffer_size is None else options.buffer_size
    return IndexSpec(
        action=action,
        archive=options.archive,
        id_field=options.id,
        wanted=wanted,
        unless_known=options.unless_known,
        size=size,
        edited=edited,
        named=options.named,
        run=options.k,
        text_field=options.text,
    ).with_maker(collector_of)


def collector_of(spec: IndexSpec, _: CollectorContext) -> Collector:
    from shingletools.commands.simindex import (  # late: --help needs no numpy
        adding_passages,
        adding_records,
        archive_actions,
    )

    if spec.action != ADD:
        return archive_actions.COLLECTORS[spec.action](spec)
    return adding_records.RecordAdder(spec) if spec.run is None else adding_passages.PassageAdder(spec)
