"""The words of a record, and their places in its source."""

from typing import NamedTuple

from shingletools.record import wire
from shingletools.record.wire import AT, SOURCE, Record
from shingletools.record.word_offsets import Places, read_places
from shingletools.system.errors import Failed, Rejected


class TokenizedText(NamedTuple):
    """A document's words, single blanks between them, and their places if the record has any."""

    text: str
    number: int
    places: Places | None

    def place(self, first: int, last: int) -> tuple[int, int]:
        """Returns where words `first` to `last` - 1 stand: code points of the source, or words if it has no places."""
        if self.places is None:
            return first, last
        return int(self.places.starts[first:last].min()), int(self.places.ends[first:last].max())


def tokenized_text(record: Record, text_field: str) -> TokenizedText:
    """Returns the words of a record. Raises Rejected if the text is no string, or its places do not fit its words."""
    text = words_of(record, text_field)
    number = text.count(" ") + bool(text)
    if AT not in record:
        return TokenizedText(text, number, None)
    places = read_places(wire.take_string(record, AT))
    if len(places.starts) != number:
        raise Rejected(f'field "{AT}" has {len(places.starts)} places for {number} words')
    if SOURCE in record and number and places.ends.max() > len(wire.take_string(record, SOURCE)):
        raise Rejected(f'field "{AT}" has a place that is not in the field "{SOURCE}"')
    return TokenizedText(text, number, places)


def words_of(record: Record, text_field: str) -> str:
    """Returns a record's words, single blanks between them. Raises Rejected if the field is no string."""
    return " ".join(wire.take_string(record, text_field).split())


class RecipeCheck:
    """Checks that all records have words made by the same recipe; otherwise equal words would be missed."""

    def __init__(self, before: str | None = None, who: str = "the records before") -> None:
        """before: the recipe that records must have, if it is known. who: which records have it, for messages."""
        self.before, self.who = before, who

    def check(self, record: Record) -> None:
        """Raises Failed if the recipe differs from that of the records before, and Rejected if via is no string."""
        via = wire.take_recipe(record)
        if self.before is None:
            self.before = recipe_of_words(via)
        if recipe_of_words(via) != self.before:
            raise Failed(wire.recipes_differ(via, self.before, self.who))


def recipe_of_words(via: str) -> str:
    """Returns the part of a recipe that decides the words."""
    return via.removesuffix(" offsets")


def check_recipe(record: Record, wanted: str | None, option: str) -> None:
    """Raises Rejected if a record's recipe is not the one that the records of an option have; None allows any."""
    via = wire.take_recipe(record)
    if wanted is not None and recipe_of_words(via) != wanted:
        raise Rejected(f"made by {wire.shown_recipe(via)}, not by {wire.shown_recipe(wanted)} as {option}")
