"""A session of Spark, which ends with the run, whatever ends that."""

import contextlib
import os
import re
import sys
import tempfile
import threading
import time
import zipfile
from collections.abc import Callable, Iterator
from concurrent.futures import Future, wait
from pathlib import Path
from typing import TypeVar

from py4j.protocol import Py4JError
from pyspark import SparkContext
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from shingletools import __version__, errors, signals
from shingletools.errors import Failed

T = TypeVar("T")
LOST_TASK = re.compile(r".* Lost task .* executor \w+\): ")  # and how often it was tried, before what went wrong
TAG = "simspark"  # of our jobs, beside which a session that was given may have others
DEFAULTS = {
    "spark.master": "local[*]",
    "spark.sql.execution.arrow.maxRecordsPerBatch": "2000",
    "spark.sql.execution.arrow.maxBytesPerBatch": "16m",
    "spark.ui.showConsoleProgress": "false",
}
# Where Java is used for some minutes, its second compiler takes more than it gives: it shares the cores with the work
LOCAL = {"spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseParallelGC"}


class Session:
    """The session that is there, or a new one; under spark-submit one with what that was given."""

    def __init__(self, name: str, master: str | None, settings: dict[str, str]) -> None:
        self.name = name
        self.master = master
        self.settings = settings
        self.given = SparkSession.getActiveSession()
        self.starting = True
        self.interrupted = False
        self.start_took = 0.0  # seconds

    def run(self, work: Callable[["Session"], T]) -> T:
        """What `work` returns. Raises Failed for what Spark says, and what signals raise.

        These once all is tidied up, but a Spark that still starts is left to end with this process.

        The work is done in a thread of its own: signals raise in the main one, and would cut what py4j is reading.
        """
        done: Future[T] = Future()

        def worked() -> None:
            try:
                done.set_result(self._work(work))
            except BaseException as error:
                done.set_exception(error)

        signals.take_time()
        try:
            threading.Thread(target=worked, daemon=True).start()
            wait([done])
        except BaseException:
            self.interrupted = True
            # A Spark that starts ends with this process, once Java has told where it is, by a file that then goes
            while not done.done() and not (self.starting and SparkContext._gateway):
                if not self.starting:
                    self._cancel()
                wait([done], timeout=0.5)
            raise
        return done.result()

    def _work(self, work: Callable[["Session"], T]) -> T:
        try:
            begun = time.monotonic()
            self.spark = self.given or self._new()
            self.starting, self.start_took = False, time.monotonic() - begun
            self.spark.sparkContext.addJobTag(TAG)
            try:
                if self.interrupted:
                    raise Failed("interrupted")
                return work(self)
            finally:
                if self.given is None:
                    self.spark.stop()
        except (PySparkException, Py4JError) as error:
            raise Failed(f"Spark: {reason(error)}") from None
        except OSError as error:
            raise Failed(str(error)) from None

    def _new(self) -> SparkSession:
        settings = {}
        if "PYSPARK_GATEWAY_PORT" not in os.environ:  # which spark-submit sets
            settings = DEFAULTS | {"spark.app.name": self.name}
            if self.master is None or self.master.startswith("local"):
                os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
                settings |= LOCAL
        if self.master is not None:
            settings["spark.master"] = self.master
        builder = SparkSession.builder
        for name, value in (settings | self.settings).items():
            builder = builder.config(name, value)
        with to_standard_error():
            spark = builder.getOrCreate()
        if not spark.sparkContext.getConf().contains("spark.log.level"):
            spark.sparkContext.setLogLevel("OFF")  # what ends a run is said in one line; Spark would add hundreds
        return spark

    def _cancel(self) -> None:
        """All that is under way and, called again and again, what comes next."""
        with contextlib.suppress(AttributeError, PySparkException, Py4JError, OSError):  # there is none any more
            context = self.spark.sparkContext
            if self.given is None:
                context.setLogLevel("OFF")
            context.cancelJobsWithTag(TAG)


def reason(error: Exception) -> str:
    """The line that says most of what went wrong; Spark tells it with the stacks of all machines.

    >>> reason(Exception("calling o1.text.\\n: java.io.IOException: no\\n\\tat x\\nCaused by: java.net.Y: z"))
    'java.io.IOException: no (java.net.Y: z)'
    >>> reason(Exception("x\\n: Job aborted, most recent: Lost task 0.0 in stage 1.0 (TID 1) (h executor 2): Y: z"))
    'Y: z'
    """
    lines = [line.strip() for line in str(error).splitlines() if line.strip() and not line.lstrip().startswith("at ")]
    behind: BaseException | None = error
    while (behind := getattr(behind, "_cause", None)) is not None:  # which PySpark keeps of Java's exceptions
        lines.append(f"Caused by: {str(behind).partition(chr(10))[0]}")
    if any(line.startswith("Traceback ") for line in lines):  # in a worker
        said = lines[-1]
    else:
        causes = [line.partition(": ")[2] for line in lines if line.startswith((": ", "Caused by: "))]
        causes = [LOST_TASK.sub("", cause) for cause in causes]
        said = (causes or lines or [type(error).__name__])[0]
        if causes and causes[-1] != said:
            said = f"{said} ({causes[-1]})"
    return errors.printable(said)


@contextlib.contextmanager
def to_standard_error() -> Iterator[None]:
    """What is started here has no other output: Java that cannot start says why on its standard one."""
    before = os.dup(1)
    try:
        os.dup2(2, 1)
        yield
    finally:
        os.dup2(before, 1)
        os.close(before)


@contextlib.contextmanager
def shipped(spark: SparkSession) -> Iterator[None]:
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
