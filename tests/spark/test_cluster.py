"""simspark on a cluster of its own: a master and two workers on loopback, one of which is killed."""

import json
import signal
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from harness import BIN, DOCS, jsonl, pipe
from spark.cluster import HERE, HOME, JAVA, QUICK, SETTINGS, Cluster, end
from spark.packing import parts_of

PIPELINE = ("canon", "shingle -k 3", "sketch", "simjoin -t 0.5", "simgroup")
SMALL = {"spark.executor.memory": "700m", "spark.sql.shuffle.partitions": "6"}


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with ExitStack() as stack:
        stack.enter_context(pytest.MonkeyPatch.context()).setitem(HERE, "JDK_JAVA_OPTIONS", JAVA)
        yield Cluster(tmp_path_factory.mktemp("cluster"), stack)


def output(process: "subprocess.Popen[bytes]", folder: Path) -> bytes:
    _, said = process.communicate(timeout=300)
    assert process.returncode == 0, said.decode()
    return parts_of(folder)


def test_spark_submit_and_the_package_sent(cluster: Cluster, tmp_path: Path) -> None:
    """The session that is given is taken; its executors would else find another package, or none."""
    script, out = tmp_path / "simspark.py", tmp_path / "out"
    script.symlink_to(BIN / "simspark")
    settings = SETTINGS | SMALL | {"spark.app.name": "submitted"}
    confs = [word for name, value in settings.items() for word in ("--conf", f"{name}={value}")]
    submit = [str(HOME / "bin" / "spark-submit"), "--master", cluster.url, *confs, str(script)]
    process = cluster.run(*submit, "--ship", "--in", str(DOCS), "--out", str(out), "canon --stem en | shingle")
    assert output(process, out) == pipe(DOCS.read_bytes(), "canon --stem en", "shingle")
    assert "Registered app submitted" in cluster.log("master")
    assert list(cluster.folder.glob("work-*/*/*/shingletools-*.zip"))


def test_a_signal_ends_a_run(cluster: Cluster, tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    docs.write_bytes(DOCS.read_bytes() * 50)
    process = cluster.simspark(
        "canon | shingle | sketch | simjoin", SMALL | QUICK, "--at-once", "0", "--in", docs, "--out", tmp_path / "out"
    )
    cluster.wait(lambda: process.poll() is not None or list(tmp_path.glob("out.*/1/_temporary")))
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=120)
    assert process.returncode == -signal.SIGINT, said.decode()
    assert "simspark" not in said.decode()  # nothing of ours
    assert list(tmp_path.iterdir()) == [docs]


def test_a_worker_killed_in_the_middle(cluster: Cluster, tmp_path: Path) -> None:
    """The last test here: there is one worker less after it."""
    documents = [json.loads(line) for line in DOCS.read_bytes().splitlines()]
    many = [
        {**document, "id": f"{document['id']}-{number}", "text": f"{number % 7} {document['text']}"}
        for number in range(6)
        for document in documents
    ]
    docs, out = tmp_path / "docs", tmp_path / "out"
    docs.write_bytes(jsonl(*many))
    process = cluster.simspark(" | ".join(PIPELINE), SMALL | QUICK, "--at-once", "0", "--in", docs, "--out", out)
    cluster.wait(lambda: process.poll() is not None or list(tmp_path.glob("out.*/5/_SUCCESS")))
    assert process.poll() is None
    end(cluster.workers[0])
    assert output(process, out) == pipe(jsonl(*many), *PIPELINE)
    assert not list(tmp_path.glob("out.*"))
