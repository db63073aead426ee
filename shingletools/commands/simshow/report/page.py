"""Makes one HTML page from comparisons and groups."""

import hashlib
import shlex
from array import array
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import IO, Any, cast

import numpy as np

from shingletools.commands.simshow.documents import Name
from shingletools.commands.simshow.passages import Comparison, rounded
from shingletools.commands.simshow.report.page_shell import frame, in_script
from shingletools.commands.simshow.report.pair_graph import PairGraph
from shingletools.commands.simshow.report.pair_origin import Corpus, Provenance
from shingletools.commands.simshow.report.shown_ids import Key, as_json, names
from shingletools.commands.simshow.report.utf16_places import Units, packed
from shingletools.commands.simshow.selected_pairs import may_go
from shingletools.kernel.independent_set import EITHER_MAY, FIRST_MAY
from shingletools.record import wire
from shingletools.record.labels import LABEL_FIELD
from shingletools.system.errors import printable

UNSAID = Provenance()
UNKNOWN = -1  # in place of a document's number of words
HAS = "a", "b", "similarity", wire.AGAINST, wire.COVERS, LABEL_FIELD  # fields of a pair that the page writes anew
PAIR, DOCUMENT, MEMBER = 160, 96, 48  # most bytes of each in lists and elements, without passages, text and name


class Report:
    """A page of pairs, and of the groups that were given or, if there are none, those that the pairs make.

    If records of pairs are given, only their pairs are in the list of pairs; groups and marks of dedup bring others, of
    which the one beside the document that is kept goes.

    Texts and passages are written as they come, the lists at the end.
    limit: the bytes of data that the page may have; what would make it larger is left out, and the page says so.
    apart: ids of b, and of all members of a group but its first, name other documents, which stay. Then the
    representative of a group that pairs make is the first of these.
    A pair that removes neither of its documents makes no group.

    Memory: 17 bytes a pair, the ids, and the lists of the page, which are smaller than the page.

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
        self.graph = PairGraph()  # records of pairs
        self.brought = PairGraph()  # pairs that groups and marks bring
        self.shown: list[int] = []  # the documents that the page names
        self.place_of: dict[int, int] = {}  # the place of each in `shown`
        self.texts: set[int] = set()  # documents whose text is on the page
        self.pairs: list[tuple[object, ...]] = []
        self.there: set[tuple[int, int]] = set()  # pairs on the page, by their documents
        self.groups: list[list[int]] = []  # their members
        self.titles: list[Key] = []  # of the groups on the page
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
        for number, words in zip(numbers, comparison.words, strict=True):
            self.words[number] = words
        similarity = float(comparison.jaccard if comparison.similarity is None else comparison.similarity)
        record = comparison.record or {wire.COVERS: "a" if self.sides[1] else "b"}
        (self.graph if comparison.record else self.brought).add(*numbers, removes := may_go(record))
        ends = min(numbers), max(numbers)
        if ends in self.there:
            return
        rest = {name: value for name, value in record.items() if name not in HAS}
        said = wire.json_of(rest)[1:-1].decode(), json_field(record, wire.COVERS), json_field(record, LABEL_FIELD)
        size, new = PAIR + len(in_script(said)), {}
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
                *(rounded(comparison.jaccard), comparison.shared, comparison.longest),
                *(removes, *said),
            )
        )

    def add_group(self, name: Name, members: Sequence[Name]) -> None:
        """Adds a group after its pairs. Its first member is the representative. Raises what `out` does."""
        self.given = True
        first, *others = members
        numbers = [self.number(self.sides[0], first), *(self.number(self.sides[1], member) for member in others)]
        self.place_group((0, name), numbers)

    def finish(self, corpus: Corpus) -> None:
        """Writes the lists and the end of the page. Raises what `out` does."""
        documents = len(self.keys)
        rank = [(name in corpus.gone, corpus.places.get(name, documents)) for _, name in self.keys]
        order = sorted(range(documents), key=lambda number: (-self.side(number), rank[number]))
        if not self.given:
            self.place_groups(order)
        self.write("lists", in_script(self.lists(corpus, order)))
        self.out.write(frame()[1])

    def place_groups(self, order: Sequence[int]) -> None:
        """Places the groups of the pairs. order: of the documents, those that are preferred first."""
        place = {number: at for at, number in enumerate(order)}
        for group in self.listed_graph().groups(len(order), FIRST_MAY if self.sides[1] else EITHER_MAY):
            members = sorted(group, key=place.__getitem__)
            self.place_group(self.keys[members[0]], members)

    def listed_graph(self) -> PairGraph:
        return self.graph if len(self.graph) else self.brought

    def number(self, side: int, name: Name) -> int:
        key = side, name
        if key not in self.numbers:
            self.numbers[key] = len(self.keys)
            self.keys.append(key)
            self.words.append(UNKNOWN)
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

    def place_group(self, title: Key, members: list[int]) -> None:
        """Puts a group on the page if there is room."""
        size = PAIR + size_of(title) + sum(MEMBER + self.name_size(member) for member in members)
        if not self.given:
            size = max(0, size - sum(self.kept_for(member) for member in members if member in self.texts))
        if size > self.room:
            self.left_groups += 1
            return
        self.room -= size
        self.titles.append(title)
        self.groups.append([self.show(member) for member in members])

    def lists(self, corpus: Corpus, order: Sequence[int]) -> dict[str, object]:
        """Returns the data of the page except texts and passages."""
        columns = "a b similarity jaccard shared longest removes more covers label".split()
        shown_as = dict(zip(self.keys, names(self.keys), strict=True))
        titled = [shown_as[self.keys[number]] for number in self.shown]
        titles = names(self.titles) if self.given else [shown_as[title] for title in self.titles]
        ends = self.listed_graph().distinct(len(self.keys))
        numbered_pairs = [sorted((self.shown[cast(int, a)], self.shown[cast(int, b)])) for a, b, *_ in self.pairs]
        listed = np.isin(
            np.array([low * len(self.keys) + high for low, high in numbered_pairs], np.int64), ends
        ).tolist()
        known = [words if words != UNKNOWN else None for words in self.words]
        removable = corpus.removable if self.origin.removable is None else self.origin.removable
        content = self.content.copy()
        content.update(in_script([titled, [pair[:2] for pair in self.pairs]]))
        return {
            "key": content.hexdigest(),  # by which a browser keeps decisions
            "limit": self.limit,
            "left": {"pairs": len(ends) - sum(listed), "groups": self.left_groups},
            "origin": dict(zip(("command", "recipe", "threshold"), self.origin, strict=False), date=self.origin.date),
            "removable": removable,
            "dedup": shlex.join(map(printable, self.origin.dedup or corpus.dedup)) if removable else "",
            "apart": bool(self.sides[1]),
            "names": titled,
            "words": [known[number] for number in self.shown],
            "integer": [int(type(self.keys[number][1]) is int) for number in self.shown],  # of ids
            "order": [self.place_of[number] for number in order if number in self.place_of],  # of preference
            "fields": self.fields,
            "said": [self.shown_fields.get(number, ()) for number in self.shown],
            "listed": listed,  # others are pairs that groups or marks bring, which no record of a pair names
            "pairs": dict(zip(columns, map(list, zip(*self.pairs, strict=True)), strict=True)) if self.pairs else {},
            "groups": [{"name": name, "members": members} for name, members in zip(titles, self.groups, strict=True)],
        }

    def write(self, name: str, content: bytes) -> None:
        self.out.write(b'<script type="application/json" id="%b">%b</script>\n' % (name.encode(), content))


def json_field(record: Mapping[str, Any], name: str) -> str:
    """Returns a field of a record as it stands behind others, or nothing if there is none."""
    return f",{wire.json_of({name: record[name]})[1:-1].decode()}" if name in record else ""


def size_of(name: Key) -> int:
    """Returns the most bytes that a name can have in the lists."""
    return len(in_script(as_json(name)))
