"""Documents: their originals, their words, and where in the original each word stands.

Two functions say where: `places` reads what `canon --offsets` writes, `canonizer` finds it out for plain documents.
"""

import argparse
import re
import shlex
import unicodedata
from collections.abc import Callable, Sequence
from typing import NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from shingletools import errors, signals, wire
from shingletools.errors import Failed, Rejected
from shingletools.options import Printed, make_parser
from shingletools.simshow.runs import Words
from shingletools.stage import Command, Filter
from shingletools.wire import Record

Name = str | int
Place = tuple[int, int]  # from and to, in code points, half open
Ends = NDArray[np.int64]
Token = tuple[list[str], list[int], list[int]]  # its words, and from where to where each stands in it

SOURCE, AT = "source", "at"  # fields that canon --offsets adds
PLACES = re.compile(r"(?:[0-9]{1,10}-[0-9]{1,10}(?: (?=[0-9])|\Z))*+")
TOKEN = re.compile(r"\S+")
REMEMBERED = 1 << 18  # tokens


class Shown(NamedTuple):
    """A document that is to be shown."""

    name: Name
    source: str  # its original
    words: Words  # numbered, as `Vocabulary` does
    starts: Ends  # of each word in the original, in code points
    ends: Ends

    def place(self, first: int, end: int) -> Place:
        """Where a run of words stands, one at least."""
        return int(self.starts[first]), int(self.ends[end - 1])


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
        self.canonize = canonizer(canon)
        self.vocabulary = Vocabulary()

    def __call__(self, name: Name, record: Record) -> Shown:
        """Raises Rejected."""
        text = wire.take_string(record, self.text_field)
        if AT not in record:
            words, starts, ends = self.canonize(text)
            return Shown(
                name, text, self.vocabulary.numbers(words), np.array(starts, np.int64), np.array(ends, np.int64)
            )
        source = wire.take_string(record, SOURCE)
        found = text.split()
        return Shown(
            name, source, self.vocabulary.numbers(found), *places(wire.take_string(record, AT), len(found), len(source))
        )


def places(payload: str, words: int, length: int) -> tuple[Ends, Ends]:
    """From where to where so many words stand in an original of this length. Raises Rejected.

    >>> [ends.tolist() for ends in places("0-3 4-7", 2, 7)]
    [[0, 4], [3, 7]]
    """
    if not PLACES.fullmatch(payload):
        raise Rejected(f"field {errors.shown(AT)} has what is no FROM-TO")
    if not payload:
        both = np.empty((0, 2), np.int64)
    else:
        both = np.fromstring(payload.replace("-", " "), np.int64, sep=" ").reshape(-1, 2)
    if len(both) != words:
        raise Rejected(f"field {errors.shown(AT)} has places for {len(both)} words, of {words}")
    starts, ends = both[:, 0].copy(), both[:, 1].copy()
    if words and (ends.max() > length or (starts > ends).any()):
        raise Rejected(f"field {errors.shown(AT)} has a place that is not in the original")
    return starts, ends


def canonizer(given: str) -> Callable[[str], Token]:
    """The words of a text by canon's options, and where they stand; raises Failed for options that cannot be had.

    Each stretch between white space is canonized by itself. Its words are looked for, in order, in the folded forms of
    its characters; where one is not there, as a stem may not, it stands where the whole stretch does.
    """
    stage = canon_stage(given)
    if not getattr(stage.function, "by_token", False):
        raise Failed(f"--canon: {errors.printable(given)}: give the records of canon --offsets with these options")
    known: dict[str, list[tuple[str, int, int]]] = {}

    def token(stretch: str) -> list[tuple[str, int, int]]:
        if len(known) >= REMEMBERED:
            known.clear()
        found = known[stretch] = list(zip(*placed(stretch, stage.function(stretch).split()), strict=True))
        return found

    def canonize(text: str) -> Token:
        words: list[str] = []
        starts: list[int] = []
        ends: list[int] = []
        for match in TOKEN.finditer(text):
            at, stretch = match.start(), match[0]
            for word, start, end in known[stretch] if stretch in known else token(stretch):
                words.append(word)
                starts.append(at + start)
                ends.append(at + end)
        return words, starts, ends

    return canonize


def canon_stage(given: str) -> Filter:
    """Raises Failed."""
    command = cast(Command, signals.load("shingletools.canon.command"))  # a room that only this option asks
    try:
        options = make_parser("canon", "", command.add_options).parse(shlex.split(given))
        stage = command.build(options)
    except (Failed, ValueError, argparse.ArgumentTypeError) as error:
        raise Failed(f"--canon: {error}") from None
    except Printed:
        raise Failed("--canon: needs options that make words") from None
    if options.files != ["-"] or options.output is not None:
        raise Failed("--canon: takes options of canon, and no files")
    assert isinstance(stage, Filter)
    return stage


def placed(stretch: str, words: list[str]) -> Token:
    """Where in a stretch without white space its words stand."""
    if stretch.isascii() and len(words) == 1 and (found := stretch.lower().find(words[0])) >= 0:
        return words, [found], [found + len(words[0])]
    forms = [unicodedata.normalize("NFKC", character.casefold()).replace("\u2019", "'") for character in stretch]
    folded = "".join(forms)
    origin = [place for place, form in enumerate(forms) for _ in form]
    starts, ends = [], []
    at = 0
    for word in words:
        found = folded.find(word, at)
        if found < 0:
            starts.append(origin[at] if at < len(origin) else 0)
            ends.append(len(stretch))
            continue
        at = found + len(word)
        starts.append(origin[found])
        ends.append(origin[at - 1] + 1)
    return words, starts, ends
