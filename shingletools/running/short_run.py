"""What the commands `shingletools unique` and `compare` share: they make pipelines, and run them as `run` does."""

import argparse
import contextlib
import os
import re
import stat
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from shingletools.cli.argument_types import quoted
from shingletools.cli.options import Parser, Printed
from shingletools.reading.formats import format_options
from shingletools.reading.formats.suffixes import PAGE, READ_ONLY, SUFFIXES, TEXT, suffix
from shingletools.reading.streams import read_blocks
from shingletools.record.error_hints import FIRST_BYTES, LOOKS_LIKE, known_format
from shingletools.running.driver import Shown, run_steps
from shingletools.running.line_places import LinePlaces
from shingletools.running.pipeline import PipelineRun
from shingletools.running.run_command import add_shared_options
from shingletools.running.stage_run import DONE, FAILED
from shingletools.running.steps import CommandLine, SharedOptions, StepFailed, as_text, steps_of
from shingletools.system import messages, signals
from shingletools.system.errors import Failed, printable
from shingletools.system.files import folder_errors, named, same_file
from shingletools.system.memory_limit import scratch_folder

MORE_ABOUT_FORMATS = ("include", "exclude", "delimiter", "no_header", "sheet", "encoding", "number")
PARTS, ALL = ("main", "article"), "all"  # of pages of HTML
AS_PAGES = "--html"  # the option of canon alone
FOLDER = "--recursive"
CSL = rb"(?s)\[\s*\{.{0,9999}?\"(?:date-parts|container-title)\"\s*:"
JSON_STARTS = {CSL: "csl", rb"\{\s*[\"}]": "", rb"\[\s*[{\]]": "array"}
EXPORTS = {".txt", ".text"}  # as which databases export citations, too
BLANK = b"\xef\xbb\xbf \t\r\n"  # what may be before JSON


def make_parser(name: str, does: str, files: str, add_options: Callable[[argparse.ArgumentParser], None]) -> Parser:
    """Returns the parser of the command `shingletools unique` or `shingletools compare`."""
    parser = Parser(
        prog=name,
        usage=f"%(prog)s [OPTIONS] {files}",
        description=f"{name}: {does}",
        epilog="A FILE may be a folder. Case and punctuation do not count. "
        "Exit status: 0 all well, 1 some records were rejected, 2 the run failed, "
        f"130 interrupted. The manual: man {name.replace(' ', '-')}",
        allow_abbrev=False,
        add_help=False,
    )
    add_options(parser)
    parser.add_argument("--dry-run", action="store_true", help="run nothing, but print the pipeline, for a shell")
    format_options.add_options(parser, "the format, if suffix and first bytes do not tell it")
    add_shared_options(parser)
    parser.add_argument("files", metavar="FILE", nargs="*", default=[], help=argparse.SUPPRESS)
    return parser


def add_part(parser: argparse.ArgumentParser, option: str) -> None:
    does = "of HTML, compare the main text, the article of a news page, or all: main, article, all (default main)"
    parser.add_argument(option, metavar="PART", choices=[*PARTS, ALL], default=PARTS[0], help=does)


class ShortRun:
    """A run of `unique` or `compare`: its options as they are typed, and the pipelines that it makes of them."""

    part_option = ""  # the option for a part of pages of HTML
    page_option = ""  # the option that names a page to be written
    memory: int | None = None  # bytes of each step that can work on disk, unless -S says it

    def __init__(self, name: str, parser: Parser, argv: Sequence[str] | None, closed: set[int]) -> None:
        """Raises Failed or Printed."""
        self.name, self.parser, self.closed = name, parser, closed
        self.options = self.parser.parse(argv or ())
        given = [] if self.options.files0_from is not None else self.options.files
        self.files = [f"./{file}" if file[:1] == "-" != file else file for file in given]  # no options
        written = [vars(self.options).get(option) for option in ("output", "removed", "doubtful")]
        for option in [option for option in (self.page_option, "doubtful") if option in self.options.given]:
            path = vars(self.options)[option]
            others = [*self.files, *written[: -1 if option == "doubtful" else None]]
            if any(same_file(path, other) for other in others if other is not None):
                raise Failed(f"--{option} {printable(path)}: this run reads or writes that file already")
            if option == self.page_option and SUFFIXES.get(suffix(path), PAGE) != PAGE:
                raise Failed(f"--{option} {printable(path)}: a page is HTML, which is not {suffix(path)}")
            with named(path):
                os.stat(os.path.dirname(path) or ".")

    def words(self, *names: str) -> list[str]:
        """Returns those of some options that were given, as they are typed."""
        made: list[str] = []
        for option in names:
            value = vars(self.options).get(option)
            if option not in self.parser.given or value is None:
                continue
            name = self.parser.given[option].option_strings[0]
            if isinstance(value, tuple):  # of names
                value = ",".join(map(quoted, value))
            for each in value if isinstance(value, list) else [value]:
                word = str(each)
                if each is True:
                    made.append(name)
                else:  # a value that looks like an option is joined to it
                    made += [f"{name}={word}"] if word[:1] == "-" != word else [name, word]
        return made

    def format_words(self, files: Sequence[str], texts: str) -> list[str]:
        """Returns the options of canon that say how files are read. Raises Failed for several formats.

        texts: the format of plain text.
        """
        given = self.words(*format_options.FORMATS, *MORE_ABOUT_FORMATS)
        chosen = format_options.chosen_name(self.options)
        found = {} if chosen else {format_of(file): file for file in files}
        if len(found) > 1:
            raise Failed(f"{' and '.join(map(printable, found.values()))} have different formats")
        name = next(iter(found), chosen)
        if name == "xml" and self.part_option == "html":
            raise Failed(READ_ONLY)
        pages = name in (*format_options.HTML_FORMATS, PAGE) or self.part_option in self.options.given
        name = {TEXT: texts, PAGE: "whole"}.get(name, name)
        return [*([f"--{name}"] if found and name else []), *([self.part()] if pages else []), *given]

    def part(self) -> str:
        """Returns the option of canon that takes a part of pages of HTML."""
        part = vars(self.options)[self.part_option]
        return AS_PAGES if part == ALL else f"{AS_PAGES}={part}"

    def as_folder(self, path: str) -> list[str]:
        """Returns the options of canon to read a folder, or a file as one in a folder. Raises Failed for a pipe."""
        if not os.path.isdir(path) and not os.path.isfile(path):
            raise Failed(f"{printable(path)}: not a regular file: only these can be compared with folders or HTML")
        whatever_its_suffix = ["--include", "*"] if os.path.isfile(path) else []
        return [FOLDER, self.part(), *self.words(*MORE_ABOUT_FORMATS), *whatever_its_suffix]

    def run(
        self, pipelines: Sequence[Sequence[CommandLine]], start: str, words: Sequence[str], announced: bool = False
    ) -> int:
        """Runs pipelines one after the other, and returns the exit status. Raises Failed, or Printed for a dry run.

        start: how the paths of scratch files begin. words: those that the first pipelines write, of filters alone, so
        that each line comes from one of the input. announced: whether the pipelines are shown first; there, scratch
        files are in the folder of the shell, and named for the command.
        """
        text = "".join(f"{as_text(lines)}\n" for lines in pipelines).replace(start, f"{self.name.rpartition(' ')[2]}.")
        if self.options.dry_run:
            raise Printed(text)
        if announced:
            messages.say(f"{self.name}: this is the pipeline:\n{text}".rstrip())
        status, said = DONE, set[str]()  # two commands read the input
        size = vars(self.options).get("buffer_size")
        size = self.memory if size is None else size
        shared = SharedOptions(jobs=self.options.jobs, size=size, verbose=self.options.verbose)
        for number, pipeline in enumerate(pipelines):
            places = LinePlaces(workers=self.options.jobs > 1)
            if number < len(words):
                messages.ORIGINS[words[number]] = places.place
            is_new = partial(is_said_first, said, pipeline[0].name)
            shown = Shown(self.name, self.options.progress, self.options.verbose, is_new)
            standard_output = os.dup(1)  # a run closes standard output
            try:
                make = partial(steps_of, pipeline, shared)
                done, flow = run_steps(shown, make, self.closed, watch=places.add)
            finally:
                if pipeline is not pipelines[-1]:
                    os.dup2(standard_output, 1)
                os.close(standard_output)
            status = done or status
            if flow is not None:
                self.conclude(flow)
            if done == FAILED or (done and "allow_rejects" in self.options.given):  # then files are not written
                break
        return status

    def conclude(self, flow: PipelineRun) -> None:
        """Takes each run at its end."""


def is_said_first(said: set[str], first: str, message: str) -> bool:
    """Returns whether no command has said a message, and notes it. Lines between steps are not named.

    first: the name of the first step.
    """
    what = messages.with_shown_paths(message).partition(": ")[2].partition("; ")[0]  # without the command and the hint
    if what in said or (what.startswith("-:") and not message.startswith(f"{first}: ")):
        return False
    said.add(what)
    return True


def format_of(path: str) -> str:
    """Returns the format of a file or folder by its suffix, else its first bytes; "" for JSON lines. Raises Failed."""
    if path == "-":
        return TEXT
    with named(path):
        mode = os.stat(path).st_mode
    if stat.S_ISDIR(mode):
        return "recursive"
    ending = suffix(path)
    if ending in SUFFIXES.keys() - EXPORTS:
        return SUFFIXES[ending]
    if not stat.S_ISREG(mode):
        return TEXT  # a pipe, whose first bytes can be read only once
    with contextlib.closing(read_blocks(path)) as blocks:
        head = next(blocks, b"").lstrip(BLANK)
    starts = JSON_STARTS | {start: option[2:] for option, start in FIRST_BYTES.items()}
    starts = {FIRST_BYTES["--ris"]: "ris"} if ending in EXPORTS else starts
    if (found := next((name for start, name in starts.items() if re.match(start, head)), None)) is not None:
        return found
    looks = known_format(head)
    if ending in EXPORTS or (not ending and looks is None):
        return TEXT
    unknown = "its format is not known: say --lines, --whole, --csv or another"
    raise Failed(f"{printable(path)}: {unknown if looks is None else f'{LOOKS_LIKE}{looks}'}")


@contextlib.contextmanager
def scratch(command: str) -> Iterator[str]:
    """Makes a folder for scratch files, and returns how their paths begin; removes it in the end. Raises Failed."""
    import shutil  # here and below: some runs need none
    import tempfile

    parent = scratch_folder()
    with folder_errors(parent):
        folder = tempfile.mkdtemp(prefix=f"shingletools.{command}.", dir=parent)
    messages.SHOWN_AS[f"{folder}/"] = f"{command}."  # as --dry-run names them
    remove = partial(shutil.rmtree, folder, ignore_errors=True)
    with signals.at_end(remove):
        try:
            yield f"{folder}/"
        except StepFailed as error:  # which is shown later
            raise StepFailed(messages.with_shown_paths(str(error))) from None
        finally:
            remove()
            messages.ORIGINS.clear()
            del messages.SHOWN_AS[f"{folder}/"]
