"""find all pairs of documents whose sketches agree at or above a threshold"""

import argparse

from shingletools.filter import Stage
from shingletools.options import threshold
from shingletools.simjoin.sketches import SketchJoin


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "-t", "--threshold", metavar="T", type=threshold, default=threshold("0.8"),
        help="the least similarity wanted, above 0, at most 1: 0.8 or 4/5 (default 0.8)",
    )  # fmt: skip
    parser.add_argument("--against", metavar="FILE", help="pair the input with the records of FILE, not with itself")


def build(options: argparse.Namespace) -> Stage:
    return SketchJoin(options.id, options.threshold, options.against, options.jobs)
