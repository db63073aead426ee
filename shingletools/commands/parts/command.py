"""cut documents into parts, and put them together again"""

import argparse
import re
from functools import partial
from typing import TYPE_CHECKING

from shingletools.cli.argument_types import add_repeatable, one_name, text
from shingletools.commands.parts.spec import TogetherSpec, check_names
from shingletools.record import wire
from shingletools.record.collector import Collector, CollectorContext
from shingletools.record.command_registry import CommandInfo, Product
from shingletools.record.field_names import DEFAULT_NAMES, Names
from shingletools.record.stage import Filter, Stage
from shingletools.system import errors
from shingletools.system.errors import Failed

if TYPE_CHECKING:
    from shingletools.commands.parts.part_places import Cut

COMMAND_INFO = CommandInfo(
    example=("parts --by line docs.jsonl | canon | shingle -k 5 -o lines.shingles",),
    makes=(Product("parts", "canon comes next"),),
    takes=("canon", "parts"),
    text=True,
    spark=True,
)

PARAGRAPH, LINE, SENTENCE, HEADING = "paragraph", "line", "sentence", "heading"
WORDS = "([1-9][0-9]{0,8})-words"


def add_options(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add(
        "--by",
        metavar="KIND",
        type=kind,
        default=PARAGRAPH,
        help="what a part is: paragraph, line, sentence, heading, or N words: 200-words (default paragraph)",
    )
    add("--text", metavar="NAME", type=one_name, default="text", help="the field that holds the text (default text)")
    add_repeatable(parser, "--carry", "FIELD", "copy FIELD from the document to each of its parts", text)
    add("--together", action="store_true", help="read the parts that are left, and write their documents")


def kind(argument: str) -> str:
    """Returns the kind of parts that --by names. Raises ArgumentTypeError."""
    if argument in (PARAGRAPH, LINE, SENTENCE, HEADING) or re.fullmatch(WORDS, argument):
        return argument
    raise argparse.ArgumentTypeError(
        f"not {PARAGRAPH}, {LINE}, {SENTENCE}, {HEADING} or a number such as 200-words: {errors.shown(argument)}"
    )


def build(options: argparse.Namespace) -> Stage:
    if options.together:
        if options.carry:
            raise Failed("--carry cannot be combined with --together, which restores carried fields")
        if "by" in options.given:
            raise Failed("--by cannot be combined with --together, which takes parts as they are")
        return TogetherSpec(options.id, options.text).with_maker(collector_of)
    from shingletools.commands.parts.part_records import (
        PartLines,  # imported late: --together does not need its patterns
    )

    check_names((options.id, options.text, *options.carry))
    # parts cut words of Thai and Japanese apart, which canon makes, had no sentence end at a shad, and no letters of
    # Javanese, Tai Le, Yi and others for words
    name = "parts/2" if options.by == SENTENCE or re.fullmatch(WORDS, options.by) else "parts"
    via = wire.recipe(name, ("by", options.by))
    places = places_by(options.by)
    names = Names(options.id, options.text)
    # Parts have no fields of their document but those that --carry names, so they need this one even if that has it
    named = names if {names, options.carried or DEFAULT_NAMES} != {DEFAULT_NAMES} else None
    lines = PartLines(places, options.text, options.carry, via, named.spelled() if named else "")
    return Filter(options.text, options.text, via, places, named=named, lines=lines)


def places_by(by: str) -> "Cut":
    # As in `build`
    from shingletools.commands.parts import headings, part_places

    if match := re.fullmatch(WORDS, by):
        return partial(part_places.runs_of_words, int(match[1]))
    return {
        PARAGRAPH: part_places.paragraphs,
        LINE: part_places.lines,
        SENTENCE: part_places.by_sentence,
        HEADING: headings.sections,
    }[by]


def collector_of(spec: TogetherSpec, _: CollectorContext) -> Collector:
    from shingletools.commands.parts.part_joining import PartJoiner  # as in `build`

    return PartJoiner(spec)
