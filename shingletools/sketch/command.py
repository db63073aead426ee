"""turn shingles into a sketch, a short signature whose agreement estimates similarity"""

import argparse
from typing import TYPE_CHECKING

from shingletools import wire
from shingletools.errors import Failed
from shingletools.kernel.lines import unlinked
from shingletools.options import count, text
from shingletools.stage import Filter, Linking, Stage

if TYPE_CHECKING:
    from shingletools.sketch.minhash import Sketcher

SEED = "0"


def add_options(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("-n", metavar="N", type=count, default=84, help="min-hashes (default 84)")
    add("--seed", metavar="S", type=text, default=SEED, help="choose other hash functions (default 0)")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--super", metavar="G", type=count, help="write supershingles, each of G min-hashes")
    form.add_argument("--mega", metavar="G", type=count, help="write megashingles, each of two supershingles")
    form.add_argument("--simhash", action="store_true", help="write a simhash of 64 bits instead")
    add("--weights", metavar="FILE", help="weigh the shingles for --simhash by a table of shingle --df")
    add("--keep", action="store_true", help="keep the shingles in the record")


def build(options: argparse.Namespace) -> Stage:
    group = options.super or options.mega
    if group and options.n % group:
        raise Failed(f"{options.n} min-hashes cannot be put into groups of {group}")
    if options.mega and options.n == group:
        raise Failed("--mega needs two supershingles at least")
    if options.weights is not None and not options.simhash:
        raise Failed("--weights needs --simhash")
    return simhash(options) if options.simhash else sketch(options, group)


def sketch(options: argparse.Namespace, group: int | None) -> Stage:
    from shingletools.sketch import minhash  # BLAKE3, which --help does not need

    minima = minhash.MinHash(options.n, options.seed)
    function: minhash.Sketcher = minima
    link: Linking = minima.link
    if group:
        function = supers = minhash.Supershingles(minima, group, pairs=options.mega is not None)
        link = supers.link
    seed = wire.quoted(options.seed) if options.seed != SEED else None
    via = wire.recipe("sketch", ("n", options.n), ("seed", seed), ("super", options.super), ("mega", options.mega))
    return Filter("shingles", "sketch", via, function, keep=options.keep, link=link)


def simhash(options: argparse.Namespace) -> Stage:
    from shingletools.sketch import simhash as plain  # as in `sketch`

    function: Sketcher = plain.simhash
    link: Linking = plain.link_simhash
    label: str | None = None
    reads: tuple[str, ...] = ()
    if options.weights is not None:
        from shingletools.sketch.weighted import WeightedSimHash, read_weights  # numpy, which only weights need

        weights, label = read_weights(options.weights)
        function, link, reads = WeightedSimHash(weights), unlinked, (options.weights,)
    via = wire.recipe("sketch", ("simhash", True), ("weights", label))
    return Filter("shingles", "simhash", via, function, keep=options.keep, link=link, reads=reads)
