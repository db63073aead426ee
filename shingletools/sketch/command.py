"""turn shingles into a sketch, a short signature whose agreement estimates similarity"""

import argparse

from shingletools import wire
from shingletools.filter import Filter, Stage
from shingletools.options import count, text

SEED = "0"


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-n", metavar="N", type=count, default=84, help="words in the sketch (default 84)")
    parser.add_argument("--seed", metavar="S", type=text, default=SEED, help="choose other hash functions (default 0)")


def build(options: argparse.Namespace) -> Stage:
    from shingletools.sketch.minhash import MinHash  # numpy, which --help does not need

    seed = wire.quoted(options.seed) if options.seed != SEED else None
    via = wire.recipe("sketch", ("n", options.n), ("seed", seed))
    return Filter(consumes="shingles", produces="sketch", recipe=via, function=MinHash(options.n, options.seed))
