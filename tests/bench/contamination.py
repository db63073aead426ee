"""Items of benchmarks planted in other text, and which of them are found: repeats beside a set of n-grams in Python.

usage: python tests/bench/contamination.py ITEMS DOCS FOLDER [REWORDED]

All are JSON lines with id and text; the items of REWORDED are those of ITEMS in other words. Prints, for each kind of
plant, the share of planted items that each program finds, then wrong marks and processor seconds. An item is
found if repeats --share 0.8 marks it in the document that has it, or if the document has 80 % of the item's n-grams.
A mark in a document that got no item is wrong, unless it was there before.
"""

import json
import os
import random
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

K, SHARE, ANY = 13, 0.8, "*"
Record = dict[str, Any]
Found = tuple[set[tuple[str, str]], float]  # items and documents, processor seconds


def wrapped(text: str) -> str:
    """Lines of five words."""
    words = text.split()
    return "\n".join(" ".join(words[at : at + 5]) for at in range(0, len(words), 5))


def punctuated(text: str) -> str:
    """Commas become dashes, quotes are others, sentences end with an exclamation mark, and all is in capitals."""
    return re.sub(r"(?<=\w)[.?](?=\s|$)", "!", text.replace(", ", " \u2014 ").replace('"', "\u201c")).upper()


def half(text: str) -> str:
    words = text.split()
    return " ".join(words[: len(words) // 2])


KINDS: dict[str, Callable[[str], str]] = {
    "verbatim": str, "wrapped": wrapped, "punctuated": punctuated, "embedded": str, "half": half,
}  # fmt: skip


def read(path: str) -> list[Record]:
    return [json.loads(line) for line in Path(path).read_text("utf-8").splitlines()]


def planted(items: list[Record], docs: list[Record], chance: random.Random) -> Iterator[tuple[str, str, str]]:
    """Puts each item into a document of its own, a line of its own or, embedded, within one: kind, item, document."""
    for number, (item, doc) in enumerate(zip(items, chance.sample(docs, len(items)), strict=True)):
        kind = list(KINDS)[number % len(KINDS)]
        lines = doc["text"].split("\n")
        copy = KINDS[kind](item["text"])
        at = chance.randrange(len(lines))
        if kind == "embedded":
            words = lines[at].split(" ")
            words.insert(chance.randrange(len(words) + 1), copy)
            lines[at] = " ".join(words)
        else:
            lines.insert(at, copy)
        doc["text"] = "\n".join(lines)
        yield kind, item["id"], doc["id"]


def grams(text: str) -> list[str]:
    words = text.lower().split()
    size = min(K, len(words))
    return [" ".join(words[at : at + size]) for at in range(len(words) - size + 1)]


def by_set(items: str, docs: str) -> None:
    """What filters in use do: words between white space in lower case, and a set of n-grams for each item."""
    owners: dict[str, list[str]] = {}
    sizes = {}
    for item in read(items):
        mine = set(grams(item["text"]))
        sizes[item["id"]] = len(mine)
        for gram in mine:
            owners.setdefault(gram, []).append(item["id"])
    shorter = {gram.count(" ") + 1 for gram in owners}
    with Path(docs).open(encoding="utf-8") as lines:
        for line in lines:
            doc = json.loads(line)
            words = doc["text"].lower().split()
            found: dict[str, set[str]] = {}
            for size in shorter:
                for at in range(len(words) - size + 1):
                    gram = " ".join(words[at : at + size])
                    for owner in owners.get(gram, ()):
                        found.setdefault(owner, set()).add(gram)
            for owner, some in found.items():
                if len(some) >= SHARE * sizes[owner]:
                    print(json.dumps([owner, doc["id"]]))


def measured(*script: str) -> tuple[bytes, float]:
    """The output of a bash script, and its processor seconds."""
    with subprocess.Popen(["bash", "-o", "pipefail", "-c", *script], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        out = process.stdout.read()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"status {process.returncode}: {script}")
    return out, used.ru_utime + used.ru_stime


def ours(items: str, docs: str, folder: Path) -> Found:
    script = f'canon "$0" -o "$2/bench" && canon "$1" | repeats -k {K} --share {SHARE} --against "$2/bench"'
    out, seconds = measured(script, items, docs, str(folder))
    pairs = set()
    for record in map(json.loads, out.splitlines()):
        for run in record["repeats"]:
            pairs |= {(item, record["id"]) for item in run["ids"]}
            if run["items"] > len(run["ids"]):  # more items than are named have the same words
                pairs.add((ANY, record["id"]))
    return pairs, seconds


def theirs(items: str, docs: str) -> Found:
    out, seconds = measured('"$0" "$1" --set "$2" "$3"', sys.executable, __file__, items, docs)
    return {(item, doc) for item, doc in map(json.loads, out.splitlines())}, seconds


def main(items_path: str, docs_path: str, folder: Path, reworded: str | None = None) -> None:
    folder.mkdir(exist_ok=True)
    items, docs = read(items_path), read(docs_path)
    plants = list(planted(items, docs, random.Random(0)))
    file = folder / "planted.jsonl"
    file.write_text("".join(json.dumps(doc) + "\n" for doc in docs), "utf-8")
    found = {"repeats": ours(items_path, str(file), folder), "set of n-grams": theirs(items_path, str(file))}
    before = ours(items_path, docs_path, folder)[0] | theirs(items_path, docs_path)[0]
    with_plants = {doc for _, _, doc in plants}
    print(f"{len(items)} items, {len(docs)} documents, {file.stat().st_size / 1e6:.0f} MB")
    for program, (pairs, seconds) in found.items():
        shares = []
        for kind in KINDS:
            mine = [(item, doc) for each, item, doc in plants if each == kind]
            right = sum((item, doc) in pairs or (ANY, doc) in pairs for item, doc in mine)
            shares.append(f"{kind} {right / len(mine):.4f}")
        wrong = sum(doc not in with_plants for _, doc in pairs - before)
        print(f"{program}: {', '.join(shares)}; {wrong} wrong, {seconds:.1f} s")
    if reworded is not None:
        count = len(read(reworded))
        for k in (13, 10, 8, 5):
            script = f'canon "$0" -o "$2/bench" && canon "$1" | repeats -k {k} --against "$2/bench"'
            out = measured(script, items_path, reworded, str(folder))[0]
            marked = sum(bool(json.loads(line)["repeats"]) for line in out.splitlines())
            print(f"reworded, -k {k}: {marked} of {count} have a run of any item")


if __name__ == "__main__":
    if sys.argv[1] == "--set":
        by_set(*sys.argv[2:])
    else:
        main(sys.argv[1], sys.argv[2], Path(sys.argv[3]), *sys.argv[4:])
