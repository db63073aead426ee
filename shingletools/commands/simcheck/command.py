"""say of each pair what each side has of its own, and which side the other covers"""

import argparse
from functools import partial

from shingletools.cli.argument_types import add_memory, add_repeatable, count, memory_of, one_name, threshold
from shingletools.commands.simcheck.spec import ADDED, CheckSpec, CoverRules
from shingletools.record.collector import Collector, CollectorContext
from shingletools.record.command_registry import PAIRS, CommandInfo, Product
from shingletools.record.stage import Stage
from shingletools.system.errors import Failed
from shingletools.text.wordlists import word_list

COMMAND_INFO = CommandInfo(
    example=(
        "canon docs.jsonl > words.jsonl",
        "shingle -k 3 words.jsonl | simjoin -t 0.6 | simcheck --docs words.jsonl",
    ),
    makes=(Product("checked pairs", "dedup --pairs or simshow takes them", ADDED),),
    takes=(PAIRS, "canon"),
    text=True,
    documents=lambda options: options.docs,
)

DEFAULT = CoverRules()
ALWAYS = 1 << 62  # words


def numbers(argument: str) -> int:
    """Returns the number of words that an argument of --numbers means. Raises ArgumentTypeError."""
    return {"always": ALWAYS, "never": 0}[argument] if argument in ("always", "never") else count(argument)


def add_options(parser: argparse.ArgumentParser) -> None:
    add_repeatable(parser, "--docs", "FILE", "a file of documents as canon wrote them")
    add_repeatable(parser, "--against", "FILE", "a file of the documents b, if --docs has only the documents a")
    add = parser.add_argument
    add("--text", metavar="NAME", type=one_name, default="text", help="the field that holds the words (default text)")
    add("--citations", action="store_true", help="compare the fields of citations, such as title and doi, not the text")
    add("--doubtful", metavar="FILE", help="write the doubtful pairs to FILE, too")
    add("--drop-different", action="store_true", help="write no pairs that are different")
    add("--all", action="store_true", help="let dedup also remove one document of each doubtful pair")
    rules = parser.add_argument_group("what a text may have of its own, and still be covered")
    add = rules.add_argument
    add(
        "--short",
        metavar="N",
        type=partial(count, least=0),
        default=DEFAULT.short,
        help=f"in texts of at most N words, each word tells (default {DEFAULT.short})",
    )
    add(
        "--run",
        metavar="R",
        type=partial(count, least=0),
        default=DEFAULT.longest,
        help=f"a longer text may have at most R words of its own that stand together (default {DEFAULT.longest})",
    )
    add("--share", metavar="S", type=threshold, default=DEFAULT.share, help="and at most S of all words (default 0.1)")
    add(
        "--numbers",
        metavar="N",
        type=numbers,
        default=DEFAULT.numbers,
        help="words with digits tell in texts of at most N words, always, or never (default 100)",
    )
    add("--exact", action="store_true", help="take another spelling for another word")
    add_repeatable(rules, "--stop", "LIST", "words that do not count in short texts: en, ru, zh, iso:LANG, or a FILE")
    add_memory(parser.add_argument_group("memory"), "hold texts on disk")


def build(options: argparse.Namespace) -> Stage:
    if not options.docs:
        raise Failed("needs --docs FILE: the documents of the pairs")
    never = {*DEFAULT.never, *(word for name in options.stop for word in word_list("--stop", name)[0])}
    rules = CoverRules(options.short, options.run, options.share, options.numbers, not options.exact, never)
    return CheckSpec(
        options.id,
        options.docs,
        options.against,
        text_field=options.text,
        rules=rules,
        citations=options.citations,
        doubtful=options.doubtful,
        drops=options.drop_different,
        covering=options.all,
        memory=memory_of(options),
        reads=options.stop,
    ).with_maker(collector_of)


def collector_of(spec: CheckSpec, _: CollectorContext) -> Collector:
    if spec.citations:
        from shingletools.commands.simcheck.citation_collector import CitationCollector  # late: --help needs no numpy

        return CitationCollector(spec)
    from shingletools.commands.simcheck.check_collector import CheckCollector  # late: as above

    return CheckCollector(spec)
