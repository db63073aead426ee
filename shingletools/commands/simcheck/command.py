"""say of each pair what each side has of its own, and which side the other covers"""

import argparse

from shingletools.cli.argument_types import add_memory, add_repeatable, memory_of, one_name
from shingletools.commands.simcheck.spec import ADDED, CheckSpec
from shingletools.record.collector import Collector, CollectorContext
from shingletools.record.command_registry import PAIRS, CommandInfo, Product
from shingletools.record.stage import Stage
from shingletools.system.errors import Failed

COMMAND_INFO = CommandInfo(
    example=(
        "canon docs.jsonl > words.jsonl",
        "shingle -k 3 words.jsonl | simjoin -t 0.6 | simcheck --docs words.jsonl",
    ),
    makes=(Product("checked pairs", "dedup --pairs or simshow takes them", ADDED),),
    takes=(PAIRS, "canon"),
    text=True,
    documents=lambda options: options.docs,
)


def add_options(parser: argparse.ArgumentParser) -> None:
    add_repeatable(parser, "--docs", "FILE", "a file of documents as canon wrote them")
    add_repeatable(parser, "--against", "FILE", "a file of the documents b, if --docs has only the documents a")
    add = parser.add_argument
    add("--text", metavar="NAME", type=one_name, default="text", help="the field that holds the words (default text)")
    add("--citations", action="store_true", help="compare the fields of citations, such as title and doi, not the text")
    add("--doubtful", metavar="FILE", help="write the doubtful pairs to FILE, too")
    add("--drop-different", action="store_true", help="write no pairs that are different")
    add("--all", action="store_true", help="let dedup also remove one document of each doubtful pair")
    add_memory(parser.add_argument_group("memory"), "hold texts on disk")


def build(options: argparse.Namespace) -> Stage:
    if not options.docs:
        raise Failed("needs --docs FILE: the documents of the pairs")
    return CheckSpec(
        options.id,
        options.docs,
        options.against,
        text_field=options.text,
        citations=options.citations,
        doubtful=options.doubtful,
        drops=options.drop_different,
        covering=options.all,
        memory=memory_of(options),
    ).with_maker(collector_of)


def collector_of(spec: CheckSpec, _: CollectorContext) -> Collector:
    if spec.citations:
        from shingletools.commands.simcheck.citation_collector import CitationCollector  # late: --help needs no numpy

        return CitationCollector(spec)
    from shingletools.commands.simcheck.check_collector import CheckCollector  # late: as above

    return CheckCollector(spec)
