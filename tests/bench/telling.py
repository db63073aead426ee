"""What a removal does with short texts that differ in one telling thing, and with copies: tests/data/telling.jsonl.

usage: python tests/bench/telling.py [--command WORDS]

A line of the file is a pair a and b, its `kind`, and the `answer`: `kept`, where both must stay; `copy`, where one of
them goes; `copy or doubtful`. `order` and `marks` say that only these tell the two apart. All pairs are one file, which
WORDS (as in removal.py) read twice, the second time with a and b exchanged. Wrong answers are printed: kind, what
happened, and the pair; at the end, how many of each answer were right.
"""

import argparse
import json
import shlex
import subprocess
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

PAIRS = Path(__file__).parents[1] / "data" / "telling.jsonl"
RIGHT = {"kept": {"kept", "doubtful"}, "copy": {"removed"}, "copy or doubtful": {"removed", "doubtful"}}


def outcomes(pairs: list[dict[str, Any]], command: list[str], says_doubtful: bool) -> list[str]:
    """For each pair, whether one of it was removed, both were kept, or they are doubtful."""
    with TemporaryDirectory() as scratch:
        docs, kept, gone, doubtful = (Path(scratch, name + ".jsonl") for name in ("docs", "kept", "gone", "pairs"))
        with docs.open("w", encoding="utf-8") as lines:
            for number, pair in enumerate(pairs):
                for side in "ab":
                    lines.write(json.dumps({"id": f"{number}{side}", "text": pair[side]}, ensure_ascii=False) + "\n")
        more = ["--doubtful", str(doubtful)] if says_doubtful else []
        argv = [*command, str(docs), "-o", str(kept), "--removed", str(gone), *more]
        subprocess.run(argv, check=True, capture_output=True)
        stay = {json.loads(line)["id"] for line in kept.open(encoding="utf-8")}
        said = [json.loads(line) for line in doubtful.open(encoding="utf-8")] if says_doubtful else []
    unsure = {frozenset((pair["a"], pair["b"])) for pair in said}
    made = []
    for number in range(len(pairs)):
        ids = {f"{number}{side}" for side in "ab"}
        made.append("removed" if ids - stay else "doubtful" if ids in unsure else "kept")
    return made


def main() -> None:
    parser = argparse.ArgumentParser(prog="python tests/bench/telling.py")
    parser.add_argument("--command", type=shlex.split, default=["shingletools", "unique"])
    options = parser.parse_args()
    helped = subprocess.run([*options.command, "--help"], capture_output=True, check=False, text=True).stdout
    pairs = [json.loads(line) for line in PAIRS.open(encoding="utf-8")]
    counts: Counter[tuple[str, str]] = Counter()
    for some in (pairs, [pair | {"a": pair["b"], "b": pair["a"]} for pair in pairs]):
        for pair, outcome in zip(some, outcomes(some, options.command, "--doubtful" in helped), strict=True):
            right = outcome in RIGHT[pair["answer"]]
            counts[pair["answer"], "right" if right else "wrong"] += 1
            counts[pair["answer"], outcome] += 1
            if not right:
                print(f"{pair['kind']} ({pair['lang']}): {outcome}, not {pair['answer']}: {pair['a']} | {pair['b']}")
    for answer in RIGHT:
        print(answer, *(f"{word} {counts[answer, word]}" for word in ("right", "wrong", "removed", "doubtful", "kept")))


if __name__ == "__main__":
    main()
