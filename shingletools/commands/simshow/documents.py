"""Documents: their originals, their words, and the place of each word in the original."""

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import orjson

from shingletools.commands.simshow.prepared_text import Words
from shingletools.kernel.types import Index
from shingletools.reading.formats.suffixes import PAGES, suffix
from shingletools.record import wire
from shingletools.record.error_hints import PAGE
from shingletools.record.stage import Filter
from shingletools.record.wire import AT, SOURCE, Placed, Record
from shingletools.record.word_offsets import Places, read_places
from shingletools.running.canon_function import canonizing
from shingletools.system import errors
from shingletools.system.errors import Failed, Rejected

Name = str | int
Place = tuple[int, int]  # from and to, in code points, half open

MAX_CHARS = 200  # characters of a value of --show
FIRST = re.compile(r"[0-9]+-[0-9]+(?: |\Z)")  # with which places begin


class ShownDocument(NamedTuple):
    """A document to be shown."""

    name: Name
    source: str  # the original; of HTML, its text
    words: Words  # the words' numbers in the Vocabulary
    starts: Index  # of each word in the original, in code points
    ends: Index
    shown_fields: Sequence[str] = ()  # the fields of --show, as text

    @property
    def size(self) -> int:
        """Returns about how many bytes it takes."""
        return 2 * len(self.source) + 2 * sum(map(len, self.shown_fields)) + 20 * len(self.words) + 500

    def place(self, first: int, end: int) -> Place:
        """Returns the place from the least start to the greatest end of some words; places need not ascend.

        That of no words is empty, at the end of the word before.
        """
        if first == end:
            return (int(self.ends[first - 1]),) * 2
        return int(self.starts[first:end].min()), int(self.ends[first:end].max())


class Vocabulary(dict[str, int]):
    """Words by their numbers, which they get as they come."""

    def __init__(self) -> None:
        self.spelled: list[str] = []  # the word with each number

    def __missing__(self, word: str) -> int:
        number = self[word] = len(self.spelled)
        self.spelled.append(word)
        return number

    def numbers(self, words: Sequence[str]) -> Words:
        return np.fromiter(map(self.__getitem__, words), np.int32, len(words))


def canon_with(options: str) -> Filter:
    """Returns canon with the options of --canon. Raises Failed."""
    try:
        return canonizing(options)
    except Failed as error:
        raise Failed(f"--canon: {str(error).removeprefix('canon: ')}") from None


class Reader:
    """Makes documents from records, whose texts are in some fields.

    Records of `canon --offsets` have the places of their words; see `is_placed`. Others are canonized, with the options
    of --canon; with --recursive, documents are HTML or plain by the suffixes of their names, as for canon; with --warc,
    by their beginning.
    """

    def __init__(self, fields: Sequence[str], stage: Filter, vocabulary: Vocabulary, show: Sequence[str] = ()) -> None:
        """stage: of `canon_with`. show: the fields of --show."""
        self.fields, self.show, self.vocabulary = fields, show, vocabulary
        self.text_field = wire.field_after(fields)
        self.canonize: Callable[[str], Placed] = stage.function
        self.plain: Callable[[str], Placed] | None = None if stage.plain is None else stage.plain.function
        self.recipe, self.parts = stage.recipe, wire.recipe_settings(stage.recipe, "canon")

    def made_by(self, record: Record) -> str:
        """Returns the recipe of a document's words. Raises Rejected."""
        via = wire.take_recipe(record)
        return via if is_placed(record, self.text_field) else wire.extended_recipe(via, self.recipe)

    def __call__(self, name: Name, record: Record) -> ShownDocument:
        """Returns the document of a record. Raises Rejected."""
        if is_placed(record, self.text_field):
            source, words, at = record[SOURCE], wire.take_string(record, self.text_field), record[AT]
        else:
            source = wire.take_text(record, self.fields)
            page = (
                PAGE.match(source[:99].encode(errors="replace")) if "warc" in self.parts else suffix(str(name)) in PAGES
            )
            canonize = self.canonize if self.plain is None or page else self.plain
            words, at, source = canonize(source)
        word_list = words.split()
        starts, ends = checked(read_places(at), len(word_list), len(source))
        shown_fields = tuple(spelled(wire.find(record, field)) for field in self.show)
        return ShownDocument(name, source, self.vocabulary.numbers(word_list), starts, ends, shown_fields)


def spelled(value: object) -> str:
    """Returns a field's value as text: a string as it is, null as "", others as JSON; cut after 200 characters.

    >>> spelled("May"), spelled(3), spelled(None), spelled(["a", 1])
    ('May', '3', '', '["a",1]')
    """
    if value is None or value is wire.MISSING:
        return ""
    return (value if type(value) is str else orjson.dumps(value).decode())[:MAX_CHARS]


def is_placed(record: Record, text_field: str) -> bool:
    """Returns whether a record is one of canon --offsets, and has no `source` and `at` of its own, such as a time.

    The recipe does not say whether there were offsets. If it names canon, places may be damaged: then they begin like
    places. Else they must fit.

    >>> is_placed({"text": "a", "source": "A", "at": "0-1"}, "text"), is_placed({"source": "A", "at": "12:30"}, "text")
    (True, False)
    """
    source, at, text = record.get(SOURCE), record.get(AT), wire.find(record, text_field)
    if not (type(source) is type(at) is type(text) is str):
        return False
    words = len(text.split())
    if not (FIRST.match(at) if at else not words):
        return False
    if wire.has_step(wire.take_recipe(record), "canon"):
        return True
    try:
        checked(read_places(at), words, len(source))
    except Rejected:
        return False
    return True


def checked(places: Places, words: int, length: int) -> Places:
    """Copies of places, which must fit the number of words and the length of the original. Raises Rejected."""
    starts, ends = places
    if len(starts) != words:
        raise Rejected(f"field {errors.shown(AT)} has places for {len(starts)} words, of {words}")
    if words and ends.max() > length:
        raise Rejected(f"field {errors.shown(AT)} has a place that is not in the original")
    return Places(starts.copy(), ends.copy())
