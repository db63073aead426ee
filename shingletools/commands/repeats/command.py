"""mark, cut or drop passages that came before in a corpus, or that are in a reference"""

import argparse
import os

from shingletools.cli.argument_types import (
    add_memory,
    add_repeatable,
    count,
    memory_of,
    memory_within,
    one_name,
    threshold,
)
from shingletools.commands.repeats.spec import AgainstSpec, Treatment, WithinSpec
from shingletools.record.collector import Collector, CollectorContext
from shingletools.record.command_registry import CommandInfo
from shingletools.record.field_names import names_of
from shingletools.record.stage import Stage
from shingletools.system.errors import Failed

COMMAND_INFO = CommandInfo(
    example=("canon --offsets docs.jsonl | repeats -k 20 --ids",), takes=("parts", "canon"), text=True, spark=True
)

DEFAULT_BYTES = 1 << 29  # bytes of memory for fingerprints of a corpus, without -S


def add_options(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--text", metavar="NAME", type=one_name, default="text", help="the field that holds the words (default text)")
    add("-k", metavar="K", type=count, default=50, help="the least number of words in a run (default 50)")
    corpus = parser.add_argument_group("within a corpus")
    add = corpus.add_argument
    add("--all", action="store_true", help="mark first copies, too")
    add("--more-than", metavar="N", type=count, help="mark only passages that are in more than N documents")
    add("--ids", action="store_true", help="add where the first copy of each run is")
    add_memory(corpus, "keep fingerprints on disk", " (default 512M)")
    against = parser.add_argument_group("against a reference")
    add = against.add_argument
    add_repeatable(
        against, "--against", "FILE", "look for runs in records of FILE or an archive, not in earlier documents"
    )
    add(
        "--least",
        metavar="N",
        type=count,
        default=8,
        help="look for records of N words or more, but fewer than K, as a whole (default 8)",
    )
    add(
        "--share",
        metavar="SHARE",
        type=threshold,
        help="mark only runs of items if a document has this share of their words",
    )
    add("--items", metavar="FILE", help="write to FILE what was found of each item")
    add = parser.add_argument_group("what becomes of documents").add_argument
    add("--cut", action="store_true", help="remove the runs from the text instead of marking them")
    add(
        "--drop",
        metavar="SHARE",
        type=threshold,
        help="leave out documents with more than this share of their words in runs",
    )
    add("--removed", metavar="FILE", help="write the documents that --cut changes or --drop leaves out to FILE, uncut")


def build(options: argparse.Namespace) -> Stage:
    treatment = Treatment(options.id, options.text, options.cut, options.drop, options.removed)
    given = options.given
    if not options.against:
        for name in ("least", "share", "items"):
            if name in given:
                raise Failed(f"--{name} needs --against")
        memory = memory_within(options, DEFAULT_BYTES)
        return WithinSpec(
            treatment, options.k, memory, every=options.all, ids=options.ids, more_than=options.more_than
        ).with_maker(within)
    for name in ("all", "more-than", "ids"):
        if getattr(options, name.replace("-", "_")):
            raise Failed(f"--{name} cannot be combined with --against")
    if memory_of(options) is not None:
        raise Failed("-S cannot be combined with --against, which keeps the reference in memory")
    archive = any(map(os.path.isdir, options.against))
    if archive and len(options.against) > 1:
        raise Failed("--against: an archive cannot be combined with another reference")
    k, least = (getattr(options, name) if name in given or not archive else None for name in ("k", "least"))
    spec = AgainstSpec(
        treatment,
        k,
        tuple(options.against),
        least,
        share=options.share,
        items=options.items,
        archive=archive,
        names=None if archive else names_of(options, options.against),
    )
    if not spec.filters:
        return spec.with_maker(against)
    from shingletools.commands.repeats.against_reference import filter_of  # late: --help needs no numpy

    return filter_of(spec)


def within(spec: WithinSpec, _: CollectorContext) -> Collector:
    from shingletools.commands.repeats.within_corpus import WithinCorpus  # late: --help needs no numpy

    return WithinCorpus(spec)


def against(spec: AgainstSpec, context: CollectorContext) -> Collector:
    from shingletools.commands.repeats.against_reference import AgainstReference  # late: as above

    return AgainstReference(spec, context.given)
