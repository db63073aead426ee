"""turn canonical words into shingles: every run of k words, as fingerprints"""

import argparse

from shingletools import wire
from shingletools.filter import Filter, Stage
from shingletools.options import count, text

ROLLING = "rolling"


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--text", metavar="NAME", type=text, default="text", help="the field that holds the words (default text)"
    )
    parser.add_argument("-k", metavar="K", type=count, default=10, help="words in a shingle (default 10)")
    parser.add_argument("--chars", action="store_true", help="runs of K characters instead of K words")
    form = parser.add_mutually_exclusive_group()
    form.add_argument(
        "--hash", choices=[ROLLING, "blake3", "crc32", "md5", "sha1"], default=ROLLING,
        help="how a shingle becomes a fingerprint (default rolling)",
    )  # fmt: skip
    form.add_argument("--readable", action="store_true", help="write the shingles' own words, as a JSON list")


def build(options: argparse.Namespace) -> Stage:
    from shingletools.shingle import fingerprints  # numpy, which --help does not need

    k, chars = options.k, options.chars
    shingler: fingerprints.Shingler
    if options.readable:
        shingler = fingerprints.Readable(k, chars)
    elif options.hash == ROLLING:
        shingler = fingerprints.Rolling(k, chars)
    else:
        shingler = fingerprints.Hashed(k, chars, options.hash)
    changed_hash = options.hash if options.hash != ROLLING else None
    via = wire.recipe("shingle", ("k", k), ("chars", chars), ("hash", changed_hash), ("readable", options.readable))
    return Filter(consumes=options.text, produces="shingles", recipe=via, function=shingler)
