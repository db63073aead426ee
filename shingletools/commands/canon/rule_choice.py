"""The rules that the options choose, in their order, and the recipe."""

import argparse
from collections.abc import Callable
from functools import partial

from shingletools.commands.canon.canonizer import Rules
from shingletools.commands.canon.folding import fold_accents
from shingletools.commands.canon.hyphens import HARD
from shingletools.commands.canon.rules import Rule, drop_number, in_place, mask_beside_signs, mask_number, whole_numbers
from shingletools.commands.canon.stopwords import stop
from shingletools.commands.canon.user_patterns import Budget, Replace, WordPattern
from shingletools.commands.canon.word_splitting import cut
from shingletools.reading.encodings import GUESS
from shingletools.record import wire
from shingletools.record.package_versions import made_with, version
from shingletools.system.errors import Failed

PAGE, MAIN, ARTICLE = "page", "main", "article"  # arguments of --html


def chosen(options: argparse.Namespace) -> tuple[Rules, str]:
    """Returns the rules and the recipe. Raises Failed."""
    budget = Budget()
    texts, words = text_rules(options, budget), word_rules(options)
    cutter: Callable[[str], list[str]] = cut
    if options.word == "":
        raise Failed("--word needs a pattern")
    if options.word:
        cutter = WordPattern(options.word, budget)
    elif options.segment:
        from shingletools.commands.canon.chinese_words import Chinese  # late, here and below: few runs need it

        cutter = Chinese(cut)
    decoded = None
    if options.warc:
        from shingletools.reading.formats.http_pages import charsets  # as above

        decoded = charsets()
    guessed = made_with(GUESS, "resiliparse") if options.encoding == GUESS else None
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
        ("encoding", guessed),
        *((rule.name, rule.label) for rule in texts),
        ("sentences", options.sentences),
        ("fold-accents", options.fold_accents),
        ("word", None if options.word is None else wire.percent_encoded(options.word)),
        ("segment", made_with(options.segment, "rjieba") if options.segment else None),
        *((rule.name, rule.label) for rule in words),
        ("regex", version("regex") if options.edits or options.word is not None or options.sentences else None),
    )
    rules = Rules(tuple(texts), budget, options.sentences, options.fold_accents, cutter, tuple(words), options.symbols)
    return rules, via


def text_rules(options: argparse.Namespace, budget: Budget) -> list[Rule]:
    """Returns the rules for whole texts, in order. Raises Failed."""
    texts = []
    for name, pattern, template in options.edits:
        label = wire.percent_encoded(pattern) + (f",{wire.percent_encoded(template)}" if name == "replace" else "")
        edit = Replace(f"--{name}", pattern, template, budget)
        texts.append(Rule(name, label, edit, edit.traced))
    if options.html:
        texts.append(html_rule(options))
    elif options.skip:
        raise Failed("--skip needs --html")
    if options.join_hyphens:
        joining = Replace("--join-hyphens", HARD, "", budget)
        texts.append(Rule("join-hyphens", True, joining, joining.traced))
    if options.fold_homoglyphs:
        from shingletools.commands.canon.homoglyphs import homoglyphs  # as above

        texts.append(homoglyphs())
    if options.symbols:
        from shingletools.commands.canon import telling_signs  # as above

        # symbols, which came last, took symbols only if a text had no other words
        texts.append(Rule("symbols/5", True, telling_signs.telling_signs, telling_signs.traced))
    if options.mask_numbers:
        # The recipe has the rule for words
        texts.append(Rule("mask-numbers", False, whole_numbers, partial(in_place, whole_numbers)))
    return texts


def html_rule(options: argparse.Namespace) -> Rule:
    """Returns the rule for pages of HTML. Raises Failed."""
    part, skip = options.html, sorted(set(options.skip))
    read: Callable[[str], str]
    if part == ARTICLE:
        from shingletools.commands.canon.article_extraction import article_reader  # as above

        read, label = article_reader(skip), made_with("article/2", "resiliparse")
    else:
        from shingletools.commands.canon.html import PARTING, READABLE, html_reader  # as above

        read = html_reader(part == MAIN, skip, READABLE if options.extract else PARTING)
        # main had no title and no headline outside of the main content
        label = made_with("main/2" if part == MAIN else part, "selectolax")
    if options.extract:
        from shingletools.commands.canon.readable_text import in_paragraphs, readable_html  # as above

        read = partial(in_paragraphs if part == ARTICLE else readable_html, read)
    label += f",skip={wire.percent_encoded(','.join(skip))}" if skip else ""
    # Text files have it in their recipe, too: all documents of a run have one recipe
    return Rule("html", label + (",by=suffix" if options.recursive else ""), read)


def word_rules(options: argparse.Namespace) -> list[Rule]:
    """Returns the rules for single words, in order: words are dropped before their form changes. Raises Failed."""
    words: list[Rule] = []
    foldings: list[Callable[[str], str]] = [fold_accents] if options.fold_accents else []
    if options.fold_variants:
        from shingletools.commands.canon.letter_variants import fold_variants, variants  # as above

        words.append(variants())
        foldings.append(fold_variants)
    if options.drop_numbers:
        words.append(Rule("drop-numbers", True, drop_number))
    if options.mask_numbers:
        # mask-numbers made a 0 of each digit of Thai, Lao, Khmer and the like
        words.append(Rule("mask-numbers/2", True, mask_beside_signs if options.symbols else mask_number))
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
