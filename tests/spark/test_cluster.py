"""simspark on a cluster of its own: a master and two workers on loopback, one of which is killed."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pyspark
import pytest

from harness import BIN, DOCS, ENVIRONMENT, jsonl, pipe

HOME = Path(pyspark.__file__).parent
HERE = {"SPARK_LOCAL_IP": "127.0.0.1", "SPARK_LOCAL_HOSTNAME": "127.0.0.1", "PYSPARK_PYTHON": sys.executable,
        "SPARK_NO_DAEMONIZE": "1", "JAVA_HOME": os.environ.get("JAVA_HOME", "")}  # fmt: skip
PIPELINE = ("canon", "shingle -k 3", "sketch", "simjoin -t 0.5", "simgroup")


class Cluster:
    """A standalone master and its workers, each the head of a process group."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self.folder = folder
        self.stack = stack
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.url = f"spark://127.0.0.1:{self.port}"
        self.start("master", "master.Master", "--host", "127.0.0.1", "--port", str(self.port), "--webui-port", "0")
        self.wait(lambda: "I have been elected leader" in self.log("master"))
        self.workers = [self.worker(name) for name in ("one", "two")]

    def worker(self, name: str) -> "subprocess.Popen[bytes]":
        options = ("--cores", "1", "--memory", "1g", "--host", "127.0.0.1", "--webui-port", "0")
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


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    with ExitStack() as stack:
        yield Cluster(tmp_path, stack)


def start(cluster: Cluster, pipeline: str, *argv: str) -> "subprocess.Popen[bytes]":
    settings = {
        "spark.executor.memory": "700m",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.sql.shuffle.partitions": "6",
        "spark.ui.enabled": "false",
        "spark.network.timeout": "60s",
    }
    confs = [word for name, value in settings.items() for word in ("--conf", f"{name}={value}")]
    words = [str(BIN / "simspark"), "--master", cluster.url, *confs, *argv, pipeline]
    process = subprocess.Popen(
        words, stderr=subprocess.PIPE, env=ENVIRONMENT | HERE, cwd=cluster.folder, start_new_session=True
    )
    cluster.stack.callback(end, process)
    return process


def output(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(folder.glob("part-*")))


def test_a_worker_killed_in_the_middle(cluster: Cluster) -> None:
    documents = [json.loads(line) for line in DOCS.read_bytes().splitlines()]
    many = [{**document, "id": f"{document['id']}-{number}", "text": f"{number % 7} {document['text']}"}
            for number in range(12) for document in documents]  # fmt: skip
    (cluster.folder / "docs").write_bytes(jsonl(*many))
    process = start(
        cluster, " | ".join(PIPELINE), "--in", str(cluster.folder / "docs"), "--out", str(cluster.folder / "out")
    )
    cluster.wait(lambda: process.poll() is not None or list(cluster.folder.glob("out.*/5/_SUCCESS")))
    assert process.poll() is None
    end(cluster.workers[0])
    _, said = process.communicate(timeout=300)
    assert process.returncode == 0, said.decode()
    assert output(cluster.folder / "out") == pipe(jsonl(*many), *PIPELINE)


def test_the_package_is_sent(cluster: Cluster) -> None:
    """To executors that would else not find it: they run in a folder where its name is another's."""
    process = start(
        cluster, "canon --stem en | shingle", "--ship", "--in", str(DOCS), "--out", str(cluster.folder / "out")
    )
    _, said = process.communicate(timeout=300)
    assert process.returncode == 0, said.decode()
    assert output(cluster.folder / "out") == pipe(DOCS.read_bytes(), "canon --stem en", "shingle")
    assert list(cluster.folder.glob("work-*/*/*/shingletools-*.zip"))
