"""What the compiled loops cost, in instructions, which unlike seconds are the same in each run.

usage: python tests/bench/instructions.py

Each loop runs under valgrind's callgrind on the same made-up input. Prints the instructions for each unit of work, and
fails if they are more than the limit, which is some half above what GCC 12 made for x86-64 with AVX2. Needs valgrind.
"""

import json
import os
import random
import re
import struct
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from shingletools.commands.shingle.fingerprints import word_fingerprint
from shingletools.commands.shingle.frequency_filter import FingerprintListing
from shingletools.kernel import _kernel
from shingletools.kernel.lines import FilterFields, FingerprintFilter, Link, WeightSlots

rng = random.Random(1)
WORDS = [f"w{number:x}" for number in range(2000)]
LATIN = " ".join(rng.choices(WORDS, k=20_000))
GREEK = LATIN.translate({ord("w"): "\u03c9"})
PAYLOAD = " ".join(f"{rng.getrandbits(64):016x}" for _ in range(20_000))
FUNCTIONS = struct.pack("=84I", *(rng.getrandbits(32) | 1 for _ in range(84)))


def records(payload: str, **others: object) -> bytes:
    """A payload on so many lines that each has a hundred of its words."""
    words = payload.split()
    parts = [" ".join(words[at : at + 100]) for at in range(0, len(words), 100)]
    lines = [json.dumps({"id": number, **others, "x": part}, ensure_ascii=False) for number, part in enumerate(parts)]
    return "\n".join(lines).encode()


TEXTS, SHINGLES = records(LATIN), records(PAYLOAD)
# What a scanner must not skip: names, numbers, brackets, escapes
FULL = records(LATIN, via="canon", meta={"a": [1, 2.5, {"b": None}], "c": 'one "two"\tthree'}, list=[*range(50)])
FOREIGN = records(GREEK)
FIELDS = FilterFields(b"id", b"x", b"x", False, b"recipe")
COMMON = FingerprintListing(rng.randbytes(80_000), kept=False).listed


class Loop(NamedTuple):
    function: str  # in C, whose instructions count
    units: int
    limit: float  # instructions a unit
    work: Callable[[], object]


def known(text: str) -> _kernel.WordMemo:
    memo = _kernel.WordMemo(str.upper)
    memo.words(text)
    return memo


def fingerprinted() -> None:
    memo = _kernel.FingerprintMemo(word_fingerprint, 1, b"")
    memo.rolling(LATIN, 10)
    memo.rolling(LATIN, 10)


def shingled_lines(listed: FingerprintFilter = ()) -> None:
    memo = _kernel.FingerprintMemo(word_fingerprint, 1, b"")
    for _ in range(2):
        _kernel.linked_lines((memo.link(10, 0, 1, listed),), FIELDS, TEXTS, 0)


def canonized_lines() -> None:
    _kernel.linked_lines((_kernel.WordMemo(str, str.lower).link(),), FIELDS, TEXTS, 0)


def placed_lines() -> None:
    placed = FIELDS._replace(placed=True)
    _kernel.linked_lines((_kernel.WordMemo(str, str.lower).link_placed(),), placed, TEXTS, 0)


def sketched_lines(link: Link) -> None:
    _kernel.linked_lines((link,), FIELDS, SHINGLES, 0)


def weighed() -> WeightSlots:
    """Half of the shingles, each of a weight of its own; the others weigh as much as the heaviest."""
    numbers = [int(group, 16) for group in PAYLOAD.split()[::2]]
    weights = struct.pack(f"={len(numbers)}q", *(rng.randrange(1, 1 << 20) for _ in numbers))
    return 1, _kernel.weigh_fingerprints(struct.pack(f"={len(numbers)}Q", *numbers), weights, 1), 1 << 20, 16


def scanned(lines: bytes) -> None:
    _kernel.linked_lines((_kernel.link_function(str),), FIELDS, lines, 0)


def compared(pairs: int) -> None:
    """Rows with others, or their keys where there are no pairs."""
    import numpy as np  # most loops do without: under valgrind it takes seconds to load

    from shingletools.kernel import compiled_arrays  # which needs it

    rows = np.random.default_rng(1).integers(0, 2, (2000, 84)).astype(np.uint32)
    if pairs:
        compiled_arrays.agreements(rows, 68, *np.random.default_rng(2).integers(0, 2000, (2, pairs)))
    else:
        compiled_arrays.band_keys(rows, [(0, 84)])


LOOPS = {
    "rolling fingerprints": Loop("rolling", 40_000, 500, fingerprinted),
    "canonical words of ASCII": Loop("words", 20_000, 56, lambda: _kernel.WordMemo(str, str.lower).words(LATIN)),
    "known words": Loop("words", 40_000, 650, lambda: known(GREEK).words(GREEK)),
    "minima of a shingle": Loop("minima", 20_000, 165, lambda: _kernel.minima(PAYLOAD, FUNCTIONS, FUNCTIONS)),
    "simhash of a shingle": Loop("simhash", 20_000, 800, lambda: _kernel.simhash(PAYLOAD)),
    "canon, a word on lines": Loop("splice_lines", 20_000, 120, canonized_lines),
    "canon --offsets, a word on lines": Loop("splice_lines", 20_000, 550, placed_lines),
    "shingle, a word on lines": Loop("splice_lines", 40_000, 520, shingled_lines),
    "shingle --max-df, a word on lines": Loop("splice_lines", 40_000, 560, lambda: shingled_lines(COMMON)),
    "sketch, a shingle on lines": Loop(
        "splice_lines", 20_000, 310, lambda: sketched_lines(_kernel.link_minima(FUNCTIONS, FUNCTIONS, 0, False))
    ),
    "sketch --simhash --weights, a shingle on lines": Loop(
        "splice_lines", 20_000, 1050, lambda: sketched_lines(_kernel.link_weighted_simhash(weighed()))
    ),
    "scanning a byte of text": Loop("find_members", len(TEXTS), 6.5, lambda: scanned(TEXTS)),
    "scanning a byte of many members": Loop("find_members", len(FULL), 17, lambda: scanned(FULL)),
    "scanning a byte of UTF-8": Loop("find_members", len(FOREIGN), 10, lambda: scanned(FOREIGN)),
    "a pair of rows": Loop("agreements", 20_000, 170, lambda: compared(20_000)),
    "a key of a row": Loop("band_keys", 2000, 900, lambda: compared(0)),
}


def counted(functions: set[str]) -> dict[str, int]:
    """What each of the functions' loops takes, in a process of its own, forked from one: starting takes longest."""
    names = [name for name, loop in LOOPS.items() if loop.function in functions]
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [
                "valgrind",
                "--tool=callgrind",
                *(f"--toggle-collect={function}" for function in functions),
                f"--callgrind-out-file={folder}/%p",
                sys.executable,
                __file__,
                *names,
            ],
            check=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        totals = [
            re.search(r"^(?:summary|totals): (\d+)", Path(folder, number).read_text(), re.MULTILINE)
            for number in done.stdout.split()
        ]
        return {name: int(found[1]) for name, found in zip(names, totals, strict=True) if found is not None}


def work(names: list[str]) -> None:
    """Each in a child, whose number is printed."""
    for name in names:
        if not (child := os.fork()):
            LOOPS[name].work()
            os._exit(0)
        if os.waitpid(child, 0)[1]:
            sys.exit(1)
        print(child, flush=True)


def main() -> None:
    too_much = False
    apart = {"splice_lines"}  # which calls others, each of which would end the count
    instructions = counted(apart) | counted({loop.function for loop in LOOPS.values()} - apart)
    for name, loop in LOOPS.items():
        each = instructions[name] / loop.units
        too_much |= not 0 < each <= loop.limit
        print(f"{name}: {each:.3g} instructions, at most {loop.limit:g}", flush=True)
    sys.exit(too_much)


if __name__ == "__main__":
    if sys.argv[1:]:
        work(sys.argv[1:])
    else:
        main()
