"""write files without copies"""

import argparse
import os
import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from shingletools.cli.argument_types import add_size, allowance, names, quoted, threshold
from shingletools.cli.options import Parser
from shingletools.reading.formats import format_options
from shingletools.reading.formats.suffixes import PAGE, PAGES, SUFFIXES, TEXT, TEXTS, suffix
from shingletools.reading.option_files import names_in
from shingletools.running import short_run
from shingletools.running.pipeline import PipelineRun
from shingletools.running.preflight_checks import check_suffix
from shingletools.running.recipes import CITED, CITED_SHOWN, EQUAL_VALUES, TITLES_ALIKE, WORDS_IN_COMMON
from shingletools.running.short_run import AS_PAGES, FOLDER, ShortRun, add_part, scratch
from shingletools.running.steps import CommandLine, as_text, command_lines
from shingletools.system import messages
from shingletools.system.errors import Failed, printable
from shingletools.system.files import check_regular

NAME = "shingletools unique"
RULES = {  # of canon, for words
    "--fold-accents": "drop accents and vowel points",
    "--drop-numbers": "drop words that have only digits",
    "--mask-numbers": "write each number as 0",
}
MEMORY = 1 << 30  # bytes for each step that can work on disk
LENGTH_RULES = ("longest", "shortest")  # of --keep
CITATIONS = {"--ris", "--csl", "--xml"}


def make_parser() -> Parser:
    return short_run.make_parser(NAME, __doc__ or "", "FILE ...", add_options)


def add_options(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add(
        "-t",
        "--threshold",
        metavar="T",
        type=partial(spelled, threshold),
        help="the least similarity of two texts that are checked: 0.8, 4/5 (usually 0.75 of their words; of citations, "
        "0.5 of their titles)",
    )
    add_size(parser, "join and check with SIZE of memory each, and scratch files: 500M, 4G (default 1G)")
    add("--all", action="store_true", help="also remove one document of each doubtful pair")
    add("--doubtful", metavar="FILE", help="write the doubtful pairs, as simcheck does, to FILE")
    add_part(parser, "--html")
    add("--keep", metavar="RULE", help="which document to prefer, as dedup --keep says: longest, max:date")
    add("--as", metavar="KIND", dest="as_form", help="the kind of values that min: and max: compare, as in dedup")
    add("-0", "--null", action="store_true", help="end the names of files that are kept with zero bytes, for xargs -0")
    add("--removed", metavar="FILE", help="write the removed documents to FILE")
    add("--rejects", metavar="FILE", help="keep the bad records, which are not in the output, in FILE, as they came")
    add(
        "--allow-rejects",
        metavar="N|P%",
        type=partial(spelled, allowance),
        help="allow N bad records, or P percent of all: 10, 0.1%%",
    )
    for option, does in RULES.items():
        add(option, action="store_true", help=f"{does}, as in canon")
    add("--report", metavar="FILE", help="write a page that shows the duplicates to FILE, as simshow --html does")
    add(
        "--show",
        metavar="NAME,...",
        type=names,
        default=[],
        help="on this page, show these fields of documents, too, as simshow --show says",
    )


def spelled(check: Callable[[str], object], argument: str) -> str:
    """Returns an argument as it is spelled, for the command's own parser. Raises ArgumentTypeError."""
    check(argument)
    return argument


class UniqueRun(ShortRun):
    """A run of `unique`."""

    part_option, page_option, memory = "html", "report", MEMORY
    doubtful = "0 doubtful pairs"  # as simcheck says it
    rejected: Mapping[str, int] = {}  # by the first command of each name

    def take_shards(self, argv: Sequence[str] | None) -> str | None:
        """Takes the files of folders of tables instead of these. Returns the folder for the output, if it is one.

        Raises Failed for files that can be read only once, and for a folder that may be meant as one of texts.
        """
        if self.files == ["-"] and "-" not in (argv or ()):
            self.parser.error("name a file or folder, as in: shingletools unique docs.jsonl -o kept.jsonl")
        every = filter(None, [*self.files, self.options.files0_from])
        check_regular((file for file in every if not os.path.isdir(file)), "this command reads")
        others = {"lines", "whole", FOLDER[2:], "include", "exclude"} & self.options.given
        files, into = list[str](), self.options.output if suffix(self.options.output or "") not in SUFFIXES else None
        for file in self.files:
            shards, text = ([], "") if others else shards_in(file)
            if shards and text and into:
                has = f"{printable(file)} has a text, {printable(text)}, and {printable(shards[0])}"
                raise Failed(f"-o {printable(into)}: {has}: name the files, or say --recursive for the texts")
            files += [file] if text or not shards else shards
        taken, self.files = files != self.files, files
        return into if taken else None

    def conclude(self, flow: PipelineRun) -> None:
        """Says how many documents dedup keeps, removes and leaves out; with -v, it says so itself."""
        last = flow.runs[-1]
        figures = (figure for run in flow.runs if not run.stage.rewrites for figure in run.summary())
        self.doubtful = next((figure for figure in figures if "doubtful" in figure), self.doubtful)
        self.rejected = {**{run.name: run.rejected for run in flow.runs}, **self.rejected}
        if not last.stage.rewrites or self.options.verbose or flow.why:
            return
        kept, removed = (figure.partition(" (")[0] for figure in last.summary()[:2])
        if not self.doubtful.startswith("0 "):
            where = "" if {"all", "doubtful", "report"} & self.options.given else ": --doubtful FILE or --report FILE"
            doubtful = f" ({self.doubtful}{where})"
            kept, removed = (kept, removed + doubtful) if self.options.all else (kept + doubtful, removed)
        if (uncompared := self.rejected["canon"] + self.rejected["simjoin"] - last.rejected) > 0:
            kept += f" ({uncompared} not compared)"
        messages.say(f"{self.name}: {kept}, {removed}, {last.rejected + last.counted['files passed over']} left out")


def check_named_once(files: Sequence[str]) -> None:
    """Raises Failed for a file of JSON lines that is named twice: all its ids would be repeated, and so all stay."""
    paths = [*map(os.path.realpath, files)]
    for at, file in enumerate(files):
        if paths[at] in paths[:at]:
            raise Failed(f"{printable(file)}: the file was named before")


def run(name: str, argv: Sequence[str] | None, closed: set[int]) -> int:
    """Writes documents without copies, and returns the exit status. Raises Failed or Printed."""
    this = UniqueRun(name, make_parser(), argv, closed)
    options, into, files = this.options, this.take_shards(argv), this.files
    if into and options.removed is not None:
        raise Failed(f"--removed cannot be combined with -o {printable(into)}, which is to be a folder")
    reads = this.format_words(files, "lines" if len(files) == 1 else "whole")
    if not reads:
        check_named_once(files)
    cited = not CITATIONS.isdisjoint(reads) and "text" not in options.given
    rules = [option for option in RULES if option[2:].replace("-", "_") in options.given]
    listed, allowed = this.words("files0_from"), this.words("allow_rejects")
    named = [*this.words("id", "text"), *(["--text", CITED] if cited else [])]
    canon = CommandLine("canon", [*reads, "--symbols", *listed, *rules, *named, *allowed])
    reads = [word for word in reads if not word.startswith(AS_PAGES)]
    form = next((name for name in format_options.FORMATS if f"--{name}" in reads), "")
    if options.show and not options.report:
        raise Failed("--show needs --report")
    for path in [] if into else [options.output, options.removed]:
        check_suffix(path, form, options)
    measured = ["--text", quoted(options.text[0])] if options.text and options.keep in LENGTH_RULES else []
    with scratch("unique") as start:
        words, pairs, alike, equal = (f"{start}{part}" for part in ("words", "pairs", "alike", "equal"))
        shingle, join, least = TITLES_ALIKE if cited else WORDS_IN_COMMON
        shingled, joined = command_lines(f"{shingle} | {join.format(options.threshold or least)}")
        proposed = [with_words(shingled, words), with_words(joined, *allowed)]
        drops = ["--drop-different"] if options.report else []
        check = CommandLine("simcheck", ["--docs", words, *this.words("all", "doubtful"), *drops, *allowed])
        pipelines = [[with_words(canon, *this.words("rejects"), "-o", words, *files)]]  # also kept if the run fails
        if cited:
            by_doi = [*reads, *listed, *this.words("id"), "--text", "doi", *allowed, *files]
            equal_values = command_lines(" | ".join(EQUAL_VALUES))
            equal_values[-1] = with_words(equal_values[-1], *allowed, "-o", equal)
            pipelines += [
                [*proposed[:-1], with_words(proposed[-1], "-o", alike)],
                [CommandLine("canon", by_doi), *equal_values],
            ]
            checked = [with_words(check, "--citations", alike, equal)]
        else:
            checked = [*proposed, check]
        written = ["--into", into] if into else this.words("output")
        choice = [*this.words("keep", "as_form", "null", "removed", "rejects", "allow_rejects", "id"), *written]
        more = [*measured, *listed, *files]
        dedup = CommandLine("dedup", ["--pairs", pairs if options.report else "-", *reads, *choice, *more])
        if options.report:
            checking = CommandLine("simcheck", ["--docs", "unique.words", *this.words("all")])
            made = [] if cited else [with_words(canon, *files), shingled, with_words(joined, *allowed), checking]
            shown = this.words("show") or (["--show", CITED_SHOWN] if cited else [])
            choice = [*reads, *this.words("keep", "as_form", "allow_rejects", "id"), *more]
            last = [report_lines(this, [*reads, *named, *shown], choice, made, pairs), [dedup]]
            # If the page fails, there is no output; but dedup would find the page in its folder
            last = last[::-1] if FOLDER in reads else last
            pipelines += [[*checked[:-1], with_words(checked[-1], "-o", pairs)], *last]
        else:
            pipelines.append([*checked, dedup])
        return this.run(pipelines, start, [words], announced=True)


def with_words(line: CommandLine, *words: str) -> CommandLine:
    """Returns a command with more arguments."""
    return CommandLine(line.name, [*line.words, *words])


def report_lines(
    this: UniqueRun, page: Sequence[str], choice: Sequence[str], made: Sequence[CommandLine], pairs: str
) -> list[CommandLine]:
    """Returns the pipeline of --report.

    choice: the options and files of dedup. made: what makes the pairs; nothing of citations, which have two joins.
    """
    read = this.files or names_in(this.options.files0_from)
    kept = this.words("output") or ["-o", f"kept{os.path.splitext(read[0])[1]}"]
    made_by = as_text([*made, CommandLine("dedup", ["--pairs", "-", *choice, *kept])])
    shown = [*page, *(f"--docs={file}" for file in read), f"--html={this.options.report}", "--made-by", made_by]
    marks = CommandLine("dedup", ["--pairs", pairs, "--annotate", "--marks", *choice])
    return [marks, CommandLine("simshow", [*this.words("allow_rejects"), *shown, pairs, "-"])]


def shards_in(folder: str) -> tuple[list[str], str]:
    """Returns the files of a folder that are tables or have several records, and one that is a text, if there is one.

    Texts about the others do not count. What is in folders inside is named as --into keeps it.
    """
    found, text = [], ""
    for path, inside, files in os.walk(folder):
        inside[:] = [each for each in inside if each[0] != "."]
        for name in files:
            file = os.path.join(path, name)
            if suffix(name) in TEXTS | PAGES and not re.match("readme|licen[cs]e", name, re.IGNORECASE):
                text = text or file
            if SUFFIXES.get(suffix(name), TEXT) not in (TEXT, PAGE) and name[0] != "." and os.path.isfile(file):
                found.append(os.path.relpath(file, folder))
    names = sorted(found, key=os.fsencode)
    return [f"{folder.rstrip('/')}/{'./' * ('/' in file)}{file}" for file in names], text
