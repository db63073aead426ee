"""find all pairs of documents whose sketches or shingles agree at or above a threshold"""

import argparse
import os
from fractions import Fraction
from typing import TYPE_CHECKING

from shingletools.archive.archive_files import archive_of, is_archive
from shingletools.cli.argument_types import add_memory, add_repeatable, count, fraction, memory_of, text, threshold
from shingletools.commands.simjoin.join_options import COUNTED, JACCARD, JoinOptions, Scope, add_thresholds
from shingletools.commands.simjoin.measures import MEASURES
from shingletools.commands.simjoin.spec import JoinSpec
from shingletools.record.collector import Collector, CollectorContext
from shingletools.record.command_registry import PAIRS, CommandInfo, Product
from shingletools.record.field_names import names_of
from shingletools.record.stage import Stage
from shingletools.system.errors import Failed, printable

if TYPE_CHECKING:
    from shingletools.reading.shingle_weights import WeightTable

COMMAND_INFO = CommandInfo(
    example=("canon docs.jsonl | shingle -k 10 | sketch | simjoin -t 0.8",),
    makes=(Product(PAIRS, "simgroup, simshow or dedup --pairs takes them", ("a", "b")),),
    takes=("shingle", "sketch"),
    after="canon, shingle and sketch",
    spark=True,
    documents=lambda options: [*options.files, *options.against],
)


def least_similarity(argument: str) -> Fraction:
    """Returns a threshold. Raises ArgumentTypeError, which for 0 says how to find all pairs worth writing."""
    if fraction(argument) == 0:
        raise argparse.ArgumentTypeError("0 is every pair: -m 1 finds all that agree anywhere")
    return threshold(argument)


def add_options(parser: argparse.ArgumentParser) -> None:
    add_thresholds(
        parser,
        least_similarity,
        "the least similarity of a pair: 0.8, 4/5 (default 0.8 for min-hashes and shingles)",
        "the least number of agreeing components (default 2 for supershingles, 1 for megashingles), "
        "or of shingles in common",
        "the greatest number of differing bits (default 3 for simhashes)",
    )
    parser.add_argument(
        "--measure",
        choices=list(MEASURES),
        default=JACCARD,
        help="how to measure the similarity of sets of shingles (default jaccard)",
    )
    parser.add_argument(
        "--weights",
        metavar="FILE",
        help="weigh shingles by the table FILE of shingle --df, or with counted, by the joined documents",
    )
    parser.add_argument("--verify", action="store_true", help="find candidates by sketches, decide by shingles")
    parser.add_argument("--interval", action="store_true", help="write bounds of the true similarity, too")
    parser.add_argument(
        "--forest", action="store_true", help="write only enough pairs to connect what all pairs connect"
    )
    which = parser.add_argument_group("which pairs")
    which.add_argument(
        "--copies",
        choices=["all", "once"],
        default="all",
        help="whether a copy has all its pairs or one, with its original, marked as a copy (default all)",
    )
    add_repeatable(which, "--within", "FIELD", "only pairs whose documents have equal values of FIELD", text)
    add_repeatable(which, "--across", "FIELD", "only pairs whose documents have different values of FIELD", text)
    which.add_argument(
        "--best",
        metavar="N",
        type=count,
        help="only pairs in which one document is among the N most similar partners of the other",
    )
    add_repeatable(which, "--against", "FILE", "pair the input with FILE, or an archive's folder, and not with itself")
    how = parser.add_argument_group("how")
    how.add_argument(
        "--recall",
        metavar="R",
        type=threshold,
        default=Fraction(1),
        help="be faster: find, on average, a fraction R of the pairs exactly at the threshold (default 1)",
    )
    add_memory(how, "work on disk")


def build(options: argparse.Namespace) -> Stage:
    wanted = JoinOptions(
        options.threshold,
        options.agreeing,
        options.distance,
        options.measure,
        interval=options.interval,
        verify=options.verify,
        forest=options.forest,
        recall=options.recall,
        scope=Scope(tuple(options.within), tuple(options.across)),
        best=options.best,
        copies_once=options.copies == "once",
        weights=options.weights,
    )
    memory = memory_of(options)
    files: list[str] = []
    archives = []
    for path in options.against:
        if folder := archive_of(path):
            raise Failed(f"--against {printable(path)}: a file of an archive; name its folder, {printable(folder)}")
        if is_archive(path):
            archives.append((len(files), path))
        else:
            files.append(path)
    weights, reads = weights_of(options)
    spec = JoinSpec(
        options.id,
        wanted,
        tuple(files),
        memory,
        archives=tuple(archives),
        weights=weights,
        reads=reads,
        other_id=names_of(options, files).id,
    )
    return spec.with_maker(collector_of)


def weights_of(options: argparse.Namespace) -> "tuple[WeightTable | None, tuple[str, ...]]":
    """Returns the table of weights, and the files that are read for it."""
    if options.weights in (None, COUNTED):
        return None, ()
    from shingletools.reading.shingle_weights import read_weights  # late: --help needs no numpy

    return read_weights(options.weights), (options.weights,)


def collector_of(spec: JoinSpec, context: CollectorContext) -> Collector:
    from shingletools.archive import manifest  # late, here and below: --help does not need them
    from shingletools.commands.simjoin.join_collector import JoinCollector

    for path in filter(os.path.isdir, spec.against):
        manifest.read(path)  # fails with the reason why it is no archive
    return JoinCollector(spec, context)
