"""84 min-hashes of prehashed shingles: the kernel compared with rensa's matrix of digests, on the same fingerprints.

usage: python tests/bench/minima.py

2,000 documents of 440 shingles, one thread. rensa reads an array of integers and writes one; the kernel reads and
writes payloads of hex digits, so its minima alone are shown as the cost of 84 more of them. Medians of 21 runs, taken
in turn.
"""

import os
import statistics
import struct
import sys
import time
from collections.abc import Callable
from pathlib import Path

os.environ["RAYON_NUM_THREADS"] = "1"

import numpy as np
from rensa import RMinHash

from shingletools import kernel
from shingletools.kernel.payload_codec import bytes_to_payload

sys.path.insert(0, str(Path(__file__).parent))
from measure import table_row

DOCUMENTS, SHINGLES, N, RUNS = 2000, 440, 84, 21


def main() -> None:
    rng = np.random.default_rng(1)
    hashes = rng.integers(0, 2**64, (DOCUMENTS, SHINGLES), np.uint64)
    offsets = np.arange(0, hashes.size + 1, SHINGLES, dtype=np.uint64)
    payloads = [bytes_to_payload(row.astype(">u8").tobytes(), 16) for row in hashes]
    functions = struct.pack(f"{2 * N}I", *rng.integers(0, 2**32, 2 * N).tolist())
    flat, few = hashes.ravel(), functions[: 4 * N]

    def minima(chosen: bytes) -> None:
        for payload in payloads:
            kernel.minima(payload, chosen, chosen)

    works: dict[str, Callable[[], object]] = {
        "rensa": lambda: RMinHash.digest_matrix_from_flat_token_hashes(flat, offsets, N, 42),
        "payloads": lambda: minima(few),
        "twice": lambda: minima(functions),
    }
    taken: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(RUNS):
        for name, work in works.items():
            start = time.perf_counter()
            work()
            taken[name].append(1e9 * (time.perf_counter() - start) / hashes.size)
    rensa, payload, twice = (statistics.median(taken[name]) for name in works)
    print(f"\n{N} minima, kernel {kernel.NAME}\n")
    table_row("", "ns a shingle", "to rensa's")
    table_row("---", "---:", "---:")
    for name, figure in (("rensa's matrix", rensa), ("minima alone", twice - payload), ("payload to payload", payload)):
        table_row(name, f"{figure:.2f}", f"{figure / rensa:.2f}")


if __name__ == "__main__":
    main()
