"""cut documents into parts, and put them together again"""

import argparse
import re
from typing import TYPE_CHECKING

from shingletools import errors, wire
from shingletools.errors import Failed
from shingletools.options import text
from shingletools.parts.spec import TogetherSpec, check_names
from shingletools.stage import Filter, Stage

if TYPE_CHECKING:
    from shingletools.parts.places import Places

PARAGRAPH, LINE, SENTENCE, HEADING = "paragraph", "line", "sentence", "heading"
WORDS = "([1-9][0-9]{0,8})-words"


def add_options(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--by", metavar="UNIT", type=unit, default=PARAGRAPH,
        help="what a part is: paragraph, line, sentence, heading, or so many words: 200-words (default paragraph)"
    )  # fmt: skip
    add("--text", metavar="NAME", type=text, default="text", help="the field that holds the text (default text)")
    add("--carry", metavar="FIELD", type=text, action="append", default=[],
        help="each part also has FIELD, as its document has it; may be repeated")  # fmt: skip
    add("--together", action="store_true", help="read parts, and write documents of those that are left")


def unit(argument: str) -> str:
    """What a part is."""
    if argument in (PARAGRAPH, LINE, SENTENCE, HEADING) or re.fullmatch(WORDS, argument):
        return argument
    raise argparse.ArgumentTypeError(
        f"none of {PARAGRAPH}, {LINE}, {SENTENCE}, {HEADING} or, with a number, 200-words: {errors.shown(argument)}"
    )


def build(options: argparse.Namespace) -> Stage:
    if options.together:
        if options.carry:
            raise Failed("--together brings back all that parts carry, and needs no --carry")
        if options.by != PARAGRAPH:
            raise Failed("--by cannot be combined with --together, which takes parts as they are")
        return TogetherSpec(options.id, options.text)
    from shingletools.parts.apart import PartLines  # here and below: patterns that --together does not need

    check_names((options.id, options.text, *options.carry))
    via = wire.recipe("parts", ("by", options.by))
    places = places_by(options.by)
    return Filter(options.text, options.text, via, places, lines=PartLines(places, options.text, options.carry, via))


def places_by(by: str) -> "Places":
    from shingletools.parts import headings, places  # as in `build`

    if found := re.fullmatch(WORDS, by):
        return places.RunsOfWords(int(found[1]))
    return {
        PARAGRAPH: places.paragraphs, LINE: places.lines, SENTENCE: places.by_sentence, HEADING: headings.sections
    }[by]  # fmt: skip
