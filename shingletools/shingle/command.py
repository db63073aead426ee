"""turn canonical words into shingles: every run of k words, as fingerprints"""

import argparse
from functools import partial
from typing import TYPE_CHECKING

from shingletools import wire
from shingletools.errors import Failed
from shingletools.kernel.lines import unlinked
from shingletools.options import count, text
from shingletools.stage import Filter, Linking, Stage

if TYPE_CHECKING:
    from shingletools.shingle.fingerprints import Hashing, Runs
    from shingletools.shingle.keys import Key

ROLLING = "rolling"
KEYED = (ROLLING, "blake3")
LONGEST_KEYED = 32  # units: sums of many can be made to collide depending on bits of the multiplier, which so come out


def add_options(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--text", metavar="NAME", type=text, default="text", help="the field that holds the words (default text)")
    add("-k", metavar="K", type=count, default=10, help="units in a shingle (default 10)")
    units = parser.add_mutually_exclusive_group()
    units.add_argument("--chars", action="store_true", help="the units are characters instead of words")
    units.add_argument("--longest", metavar="N", type=count, help="the units are the N longest lines of the text")
    add("--hash", choices=[ROLLING, "blake3", "crc32", "md5", "sha1"], default=ROLLING,
        help="how a shingle becomes a fingerprint (default rolling)")  # fmt: skip
    add("--key-file", metavar="FILE", help="make fingerprints that depend on the secret in FILE")
    add("--mod", metavar="M", type=count, default=1, help="keep a fair share, 1 in M, of the fingerprints (default 1)")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--readable", action="store_true", help="write the shingles' own words, as a JSON list")
    form.add_argument("--df", action="store_true", help="write in how many documents each shingle is, and its weight")


def build(options: argparse.Namespace) -> Stage:
    from shingletools.shingle import fingerprints, keys  # here and below: what --help, or most runs, do not need

    runs = fingerprints.Runs(options.k, options.chars, options.longest)
    changed_hash = options.hash if options.hash != ROLLING else None
    how = ("k", options.k), ("chars", options.chars), ("longest", options.longest), ("hash", changed_hash)
    mod = options.mod if options.mod > 1 else None
    key = keys.PUBLIC
    reads: tuple[str, ...] = ()
    if options.key_file is not None:
        if options.hash not in KEYED:
            raise Failed(f"--hash {options.hash} has no key (--key-file goes with {' and '.join(KEYED)})")
        if options.hash == ROLLING and options.k > LONGEST_KEYED:
            raise Failed(f"-k {options.k}: so long sums would give the key away; take --hash blake3 with --key-file")
        key, reads = keys.read_key(options.key_file, wire.recipe("shingle", *how)), (options.key_file,)
    shingler: fingerprints.Shingler
    link: Linking = unlinked
    if options.readable:
        if changed_hash or mod or reads:
            raise Failed("--readable goes without --hash, --mod and --key-file")
        shingler = fingerprints.Readable(runs)
    else:
        hashing = hashing_of(runs, options.hash, key)
        if isinstance(hashing, fingerprints.Rolling):
            link = partial(hashing.link, options.mod)
        if mod:
            from shingletools.shingle.sampled import Sampled  # numpy, which only --mod needs

            hashing = Sampled(hashing, mod)
        shingler = hashing
        if options.df:
            if options.chars or options.longest:
                raise Failed("--df counts runs of words")
            from shingletools.shingle.frequencies import CountSpec  # numpy, which only --df needs

            return CountSpec(options.text, runs, hashing, reads)
    via = wire.recipe("shingle", *how, ("key", key.label or None), ("mod", mod), ("readable", options.readable))
    return Filter(options.text, "shingles", via, shingler, link=link, reads=reads, listed=options.readable)


def hashing_of(runs: "Runs", name: str, key: "Key") -> "Hashing":
    """What makes fingerprints by the hash of this name."""
    from shingletools.shingle.fingerprints import Hashed, Rolling  # as in `build`

    if name != ROLLING:
        return Hashed(runs, name, key)
    if not runs.chars and runs.longest is None:
        return Rolling(runs.k, key)
    from shingletools.shingle.units import RollingUnits  # numpy, which words do not need

    return RollingUnits(runs, key)
