"""show what the two documents of each pair share, or the runs that repeats marked"""

import argparse
import os
from collections.abc import Sequence
from functools import partial

from shingletools.cli.argument_types import add_memory, add_repeatable, count, memory_of, names, size, text, threshold
from shingletools.commands.simshow.report.pair_origin import Provenance
from shingletools.commands.simshow.spec import (
    BRIEF,
    JSON,
    PAGE,
    PATTERN,
    SIDE_BY_SIDE,
    TEXT,
    Layout,
    RunsSpec,
    Selection,
    ShowSpec,
)
from shingletools.reading.formats import format_options
from shingletools.record.collector import Collector, CollectorContext
from shingletools.record.command_registry import GROUPS, PAIRS, CommandInfo
from shingletools.record.document_format import Format
from shingletools.record.field_names import names_of
from shingletools.record.stage import Stage
from shingletools.record.wire import field_after
from shingletools.system.errors import Failed, printable

COMMAND_INFO = CommandInfo(
    example=("canon docs.jsonl | shingle | simjoin | simshow --brief --docs docs.jsonl",),
    takes=("parts", "canon", "shingle", "sketch", PAIRS, GROUPS),
    text=True,
    formats=True,
    documents=lambda options: (
        options.files if options.runs else [] if format_options.chosen_name(options) else options.docs
    ),
)

AUTO, ALWAYS, NEVER = "auto", "always", "never"
CONTEXT_WORDS = 6  # words
PAIR_FILES = 2
PATTERN_K = 1  # -k of --pattern, since words stand alone between those that vary

ONLY_FOR_DOCS = (  # options
    "--against",
    *(f"--{name}" for name in format_options.FORMATS),
    *"--include --exclude --delimiter --no-header --number".split(),
)
ONLY_FOR_PAIRS = (
    *"--canon -k --gap --template --least --most --sample --side-by-side --pattern --buffer-size".split(),
    *"--temporary-directory --show --made-by --date --unshared".split(),
    *ONLY_FOR_DOCS,
)
USELESS = {  # the options for layouts, and those that change nothing in them
    JSON: ("--color", "--context", "--full", "--unshared", "--template"),
    BRIEF: ("--color", "--context", "--full", "--unshared", "--template"),
    SIDE_BY_SIDE: ("--context",),
    PATTERN: ("--color", "--context", "--template", "--unshared"),
    PAGE: ("--color", "--context", "--full", "--unshared", "--output"),
}


def add_options(parser: argparse.ArgumentParser) -> None:
    shows = parser.add_mutually_exclusive_group()
    add_repeatable(shows, "--docs", "FILE", "a file of documents, original or from canon --offsets")
    shows.add_argument("--runs", action="store_true", help="show the runs of documents that repeats marked, no pairs")
    add = parser.add_argument
    add_repeatable(parser, "--against", "FILE", "a file of the documents b, if --docs has only the documents a")
    add(
        "--text",
        metavar="NAME,...",
        type=names,
        default=("text",),
        help="the field that holds the text, or several as canon takes them (default text)",
    )
    add(
        "--canon",
        metavar="OPTIONS",
        type=text,
        help="canonize original documents by these options, or by a command that begins with canon",
    )
    add(
        "-k",
        metavar="K",
        type=count,
        default=5,
        help="find runs of K or more equal words (default 5); with --pattern 1, and --made-by may say another",
    )
    add(
        "-g",
        "--gap",
        metavar="G",
        type=partial(count, least=0),
        default=60,
        help="leave at most G words between two runs of a passage (default 60)",
    )
    add("--template", metavar="N", type=count, help="mark runs of K words that are in N or more documents")
    format_options.add_options(parser, "what --docs and --against read, instead of JSON lines", False)
    add = parser.add_argument_group("which pairs").add_argument
    add("--least", metavar="T", type=threshold, help="show only pairs with a similarity of T or more")
    add("--most", metavar="T", type=threshold, help="show only pairs with a similarity of T or less")
    add("--sample", metavar="N", type=count, help="show only N pairs, spread over the range of similarities")
    shown = parser.add_argument_group("layout")
    layout = shown.add_mutually_exclusive_group()
    layout.add_argument("--json", action="store_true", help="write JSON records with places, words and shares")
    layout.add_argument("--brief", action="store_true", help="write a line for each pair")
    layout.add_argument(
        "--pattern", action="store_true", help="write a line for each group: its first text without what varies"
    )
    layout.add_argument("--html", metavar="FILE", help="write a page of pairs and groups to FILE, and no records")
    layout.add_argument("--side-by-side", action="store_true", help="show a and b in two columns")
    add = shown.add_argument
    add("--color", choices=[AUTO, ALWAYS, NEVER], default=AUTO, help="when to use colours (default auto)")
    add(
        "--context",
        metavar="N",
        type=partial(count, least=0),
        default=CONTEXT_WORDS,
        help="show N words before and after a passage (default 6)",
    )
    add(
        "--limit",
        metavar="SIZE",
        type=size,
        default="32M",
        help="put at most SIZE of data on the page of --html (default 32M)",
    )
    add("--show", metavar="NAME,...", type=names, default=[], help="on the page, show these fields of documents, too")
    add("--made-by", metavar="COMMANDS", type=text, help="on the page, name the pipeline that made the pairs, quoted")
    add("--date", metavar="TEXT", type=text, help="on the page, name this date")
    add("--full", action="store_true", help="show long runs of equal words in full")
    add("--unshared", action="store_true", help="below the passages, show what only one of the texts has")
    add_memory(parser.add_argument_group("memory"), "hold documents on disk")


def build(options: argparse.Namespace) -> Stage:
    check_combinations(options)
    pair = None
    if not options.docs and not options.runs:
        if len(options.files) != PAIR_FILES or "-" in options.files:
            raise Failed("needs --docs FILE for pairs, --runs for documents of repeats, or two files to compare")
        check_two_files(options)
        # As if all files of a folder were documents, and these a pair
        pair, options.docs, options.files, options.include = tuple(options.files), options.files, [], ["*"]
        options.recursive = True
    if options.runs:
        for name in ONLY_FOR_PAIRS:
            if is_given(name, options):
                raise Failed(f"{name} cannot be combined with --runs")
        if len(options.text) > 1:
            raise Failed("--runs shows words that canon made, so --text names one field")
        return RunsSpec(options.id, options.text[0], layout_of(options), options.html).with_maker(showing_runs)
    origin = Provenance(date=options.date or "")
    if options.made_by is not None:
        from shingletools.commands.simshow.report import made_by_pipeline  # late: it loads all commands of a pipeline

        origin = made_by_pipeline.origin_of(options.made_by, origin.date)
    canon = options.canon or origin.canon
    if html := format_options.html_option(options):
        canon = f"canon {html} {canon.removeprefix('canon ')}"
    reads: Sequence[str] = ()
    if canon:
        from shingletools.commands.simshow.documents import canon_with  # late: --help needs no numpy

        reads = canon_with(canon).reads
    shortest = PATTERN_K if options.pattern else options.k
    k = options.k if "k" in options.given else origin.k or shortest
    several = format_options.chosen_name(options) or len(options.text) > 1
    return ShowSpec(
        options.id,
        options.docs,
        options.against,
        fields_of_text=options.text,
        canon=canon,
        k=k,
        gap=options.gap,
        template=options.template,
        chosen=Selection(options.least, options.most, options.sample),
        layout=layout_of(options),
        page=options.html,
        memory=memory_of(options),
        show=options.show,
        origin=origin,
        reads=reads,
        documents=documents(options),
        pair=pair,
        names=None if several else names_of(options, options.against),
        dedup=[] if pair else dedup_words(options),
    ).with_maker(collector_of)


def dedup_words(options: argparse.Namespace) -> list[str]:
    """Returns the options and files with which dedup reads the documents."""
    names = [*format_options.FORMATS, "include", "exclude", "delimiter", "no_header", "number", "id"]
    words = []
    for name in [name for name in names if name in options.given]:
        value, option = vars(options)[name], f"--{name.replace('_', '-')}"
        for each in value if isinstance(value, list) else [value]:
            words += [option] if each is True else [option, str(each)]
    return [*words, *options.docs, "-o", f"kept{os.path.splitext(options.docs[0])[1]}"]


def documents(options: argparse.Namespace) -> Format | None:
    """Returns the format of --docs and --against. Raises Failed."""
    if len(options.text) > 1 and any(map(vars(options).get, format_options.OWN_IDS)):
        raise Failed("this format gives each document one text, so --text names one field")
    named = {**vars(options), "text": field_after(options.text)}
    return format_options.chosen_format(argparse.Namespace(**named), options.text)


def check_combinations(options: argparse.Namespace) -> None:
    """Raises Failed for options that would change nothing, and for an empty range of similarities."""
    layout = layout_name(options)
    for option in USELESS.get(layout, ()):
        if is_given(option, options) and (option != "--color" or options.color == ALWAYS):
            always = f" {ALWAYS}" * (option == "--color")
            raise Failed(f"{option}{always} cannot be combined with --{layout}")
    for option in ("--limit", "--show", "--made-by", "--date"):
        if is_given(option, options) and layout != PAGE:
            raise Failed(f"{option} needs --html")
    if options.least is not None and options.most is not None and options.least > options.most:
        raise Failed("--least is above --most")


def check_two_files(options: argparse.Namespace) -> None:
    """Raises Failed for options that two files do not need, and for folders."""
    for name in ONLY_FOR_DOCS:
        if is_given(name, options):
            raise Failed(f"{name} needs --docs: two files are plain text or HTML")
    for path in filter(os.path.isdir, options.files):
        raise Failed(f"{printable(path)} is a folder, not a file: shingletools compare compares folders")


def is_given(option: str, options: argparse.Namespace) -> bool:
    return option.lstrip("-").replace("-", "_") in options.given


def layout_name(options: argparse.Namespace) -> str:
    return next((name for name in USELESS if is_given(name, options)), TEXT)


def layout_of(options: argparse.Namespace) -> Layout:
    name = layout_name(options)
    if name in (JSON, BRIEF, PATTERN, PAGE):
        return Layout(name, whole=options.full, limit=options.limit)
    import shutil  # late: records do not need the width of the terminal

    return Layout(
        name,
        coloured(options),
        shutil.get_terminal_size().columns,
        context=options.context,
        whole=options.full,
        unshared=options.unshared,
    )


def coloured(options: argparse.Namespace) -> bool:
    """Returns whether to write colours: as --color says, or to a terminal that has them, unless NO_COLOR is set."""
    if options.color != AUTO:
        return bool(options.color == ALWAYS)
    refused = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    try:
        return options.output is None and not refused and os.isatty(1)
    except OSError:
        return False


def collector_of(spec: ShowSpec, _: CollectorContext) -> Collector:
    from shingletools.commands.simshow.show_collector import ShowCollector  # late: --help needs no numpy

    return ShowCollector(spec)


def showing_runs(spec: RunsSpec, _: CollectorContext) -> Collector:
    from shingletools.commands.simshow.run_collector import RunCollector  # late: as above

    return RunCollector(spec)
