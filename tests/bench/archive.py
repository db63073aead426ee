"""An archive of random and planted sketches: what it costs to build, to keep and to ask, as it grows.

    python tests/bench/archive.py [--bits 8|16] FOLDER [DOCUMENTS ...]

For each number of documents: processor seconds and peak memory to build it from JSON lines; bytes on disk; a query of
one document from start to answer, and of a thousand; the same with JSON lines, of at most ten million documents: more
are not kept as lines; and a thousand documents more. FOLDER keeps what was made, 1.4 kB a document, 0.6 kB with
--bits 8.
"""

import argparse
import os
import shutil
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from threading import Thread

import numpy as np
from measure import timed
from numpy.typing import NDArray

N, TOGETHER = 84, 1 << 14
MOST_LINES = 10**7  # beyond, to read all documents as JSON lines takes minutes, and the memory of a machine
NEAR = 100  # of so many documents, one is like one before it; of queries, every second


def cost(*argv: str) -> str:
    """A command, whose output is counted."""
    with tempfile.NamedTemporaryFile() as file:
        wall, processor, peak = timed(argv, Path(os.devnull), Path(file.name))
        lines = sum(1 for _ in file)
    return f"{wall:7.2f} s, {processor:7.2f} s of processor, {peak:5.0f} MB, {lines} lines"


def rows(rng: np.random.Generator, documents: int, near: int, of: NDArray[np.uint32]) -> Iterator[NDArray[np.uint32]]:
    """Sketches, of which one of `near` agrees with one of some others in 50 to 84 components."""
    for start in range(0, documents, TOGETHER):
        some = rng.integers(0, 2**32, (min(TOGETHER, documents - start), N), np.uint32)
        planted = np.arange(0, len(some), near)
        kept = rng.random((len(planted), N)) < rng.uniform(0.6, 1, (len(planted), 1))
        some[planted] = np.where(kept, of[rng.integers(0, len(of), len(planted))], some[planted])
        yield some


def write(path: Path, first: int, blocks: Iterator[NDArray[np.uint32]], bits: int) -> None:
    with path.open("wb") as file:
        for block in blocks:
            via = "sketch n=84" + f" bits={bits}" * (bits < 32)
            some = block.astype(f">u{bits // 8}")
            lines = [
                f'{{"id":"doc-{first + number}","sketch":"{row.tobytes().hex(" ", bits // 8)}","via":"{via}"}}\n'
                for number, row in enumerate(some)
            ]
            file.write("".join(lines).encode())
            first += len(block)


def show(what: str, figures: object) -> None:
    print(f"  {what:22} {figures}", flush=True)


def main(folder: Path, size: int, bits: int) -> None:
    rng = np.random.default_rng(size)
    pool = rng.integers(0, 2**32, (1000, N), np.uint32)
    old, archive, new = folder / f"{size}.jsonl", folder / f"{size}", folder / f"{size}.new.jsonl"
    if not old.exists():
        lines = partial(write, old, 0, rows(rng.spawn(1)[0], size, NEAR, pool), bits)
        if size > MOST_LINES:
            os.mkfifo(old)
            Thread(target=lines).start()
        else:
            lines()
        write(new, 2 * size, rows(rng, 1000, NEAR, pool), bits)
    queries = {number: folder / f"{size}.{number}.jsonl" for number in (1, 1000)}
    for number, path in queries.items():
        if not path.exists():
            write(path, size, rows(rng, number, 2, pool), bits)
    print(f"{size} documents")
    if not archive.exists():
        show("build", cost("simindex", "add", str(archive), str(old)))
    on_disk = sum(each.stat().st_size for each in archive.iterdir())
    show("on disk", f"{on_disk / 1e6:.0f} MB, {on_disk / size:.1f} bytes a document")
    for number, path in queries.items():
        show(f"{number} asked", cost("simjoin", "--against", str(archive), str(path)))
        if size <= MOST_LINES:
            show(f"{number} asked of lines", cost("simjoin", "--against", str(old), str(path)))
    copy = folder / f"{size}.copy"
    shutil.copytree(archive, copy, copy_function=os.link)  # segments are never changed
    show("1000 more", cost("simindex", "add", str(copy), str(new)))
    shutil.rmtree(copy)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--bits", type=int, choices=(8, 16, 32), default=32)
    parser.add_argument("folder", type=Path)
    parser.add_argument("documents", type=int, nargs="*", default=[10**5, 10**6, 10**7])
    options = parser.parse_args()
    for documents in options.documents:
        main(options.folder, documents, options.bits)
