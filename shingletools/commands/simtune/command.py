"""recommend a pipeline from a sample of documents, with reasons"""

import argparse
from functools import partial

from shingletools.cli.argument_types import add_repeatable, count, one_name, text, threshold
from shingletools.commands.simtune.spec import DEFAULT_FALSE, MAX_DOCUMENTS, SAMPLE_DOCUMENTS, TuneSpec
from shingletools.reading.formats.truth_tables import add_table_options, table_of
from shingletools.record.collector import Collector, CollectorContext
from shingletools.record.command_registry import CommandInfo
from shingletools.record.field_names import names_of
from shingletools.record.stage import Stage
from shingletools.system.errors import Failed

COMMAND_INFO = CommandInfo(example=("canon docs.jsonl | simtune --table",), takes=("canon", "parts"), text=True)

MAX_UNITS = 1000  # units of a shingle


def sizes(argument: str) -> tuple[int, ...]:
    """Reads the values of -k; returns them sorted, without repeats. Raises ArgumentTypeError."""
    return tuple(sorted({count(part, MAX_UNITS) for part in argument.split(",")}))


def add_options(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--text", metavar="NAME", type=one_name, default="text", help="the field that holds the words (default text)")
    add("-k", metavar="K,...", type=sizes, help="try runs of K words only (default: words, runs of them, characters)")
    add("-t", "--threshold", metavar="T", type=threshold, help="the least similarity of a pair (default: chosen)")
    same = "documents with equal values in LABEL belong together, those of the input or of --truth"
    add("--field", metavar="LABEL", type=text, help=same)
    add_repeatable(parser, "--truth", "FILE", "what belongs together: pairs or groups, or documents with --field")
    add_table_options(parser)
    add_repeatable(parser, "--against", "FILE", "pair the input with the documents of FILE, and not with itself")
    look_at = f"look at N documents (default {SAMPLE_DOCUMENTS})"
    add("--sample", metavar="N", type=count, default=SAMPLE_DOCUMENTS, help=look_at)
    add("--seed", metavar="TEXT", type=text, default="0", help="choose a different sample (default 0)")
    estimate = "estimate pairs and bytes for N documents, not those that are read"
    add("--for", dest="for_documents", metavar="N", type=partial(count, most=MAX_DOCUMENTS), help=estimate)
    add("--false", metavar="Q", type=threshold, default=DEFAULT_FALSE, help="what share chance may find (default 0.1)")
    add("--table", action="store_true", help="write a table for people, not records")


def build(options: argparse.Namespace) -> Stage:
    form = table_of(options)
    if form and not options.truth:
        raise Failed("--csv and --tsv are about the files of --truth; canon --csv or --tsv reads documents")
    if "-" in options.against:
        raise Failed("--against -: the pipeline would read standard input a second time; name a file")
    return TuneSpec(
        options.id,
        options.text,
        options.k,
        threshold=options.threshold,
        field=options.field,
        truth=options.truth,
        others=options.against,
        sample=options.sample,
        seed=options.seed,
        for_documents=options.for_documents,
        false=options.false,
        table=options.table,
        names=names_of(options, options.against),
        truth_id="" if form else names_of(options, options.truth).id,
        form=form,
    ).with_maker(collector_of)


def collector_of(spec: TuneSpec, context: CollectorContext) -> Collector:
    from shingletools.commands.simtune.tune_collector import TuneCollector  # late: --help needs no numpy

    return TuneCollector(spec, context.jobs)
