"""turn documents into their canonical words"""

import argparse
import os
from functools import partial
from typing import TYPE_CHECKING, Any

from shingletools.cli.argument_types import add_repeatable, names, text
from shingletools.cli.options import Printed
from shingletools.commands.canon.canonizer import Canonizer, Rules, explain
from shingletools.commands.canon.folding import fold_accents
from shingletools.commands.canon.hyphens import HARD
from shingletools.commands.canon.rules import Rule, drop_number, in_place, mask_number, whole_numbers
from shingletools.commands.canon.stopwords import stop
from shingletools.commands.canon.user_patterns import Budget, Replace, WordPattern
from shingletools.commands.canon.word_splitting import cut
from shingletools.reading.encodings import GUESS
from shingletools.reading.formats import format_options
from shingletools.record import wire
from shingletools.record.command_registry import CommandInfo, Product
from shingletools.record.field_names import DEFAULT_NAMES, Names
from shingletools.record.package_versions import made_with, version
from shingletools.record.stage import Filter, Stage
from shingletools.system import errors
from shingletools.system.lazy_imports import orjson

if TYPE_CHECKING:
    from collections.abc import Callable

    from shingletools.commands.canon.placed_words import Placer
    from shingletools.commands.canon.readable_text import Extractor

COMMAND_INFO = CommandInfo(
    example=("canon --stop en docs.jsonl | head -1",),
    makes=(Product("canon", "shingle comes next"),),
    takes=("canon", "parts"),
    text=True,
    spark=True,
    documents=lambda options: [] if options.explain else format_options.json_lines(options),
)

PAGE = "page"  # without an argument of --html
PARTS = (PAGE, "main", "article")
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
    if format_options.html_option(options) and options.html is None:
        options.html = PAGE
    rules, via = chosen(options)
    named = {name.replace("_", "-") for name in WORDS & options.given} | {rule.name for rule in rules.words}
    if options.extract and named:
        raise errors.Failed(f"--extract leaves words as they are: no --{min(named)}")
    if options.explain:
        raise Printed(explanations(rules, options))
    check_parted(options)
    fields, several = options.text, wire.are_joined(options.text)
    options.text = wire.field_after(fields)
    if several and (one := next(filter(vars(options).get, format_options.OWN_IDS), None)):
        raise errors.Failed(f"--{one} gives each document one text, so --text names one field")
    others: dict[str, Any] = {
        "format": format_options.chosen_format(options, fields),
        "reads": (*options.stop, *filter(None, [options.files0_from])),
    }
    names = Names(options.id, options.text)
    if names != (options.carried or DEFAULT_NAMES):
        others["named"] = names
    if several:
        from shingletools.record.text_fields import TextFields  # as in `chosen`

        texts = TextFields(fields)
        others |= {"made_of": texts, "tally": texts.tally, "remarks": texts.remarks}
    if format_options.html_option(options):
        text = rules._replace(texts=tuple(rule for rule in rules.texts if rule.name != "html"))
        others["plain"] = filter_by(text, via, options, named=others.get("named"))
    return filter_by(rules, via, options, **others)


def check_parted(options: argparse.Namespace) -> None:
    """Raises Failed if the argument of --html follows a blank, and so is taken for a file."""
    for word in options.files:
        if options.html == PAGE and word in PARTS and not os.path.lexists(word):
            raise errors.Failed(f"{word}: no such file; --html={word}, with =, takes this part of a page")


def filter_by(rules: Rules, via: str, options: argparse.Namespace, **others: Any) -> Filter:
    """Returns the filter of the options. Raises Failed."""
    canonizer = canonizer_of(rules, options)
    return Filter(
        consumes=options.text,
        produces=options.text,
        recipe=via,
        function=canonizer,
        link=canonizer.link,
        placed=options.offsets,
        **others,
    )


def canonizer_of(rules: Rules, options: argparse.Namespace) -> "Canonizer | Extractor | Placer":
    """Returns the canonizer of the options.

    Raises Failed for --offsets if a rule cannot say where its text comes from. For other modules, which set the option
    themselves, places are then those in that text.
    """
    if options.extract:
        from shingletools.commands.canon.readable_text import Extractor  # as in `chosen`

        return Extractor(rules)
    if not options.offsets:
        return Canonizer(rules)
    from shingletools.commands.canon.placed_words import Placer  # as above

    if "offsets" in options.given and any(rule.traced is None for rule in rules.texts):
        raise errors.Failed("--offsets takes text, not HTML: first write its text by --extract, then canon --offsets")
    return Placer(rules)


def chosen(options: argparse.Namespace) -> tuple[Rules, str]:
    """Returns the rules that the options choose, in their order, and the recipe."""
    budget = Budget()
    texts = text_rules(options, budget)
    decoded = None
    if options.warc:
        from shingletools.reading.formats.http_pages import charsets  # as above

        decoded = charsets()
    cutter, words = cutter_of(options, budget), word_rules(options)
    own = options.edits or options.word is not None or options.sentences
    via = wire.recipe(
        # canon took a main element inside another one twice if an element was between them, and left out headers and
        # footers of articles, sections and main elements if they were not direct children. canon and canon/2, which
        # only html=main had, took no ` for an apostrophe, no keycap for its digit, no + and # for parts of words and
        # other lemmas in ru, and left words parted that soft hyphens part at line ends. canon/3, which --extract still
        # has, joined fractions to the digits before them, lost the joiner of chillus and khanda ta, took no U+02BB and
        # no geresh for an apostrophe, no letter of Javanese, Tai Le, Yi and others for a word, no shad for the end of a
        # sentence, and digits between separators for numbers of their own
        "canon/3" if options.extract else "canon/4",
        ("extract", options.extract),
        ("warc", decoded),
        (
            "encoding",
            made_with(GUESS, "resiliparse") if options.encoding == GUESS else None,
        ),
        *((rule.name, rule.label) for rule in texts),
        ("sentences", options.sentences),
        ("fold-accents", options.fold_accents),
        ("word", None if options.word is None else wire.percent_encoded(options.word)),
        ("segment", made_with(options.segment, "rjieba") if options.segment else None),
        *((rule.name, rule.label) for rule in words),
        ("regex", version("regex") if own else None),
    )
    rules = Rules(tuple(texts), budget, options.sentences, options.fold_accents, cutter, tuple(words), options.symbols)
    return rules, via


def cutter_of(options: argparse.Namespace, budget: Budget) -> "Callable[[str], list[str]]":
    """Returns the function that cuts a folded text into words. Raises Failed."""
    if options.word == "":
        raise errors.Failed("--word needs a pattern")
    if options.word:
        return WordPattern(options.word, budget)
    if options.segment:
        from shingletools.commands.canon.chinese_words import Chinese  # as above

        return Chinese(cut)
    return cut


def text_rules(options: argparse.Namespace, budget: Budget) -> list[Rule]:
    """Returns the rules for whole texts, in order. Raises Failed."""
    texts = [edit(name, pattern, template, budget) for name, pattern, template in options.edits]
    if options.html == "article":
        from shingletools.commands.canon.article_extraction import article  # late, here and below: few runs need it

        texts.append(article(options.skip))
    elif options.html:
        from shingletools.commands.canon.html import html  # as above

        texts.append(html(options.html, options.skip))
    elif options.skip:
        raise errors.Failed("--skip needs --html")
    if options.html and options.extract:
        from shingletools.commands.canon.readable_text import readable  # as above

        texts[-1] = readable(texts[-1], options.html, options.skip)
    if options.recursive:
        # In the recipe of text files, too: all documents of a run have one recipe
        texts[-1] = texts[-1]._replace(label=f"{texts[-1].label},by=suffix")
    if options.join_hyphens:
        joining = Replace("--join-hyphens", HARD, "", budget)
        texts.append(Rule("join-hyphens", True, joining, joining.traced))
    if options.fold_homoglyphs:
        from shingletools.commands.canon.homoglyphs import homoglyphs  # as above

        texts.append(homoglyphs())
    if options.symbols:
        from shingletools.commands.canon import telling_signs  # as above

        # symbols, which came last, took symbols only if a text had no other words
        texts.append(Rule("symbols/2", True, telling_signs.telling_signs, telling_signs.traced))
    if options.mask_numbers:
        # The recipe has the rule for words
        texts.append(Rule("mask-numbers", False, whole_numbers, partial(in_place, whole_numbers)))
    return texts


def word_rules(options: argparse.Namespace) -> list[Rule]:
    """Returns the rules for single words, in order: words are dropped before their form changes."""
    words: list[Rule] = []
    foldings: list[Callable[[str], str]] = []
    if options.fold_accents:
        foldings.append(fold_accents)
    if options.fold_variants:
        from shingletools.commands.canon.letter_variants import fold_variants, variants  # as above

        words.append(variants())
        foldings.append(fold_variants)
    if options.drop_numbers:
        words.append(Rule("drop-numbers", True, drop_number))
    if options.mask_numbers:
        # mask-numbers made a 0 of each digit of Thai, Lao, Khmer and the like
        words.append(Rule("mask-numbers/2", True, mask_number))
    if options.stop:
        words.append(stop(options.stop, foldings))
    for language in sorted(set(options.drop_adjectives)):
        from shingletools.commands.canon.adjective_dropping import drop_adjectives  # as above

        words.append(drop_adjectives(language))
    if options.lemma:
        from shingletools.commands.canon.lemmas import lemma  # as above

        words.append(lemma(options.lemma))
    if options.stem:
        from shingletools.commands.canon.stems import stem  # as above

        words.append(stem(options.stem))
    return words


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


def edit(name: str, pattern: str, template: str, budget: Budget) -> Rule:
    label = wire.percent_encoded(pattern) + (f",{wire.percent_encoded(template)}" if name == "replace" else "")
    rule = Replace(f"--{name}", pattern, template, budget)
    return Rule(name, label, rule, rule.traced)


def explanations(rules: Rules, options: argparse.Namespace) -> str:
    """Returns the output of --explain: a line of JSON for each word. Raises Failed."""
    if options.files == ["-"] or options.output is not None or options.files0_from is not None:
        raise errors.Failed("--explain needs words instead of files, and writes to standard output")
    try:
        lines = [orjson.dumps(explain(rules, word), option=orjson.OPT_APPEND_NEWLINE) for word in options.files]
    except (orjson.JSONEncodeError, errors.Rejected) as error:
        raise errors.Failed(f"--explain: {error}") from None
    return b"".join(lines).decode()
