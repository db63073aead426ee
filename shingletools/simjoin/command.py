"""find all pairs of documents whose sketches agree at or above a threshold"""

import argparse
import re
from fractions import Fraction

from shingletools import wire
from shingletools.filter import Stage
from shingletools.simjoin.sketches import SketchJoin


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "-t", "--threshold", metavar="T", type=threshold, default=threshold("0.8"),
        help="the least similarity wanted, above 0, at most 1: 0.8 or 4/5 (default 0.8)",
    )  # fmt: skip
    parser.add_argument("--against", metavar="FILE", help="pair the input with the records of FILE, not with itself")


def build(options: argparse.Namespace) -> Stage:
    return SketchJoin(options.threshold, options.against, options.jobs)


def threshold(text: str) -> Fraction:
    """An exact number above 0 and at most 1."""
    if re.fullmatch(r"[0-9]{0,18}\.?[0-9]{1,18}|[0-9]{1,18}/[0-9]{1,18}", text, re.ASCII):
        try:
            value = Fraction(text)
        except ZeroDivisionError:
            value = Fraction(0)
        if 0 < value <= 1:
            return value
    raise argparse.ArgumentTypeError(f"not a number above 0 and at most 1, of at most 18 digits: {wire.shown(text)}")
