"""Short commands for common jobs: each makes pipelines, and runs them as `shingletools run` does."""

import argparse
import contextlib
import os
import re
import stat
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from shingletools.cli.argument_types import allowance, count, names, quoted, threshold
from shingletools.cli.options import Parser, Printed
from shingletools.reading.formats import format_options
from shingletools.reading.formats.suffixes import PAGE, PAGES, READ_ONLY, SUFFIXES, TEXT, TEXTS, suffix
from shingletools.reading.option_files import names_in
from shingletools.reading.streams import read_blocks
from shingletools.record.error_hints import FIRST_BYTES, LOOKS_LIKE, known_format
from shingletools.running.driver import RunOptions
from shingletools.running.outcomes import DONE, FAILED
from shingletools.running.pipeline_parser import SharedOptions, as_text, command_lines
from shingletools.running.pipeline_run import PipelineRun
from shingletools.running.preflight_checks import check_suffix
from shingletools.running.recipes import CITED, CITED_SHOWN, EQUAL_VALUES, RECIPES, TITLES_ALIKE, WORDS_IN_COMMON
from shingletools.running.run_command import add_shared_options, run_lines
from shingletools.running.steps import CommandLine
from shingletools.system import messages, signals
from shingletools.system.errors import Failed, printable
from shingletools.system.files import check_regular, folder_errors, named, same_file
from shingletools.system.memory_limit import scratch_folder

UNIQUE, COMPARE = "unique", "compare"
MORE_ABOUT_FORMATS = ("include", "exclude", "delimiter", "no_header", "sheet", "encoding", "number")
RULES = {  # of canon, for words
    "--fold-accents": "drop accents and vowel points",
    "--drop-numbers": "drop words that have only digits",
    "--mask-numbers": "write each number as 0",
}
LENGTH_RULES = ("longest", "shortest")  # of --keep
PARTS, ALL = ("main", "article"), "all"  # of pages of HTML
AS_PAGES = "--html"  # the option of canon alone
FOLDER = "--recursive"
CITATIONS = {"--ris", "--csl", "--xml"}
CSL = rb"(?s)\[\s*\{.{0,9999}?\"(?:date-parts|container-title)\"\s*:"
JSON_STARTS = {CSL: "csl", rb"\{\s*[\"}]": "", rb"\[\s*[{\]]": "array"}
EXPORTS = {".txt", ".text"}  # as which databases export citations, too
BLANK = b"\xef\xbb\xbf \t\r\n"  # what may be before JSON
SENTENCE = 5  # runs of five words in common: nine words in a row


def make_parser(name: str) -> Parser:
    """Returns the parser of the command `shingletools unique` or `shingletools compare`."""
    own, does, files = {
        UNIQUE: (unique_options, "write files without copies", "FILE ..."),
        COMPARE: (compare_options, "show what two files or folders, or the files of one folder, share", "A [B]"),
    }[name.rpartition(" ")[2]]
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
    own(parser)
    parser.add_argument("--dry-run", action="store_true", help="run nothing, but print the pipeline, for a shell")
    format_options.add_options(parser, "the format, if suffix and first bytes do not tell it")
    add_shared_options(parser)
    parser.add_argument("files", metavar="FILE", nargs="*", default=[], help=argparse.SUPPRESS)
    return parser


def unique_options(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add(
        "-t",
        "--threshold",
        metavar="T",
        type=partial(spelled, threshold),
        help="the least similarity of two texts that are checked: 0.8, 4/5 (usually 0.75 of their words; of citations, "
        "0.5 of their titles)",
    )
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


def compare_options(parser: argparse.ArgumentParser) -> None:
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


def add_part(parser: argparse.ArgumentParser, option: str) -> None:
    does = "of HTML, compare the main text, the article of a news page, or all: main, article, all (default main)"
    parser.add_argument(option, metavar="PART", choices=[*PARTS, ALL], default=PARTS[0], help=does)


def spelled(check: Callable[[str], object], argument: str) -> str:
    """Returns an argument as it is spelled, for the command's own parser. Raises ArgumentTypeError."""
    check(argument)
    return argument


class ShortRun:
    """A run of `unique` or `compare`: its options as they are typed, and the pipelines that it makes of them."""

    def __init__(self, name: str, argv: Sequence[str] | None, closed: set[int]) -> None:
        """Raises Failed or Printed."""
        self.name, self.closed = name, closed
        self.part_option, page = ("html", "report") if name.endswith(UNIQUE) else ("pages", "html")
        self.doubtful = "0 doubtful pairs"  # as simcheck says it
        self.parser = make_parser(name)
        self.options = self.parser.parse(argv or ())
        given = [] if self.options.files0_from is not None else self.options.files
        self.files = [f"./{file}" if file[:1] == "-" != file else file for file in given]  # no options
        written = [vars(self.options).get(option) for option in ("output", "removed", "doubtful")]
        for option in [option for option in (page, "doubtful") if option in self.options.given]:
            path = vars(self.options)[option]
            others = [*self.files, *written[: -1 if option == "doubtful" else None]]
            if any(same_file(path, other) for other in others if other is not None):
                raise Failed(f"--{option} {printable(path)}: this run reads or writes that file already")
            if option == page and SUFFIXES.get(suffix(path), PAGE) != PAGE:
                raise Failed(f"--{option} {printable(path)}: a page is HTML, which is not {suffix(path)}")
            with named(path):
                os.stat(os.path.dirname(path) or ".")

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

    def run(self, pipelines: Sequence[Sequence[CommandLine]], start: str, announced: bool = False) -> int:
        """Runs pipelines one after the other, and returns the exit status. Raises Failed, or Printed for a dry run.

        start: how the paths of scratch files begin. announced: whether the pipelines are shown first; there, scratch
        files are in the folder of the shell, and named for the command.
        """
        text = "".join(f"{as_text(lines)}\n" for lines in pipelines).replace(start, f"{self.name.rpartition(' ')[2]}.")
        if self.options.dry_run:
            raise Printed(text)
        if announced:
            messages.say(f"{self.name}: this is the pipeline:\n{text}".rstrip())
        status, said = DONE, set[str]()  # two commands read the input
        shared = SharedOptions(jobs=self.options.jobs, verbose=self.options.verbose)
        run_options = RunOptions(None, self.options.progress, said=said, conclude=self.conclude)
        for pipeline in pipelines:
            standard_output = os.dup(1)  # a run closes standard output
            try:
                done = run_lines(self.name, pipeline, shared, self.closed, run_options)
            finally:
                if pipeline is not pipelines[-1]:
                    os.dup2(standard_output, 1)
                os.close(standard_output)
            status = done or status
            if done == FAILED or (done and "allow_rejects" in self.options.given):  # then files are not written
                break
        return status

    def conclude(self, flow: PipelineRun) -> None:
        """Says how many documents dedup keeps, removes and leaves out; with -v, it says so itself."""
        last = flow.runs[-1]
        figures = (figure for run in flow.runs if not run.stage.rewrites for figure in run.summary())
        self.doubtful = next((figure for figure in figures if "doubtful" in figure), self.doubtful)
        if not last.stage.rewrites or self.options.verbose or flow.why:
            return
        kept, removed = (figure.partition(" (")[0] for figure in last.summary()[:2])
        if not self.doubtful.startswith("0 "):
            where = "" if {"doubtful", "report"} & self.options.given else ": --doubtful FILE or --report FILE"
            doubtful = f" ({self.doubtful}{where})"
            kept, removed = (kept, removed + doubtful) if self.options.all else (kept + doubtful, removed)
        messages.say(f"{self.name}: {kept}, {removed}, {last.figures.rejected} left out")


def unique(name: str, argv: Sequence[str] | None, closed: set[int]) -> int:
    """Writes documents without copies, and returns the exit status. Raises Failed or Printed."""
    this = ShortRun(name, argv, closed)
    options, into, files = this.options, this.take_shards(argv), this.files
    if into and options.removed is not None:
        raise Failed(f"--removed cannot be combined with -o {printable(into)}, which is to be a folder")
    reads = this.format_words(files, "lines" if len(files) == 1 else "whole")
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
    with scratch(UNIQUE) as start:
        words, pairs, alike, equal = (f"{start}{part}" for part in ("words", "pairs", "alike", "equal"))
        shingle, join, least = TITLES_ALIKE if cited else WORDS_IN_COMMON
        shingled, joined = command_lines(f"{shingle} | {join.format(options.threshold or least)}")
        proposed = [with_words(shingled, words), with_words(joined, *allowed)]
        drops = ["--drop-different"] if options.report else []
        check = CommandLine("simcheck", ["--docs", words, *this.words("all", "doubtful"), *drops, *allowed])
        pipelines = [[with_words(canon, "-o", words, *files)]]
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
            checking = CommandLine("simcheck", ["--docs", f"{UNIQUE}.words", *this.words("all")])
            made = [] if cited else [with_words(canon, *files), shingled, with_words(joined, *allowed), checking]
            shown = this.words("show") or (["--show", CITED_SHOWN] if cited else [])
            choice = [*reads, *this.words("keep", "as_form", "allow_rejects", "id"), *more]
            last = [report_lines(this, [*reads, *named, *shown], choice, made, pairs), [dedup]]
            # If the page fails, there is no output; but dedup would find the page in its folder
            last = last[::-1] if FOLDER in reads else last
            pipelines += [[*checked[:-1], with_words(checked[-1], "-o", pairs)], *last]
        else:
            pipelines.append([*checked, dedup])
        return this.run(pipelines, start, announced=True)


def with_words(line: CommandLine, *words: str) -> CommandLine:
    """Returns a command with more arguments."""
    return CommandLine(line.name, [*line.words, *words])


def report_lines(
    this: ShortRun, page: Sequence[str], choice: Sequence[str], made: Sequence[CommandLine], pairs: str
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


def compare(name: str, argv: Sequence[str] | None, closed: set[int]) -> int:
    """Shows what the documents of two files or folders share, and returns the exit status. Raises Failed or Printed."""
    this = ShortRun(name, argv, closed)
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
    with scratch(COMPARE) as start:
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
        status = this.run(pipelines, start)
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


def recipes(name: str, argv: Sequence[str] | None, _: set[int]) -> int:
    """Prints the recipes. Raises Printed, or Failed for arguments."""
    if argv:
        raise Failed(f"unrecognized arguments: {printable(' '.join(argv))} (see {name.partition(' ')[0]} --help)")
    raise Printed("".join(f"{recipe.name}: {recipe.when}\n  {recipe.line}\n" for recipe in RECIPES))


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
        finally:
            remove()
            del messages.SHOWN_AS[f"{folder}/"]


COMMANDS = {UNIQUE: unique, COMPARE: compare, "recipes": recipes}
