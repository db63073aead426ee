"""canon with places and without them, and what must hold of any place."""

from collections.abc import Sequence
from itertools import pairwise

from shingletools.cli.options import make_parser
from shingletools.commands.canon.canonizer import Canonizer
from shingletools.commands.canon.command import add_options
from shingletools.commands.canon.placed_words import Placer
from shingletools.commands.canon.rule_choice import chosen

Word = tuple[str, int, int]

# The words at a place alone are others: they depend on their run of characters, or on a match that begins before
IN_COMPANY = ("--segment", "--symbols", "--word")


def both(options: str) -> tuple[Canonizer, Placer]:
    """Without --offsets, and with them."""
    rules = chosen(make_parser("canon", "", add_options).parse(options.split()))[0]
    return Canonizer(rules), Placer(rules)


def found(words: str, at: str) -> list[Word]:
    """Each word with its place."""
    places = [tuple(map(int, place.split("-"))) for place in at.split(" ")] if at else []
    return [(word, start, end) for word, (start, end) in zip(words.split(), places, strict=True)]


def check(options: str, text: str, canonize: Canonizer, place: Placer) -> list[Word]:
    words, at, _ = place(text)
    assert words == canonize(text)
    each = found(words, at)
    assert all(0 <= start < end <= len(text) for _, start, end in each)
    for word, start, end in each:
        alone = canonize(text[start:end]).split()
        if not options.startswith(IN_COMPANY):
            assert word in alone, (word, text[start:end])
            assert alone == [word] or shares(each, start, end), (word, text[start:end])
    for (_, first, last), (_, start, end) in pairwise(each):
        assert first <= start
        assert last <= end
    return each


def shares(each: Sequence[Word], start: int, end: int) -> bool:
    """Whether another word has some character of a place, too."""
    return sum(first < end and start < last for _, first, last in each) > 1
