"""Documents: their originals, their words, and where in the original each word stands."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from shingletools import errors, wire
from shingletools.errors import Failed, Rejected
from shingletools.kernel.types import Index
from shingletools.places import Places, canonizing, read_places
from shingletools.simshow.prepared import Words
from shingletools.wire import AT, SOURCE, Placed, Record

Name = str | int
Place = tuple[int, int]  # from and to, in code points, half open


class Shown(NamedTuple):
    """A document that is to be shown."""

    name: Name
    source: str  # its original
    words: Words  # numbered, as `Vocabulary` does
    starts: Index  # of each word in the original, in code points
    ends: Index

    @property
    def size(self) -> int:
        """About how many bytes it has."""
        return 2 * len(self.source) + 20 * len(self.words) + 500

    def place(self, first: int, end: int) -> Place:
        """From the least start to the greatest end of a run of words, one at least; places need not ascend."""
        return int(self.starts[first:end].min()), int(self.ends[first:end].max())


class Vocabulary(dict[str, int]):
    """Words, numbered as they come."""

    def __init__(self) -> None:
        self.spelled: list[str] = []  # the word of each number

    def __missing__(self, word: str) -> int:
        number = self[word] = len(self.spelled)
        self.spelled.append(word)
        return number

    def numbers(self, words: Sequence[str]) -> Words:
        return np.fromiter(map(self.__getitem__, words), np.int32, len(words))


class Reader:
    """What makes of a record the document that it stands for.

    Records of `canon --offsets` say themselves where their words are; others are canonized, with canon's own options.
    """

    def __init__(self, text_field: str, canon: str) -> None:
        self.text_field = text_field
        try:
            stage = canonizing(canon)
        except Failed as error:
            raise Failed(f"--canon: {str(error).removeprefix('canon: ')}") from None
        self.canonize: Callable[[str], Placed] = stage.function
        self.recipe = stage.recipe
        self.vocabulary = Vocabulary()

    def made_by(self, record: Record) -> str:
        """The recipe of a document's words; raises Rejected."""
        via = wire.take_recipe(record)
        return via if AT in record else wire.further(via, self.recipe)

    def __call__(self, name: Name, record: Record) -> Shown:
        """Raises Rejected."""
        text = wire.take_string(record, self.text_field)
        if AT in record:
            source, words, at = wire.take_string(record, SOURCE), text, wire.take_string(record, AT)
        else:
            source, (words, at) = text, self.canonize(text)
        found = words.split()
        starts, ends = checked(read_places(at), len(found), len(source))
        return Shown(name, source, self.vocabulary.numbers(found), starts, ends)


def checked(places: Places, words: int, length: int) -> Places:
    """The places of so many words in an original of this length, not as parts of one array. Raises Rejected."""
    starts, ends = places
    if len(starts) != words:
        raise Rejected(f"field {errors.shown(AT)} has places for {len(starts)} words, of {words}")
    if words and ends.max() > length:
        raise Rejected(f"field {errors.shown(AT)} has a place that is not in the original")
    return Places(starts.copy(), ends.copy())
