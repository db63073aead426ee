"""What the compiled loops cost, in instructions, which unlike seconds are the same in each run.

usage: python tests/bench/instructions.py

Each loop runs under valgrind's callgrind on the same made-up input. Prints the instructions for each unit of work, and
fails if they are more than the limit, which is some half above what GCC 12 made for x86-64 with AVX2. Needs valgrind.
"""

import random
import re
import struct
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np

from shingletools.kernel import _kernel, compiled
from shingletools.shingle.fingerprints import word_fingerprint

rng = random.Random(1)
WORDS = [f"w{number:x}" for number in range(2000)]
LATIN = " ".join(rng.choices(WORDS, k=20_000))
GREEK = LATIN.translate({ord("w"): "\u03c9"})
PAYLOAD = " ".join(f"{rng.getrandbits(64):016x}" for _ in range(20_000))
FUNCTIONS = struct.pack("=84I", *(rng.getrandbits(32) | 1 for _ in range(84)))
ROWS = np.random.default_rng(1).integers(0, 2, (2000, 84)).astype(np.uint32)
PAIRS = np.random.default_rng(2).integers(0, 2000, (2, 20_000))


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


LOOPS = {
    "rolling fingerprints": Loop("rolling", 40_000, 500, fingerprinted),
    "canonical words of ASCII": Loop("words", 20_000, 250, lambda: _kernel.WordMemo(str, str.lower).words(LATIN)),
    "known words": Loop("words", 40_000, 650, lambda: known(GREEK).words(GREEK)),
    "a line": Loop("split_lines", 20_000, 300, lambda: _kernel.split_lines(PAYLOAD.replace(" ", "\n").encode())),
    "minima of a shingle": Loop("minima", 20_000, 165, lambda: _kernel.minima(PAYLOAD, FUNCTIONS, FUNCTIONS)),
    "simhash of a shingle": Loop("simhash", 20_000, 800, lambda: _kernel.simhash(PAYLOAD)),
    "a pair of rows": Loop("agreements", 20_000, 450, lambda: compiled.agreements(ROWS, 68, *PAIRS)),
    "a key of a row": Loop("band_keys", 2000, 900, lambda: compiled.band_keys(ROWS, [(0, 84)])),
}


def counted(name: str) -> int:
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder, "out")
        subprocess.run(
            ["valgrind", "--tool=callgrind", f"--toggle-collect={LOOPS[name].function}", f"--callgrind-out-file={out}",
             sys.executable, __file__, name], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        found = re.search(r"^(?:summary|totals): (\d+)", out.read_text(), re.MULTILINE)
        assert found is not None
        return int(found[1])


def main() -> None:
    too_much = False
    for name, loop in LOOPS.items():
        each = counted(name) / loop.units
        too_much |= not 0 < each <= loop.limit
        print(f"{name}: {each:.0f} instructions, at most {loop.limit:.0f}", flush=True)
    sys.exit(too_much)


if __name__ == "__main__":
    if sys.argv[1:]:
        LOOPS[sys.argv[1]].work()
    else:
        main()
