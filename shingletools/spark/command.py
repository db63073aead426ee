"""find near-duplicate documents on Apache Spark, by the pipeline that the shell has"""

import argparse
import contextlib
import os
import sys
import tempfile
import uuid
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from shingletools import __version__, signals, streams, wire
from shingletools.filter import DONE, SOME_REJECTED
from shingletools.options import Help, Parser, Version
from shingletools.wire import Failed

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


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
    add("--out", metavar="DIR", required=True, help="write JSON lines to the folder DIR, which must not be there")
    add("--gzip", action="store_true", help="compress what is written")
    add("--rejects", metavar="DIR", help="keep the bad records in DIR, as they came")
    add("--checkpoint", metavar="DIR", help="where it keeps, while it runs, what it has so far (default: beside --out)")
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
        raise argparse.ArgumentTypeError(f"not NAME=VALUE: {wire.shown(argument)}")
    return name, value


def run(name: str, argv: Sequence[str] | None, _closed: set[int]) -> int:
    """One run: its exit status. Raises Failed or Printed."""
    with signals.held():
        options = make_parser().parse_args(sys.argv[1:] if argv is None else argv)
        from shingletools.spark import pipeline

        steps = pipeline.parse(options.pipeline)
        try:
            from shingletools.spark.frames import Kept
            from shingletools.spark.jobs import Jobs
        except ImportError as error:
            raise Failed(f"needs the package {error.name}: pip install 'shingletools[spark]'") from None
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException
    from pyspark.sql import SparkSession

    with contextlib.ExitStack() as stack:
        spark = SparkSession.getActiveSession()
        if spark is None:
            spark = session(options)
            stack.callback(spark.stop)
        try:
            if options.ship:
                stack.enter_context(shipped(spark))
            beside = f"{options.checkpoint}/simspark" if options.checkpoint else options.out.rstrip("/")
            kept = stack.enter_context(Kept(spark, f"{beside}.{uuid.uuid4().hex}"))
            jobs = Jobs(spark, options, lambda message: streams.say(f"{name}: {message}"), kept)
            jobs.run(steps)
        except (PySparkException, Py4JError) as error:
            raise Failed(f"Spark: {reason(error)}") from None
    if options.verbose:
        streams.say(f"{name}: {', '.join(jobs.figures())}")
    return SOME_REJECTED if jobs.rejects.count else DONE


def reason(error: Exception) -> str:
    """The line that says most of what went wrong; Spark tells it with the stacks of all machines."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip() and not line.lstrip().startswith("at ")]
    causes = [line for line in lines if line.startswith(("Caused by:", "org.apache.spark", "java."))]
    return wire.printable((causes or lines or [type(error).__name__])[0])


def session(options: argparse.Namespace) -> "SparkSession":
    """A new session; under spark-submit one with what that was given."""
    from pyspark.sql import SparkSession

    asked = dict(options.conf)
    if options.master:
        asked["spark.master"] = options.master
    settings = {
        "spark.sql.execution.arrow.maxRecordsPerBatch": "2000",
        "spark.sql.execution.arrow.maxBytesPerBatch": "16m",
    }
    if "PYSPARK_GATEWAY_PORT" not in os.environ:  # which spark-submit sets
        settings["spark.master"] = "local[*]"
        settings["spark.app.name"] = f"simspark: {options.pipeline}"
        if options.master is None or options.master.startswith("local"):
            os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder
    for name, value in (settings | asked).items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    return spark


@contextlib.contextmanager
def shipped(spark: "SparkSession") -> Iterator[None]:
    """Sends the package, without what is compiled of it, to all executors, where it comes before one that is there."""
    package = Path(__file__).parents[1]
    with tempfile.TemporaryDirectory() as folder:
        archive = Path(folder, f"shingletools-{__version__}.zip")
        with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packed:
            for path in sorted(package.rglob("*")):
                if path.suffix in (".py", ".txt"):
                    packed.write(path, path.relative_to(package.parent))
        spark.sparkContext.addPyFile(str(archive))
        yield
