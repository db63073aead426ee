"""turn documents into their canonical words"""

import argparse
import os
from functools import partial
from typing import Any

from shingletools.cli.argument_types import add_repeatable, names, text
from shingletools.cli.options import Printed
from shingletools.commands.canon.canonizer import Canonizer, Rules, explain
from shingletools.commands.canon.rule_choice import ARTICLE, MAIN, PAGE, chosen
from shingletools.kernel.lines import no_link
from shingletools.reading.formats import format_options
from shingletools.record import wire
from shingletools.record.command_registry import CommandInfo, Product
from shingletools.record.field_names import DEFAULT_NAMES, Names
from shingletools.record.stage import Filter, Stage
from shingletools.system import errors
from shingletools.system.lazy_imports import orjson

COMMAND_INFO = CommandInfo(
    example=("canon --stop en docs.jsonl | head -1",),
    makes=(Product("canon", "shingle comes next"),),
    takes=("canon", "parts"),
    text=True,
    spark=True,
    documents=lambda options: [] if options.explain else format_options.json_lines(options),
)

PARTS = (PAGE, MAIN, ARTICLE)
WORDS = frozenset(  # options that say what becomes of words, without the rules for words
    "fold_homoglyphs symbols sentences fold_accents word segment offsets explain".split()
)


def add_options(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add(
        "--text",
        metavar="NAME,...",
        type=names,
        default=("text",),
        help="the field that holds the text, or several, whose texts become one in text (default text)",
    )
    format_options.add_options(parser, "what is read, instead of JSON lines")
    texts = parser.add_argument_group("rules for texts, in the order in which they apply")
    add = texts.add_argument
    add_edit = partial(add_repeatable, texts, dest="edits")
    add_edit("--delete", "REGEX", "delete what matches, before any other rule", deletion)
    add_edit("--replace", "REGEX=TEXT", "replace what matches with TEXT, in the order given with --delete", replacement)
    add(
        "--html",
        metavar="PART",
        nargs="?",
        const=PAGE,
        choices=PARTS,
        help="the text is HTML: take the whole page; with main, its main content; with article, the article of a news "
        "page or blog",
    )
    add_repeatable(texts, "--skip", "SELECTOR", "leave out HTML elements that match SELECTOR", text)
    add("--join-hyphens", action="store_true", help="join small letters that a hyphen at a line's end divides")
    add(
        "--fold-homoglyphs",
        action="store_true",
        help="within a word, replace letters of another script by letters that look like them",
    )
    signs = "write signs that change the meaning as words: -5, 10%%, $, <, 10⁵, emoji; without other words, all symbols"
    add("--symbols", action="store_true", help=signs)
    add("--sentences", action="store_true", help="keep a line feed between sentences")
    rules = parser.add_argument_group("rules for words, which follow in this order")
    add = rules.add_argument
    add("--fold-accents", action="store_true", help="drop accents and vowel points")
    words = rules.add_mutually_exclusive_group()
    words.add_argument("--word", metavar="REGEX", type=text, help="a word is what REGEX matches in the folded text")
    words.add_argument("--segment", choices=("zh",), metavar="LANG", help="cut Chinese (zh) into words, not characters")
    add(
        "--fold-variants",
        action="store_true",
        help="write letters in one way that people type in several ways, as in Arabic and Romanian",
    )
    add("--drop-numbers", action="store_true", help="drop words that have only digits")
    add("--mask-numbers", action="store_true", help="write each number as 0")
    add_repeatable(rules, "--stop", "LIST", "drop stop words: en, ru, zh, iso:LANG, or a FILE with one word a line")
    for option, does in (
        ("--drop-adjectives", "drop words that can only be adjectives, in en or ru"),
        ("--lemma", "replace words by their dictionary form"),
        ("--stem", "cut words down to their stem"),
    ):
        add(option, metavar="LANG[,LANG]", help=f"{does}; may be repeated", action="extend", type=languages, default=[])
    add = parser.add_argument_group("what else to write").add_argument
    add(
        "--offsets",
        action="store_true",
        help="keep the original text in the field source, and write the place of each word in it to the field at",
    )
    add("--extract", action="store_true", help="write the text itself, not its words; for HTML, with its paragraphs")
    add("--explain", action="store_true", help="take words instead of files, and print what each rule makes of them")


def build(options: argparse.Namespace) -> Stage:
    html = format_options.html_option(options)
    if html and options.html is None:
        options.html = PAGE
    rules, via = chosen(options)
    named = {name.replace("_", "-") for name in WORDS & options.given} | {rule.name for rule in rules.words}
    if options.extract and named:
        raise errors.Failed(f"--extract leaves words as they are: no --{min(named)}")
    if options.explain:
        raise Printed(explanations(rules, options))
    for word in options.files:
        if options.html == PAGE and word in PARTS and not os.path.lexists(word):
            raise errors.Failed(f"{word}: no such file; --html={word}, with =, takes this part of a page")
    fields, several = options.text, wire.are_joined(options.text)
    options.text = wire.field_after(fields)
    if several and (one := next(filter(vars(options).get, format_options.OWN_IDS), None)):
        raise errors.Failed(f"--{one} gives each document one text, so --text names one field")
    names = Names(options.id, options.text)
    named_anew = None if names == (options.carried or DEFAULT_NAMES) else names
    others: dict[str, Any] = {
        "format": format_options.chosen_format(options, fields),
        "reads": (*options.stop, *filter(None, [options.files0_from])),
    }
    if several:
        from shingletools.record.text_fields import TextFields  # late, here and below: few runs need it

        texts = TextFields(fields)
        others |= {"made_of": texts, "tally": texts.tally, "remarks": texts.remarks}
    if html:
        plain = rules._replace(texts=tuple(rule for rule in rules.texts if rule.name != "html"))
        others["plain"] = filter_by(plain, via, options, named=named_anew)
    return filter_by(rules, via, options, named=named_anew, **others)


def filter_by(rules: Rules, via: str, options: argparse.Namespace, **others: Any) -> Filter:
    """Returns the filter of the options.

    Raises Failed for --offsets if a rule cannot say where its text comes from. For other modules, which set the option
    themselves, places are then those in that text.
    """
    function: Any = Canonizer(rules)
    link = function.link
    if options.extract:
        function, link = function.edited, no_link
    elif options.offsets:
        from shingletools.commands.canon.placed_words import Placer  # as above

        if "offsets" in options.given and any(rule.traced is None for rule in rules.texts):
            way = "first write its text by --extract, then canon --offsets"
            raise errors.Failed(f"--offsets takes text, not HTML: {way}")
        function = Placer(rules)
        link = function.link
    field = options.text
    return Filter(field, field, via, function, link=link, placed=options.offsets, **others)


def languages(argument: str) -> list[str]:
    """Returns the languages in an argument such as en or en,ru. Raises ArgumentTypeError."""
    names = text(argument).split(",")
    if not all(names):
        raise argparse.ArgumentTypeError(f"not LANG[,LANG]: {errors.shown(argument)}")
    return names


def deletion(argument: str) -> tuple[str, str, str]:
    return "delete", text(argument), ""


def replacement(argument: str) -> tuple[str, str, str]:
    """Returns the parts of REGEX=TEXT, cut at the last =, since a regular expression may have others.

    Raises ArgumentTypeError.
    """
    pattern, equals, template = text(argument).rpartition("=")
    if not equals:
        raise argparse.ArgumentTypeError(f"not REGEX=TEXT: {errors.shown(argument)}")
    return "replace", pattern, template


def explanations(rules: Rules, options: argparse.Namespace) -> str:
    """Returns the output of --explain: a line of JSON for each word. Raises Failed."""
    if options.files == ["-"] or options.output is not None or options.files0_from is not None:
        raise errors.Failed("--explain needs words instead of files, and writes to standard output")
    try:
        lines = [orjson.dumps(explain(rules, word), option=orjson.OPT_APPEND_NEWLINE) for word in options.files]
    except (orjson.JSONEncodeError, errors.Rejected) as error:
        raise errors.Failed(f"--explain: {error}") from None
    return b"".join(lines).decode()
