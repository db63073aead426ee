"""An archive of random and planted sketches: what it costs to build, to keep and to ask, as it grows.

    python tests/bench/archive.py FOLDER [DOCUMENTS ...]

For each number of documents: processor seconds and peak memory to build it from JSON lines; bytes on disk; a query of
one document from start to answer, of a thousand, and of a tenth of the archive; the same with JSON lines. FOLDER keeps
what was made, 1.4 kB a document.
"""

import os
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

N, TOGETHER = 84, 1 << 14
NEAR = 100  # of so many documents, one is like one before it; of queries, every second


class Cost(NamedTuple):
    """What a process cost."""

    wall: float
    processor: float
    memory: int  # bytes at most
    lines: int  # of its output

    def __str__(self) -> str:
        return (
            f"{self.wall:7.2f} s, {self.processor:7.2f} s of processor, {self.memory / 1e6:5.0f} MB, {self.lines} lines"
        )


def cost(*argv: str) -> Cost:
    """A command, whose output is counted."""
    begun = time.perf_counter()
    process = subprocess.Popen(argv, stdout=subprocess.PIPE)
    assert process.stdout is not None
    lines = 0
    while block := process.stdout.read(1 << 20):
        lines += block.count(b"\n")
    _, status, used = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"{argv} failed")
    return Cost(time.perf_counter() - begun, used.ru_utime + used.ru_stime, used.ru_maxrss * 1024, lines)


def rows(rng: np.random.Generator, documents: int, near: int, of: NDArray[np.uint32]) -> Iterator[NDArray[np.uint32]]:
    """Sketches, of which one of `near` agrees with one of some others in 50 to 84 components."""
    for start in range(0, documents, TOGETHER):
        some = rng.integers(0, 2**32, (min(TOGETHER, documents - start), N), np.uint32)
        planted = np.arange(0, len(some), near)
        kept = rng.random((len(planted), N)) < rng.uniform(0.6, 1, (len(planted), 1))
        some[planted] = np.where(kept, of[rng.integers(0, len(of), len(planted))], some[planted])
        yield some


def write(path: Path, first: int, blocks: Iterator[NDArray[np.uint32]]) -> None:
    with path.open("wb") as file:
        for block in blocks:
            lines = [f'{{"id":"doc-{first + number}","sketch":"{row.tobytes().hex(" ", 4)}","via":"sketch n=84"}}\n'
                     for number, row in enumerate(block)]  # fmt: skip
            file.write("".join(lines).encode())
            first += len(block)


def main(folder: Path, sizes: list[int]) -> None:
    for size in sizes:
        rng = np.random.default_rng(size)
        pool = rng.integers(0, 2**32, (1000, N), np.uint32)
        old, archive = folder / f"{size}.jsonl", folder / f"{size}"
        if not old.exists():
            write(old, 0, rows(rng, size, NEAR, pool))
        queries = {number: folder / f"{size}.{number}.jsonl" for number in (1, 1000, size // 10)}
        for number, path in queries.items():
            if not path.exists():
                write(path, size, rows(rng, number, 2, pool))
        if not archive.exists():
            print(f"{size} documents, {old.stat().st_size / 1e9:.2f} GB of JSON lines")
            print(f"  build           {cost('simindex', 'add', str(archive), str(old))}", flush=True)
        there = sum(path.stat().st_size for path in archive.iterdir())
        print(f"  on disk         {there / size:.1f} bytes a document", flush=True)
        for number, path in queries.items():
            for name in (archive, old):
                said = f"{number} asked"
                print(f"  {said:15} {cost('simjoin', '--against', str(name), str(path))}  {name.name}", flush=True)
    print(f"peak of this process: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss} KB")


if __name__ == "__main__":
    main(Path(sys.argv[1]), [int(argument) for argument in sys.argv[2:]] or [10**5, 10**6, 10**7])
