"""find near-duplicate documents on Apache Spark, by the pipeline that the shell has"""

import argparse
import sys
import time
import uuid
from collections.abc import Sequence
from contextlib import ExitStack

from shingletools import errors, streams
from shingletools.driver import DONE, SOME_REJECTED, prepare
from shingletools.errors import Failed
from shingletools.options import Help, Parser, Version, add_allowance, size


def make_parser() -> Parser:
    parser = Parser(
        prog="simspark", usage="%(prog)s [OPTIONS] --in PATH --out DIR PIPELINE", description=f"simspark: {__doc__}",
        epilog="PIPELINE is one argument, such as 'canon | shingle -k 10 | sketch | simjoin -t 0.8'. Exit status: 0 "
        "all well, 1 some records were rejected, 2 the run failed. The manual: man simspark",
        allow_abbrev=False, add_help=False,
    )  # fmt: skip
    add = parser.add_argument
    add("--in", metavar="PATH", dest="inputs", action="append", required=True, help="read PATH: a file, folder or "
        "pattern, JSON lines or, if it ends with .parquet, Parquet; may be repeated")  # fmt: skip
    add("--out", metavar="DIR", required=True, help="write JSON lines or, if it ends with .parquet, Parquet to the "
        "folder DIR, which must not be there")  # fmt: skip
    add("--gzip", action="store_true", help="compress what is written")
    add("--rejects", metavar="DIR", help="keep the bad records in DIR, as they came")
    add("--checkpoint", metavar="DIR", help="where it keeps, while it runs, what it has so far (default beside --out)")
    add_allowance(parser)
    add("--keep", metavar="DIR", help="keep in DIR what filters made and what was read of signatures, and go on from "
        "what is there of a run before")  # fmt: skip
    add("--at-once", metavar="SIZE", type=size, help="let one task join what takes at most SIZE of memory, as the "
        "shell does: 0, 200M, 4G (default 512M, or 1G where the master is local)")  # fmt: skip
    add("--master", metavar="URL", help="where Spark runs: local[N], spark://HOST:PORT, yarn (default local[*])")
    add("--conf", metavar="K=V", action="append", type=setting, default=[], help="a setting of Spark; may be repeated")
    add("--ship", action="store_true", help="send the package to executors that have only what it needs")
    add("-v", "--verbose", action="store_true", help="end with a line of figures on standard error")
    add("-h", "--help", action=Help, nargs=0, help="print this help")
    add("--version", action=Version, nargs=0, help="print the versions that decide the output")
    add("pipeline", metavar="PIPELINE", help=argparse.SUPPRESS)
    return parser


def setting(argument: str) -> tuple[str, str]:
    name, equals, value = argument.partition("=")
    if not equals or not name:
        raise argparse.ArgumentTypeError(f"not K=V: {errors.shown(argument)}")
    return name, value


def settings_of(given: Sequence[tuple[str, str]]) -> dict[str, str]:
    """Raises Failed for one that is given twice."""
    settings: dict[str, str] = {}
    for name, value in given:
        if name in settings:
            raise Failed(f"argument --conf: {errors.shown(name)}: given twice (see simspark --help)")
        settings[name] = value
    return settings


def run(name: str, argv: Sequence[str] | None, _closed: set[int]) -> int:
    """One run: its exit status. Raises Failed or Printed."""
    prepare()
    options = make_parser().parse_args(sys.argv[1:] if argv is None else argv)
    from shingletools.spark import pipeline  # numpy, which --help does not need

    steps = pipeline.parse(options.pipeline)
    settings = settings_of(options.conf)
    if options.rejects is not None and pipeline.is_parquet(options.rejects):
        raise Failed(f"--rejects {errors.printable(options.rejects)}: bad records are kept as they came, as lines")
    try:
        from shingletools.spark.files import Kept  # pyspark, of the extra [spark]
        from shingletools.spark.jobs import Jobs
        from shingletools.spark.session import Session, shipped
    except ImportError as error:
        raise Failed(f"needs the package {error.name}: pip install '.[spark]' in a clone of the source") from None

    def work(session: Session) -> tuple[list[str], bool]:
        with ExitStack() as stack:
            if options.ship:
                stack.enter_context(shipped(session.spark))
            beside = kept = stack.enter_context(Kept(session.spark, f"{options.out.rstrip('/')}.{uuid.uuid4().hex}"))
            if options.checkpoint:
                kept = stack.enter_context(Kept(session.spark, f"{options.checkpoint}/simspark.{uuid.uuid4().hex}"))
            jobs = Jobs(session.spark, options, lambda message: streams.say(f"{name}: {message}"))
            return jobs.run(steps, kept, beside)

    begun = time.monotonic()
    session = Session(f"simspark: {options.pipeline}", options.master, settings)
    figures, well = session.run(work)
    if options.verbose:
        start = f" ({session.start_took:.1f} s to start Spark)" if session.given is None else ""
        streams.say(f"{name}: {', '.join(figures)}, {time.monotonic() - begun:.1f} s{start}")
    return DONE if well else SOME_REJECTED
