"""Comparisons and groups in, one HTML page out."""

from array import array
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import IO

import orjson

from shingletools.simshow.documents import Name
from shingletools.simshow.passages import Comparison
from shingletools.simshow.report.figures import bars_of_similarities, bars_of_sizes, rounded
from shingletools.simshow.report.frame import frame
from shingletools.simshow.report.names import Key, as_json, names
from shingletools.simshow.report.places import Units, packed
from shingletools.simshow.report.ties import Graph, Steps, Ties

UNKNOWN = -1  # how many words a document has
PAIR, DOCUMENT, MEMBER = 160, 96, 48  # bytes at most beside passages, text and name: in the lists, and of an element


class Report:
    """A page of pairs, and of the groups that are given, or else of those that the pairs make.

    Texts and passages are written as they come; the figures, which are of all pairs, and the lists at the end. `limit`
    is how many bytes of data the page may have: what would make it larger is left out, and the page says so. With
    `apart`, ids of b, and of all members of a group but its first, are those of other documents. Memory: 24 bytes a
    pair, the ids, and of what is in the page the lists, which are smaller than the page.

    >>> import io
    >>> from fractions import Fraction
    >>> out = io.BytesIO()
    >>> report = Report(out, limit=1 << 20)
    >>> report.add_pair(Comparison("x", "y", 0.9, (), (2, 1), 0, 0, Fraction(0), Fraction(0)), "one text", "other")
    >>> report.finish()
    >>> b'<script type="application/json" id="d1">"other"</script>' in out.getvalue()
    True
    """

    def __init__(self, out: IO[bytes], limit: int, apart: bool = False) -> None:
        self.out, self.limit = out, limit
        self.sides = 0, int(apart)  # of a and of b
        self.room = limit  # bytes that are left of it
        self.given = False  # groups are; else those that the pairs make come at the end, and room for them is kept
        self.numbers: dict[Key, int] = {}
        self.keys: list[Key] = []
        self.words = array("q")  # of each document
        self.graph = Graph()
        self.shown: list[int] = []  # the documents that the page names
        self.place_of: dict[int, int] = {}  # each one's place among these
        self.texts: set[int] = set()  # documents whose text is in the page
        self.pairs: list[tuple[object, ...]] = []
        self.groups: list[dict[str, object]] = []
        self.titles: list[Key] = []  # of these
        self.sizes: Counter[int] = Counter()  # of all groups
        self.go: set[int] = set()  # documents that are in a group, and not its first
        self.left = {"pairs": 0, "groups": 0}
        self.units = lru_cache(maxsize=4)(Units)  # of a representative, whose text comes with each of its pairs
        self.out.write(frame()[0])

    def add_pair(self, comparison: Comparison, source_a: str, source_b: str) -> None:
        """A pair of two different documents, and their texts. Raises what `out` does."""
        numbers = self.number(self.sides[0], comparison.a), self.number(self.sides[1], comparison.b)
        for number, words in zip(numbers, comparison.words, strict=True):
            self.words[number] = words
        said = comparison.similarity
        similarity = float(comparison.jaccard if said is None else said)
        self.graph.add(*numbers, similarity)
        size, new = PAIR, {}
        for number, source in zip(numbers, (source_a, source_b), strict=True):
            if number not in self.texts:
                new[number] = in_script(source) if size + len(source) <= self.room else b""
                size += max(len(new[number]), len(source)) + self.name_size(number)
                size += 0 if self.given else self.kept_for(number)
        passages = (
            in_script(packed(comparison.passages, self.units(source_a), self.units(source_b)))
            if size <= self.room
            else b""
        )
        size += len(passages)
        if size > self.room:
            self.left["pairs"] += 1
            return
        self.room -= size
        for number, text in new.items():
            self.write(f"d{self.show(number)}", text)
        self.texts.update(new)
        self.write(f"p{len(self.pairs)}", passages)
        self.pairs.append(
            (
                *(self.place_of[number] for number in numbers),
                None if said is None else rounded(similarity),
                *(rounded(comparison.jaccard), rounded(comparison.containment)),
                *(comparison.shared, comparison.longest, len(comparison.passages)),
            )
        )

    def add_group(self, name: Name, members: Sequence[Name]) -> None:
        """A group, whose first member is its representative; its pairs may come before it. Raises what `out` does."""
        self.given = True
        first, *others = members
        numbers = [self.number(self.sides[0], first), *(self.number(self.sides[1], member) for member in others)]
        self.place_group((0, name), numbers)

    def finish(self) -> None:
        """Writes the lists, and the end of the page."""
        documents = len(self.keys)
        if not self.given:
            steps = Steps(self.graph, documents)
            for ties in self.graph.groups(documents):
                self.place_group(self.keys[ties.members[0]], ties.members, ties, steps)
        self.write("lists", in_script(self.lists()))
        self.out.write(frame()[1])

    def number(self, side: int, name: Name) -> int:
        key = side, name
        if key not in self.numbers:
            self.numbers[key] = len(self.keys)
            self.keys.append(key)
            self.words.append(UNKNOWN)
        return self.numbers[key]

    def show(self, number: int) -> int:
        """The document's place among those that the page names."""
        if number not in self.place_of:
            self.place_of[number] = len(self.shown)
            self.shown.append(number)
        return self.place_of[number]

    def name_size(self, number: int) -> int:
        """The bytes at most that the document adds to the lists."""
        return 0 if number in self.place_of else size_of(self.keys[number]) + DOCUMENT

    def kept_for(self, number: int) -> int:
        """The bytes that are kept for the group of a document whose text is in the page."""
        return MEMBER + PAIR // 2 + size_of(self.keys[number])

    def place_group(self, title: Key, members: list[int], ties: Ties | None = None, steps: Steps | None = None) -> None:
        self.sizes[len(members)] += 1
        self.go.update(members[1:])
        size = PAIR + size_of(title) + sum(MEMBER + self.name_size(member) for member in members)
        if not self.given:
            size = max(0, size - sum(self.kept_for(member) for member in members if member in self.texts))
        if size > self.room:
            self.left["groups"] += 1
            return
        self.room -= size
        places = [self.show(member) for member in members]
        ways = steps.of(members) if steps else {}
        weakest = ties and ties.weakest
        self.titles.append(title)
        self.groups.append(
            {
                "members": places,
                "density": ties and rounded(ties.density),
                "weakest": weakest and (self.show(weakest.a), self.show(weakest.b), rounded(weakest.similarity)),
                "ways": [(ways[member][0], self.place_of[ways[member][1]]) for member in members] if steps else None,
            }
        )

    def lists(self) -> dict[str, object]:
        """All but the texts and the passages."""
        columns = ("a", "b", "similarity", "jaccard", "containment", "shared", "longest", "passages")
        shown_as = dict(zip(self.keys, names(self.keys), strict=True))
        titles = names(self.titles) if self.given else [shown_as[title] for title in self.titles]
        known = [words if words != UNKNOWN else None for words in self.words]
        return {
            "limit": self.limit,
            "left": self.left,
            "figures": {
                "documents": len(self.keys),
                "pairs": len(self.graph),
                "groups": self.sizes.total(),
                "go": len(self.go),
                "words": sum(words or 0 for words in known),
                "wordsThatGo": sum(known[number] or 0 for number in self.go),
            },
            "bars": {"similarity": bars_of_similarities(self.graph.similarity), "size": bars_of_sizes(self.sizes)},
            "names": [shown_as[self.keys[number]] for number in self.shown],
            "words": [known[number] for number in self.shown],
            "pairs": dict(zip(columns, map(list, zip(*self.pairs, strict=True)), strict=True)) if self.pairs else {},
            "groups": [{"name": name, **group} for name, group in zip(titles, self.groups, strict=True)],
        }

    def write(self, name: str, content: bytes) -> None:
        self.out.write(b'<script type="application/json" id="%b">%b</script>\n' % (name.encode(), content))


def size_of(name: Key) -> int:
    """The bytes at most that a name has in the lists."""
    return len(in_script(as_json(name)))


def in_script(value: object) -> bytes:
    """JSON as a script element may hold it: no `<`, so neither an end of the element nor a comment."""
    return orjson.dumps(value).replace(b"<", b"\\u003c")
