"""Makes one HTML page from comparisons and groups."""

import hashlib
import shlex
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from shingletools.commands.simshow.documents import Name, ShownDocument
from shingletools.commands.simshow.passages import Comparison, rounded
from shingletools.commands.simshow.report.page_shell import in_script, shell
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
HAS = "a", "b", "similarity", wire.AGAINST, wire.COVERS, LABEL_FIELD  # fields of a pair that the page writes anew
PAIR, DOCUMENT, MEMBER = 160, 96, 48  # most bytes of each in lists and elements, without passages, text and name


class Report:
    """A page of pairs, and of the groups that were given or, if there are none, those that the pairs make.

    If records of pairs are given, only their pairs are in the list of pairs; groups and marks of dedup bring others, of
    which the one beside the document that is kept goes.

    Its methods return the next bytes of the page: texts and passages come with their pairs, the lists at the end.
    limit: the bytes of data that the page may have; what would make it larger is left out, and the page says so.
    apart: ids of b, and of all members of a group but its first, name other documents, which stay. Then the
    representative of a group that pairs make is the first of these.
    A pair that removes neither of its documents makes no group.

    Memory: 17 bytes a pair, the ids, and the lists of the page, which are smaller than the page.
    """

    def __init__(self, limit: int, apart: bool = False, show: Sequence[str] = (), origin: Provenance = UNSAID) -> None:
        """show: the names of the shown fields of documents."""
        self.unsent = [shell()[0]]
        self.limit, self.origin, self.fields = limit, origin, show
        self.shown_fields: dict[int, Sequence[str]] = {}  # the fields of documents whose text is on the page
        self.sides = 0, int(apart)  # of a and of b
        self.room = limit  # bytes that are left
        self.given = False  # whether groups were given; if not, room is kept for those that the pairs make
        self.numbers: dict[Key, int] = {}
        self.keys: list[Key] = []
        self.words: list[int | None] = []  # number of words of each document, if it is known
        self.graph = PairGraph()  # records of pairs
        self.brought = PairGraph()  # pairs that groups and marks bring
        self.place_of: dict[int, int] = {}  # of the documents that the page names: their places on it
        self.pairs: list[tuple[object, ...]] = []
        self.there: dict[tuple[int, int], None] = {}  # pairs on the page, by their documents, in order
        self.groups: list[list[int]] = []  # their members
        self.titles: list[Key] = []  # of the groups on the page
        self.left_groups = 0
        self.content = hashlib.blake2b(digest_size=8)  # of the texts, and then of ids
        self.units = lru_cache(maxsize=4)(Units)  # a representative's text comes with each of its pairs

    def write(self, compared: Comparison, a: ShownDocument, b: ShownDocument, /) -> bytes:
        """Adds a pair of two different documents. It is shown once."""
        numbers = self.number(self.sides[0], compared.a), self.number(self.sides[1], compared.b)
        for number, words in zip(numbers, compared.words, strict=True):
            self.words[number] = words
        record = compared.record or {wire.COVERS: "a" if self.sides[1] else "b"}
        (self.graph if compared.record else self.brought).add(*numbers, may_go(record))
        if (min(numbers), max(numbers)) not in self.there:
            self.place_pair(compared, record, numbers, (a, b))
        return self.taken()

    def place_pair(
        self,
        compared: Comparison,
        record: Mapping[str, Any],
        numbers: tuple[int, int],
        documents: tuple[ShownDocument, ShownDocument],
    ) -> None:
        """Puts a pair on the page if there is room."""
        rest = {name: value for name, value in record.items() if name not in HAS}
        said = wire.json_of(rest)[1:-1].decode(), json_field(record, wire.COVERS), json_field(record, LABEL_FIELD)
        size, texts = PAIR + len(in_script(said)), {}
        for number, document in zip(numbers, documents, strict=True):
            if number not in self.shown_fields:
                least = len(document.source)
                size += sum(len(in_script(value)) + 1 for value in document.shown_fields)
                texts[number] = in_script(document.source) if size + least <= self.room else b""
                size += max(len(texts[number]), least) + self.name_size(number)
                size += 0 if self.given else self.kept_for(number)
        if size > self.room:
            return
        passages = in_script(packed(compared.passages, *(self.units(document.source) for document in documents)))
        if size + len(passages) > self.room:
            return
        self.room -= size + len(passages)
        self.there[min(numbers), max(numbers)] = None
        for number, document in zip(numbers, documents, strict=True):
            if number in texts:
                self.content.update(texts[number])
                self.add(f"d{self.show(number)}", texts[number])
                self.shown_fields[number] = document.shown_fields
        self.add(f"p{len(self.pairs)}", passages)
        similarity = None if compared.similarity is None else rounded(compared.similarity)
        figures = similarity, rounded(compared.jaccard), compared.shared, compared.longest
        self.pairs.append((*(self.place_of[number] for number in numbers), *figures, may_go(record), *said))

    def group(self, name: Name, members: Sequence[Name], /) -> bytes:
        """Adds a group after its pairs. Its first member is the representative."""
        self.given = True
        first, *others = members
        numbers = [self.number(self.sides[0], first), *(self.number(self.sides[1], member) for member in others)]
        self.place_group((0, name), numbers)
        return self.taken()

    def finish(self, corpus: Corpus, /) -> bytes:
        """Returns the lists and the end of the page."""
        documents = len(self.keys)
        rank = [(-side, name in corpus.gone, corpus.places.get(name, documents)) for side, name in self.keys]
        order = sorted(range(documents), key=rank.__getitem__)
        if not self.given:
            sides = FIRST_MAY if self.sides[1] else EITHER_MAY
            for group in self.listed_graph().groups(documents, sides):
                members = sorted(group, key=rank.__getitem__)
                self.place_group(self.keys[members[0]], members)
        self.add("lists", in_script(self.lists(corpus, order)))
        self.unsent.append(shell()[1])
        return self.taken()

    def add(self, name: str, content: bytes) -> None:
        self.unsent.append(b'<script type="application/json" id="%b">%b</script>\n' % (name.encode(), content))

    def taken(self) -> bytes:
        """Returns the bytes that were made since the last call."""
        data, self.unsent = self.unsent, []
        return b"".join(data)

    def listed_graph(self) -> PairGraph:
        return self.graph if len(self.graph) else self.brought

    def number(self, side: int, name: Name) -> int:
        key = side, name
        if key not in self.numbers:
            self.numbers[key] = len(self.keys)
            self.keys.append(key)
            self.words.append(None)
        return self.numbers[key]

    def show(self, number: int) -> int:
        """Returns the place of a document on the page, which then names it."""
        return self.place_of.setdefault(number, len(self.place_of))

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
            size = max(0, size - sum(self.kept_for(member) for member in members if member in self.shown_fields))
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
        shown, documents = [*self.place_of], len(self.keys)
        titled = [shown_as[self.keys[number]] for number in shown]
        titles = names(self.titles) if self.given else [shown_as[title] for title in self.titles]
        records = self.listed_graph().distinct(documents)
        listed = np.isin([low * documents + high for low, high in self.there], records).tolist()
        removable = corpus.removable if self.origin.removable is None else self.origin.removable
        content = self.content.copy()
        content.update(in_script([titled, [pair[:2] for pair in self.pairs]]))
        return {
            "key": content.hexdigest(),  # by which a browser keeps decisions
            "limit": self.limit,
            "left": {"pairs": len(records) - sum(listed), "groups": self.left_groups},
            "origin": dict(zip(("command", "recipe", "threshold"), self.origin, strict=False), date=self.origin.date),
            "removable": removable,
            "dedup": shlex.join(map(printable, self.origin.dedup or corpus.dedup)) if removable else "",
            "apart": bool(self.sides[1]),
            "names": titled,
            "words": [self.words[number] for number in shown],
            "integer": [int(type(self.keys[number][1]) is int) for number in shown],  # of ids
            "order": [self.place_of[number] for number in order if number in self.place_of],  # of preference
            "fields": self.fields,
            "said": [self.shown_fields.get(number, ()) for number in shown],
            "listed": listed,  # others are pairs that groups or marks bring, which no record of a pair names
            "pairs": dict(zip(columns, map(list, zip(*self.pairs, strict=True)), strict=True)) if self.pairs else {},
            "groups": [{"name": name, "members": members} for name, members in zip(titles, self.groups, strict=True)],
        }


def json_field(record: Mapping[str, Any], name: str) -> str:
    """Returns a field of a record as it stands behind others, or nothing if there is none."""
    return f",{wire.json_of({name: record[name]})[1:-1].decode()}" if name in record else ""


def size_of(name: Key) -> int:
    """Returns the most bytes that a name can have in the lists."""
    return len(in_script(as_json(name)))
