"""run a pipeline of commands in one process, with workers"""

import argparse
from collections.abc import Sequence
from functools import partial

from shingletools.cli.argument_types import add_memory, count, names, text
from shingletools.cli.options import MAX_JOBS, Help, Parser, Version
from shingletools.running.driver import Shown, run_steps
from shingletools.running.steps import SharedOptions, command_lines, steps_of
from shingletools.system.errors import Failed

NAME = "shingletools run"


def make_parser() -> Parser:
    parser = Parser(
        prog=NAME,
        usage="%(prog)s [OPTIONS] PIPELINE [FILE ...]",
        description=f"{NAME}: {__doc__}",
        epilog="PIPELINE is one argument, such as 'canon | shingle -k 10 | sketch | simjoin -t 0.8'. Its first command "
        "reads each FILE; with no FILE, or when FILE is -, standard input. Exit status: that of the last command that "
        "failed; 0 all well, 1 some records were rejected, 2 the run failed, 130 interrupted. The manual: "
        "man shingletools-run",
        allow_abbrev=False,
        add_help=False,
    )
    add_memory(parser, "join on disk")
    add_shared_options(parser)
    parser.add_argument("pipeline", metavar="PIPELINE", help=argparse.SUPPRESS)
    parser.add_argument("files", metavar="FILE", nargs="*", default=[], help=argparse.SUPPRESS)
    return parser


def add_shared_options(parser: Parser) -> None:
    """Adds the options that all commands have which run pipelines."""
    add, jobs = parser.add_argument, partial(count, most=MAX_JOBS)
    add("-j", "--jobs", metavar="N", type=jobs, default=1, help="work with N workers (default 1)")
    add("--id", metavar="NAME", type=text, help="the field that identifies a document, for all commands")
    add("--text", metavar="NAME,...", type=names, help="the field that holds the text, for all commands")
    add("-o", "--output", metavar="FILE", help="write to FILE, which appears only when complete")
    add("--progress", action="store_true", help="show a progress bar on standard error")
    add("-v", "--verbose", action="store_true", help="end with a line of figures for each command, and one for all")
    add("-h", "--help", action=Help, nargs=0, help="print this help")
    add("--version", action=Version, nargs=0, help="print the versions that decide the output")


def run(name: str, argv: Sequence[str] | None, closed: set[int]) -> int:
    """Runs a pipeline, and returns its exit status. Raises Failed or Printed."""
    options = make_parser().parse(argv or ())
    files = [] if options.files == ["-"] and "files" not in options.given else options.files  # after --, too
    size, folder = options.buffer_size, options.temporary_directory
    if folder is not None and size is None:
        raise Failed("-T says where -S puts its scratch files, so it needs -S")
    shared = SharedOptions(files, options.jobs, size, folder, options.verbose, id=options.id, text=options.text or ())
    lines = command_lines(options.pipeline)
    shown = Shown(name, options.progress, options.verbose)
    status, _ = run_steps(shown, partial(steps_of, lines, shared), closed, options.output)
    return status
