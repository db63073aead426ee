"""Items of benchmarks planted in other text, and which are found: man/shingletools-evidence.7 has the table.

usage: python tests/bench/contamination.py CLONES DOCS.jsonl

CLONES is the folder that labels.py reads; the items are the questions in decon that have 20 words or more. Half of the
documents get one each, in one of these KINDS: as it is, in a line of its own; with other punctuation and in capitals;
within a line of other text; the first half of it; with one word in twenty, or in ten, replaced by another one. Printed
in mdoc: for each program the precision, which is the share of the marked documents that have an item, and the share of
the planted items that it finds in their documents, by kind.
"""

import gzip
import json
import random
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

LEAST, ANY = 20, "*"
PIPELINES = {
    "repeats, k 13, share .8": "repeats -k 13 --share 0.8",
    "repeats, k 8, share .4": "repeats -k 8 --share 0.4",
    "k 5, containment .4": "shingle -k 5 | simjoin --measure containment -t 0.4",
}
Plant = tuple[str, str, str]  # kind, item, document
Pairs = set[tuple[str, str]]  # items and documents


def punctuated(text: str, _: random.Random) -> str:
    """Commas become dashes, quotes are others, sentences end with an exclamation mark, and all is in capitals."""
    return re.sub(r"(?<=\w)[.?](?=\s|$)", "!", text.replace(", ", " \u2014 ").replace('"', "\u201c")).upper()


def half(text: str, _: random.Random) -> str:
    words = text.split()
    return " ".join(words[: len(words) // 2])


def replaced(one_in: int) -> Callable[[str, random.Random], str]:
    def change(text: str, chance: random.Random) -> str:
        words = text.split()
        for place in chance.sample(range(len(words)), len(words) // one_in):
            words[place] = f"other{chance.randrange(1000)}"
        return " ".join(words)

    return change


KINDS: dict[str, Callable[[str, random.Random], str]] = {
    "as is": lambda text, _: text,
    "capitals": punctuated,
    "within": lambda text, _: text,
    "half": half,
    "1 in 20": replaced(20),
    "1 in 10": replaced(10),
}


def questions(clones: Path) -> dict[str, str]:
    """By id; each once."""
    texts: dict[str, None] = {}
    for path in sorted((clones / "decon" / "bundled-evals").glob("*.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            texts |= dict.fromkeys(json.loads(line)["question"] for line in lines)
    return {f"q{number}": text for number, text in enumerate(texts) if len(text.split()) >= LEAST}


def planted(items: dict[str, str], docs: dict[str, str], chance: random.Random) -> Iterator[Plant]:
    """Changes half of the documents, or as many as there are items."""
    some = chance.sample(list(items), len(items)), chance.sample(list(docs), len(docs) // 2)
    for number, (item, doc) in enumerate(zip(*some, strict=False)):
        kind = list(KINDS)[number % len(KINDS)]
        lines = docs[doc].split("\n")
        copy = KINDS[kind](items[item], chance)
        at = chance.randrange(len(lines))
        if kind == "within":
            words = lines[at].split(" ")
            words.insert(chance.randrange(len(words) + 1), copy)
            lines[at] = " ".join(words)
        else:
            lines.insert(at, copy)
        docs[doc] = "\n".join(lines)
        yield kind, item, doc


def read(path: Path) -> dict[str, str]:
    with path.open(encoding="utf-8") as lines:
        return {record["id"]: record["text"] for record in map(json.loads, lines)}


def write(path: Path, texts: dict[str, str]) -> None:
    path.write_text("".join(json.dumps({"id": each, "text": text}) + "\n" for each, text in texts.items()), "utf-8")


def ours(pipeline: str, items: Path, docs: Path) -> Pairs:
    """If more items have a run than are named, ANY stands for the others: they have the same words."""
    ids = read(items)
    shingle, _, join = pipeline.rpartition(" | ")
    reference = f"canon {items} | {shingle or 'cat'} > {items}.b"
    script = f"{reference} && canon {docs} | {f'{shingle} | ' if shingle else ''}{join} --against {items}.b"
    out = subprocess.run(["bash", "-o", "pipefail", "-c", script], stdout=subprocess.PIPE, check=True).stdout
    pairs = set()
    for record in map(json.loads, out.splitlines()):
        if "repeats" in record:
            for run in record["repeats"]:
                pairs |= {(item, record["id"]) for item in (*run["ids"], *[ANY][: run["items"] - len(run["ids"])])}
        else:
            pairs.add((record["a"], record["b"]) if record["a"] in ids else (record["b"], record["a"]))
    return pairs


def main(clones: Path, source: Path) -> None:
    items, docs = questions(clones), read(source)
    plants = list(planted(items, docs, random.Random(0)))
    with TemporaryDirectory() as name:
        first, second = Path(name, "items"), Path(name, "docs")
        write(first, items)
        write(second, docs)
        print(f"{len(items)} items, {len(plants)} of them planted in {len(docs)} documents")
        print(" Ta ".join([".It", "preci.", *KINDS]))
        found = {name: ours(pipeline, first, second) for name, pipeline in PIPELINES.items()}
        with_plants = {doc for _, _, doc in plants}
        for program, pairs in found.items():
            marked = {doc for _, doc in pairs}
            shares = [len(marked & with_plants) / len(marked)]
            for kind in KINDS:
                mine = [(item, doc) for each, item, doc in plants if each == kind]
                shares.append(sum(pair in pairs or (ANY, pair[1]) in pairs for pair in mine) / len(mine))
            print(" Ta ".join([f".It {program}", *(f"{share:.2f}" for share in shares)]))


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
