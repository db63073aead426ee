"""A session of Spark, which ends with the run, however that ends."""

import contextlib
import os
import re
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, wait
from dataclasses import dataclass, field
from typing import TypeVar

from py4j.protocol import Py4JError
from pyspark import SparkContext
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from shingletools.system import errors, signals
from shingletools.system.errors import Failed

T = TypeVar("T")
LOST_TASK = re.compile(r".* Lost task .* executor \w+\): ")  # what Spark writes before the cause
TAG = "simspark"  # of our jobs; a session that was given may have others
DEFAULTS = {
    "spark.master": "local[*]",
    "spark.sql.execution.arrow.maxRecordsPerBatch": "2000",
    "spark.ui.showConsoleProgress": "false",
}
# For a run of minutes, Java's second compiler costs more time than it saves, for it shares the cores with the work
LOCAL = {"spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseParallelGC"}


@dataclass
class Session:
    """Has the session that exists, or starts one; under spark-submit, with its settings."""

    name: str
    master: str | None
    settings: dict[str, str]
    given: SparkSession | None = field(default_factory=SparkSession.getActiveSession)
    starting: bool = True
    interrupted: bool = False
    start_took: float = 0.0  # seconds

    def run(self, work: Callable[["Session"], T]) -> T:
        """Runs `work`, and returns its result. Raises Failed for errors of Spark, and KeyboardInterrupt.

        A signal ends the process after Spark has stopped. A Spark that is still starting ends with the process.

        The work has a thread of its own: in the main thread, a signal would interrupt py4j while it reads.
        """
        done: Future[T] = Future()

        def worked() -> None:
            try:
                done.set_result(self._work(work))
            except BaseException as error:
                done.set_exception(error)

        with signals.raised():
            try:
                threading.Thread(target=worked, daemon=True).start()
                wait([done])
            except BaseException:
                self.interrupted = True
                # A starting Spark ends with this process once Java has written its address to a file, which is then
                # removed
                while not done.done() and not (self.starting and SparkContext._gateway):
                    if not self.starting:
                        self._cancel()
                    wait([done], timeout=0.5)
                raise
        return done.result()

    def _work(self, work: Callable[["Session"], T]) -> T:
        """Starts Spark unless it runs, does the work, and stops a Spark that was started."""
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
            raise Failed(failure_in_task(error) or f"Spark: {reason(error)}") from None
        except OSError as error:
            raise Failed(str(error)) from None

    def _new(self) -> SparkSession:
        """Starts a session."""
        settings = {}
        if "PYSPARK_GATEWAY_PORT" not in os.environ:  # spark-submit sets it
            settings = DEFAULTS | {"spark.app.name": self.name}
            if self.master is None or self.master.startswith("local"):
                os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
                settings |= LOCAL
        if self.master is not None:
            settings["spark.master"] = self.master
        builder = SparkSession.builder
        for name, value in (settings | self.settings).items():
            builder = builder.config(name, value)
        spark = builder.getOrCreate()
        if not spark.sparkContext.getConf().contains("spark.log.level"):
            spark.sparkContext.setLogLevel("OFF")  # our message has one line; Spark would add hundreds
        return spark

    def _cancel(self) -> None:
        """Cancels running jobs. It is called repeatedly, for jobs that start later."""
        with contextlib.suppress(AttributeError, PySparkException, Py4JError, OSError):  # Spark may have ended
            context = self.spark.sparkContext
            if self.given is None:
                context.setLogLevel("OFF")
            context.cancelJobsWithTag(TAG)


def reason(error: Exception) -> str:
    """Returns the line of an error that tells most. Spark's text has the stack traces of all machines.

    >>> reason(Exception("calling o1.text.\\n: java.io.IOException: no\\n\\tat x\\nCaused by: java.net.Y: z"))
    'java.io.IOException: no'
    >>> reason(Exception("x\\n: Job aborted, most recent: Lost task 0.0 in stage 1.0 (TID 1) (h executor 2): Y: z"))
    'Y: z'
    """
    lines = [line.strip() for line in str(error).splitlines() if line.strip() and not line.lstrip().startswith("at ")]
    if any(line.startswith("Traceback ") for line in lines):  # of a Python worker
        return errors.printable(lines[-1])
    causes = [line.partition(": ")[2] for line in lines if line.startswith((": ", "Caused by: "))]
    return errors.printable(LOST_TASK.sub("", (causes or lines or [type(error).__name__])[0]))


def failure_in_task(error: Exception) -> str | None:
    """Returns why a run failed, if a task of ours said so by raising Failed.

    >>> failure_in_task(Exception("x\\nshingletools.system.errors.Failed: id 1 is bad\\n"))
    'id 1 is bad'
    """
    parts = [line.strip().partition(f"{Failed.__module__}.{Failed.__name__}: ") for line in str(error).splitlines()]
    return next((errors.printable(why) for before, found, why in parts if found and not before), None)
