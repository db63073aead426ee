"""turn shingles into a sketch, a short signature whose agreement estimates similarity"""

import argparse
import re
from typing import TYPE_CHECKING

from shingletools import kernel
from shingletools.cli.argument_types import count, text
from shingletools.record import wire
from shingletools.record.command_registry import CommandInfo, Product
from shingletools.record.stage import Filter, MakeLink, Stage
from shingletools.system.errors import Failed, printable, shown

if TYPE_CHECKING:
    from fractions import Fraction

    from shingletools.commands.sketch.minhash import Sketcher

COMMAND_INFO = CommandInfo(
    example=("canon docs.jsonl | shingle -k 10 | sketch -n 84 -o docs.sketch",),
    makes=tuple(Product("sketch", "simjoin comes next", (field,)) for field in ("sketch", "simhash")),
    takes=("shingle",),
    after="canon and shingle",
    spark=True,
)

SEED = "0"
MINIMA = 84
FULL_BITS = "32"  # bits of a min-hash
MIN_LEXICON_WORDS = 5  # words of the lexicon that a text needs


def add_options(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("-n", metavar="N", type=count, help="min-hashes to compute (default 84)")
    add(
        "--bits",
        metavar="B",
        choices=("8", "16", FULL_BITS),
        default=FULL_BITS,
        help="write 8, 16 or all 32 bits of each min-hash (default 32)",
    )
    add("--seed", metavar="S", type=text, default=SEED, help="choose different hash functions (default 0)")
    add("--keep", action="store_true", help="keep the shingles in the record")
    other = parser.add_argument_group("other kinds of sketch")
    form = other.add_mutually_exclusive_group()
    form.add_argument("--super", metavar="G", type=count, help="write supershingles, each of G min-hashes")
    form.add_argument("--mega", metavar="G", type=count, help="write megashingles, each of two supershingles")
    form.add_argument(
        "--lexicon", metavar="FILE", help="write a hash of the words that have a middle weight in the table FILE"
    )
    form.add_argument("--top", metavar="N", type=count, help="write a hash of the N heaviest words, by --weights")
    form.add_argument("--simhash", action="store_true", help="write a simhash of 64 bits instead")
    add = parser.add_argument_group("weights").add_argument
    add("--weights", metavar="FILE", help="weigh them by the table FILE, from shingle --df, for --simhash and --top")
    add("--lexicons", metavar="M", type=count, help="hashes to write with --lexicon (default 1)")
    add(
        "--idf",
        metavar="LOW,HIGH",
        type=weights_between,
        help="the range of middle weights for --lexicon (default a quarter to three quarters of the heaviest)",
    )
    add("--least", metavar="N", type=count, help="words of the --lexicon that a text needs (default 5)")


def build(options: argparse.Namespace) -> Stage:
    check(options)
    options.n = options.n or MINIMA
    group = options.super or options.mega
    if group and options.n % group:
        raise Failed(f"{options.n} min-hashes cannot be divided into groups of {group}")
    if options.mega and options.n == group:
        raise Failed("--mega needs two or more supershingles")
    if options.lexicon is not None or options.top:
        return word_sketch(options)
    return simhash(options) if options.simhash else sketch(options, group)


def check(options: argparse.Namespace) -> None:
    """Raises Failed for options that cannot be combined."""
    lexicon, bits, seed = options.lexicon is not None, "bits" in options.given, "seed" in options.given
    without_minima = lexicon or options.top or options.simhash
    no_minima = "cannot be combined with --lexicon, --top or --simhash, which make no min-hashes"
    grouped = options.super or options.mega
    form = "--top" if options.top else "--simhash"
    for wrong, why in (
        (options.n is not None and without_minima, f"-n {no_minima}"),
        (bits and without_minima, f"--bits {no_minima}"),
        (bits and grouped, "--bits cannot be combined with --super or --mega, which hash whole min-hashes"),
        (seed and (options.top or options.simhash), f"--seed cannot be combined with {form}"),
        (seed and lexicon and options.lexicons in (None, 1), "--seed needs --lexicons 2 or more if --lexicon is given"),
        (options.lexicons is not None and not lexicon, "--lexicons needs --lexicon"),
        (options.idf is not None and not lexicon, "--idf needs --lexicon"),
        (options.least is not None and not lexicon, "--least needs --lexicon"),
        (options.top and options.weights is None, "--top needs --weights"),
        (
            options.weights is not None and not without_minima,
            "--weights needs --simhash or --top; simjoin --weights compares weighted shingles exactly",
        ),
        (
            lexicon and options.weights is not None,
            "--weights cannot be combined with --lexicon, whose table has the weights",
        ),
    ):
        if wrong:
            raise Failed(why)


def sketch(options: argparse.Namespace, group: int | None) -> Stage:
    from shingletools.commands.sketch import minhash  # imported late: it loads BLAKE3, which --help does not need

    bits = int(options.bits)
    minima = minhash.MinHash(options.n, options.seed, bits)
    function: minhash.Sketcher = minima
    link: MakeLink = minima.link
    if group:
        function = supers = minhash.Supershingles(minima, group, pairs=options.mega is not None)
        link = supers.link
    seed = wire.percent_encoded(options.seed) if options.seed != SEED else None
    via = wire.recipe(
        "sketch",
        ("n", options.n),
        ("bits", None if options.bits == FULL_BITS else bits),
        ("seed", seed),
        ("super", options.super),
        ("mega", options.mega),
    )
    return Filter("shingles", "sketch", via, function, keep=options.keep, link=link)


def word_sketch(options: argparse.Namespace) -> Stage:
    from shingletools.commands.sketch.word_signatures import HeaviestWords, LexiconSketch  # as in `sketch`
    from shingletools.numbers.inverse_document_frequency import UNIT
    from shingletools.reading.shingle_weights import read_weights

    if options.top:
        weights, label, after = read_weights(options.weights)
        via = wire.recipe("sketch", ("top", options.top), ("weights", label))
        heaviest = HeaviestWords(weights, options.top)
        return Filter("shingles", "sketch", via, heaviest, keep=options.keep, reads=(options.weights,), after=after)
    weights, label, after = read_weights(options.lexicon, "--lexicon")
    quarters = -(-weights.heaviest // 4), 3 * weights.heaviest // 4
    low, high = quarters if options.idf is None else (-(-options.idf[0] * UNIT // 1), options.idf[1] * UNIT // 1)
    count, least = options.lexicons or 1, options.least or MIN_LEXICON_WORDS
    seed = wire.percent_encoded(options.seed) if count > 1 and options.seed != SEED else None
    via = wire.recipe(
        "sketch",
        ("lexicon", label),
        ("lexicons", count if count > 1 else None),
        ("idf", f"{low / UNIT:.6f}-{high / UNIT:.6f}"),
        ("least", least),
        ("seed", seed),
    )
    words = weights.between(int(low), int(high))
    if not len(words):
        raise Failed(f"{printable(options.lexicon)}: no word has a weight from {low / UNIT:g} to {high / UNIT:g}")
    lexicon = LexiconSketch(words, weights.digits, least, count, options.seed)
    return Filter("shingles", "sketch", via, lexicon, keep=options.keep, reads=(options.lexicon,), after=after)


def weights_between(argument: str) -> "tuple[Fraction, Fraction]":
    """Returns two numbers, LOW,HIGH, the first no greater than the second. Raises ArgumentTypeError."""
    from fractions import Fraction  # imported late: few runs need it

    if re.fullmatch(r"[0-9]{1,9}(?:\.[0-9]{1,9})?,[0-9]{1,9}(?:\.[0-9]{1,9})?", argument, re.ASCII):
        low, high = map(Fraction, argument.split(","))
        if low <= high:
            return low, high
    raise argparse.ArgumentTypeError(f"not two ascending weights such as 2,8: {shown(argument)}")


def simhash(options: argparse.Namespace) -> Stage:
    from shingletools.commands.sketch import simhash as plain  # as in `sketch`

    function: Sketcher = plain.simhash
    link: MakeLink = kernel.link_simhash
    label: str | None = None
    after: str | None = None
    reads: tuple[str, ...] = ()
    if options.weights is not None:
        from shingletools.commands.sketch.weighted_simhash import WeightedSimHash  # it loads numpy
        from shingletools.reading.shingle_weights import read_weights

        weights, label, after = read_weights(options.weights)
        function = scales = WeightedSimHash(weights)
        link, reads = scales.link, (options.weights,)
    # The first version with weights gave all texts whose shingles weigh nothing the same simhash
    name = "sketch" if label is None else "sketch/2"
    via = wire.recipe(name, ("simhash", True), ("weights", label))
    return Filter("shingles", "simhash", via, function, keep=options.keep, link=link, reads=reads, after=after)
