"""keep sketches in an archive on disk, which is asked without reading all of it"""

import argparse
from functools import partial

from shingletools.errors import Failed
from shingletools.options import count, size, threshold
from shingletools.simindex.spec import ACTIONS, ADD, DROP, IndexSpec
from shingletools.simjoin.wanted import BITS, Wanted
from shingletools.stage import Stage


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.usage = "%(prog)s ACTION DIR [OPTIONS] [FILE ...]"
    parser.add_argument("action", metavar="ACTION", choices=ACTIONS, help=f"one of {', '.join(ACTIONS)}")
    parser.add_argument("archive", metavar="DIR", help="the folder of the archive")
    least = parser.add_mutually_exclusive_group()
    least.add_argument("-t", "--threshold", metavar="T", type=threshold,
        help="add: the least similarity that can be asked for (default 0.8 for min-hashes)")  # fmt: skip
    least.add_argument("-m", "--agreeing", metavar="M", type=count,
        help="the same as a number of components (default 2 for supershingles, 1 for megashingles)")  # fmt: skip
    least.add_argument("-d", "--distance", metavar="D", type=partial(count, least=0, most=BITS - 1),
        help="the same as a number of differing bits (default 3 for simhashes)")  # fmt: skip
    parser.add_argument("--unless-known", action="store_true",
        help="add: only what is like no document that was there, and write the pairs of the others")  # fmt: skip
    parser.add_argument("--ids", metavar="FILE", action="append", default=[],
        help="drop: the records whose ids are dropped; may be repeated")  # fmt: skip
    parser.add_argument("-S", "--buffer-size", metavar="SIZE", type=size,
        help="add: how much memory new records may take (default 512M)")  # fmt: skip


def build(options: argparse.Namespace) -> Stage:
    wanted = Wanted(options.threshold, options.agreeing, options.distance)
    action = options.action
    for option, asked, of in (
        ("-t, -m and -d", wanted.threshold(), ADD), ("--unless-known", options.unless_known, ADD),
        ("-S", options.buffer_size is not None, ADD), ("--ids", options.ids, DROP),
    ):  # fmt: skip
        if asked and action != of:
            raise Failed(f"{option}: only with the action {of}, not {action}")
    if action != ADD:
        if options.files != ["-"]:
            raise Failed(f"{action} reads no FILE (see simindex --help)")
        options.files = options.ids
    if action == DROP and not options.ids:
        raise Failed("drop: --ids says which documents (see simindex --help)")
    return IndexSpec(action, options.archive, options.id, wanted, options.unless_known, options.buffer_size or 1 << 29)
