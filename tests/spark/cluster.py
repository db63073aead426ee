"""A Spark of several processes on loopback: a master and workers, started and ended here."""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import pyspark

from harness import BIN, ENVIRONMENT

HOME = Path(pyspark.__file__).parent
HERE = {
    "SPARK_LOCAL_IP": "127.0.0.1",
    "SPARK_LOCAL_HOSTNAME": "127.0.0.1",
    "PYSPARK_PYTHON": sys.executable,
    "SPARK_NO_DAEMONIZE": "1",
    "JAVA_HOME": os.environ.get("JAVA_HOME", ""),
}
# For small data, with which compiling takes longest
JAVA = "-XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=256m -XX:+UseSerialGC"
QUICK = {
    "spark.ui.enabled": "false",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
}
SETTINGS = {
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.ui.enabled": "false",
    "spark.network.timeout": "60s",
}


class Cluster:
    """A standalone master and its workers, each the head of a process group."""

    def __init__(self, folder: Path, stack: ExitStack, memory: str = "1g") -> None:
        self.memory = memory
        self.folder = folder
        self.stack = stack
        self.start("master", "master.Master", "--host", "127.0.0.1", "--port", "0", "--webui-port", "0")
        self.wait(lambda: "I have been elected leader" in self.log("master"))
        found = re.search(r"Starting Spark master at (spark://127\.0\.0\.1:[1-9]\d*)", self.log("master"))
        assert found
        self.url = found[1]
        self.workers = [self.worker(name) for name in ("one", "two")]

    def worker(self, name: str) -> "subprocess.Popen[bytes]":
        options = ("--cores", "1", "--memory", self.memory, "--host", "127.0.0.1", "--webui-port", "0")
        process = self.start(name, "worker.Worker", *options, "--work-dir", str(self.folder / f"work-{name}"), self.url)
        self.wait(lambda: "Successfully registered with master" in self.log(name))
        return process

    def start(self, name: str, kind: str, *argv: str) -> "subprocess.Popen[bytes]":
        words = [str(HOME / "bin" / "spark-class"), f"org.apache.spark.deploy.{kind}", *argv]
        with (self.folder / f"{name}.log").open("wb") as log:
            process = subprocess.Popen(
                words, stdout=log, stderr=log, env=ENVIRONMENT | HERE, start_new_session=True, cwd=self.folder
            )
        self.stack.callback(end, process)
        return process

    def simspark(self, pipeline: str, settings: dict[str, str], *argv: str | Path) -> "subprocess.Popen[bytes]":
        """A run of simspark on the cluster."""
        confs = [word for name, value in (SETTINGS | settings).items() for word in ("--conf", f"{name}={value}")]
        return self.run(str(BIN / "simspark"), "--master", self.url, *confs, *map(str, argv), pipeline)

    def run(self, *words: str) -> "subprocess.Popen[bytes]":
        process = subprocess.Popen(
            ("env", "--default-signal=INT", *words),  # which shells ignore in the background
            stderr=subprocess.PIPE,
            env=ENVIRONMENT | HERE,
            cwd=self.folder,
            start_new_session=True,
        )
        self.stack.callback(end, process)
        return process

    def log(self, name: str) -> str:
        return (self.folder / f"{name}.log").read_text()

    def wait(self, condition: Callable[[], object]) -> None:
        deadline = time.monotonic() + 120
        while not condition():
            assert time.monotonic() < deadline, {
                path.name: path.read_text()[-2000:] for path in self.folder.glob("*.log")
            }
            time.sleep(0.1)


def end(process: "subprocess.Popen[bytes]") -> None:
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
