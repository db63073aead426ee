"""One Spark on this machine for all tests; without pyspark none of them, and a message."""

from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from harness import Ran
from shingletools.running import driver
from shingletools.spark import command

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import SparkSession

    from shingletools.spark.storage import Checkpoint

HERE = find_spec("pyspark") is not None
collect_ignore_glob = [] if HERE else ["test_*.py"]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if not HERE:
        terminalreporter.write_line("tests/spark: left out, since pyspark is not here (the extra spark)")


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> "Iterator[SparkSession]":
    from pyspark.sql import SparkSession

    from spark.cluster import QUICK

    builder = SparkSession.builder.master("local[2, 2]")  # a task that fails is tried once more
    for name, value in {
        **QUICK,
        "spark.sql.shuffle.partitions": "2",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.execution.arrow.maxRecordsPerBatch": "70",
        "spark.sql.files.maxPartitionBytes": "100000",  # two splits of a small file
        "spark.local.dir": str(tmp_path_factory.mktemp("local")),
        "spark.python.daemon.module": "spark.warm",
        "spark.executorEnv.PYTHONPATH": str(Path(__file__).parents[1]),
        "spark.executorEnv.PYTHONSAFEPATH": "1",  # the installed package, not the folder in which the tests run
    }.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    machine = session._jvm
    assert machine is not None
    files = machine.org.apache.hadoop.fs.FileSystem.get(session.sparkContext._jsc.hadoopConfiguration())
    files.setWriteChecksum(False)  # of each file written, another one, and a process for its mode
    yield session
    session.stop()


@pytest.fixture
def checkpoint(spark: "SparkSession", tmp_path: Path) -> "Iterator[Checkpoint]":
    from shingletools.spark.storage import Checkpoint

    with Checkpoint(spark, f"{tmp_path}/checkpoint") as checkpoint:
        yield checkpoint


@pytest.fixture
def large_splits(spark: "SparkSession") -> "Iterator[None]":
    """As they are outside of tests: of a long line, Java reads all that is behind the beginning of each split."""
    before = str(spark.conf.get("spark.sql.files.maxPartitionBytes"))
    spark.conf.set("spark.sql.files.maxPartitionBytes", "128m")
    yield
    spark.conf.set("spark.sql.files.maxPartitionBytes", before)


@pytest.fixture
def case_sensitive(spark: "SparkSession") -> "Iterator[None]":
    spark.conf.set("spark.sql.caseSensitive", "true")
    yield
    spark.conf.set("spark.sql.caseSensitive", "false")


Simspark = Callable[..., Ran]


@pytest.fixture
def simspark(request: pytest.FixtureRequest, capfd: pytest.CaptureFixture[str], tmp_path: Path) -> Simspark:
    """Runs simspark in this process; its output are the parts, one after the other."""
    import pyarrow.parquet as pq

    from spark.packing import parts_of

    request.getfixturevalue("spark")

    def simspark(pipeline: str, *argv: str | Path, table: "pa.Table | None" = None, to: str = "out") -> Ran:
        """Reads a table, if it is given, as Parquet. to: the output, in the test's folder."""
        out = tmp_path / to
        if table is not None:
            pq.write_table(table, tmp_path / "docs.parquet")
            argv = (*argv, "--in", tmp_path / "docs.parquet")
        capfd.readouterr()
        elsewhere = () if "--out" in argv else ("--out", str(out))
        words = (*elsewhere, *map(str, argv), pipeline)
        status = driver.main("simspark", words, own=command.run)
        parts = parts_of(out)
        return Ran(words, status, parts, capfd.readouterr().err)

    return simspark
