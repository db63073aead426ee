"""What shingle --max-df does to pairs: how many are found, and how many of them belong together.

usage: python tests/bench/templates.py CORPUS [LIMIT ...]

CORPUS is a file of documents whose ids are paths, as corpora.py makes the guide: MACHINE/LANGUAGE/PAGE. Two of them
belong together if they are one page in one language, for two machines. A file groups.jsonl beside it may say otherwise,
in lines with `ids` of documents that belong together, such as packages of one source. The pairs are those of the exact
join at 0.8 of shingles of ten words. Prints for no limit and for each the pairs, the share of them that belong
together, and of those found without a limit the share that is still found.
"""

import json
import subprocess
import sys
from collections.abc import Callable, Hashable
from pathlib import Path
from tempfile import TemporaryDirectory

LIMITS = ("1000", "300", "100", "20", "10")


def belonging(corpus: Path) -> Callable[[str], Hashable]:
    """What documents that belong together have in common; each other document has something of its own."""
    groups = corpus.with_name("groups.jsonl")
    if not groups.exists():
        return lambda name: tuple(name.split("/")[1:])
    group_of = {name: group["group"] for group in map(json.loads, groups.open()) for name in group["ids"]}
    return lambda name: (name in group_of, group_of.get(name, name))


def pairs(canonical: Path, *limits: str) -> set[tuple[str, str]]:
    with subprocess.Popen(["shingle", *limits, canonical], stdout=subprocess.PIPE) as shingled:
        joined = subprocess.run(["simjoin", "-t", "0.8"], stdin=shingled.stdout, stdout=subprocess.PIPE, check=True)
    return {(pair["a"], pair["b"]) for pair in map(json.loads, joined.stdout.splitlines())}


def main(corpus: Path, limits: tuple[str, ...] = LIMITS) -> None:
    of = belonging(corpus)
    right: set[tuple[str, str]] = set()
    print("| limit | pairs | right | kept |\n|---|---:|---:|---:|")
    with TemporaryDirectory() as folder:
        canonical = Path(folder, "canonical")
        subprocess.run(["canon", "-o", canonical, corpus], check=True)
        for limit in (None, *limits):
            found = pairs(canonical, *([] if limit is None else ["--max-df", limit]))
            good = {pair for pair in found if of(pair[0]) == of(pair[1])}
            right = right or good
            shares = len(good) / len(found), len(good & right) / len(right)
            print(f"| {limit or 'none'} | {len(found):,} | {shares[0]:.3f} | {shares[1]:.3f} |", flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), tuple(sys.argv[2:]) or LIMITS)
