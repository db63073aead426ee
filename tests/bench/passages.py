"""Passages planted in other texts, and what simshow finds of them, compared with copydetect and difflib.

usage: python tests/bench/passages.py FOLDER [SIMSHOW'S OPTIONS ...]

FOLDER has the corpora of corpora.py. Each pair is two texts that have nothing to do with each other, put together of
neighbours in a corpus, and a passage of the first, edited, within the second. Prints for each corpus and kind of edit
recall, precision, granularity and plagdet in characters (Potthast, Stein, Barron-Cedeno and Rosso 2010, An Evaluation
Framework for Plagiarism Detection), for each half of the pairs; settings were chosen on the first half only.
copydetect tells slices of both texts, which are taken in turn; difflib's blocks are those of five words or more.
"""

import io
import json
import math
import random
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from difflib import SequenceMatcher
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import corpora
import edits
import planted

Range = tuple[int, int]  # code points, half open
Detection = tuple[Range, Range]  # in the first text, in the second
Program = Callable[[Sequence["Case"]], list[list[Detection]]]

EACH = 20  # pairs for each corpus and kind
HOST = 600  # words of a text, about
LENGTHS = (40, 80, 150, 300)  # words of a passage


def swap(words: edits.Words, number: int, rng: random.Random, _: Sequence[str]) -> edits.Words:
    """So many words, by twos, change places with their neighbours."""
    copy = words.copy()
    for first in rng.sample(range(0, len(words) - 1, 2), min(number // 2, len(words) // 2)):
        copy[first : first + 2] = copy[first + 1], copy[first]
    return copy


def mixed(words: edits.Words, number: int, rng: random.Random, others: Sequence[str]) -> edits.Words:
    """A quarter each replaced, inserted, deleted, swapped."""
    for edit in (edits.replace, edits.insert, edits.delete, swap):
        words = edit(words, number // 4, rng, others)
    return words


KINDS: dict[str, tuple[edits.Edit, float]] = {
    "verbatim": (edits.replace, 0),
    "replaced .1": (edits.replace, 0.1),
    "replaced .3": (edits.replace, 0.3),
    "inserted .3": (edits.insert, 0.3),
    "deleted .3": (edits.delete, 0.3),
    "swapped .4": (swap, 0.4),
    "swapped all": (swap, 1),
    "mixed .4": (mixed, 0.4),
}


class Case(NamedTuple):
    """Two texts, and where the passage stands."""

    kind: str
    a: str
    b: str
    truth: Detection


def host(source: planted.Source, family: int, length: int) -> list[str]:
    """Words of the first texts of a family and those after it."""
    words: list[str] = []
    while len(words) < length:
        _, text = source.families[family % len(source.families)][0]
        words += source.words(text)
        family += 1
    return words[:length]


def cases(source: planted.Source, other: planted.Source, each: int = EACH) -> Iterator[Case]:
    """Passages of one source within texts of the other."""
    rng = random.Random(f"passages {source.name}")
    for kind, (edit, share) in KINDS.items():
        for number in range(each):
            a, b = (host(each, rng.randrange(len(each.families)), HOST) for each in (source, other))
            length = LENGTHS[number % len(LENGTHS)]
            start, target = rng.randrange(len(a) - length), rng.randrange(len(b))
            copy = edit(a[start : start + length], round(share * length), rng, b)
            truth = (spanned(source, a[:start], a[start : start + length]), spanned(source, b[:target], copy))
            yield Case(kind, source.text(a), source.text(b[:target] + copy + b[target:]), truth)


def spanned(source: planted.Source, before: list[str], words: list[str]) -> Range:
    start = len(source.text([*before, ""]))
    return start, start + len(source.text(words))


def simshow(options: Sequence[str]) -> Program:
    def found(every: Sequence[Case]) -> list[list[Detection]]:
        with TemporaryDirectory() as name:
            docs, pairs = Path(name, "docs"), Path(name, "pairs")
            with docs.open("w") as lines, pairs.open("w") as of_pairs:
                for number, case in enumerate(every):
                    lines.write(json.dumps({"id": 2 * number, "text": case.a}) + "\n")
                    lines.write(json.dumps({"id": 2 * number + 1, "text": case.b}) + "\n")
                    of_pairs.write(json.dumps({"a": 2 * number, "b": 2 * number + 1}) + "\n")
            command = ["simshow", "--json", *options, "--docs", str(docs), str(pairs)]
            out = subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout
        records = [json.loads(line) for line in out.splitlines()]
        return [[(tuple(each["a"]), tuple(each["b"])) for each in record["shared"]] for record in records]

    return found


def difflib(every: Sequence[Case]) -> list[list[Detection]]:
    every_found = []
    for case in every:
        one, two = (words_of(text) for text in (case.a, case.b))
        matcher = SequenceMatcher(None, [word for word, _ in one], [word for word, _ in two], autojunk=False)
        blocks = [block for block in matcher.get_matching_blocks() if block.size >= 5]
        every_found.append([(covered(one, i, words), covered(two, j, words)) for i, j, words in blocks])
    return every_found


def covered(words: list[tuple[str, int]], first: int, count: int) -> Range:
    word, start = words[first + count - 1]
    return words[first][1], start + len(word)


def words_of(text: str) -> list[tuple[str, int]]:
    """Words and where they begin."""
    at, found = 0, []
    for word in text.split() if " " in text else text:
        at = text.index(word, at)
        found.append((word, at))
        at += len(word)
    return found


def copydetect(every: Sequence[Case]) -> list[list[Detection]]:
    from copydetect import CodeFingerprint, compare_files

    every_found = []
    for case in every:
        prints = [
            CodeFingerprint(name, 25, 6, filter=False, fp=io.StringIO(text))
            for name, text in (("a", case.a), ("b", case.b))
        ]
        _, _, slices = compare_files(*prints)
        sides = [list(zip(*(ends.tolist() for ends in side), strict=True)) for side in slices]
        every_found.append(list(zip(*sides, strict=False)))
    return every_found


class Score(NamedTuple):
    recall: float
    precision: float
    granularity: float

    @property
    def plagdet(self) -> float:
        both = self.recall + self.precision
        return 2 * self.recall * self.precision / both / math.log2(1 + self.granularity) if both else 0.0

    def __str__(self) -> str:
        return f"{self.recall:.3f}  {self.precision:.3f}  {self.granularity:5.2f}  {self.plagdet:.3f}"


def common(one: Range, two: Range) -> Range:
    return max(one[0], two[0]), min(one[1], two[1])


def size(*ranges: Range) -> int:
    """Code points in the union of ranges."""
    total = end = 0
    for start, stop in sorted(ranges):
        total += max(stop - max(start, end), 0)
        end = max(end, stop)
    return total


def score(every: Sequence[Case], found: Sequence[list[Detection]]) -> Score:
    """Each passage counts the same, and each detection (macro averages). One passage a pair."""
    recalls, precisions, grains = [], [], []
    for case, detections in zip(every, found, strict=True):
        hits = [[common(r, s) for r, s in zip(each, case.truth, strict=True)] for each in detections]
        met = [hit if all(start < end for start, end in hit) else [] for hit in hits]
        recalled = sum(size(*(hit[side] for hit in met if hit)) for side in (0, 1))
        recalls.append(recalled / size_of(case.truth))
        precisions += [
            sum(size(part) for part in hit) / size_of(each) for hit, each in zip(met, detections, strict=True)
        ]
        grains += [sum(1 for hit in met if hit)] if any(met) else []
    return Score(mean(recalls), mean(precisions), mean(grains) or 1)


def size_of(detection: Detection) -> int:
    return sum(end - start for start, end in detection)


def mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def sources(folder: Path) -> list[tuple[planted.Source, planted.Source]]:
    """Texts of one language and of two subjects, so that they have nothing but planted passages in common."""
    built, other = corpora.build(folder), corpora.build_translations(folder)
    guides = [planted.guide(name, built["guide"], name, name != "zh_CN") for name in ("en", "ru", "zh_CN")]
    short = [
        planted.neighbours("short", path, name != "zh")
        for name, path in (("en", built["descriptions"]), *other.items())
    ]
    return list(zip(guides, short, strict=True))


def main(folder: Path, options: Sequence[str]) -> None:
    programs: dict[str, Program] = {"simshow": simshow(options)}
    if not options:
        programs |= {"difflib": difflib, "copydetect": copydetect}
    every = [
        case._replace(kind=f"{source.name}: {case.kind}")
        for source, other in sources(folder)
        for case in cases(source, other)
    ]
    print("program    half  of                              recall precision  grain  plagdet")
    for name, program in programs.items():
        found = program(every)
        for half in (0, 1):
            chosen = [pair for number, pair in enumerate(zip(every, found, strict=True)) if number // 4 % 2 == half]
            parts = {"all": chosen}
            for kind in KINDS:
                parts[kind] = [pair for pair in chosen if pair[0].kind.endswith(": " + kind)]
            for source, those in groupby(chosen, lambda pair: pair[0].kind.split(":")[0]):
                parts[source] = list(those)
            for part, pairs in parts.items():
                print(f"{name:10} {half}     {part:30}  {score(*zip(*pairs, strict=True))}")


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
