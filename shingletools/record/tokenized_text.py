"""The words of a record, and where they stand in its source."""

from typing import NamedTuple

from shingletools.record import wire
from shingletools.record.wire import AT, SOURCE, Record
from shingletools.record.word_offsets import Places, read_places
from shingletools.system.errors import Failed, Rejected


class TokenizedText(NamedTuple):
    """A document's words, with single blanks between, and their places, if it has any."""

    text: str
    number: int
    places: Places | None

    def place(self, first: int, last: int) -> tuple[int, int]:
        """Where words stand: in code points of the source, or without places in words. Half open."""
        if self.places is None:
            return first, last
        return int(self.places.starts[first:last].min()), int(self.places.ends[first:last].max())


def tokenized_text(record: Record, text_field: str) -> TokenizedText:
    """Raises Rejected if the text is no string, or the places are not those of its words."""
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
    """A record's words, with single blanks between. Raises Rejected if they are no string."""
    return " ".join(wire.take_string(record, text_field).split())


class RecipeCheck:
    """Checks that all words were made alike: else what is equal would not be found."""

    def __init__(self, before: str | None = None, who: str = "the records before") -> None:
        """before: the recipe that is wanted, if it is known. who: what has it."""
        self.before, self.who = before, who

    def check(self, record: Record) -> None:
        """Raises Failed if the recipe differs from that of the records before, and Rejected."""
        via = wire.take_recipe(record)
        if self.before is None:
            self.before = recipe_of_words(via)
        if recipe_of_words(via) != self.before:
            raise Failed(wire.recipes_differ(via, self.before, self.who))


def recipe_of_words(via: str) -> str:
    """What of a recipe decides the words."""
    return via.removesuffix(" offsets")


def check_recipe(record: Record, wanted: str | None, option: str) -> None:
    """Raises Rejected if a record has another recipe than the records of an option, if there are any."""
    via = wire.take_recipe(record)
    if wanted is not None and recipe_of_words(via) != wanted:
        raise Rejected(f"made by {wire.shown_recipe(via)}, not by {wire.shown_recipe(wanted)} as {option}")
