"""turn documents into their canonical words"""

import argparse
from typing import TYPE_CHECKING

from shingletools import deferred, errors, wire
from shingletools.canon import sources
from shingletools.canon.canonizer import Canonizer, Rules, explain
from shingletools.canon.patterns import Budget, Replace, WordPattern
from shingletools.canon.rules import Rule, drop_number, made_with, mask_number, version
from shingletools.canon.stopwords import stop
from shingletools.canon.words import cut
from shingletools.options import Printed, text
from shingletools.stage import Filter, Stage

if TYPE_CHECKING:
    import orjson

    from shingletools.canon.placed import Placer
else:
    orjson = deferred.module("orjson")


def add_options(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--text", metavar="NAME", type=text, default="text", help="the field that holds the text (default text)")
    sources.add_options(parser)
    add("--delete", metavar="REGEX", dest="edits", help="first of all, delete what matches; may be repeated",
        action="append", type=deletion, default=[])  # fmt: skip
    add("--replace", metavar="REGEX=TEXT", dest="edits", action="append", type=replacement, default=[],
        help="replace what matches, in one order with --delete; may be repeated")  # fmt: skip
    add("--html", metavar="PART", nargs="?", const="page", choices=("page", "main"),
        help="the text is HTML; with --html=main leave out what stands around the main content")  # fmt: skip
    add("--skip", metavar="SELECTOR", help="leave out HTML elements that match; may be repeated",
        action="append", type=text, default=[])  # fmt: skip
    add("--sentences", action="store_true", help="keep a line feed between sentences")
    add("--fold-accents", action="store_true", help="drop accents and vowel points")
    words = parser.add_mutually_exclusive_group()
    words.add_argument("--word", metavar="REGEX", type=text, help="what a word is, in folded text")
    words.add_argument("--segment", choices=("zh",), metavar="LANG", help="cut Chinese (zh) into words, not characters")
    add("--drop-numbers", action="store_true", help="drop words of digits alone")
    add("--mask-numbers", action="store_true", help="write each run of digits as 0")
    add("--stop", metavar="LIST", help="drop stop words: en, ru, zh, iso:LANG, or a FILE of one word a line; may be "
        "repeated", action="append", default=[])  # fmt: skip
    for option, does in (
        ("--drop-adjectives", "drop what can only be an adjective, in en or ru"),
        ("--lemma", "put words into their dictionary form"),
        ("--stem", "cut words down to their stem"),
    ):
        add(option, metavar="LANG[,LANG]", help=f"{does}; may be repeated", action="extend", type=languages, default=[])
    add("--offsets", action="store_true",
        help="keep the text as it came in the field source, and write where each word stands in it to at")  # fmt: skip
    add("--explain", action="store_true", help="print what each rule makes of each WORD given in place of FILE")


def build(options: argparse.Namespace) -> Stage:
    rules, via = chosen(options)
    if options.explain:
        raise Printed(explanations(rules, options))
    canonizer = placer(rules) if options.offsets else Canonizer(rules)
    return Filter(
        consumes=options.text,
        produces=options.text,
        recipe=via,
        function=canonizer,
        link=canonizer.link,
        source=sources.source(options),
        whole=options.whole,
        reads=tuple(options.stop),
        placed=options.offsets,
    )


def placer(rules: Rules) -> "Placer":
    from shingletools.canon.placed import Placer  # as in `chosen`

    return Placer(rules)


def chosen(options: argparse.Namespace) -> tuple[Rules, str]:
    """The rules that the options ask for, and their recipe: in it they stand in the order in which they work."""
    budget = Budget()
    texts = [edit(name, pattern, template, budget) for name, pattern, template in options.edits]
    if options.html:
        from shingletools.canon.html import html  # here and below: what few ask for, all would wait for

        texts.append(html(options.html, options.skip))
    elif options.skip:
        raise errors.Failed("--skip needs --html")
    cutter, segment = cut, None
    if options.word == "":
        raise errors.Failed("--word needs a pattern")
    if options.word:
        cutter = WordPattern(options.word, budget)
    elif options.segment:
        from shingletools.canon.chinese import Chinese  # as above

        cutter, segment = Chinese(cut), made_with(options.segment, "rjieba")
    words = word_rules(options)
    own = options.edits or options.word is not None or options.sentences
    via = wire.recipe(
        # The first one took what is main in another main twice, where a parent was between, and left out the header
        # and footer of an article, a section or a main part, where they were no children of it
        "canon/2" if options.html == "main" else "canon",
        *((rule.name, rule.label) for rule in texts),
        ("sentences", options.sentences),
        ("fold-accents", options.fold_accents),
        ("word", None if options.word is None else wire.quoted(options.word)),
        ("segment", segment),
        *((rule.name, rule.label) for rule in words),
        ("regex", version("regex") if own else None),
    )
    return Rules(tuple(texts), budget, options.sentences, options.fold_accents, cutter, tuple(words)), via


def word_rules(options: argparse.Namespace) -> list[Rule]:
    """What happens to each word, in order: what is to be dropped goes before its form changes."""
    words = []
    if options.drop_numbers:
        words.append(Rule("drop-numbers", True, drop_number))
    if options.mask_numbers:
        words.append(Rule("mask-numbers", True, mask_number))
    if options.stop:
        words.append(stop(options.stop, options.fold_accents))
    for language in sorted(set(options.drop_adjectives)):
        from shingletools.canon.adjectives import drop_adjectives  # as above

        words.append(drop_adjectives(language))
    if options.lemma:
        from shingletools.canon.lemmas import lemma  # as above

        words.append(lemma(options.lemma))
    if options.stem:
        from shingletools.canon.stems import stem  # as above

        words.append(stem(options.stem))
    return words


def languages(argument: str) -> list[str]:
    """One language or several, with commas between."""
    names = text(argument).split(",")
    if not all(names):
        raise argparse.ArgumentTypeError(f"not LANG[,LANG]: {errors.shown(argument)}")
    return names


def deletion(argument: str) -> tuple[str, str, str]:
    return "delete", text(argument), ""


def replacement(argument: str) -> tuple[str, str, str]:
    """REGEX=TEXT, parted at the last =, for regular expressions have more of them."""
    pattern, equals, template = text(argument).rpartition("=")
    if not equals:
        raise argparse.ArgumentTypeError(f"not REGEX=TEXT: {errors.shown(argument)}")
    return "replace", pattern, template


def edit(name: str, pattern: str, template: str, budget: Budget) -> Rule:
    label = wire.quoted(pattern) + (f",{wire.quoted(template)}" if name == "replace" else "")
    rule = Replace(f"--{name}", pattern, template, budget)
    return Rule(name, label, rule, rule.traced)


def explanations(rules: Rules, options: argparse.Namespace) -> str:
    """A line of JSON for each word."""
    if options.files == ["-"] or options.output is not None:
        raise errors.Failed("--explain needs words in place of files, and writes to standard output")
    try:
        lines = [orjson.dumps(explain(rules, word), option=orjson.OPT_APPEND_NEWLINE) for word in options.files]
    except (orjson.JSONEncodeError, errors.Rejected) as error:
        raise errors.Failed(f"--explain: {error}") from None
    return b"".join(lines).decode()
