"""show what two files or folders, or the files of one folder, share"""

import argparse
import os
from collections.abc import Sequence

from shingletools.cli.argument_types import count
from shingletools.cli.options import Parser
from shingletools.running import short_run
from shingletools.running.short_run import AS_PAGES, FOLDER, ShortRun, add_part, scratch
from shingletools.running.stage_run import FAILED
from shingletools.running.steps import CommandLine
from shingletools.system import messages
from shingletools.system.errors import Failed, printable

NAME = "shingletools compare"
SENTENCE = 5  # runs of five words in common: nine words in a row


def make_parser() -> Parser:
    return short_run.make_parser(NAME, __doc__ or "", "A [B]", add_options)


def add_options(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("-k", metavar="K", type=count, default=5, help="look for runs of K words (default 5)")
    add(
        "-m",
        metavar="M",
        type=count,
        help="show documents with M such runs in common (default 1 for two texts, else 5)",
    )
    add_part(parser, "--pages")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="write JSON records with places, words and shares")
    form.add_argument("--brief", action="store_true", help="write a line for each pair")
    form.add_argument("--html", metavar="FILE", help="write a page to FILE")


class CompareRun(ShortRun):
    """A run of `compare`."""

    part_option, page_option = "pages", "html"


def run(name: str, argv: Sequence[str] | None, closed: set[int]) -> int:
    """Shows what the documents of two files or folders share, and returns the exit status. Raises Failed or Printed."""
    this = CompareRun(name, make_parser(), argv, closed)
    options, files = this.options, this.files
    k = str(options.k)
    alone = len(files) == 1 and os.path.isdir(files[0])
    if len(files) != len("AB") and not alone:
        this.parser.error("name two files or folders, or one folder")
    if files == ["-", "-"]:
        raise Failed("standard input is one file, not two")
    reads = [this.format_words([file], "whole") for file in files]
    texts = all("--whole" in words for words in reads)
    least = options.m or (1 if texts else SENTENCE)
    if reads[0] != reads[-1] and has_html([*reads[0], *reads[1]]):  # then their recipes would differ
        if not all({"--whole", FOLDER} & {*words} for words in reads):
            alike = "a folder or HTML can be compared only with folders and with files of plain text or HTML"
            raise Failed(f"{' and '.join(map(printable, files))} have different formats: {alike}")
        reads = [this.as_folder(file) for file in files]
    with scratch("compare") as start:
        a, b, shingles, pairs = (start + part for part in ("a", "b", "shingles", "pairs"))
        named = this.words("id", "text")

        def placed(words: Sequence[str], to: str, file: str) -> list[CommandLine]:
            """Returns the pipeline that writes the words of a file, their places, and the text, also that of HTML."""
            if not has_html(words):
                return [CommandLine("canon", [*words, *named, "--offsets", "-o", to, file])]
            texts = CommandLine("canon", [*words, *named, "--extract", file])
            return [texts, CommandLine("canon", [*named, "--offsets", "-o", to])]

        against = [] if alone else ["--against", shingles]
        form = this.words("k", "json", "brief", "html", "output")
        form += ["--unshared"] if texts and not {"json", "brief", "html"} & options.given else []
        pipelines = [
            *map(placed, reads, (a, b), files),
            *([] if alone else [[CommandLine("shingle", ["-k", k, "-o", shingles, b])]]),
            [
                CommandLine("shingle", ["-k", k, a]),
                CommandLine("simjoin", ["-m", str(least), *against, "-o", pairs]),
            ],
            [CommandLine("simshow", ["--docs", a, *([] if alone else ["--against", b]), *form, pairs])],
        ]
        status = this.run(pipelines, start, [a] if alone else [a, b, shingles])
        if status < FAILED and not os.path.getsize(pairs):
            one, other = printable(files[0]), "another file there" if alone else printable(files[-1])
            messages.say(
                f"{name}: nothing in {one} has {least} {'run' if least == 1 else 'runs'} of {k} words in common "
                f"with {other} (see -k and -m)"
            )
        return status


def has_html(words: Sequence[str]) -> bool:
    """Returns whether canon, with these options, reads HTML."""
    return any(word.startswith(AS_PAGES) for word in words)
