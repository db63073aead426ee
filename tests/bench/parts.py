"""parts and back: conservation, megabytes a second, memory; and what of a corpus stands in it more than once.

python tests/bench/parts.py [--by UNIT] DOCS.jsonl    as many units as are named; default all
"""

import argparse
import json
import subprocess
import tempfile
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from measure import table_row, timed

from harness import ENVIRONMENT  # whose folder measure adds to the path

UNITS = ("paragraph", "line", "sentence", "heading", "200-words")
REMOVAL = """
parts --by {by} {docs} > p
canon p | shingle -k 5 | sketch | simjoin -t 0.9 --forest | simgroup > g
dedup -v --groups g p 2> first.said | parts --together -v -o first 2> first.documents
dedup -v --groups g --keep none --larger-than {limit} p 2> none.said | parts --together -v -o none 2> none.documents
"""


def texts(path: Path) -> Iterator[tuple[object, str]]:
    with path.open("rb") as file:
        for line in file:
            record = json.loads(line)
            yield record["id"], record["text"]


def conservation(docs: Path, units: list[str], folder: Path) -> None:
    """Each way there and back, and whether ids and texts are what they were."""
    size = docs.stat().st_size / 1e6
    table_row("unit", "parts", "parts MB/s", "peak MB", "of parts MB", "together MB/s", "peak MB", "conserved")
    for unit in units:
        apart = timed(["parts", "--by", unit], docs, folder / "p")
        back = timed(["parts", "--together"], folder / "p", folder / "back")
        same = all(one == other for one, other in zip(texts(docs), texts(folder / "back"), strict=True))
        of_parts = (folder / "p").stat().st_size / 1e6
        with (folder / "p").open("rb") as file:
            count = sum(1 for _ in file)
        table_row(unit, count, f"{size / apart.wall:.0f}", f"{apart.peak:.0f}", f"{of_parts:.0f}",
                  f"{of_parts / back.wall:.0f}", f"{back.peak:.0f}", same)  # fmt: skip


def removal(docs: Path, unit: str, limit: int, folder: Path) -> None:
    """How much goes where only the first copy stays, and where what has more copies than the limit goes altogether."""
    subprocess.run(["bash", "-ec", REMOVAL.format(by=unit, docs=docs.absolute(), limit=limit)], cwd=folder,
                   env=ENVIRONMENT, check=True)  # fmt: skip
    words = sum(len(text.split()) for _, text in texts(docs))
    for way in ("first", "none"):
        for said in ("said", "documents"):
            print(f"{way}: {(folder / f'{way}.{said}').read_text().strip()}")
        left = sum(len(text.split()) for _, text in texts(folder / way))
        print(f"{way}: {words - left} of {words} words gone ({100 * (words - left) / words:.1f}%)")
    print()
    for name, text in islice(texts(folder / "first"), 0, None, 1500):
        print(f"--- {name}\n{text[:700]}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--by", action="append", metavar="UNIT", help="default all")
    parser.add_argument("--remove", metavar="UNIT", default="line", help="what is removed where it is repeated")
    parser.add_argument("--larger-than", metavar="N", type=int, default=10)
    parser.add_argument("docs", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        conservation(options.docs, options.by or list(UNITS), Path(name))
        removal(options.docs, options.remove, options.larger_than, Path(name))
