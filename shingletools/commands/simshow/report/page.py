"""Makes one HTML page from comparisons and groups."""

import hashlib
from array import array
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from typing import IO, cast

import numpy as np

from shingletools.commands.simshow.documents import Name
from shingletools.commands.simshow.passages import Comparison
from shingletools.commands.simshow.report.group_graph import Edge, Graph, Steps, Ties
from shingletools.commands.simshow.report.histograms import bars_of_similarities, bars_of_sizes, rounded
from shingletools.commands.simshow.report.page_shell import frame, in_script
from shingletools.commands.simshow.report.pair_origin import Corpus, Provenance
from shingletools.commands.simshow.report.shown_ids import Key, as_json, names
from shingletools.commands.simshow.report.utf16_places import Units, packed

UNSAID = Provenance()
UNKNOWN = -1  # in place of a document's number of words
PAIR, DOCUMENT, MEMBER = 160, 96, 48  # most bytes of each in lists and elements, without passages, text and name


class Report:
    """A page of pairs, and of the groups that were given or, if there are none, those that the pairs make.

    The pairs of a given group, its first member with each other one, come before it. They say less than the pairs that
    made the group: if those are given, too, the figures, density and links are theirs.

    Texts and passages are written as they come. The figures, which count all pairs, and the lists come at the end.
    limit: the bytes of data that the page may have; what would make it larger is left out, and the page says so.
    apart: ids of b, and of all members of a group but its first, name other documents, which stay. Then the
    representative of a group that pairs make is the first of these, and all documents of a would go.

    Memory: 25 bytes a pair, the ids, and the lists of the page, which are smaller than the page.

    >>> import io
    >>> from fractions import Fraction
    >>> out = io.BytesIO()
    >>> report = Report(out, limit=1 << 20)
    >>> report.add_pair(Comparison("x", "y", 0.9, (), (2, 1), 0, 0, Fraction(0), Fraction(0)), "one text", "other")
    >>> report.finish(Corpus())
    >>> b'<script type="application/json" id="d1">"other"</script>' in out.getvalue()
    True
    """

    def __init__(
        self, out: IO[bytes], limit: int, apart: bool = False, show: Sequence[str] = (), origin: Provenance = UNSAID
    ) -> None:
        self.out, self.limit, self.origin = out, limit, origin
        self.fields = show  # what add_pair is given of each document
        self.shown_fields: dict[int, Sequence[str]] = {}  # the fields of documents whose text is on the page
        self.sides = 0, int(apart)  # of a and of b
        self.room = limit  # bytes that are left
        self.given = False  # whether groups were given; if not, room is kept for those that the pairs make
        self.numbers: dict[Key, int] = {}
        self.keys: list[Key] = []
        self.words = array("q")  # number of words of each document
        self.letters = array("q")  # of its original
        self.graph = Graph()  # pairs that do not come from groups
        self.group_pairs = Graph()  # pairs that groups bring: of the first member with each other one
        self.shown: list[int] = []  # the documents that the page names
        self.place_of: dict[int, int] = {}  # the place of each in `shown`
        self.texts: set[int] = set()  # documents whose text is on the page
        self.pairs: list[tuple[object, ...]] = []
        self.there: set[tuple[int, int]] = set()  # pairs on the page, by their documents
        self.groups: list[dict[str, object]] = []
        self.wholes: dict[frozenset[int], list[int]] = {}  # given groups: their members, and their places
        self.titles: list[Key] = []  # of the groups on the page
        self.sizes: Counter[int] = Counter()  # of all groups
        self.go: set[int] = set()  # documents that would be removed
        self.in_groups: set[int] = set()
        self.left_groups = 0
        self.content = hashlib.blake2b(digest_size=8)  # of the texts, and then of ids
        self.units = lru_cache(maxsize=4)(Units)  # a representative's text comes with each of its pairs
        self.out.write(frame()[0])

    def add_pair(
        self,
        comparison: Comparison,
        source_a: str,
        source_b: str,
        said_a: Sequence[str] = (),
        said_b: Sequence[str] = (),
    ) -> None:
        """Adds a pair of two different documents, their texts and fields. It is shown once. Raises what `out` does."""
        numbers = self.number(self.sides[0], comparison.a), self.number(self.sides[1], comparison.b)
        for number, words, source in zip(numbers, comparison.words, (source_a, source_b), strict=True):
            self.words[number] = words
            self.letters[number] = len(source)
        similarity = float(comparison.jaccard if comparison.similarity is None else comparison.similarity)
        self.graph.add(*numbers, similarity, comparison.words == (comparison.longest, comparison.longest))
        ends = min(numbers), max(numbers)
        if ends in self.there:
            return
        size, new = PAIR, {}
        for number, source, shown_fields in zip(numbers, (source_a, source_b), (said_a, said_b), strict=True):
            if number not in self.texts:
                size += sum(len(in_script(value)) + 1 for value in shown_fields)
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
            return
        self.room -= size
        self.there.add(ends)
        for number, text in new.items():
            self.content.update(text)
            self.write(f"d{self.show(number)}", text)
        self.texts.update(new)
        self.shown_fields.update(
            (number, shown_fields)
            for number, shown_fields in zip(numbers, (said_a, said_b), strict=True)
            if shown_fields
        )
        self.write(f"p{len(self.pairs)}", passages)
        self.pairs.append(
            (
                *(self.place_of[number] for number in numbers),
                None if comparison.similarity is None else rounded(similarity),
                *(rounded(comparison.jaccard), rounded(comparison.containment)),
                *(comparison.shared, comparison.longest, len(comparison.passages)),
            )
        )

    def add_group(self, name: Name, members: Sequence[Name]) -> None:
        """Adds a group after its pairs. Its first member is the representative. Raises what `out` does."""
        self.given = True
        first, *others = members
        numbers = [self.number(self.sides[0], first), *(self.number(self.sides[1], member) for member in others)]
        star = self.graph.without_star(numbers)
        self.group_pairs.extend(star)
        alike = star.similarity
        place = self.place_group((0, name), numbers)
        if place is None:
            return
        self.wholes.setdefault(frozenset(numbers), []).append(place)
        if alike:
            least = min(range(len(alike)), key=alike.__getitem__)
            self.groups[place]["weakest"] = self.linked(Edge(numbers[0], numbers[least + 1], alike[least]))

    def finish(self, corpus: Corpus) -> None:
        """Writes the lists and the end of the page. Raises what `out` does."""
        documents = len(self.keys)
        # The first document of a group is kept
        rank = [(name in corpus.gone, corpus.places.get(name, documents)) for _, name in self.keys]
        copies = {}
        if not self.sides[1]:
            copies = {self.number(0, copy): self.number(0, original) for copy, original in corpus.copies.items()}
        steps = Steps(self.graph, documents, copies)
        for ties in self.graph.groups(documents, copies):
            if self.given:
                places = self.wholes.get(frozenset(ties.members), [])
            else:
                members, stay = sorted(ties.members, key=rank.__getitem__), 1
                if self.sides[1]:
                    members = sorted(members, key=self.side, reverse=True)
                    stay = sum(map(self.side, members))
                place = self.place_group(self.keys[members[0]], members, stay)
                places = [] if place is None else [place]
            for place in places:
                self.tie(self.groups[place], ties, steps)
        if not self.given and not self.sides[1]:
            self.go = set(self.graph.thinned(sorted(range(documents), key=rank.__getitem__), copies))
        self.write("lists", in_script(self.lists(corpus)))
        self.out.write(frame()[1])

    def number(self, side: int, name: Name) -> int:
        key = side, name
        if key not in self.numbers:
            self.numbers[key] = len(self.keys)
            self.keys.append(key)
            self.words.append(UNKNOWN)
            self.letters.append(0)
        return self.numbers[key]

    def side(self, number: int) -> int:
        return self.keys[number][0]

    def show(self, number: int) -> int:
        """Returns the place of a document in `shown`, to which it is added if need be."""
        if number not in self.place_of:
            self.place_of[number] = len(self.shown)
            self.shown.append(number)
        return self.place_of[number]

    def name_size(self, number: int) -> int:
        """Returns the most bytes that a document can add to the lists."""
        return 0 if number in self.place_of else size_of(self.keys[number]) + DOCUMENT

    def kept_for(self, number: int) -> int:
        """Returns the bytes that are kept for the group of a document whose text is on the page."""
        return MEMBER + PAIR // 2 + size_of(self.keys[number])

    def place_group(self, title: Key, members: list[int], stay: int = 1) -> int | None:
        """Puts a group without ties on the page. Gives its place, or None if there is no room.

        The first `stay` members stay; the others would go.
        """
        self.sizes[len(members)] += 1
        self.go.update(members[stay:])
        self.in_groups.update(member for member in members if not self.side(member))
        size = PAIR + size_of(title) + sum(MEMBER + self.name_size(member) for member in members)
        if not self.given:
            size = max(0, size - sum(self.kept_for(member) for member in members if member in self.texts))
        if size > self.room:
            self.left_groups += 1
            return None
        self.room -= size
        self.titles.append(title)
        shown = [self.show(member) for member in members]
        self.groups.append({"members": shown, "density": None, "weakest": None, "ways": None})
        return len(self.groups) - 1

    def tie(self, group: dict[str, object], ties: Ties, steps: Steps) -> None:
        """Adds the figures of its pairs to a group."""
        members = [self.shown[place] for place in cast(list[int], group["members"])]
        ways = steps.from_first(members)
        others = sum(map(self.side, members))
        group["density"] = rounded(Fraction(ties.pairs, others * (len(members) - others)) if others else ties.density)
        group["weakest"] = self.linked(ties.weakest)
        group["ways"] = [(ways[member][0], self.place_of[ways[member][1]]) for member in members]

    def linked(self, link: Edge) -> tuple[int, int, float]:
        return self.show(link.a), self.show(link.b), rounded(link.similarity)

    def lists(self, corpus: Corpus) -> dict[str, object]:
        """Returns the data of the page except texts and passages."""
        columns = ("a", "b", "similarity", "jaccard", "containment", "shared", "longest", "passages")
        shown_as = dict(zip(self.keys, names(self.keys), strict=True))
        titled = [shown_as[self.keys[number]] for number in self.shown]
        titles = names(self.titles) if self.given else [shown_as[title] for title in self.titles]
        ends, similarities, copies = (self.graph if len(self.graph) else self.group_pairs).once(len(self.keys))
        numbered_pairs = [sorted((self.shown[cast(int, a)], self.shown[cast(int, b)])) for a, b, *_ in self.pairs]
        listed = np.isin(
            np.array([low * len(self.keys) + high for low, high in numbered_pairs], np.int64), ends
        ).tolist()
        known = [words if words != UNKNOWN else None for words in self.words]
        content = self.content.copy()
        content.update(in_script([titled, [pair[:2] for pair in self.pairs]]))
        return {
            "key": content.hexdigest(),  # by which a browser keeps decisions
            "limit": self.limit,
            "k": corpus.k,
            "left": {"pairs": len(ends) - sum(listed), "groups": self.left_groups},
            "origin": dict(zip(("command", "recipe", "threshold"), self.origin, strict=False), date=self.origin.date),
            "removable": corpus.removable if self.origin.removable is None else self.origin.removable,
            "given": self.given,
            "apart": bool(self.sides[1]),
            "figures": {
                "read": corpus.documents,
                "others": corpus.others,
                "documents": len(self.in_groups),
                "pairs": len(ends),
                "copies": copies,
                "groups": self.sizes.total(),
                "go": len(self.go),
                "letters": corpus.letters,
                "lettersThatGo": sum(self.letters[number] for number in self.go),
            },
            "bars": {"similarity": bars_of_similarities(similarities, copies), "size": bars_of_sizes(self.sizes)},
            "names": titled,
            "words": [known[number] for number in self.shown],
            "integer": [int(type(self.keys[number][1]) is int) for number in self.shown],  # of ids
            "go": [int(number in self.go) for number in self.shown],
            "fields": self.fields,
            "said": [self.shown_fields.get(number, ()) for number in self.shown],
            "listed": listed,  # others are pairs of a group's first member, which no record of a pair names
            "pairs": dict(zip(columns, map(list, zip(*self.pairs, strict=True)), strict=True)) if self.pairs else {},
            "groups": [{"name": name, **group} for name, group in zip(titles, self.groups, strict=True)],
        }

    def write(self, name: str, content: bytes) -> None:
        self.out.write(b'<script type="application/json" id="%b">%b</script>\n' % (name.encode(), content))


def size_of(name: Key) -> int:
    """Returns the most bytes that a name can have in the lists."""
    return len(in_script(as_json(name)))
