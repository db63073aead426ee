"""Sparks in processes of their own: on this machine, or as a cluster of two executors."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path

import pyspark

from harness import ENVIRONMENT

HOME = Path(pyspark.__file__).parent
# For small data, with which compiling takes longest
JAVA = "-XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=256m -XX:+UseSerialGC"
QUICK = {
    "spark.ui.enabled": "false",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.driver.extraJavaOptions": JAVA,
    "spark.executor.extraJavaOptions": JAVA,
}
HERE = {
    "SPARK_LOCAL_IP": "127.0.0.1",
    "SPARK_LOCAL_HOSTNAME": "127.0.0.1",
    "PYSPARK_PYTHON": sys.executable,
    "JAVA_HOME": os.environ.get("JAVA_HOME", ""),
}
SETTINGS = {
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.ui.enabled": "false",
}


def confs(settings: Mapping[str, str]) -> list[str]:
    """Returns the options for settings of Spark."""
    return [word for name, value in settings.items() for word in ("--conf", f"{name}={value}")]


def start(stack: ExitStack, folder: Path, *words: str | Path) -> "subprocess.Popen[bytes]":
    """Starts a command in a folder, as the head of a process group, which ends with the stack.

    Spark's home is in that folder, too: workers of a cluster have their folders there.
    """
    home = folder / "home"
    home.mkdir()
    for name in ("bin", "jars"):
        (home / name).symlink_to(HOME / name)
    process = subprocess.Popen(
        ("env", "--default-signal=INT", *map(str, words)),  # which shells ignore in the background
        stderr=subprocess.PIPE,
        env=ENVIRONMENT | HERE | {"SPARK_HOME": str(home)},
        cwd=folder,
        start_new_session=True,
    )
    stack.callback(end, process)
    return process


def executors(process: "subprocess.Popen[bytes]") -> list[int]:
    """Returns the executors of a cluster that a process started."""
    found = []
    for path in Path("/proc").glob("[1-9]*"):
        try:
            mine = os.getpgid(int(path.name)) == process.pid
            if mine and b"CoarseGrainedExecutorBackend" in (path / "cmdline").read_bytes():
                found.append(int(path.name))
        except OSError:  # it has ended
            continue
    return sorted(found)


def wait(condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + 240
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.1)


def end(process: "subprocess.Popen[bytes]") -> None:
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
