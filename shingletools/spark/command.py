"""run a pipeline of shingletools commands on Apache Spark"""

import argparse
import sys
import time
import uuid
from collections.abc import Sequence
from contextlib import ExitStack

from shingletools.cli.argument_types import add_repeatable, allowance, size
from shingletools.cli.options import Help, Parser, Version, add_allowance
from shingletools.record.command_registry import CommandInfo
from shingletools.running.driver import check_kernel
from shingletools.system import errors, messages
from shingletools.system.errors import Failed

COMMAND_INFO = CommandInfo(
    example=("simspark --in docs.jsonl --out pairs 'canon | shingle | sketch | simjoin -t 0.8'",)
)


def make_parser() -> Parser:
    """Returns the parser of simspark's options."""
    parser = Parser(
        prog="simspark",
        usage="%(prog)s [OPTIONS] --in PATH --out DIR PIPELINE",
        description=f"simspark: {__doc__}",
        epilog="PIPELINE is one argument, such as 'canon | shingle -k 10 | sketch | simjoin -t 0.8'. Exit status: 0 "
        "all well, 1 some records were rejected, 2 the run failed. The manual: man simspark",
        allow_abbrev=False,
        add_help=False,
    )
    parser.example = COMMAND_INFO.example
    add = parser.add_argument
    add(
        "--in",
        metavar="PATH",
        dest="inputs",
        action="append",
        required=True,
        help="read PATH, a file, folder or pattern: Parquet if it ends with .parquet, else JSON lines; may be repeated",
    )
    add(
        "--out",
        metavar="DIR",
        required=True,
        help="write to DIR, a new folder: Parquet if it ends with .parquet, else JSON lines",
    )
    add("--gzip", action="store_true", help="compress the output with gzip")
    add("--rejects", metavar="DIR", help="keep the bad records in DIR, each after its cause and a tab")
    add_allowance(parser)
    add("--strict", action="store_true", help="write nothing if there is a bad record")
    add("pipeline", metavar="PIPELINE", help=argparse.SUPPRESS)
    add("-v", "--verbose", action="store_true", help="end with a line of figures on standard error")
    spark = parser.add_argument_group("Spark")
    add = spark.add_argument
    add("--checkpoint", metavar="DIR", help="keep intermediate results in DIR during the run (default beside --out)")
    add(
        "--at-once",
        metavar="SIZE",
        type=size,
        help="join, group and dedup in one task, as the shell does, "
        "if that takes at most SIZE of memory: 0, 200M (default 512M, or 1G where the master is local)",
    )
    add("--master", metavar="URL", help="where Spark runs: local[N], spark://HOST:PORT, yarn (default local[*])")
    add_repeatable(spark, "--conf", "K=V", "set the property K of Spark to V", setting)
    add = parser.add_argument_group("help").add_argument
    add("-h", "--help", action=Help, nargs=0, help="print this help")
    add("--version", action=Version, nargs=0, help="print the versions that decide the output")
    return parser


def setting(argument: str) -> tuple[str, str]:
    """Returns the name and the value of K=V. Raises ArgumentTypeError."""
    name, equals, value = argument.partition("=")
    if not equals or not name:
        raise argparse.ArgumentTypeError(f"not K=V: {errors.shown(argument)}")
    return name, value


def settings_of(given: Sequence[tuple[str, str]]) -> dict[str, str]:
    """Returns the settings of --conf. Raises Failed if one is given twice."""
    settings: dict[str, str] = {}
    for name, value in given:
        if name in settings:
            raise Failed(f"argument --conf: {errors.shown(name)}: given twice (see simspark --help)")
        settings[name] = value
    return settings


def run(name: str, argv: Sequence[str] | None, _closed: set[int]) -> int:
    """Runs the command. Returns the exit status. Raises Failed or Printed."""
    check_kernel()
    options = make_parser().parse_in_order(sys.argv[1:] if argv is None else argv)
    from shingletools.spark import pipeline  # imported late: it loads numpy, which --help does not need

    steps = pipeline.parse(options.pipeline)
    settings = settings_of(options.conf)
    if options.strict:
        if options.allow_rejects is not None:
            raise Failed("--strict cannot be combined with --allow-rejects (see simspark --help)")
        options.allow_rejects = allowance("0")
    try:
        from shingletools.spark.run import Run  # here and below: pyspark, of the extra [spark]
        from shingletools.spark.session import Session
        from shingletools.spark.storage import Checkpoint
    except ImportError as error:
        raise Failed(f"needs the package {error.name}: pip install '.[spark]' in a clone of the source") from None

    def work(session: Session) -> tuple[str, list[str], int]:
        with ExitStack() as stack:
            beside_out = f"{options.out.rstrip('/')}.{uuid.uuid4().hex}"
            beside = kept = stack.enter_context(Checkpoint(session.spark, beside_out))
            if options.checkpoint:
                folder = f"{options.checkpoint}/simspark.{uuid.uuid4().hex}"
                kept = stack.enter_context(Checkpoint(session.spark, folder))
            return Run(session.spark, options, steps).run(kept, beside)

    begun = time.monotonic()
    session = Session(f"simspark: {options.pipeline}", options.master, settings)
    figures, remarks, status = session.run(work)
    for message in remarks:
        messages.say(f"{name}: {message}")
    if options.verbose or any(step.stage.dry for step in steps):
        start = f" ({session.start_took:.1f} s to start Spark)" if session.given is None else ""
        messages.say(f"{name}: {figures}, {time.monotonic() - begun:.1f} s{start}")
    return int(status)
